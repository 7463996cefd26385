// The element operations, on scalars and vectors alike.
#pragma once

#include <span>

#include "codegen/llvm/build.h"
#include "ir/core/function.h"

namespace tsr::codegen {

struct ElementOp {
    ir::OpKind kind = ir::OpKind::add;
    DType type = DType::f32;  // of the operands (of `select`: of what is chosen)
    DType to = DType::f32;    // of the result, where `cast` or `bitcast` names it
    std::span<llvm::Value* const> operands;

    [[nodiscard]] llvm::Value* operand() const { return operands.front(); }  // of one operand
    [[nodiscard]] llvm::Value* lhs() const { return operands.front(); }      // of two
    [[nodiscard]] llvm::Value* rhs() const { return operands.back(); }
};

// Law and edges are the ones of the operation's record.
llvm::Value* emit_element(Build& build, const ElementOp& op);

// The parts, by the kind of element: of integers and bool, and of floats, which are f32, f64, and f16 where the machine
// computes it.
llvm::Value* emit_integer(Build& build, const ElementOp& op);
llvm::Value* emit_real(Build& build, const ElementOp& op);

// A row of the tables behind these two; `no_element_code` for what numbers of the kind do not have, or what has been
// replaced by other operations before.
using EmitElement = llvm::Value* (*)(Build&, const ElementOp&);
[[noreturn]] llvm::Value* no_element_code(Build& build, const ElementOp& op);

// Integer division rounded down, and its remainder with the divisor's sign; a zero divisor gives 0.
llvm::Value* emit_floordiv(Build& build, DType type, llvm::Value* dividend, llvm::Value* divisor);
llvm::Value* emit_mod(Build& build, DType type, llvm::Value* dividend, llvm::Value* divisor);

// factor * other + addend of any float type, rounded once, with or without hardware for it.
llvm::Value* emit_fma(Build& build, DType type, llvm::Value* factor, llvm::Value* other, llvm::Value* addend);

}  // namespace tsr::codegen
