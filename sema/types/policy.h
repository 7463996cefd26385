// The numeric policy of a tensor type: what `@accum(f32)`, `@stochastic_round`, … say (language reference, section 3).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/dtype.h"

namespace tsr::sema {

enum class Rounding : uint8_t { nearest_even, stochastic, toward_zero };

struct BlockScale {
    int64_t block = 0;  // consecutive elements that share a scale
    DType scale = DType::e8m0;
    int64_t axis = -1;
    bool operator==(const BlockScale&) const = default;
};

struct Policy {
    std::optional<DType> accum;
    std::optional<DType> compute;
    bool compute_tf32 = false;
    std::optional<Rounding> round;
    // These describe one stored tensor and do not spread to results.
    std::optional<double> loss_scale;
    bool loss_scale_dynamic = false;
    std::optional<BlockScale> block_scale;

    [[nodiscard]] bool empty() const { return *this == Policy{}; }
    // What a result has of it: accum, compute and round.
    [[nodiscard]] Policy spreading() const;
    // The type that arithmetic on floats of 16 bits or fewer works in.
    [[nodiscard]] DType compute_type() const { return compute.value_or(DType::f32); }
    [[nodiscard]] std::string text() const;  // ` @accum(f32) @stochastic_round`, each with a blank before it
    bool operator==(const Policy&) const = default;
};

// The name of the first kind of policy (accum, compute, round) that both have and have differently; none if they agree.
std::optional<std::string> policy_conflict(const Policy& a, const Policy& b);
// Kinds present on either side. Only for policies that agree.
Policy join_policies(const Policy& a, const Policy& b);

}  // namespace tsr::sema
