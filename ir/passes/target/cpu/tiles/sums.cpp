// Products, and the sums of products that loops carry.
#include <algorithm>

#include "ir/ops/control.h"
#include "ir/ops/register.h"
#include "ir/passes/target/cpu/tiles/code.h"
#include "ir/passes/target/cpu/tiles/sums_from_zero.h"

namespace tsr::ir {

// The sum goes on in the home of what it starts with, where nothing else needs that.
void TileCode::product(OpId id) {
    const MmaOp op(s_.tile, id);
    const auto start = op.accumulator();
    const bool from_zero = !start || is_zero(s_.tile, *start);
    const Home& home = homes_.at(op.result());
    if (!from_zero) copy(home, homes_.at(*start), s_.tile.type(op.result()));
    ProductCode::Operands operands{homes_.at(op.a()), homes_.at(op.b()), home, from_zero, {}, {}};
    if (const auto sum = sum_of_product(s_.tile, uses_, id)) {
        const ForOp loop(s_.tile, sum->loop);
        const ValueId at = s_.scalars.at(loop.iv());
        operands.first = emit_.compare(OpKind::eq, at, s_.scalars.at(loop.lower()));
        const auto store = store_of_sum(s_.tile, uses_, *sum);
        if (store && stored_by_sums_.contains(*store)) {
            const ValueId next = emit_.add(at, s_.scalars.at(loop.step()));
            const ValueId last = emit_.compare(OpKind::ge, next, s_.scalars.at(loop.upper()));
            operands.stored = stored_at(*store);
            operands.stored.when = emit_.binary(OpKind::bit_and, stored_by_sums_.at(*store), last);
        }
    }
    products_.add(op, operands);
}

ProductCode::Stored TileCode::stored_at(OpId store) {
    const TileViewOp view(s_.tile, store);
    const Memory& memory = s_.memories.at(view.memory());
    std::vector<ValueId> starts;
    for (ValueId start : view.starts()) starts.push_back(emit_.cast(s_.scalars.at(start), DType::index));
    ValueId row = emit_.integer(1);
    for (auto axis = static_cast<size_t>(view.axes()[0]) + 1; axis < memory.dims.size(); ++axis)
        row = emit_.mul(row, memory.dims[axis]);
    return {{}, s_.address(memory, starts), row};
}

bool TileCode::begins_sum(OpId zeros) const {
    const Op& op = s_.tile.op(zeros);
    if (op.kind != OpKind::expand) return false;
    const auto& users = uses_.of(op.results[0]);
    return sum_of_zeros(s_.tile, uses_, op.results[0]).has_value() ||
           (users.size() == 1 && s_.tile.op(users.front()).parent == op.parent && sums_in_nest(users.front()));
}

Home TileCode::begin_sum(ValueId zeros, ValueId no_steps) {
    const Home home = new_home(s_.tile.type(zeros), s_.tile.value(zeros).name);
    set_home(zeros, home);
    s_.when(no_steps, [&] {
        add(s_.tile.value(zeros).op);
        flush();
    });
    const LoopSum sum = *sum_of_zeros(s_.tile, uses_, zeros);
    if (const auto store = store_of_sum(s_.tile, uses_, sum)) let_sum_store(sum, *store, no_steps);
    return home;
}

// Where all of the view is inside of its memory, and its lines are to stay in the caches.
void TileCode::let_sum_store(LoopSum sum, OpId store, ValueId no_steps) {
    const TileViewOp view(s_.tile, store);
    const MmaOp product(s_.tile, *sum_from_zero(s_.tile, uses_, sum));
    auto known = [&](ValueId start) {
        if (s_.scalars.contains(start)) return true;
        const auto constant = defined_by(s_.tile, start, OpKind::constant);
        return constant && s_.scalar_operation(s_.tile.op(*constant));
    };
    if (!std::ranges::all_of(view.starts(), known)) return;
    if (s_.memories.at(view.memory()).packed || !products_.fills_vectors(product)) return;
    ValueId lets = emit_.select(no_steps, emit_.boolean(false), all_inside({store}));
    if (may_pass_caches(store, extents(s_.tile.type(view.value())).back()))
        lets = emit_.select(pass_caches({store}), emit_.boolean(false), lets);
    stored_by_sums_[store] = lets;
}

void TileCode::store_what_sums_do_not(OpId store) {
    flush();
    emit_.either(
        stored_by_sums_.at(store), [] {},
        [&] {
            add(store);
            flush();
        });
}

}  // namespace tsr::ir
