// A tensor as [outer, length, inner]: what stands before an axis, the axis, what stands behind it.
#pragma once

#include <optional>

#include "ir/core/type.h"

namespace tsr::ir {

struct AxisForm {
    Dim outer, length, inner;

    [[nodiscard]] std::vector<Dim> shape() const { return {outer, length, inner}; }
    [[nodiscard]] bool ends_with_axis() const { return inner.constant_value() == 1; }
    [[nodiscard]] bool is_one_row() const { return ends_with_axis() && outer.constant_value() == 1; }
};

// Without an axis all elements are one row.
inline AxisForm axis_form(const Type& type, std::optional<size_t> axis) {
    const Dim one = Dim::constant(1);
    AxisForm form{one, one, one};
    for (size_t i = 0; i < type.rank(); ++i) {
        Dim& part = !axis || i == *axis ? form.length : i < *axis ? form.outer : form.inner;
        part = part * type.shape[i];
    }
    return form;
}

}  // namespace tsr::ir
