#include "sema/elaborate/graph_products.h"

#include <algorithm>
#include <map>
#include <optional>

#include "ir/build/products.h"
#include "ir/core/attribute.h"
#include "sema/elaborate/arguments.h"
#include "sema/elaborate/arithmetic.h"
#include "sema/elaborate/elements.h"
#include "sema/elaborate/graph_movements.h"
#include "sema/elaborate/recursion.h"
#include "sema/elaborate/types.h"
#include "sema/program/einsum.h"
#include "sema/types/numeric.h"

namespace tsr::elaborate {

using ir::Attr;
using ir::OpKind;
using ir::ValueId;
using sema::Static;
using Shape = std::vector<ir::Dim>;

namespace {

// A tensor with a letter for each axis.
struct Lettered {
    ValueId value;
    std::string letters;
};

bool has(const std::string& letters, char letter) { return letters.find(letter) != std::string::npos; }
bool is_one(const ir::Dim& extent) { return extent == ir::Dim::constant(1); }

Shape shape_of(Body& b, ValueId value) { return b.type_of(value).shape; }

// Axes of one element go where another tensor has more along the letter: there is one of it for each of theirs.
void leave_out_repeated(Body& b, std::vector<Lettered>& operands) {
    std::map<char, bool> is_long;
    for (const Lettered& operand : operands) {
        const Shape shape = shape_of(b, operand.value);
        for (size_t axis = 0; axis < shape.size(); ++axis) is_long[operand.letters[axis]] |= !is_one(shape[axis]);
    }
    for (Lettered& operand : operands) {
        Shape shape = shape_of(b, operand.value), kept;
        std::string letters;
        for (size_t axis = 0; axis < shape.size(); ++axis) {
            if (is_one(shape[axis]) && is_long[operand.letters[axis]]) continue;
            kept.push_back(shape[axis]);
            letters += operand.letters[axis];
        }
        if (kept.size() == shape.size()) continue;
        if (kept.empty()) {  // a number is repeated along any axis
            kept.push_back(shape[0]);
            letters = operand.letters.substr(0, 1);
        }
        operand = {reshaped(b, operand.value, kept), letters};
    }
}

// The elements whose places along two axes are the same number. Zeros are added to each, which changes none.
void take_diagonal(Body& b, Lettered& of, size_t first, size_t second) {
    const ir::Type type = b.type_of(of.value);
    const auto numbers = [&](size_t axis) {
        const ValueId along =
            b.emit.inferred(OpKind::positions, {}, {{Attr::shape, Shape{type.shape[axis]}}, {Attr::type, DType::i64}});
        return b.emit.inferred(
            OpKind::expand, {along},
            {{Attr::axes, std::vector<int64_t>{static_cast<int64_t>(axis)}}, {Attr::shape, type.shape}});
    };
    const ValueId zero =
        is_float(type.elem) ? b.emit.constant(-0.0, type.elem) : b.emit.constant(int64_t{0}, type.elem);
    const ValueId zeros = b.emit.inferred(OpKind::full, {zero}, {{Attr::shape, type.shape}});
    const ValueId same = b.emit.inferred(OpKind::eq, {numbers(first), numbers(second)});
    const ValueId kept = b.emit.inferred(OpKind::select, {same, of.value, zeros});
    of.value = b.emit.inferred(
        OpKind::reduce, {kept},
        {{Attr::op, static_cast<int64_t>(ir::ReduceOp::add)}, {Attr::axis, static_cast<int64_t>(second)}});
    of.letters.erase(second, 1);
}

void take_diagonals(Body& b, Lettered& of) {
    for (size_t i = of.letters.size(); i-- > 1;) {
        const size_t first = of.letters.find(of.letters[i]);
        if (first != i) take_diagonal(b, of, first, i);
    }
}

// One tensor: the letters that the result lacks are summed, the others put into its order.
ValueId arranged(Body& b, Lettered of, const std::string& result, DType compute) {
    for (size_t i = of.letters.size(); i-- > 0;) {
        if (has(result, of.letters[i])) continue;
        of.value = b.emit.inferred(
            OpKind::reduce, {b.emit.cast(of.value, compute)},
            {{Attr::op, static_cast<int64_t>(ir::ReduceOp::add)}, {Attr::axis, static_cast<int64_t>(i)}});
        of.letters.erase(i, 1);
    }
    if (of.letters == result) return of.value;
    std::vector<int64_t> order;
    for (char letter : result) order.push_back(static_cast<int64_t>(of.letters.find(letter)));
    return b.emit.inferred(OpKind::transpose, {of.value}, {{Attr::axes, order}});
}

// From left to right. `tf32`: the factors of products of matrices are rounded to it. `blocks`: what `tile_shape` says.
ValueId multiplied(Body& b, std::vector<Lettered> operands, const std::string& result, DType compute, bool tf32,
                   const Shape& blocks = {}) {
    const ir::MakeOperation make = [&](OpKind kind, std::vector<ValueId> values, ir::Attrs attrs) {
        return b.emit.inferred(kind, std::move(values), std::move(attrs));
    };
    leave_out_repeated(b, operands);
    Lettered all = operands.front();
    for (size_t i = 1; i < operands.size(); ++i) {
        std::string left = result;  // letters that something behind this product asks for
        for (size_t k = i + 1; k < operands.size(); ++k) left += operands[k].letters;
        std::string kept;
        for (char letter : all.letters + operands[i].letters) {
            if (has(left, letter) && !has(kept, letter)) kept += letter;
        }
        if (i + 1 == operands.size()) kept = result;
        all = {ir::sum_of_products(
                   b.function(), make,
                   {all.value, operands[i].value, all.letters, operands[i].letters, kept, compute, tf32, blocks}),
               kept};
    }
    return all.value;
}

// Casts the factors to the type that all join to, and gives it. Where there is none, they are floats or integers of at
// most 8 bits, which keep their types (numerics rule 4); then the type is the first one's.
DType bring_to_joined(Body& b, std::vector<ValueId>& factors) {
    const DType first = b.type_of(factors[0]).elem;
    std::optional<DType> joined = first;
    for (const ValueId factor : factors) joined = joined ? join(*joined, b.type_of(factor).elem) : joined;
    if (!joined) return first;
    for (ValueId& factor : factors) factor = b.emit.cast(factor, *joined);
    return *joined;
}

// Values of narrower floats are all of tf32.
bool rounds_to_tf32(const sema::Type& type, DType joined) { return type.policy().compute_tf32 && joined == DType::f32; }

}  // namespace

Val tensor_product(Body& b, const Val& lhs, const Val& rhs, DType compute, const sema::Type& type) {
    std::vector<ValueId> factors{b.rounded(lhs).id, b.rounded(rhs).id};
    const DType joined = bring_to_joined(b, factors);
    const size_t l_rank = b.type_of(factors[0]).rank(), r_rank = b.type_of(factors[1]).rank();
    // Batch axes meet from the last.
    std::string batch;
    for (size_t i = std::max({l_rank, r_rank, size_t{2}}) - 2; i > 0; --i) batch += static_cast<char>('a' + i - 1);
    const auto letters = [&](size_t rank, const char* vector, const char* matrix) {
        return rank == 1 ? std::string(vector) : batch.substr(batch.size() - (rank - 2)) + matrix;
    };
    const std::string result = batch + (l_rank > 1 ? "X" : "") + (r_rank > 1 ? "Y" : "");
    return Val::ssa(multiplied(b, {{factors[0], letters(l_rank, "Z", "XZ")}, {factors[1], letters(r_rank, "Z", "ZY")}},
                               result, compute, rounds_to_tf32(type, joined)),
                    type.elem());
}

Val einsum(Body& b, const ast::Expr& e, const sema::CallInfo& info) {
    std::vector<ValueId> values;
    std::vector<size_t> ranks;
    for (const ast::ExprId id : info.rest) {
        values.push_back(b.rounded(expression(b, *b.expr(id))).id);
        ranks.push_back(b.type_of(values.back()).rank());
    }
    sema::EinsumText text;
    sema::read_einsum(*b.info(*argument(b, info, 0)).value->string(), ranks, text);
    const At at(b.emit, e.span);
    const sema::Type& type = b.info(e).type;
    const DType joined = bring_to_joined(b, values);
    std::vector<Lettered> operands;
    for (size_t i = 0; i < values.size(); ++i) {
        operands.push_back({values[i], text.operands[i]});
        take_diagonals(b, operands.back());
    }
    const DType compute = compute_of(b, e);
    Shape blocks;
    if (const ast::Expr* asked = argument(b, info, 2)) {
        if (const auto* sizes = b.info(*asked).value->tuple()) {
            for (const Static& size : *sizes) blocks.push_back(ir::Dim::constant(*size.integer()));
        }
    }
    const ValueId made = operands.size() == 1
                             ? arranged(b, operands.front(), text.result, compute)
                             : multiplied(b, operands, text.result, compute, rounds_to_tf32(type, joined), blocks);
    return Val::ssa(made, type.elem());
}

}  // namespace tsr::elaborate
