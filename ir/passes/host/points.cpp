#include "ir/passes/host/points.h"

#include <algorithm>
#include <functional>
#include <vector>

#include <fmt/format.h>

#include "ir/ops/effects.h"
#include "ir/ops/host.h"

namespace tsr::ir {

namespace {

using Names = std::vector<std::string>;

// Every launch with its points, before launches are lowered; those of graphs, too.
void for_each_launch(Module& module, const std::function<void(Function&, OpId, const Names&)>& visit) {
    for (Function& function : module.functions) {
        if (function.level != Level::host && function.level != Level::graph) continue;
        for_each_op(function, function.body, [&](OpId id) {
            if (function.op(id).kind == OpKind::launch) visit(function, id, LaunchOp(function, id).points());
        });
    }
}

void remove(Module& module, const std::set<std::string>& names) {
    std::erase_if(module.functions, [&](const Function& function) { return names.contains(function.name); });
}

void note_reasons(Diagnostic& d, const Function& point, const Diagnostics& found) {
    for (const Diagnostic& reason : found.all()) {
        if (reason.severity == Severity::error)
            d.note(fmt::format("{}: {}", point.kernel.point->text(), reason.message));
    }
}

// The points of one kernel, some of which do not fit.
struct Tuned {
    const Function* first = nullptr;
    size_t all = 0;
    std::vector<const Function*> unfit;
};

void say(const Tuned& tuned, const std::map<std::string, Diagnostics>& unfit, Diagnostics& diagnostics) {
    constexpr size_t kShown = 4;
    const std::string name = tuned.first->kernel.point->kernel;
    const bool none = tuned.unfit.size() == tuned.all;
    auto& d = none ? diagnostics.error("E0419", tuned.first->span(),
                                       fmt::format("no point of the tuning space of `{}` fits", name))
                   : diagnostics.warning("W0102", tuned.first->span(),
                                         fmt::format("{} of {} points of the tuning space of `{}` do not fit",
                                                     tuned.unfit.size(), tuned.all, name));
    for (size_t i = 0; i < tuned.unfit.size() && i < kShown; ++i)
        note_reasons(d, *tuned.unfit[i], unfit.at(tuned.unfit[i]->name));
    if (tuned.unfit.size() > kShown) d.note(fmt::format("and {} more", tuned.unfit.size() - kShown));
}

}  // namespace

bool drop_unfit_points(Module& module, const std::map<std::string, Diagnostics>& unfit, Diagnostics& diagnostics) {
    if (unfit.empty()) return true;
    std::map<std::pair<std::string, uint32_t>, Tuned> kernels;  // by name and place
    std::set<std::string> names;
    for (const Function& function : module.functions) {
        const auto& point = function.kernel.point;
        if (!point) continue;
        Tuned& tuned = kernels[{point->kernel, function.span().begin}];
        if (tuned.first == nullptr) tuned.first = &function;
        ++tuned.all;
        if (!unfit.contains(function.name)) continue;
        tuned.unfit.push_back(&function);
        names.insert(function.name);
    }
    for (const auto& [key, tuned] : kernels) {
        if (!tuned.unfit.empty()) say(tuned, unfit, diagnostics);
    }
    if (diagnostics.has_errors()) return false;
    for_each_launch(module, [&](Function& host, OpId id, const Names& points) {
        Names left;
        for (const std::string& point : points) {
            if (!names.contains(point)) left.push_back(point);
        }
        if (!left.empty()) return LaunchOp::set_points(host.op(id), left);
        auto& d = diagnostics.error("E0419", host.span_of(id), "no point of the kernel's tuning space fits here");
        for (const std::string& point : points) note_reasons(d, *module.find(point), unfit.at(point));
    });
    if (diagnostics.has_errors()) return false;
    remove(module, names);
    return true;
}

void keep_first_points(Module& module) {
    std::set<std::string> others;
    for_each_launch(module, [&](Function& host, OpId id, const Names& points) {
        others.insert(points.begin() + 1, points.end());
        LaunchOp::set_points(host.op(id), {points[0]});
    });
    remove(module, others);
}

}  // namespace tsr::ir
