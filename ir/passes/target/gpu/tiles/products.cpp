// Products of register tiles by the matrix instructions of warps: each warp multiplies fragments
// (ir/machine/fragments.h).
#include "ir/passes/target/gpu/tiles/part.h"

namespace tsr::ir {

// The part of an operand that this thread gives to the warp's product. A shared buffer is read where it is wanted.
ThreadTiles::Registers ThreadTiles::operand(ValueId value, bool transposed, const Layout& wanted) {
    const std::vector<size_t> turn{1, 0};
    if (!is_tile(code_.tile, value)) {
        const Layout lies = transposed ? wanted.permuted(turn) : wanted;
        Registers loaded = load_buffer(value, lies);
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
            value = emit_.zero(type);
        } else if (beyond.inside.valid()) {
            value = emit_.select(beyond.inside, value, emit_.zero(type));
        }
    }
}

// Registers of one atom as a vector.
ValueId ThreadTiles::fragment_of(const Registers& values, const Layout& lies, int64_t row, int64_t column) {
    const int64_t first = (row * lies.repeat[1] + column) * lies.atom_size();
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(first);
    return vector({begin, begin + static_cast<std::ptrdiff_t>(lies.atom_size())});
}

// Operands that the product does not multiply as they are stay narrow until a step wants them.
ValueId ThreadTiles::multiplied(ValueId fragment, DType input) {
    return emit_.element_type(fragment) == input ? fragment : emit_.cast(fragment, input);
}

// Where an operand is when the product begins.
ThreadTiles::Part ThreadTiles::part(ValueId value, bool transposed, Operand operand, const ProductPlan& plan,
                                    const Coordinates& shape) {
    const Layout lies = Layout::covering(shape, operand_atom(plan, operand));
    if (auto found = matrices(value, transposed, operand, plan, lies)) return *found;
    Part out;
    out.operand = operand;
    out.input = plan.product.input;
    out.layout = lies;
    out.turned = transposed;
    if (reads_by_steps(value, operand, lies)) {
        out.buffer = value;
    } else {
        out.registers = kept(value, transposed, operand, lies);
    }
    return out;
}

// In fragments, of what stands before the loop that wants it once for all rounds.
ThreadTiles::Registers ThreadTiles::kept(ValueId value, bool transposed, Operand operand, const Layout& lies) {
    for (const Kept& k : kept_) {
        if (k.value == value && k.transposed == transposed && k.operand == operand && k.lies == lies)
            return k.registers;
    }
    Registers registers = this->operand(value, transposed, lies);
    clear_beyond(registers, lies, operand == Operand::a ? 1 : 0, elem(value));
    return registers;
}

// Called when a tile is made: products of other regions find it converted.
void ThreadTiles::keep_for_products(ValueId tile) {
    const RegionId here = code_.tile.op(code_.tile.value(tile).op).parent;
    for (OpId user : uses_.of(tile)) {
        if (!layouts_.products.contains(user) || code_.tile.op(user).parent == here) continue;
        const MmaOp op(code_.tile, user);
        const ProductPlan& plan = layouts_.products.at(user);
        const Coordinates shape = extents(code_.tile.type(tile));
        for (Operand operand : {Operand::a, Operand::b}) {
            const bool transposed = operand == Operand::a ? op.a_transposed() : op.b_transposed();
            if ((operand == Operand::a ? op.a() : op.b()) != tile) continue;
            const Coordinates seen = transposed ? Coordinates{shape[1], shape[0]} : shape;
            const Layout lies = Layout::covering(seen, operand_atom(plan, operand));
            kept_.push_back({tile, transposed, operand, lies, kept(tile, transposed, operand, lies)});
        }
    }
}

// Of one step along the inner axis: of atom number `atom` along the other one, and of those behind it that come with
// it.
ThreadTiles::Registers ThreadTiles::fragments(Part& part, int64_t atom, int64_t k) {
    const bool of_a = part.operand == Operand::a;
    if (part.buffer.valid())
        return {multiplied(vector(load_fragment(part, of_a ? atom : k, of_a ? k : atom)), part.input)};
    if (part.registers.empty()) return load_matrices(part, atom, k, !of_a && atom + 1 < part.layout.repeat[1]);
    return {multiplied(fragment_of(part.registers, part.layout, of_a ? atom : k, of_a ? k : atom), part.input)};
}

void ThreadTiles::product(OpId id) {
    const MmaOp op(code_.tile, id);
    const ValueId result = code_.tile.op(id).results[0];
    if (!layouts_.products.contains(id)) return thread_product(id);
    const ProductPlan& plan = layouts_.products.at(id);
    if (plan.group != GroupOperand::none) return group_product(id);
    const Coordinates shape = extents(code_.tile.type(result));
    const Type& of_a = code_.tile.type(op.a());
    const int64_t depth = of_a.shape[op.a_transposed() ? 0 : 1].constant_value().value_or(1);
    const Layout c = Layout::covering(shape, operand_atom(plan, Operand::accumulator));
    Part a = part(op.a(), op.a_transposed(), Operand::a, plan, {shape[0], depth});
    Part b = part(op.b(), op.b_transposed(), Operand::b, plan, {depth, shape[1]});
    const DType type = op.accumulates();
    const auto before = op.accumulator();
    const Registers start = before ? in(*before, c) : Registers(static_cast<size_t>(c.size()), emit_.zero(type));
    Registers sums;
    for (int64_t row = 0; row < c.repeat[0]; ++row) {
        for (int64_t column = 0; column < c.repeat[1]; ++column) sums.push_back(fragment_of(start, c, row, column));
    }
    const Attrs attrs{
        {Attr::type, type},
        {Attr::extents, std::vector<int64_t>{plan.product.rows, plan.product.columns, plan.product.inner}}};
    for (int64_t k = 0; k < a.layout.repeat[1]; ++k) {
        Registers rows;
        for (int64_t row = 0; row < c.repeat[0]; ++row) rows.push_back(fragments(a, row, k)[0]);
        for (int64_t column = 0; column < c.repeat[1];) {
            for (ValueId columns : fragments(b, column, k)) {
                for (size_t row = 0; row < rows.size(); ++row) {
                    ValueId& sum = sums[row * static_cast<size_t>(c.repeat[1]) + static_cast<size_t>(column)];
                    sum = emit_.op(OpKind::warp_mma, {rows[row], columns, sum}, attrs);
                }
                ++column;
            }
        }
    }
    Registers out;
    for (ValueId sum : sums) {
        for (int64_t i = 0; i < c.atom_size(); ++i) {
            out.push_back(emit_.op(OpKind::extract, {sum}, {{Attr::axis, i}}));
        }
    }
    code_.parts[result] = convert(out, c, layout(result), type);
}

}  // namespace tsr::ir
