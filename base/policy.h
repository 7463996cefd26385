// The numeric policy of a type: what `@accum(f32)`, `@compute(tf32)`, `@stochastic_round`, … say of it (language
// reference, section 3, "Numerics as types").
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/dtype.h"

namespace tsr {

enum class Rounding : uint8_t { nearest_even, stochastic, toward_zero };

struct Policy {
    std::optional<DType> accum;
    std::optional<DType> compute;
    bool compute_tf32 = false;  // `@compute(tf32)`: instead of `compute`
    std::optional<Rounding> round;

    [[nodiscard]] bool empty() const { return *this == Policy{}; }
    [[nodiscard]] std::string text() const;  // ` @accum(f32) @stochastic_round`, each with a blank before it
    bool operator==(const Policy&) const = default;
};

// The name of the first kind of policy (accum, compute, round) that both have and have differently; none if they agree.
std::optional<std::string> policy_conflict(const Policy& a, const Policy& b);
// Kinds present on either side. Only for policies that agree.
Policy join_policies(const Policy& a, const Policy& b);

}  // namespace tsr
