// `@jit(memory="2_GiB")`: what is computed again so that calls stay within the limit.
#include <algorithm>
#include <set>

#include <fmt/core.h>

#include "driver/compilation.h"
#include "ir/build/dim_code.h"
#include "ir/core/lines.h"
#include "ir/ops/effects.h"
#include "ir/passes/host/choose_version.h"
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

bool is_known_to_calls(const ir::MemorySums& sums, const ir::Function& graph) {
    const std::set<std::string> bound = ir::bound_by_parameters(graph);
    return std::ranges::all_of(sums.all.symbols(), [&](const std::string& symbol) { return bound.contains(symbol); });
}

ir::MemoryNeed need_of(const ir::MemoryNumbers& numbers, int64_t limit) {
    ir::MemoryNeed need{0, 0, numbers.all};
    for (const int64_t bytes : numbers.at_once) {
        need.most = std::max(need.most, bytes);
        need.beyond += std::max<int64_t>(bytes - limit, 0);
    }
    return need;
}

bool is_beyond(const ir::MemorySums& sums, int64_t extent, int64_t limit) {
    return std::ranges::any_of(sums.most,
                               [&](const ir::Dim& bytes) { return ir::at_extent(bytes, extent).value_or(0) > limit; });
}

// One extent for all dimensions that only the run knows, at which the limit is just too low; the greatest that is tried
// where it never is. Quotients such as `n/4` are whole numbers there.
int64_t extent_beyond(const ir::MemorySums& sums, int64_t limit) {
    constexpr int64_t kStep = 64, kGreatest = 1 << 14;  // in steps
    int64_t steps = 1;
    while (steps < kGreatest && !is_beyond(sums, steps * kStep, limit)) steps += std::max<int64_t>(steps / 8, 1);
    return steps * kStep;
}

std::string chosen_text(const ir::Function& graph, const std::vector<ir::Recomputed>& chosen, const Sources& sources) {
    std::string text;
    for (const ir::Recomputed& one : chosen) {
        const ir::Value& value = graph.value(one.value);
        text += fmt::format("  computed again: {} of {}, {} B\n", value.name.empty() ? "a tensor" : value.name,
                            ir::line_text(graph, graph.op(value.op).place, sources), ir::bytes_of(value.type).text());
    }
    return text;
}

void say_unknown(Diagnostics& diagnostics, const sema::Function& function, const std::string& name) {
    diagnostics.error("E0614", function.memory_at,
                      fmt::format("what a call of `{}` needs is not known when it begins: extents of its tensors are "
                                  "not, or it has no code",
                                  name));
}

}  // namespace

std::optional<ir::Function> Compilation::tensors_of(const ir::Function& graph, CountedBy which) const {
    ir::Module part = part_of(module_, graph);
    ir::PassOptions quick;
    quick.verify = false;
    ir::PassManager manager(quick);
    Diagnostics unsaid;
    const auto done = [&](ir::PassOutcome outcome) { return outcome == ir::PassOutcome::done && !unsaid.has_errors(); };
    // What is wrong with the schedule is told where the function itself is lowered.
    Diagnostics of_schedule;
    const ir::GivenFusions given = schedule_.fusions(session_.sources);
    if (which == CountedBy::fusions) {
        if (ir::place_tensors(part, manager, of_schedule, given) != ir::PassOutcome::done) return std::nullopt;
    } else if (ir::lower_graphs(part, manager, of_schedule, {}, {}, given) != ir::PassOutcome::done ||
               !done(ir::lower_kernels(part, manager, points(), unsaid)) ||
               !done(ir::lower_hosts(part, manager, unsaid))) {
        return std::nullopt;
    }
    return std::move(*part.find(graph.name));
}

std::optional<ir::MemorySums> Compilation::sums_of(const ir::Function& graph) const {
    const auto host = tensors_of(graph, CountedBy::kernels);
    return host ? std::optional(ir::memory_sums(*host, session_.sources)) : std::nullopt;
}

std::optional<ir::MemoryFit> Compilation::fitted(ir::Function& graph, int64_t limit, int64_t extent) const {
    const auto counted = [&](CountedBy which) {
        return [this, which, extent](const ir::Function& tried, int64_t at_most) -> std::optional<ir::MemoryNeed> {
            const auto host = tensors_of(tried, which);
            if (!host) return std::nullopt;
            const auto numbers = ir::memory_numbers(*host, session_.sources,
                                                    [&](const ir::Dim& bytes) { return ir::at_extent(bytes, extent); });
            return numbers ? std::optional(need_of(*numbers, at_most)) : std::nullopt;
        };
    };
    // Fusions are counted faster than kernels, which may need some memory of their own, are made. Large functions, of
    // which each try takes long, are tried less often.
    const int quick_tries = std::clamp(60'000 / static_cast<int>(graph.op_count()), 24, 400);
    const int tries = std::clamp(6'000 / static_cast<int>(graph.op_count()), 4, 16);
    const auto before = counted(CountedBy::kernels)(graph, limit);
    if (!before) return std::nullopt;
    ir::MemoryFit as_it_is{before->most, before->most, {}};
    if (before->most <= limit) return as_it_is;
    const ir::Function original = graph;
    const auto quick = ir::fit_memory(graph, limit, extent, quick_tries, counted(CountedBy::fusions));
    auto fit = ir::fit_memory(graph, limit, extent, tries, counted(CountedBy::kernels));
    if (!quick || !fit) return std::nullopt;
    if (fit->after >= before->most) {
        graph = original;
        return as_it_is;
    }
    fit->before = before->most;
    fit->chosen.insert(fit->chosen.begin(), quick->chosen.begin(), quick->chosen.end());
    return fit;
}

void Compilation::fit_known_extents(ir::Function& graph, const sema::Function& function) {
    constexpr int64_t kNone = 0;  // there is no dimension that it stands for
    const int64_t limit = *function.memory;
    const auto fit = fitted(graph, limit, kNone);
    if (!fit) return say_unknown(session_.diagnostics, function, graph.name);
    if (fit->after > limit) {
        auto& error = session_.diagnostics.error(
            "E0614", function.memory_at,
            fmt::format("a call of `{}` needs {} bytes at once, `memory` allows {}", graph.name, fit->after, limit));
        if (fit->after < fit->before) error.note(fmt::format("it is {} where no value is computed again", fit->before));
    }
    memory_fits_[graph.name] =
        fmt::format("  `memory` allows {} B; {} B where nothing is computed again\n", limit, fit->before) +
        chosen_text(graph, fit->chosen, session_.sources);
}

void Compilation::fit_by_versions(ir::Function& graph, const sema::Function& function, const ir::MemorySums& sums) {
    const int64_t limit = *function.memory, extent = extent_beyond(sums, limit);
    const std::string name = graph.name;
    std::vector<ir::MemoryVersion> versions{{name + ".most", sums.most}};
    std::vector<ir::Function> made;
    const auto add = [&](ir::Function version, const char* suffix, const ir::MemoryFit& fit) {
        versions.push_back({name + suffix, sums_of(version)->most});
        version.name = versions.back().name;
        memory_fits_[version.name] = chosen_text(version, fit.chosen, session_.sources);
        made.push_back(std::move(version));
    };
    // The least that there is, and what stands in the middle between that and what computes nothing again.
    ir::Function least = graph, less = graph;
    if (const auto to_least = fitted(least, 0, extent); to_least && !to_least->chosen.empty()) {
        const auto to_middle = fitted(less, (to_least->before + to_least->after) / 2, extent);
        if (to_middle && to_middle->chosen.size() < to_least->chosen.size()) add(std::move(less), ".less", *to_middle);
        add(std::move(least), ".least", *to_least);
    }
    for (const ir::Dim& bytes : versions.back().most) {
        if (!ir::is_never_negative(bytes - ir::Dim::constant(limit + 1))) continue;
        session_.diagnostics.error("E0614", function.memory_at,
                                   fmt::format("a call of `{}` needs {} bytes at once, `memory` allows {}", name,
                                               ir::greatest_text(versions.back().most), limit));
        return;
    }
    std::string before;
    for (const ir::MemoryVersion& version : versions) {
        memory_versions_.insert(version.name);
        std::string& text = memory_fits_[version.name];
        text.insert(0, fmt::format("  `memory` allows {} B: calls of `{}` take this where it needs no more{}\n", limit,
                                   name, before.empty() ? "" : fmt::format(", but `{}` does", before)));
        before = version.name;
    }
    const ir::Function chooses = ir::choosing_version(graph, versions, limit, function.memory_at);
    graph.name = versions.front().name;
    for (ir::Function& version : made) module_.functions.push_back(std::move(version));
    module_.functions.push_back(chooses);
}

const sema::Function& Compilation::limiting(const sema::Function& function) const {
    const auto named = limited_like_.find(function.name);
    if (named == limited_like_.end() || function.memory) return function;
    const auto other = std::ranges::find_if(checked_.functions, [&](const sema::Function& one) {
        return one.module == function.module && one.name == named->second && !one.enclosing;
    });
    return other == checked_.functions.end() ? function : *other;
}

bool Compilation::fit_memory() {
    std::map<std::string, const sema::Function*> limited;
    for (const sema::Instance& instance : checked_.instances) {
        // Of a derivative that the host calls the function counts that it is of.
        for (const sema::InstanceId of : {instance.id, instance.derived_from}) {
            if (!of.valid() || !checked_.instance(of).function.valid()) continue;
            const sema::Function& function = limiting(checked_.function(checked_.instance(of).function));
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
        const auto sums = sums_of(*graph);
        if (!sums || !is_known_to_calls(*sums, *graph)) {
            say_unknown(session_.diagnostics, *function, name);
        } else if (sums->all.constant_value()) {
            fit_known_extents(*graph, *function);
        } else {
            fit_by_versions(*graph, *function, *sums);
        }
    }
    return !session_.diagnostics.has_errors();
}

}  // namespace tsr::driver
