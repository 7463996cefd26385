// `@jit(memory="2_GiB")`: what is computed again so that calls stay within the limit.
#include <algorithm>
#include <set>

#include <fmt/core.h>

#include "driver/compilation.h"
#include "ir/core/lines.h"
#include "ir/ops/effects.h"
#include "ir/passes/host/explain_memory.h"

namespace tsr::driver {

namespace {

void add_named(const ir::Module& module, const ir::Function& function, std::set<std::string>& names) {
    if (!names.insert(function.name).second) return;
    const auto add = [&](const std::string& name) {
        const ir::Function* named = module.find(name);
        if (named != nullptr) add_named(module, *named, names);
    };
    ir::for_each_op(function, function.body, [&](ir::OpId id) {
        const ir::Attrs& attrs = function.op(id).attrs;
        if (attrs.find(ir::Attr::callee) != nullptr) add(attrs.string(ir::Attr::callee));
        if (attrs.find(ir::Attr::names) == nullptr) return;
        for (const std::string& name : attrs.strings(ir::Attr::names)) add(name);
    });
}

// The function, and all that it names.
ir::Module part_of(const ir::Module& module, const ir::Function& function) {
    std::set<std::string> names;
    add_named(module, function, names);
    ir::Module part;
    for (const ir::Function& other : module.functions) {
        if (other.name == function.name)
            part.functions.push_back(function);
        else if (names.contains(other.name))
            part.functions.push_back(other);
    }
    return part;
}

}  // namespace

std::optional<ir::MemoryNeed> Compilation::need_of(const ir::Function& graph, int64_t limit) const {
    ir::Module part = part_of(module_, graph);
    ir::PassOptions quick;
    quick.verify = false;
    ir::PassManager manager(quick);
    Diagnostics unsaid;
    const auto done = [&](ir::PassOutcome outcome) { return outcome == ir::PassOutcome::done && !unsaid.has_errors(); };
    // What is wrong with the schedule is told where the function itself is lowered.
    Diagnostics of_schedule;
    const ir::GivenFusions given = schedule_.fusions(session_.sources);
    if (ir::lower_graphs(part, manager, of_schedule, {}, {}, given) != ir::PassOutcome::done ||
        !done(ir::lower_kernels(part, manager, points(), unsaid)) || !done(ir::lower_hosts(part, manager, unsaid)))
        return std::nullopt;
    const ir::MemorySums sums = ir::memory_sums(*part.find(graph.name), session_.sources);
    const auto all = sums.all.constant_value();
    if (!all) return std::nullopt;
    ir::MemoryNeed need{0, 0, *all};
    for (const ir::Dim& bytes : sums.at_once) {
        const auto known = bytes.constant_value();
        if (!known) return std::nullopt;
        need.most = std::max(need.most, *known);
        need.beyond += std::max<int64_t>(*known - limit, 0);
    }
    return need;
}

bool Compilation::fit_memory() {
    std::map<std::string, const sema::Function*> limited;
    for (const sema::Instance& instance : checked_.instances) {
        // Of a derivative that the host calls the function counts that it is of.
        for (const sema::InstanceId of : {instance.id, instance.derived_from}) {
            if (!of.valid() || !checked_.instance(of).function.valid()) continue;
            const sema::Function& function = checked_.function(checked_.instance(of).function);
            if (function.memory) limited.emplace(instance.name, &function);
        }
    }
    if (limited.empty()) return true;
    if (!differentiate()) return false;
    ir::PassContext context{module_, session_.diagnostics, ""};
    if (!after(manager_.run_on_all(ir::graph_pipeline(), module_, context))) return false;
    for (const auto& [name, function] : limited) {
        ir::Function* graph = module_.find(name);
        if (graph == nullptr || graph->level != ir::Level::graph) continue;
        const int64_t limit = *function->memory;
        const auto fit = ir::fit_memory(*graph, limit,
                                        [&](const ir::Function& tried, int64_t goal) { return need_of(tried, goal); });
        if (!fit) {
            session_.diagnostics.error(
                "E0614", function->memory_at,
                fmt::format("what a call of `{}` needs is not known: extents of its tensors are not, or it has no code",
                            name));
            continue;
        }
        if (fit->after > limit) {
            auto& error = session_.diagnostics.error(
                "E0614", function->memory_at,
                fmt::format("a call of `{}` needs {} bytes at once, `memory` allows {}", name, fit->after, limit));
            if (fit->after < fit->before)
                error.note(fmt::format("it is {} where no value is computed again", fit->before));
        }
        std::string& text = memory_fits_[name];
        text = fmt::format("  `memory` allows {} B; {} B where nothing is computed again\n", limit, fit->before);
        for (const ir::Recomputed& one : fit->chosen) {
            const ir::Value& value = graph->value(one.value);
            text += fmt::format("  computed again: {} of {}, {} B\n", value.name.empty() ? "a tensor" : value.name,
                                ir::line_text(*graph, graph->op(value.op).place, session_.sources), one.bytes);
        }
    }
    return !session_.diagnostics.has_errors();
}

}  // namespace tsr::driver
