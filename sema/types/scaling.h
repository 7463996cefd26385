// How one stored tensor is scaled: `@loss_scale(…)`, `@block_scale(…)`. It does not spread to results.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/dtype.h"

namespace tsr::sema {

// `@block_scale(n, T, axis=-1)`: so many elements along the axis share a scale of the type.
struct BlockScale {
    int64_t elements = 0;
    DType type = DType::e8m0;
    int64_t axis = -1;
    bool operator==(const BlockScale&) const = default;
};

struct Scaling {
    std::optional<double> loss;
    bool loss_dynamic = false;
    std::optional<BlockScale> block;  // only while an annotation is read: such a tensor is a record

    [[nodiscard]] bool stores_cotangents() const { return loss || loss_dynamic; }
    [[nodiscard]] std::string text() const;  // ` @loss_scale(128)`, with a blank before it
    bool operator==(const Scaling&) const = default;
};

}  // namespace tsr::sema
