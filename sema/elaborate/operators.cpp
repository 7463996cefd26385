#include "sema/elaborate/operators.h"

#include "sema/elaborate/arithmetic.h"
#include "sema/elaborate/choices.h"
#include "sema/elaborate/containers.h"
#include "sema/elaborate/dimensions.h"
#include "sema/elaborate/graph_products.h"
#include "sema/elaborate/recursion.h"
#include "sema/elaborate/tiles.h"
#include "sema/elaborate/types.h"
#include "sema/types/fold.h"

namespace tsr::elaborate {

using ast::BinaryOp;
using ir::OpKind;
using sema::Static;

namespace {

bool is_sequence_type(const sema::Type& type) {
    return type.is(sema::Kind::string) || type.is(sema::Kind::list) || type.is(sema::Kind::tuple);
}

const ast::Binary* as_product(Body& b, const ast::Expr& e, DType compute) {
    const auto* node = std::get_if<ast::Binary>(&e.node);
    if (!node || node->op != BinaryOp::mul) return nullptr;
    const sema::ExprInfo& info = b.info(e);
    if (info.value || !b.computed_dtype(info.type) || !is_float(info.type.elem())) return nullptr;
    return compute_of(b, e) == compute ? node : nullptr;
}

struct Factors {
    Val one, other;
    [[nodiscard]] bool both_static() const { return one.is_fixed() && other.is_fixed(); }
};

Factors factors(Body& b, const ast::Binary& product) {
    Val one = expression(b, *product.lhs);
    return {std::move(one), expression(b, *product.rhs)};
}

// one * other (+|-) addend, or addend - one * other: one rounding.
Val fused(Body& b, const Factors& product, const Val& addend, bool negate_product, bool negate_addend, DType compute,
          std::optional<DType> type) {
    if (product.both_static()) {  // static in unrolled rounds only: a static product is a literal, not an operation
        const Val value = arithmetic(b, BinaryOp::mul, product.one, product.other, compute, std::nullopt);
        if (negate_product) return arithmetic(b, BinaryOp::sub, addend, value, compute, type);
        return arithmetic(b, negate_addend ? BinaryOp::sub : BinaryOp::add, value, addend, compute, type);
    }
    const auto negated = [&](const Val& value) {
        if (const auto real = value.is_fixed() ? value.fixed.real() : std::nullopt) return Val::of(Static::of(-*real));
        return element_operation(b, OpKind::neg, {value}, compute, {});
    };
    return element_operation(
        b, OpKind::fma,
        {negate_product ? negated(product.one) : product.one, product.other, negate_addend ? negated(addend) : addend},
        compute, type);
}

}  // namespace

Val unary(Body& b, const ast::Expr& e, const ast::Unary& node) {
    if (node.op == ast::UnaryOp::logical_not) {
        const Val holds = condition(b, *node.operand);
        if (holds.is_fixed()) return Val::truth(holds.is_fixed_bool(false));
        return Val::ssa(b.emit.inferred(OpKind::bit_not, {holds.id}), DType::boolean);
    }
    Val operand = expression(b, *node.operand);
    const sema::ExprInfo& info = b.info(e);
    if (operand.is_fixed()) {
        if (const auto folded = sema::fold(node.op, operand.fixed); folded.value) {
            const Val value = Val::of(*folded.value);
            const auto type = b.computed_dtype(info.type);
            return type ? b.coerce(value, *type) : value;
        }
    }
    const DType compute = compute_of(b, e);
    switch (node.op) {
        case ast::UnaryOp::plus:
            return element_type(b, operand) == compute ? operand : b.coerce(operand, compute);
        case ast::UnaryOp::minus:
            return element_operation(b, OpKind::neg, {operand}, compute, b.computed_dtype(info.type));
        case ast::UnaryOp::invert:
            return element_operation(b, OpKind::bit_not, {operand}, compute, b.computed_dtype(info.type));
        case ast::UnaryOp::logical_not:
            break;  // above
    }
    return operand;
}

Val binary(Body& b, const ast::Expr& e, const ast::Binary& node) {
    const sema::ExprInfo& info = b.info(e);
    const auto type = b.computed_dtype(info.type);
    const bool sum = node.op == BinaryOp::add || node.op == BinaryOp::sub;
    if (is_sequence_type(info.type)) {
        const Val lhs = expression(b, *node.lhs);
        return sequence_arithmetic(b, node.op, lhs, expression(b, *node.rhs), info.type);
    }
    if (auto accumulated = accumulated_sum(b, node, info.type)) return *accumulated;
    if (sum && type && is_float(*type)) {
        const DType compute = compute_of(b, e);
        const bool minus = node.op == BinaryOp::sub;
        if (const ast::Binary* product = as_product(b, *node.lhs, compute)) {
            const Factors left = factors(b, *product);
            assert_extents(b, node.lhs->id);
            const Val addend = expression(b, *node.rhs);
            const At at(b.emit, e.span);
            return fused(b, left, addend, false, minus, compute, type);
        }
        if (const ast::Binary* product = as_product(b, *node.rhs, compute)) {
            const Val addend = expression(b, *node.lhs);
            const Factors right = factors(b, *product);
            assert_extents(b, node.rhs->id);
            const At at(b.emit, e.span);
            return fused(b, right, addend, minus, false, compute, type);
        }
    }
    const Val lhs = expression(b, *node.lhs);
    const Val rhs = expression(b, *node.rhs);
    if (node.op == BinaryOp::matmul) return tensor_product(b, lhs, rhs, compute_of(b, e), info.type);
    return arithmetic(b, node.op, lhs, rhs, compute_of(b, e), type);
}

Val combine_augmented(Body& b, const ast::AugmentedAssign& statement, const Val& before,
                      const sema::AugmentedInfo& info) {
    const auto type = b.computed_dtype(info.type);
    if (is_sequence_type(info.type)) {
        return sequence_arithmetic(b, statement.op, before, expression(b, *statement.value), info.type);
    }
    if (statement.op == BinaryOp::add) {
        if (auto accumulated = accumulated_sum(b, before, *statement.value, info.type)) return *accumulated;
    }
    const bool sum = statement.op == BinaryOp::add || statement.op == BinaryOp::sub;
    if (sum && type && is_float(*type)) {
        const DType compute = *info.compute;
        if (const ast::Binary* product = as_product(b, *statement.value, compute)) {
            const Factors both = factors(b, *product);
            assert_extents(b, statement.value->id);
            assert_extents(b, statement.target->id);
            return fused(b, both, before, statement.op == BinaryOp::sub, false, compute, type);
        }
    }
    const Val value = expression(b, *statement.value);
    assert_extents(b, statement.target->id);
    return arithmetic(b, statement.op, before, value, *info.compute, type);
}

}  // namespace tsr::elaborate
