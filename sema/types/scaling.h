// How one stored tensor is scaled: `@loss_scale(…)`. It does not spread to results.
#pragma once

#include <optional>
#include <string>

namespace tsr::sema {

struct Scaling {
    std::optional<double> loss;
    bool loss_dynamic = false;

    [[nodiscard]] std::string text() const;  // ` @loss_scale(128)`, with a blank before it
    bool operator==(const Scaling&) const = default;
};

}  // namespace tsr::sema
