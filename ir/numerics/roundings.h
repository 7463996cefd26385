// Where a program rounds: the operations of its functions whose result is not the exact one.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/dtype.h"
#include "base/sources.h"
#include "ir/core/function.h"

namespace tsr::ir {

// The unit roundoff of a float: the most that one rounding to it moves a number, by the number, where nothing overflows
// or underflows. To nearest 2^-p with p bits of significand; toward zero or by chance twice that.
double unit_roundoff(DType type);
// Of tf32, whose significand has 11 bits.
inline constexpr double kTf32Roundoff = 0x1p-11;

// What makes a rounding.
enum class RoundedBy : uint8_t {
    arithmetic,   // the operation's own result
    narrowing,    // a value kept in a narrower type than it is computed in, or cast to one
    toward_zero,  // the same under `@round(rz)`
    chance,       // the same under `@stochastic_round`
    accumulator,  // each partial sum or product
    tf32,         // operands of a product
};

struct RoundingPoint {
    const Function* function = nullptr;
    OpId op;
    RoundedBy by = RoundedBy::arithmetic;
    std::optional<DType> from;  // nothing: the exact result
    DType to = DType::f32;      // of tf32: f32

    // The most that it moves a number, by the number: the unit roundoff of `to`, more of functions with a bound.
    [[nodiscard]] double most() const;
};

// Those of an operation: none, one, or two of a product in tf32. Of casts only those that may change a number.
std::vector<RoundingPoint> roundings_of(const Function& function, OpId op);
// Whether the operand of a cast is a value of the type already, as `cut` and `dither` give it.
bool is_rounded_before(const Function& function, OpId cast);

// Each place of the program once, in the order of the text: "3:12 add: exact to f32, u = 5.96e-08, arithmetic". Of
// operations of the standard library the place that asked for them.
std::string explain_roundings(const Module& module, const Sources& sources, FileId root);

}  // namespace tsr::ir
