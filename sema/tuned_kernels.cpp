// Tuned kernels: a kernel is checked once for each point of its space. What is told of the points together.
#include <algorithm>

#include <fmt/format.h>

#include "sema/program/tables.h"
#include "sema/program/tuning_points.h"
#include "sema/state/checker.h"

namespace tsr::sema {

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
        for (const ast::ExprId value_id : entry.values) {
            const ast::Expr* written = program.expr(function.module, value_id);
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
