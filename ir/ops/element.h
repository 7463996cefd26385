// Handles of element operations.
#pragma once

#include "ir/ops/handle.h"

namespace tsr::ir {

struct ElementwiseOp : AnyHandle {
    ElementwiseOp(const Function& function, OpId op) : AnyHandle(function, op, is_element(function.op(op).kind)) {}
    ElementwiseOp(const Function& function, const Op& op) : AnyHandle(function, op, is_element(op.kind)) {}
    // The type that it computes in: of its operands; of `select` that of what is chosen.
    [[nodiscard]] const Type& computes_in() const { return type(operand(op().kind == OpKind::select ? 1 : 0)); }
};

// Of one operand: casts, tables and functions of one number.
struct UnaryOp : AnyHandle {
    UnaryOp(const Function& function, OpId op) : AnyHandle(function, op, suits(function.op(op))) {}
    UnaryOp(const Function& function, const Op& op) : AnyHandle(function, op, suits(op)) {}
    [[nodiscard]] static bool suits(const Op& op) { return is_element(op.kind) && op.operands.size() == 1; }
    [[nodiscard]] ValueId operand() const { return AnyHandle::operand(0); }
};

struct BinaryOp : AnyHandle {
    BinaryOp(const Function& function, OpId op) : AnyHandle(function, op, suits(function.op(op))) {}
    BinaryOp(const Function& function, const Op& op) : AnyHandle(function, op, suits(op)) {}
    [[nodiscard]] static bool suits(const Op& op) { return is_element(op.kind) && op.operands.size() == 2; }
    [[nodiscard]] ValueId lhs() const { return operand(kLhs); }
    [[nodiscard]] ValueId rhs() const { return operand(kRhs); }
    static constexpr size_t kLhs = 0, kRhs = 1;  // places among the operands
};

struct CastOp : Handle<OpKind::cast, OpKind::bitcast> {
    using Handle::Handle;
    [[nodiscard]] ValueId from() const { return operand(kFrom); }
    [[nodiscard]] DType to() const { return attrs().dtype(Attr::type); }
    static constexpr size_t kFrom = 0;
};

struct SelectOp : Handle<OpKind::select> {
    using Handle::Handle;
    [[nodiscard]] ValueId condition() const { return operand(0); }
    [[nodiscard]] ValueId then() const { return operand(1); }
    [[nodiscard]] ValueId otherwise() const { return operand(2); }
};

}  // namespace tsr::ir
