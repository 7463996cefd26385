#include "sema/functions/tuning.h"

#include <algorithm>
#include <cctype>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sema/state/recursion.h"

namespace tsr::sema {

static void read_space(Body& b) {
    constexpr size_t kMostPoints = 1024;
    size_t count = 1;
    for (const TuningEntry& entry : b.function->space) {
        std::vector<Static> values;
        for (const ast::ExprId value_id : entry.values) {
            const ast::Expr* written = b.expr(value_id);
            const Value value = expression(b, *written);
            if (value.broken()) continue;
            std::optional<Static> known = value.value;
            if (value.type.is(Kind::dtype)) known = Static::of(value.type.elem());
            if (!known) {
                b.error("E0413", written->span, "the values of a tuning space are static");
            } else if (std::ranges::find(values, *known) == values.end()) {
                values.push_back(*known);
            }
        }
        count = std::min(count * std::max<size_t>(values.size(), 1), kMostPoints + 1);
        b.space.emplace_back(entry.name, std::move(values));
    }
    if (count > kMostPoints)
        b.error("E0413", b.function->space_at, fmt::format("a tuning space has at most {} points", kMostPoints));
}

void read_tuning(Body& b, const Request& request) {
    if (!request.point) {
        b.instance.tuned = true;
        return read_space(b);
    }
    b.instance.kernel.tuning = *request.point;
    for (const auto& [name, value] : *request.point) {
        b.fixed[name] = value;
        if (name != "num_warps") continue;
        const auto warps = value.integer();
        if (warps && *warps >= 1 && *warps <= 32) {
            b.instance.kernel.group_shape = {{32 * *warps}};
            continue;
        }
        const auto entry = std::ranges::find(b.function->space, name, &TuningEntry::name);
        b.error("E0405", entry->at, fmt::format("a group has 1 to 32 warps, not {}", value.text()));
    }
}

// Which parameters of the space are dimensions of the header.
void bind_space(Body& b) {
    for (size_t i = 0; i < b.space.size(); ++i) {
        const TuningEntry& entry = b.function->space[i];
        const SymbolInfo* symbol = b.find_symbol(entry.name);
        if (const auto whole = b.opaque_names.find(entry.name); whole != b.opaque_names.end()) {
            if (whole->second.empty()) continue;
            b.error("E0413", entry.at,
                    fmt::format("`{}` has no value of its own: only `{}` is known", entry.name, whole->second));
        } else if (!symbol && b.find_slot(entry.name)) {
            b.error("E0413", entry.at, fmt::format("`{}` is a parameter of the kernel", entry.name));
        }
        if (!symbol) continue;
        b.instance.kernel.tuned_dimensions.push_back(entry.name);
        for (size_t k = 0; k < b.space[i].second.size() && k < entry.values.size(); ++k) {
            const auto extent = b.space[i].second[k].integer();
            if (extent && *extent >= 0) continue;
            b.error("E0413", entry.at,
                    fmt::format("`{}` is a dimension: its values are integers, not {}", entry.name,
                                b.space[i].second[k].text()));
        }
    }
}

std::vector<TuningPoint> space_points(const Body& b) {
    if (b.checker.states[b.instance.id.index].found.has_errors()) return {};
    std::vector<TuningPoint> points{{}};
    for (const auto& [name, values] : b.space) {
        std::vector<TuningPoint> longer;
        for (const TuningPoint& point : points) {
            for (const Static& value : values) {
                longer.push_back(point);
                longer.back().emplace_back(name, value);
            }
        }
        points = std::move(longer);
    }
    return points;
}

}  // namespace tsr::sema
