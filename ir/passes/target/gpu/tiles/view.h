// A view of memory, seen by one thread (views.cpp, packed_stores.cpp, atomics.cpp).
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "ir/passes/target/gpu/tiles/code.h"

namespace tsr::ir {

struct ThreadTiles::View {
    const Memory* memory = nullptr;
    const Layout* layout = nullptr;
    DType type = DType::f32;
    std::vector<int64_t> axes;     // of the memory, that the tile's run along
    std::vector<ValueId> starts;   // per axis of the memory
    std::vector<ValueId> strides;  // per axis of the tile
    ValueId others;                // the single positions are inside; invalid: there are none
    ValueId begin;                 // the address of the view's first element
    ValueId mine;                  // of this thread's first one
    VectorAccess accesses;
};

template <typename Then, typename Otherwise>
ThreadTiles::Registers ThreadTiles::choose(ValueId condition, const std::vector<Type>& types, Then then,
                                           Otherwise otherwise) {
    const RegionId outside = emit_.region;
    const OpId branch = emit_.open_if(condition, types);
    emit_.region = emit_.add_region(branch);
    emit_.yield(then());
    emit_.region = emit_.add_region(branch);
    emit_.yield(otherwise());
    emit_.close(branch, outside);
    return code_.target.op(branch).results;
}

// Calls `access` for the registers of each access that is not beyond the tile, with the condition under which it is
// none of those, and is inside of the memory where the view may not be.
template <typename Access>
void ThreadTiles::each_access(const View& view, bool clipped, Access access) {
    const Layout& lies = *view.layout;
    std::map<std::pair<size_t, int64_t>, ValueId> known;
    for (int64_t atom = 0; atom < lies.atoms(); ++atom) {
        for (std::vector<int64_t> registers : view.accesses.registers) {
            for (int64_t& r : registers) r += atom * lies.atom_size();
            const Beyond beyond = beyond_end(lies, registers[0]);
            if (beyond.always) continue;
            ValueId inside = beyond.inside;
            if (clipped) inside = both(inside, within_memory(view, registers[0], known));
            access(registers, inside);
        }
    }
}

// The condition under which a single register's element is in the tile and in memory; calls `element` with it.
template <typename Element>
void ThreadTiles::each_element(const View& view, Element element) {
    const Layout& lies = *view.layout;
    std::map<std::pair<size_t, int64_t>, ValueId> known;
    for (int64_t r = 0; r < lies.size(); ++r) {
        const Beyond beyond = beyond_end(lies, r);
        if (!beyond.always) element(r, both(beyond.inside, within_memory(view, r, known)));
    }
}

// Wide accesses where the view is inside, wide ones under conditions where rows have whole accesses, else elements.
template <typename Accesses, typename Elements>
ThreadTiles::Registers ThreadTiles::by_reach(const View& seen, const std::vector<Type>& types, Accesses accesses,
                                             Elements elements) {
    if (seen.memory->packed) return elements();
    const bool wide = seen.accesses.bits > 0;
    return choose(
        wide ? both(whole(seen), aligned(seen, false)) : whole(seen), types, [&] { return accesses(false); },
        [&] {
            if (!wide) return elements();
            return choose(aligned(seen, true), types, [&] { return accesses(true); }, elements);
        });
}

}  // namespace tsr::ir
