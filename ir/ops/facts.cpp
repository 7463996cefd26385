#include "ir/ops/facts.h"

#include <fmt/format.h>

namespace tsr::ir {

std::string ErrorBound::text() const {
    switch (exactness) {
        case Exactness::unsaid:
            return "";
        case Exactness::exact:
            return "none";
        case Exactness::rounded:
            return "none; the result is correctly rounded on every engine";
        case Exactness::bounded:
            break;
    }
    constexpr std::string_view kWithin = "CPUs and GPUs may differ within that";
    if (f32 == f64) return fmt::format("at most {} ulp of the result, in f32 and in f64. {}", f32, kWithin);
    return fmt::format("at most {} ulp of the result in f32, {} in f64. {}", f32, f64, kWithin);
}

}  // namespace tsr::ir
