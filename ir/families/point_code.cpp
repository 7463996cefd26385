#include "ir/families/point_code.h"

#include <algorithm>

#include <fmt/core.h>

#include "ir/ops/effects.h"
#include "ir/ops/host.h"
#include "ir/text/print.h"

namespace tsr::ir {

namespace {

std::string nameless(Function task) {
    task.name.clear();
    std::string text = print(task);
    if (task.plan) text += fmt::format("{} {} {}\n", task.plan->machine, task.plan->task, task.scratch_bytes);
    return text;
}

}  // namespace

std::vector<std::vector<std::string>> points_named_together(const Module& module) {
    std::vector<std::vector<std::string>> lists;
    for (const Function& function : module.functions) {
        if (function.level != Level::host) continue;
        for_each_op(function, function.body, [&](OpId id) {
            const Op& op = function.op(id);
            if (op.kind != OpKind::launch) return;
            const auto points = LaunchOp::points_of(op);
            if (points.size() > 1 && std::ranges::find(lists, points) == lists.end()) lists.push_back(points);
        });
    }
    return lists;
}

std::map<std::string, std::string> launched_points(const Module& module) {
    std::map<std::string, std::string> names;
    for (const std::vector<std::string>& list : points_named_together(module)) {
        for (const std::string& name : list) names.emplace(name, list[0]);
    }
    return names;
}

std::string form_text(const Function& kernel, bool with_stages) {
    Function plain = kernel;
    plain.name.clear();
    plain.kernel.point.reset();
    for (size_t i = 0; i < plain.op_count() && !with_stages; ++i) plain.op(OpId(i)).attrs.erase(Attr::prefetch);
    return print(plain);
}

PointCode point_code(const std::vector<CpuVariant>& variants, const std::vector<Function>& threads) {
    PointCode code;
    for (const Function& thread : threads) {
        code.text += nameless(thread);
        if (thread.plan) code.text += fmt::format("{} threads\n", thread.plan->gpu().block_threads());
    }
    for (const CpuVariant& variant : variants) {
        code.text += variant.machine + "\n" + nameless(variant.task) + (variant.narrow_index ? "narrow\n" : "");
        code.scratch = std::max(code.scratch, variant.task.scratch_bytes);
        for (const PackedOperand& operand : variant.packed) {
            code.text += nameless(operand.kernel) + fmt::format("{} bytes\n", operand.block_bytes);
            for (const BlockAxis& axis : operand.axes)
                code.text += fmt::format("{} {} {}\n", axis.symbol, axis.extent, axis.step);
        }
    }
    return code;
}

}  // namespace tsr::ir
