// Operands by name: a handle is a function and one of its operations, read through the positions that the operation's
// record states. Outside of this folder nobody counts operands. A handle of an operation of another kind is an internal
// error where it is made.
#pragma once

#include <span>

#include "ir/core/function.h"
#include "ir/core/internal.h"

namespace tsr::ir {

using ValueSpan = std::span<const ValueId>;

struct AnyHandle {
    const Function& fn;
    OpId id;  // invalid where the handle was made of the operation itself

    [[nodiscard]] const Op& op() const { return *op_; }
    [[nodiscard]] const Attrs& attrs() const { return op().attrs; }
    [[nodiscard]] ValueId result() const { return op().results[0]; }
    [[nodiscard]] ValueSpan results() const { return op().results; }
    [[nodiscard]] const Type& type(ValueId v) const { return fn.type(v); }

protected:
    AnyHandle(const Function& function, OpId op, bool suits) : AnyHandle(function, function.op(op), suits) { id = op; }
    AnyHandle(const Function& function, const Op& op, bool suits) : fn(function), op_(&op) {
        if (!suits) internal_error("a handle of an operation of another kind");
    }
    [[nodiscard]] ValueId operand(size_t i) const { return op().operands[i]; }
    [[nodiscard]] ValueSpan operands(size_t from) const { return ValueSpan(op().operands).subspan(from); }
    [[nodiscard]] ValueSpan args(RegionId region, size_t from = 0) const {
        return ValueSpan(fn.region(region).args).subspan(from);
    }

private:
    const Op* op_;
};

template <OpKind... kinds>
struct Handle : AnyHandle {
    Handle(const Function& function, OpId op) : AnyHandle(function, op, suits(function.op(op).kind)) {}
    Handle(const Function& function, const Op& op) : AnyHandle(function, op, suits(op.kind)) {}
    [[nodiscard]] static constexpr bool suits(OpKind kind) { return ((kind == kinds) || ...); }
};

// The operation that ends a region, and what it yields.
inline OpId yield_of(const Function& fn, RegionId region) { return fn.region(region).ops.back(); }
inline ValueSpan yielded(const Function& fn, RegionId region) { return fn.op(yield_of(fn, region)).operands; }

// The operation that gives a value, if it is of the kind.
inline std::optional<OpId> defined_by(const Function& fn, ValueId value, OpKind kind) {
    const OpId op = fn.value(value).op;
    return op.valid() && fn.op(op).kind == kind ? std::optional(op) : std::nullopt;
}

}  // namespace tsr::ir
