// Tuning spaces (language reference, section 4, "Tuning"): a kernel is checked once for each point of its space, in
// which every parameter is a static value. What a launch is checked against is the header, in which the parameters that
// are dimensions are still open.
#include "sema/tuning.h"

#include <algorithm>
#include <cctype>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sema/body.h"

namespace tsr::sema {

std::string point_text(const TuningPoint& point) {
    std::string text;
    for (const auto& [name, value] : point)
        text += fmt::format("{}{}={}", text.empty() ? "" : ", ", name, value.text());
    return text;
}

std::string point_suffix(const TuningPoint& point) {
    std::string suffix;
    for (const auto& [name, value] : point) {
        suffix += "." + name;
        for (const char c : value.text()) suffix += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    }
    return suffix;
}

std::vector<PointGroup> points_by_extents(const Program& program, const Instance& header) {
    std::vector<PointGroup> groups;
    const auto& dimensions = header.kernel.tuned_dimensions;
    for (const InstanceId id : header.points) {
        std::vector<int64_t> extents;
        for (const auto& [name, value] : program.instance(id).kernel.tuning) {
            if (std::ranges::find(dimensions, name) != dimensions.end()) extents.push_back(value.integer().value_or(0));
        }
        auto found = std::ranges::find(groups, extents, &PointGroup::extents);
        if (found == groups.end()) found = groups.insert(groups.end(), {extents, {}});
        found->points.push_back(id);
    }
    return groups;
}

void Body::read_tuning(const Request& request) {
    if (!request.point) {
        instance.tuned = true;
        return read_space();
    }
    instance.kernel.tuning = *request.point;
    for (const auto& [name, value] : *request.point) {
        fixed[name] = value;
        if (name != "num_warps") continue;
        const auto warps = value.integer();
        if (warps && *warps >= 1 && *warps <= 32) {
            instance.kernel.group_shape = {{32 * *warps}};
            continue;
        }
        const auto entry = std::ranges::find(function->space, name, &TuningEntry::name);
        error("E0405", entry->at, fmt::format("a group has 1 to 32 warps, not {}", value.text()));
    }
}

void Body::read_space() {
    constexpr size_t kMostPoints = 1024;
    size_t count = 1;
    for (const TuningEntry& entry : function->space) {
        std::vector<Static> values;
        for (const ast::Expr* written : entry.values) {
            const Value value = expr(*written);
            if (value.broken()) continue;
            std::optional<Static> known = value.value;
            if (value.type.is(Kind::dtype)) known = Static::of(value.type.elem());
            if (!known) {
                error("E0413", written->span, "the values of a tuning space are static");
            } else if (std::ranges::find(values, *known) == values.end()) {
                values.push_back(*known);
            }
        }
        count = std::min(count * std::max<size_t>(values.size(), 1), kMostPoints + 1);
        space.emplace_back(entry.name, std::move(values));
    }
    if (count > kMostPoints)
        error("E0413", function->space_at, fmt::format("a tuning space has at most {} points", kMostPoints));
}

// Which parameters of the space are dimensions of the header.
void Body::bind_space() {
    for (size_t i = 0; i < space.size(); ++i) {
        const TuningEntry& entry = function->space[i];
        const SymbolInfo* symbol = find_symbol(entry.name);
        if (const auto whole = opaque_names.find(entry.name); whole != opaque_names.end()) {
            error("E0413", entry.at,
                  fmt::format("`{}` has no value of its own: only `{}` is known", entry.name, whole->second));
        } else if (!symbol && find_slot(entry.name)) {
            error("E0413", entry.at, fmt::format("`{}` is a parameter of the kernel", entry.name));
        }
        if (!symbol) continue;
        instance.kernel.tuned_dimensions.push_back(entry.name);
        for (size_t k = 0; k < space[i].second.size() && k < entry.values.size(); ++k) {
            const auto extent = space[i].second[k].integer();
            if (extent && *extent >= 0) continue;
            error("E0413", entry.at,
                  fmt::format("`{}` is a dimension: its values are integers, not {}", entry.name,
                              space[i].second[k].text()));
        }
    }
}

bool Body::listed_dimensions(const ast::Expr& e, const Instance& kernel, const CallInfo& info) {
    for (const DimBinding& binding : info.bindings) {
        const auto& tuned = kernel.kernel.tuned_dimensions;
        const auto value = binding.value.constant_value();
        if (!value || kernel.points.empty() || std::ranges::find(tuned, binding.symbol) == tuned.end()) continue;
        std::set<int64_t> values;
        for (const InstanceId id : kernel.points) {
            for (const auto& [name, known] : checker.program.instance(id).kernel.tuning) {
                if (name == binding.symbol) values.insert(known.integer().value_or(0));
            }
        }
        if (values.contains(*value)) continue;
        const Function& callee = checker.program.function(kernel.function);
        error("E0312", e.span,
              fmt::format("`{}` of `{}` is {} here, its tuning space has {}", binding.symbol, callee.name, *value,
                          fmt::join(values, ", ")))
            .label(callee.space_at, "the tuning space");
        return false;
    }
    return true;
}

std::vector<TuningPoint> Body::space_points() const {
    if (checker.states[instance.id.index].found.has_errors()) return {};
    std::vector<TuningPoint> points{{}};
    for (const auto& [name, values] : space) {
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

namespace {

// A point that is refused for nothing but its size is left out.
bool only_too_large(const Diagnostics& found) {
    static const std::set<std::string> sizes{"E0405", "E0406"};
    return found.has_errors() && std::ranges::all_of(found.all(), [](const Diagnostic& d) {
               return d.severity != Severity::error || sizes.contains(d.code);
           });
}

}  // namespace

void Checker::check_points(InstanceId header, const Request& request, const std::vector<TuningPoint>& points) {
    std::vector<InstanceId> unfit;
    for (const TuningPoint& point : points) {
        Request at = request;
        at.point = point;
        const InstanceId made = instantiate(at);
        if (!made.valid()) return;
        states[header.index].all_points.push_back(made);
        states[made.index].header = header;
        if (only_too_large(states[made.index].found)) {
            unfit.push_back(made);
            continue;
        }
        program.instances[header.index].points.push_back(made);
        states[header.index].callees.insert(made);
    }
    Instance& known = program.instances[header.index];
    say_wrong_values(header);
    if (!unfit.empty()) say_unfit(header, unfit);
    if (known.points.empty()) return;
    Instance& first = program.instances[known.points[0].index];
    if (known.points.size() == 1) first.name = known.name;
    known.result = first.result;
    known.returned_parameter = first.returned_parameter;
}

// A value at all of whose points the kernel has errors that it has not at some others: it is told once, at the value.
void Checker::say_wrong_values(InstanceId header) {
    const Function& function = program.function(program.instance(header).function);
    const std::vector<InstanceId>& all = states[header.index].all_points;
    const auto is_wrong = [&](InstanceId point) {
        const Diagnostics& found = states[point.index].found;
        return found.has_errors() && !only_too_large(found);
    };
    if (std::ranges::all_of(all, is_wrong)) return;
    for (const TuningEntry& entry : function.space) {
        for (const ast::Expr* written : entry.values) {
            const auto value = evaluate(function.module, *written).value;
            std::vector<InstanceId> points;
            for (const InstanceId point : all) {
                const TuningPoint& at = program.instance(point).kernel.tuning;
                const auto here = std::ranges::find(at, entry.name, &std::pair<std::string, Static>::first);
                if (here != at.end() && value && here->second == *value) points.push_back(point);
            }
            if (points.empty() || !std::ranges::all_of(points, is_wrong)) continue;
            const auto& messages = states[points[0].index].found.all();
            const Diagnostic first = *std::ranges::find(messages, Severity::error, &Diagnostic::severity);
            for (const InstanceId point : points) states[point.index].found = {};
            states[header.index]
                .found
                .error(first.code, written->span,
                       fmt::format("`{}` can not be {}: {}", entry.name, value->text(), first.message))
                .label(first.span, "used here");
        }
    }
}

// Where no point fits it is an error, else a warning: the program has fewer points than it says.
void Checker::say_unfit(InstanceId header, const std::vector<InstanceId>& unfit) {
    constexpr size_t kShown = 4;
    const Instance& instance = program.instance(header);
    const Function& function = program.function(instance.function);
    Diagnostics& found = states[header.index].found;
    const size_t all = unfit.size() + instance.points.size();
    auto& d = instance.points.empty()
                  ? found.error("E0419", function.space_at,
                                fmt::format("no point of the tuning space of `{}` fits", function.name))
                  : found.warning("W0102", function.space_at,
                                  fmt::format("{} of {} points of the tuning space of `{}` do not fit", unfit.size(),
                                              all, function.name));
    for (size_t i = 0; i < unfit.size() && i < kShown; ++i) {
        for (const Diagnostic& reason : states[unfit[i].index].found.all()) {
            if (reason.severity != Severity::error) continue;
            d.note(fmt::format("{}: {}", point_text(program.instance(unfit[i]).kernel.tuning), reason.message));
            break;
        }
    }
    if (unfit.size() > kShown) d.note(fmt::format("and {} more", unfit.size() - kShown));
}

// Whether a message of a point is the same at all others, so that the point does not matter. Also where there are none.
bool Checker::at_every_point(const InstanceState& point, const Diagnostic& found) const {
    if (!point.header.valid()) return true;
    return std::ranges::all_of(states[point.header.index].all_points, [&](InstanceId other) {
        return std::ranges::any_of(states[other.index].found.all(),
                                   [&](const Diagnostic& d) { return d.code == found.code && d.span == found.span; });
    });
}

}  // namespace tsr::sema
