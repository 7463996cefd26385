// Stores of tiles whose elements share bytes: each thread stores whole packs, or accesses of several bytes where the
// view lies inside of its memory and begins at a multiple of them.
#include <algorithm>
#include <bit>

#include "ir/passes/target/gpu/tiles/rows.h"
#include "ir/passes/target/gpu/tiles/view.h"

namespace tsr::ir {

void ThreadTiles::store_packed(OpId id) {
    const TileViewOp op(code_.tile, id);
    const DType type = elem(op.memory());
    const auto pack = static_cast<size_t>(pack_size(type));
    const Layout& own = layout(op.value());
    const int needed = std::min(std::countr_zero(pack), log2_up(own.shape.back()));
    const int warp_bits = std::countr_zero(static_cast<uint64_t>(code_.plan.gpu().threads / kWarp));
    const bool has_packs = vector_access(row_offsets(own.atom), needed).bits == needed;
    const Layout lies = has_packs ? own : layout_in_rows(own.shape, 1, warp_bits);
    const Registers values = in(op.value(), lies);
    when(writers(lies.atom), [&] {
        View packs = view(op, lies);
        packs.accesses = vector_access(row_offsets(lies.atom), needed);
        View wide = packs;
        const int widest = std::min(
            {5, lies.atom.out_bits(axis(lies.rank() - 1)), std::countr_zero(static_cast<uint64_t>(lies.shape.back()))});
        wide.accesses = vector_access(row_offsets(lies.atom), pack == 2 ? widest : 0);
        auto by_packs = [&] {
            store_packs(packs, values);
            return Registers{};
        };
        if (wide.accesses.width() <= static_cast<int64_t>(pack)) {
            by_packs();
            return;
        }
        auto by_accesses = [&] {
            each_access(wide, false, [&](const std::vector<int64_t>& registers, ValueId inside) {
                when(inside, [&] { store_pairs(wide, registers, values); });
            });
            return Registers{};
        };
        choose(both(whole(wide), begins_at_accesses(wide)), {}, by_accesses, by_packs);
    });
}

// What a row's last pack has no elements for is 0.
void ThreadTiles::store_packs(const View& seen, const Registers& values) {
    const auto pack = static_cast<size_t>(pack_size(seen.type));
    std::map<std::pair<size_t, int64_t>, ValueId> known;
    each_access(seen, true, [&](const std::vector<int64_t>& registers, ValueId inside) {
        std::vector<ValueId> elements(pack, emit_.zero(seen.type));
        for (size_t i = 0; i < registers.size(); ++i) {
            const Beyond beyond = beyond_end(*seen.layout, registers[i]);
            if (beyond.always) continue;
            const ValueId value = values[static_cast<size_t>(registers[i])];
            const ValueId there = both(beyond.inside, within_memory(seen, registers[i], known));
            elements[i] = i == 0 ? value : emit_.select(there, value, elements[i]);
        }
        when(inside, [&] { code_.store_packed(*seen.memory, indices(seen, registers[0]), elements); });
    });
}

// Two elements to a byte.
void ThreadTiles::store_pairs(const View& seen, const std::vector<int64_t>& registers, const Registers& values) {
    std::vector<ValueId> at = indices(seen, registers[0]);
    at.back() = packed_place(emit_, seen.type, at.back(), 0).byte;
    Registers bytes;
    for (size_t i = 0; i < registers.size(); i += 2) {
        const ValueId low = values[static_cast<size_t>(registers[i])];
        const ValueId high = values[static_cast<size_t>(registers[i + 1])];
        bytes.push_back(packed_byte(emit_, seen.type, {low, high}, 0, 0));
    }
    store_vector(code_.address(*seen.memory, at), bytes);
}

// Every access begins at a multiple of its bytes.
ValueId ThreadTiles::begins_at_accesses(const View& seen) {
    const int64_t bytes = seen.accesses.width() / 2;
    const ValueId begin = emit_.binary(OpKind::shr, seen.starts.back(), emit_.integer(1));
    ValueId all = begin;
    if (seen.starts.size() > 1) all = emit_.binary(OpKind::bit_or, begin, seen.memory->dims.back());
    const ValueId low = emit_.binary(OpKind::bit_and, all, emit_.integer(bytes - 1));
    return emit_.compare(OpKind::eq, low, emit_.integer(0));
}

}  // namespace tsr::ir
