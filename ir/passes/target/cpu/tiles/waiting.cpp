// What is stored for loads of this kernel alone and then stored over: the exponentials of a softmax, before their sum
// is known. In its tensor it would come from memory for nothing, and go there twice. Rows that are not too long wait in
// scratch memory, where the tensor is so large that what is stored over them passes by the caches.
#include <algorithm>
#include <utility>

#include "ir/ops/register.h"
#include "ir/passes/target/cpu/tiles/code.h"

namespace tsr::ir {

void TileCode::begin_round() {
    round_ = emit_.region;
    waiting_.clear();
    pieces_.clear();
}

bool TileCode::has_waiting(ValueId memory) const {
    return std::ranges::any_of(uses_.of(memory), [&](OpId user) { return s_.tile.op(user).attrs.has(Attr::waits); });
}

// The same row of the memory in each view of the round.
const TileCode::Waiting& TileCode::waiting(const TileViewOp& view) {
    constexpr int64_t kRoomBytes = 128 << 10;  // of a row: a part of a second cache
    const ValueId tensor = view.memory();
    if (const auto known = waiting_.find(tensor); known != waiting_.end()) return known->second;
    const DType elem = s_.tile.type(tensor).elem;
    const int64_t bytes = bits(elem) / 8;
    auto [room, is_new] = rooms_.try_emplace(tensor);
    if (is_new) room->second = this->room(elem, {}, kRoomBytes / bytes, s_.tile.value(tensor).name).pointer;
    const RegionId inside = std::exchange(emit_.region, round_);
    const Memory& memory = s_.memories.at(tensor);
    std::vector<ValueId> starts;
    ValueId elements = emit_.integer(1);
    for (size_t axis = 0; axis < memory.dims.size(); ++axis) {
        const bool along = axis + 1 == memory.dims.size();
        starts.push_back(along ? emit_.integer(0) : emit_.cast(s_.scalars.at(view.starts()[axis]), DType::index));
        elements = emit_.mul(elements, memory.dims[axis]);
    }
    const ValueId row = s_.address(memory, starts);
    const ValueId row_bytes = emit_.mul(memory.dims.back(), emit_.integer(bytes));
    const std::vector<ValueId> asked{row, row_bytes, emit_.mul(elements, emit_.integer(bytes)), room->second,
                                     emit_.integer(kRoomBytes)};
    Waiting out;
    out.row = emit_.runtime("tsr_waits_in", asked, Type::pointer(elem, Space::global));
    const ValueId passes = emit_.runtime("tsr_passes_caches", {asked[0], asked[1], asked[2]}, Type::scalar(DType::i32));
    out.elsewhere = emit_.binary(OpKind::bit_and, emit_.compare(OpKind::ne, passes, emit_.integer(0, DType::i32)),
                                 emit_.compare(OpKind::le, row_bytes, emit_.integer(kRoomBytes)));
    emit_.region = inside;
    return waiting_[tensor] = out;
}

}  // namespace tsr::ir
