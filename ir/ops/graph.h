// Handles of operations on whole tensors.
#pragma once

#include <optional>
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
    // The rows of a, the columns of b and the depth of a step that were asked for; nothing: they are chosen.
    [[nodiscard]] std::optional<std::vector<Dim>> blocks() const {
        if (!attrs().has(Attr::shape)) return std::nullopt;
        return attrs().dims(Attr::shape);
    }
    struct Letters {
        std::string_view a, b, result;
    };
    [[nodiscard]] Letters letters() const { return split(attrs().string(Attr::letters)); }
    // Of a text with one ',' and one "->" behind it; else everything is empty.
    static Letters split(std::string_view text);
    // Besides a letter that both operands have and the result lacks, each operand has one that it shares with the
    // result alone: its rows or columns.
    static bool multiplies_matrices(const Letters& letters);
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
    // How many directions at once: tangents or cotangents, taken and given, have an axis of them first.
    [[nodiscard]] std::optional<Dim> directions() const {
        if (!attrs().has(Attr::shape)) return std::nullopt;
        return attrs().dims(Attr::shape)[0];
    }
};

// The name of a function that asks for derivatives of another, to see that there are, ends so; nobody calls it.
inline constexpr std::string_view kDifferentiabilityCheck = ".differentiable";

// A call of a function whose derivative is not that of its operations. `count` says how many arguments, the first ones,
// F and R do not take: the numbers of groups of a launch. `names` says what it is:
//   "vjp", F, B      F gives the results and what is saved, B takes that and the cotangents
//   "jvp", R         R takes the arguments and a tangent for each that is a float, gives results and their tangents
//   "recomputed"     that of its operations, which are done again for it
//   "stored"         no function: the first argument. Its cotangent is multiplied by the second and rounded to the type
//                    of a gradient; who reads it divides by the second (`@loss_scale`)
struct CustomCallOp : Handle<OpKind::call> {
    using Handle::Handle;
    static bool is_one(const Op& op) { return op.kind == OpKind::call && op.attrs.has(Attr::names); }
    static bool is_stored(const Op& op) { return is_one(op) && op.attrs.strings(Attr::names)[0] == "stored"; }
    [[nodiscard]] const std::string& callee() const { return attrs().string(Attr::callee); }
    [[nodiscard]] ValueSpan arguments() const { return operands(0); }
    [[nodiscard]] size_t unruled() const { return static_cast<size_t>(attrs().integer(Attr::count, 0)); }
    [[nodiscard]] bool is_reverse() const { return names()[0] == "vjp"; }
    [[nodiscard]] bool is_forward() const { return names()[0] == "jvp"; }
    [[nodiscard]] bool is_recomputed() const { return names()[0] == "recomputed"; }
    [[nodiscard]] bool has_rule() const { return is_reverse() || is_forward(); }
    // Of one that is stored: the value, and what its cotangent is multiplied by.
    [[nodiscard]] ValueId value() const { return operand(0); }
    [[nodiscard]] ValueId scale() const { return operand(1); }
    // The function F or R, and B.
    [[nodiscard]] const std::string& rule() const { return names()[1]; }
    [[nodiscard]] const std::string& backward() const { return names()[2]; }

private:
    [[nodiscard]] const std::vector<std::string>& names() const { return attrs().strings(Attr::names); }
};

struct StopOp : Handle<OpKind::stop> {
    using Handle::Handle;
    [[nodiscard]] ValueId value() const { return operand(0); }
};

// A Graph function on each of several examples.
struct BatchOp : Handle<OpKind::batch> {
    using Handle::Handle;
    [[nodiscard]] const std::string& callee() const { return attrs().string(Attr::callee); }
    // For each argument: 1 where it has an axis of examples, its first one; 0 where it is the same for all.
    [[nodiscard]] const std::vector<int64_t>& batched() const { return attrs().integers(Attr::axes); }
    [[nodiscard]] const Dim& examples() const { return attrs().dims(Attr::shape)[0]; }
};

}  // namespace tsr::ir
