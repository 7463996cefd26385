// Tiles that are combined into memory: neighbouring elements at once where the machine can.
#include "ir/machine/atomics.h"

#include <algorithm>
#include <bit>

#include "ir/passes/target/gpu/tiles/rows.h"
#include "ir/passes/target/gpu/tiles/view.h"

namespace tsr::ir {

namespace {

// The same accesses, of so many elements each at the most.
VectorAccess cut(const VectorAccess& wide, int64_t most) {
    VectorAccess out;
    out.bits = std::min(wide.bits, std::countr_zero(static_cast<uint64_t>(most)));
    for (const std::vector<int64_t>& registers : wide.registers) {
        for (auto begin = registers.begin(); begin != registers.end(); begin += out.width())
            out.registers.emplace_back(begin, begin + out.width());
    }
    return out;
}

}  // namespace

void ThreadTiles::atomic(OpId id) {
    const TileViewOp op(code_.tile, id);
    const bool global = code_.tile.type(op.memory()).kind == TypeKind::tensor;
    const int32_t capability = gpu_machine(code_.plan.machine)->capability;
    const int64_t most =
        packed_elements(elem(op.memory()), op.what(), global ? Space::global : Space::shared, capability);
    const Layout lies = in_pairs(op, along_rows(op, layout(op.value())));
    const Registers values = in(op.value(), lies);
    when(writers(lies.atom), [&] { combine(view(op, lies), op.what(), values, most); });
}

// Single elements of 16 bits are compared and exchanged with the word around them, also where an instruction adds them:
// threads get those that follow each other.
Layout ThreadTiles::in_pairs(const TileViewOp& op, const Layout& own) const {
    const Type& memory = code_.tile.type(op.memory());
    const int bytes = bits(memory.elem) / 8;
    const bool rows = op.axes().back() + 1 == static_cast<int64_t>(memory.rank()) && own.shape.back() % 2 == 0;
    const bool words = is_float(memory.elem) && bytes == 2 && own.shape.back() * bytes >= kAccess;
    if (!rows || !words || vector_access(row_offsets(own.atom), 1).bits > 0) return own;
    const int warp_bits = std::countr_zero(static_cast<uint64_t>(code_.plan.gpu().threads / kWarp));
    return layout_in_rows(own.shape, bytes, warp_bits);
}

// At most so many elements at once. Where those do not begin at a multiple of their size, pairs may.
void ThreadTiles::combine(View seen, AtomicOp what, const Registers& values, int64_t most) {
    constexpr int64_t kPair = 2;
    seen.accesses = cut(seen.accesses, most);
    const auto at = [&](const std::vector<int64_t>& registers) {
        Registers parts;
        for (int64_t r : registers) parts.push_back(values[static_cast<size_t>(r)]);
        combine_at(address(seen, registers[0]), what, parts);
    };
    auto accesses = [&](bool clipped) {
        each_access(seen, clipped, [&](const std::vector<int64_t>& registers, ValueId inside) {
            when(inside, [&] { at(registers); });
        });
        return Registers{};
    };
    auto elements = [&] {
        if (seen.accesses.width() > kPair) {
            combine(seen, what, values, kPair);
        } else {
            each_element(seen, [&](int64_t r, ValueId inside) { when(inside, [&] { at({r}); }); });
        }
        return Registers{};
    };
    by_reach(seen, {}, accesses, elements);
}

void ThreadTiles::combine_at(ValueId pointer, AtomicOp what, const Registers& values) {
    Attrs attrs{{Attr::op, static_cast<int64_t>(what)}};
    const DType type = emit_.element_type(pointer);
    if (values.size() == 1) {
        emit_.op(OpKind::atomic_rmw, {pointer, values[0]}, std::move(attrs));
        return;
    }
    attrs.set(Attr::alignment, static_cast<int64_t>(values.size()) * bits(type) / 8);
    emit_.statement(OpKind::atomic_rmw, {pointer, vector(values)}, std::move(attrs));
}

}  // namespace tsr::ir
