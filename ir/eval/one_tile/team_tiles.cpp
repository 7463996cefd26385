// Register tiles: values of the group, made by all of its tiles together.
#include <algorithm>

#include <fmt/format.h>

#include "ir/eval/one_tile/team.h"
#include "ir/eval/tile_operations.h"
#include "ir/ops/effects.h"
#include "ir/ops/reduction.h"
#include "ir/ops/register.h"

namespace tsr::ir::eval::one_tile {

namespace {

// Static, and at least 1.
size_t extent(const Type& type, size_t axis) {
    return static_cast<size_t>(std::max<int64_t>(type.shape[axis].constant_value().value_or(1), 1));
}

// The index along each axis of one element of a tile after the other, in the order of the tile.
class IndexWalk {
public:
    explicit IndexWalk(const Type& tile) : at_(tile.rank(), 0) {
        for (size_t k = 0; k < tile.rank(); ++k) extents_.push_back(extent(tile, k));
    }
    [[nodiscard]] const std::vector<size_t>& at() const { return at_; }
    void next() {
        for (size_t k = at_.size(); k-- > 0;) {
            if (++at_[k] < extents_[k]) return;
            at_[k] = 0;
        }
    }

private:
    std::vector<size_t> at_, extents_;
};

// Elements of the tile from one position along the axis to the next.
size_t step_along(const Type& tile, size_t axis) {
    size_t step = 1;
    for (size_t k = axis + 1; k < tile.rank(); ++k) step *= extent(tile, k);
    return step;
}

}  // namespace

bool Team::tiles(OpId id, const Op& op, const Mask& mask) {
    if (!is_of_register_tiles(kernel_, op)) return false;
    need_all(id, mask);
    if (!kTileWayOf.has(op.kind)) return false;
    switch (kTileWayOf[op.kind].way) {
        case TileWay::view:
            view(id);
            return true;
        case TileWay::expand:
            expand(id);
            return true;
        case TileWay::iota:
            iota(id);
            return true;
        case TileWay::transpose:
        case TileWay::move:
            move_elements(op);
            return true;
        case TileWay::reduce:
            along(id, false);
            return true;
        case TileWay::scan:
            along(id, true);
            return true;
        case TileWay::product:
            product(id);
            return true;
        case TileWay::made_later:
            break;
    }
    return false;
}

// Loads, stores and atomics of views; what lies outside of the memory is 0, or `fill`, or left out.
void Team::view(OpId id) {
    const TileViewOp view(kernel_, id);
    const Handle at = handle(view.memory());
    const ValueId tile = view.loads() ? view.result() : view.value();
    const Type& shape = type(tile);
    std::vector<int64_t> start;
    for (ValueId v : view.starts()) {
        const auto number = static_cast<int64_t>(one(v));
        start.push_back(type(v).elem == DType::u64 ? std::max<int64_t>(number, 0) + (number < 0 ? INT64_MAX : 0)
                                                   : number);
    }
    const bool rows = !view.axes().empty() && view.axes().back() + 1 == static_cast<int64_t>(start.size());
    if (!view.loads() && at.memory->is_packed() && rows && start.back() % pack_size(at.memory->elem()) != 0) {
        stop(kernel_, id,
             fmt::format("a view of '{}' that is written begins at element {} of its rows, which has no byte of its "
                         "own, by {}",
                         at.memory->name(), start.back(), who(std::nullopt)));
    }
    if (kernel_.op(id).kind == OpKind::atomic_tile && at.memory->is_packed())
        stop(kernel_, id, fmt::format("there is no such atomic on {}", tsr::name(at.memory->elem())));
    std::vector<Bits>& bits = view.loads() ? make(tile) : cells_[tile.index].bits;
    const Bits fill = view.loads() && view.fill() ? one(*view.fill()) : 0;
    std::vector<int64_t> index = start;
    IndexWalk walk(shape);
    for (size_t element = 0; element < bits.size(); ++element, walk.next()) {
        for (size_t k = 0; k < shape.rank(); ++k) {
            const auto axis = static_cast<size_t>(view.axes()[k]);
            index[axis] = static_cast<int64_t>(static_cast<uint64_t>(start[axis]) + walk.at()[k]);
        }
        const auto there = at.memory->find(index);
        if (view.loads()) {
            bits[element] = there ? at.get(*there) : fill;
            continue;
        }
        if (!there) continue;
        if (kernel_.op(id).kind == OpKind::store_tile)
            at.set(*there, bits[element]);
        else
            at.set(*there, combined(view.what(), at.memory->elem(), at.get(*there), bits[element]));
    }
}

void Team::expand(OpId id) {
    const ExpandOp expand(kernel_, id);
    const Type& from = type(expand.value());
    const Type& to = type(expand.result());
    std::vector<Bits> bits(parts(expand.result()));
    IndexWalk walk(to);
    for (size_t element = 0; element < bits.size(); ++element, walk.next()) {
        size_t source = 0;
        for (size_t k = 0; k < from.rank(); ++k) {
            const size_t own = extent(from, k);
            source = source * own + (own == 1 ? 0 : walk.at()[static_cast<size_t>(expand.axes()[k])]);
        }
        bits[element] = cells_[expand.value().index].bits[source];
    }
    make(expand.result()) = std::move(bits);
}

void Team::iota(OpId id) {
    const Op& op = kernel_.op(id);
    const auto axis = static_cast<size_t>(op.attrs.integer(Attr::axis));
    std::vector<Bits>& bits = make(op.results[0]);
    IndexWalk walk(type(op.results[0]));
    for (size_t element = 0; element < bits.size(); ++element, walk.next()) bits[element] = walk.at()[axis];
}

void Team::move_elements(const Op& op) {
    const std::vector<Bits> given = cells_[op.operands.front().index].bits;
    std::vector<Bits>& bits = make(op.results[0]);
    size_t element = 0;
    for (const uint32_t source : sources(kernel_, op)) bits[element++] = given[source];
}

// In the order of the axis.
void Team::along(OpId id, bool scans) {
    const AlongOp along(kernel_, id);
    const Type& from = type(along.value());
    const std::vector<Bits> given = cells_[along.value().index].bits;
    const auto axis = static_cast<size_t>(along.axis());
    const OpKind combine = combining(along.what());
    const size_t step = step_along(from, axis);
    const size_t length = extent(from, axis);
    std::vector<Bits>& bits = make(along.result());
    for (size_t element = 0; element < given.size(); ++element) {
        const size_t at = element / step % length;
        Bits& target = bits[scans ? element : element / (step * length) * step + element % step];
        if (at == 0)
            target = given[element];
        else
            target = exactly(combine, from.elem, scans ? bits[element - step] : target, given[element]);
    }
}

}  // namespace tsr::ir::eval::one_tile
