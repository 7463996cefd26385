// Handles of operations on whole tensors.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ir/ops/handle.h"

namespace tsr::ir {

// A product of two tensors in letters, one for each axis: "bmk,bkn->bmn".
struct ContractOp : Handle<OpKind::contract> {
    using Handle::Handle;
    [[nodiscard]] ValueId a() const { return operand(0); }
    [[nodiscard]] ValueId b() const { return operand(1); }
    [[nodiscard]] DType accumulates() const { return attrs().dtype(Attr::type); }
    // Operands of f32 are rounded to tf32 first.
    [[nodiscard]] bool in_tf32() const { return attrs().has(Attr::tf32); }
    struct Letters {
        std::string_view a, b, result;
    };
    [[nodiscard]] Letters letters() const { return split(attrs().string(Attr::letters)); }
    // Of a text with one ',' and one "->" behind it; else everything is empty.
    static Letters split(std::string_view text);
};

// Numbers and tensors of floats have derivatives.
inline bool may_differentiate(const Type& type) {
    return (type.is_scalar() || type.kind == TypeKind::tensor) && is_float(type.elem);
}

// vjp, jvp: what a Graph function gives, and derivatives of that.
struct DerivativeOp : Handle<OpKind::vjp, OpKind::jvp> {
    using Handle::Handle;
    [[nodiscard]] bool in_reverse() const { return op().kind == OpKind::vjp; }
    [[nodiscard]] const std::string& callee() const { return attrs().string(Attr::callee); }
    // The parameters that derivatives are taken in.
    [[nodiscard]] const std::vector<int64_t>& wrt() const { return attrs().integers(Attr::axes); }
};

}  // namespace tsr::ir
