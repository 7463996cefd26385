#include "ir/core/plan.h"

#include <fmt/format.h>

#include "ir/core/text_cursor.h"

namespace tsr::ir {

int64_t parts_of(const Plan& plan) {
    int64_t product = 1;
    for (int64_t parts : plan.parts) product *= parts;
    return product;
}

bool same_tile(const ProductPanel& a, const ProductPanel& b) {
    return a.elem == b.elem && a.tile_rows == b.tile_rows && a.tile_columns == b.tile_columns;
}

std::string spell(const ProductPanel& panel) {
    return fmt::format("{}[{}, {}] {} x {}", name(panel.elem), panel.tile_rows, panel.tile_columns, panel.rows,
                       panel.vectors);
}

std::optional<ProductPanel> parse_panel(std::string_view text) {
    TextCursor in(text);
    ProductPanel panel;
    const auto elem = in.word();
    const auto type = elem ? dtype_named(*elem) : std::nullopt;
    if (!type) return std::nullopt;
    panel.elem = *type;
    struct Part {
        char before;
        int64_t* value;
    };
    for (const Part& part : {Part{'[', &panel.tile_rows}, Part{',', &panel.tile_columns}, Part{']', &panel.rows},
                             Part{'x', &panel.vectors}}) {
        if (!in.take(part.before)) return std::nullopt;
        const auto value = in.integer();
        if (!value) return std::nullopt;
        *part.value = *value;
    }
    return in.at_end() ? std::optional(panel) : std::nullopt;
}

}  // namespace tsr::ir
