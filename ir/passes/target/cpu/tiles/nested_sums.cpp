// The code of sums of products through several loops: each panel of the accumulator goes through all of them.
#include "ir/ops/control.h"
#include "ir/ops/register.h"
#include "ir/passes/target/cpu/tiles/code.h"
#include "ir/passes/target/cpu/tiles/nested_products.h"

namespace tsr::ir {

bool TileCode::sums_in_nest(OpId loop) const {
    const auto product = product_of_nest(s_.tile, uses_, loop);
    if (!product || !s_.tile.op(*product).attrs.has(Attr::masked)) return false;
    const ValueId a = MmaOp(s_.tile, *product).a();
    const TileViewOp view(s_.tile, *load_of_operand(s_.tile, uses_, a));
    return view.result() == a && is_packed_operand(view.memory());
}

void TileCode::sum_nest(OpId loop) {
    const MmaOp product(s_.tile, *product_of_nest(s_.tile, uses_, loop));
    const ValueId result = s_.tile.op(loop).results[0];
    homes_[result] = new_home(s_.tile.type(result), s_.tile.value(result).name);
    products_.sum(product, homes_.at(result), [&](const Panel& panel, ValueId row, ValueId column, Vectors& sums) {
        nest_loop(loop, {product, panel, row, column}, sums);
    });
}

void TileCode::nest_loop(OpId id, const PanelOfNest& of, Vectors& sums) {
    const ForOp loop(s_.tile, id);
    const int64_t step = *constant_integer(s_.tile, loop.step());
    emit_.place = loop.op().place;
    emit_.carrying_loop(s_.scalars.at(loop.lower()), s_.scalars.at(loop.upper()), step, sums, [&](ValueId at) {
        s_.scalars[loop.iv()] = at;
        nest_region(loop.body(), of, sums);
    });
}

void TileCode::nest_region(RegionId region, const PanelOfNest& of, Vectors& sums) {
    for (OpId id : s_.tile.region(region).ops) {
        const Op& op = s_.tile.op(id);
        const bool on_tiles = !op.results.empty() && is_tile(s_.tile, op.results[0]);
        if (id == of.product.id) {
            nest_product(of, sums);
        } else if (op.kind == OpKind::for_) {
            nest_loop(id, of, sums);
        } else if (op.kind == OpKind::if_) {
            const IfOp branch(s_.tile, id);
            Vectors before = sums;
            const std::vector<Type> types(sums.size(), s_.target.type(sums.front()));
            auto then = [&] {
                nest_region(branch.then(), of, sums);
                return sums;
            };
            sums = emit_.either(s_.scalars.at(branch.condition()), types, then, [&] { return before; });
        } else if (op.kind != OpKind::yield && !on_tiles) {
            s_.scalar_operation(op);
        }
    }
}

// The rows of the second operand are read where they lie: each vector of them is multiplied by a whole panel of rows.
void TileCode::nest_product(const PanelOfNest& of, Vectors& sums) {
    const MmaOp& product = of.product;
    const TileViewOp a_view(s_.tile, *load_of_operand(s_.tile, uses_, product.a()));
    std::vector<ValueId> starts;
    for (ValueId start : a_view.starts()) starts.push_back(s_.scalars.at(start));
    const Home a{s_.address(s_.memories.at(a_view.memory()), starts),
                 home_strides(s_.tile.type(a_view.result()), width_)};

    const TileViewOp view(s_.tile, *load_of_operand(s_.tile, uses_, product.b()));
    const Memory& memory = s_.memories.at(view.memory());
    const auto along = static_cast<size_t>(view.axes()[0]), last = static_cast<size_t>(view.axes()[1]);
    std::vector<ValueId> indices;
    for (ValueId start : view.starts()) indices.push_back(emit_.cast(s_.scalars.at(start), DType::index));
    indices[last] = emit_.add(indices[last], of.column);
    const ValueId none = emit_.integer(0), columns = emit_.integer(of.panel.columns());
    ValueId row_inside = emit_.boolean(true);
    for (size_t axis = 0; axis < last; ++axis) {
        if (axis == along) continue;
        const ValueId from = emit_.compare(OpKind::ge, indices[axis], none);
        const ValueId to = emit_.compare(OpKind::lt, indices[axis], memory.extent(axis));
        row_inside = emit_.binary(OpKind::bit_and, row_inside, emit_.binary(OpKind::bit_and, from, to));
    }
    const ValueId first_inside = emit_.compare(OpKind::ge, indices[last], none);
    const ValueId room = emit_.binary(OpKind::sub, memory.extent(last), columns);
    const ValueId all_inside = emit_.binary(OpKind::bit_and, emit_.binary(OpKind::bit_and, row_inside, first_inside),
                                            emit_.compare(OpKind::le, indices[last], room));
    ValueId distance = emit_.integer(1);
    for (size_t axis = along + 1; axis <= last; ++axis) distance = emit_.mul(distance, memory.dims[axis]);

    const std::vector<Type> types(sums.size(), s_.target.type(sums.front()));
    const Vectors before = sums;
    auto whole = [&] {
        Vectors next = before;
        products_.add_rows(product, of.panel, of.row, a, {s_.address(memory, indices), distance, {}}, next);
        return next;
    };
    // Of what lies outside nothing is read: where that is all, from an address that is there.
    auto clipped = [&] {
        auto within = [&](ValueId bound) {
            return emit_.binary(OpKind::minimum, emit_.binary(OpKind::maximum, bound, none), columns);
        };
        const ValueId lower = within(emit_.binary(OpKind::sub, none, indices[last]));
        const ValueId end = within(emit_.binary(OpKind::sub, memory.extent(last), indices[last]));
        const ValueId some = emit_.binary(OpKind::bit_and, row_inside, emit_.compare(OpKind::lt, lower, end));
        const ValueId upper = emit_.select(some, end, none);
        std::vector<ValueId> there = indices;
        for (size_t axis = 0; axis <= last; ++axis) {
            if (axis != along) there[axis] = emit_.select(some, indices[axis], none);
        }
        std::vector<ValueId> masks;
        const int64_t elements = of.panel.elements;
        for (int64_t v = 0; v < of.panel.vectors; ++v) {
            const ValueId lanes = emit_.binary(OpKind::add, emit_.iota(elements, DType::i32),
                                               emit_.splat(emit_.integer(v * elements, DType::i32), elements));
            auto bound = [&](ValueId at) { return emit_.splat(emit_.cast(at, DType::i32), elements); };
            masks.push_back(emit_.binary(OpKind::bit_and, emit_.compare(OpKind::ge, lanes, bound(lower)),
                                         emit_.compare(OpKind::lt, lanes, bound(upper))));
        }
        Vectors next = before;
        products_.add_rows(product, of.panel, of.row, a, {s_.address(memory, there), distance, masks}, next);
        return next;
    };
    sums = emit_.either(all_inside, types, whole, clipped);
}

}  // namespace tsr::ir
