#include "base/policy.h"

#include <fmt/format.h>

namespace tsr {

namespace {

std::string_view rounding_text(Rounding rounding) {
    switch (rounding) {
        case Rounding::nearest_even:
            return " @round(rn)";
        case Rounding::stochastic:
            return " @stochastic_round";
        case Rounding::toward_zero:
            return " @round(rz)";
    }
    return "";
}

template <typename T>
bool conflict(const std::optional<T>& a, const std::optional<T>& b) {
    return a && b && *a != *b;
}

}  // namespace

std::string Policy::text() const {
    std::string text;
    if (accum) text += fmt::format(" @accum({})", name(*accum));
    if (compute_tf32) text += " @compute(tf32)";
    if (compute) text += fmt::format(" @compute({})", name(*compute));
    if (round) text += rounding_text(*round);
    return text;
}

std::optional<std::string> policy_conflict(const Policy& a, const Policy& b) {
    if (conflict(a.accum, b.accum)) return "accum";
    if (conflict(a.compute, b.compute)) return "compute";
    if ((a.compute_tf32 && b.compute) || (b.compute_tf32 && a.compute)) return "compute";
    if (conflict(a.round, b.round)) return "round";
    return std::nullopt;
}

Policy join_policies(const Policy& a, const Policy& b) {
    Policy result = a;
    if (!result.accum) result.accum = b.accum;
    if (!result.compute) result.compute = b.compute;
    if (!result.round) result.round = b.round;
    result.compute_tf32 = a.compute_tf32 || b.compute_tf32;
    return result;
}

}  // namespace tsr
