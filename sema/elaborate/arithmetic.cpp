#include "sema/elaborate/arithmetic.h"

#include "ir/core/internal.h"
#include "sema/elaborate/host.h"
#include "sema/elaborate/types.h"
#include "sema/types/elements.h"
#include "sema/types/fold.h"
#include "sema/types/numeric.h"

namespace tsr::elaborate {

using ast::BinaryOp;
using ir::OpKind;
using ir::ValueId;

std::optional<DType> element_type(Body& b, const Val& value) {
    if (value.type) return value.type;
    if (!value.is_ssa()) return std::nullopt;
    const ir::Type& type = b.type_of(value.id);
    return b.computes_on(type) ? std::optional(type.elem) : std::nullopt;
}

DType element_type_alone(Body& b, const Val& value) {
    return element_type(b, value).value_or(sema::settled(value.fixed));
}

DType compute_of(Body& b, const ast::Expr& e) {
    const auto compute = b.info(e).compute;
    if (!compute) ir::internal_error("an expression without the type that it is computed in");
    return *compute;
}

std::optional<std::vector<ir::Dim>> joint_shape(Body& b, const std::vector<Val>& operands) {
    std::optional<std::vector<ir::Dim>> joint;
    for (const Val& operand : operands) {
        if (!operand.is_ssa()) continue;
        const ir::Type& type = b.type_of(operand.id);
        if (!b.computes_on(type) || type.rank() == 0) continue;
        joint = joint ? sema::broadcast(*joint, type.shape) : type.shape;
    }
    return joint;
}

Val element_operation(Body& b, OpKind kind, const std::vector<Val>& operands, DType compute,
                      std::optional<DType> type) {
    uint32_t width = 0;
    for (const Val& operand : operands) {
        if (operand.is_ssa() && b.type_of(operand.id).is_vector()) width = b.type_of(operand.id).width;
    }
    const auto shape = joint_shape(b, operands);
    std::vector<ValueId> ids;
    for (const Val& operand : operands) {
        ids.push_back(shape       ? b.tile(operand, compute, *shape)
                      : width > 0 ? b.vector(operand, compute, width)
                                  : b.scalar(operand, compute));
    }
    const ValueId id = b.emit.inferred(kind, std::move(ids));
    const DType given = b.type_of(id).elem;
    return Val::ssa(id, given == DType::boolean ? given : type.value_or(given));
}

namespace {

OpKind kind_of(BinaryOp op) {
    switch (op) {
        case BinaryOp::add:
            return OpKind::add;
        case BinaryOp::sub:
            return OpKind::sub;
        case BinaryOp::mul:
        case BinaryOp::matmul:
            return OpKind::mul;
        case BinaryOp::div:
            return OpKind::div;
        case BinaryOp::floordiv:
            return OpKind::floordiv;
        case BinaryOp::mod:
            return OpKind::mod;
        case BinaryOp::pow:
            return OpKind::pow;
        case BinaryOp::bit_and:
            return OpKind::bit_and;
        case BinaryOp::bit_or:
            return OpKind::bit_or;
        case BinaryOp::bit_xor:
            return OpKind::bit_xor;
        case BinaryOp::shl:
            return OpKind::shl;
        case BinaryOp::shr:
            return OpKind::shr;
    }
    return OpKind::add;
}

bool is_number(const Val& value) { return value.is_fixed() && (value.fixed.is_number() || value.fixed.boolean()); }

// The division of integers by zero ends a host program.
void check_divisor(Body& b, BinaryOp op, const Val& rhs, DType compute) {
    if (!b.rules().checks_zero || !is_integer(compute) || (op != BinaryOp::floordiv && op != BinaryOp::mod)) return;
    require_nonzero(b, rhs, compute, "division by zero");
}

}  // namespace

void require_nonzero(Body& b, const Val& value, DType type, const std::string& message) {
    if (value.is_fixed() && value.fixed.integer().value_or(1) != 0) return;
    const auto fail = [&] { host_effect(b, "fail", {}, {{ir::Attr::text, message}}); };
    const ValueId nonzero = b.emit.inferred(OpKind::ne, {b.scalar(value, type), b.emit.constant(int64_t{0}, type)});
    Body::OpenIf open = b.open_if(nonzero);
    b.in_side(open, 1, fail);
    b.close_if(open);
}

Val arithmetic(Body& b, BinaryOp op, const Val& lhs, const Val& rhs, DType compute, std::optional<DType> type) {
    if (is_number(lhs) && is_number(rhs)) {
        if (const auto folded = sema::fold(op, lhs.fixed, rhs.fixed); folded.value) {
            const Val value = Val::of(*folded.value);
            return type ? b.coerce(value, *type) : value;
        }
    }
    check_divisor(b, op, rhs, compute);
    return element_operation(b, kind_of(op), {lhs, rhs}, compute, type);
}

}  // namespace tsr::elaborate
