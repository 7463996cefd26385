// Products of register tiles by the matrix instructions of warps: each warp multiplies fragments
// (ir/machine/fragments.h).
#include <numeric>

#include "ir/passes/target/cpu/tiles/uses.h"
#include "ir/passes/target/gpu/tiles/code.h"

namespace tsr::ir {

// The part of an operand that this thread gives to the warp's product. A shared buffer is read where it is wanted.
ThreadTiles::Registers ThreadTiles::operand(ValueId value, bool transposed, const Layout& wanted) {
    const std::vector<size_t> turn{1, 0};
    if (!is_tile(code_.tile, value)) {
        const Layout lies = transposed ? wanted.permuted(turn) : wanted;
        const Registers loaded = load_buffer(value, lies);
        if (!transposed) return loaded;
        Registers out;
        for (int64_t r : lies.registers_permuted(turn)) out.push_back(loaded[static_cast<size_t>(r)]);
        return out;
    }
    if (!transposed) return in(value, wanted);
    const Layout& from = layout(value);
    Registers turned;
    for (int64_t r : from.registers_permuted(turn)) turned.push_back(code_.parts.at(value)[static_cast<size_t>(r)]);
    return convert(turned, from.permuted(turn), wanted, elem(value));
}

// What an operand has beyond the inner extent adds nothing.
void ThreadTiles::clear_beyond(Registers& values, const Layout& lies, size_t inner, DType type) {
    for (int64_t r = 0; r < lies.size(); ++r) {
        const Beyond beyond = beyond_end(lies, inner, r);
        ValueId& value = values[static_cast<size_t>(r)];
        if (beyond.always) {
            value = zero(type);
        } else if (beyond.inside.valid()) {
            value = emit_.select(beyond.inside, value, zero(type));
        }
    }
}

// Registers of one atom as a vector.
ValueId ThreadTiles::fragment_of(const Registers& values, const Layout& lies, int64_t row, int64_t column) {
    const int64_t first = (row * lies.repeat[1] + column) * lies.atom_size();
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(first);
    return vector({begin, begin + static_cast<std::ptrdiff_t>(lies.atom_size())});
}

void ThreadTiles::product(OpId id) {
    const MmaOp op(code_.tile, id);
    const ValueId result = code_.tile.op(id).results[0];
    if (!layouts_.products.contains(id)) return thread_product(id);
    const ProductPlan& plan = layouts_.products.at(id);
    const Coordinates shape = extents(code_.tile.type(result));
    const Type& of_a = code_.tile.type(op.a());
    const int64_t depth = of_a.shape[op.a_transposed() ? 0 : 1].constant_value().value_or(1);
    const Layout a = Layout::covering({shape[0], depth}, operand_atom(plan, Operand::a));
    const Layout b = Layout::covering({depth, shape[1]}, operand_atom(plan, Operand::b));
    const Layout c = Layout::covering(shape, operand_atom(plan, Operand::accumulator));
    Registers of_rows = operand(op.a(), op.a_transposed(), a), of_columns = operand(op.b(), op.b_transposed(), b);
    clear_beyond(of_rows, a, 1, of_a.elem);
    clear_beyond(of_columns, b, 0, of_a.elem);
    const DType type = op.accumulates();
    const auto before = op.accumulator();
    const Registers start = before ? in(*before, c) : Registers(static_cast<size_t>(c.size()), zero(type));
    Registers sums;
    for (int64_t row = 0; row < c.repeat[0]; ++row) {
        for (int64_t column = 0; column < c.repeat[1]; ++column) sums.push_back(fragment_of(start, c, row, column));
    }
    const Attrs attrs{{Attr::type, type},
                      {Attr::axes, std::vector<int64_t>{plan.product.rows, plan.product.columns, plan.product.inner}}};
    for (int64_t k = 0; k < a.repeat[1]; ++k) {
        Registers rows;
        for (int64_t row = 0; row < c.repeat[0]; ++row) rows.push_back(fragment_of(of_rows, a, row, k));
        for (int64_t column = 0; column < c.repeat[1]; ++column) {
            const ValueId columns = fragment_of(of_columns, b, k, column);
            for (int64_t row = 0; row < c.repeat[0]; ++row) {
                ValueId& sum = sums[static_cast<size_t>(row * c.repeat[1] + column)];
                sum = emit_.op(OpKind::mma, {rows[static_cast<size_t>(row)], columns, sum}, code_.target.type(sum),
                               attrs);
            }
        }
    }
    Registers out;
    for (ValueId sum : sums) {
        for (int64_t i = 0; i < c.atom_size(); ++i) {
            out.push_back(emit_.op(OpKind::extract, {sum}, Type::scalar(type), {{Attr::axis, i}}));
        }
    }
    code_.parts[result] = convert(out, c, layout(result), type);
}

}  // namespace tsr::ir
