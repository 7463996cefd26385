// Views of memory with a register tile's shape: what lies outside of the memory is cut off, the rest is done row by
// row.
#include <algorithm>

#include <fmt/format.h>

#include "ir/eval/machine.h"
#include "ir/eval/packed.h"
#include "ir/eval/steps.h"
#include "ir/eval/watch.h"

namespace tsr::ir::eval::steps {

namespace {

// The positions [first, end) along each axis of the tile that lie inside.
struct Inside {
    std::array<int64_t, kMaxRank> first{}, end{};
    std::array<int64_t, kMaxRank> step{};  // in memory, in elements
    uint64_t origin = 0;                   // the element at position 0 of all axes, which may be outside: wrapping
    bool whole = true;
    bool none = false;
};

Inside inside_of(const Machine& machine, const TileViewData& data, const View& view) {
    Inside inside;
    size_t axis = 0;  // of the tile
    for (size_t k = 0; k < view.rank; ++k) {
        const int64_t start = machine.at<int64_t>(data.starts[k]);
        inside.origin += static_cast<uint64_t>(start) * static_cast<uint64_t>(view.stride[k]);
        if (axis == data.axes.size() || data.axes[axis] != static_cast<int64_t>(k)) {
            inside.none |= start < 0 || start >= view.extent[k];  // a single position
            continue;
        }
        const int64_t extent = data.shape[axis];
        inside.first[axis] = start >= 0 ? 0 : start <= -extent ? extent : -start;
        inside.end[axis] = start <= -extent ? 0 : std::clamp<int64_t>(view.extent[k] - start, 0, extent);
        inside.step[axis] = view.stride[k];
        inside.none |= inside.first[axis] >= inside.end[axis];
        inside.whole &= inside.first[axis] == 0 && inside.end[axis] == extent;
        ++axis;
    }
    inside.whole &= !inside.none;
    return inside;
}

// A stretch along the tile's last axis.
struct Row {
    size_t element = 0;  // of the tile
    int64_t at = 0;      // of the memory
    int64_t step = 1;
    size_t count = 0;
};

template <typename Do>
void for_each_row(const TileViewData& data, const Inside& inside, Do&& action) {
    if (inside.none) return;
    const size_t last = data.shape.size() - 1;
    std::array<int64_t, kMaxRank> at = inside.first;
    while (true) {
        uint64_t offset = inside.origin;
        int64_t element = 0;
        for (size_t k = 0; k <= last; ++k) {
            offset += static_cast<uint64_t>(at[k]) * static_cast<uint64_t>(inside.step[k]);
            element = element * data.shape[k] + at[k];
        }
        action(Row{static_cast<size_t>(element), static_cast<int64_t>(offset), inside.step[last],
                   static_cast<size_t>(inside.end[last] - inside.first[last])});
        size_t axis = last;
        while (axis > 0 && ++at[axis - 1] == inside.end[axis - 1]) {
            at[axis - 1] = inside.first[axis - 1];
            --axis;
        }
        if (axis == 0) return;
    }
}

void watch(Machine& machine, const Inst& inst, const TileViewData& data, const View& view, const Inside& inside,
           TouchKind kind) {
    if (view.shadow == nullptr) return;
    // A stored pack is read, changed and written as a whole.
    const int64_t pack = view.packed && kind != TouchKind::read ? pack_size(view.elem) : 1;
    for_each_row(data, inside, [&](const Row& row) {
        if (pack == 1) return watch_row(machine, inst, data.view, view, row.at, row.step, row.count, kind);
        for (size_t i = 0; i < row.count; ++i) {
            const int64_t at = row.at + static_cast<int64_t>(i) * row.step;
            const bool seen = i > 0 && (at - row.step) / pack == at / pack;
            if (!seen) watch_row(machine, inst, data.view, view, at / pack * pack, 1, static_cast<size_t>(pack), kind);
        }
    });
}

// A store of packed elements along rows begins at a byte of its own.
bool begins_at_bytes(Machine& machine, const Inst& inst, const TileViewData& data, const View& view) {
    if (!view.packed || data.axes.back() + 1 != static_cast<int64_t>(view.rank)) return true;
    const int64_t first = machine.at<int64_t>(data.starts[view.rank - 1]);
    if (first % pack_size(view.elem) == 0) return true;
    machine.fail(inst, fmt::format("a view of '{}' that is written begins at element {} of its rows, which has no byte "
                                   "of its own, by {}",
                                   machine.program->views[data.view].name, first, machine.who(std::nullopt)));
    return false;
}

void load_row(const Machine& machine, const TileViewData& data, const View& view, const Row& row) {
    uint8_t* to = machine.bytes(data.tile) + row.element * data.size;
    const uint8_t* from = view.data + row.at * static_cast<int64_t>(data.size);
    if (view.packed) {
        for (size_t i = 0; i < row.count; ++i) {
            to[i] = load_packed(view.elem, view.data, row.at + static_cast<int64_t>(i) * row.step);
        }
    } else if (row.step == 1) {
        std::memcpy(to, from, row.count * data.size);
    } else {
        machine.ops->copy_strided(to, 1, from, row.step, data.size, row.count);
    }
}

void store_row(const Machine& machine, const TileViewData& data, const View& view, const Row& row) {
    const uint8_t* from = machine.bytes(data.tile) + row.element * data.size;
    uint8_t* to = view.data + row.at * static_cast<int64_t>(data.size);
    if (view.packed) {
        for (size_t i = 0; i < row.count; ++i) {
            store_packed(view.elem, view.data, row.at + static_cast<int64_t>(i) * row.step, from[i]);
        }
    } else if (row.step == 1) {
        std::memcpy(to, from, row.count * data.size);
    } else {
        machine.ops->copy_strided(to, row.step, from, 1, data.size, row.count);
    }
}

// new = combine(old, value); no two elements of a tile are one element of the memory.
void combine_row(const Machine& machine, const TileViewData& data, const View& view, const Row& row) {
    const uint8_t* value = machine.bytes(data.tile) + row.element * data.size;
    uint8_t* to = view.data + row.at * static_cast<int64_t>(data.size);
    if (row.step == 1) return data.combine(to, to, value, nullptr, row.count);
    for (size_t i = 0; i < row.count; ++i, value += data.size, to += row.step * static_cast<int64_t>(data.size)) {
        data.combine(to, to, value, nullptr, 1);
    }
}

}  // namespace

const Inst* load_tile(Machine& machine, const Inst& inst) {
    const TileViewData& data = machine.program->tiles.views[inst.data];
    const View& view = machine.views[data.view];
    const Inside inside = inside_of(machine, data, view);
    watch(machine, inst, data, view, inside, TouchKind::read);
    if (!inside.whole) {
        machine.ops->fill(data.size)(machine.bytes(data.tile), machine.bytes(data.fill), nullptr, nullptr,
                                     data.elements);
    }
    for_each_row(data, inside, [&](const Row& row) { load_row(machine, data, view, row); });
    return next(inst);
}

const Inst* store_tile(Machine& machine, const Inst& inst) {
    const TileViewData& data = machine.program->tiles.views[inst.data];
    const View& view = machine.views[data.view];
    if (!begins_at_bytes(machine, inst, data, view)) return nullptr;
    const Inside inside = inside_of(machine, data, view);
    watch(machine, inst, data, view, inside, TouchKind::write);
    for_each_row(data, inside, [&](const Row& row) { store_row(machine, data, view, row); });
    return next(inst);
}

const Inst* atomic_tile(Machine& machine, const Inst& inst) {
    const TileViewData& data = machine.program->tiles.views[inst.data];
    const View& view = machine.views[data.view];
    const Inside inside = inside_of(machine, data, view);
    watch(machine, inst, data, view, inside, TouchKind::atomic);
    for_each_row(data, inside, [&](const Row& row) {
        if (data.combine == nullptr)
            store_row(machine, data, view, row);
        else
            combine_row(machine, data, view, row);
    });
    return next(inst);
}

}  // namespace tsr::ir::eval::steps
