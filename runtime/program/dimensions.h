// Dimension expressions of a signature: values, and the one unknown that a size determines.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "runtime/abi.h"

namespace tsr::runtime {

inline constexpr int64_t kUnbound = -1;

// Set when the expression is a name alone, or a number alone.
std::optional<int64_t> symbol_alone(const TsrDimension& dimension);
std::optional<int64_t> constant_alone(const TsrDimension& dimension);

// The value where all symbols are bound. Empty: one is not, a division is not exact or by 0, or 64 bits overflow.
std::optional<int64_t> evaluate(const TsrDimension& dimension, std::span<const int64_t> symbols);
bool all_bound(const TsrDimension& dimension, std::span<const int64_t> symbols);

// The symbol that stands once and alone is unbound, and the value it must have for the expression to be `size`; the
// value is empty when there is none (2*n = 7). Empty: no such symbol, or it can not be told (n // 2).
struct Solution {
    int64_t symbol;
    std::optional<int64_t> value;
};
std::optional<Solution> solve(const TsrDimension& dimension, std::span<const int64_t> symbols, int64_t size);

}  // namespace tsr::runtime
