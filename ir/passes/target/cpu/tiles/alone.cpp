// Operations on register tiles with loops of their own.
#include <algorithm>

#include "ir/ops/reduction.h"
#include "ir/ops/register.h"
#include "ir/passes/target/cpu/tiles/code.h"

namespace tsr::ir {

void TileCode::alone(OpId id) {
    emit_.place = s_.tile.op(id).place;
    switch (s_.tile.op(id).kind) {
        case OpKind::mma:
        case OpKind::mma_words:
            return product(id);
        case OpKind::scan:
            return scan(id);
        default:
            return atomic(id);
    }
}

// Along the last axis element after element, along another row after row.
void TileCode::scan(OpId id) {
    const AlongOp op(s_.tile, id);
    const auto shape = extents(s_.tile.type(op.value()));
    const auto axis = static_cast<size_t>(op.axis());
    const DType elem = s_.tile.type(op.value()).elem;
    const Home& from = homes_.at(op.value());
    const Home& to = homes_.at(op.result());
    auto combined = [&](ValueId a, ValueId b) { return emit_.binary(combining(op.what()), a, b); };
    Coordinates at(shape.size());
    auto along = [&] {
        at[axis].at = emit_.integer(0);
        const ValueId first = load_home(from, elem, at);
        store_home(to, first, at);
        std::vector<ValueId> sum{first};
        emit_.carrying_loop(emit_.integer(1), emit_.integer(shape[axis]), 1, sum, [&](ValueId index) {
            at[axis].at = index;
            sum[0] = combined(sum[0], load_home(from, elem, at));
            store_home(to, sum[0], at);
        });
    };
    auto others = [&](auto&& self, size_t i) -> void {
        if (i == shape.size()) return along();
        if (i == axis) return self(self, i + 1);
        const bool columns = i + 1 == shape.size();
        at[i].column = columns;
        s_.counted_loop(shape[i], columns ? width_ : 1, [&](ValueId number) {
            at[i].at = number;
            self(self, i + 1);
        });
    };
    others(others, 0);
}

void TileCode::atomic(OpId id) {
    const TileViewOp view(s_.tile, id);
    const auto shape = extents(s_.tile.type(view.value()));
    const DType elem = s_.tile.type(view.value()).elem;
    Coordinates at(shape.size());
    clipped_ = true;
    auto one = [&] {
        row_region_ = emit_.region;
        row_values_.clear();
        const ValueId in = inside(id, at);
        const RegionId outside = emit_.region;
        const OpId choice = emit_.open(OpKind::if_, {in}, {});
        emit_.region = emit_.add_region(choice);
        emit_.op(OpKind::atomic_rmw, {place(id, at).pointer, load_home(homes_.at(view.value()), elem, at)},
                 Type::scalar(elem), {{Attr::op, static_cast<int64_t>(view.what())}});
        emit_.yield({});
        emit_.region = emit_.add_region(choice);
        emit_.yield({});
        emit_.close(choice, outside);
    };
    auto axes = [&](auto&& self, size_t i) -> void {
        if (i == shape.size()) return one();
        s_.counted_loop(shape[i], 1, [&](ValueId number) {
            at[i] = {number};
            self(self, i + 1);
        });
    };
    axes(axes, 0);
    clipped_ = false;
}

}  // namespace tsr::ir
