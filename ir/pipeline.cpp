#include "ir/pipeline.h"

#include <algorithm>
#include <map>
#include <optional>

#include "ir/ops/register.h"
#include "ir/ops/same_code.h"
#include "ir/passes/autodiff/differentiate.h"
#include "ir/passes/graph/lower_fusions.h"
#include "ir/passes/graph/share_numbers.h"
#include "ir/passes/graph/sink_gathers.h"
#include "ir/passes/host/asked_kernels.h"
#include "ir/passes/host/capture_calls.h"
#include "ir/passes/host/lower_dims.h"
#include "ir/passes/host/lower_launches.h"
#include "ir/passes/host/ownership.h"
#include "ir/passes/host/points.h"
#include "ir/passes/math/expand_math.h"
#include "ir/passes/math/expand_rounding.h"
#include "ir/passes/math/round_factors.h"
#include "ir/passes/simplify/simplify.h"
#include "ir/passes/target/cpu/choose_plan.h"
#include "ir/passes/target/cpu/hoist_gathers.h"
#include "ir/passes/target/cpu/spread_lanes.h"
#include "ir/passes/target/cpu/tiles/merge_k.h"
#include "ir/passes/target/cpu/tiles/split_k.h"
#include "ir/passes/target/cpu/tiles/widen_products.h"
#include "ir/passes/target/gpu/narrow_indices.h"
#include "ir/passes/target/gpu/rings/check_cluster.h"
#include "ir/passes/target/gpu/rings/check_rings.h"
#include "ir/passes/target/gpu/rings/stage.h"
#include "ir/passes/target/gpu/spread_threads.h"
#include "ir/passes/target/gpu/tiles/layouts.h"
#include "ir/passes/target/gpu/tiles/widen_operands.h"
#include "ir/passes/target/gpu/unroll_loops.h"
#include "ir/passes/tile/check_copies.h"
#include "ir/passes/tile/check_races.h"
#include "ir/passes/tile/check_resources.h"
#include "ir/passes/tile/check_uniform.h"
#include "ir/passes/tile/divide_groups.h"
#include "ir/passes/tile/form_groups.h"
#include "ir/passes/tile/number_tensors.h"
#include "ir/passes/tile/peel_guard.h"
#include "ir/passes/tile/walk.h"

namespace tsr::ir {

namespace {

template <Level At>
Pass<At, At> always(std::string_view name, void (*run)(Function&)) {
    return {name, [run](Function& function, PassContext&) { return run(function), true; }, false};
}

template <Level At>
Pass<At, At> better(std::string_view name, void (*run)(Function&)) {
    return {name, [run](Function& function, PassContext&) { return run(function), true; }, true};
}

template <Level At>
Pass<At, At> check(std::string_view name, bool (*run)(const Function&, Diagnostics&)) {
    return {name, [run](Function& function, PassContext& context) { return run(function, context.diagnostics); },
            false};
}

bool run_form_groups(Function& kernel, PassContext& context) {
    auto shape = classify(kernel, context.diagnostics);
    if (!shape) return false;
    bool uniform = check_uniform(kernel, *shape, context.diagnostics);
    if (!check_races(kernel, *shape, context.diagnostics) || !uniform) return false;
    kernel = form_groups(kernel, *shape);
    return true;
}

bool run_spread_lanes(Function& kernel, PassContext&) {
    kernel = spread_lanes(kernel);
    return true;
}

void run_simplify(Function& function) { simplify(function); }

void round_all(Function& kernel) {
    round_factors(kernel, [](OpId) { return true; });
}

}  // namespace

Pipeline<Level::tile, Level::tile> group_pipeline() {
    constexpr Level kTile = Level::tile;
    return start<kTile>()                                               //
           | always<kTile>("number_tensors", number_tensors)            //
           | Pass<kTile, kTile>{"form_groups", run_form_groups, false}  //
           | better<kTile>("simplify", run_simplify)                    //
           | check<kTile>("check_resources", check_resources)           //
           | check<kTile>("check_copies", check_copies);
}

Pipeline<Level::tile, Level::tile> kernel_pipeline(Formulas formulas) {
    constexpr Level kTile = Level::tile;
    auto pipeline = group_pipeline() | better<kTile>("peel_guard", peel_guard);
    if (formulas == Formulas::expanded)
        pipeline = std::move(pipeline) | always<kTile>("expand_math", expand_math_for_gpus);
    return std::move(pipeline) | always<kTile>("expand_rounding", expand_rounding) |
           better<kTile>("simplify_groups", run_simplify);
}

Pipeline<Level::tile, Level::tile> cpu_formula_pipeline() {
    constexpr Level kTile = Level::tile;
    return start<kTile>()                                        //
           | always<kTile>("expand_math_for_cpus", expand_math)  //
           | better<kTile>("simplify_formulas", run_simplify);
}

Pipeline<Level::tile, Level::tile> cpu_product_pipeline(std::vector<PackedOperand>& packed) {
    constexpr Level kTile = Level::tile;
    auto split = [&packed](Function& kernel, PassContext&) {
        if (kernel.plan->cpu().split == 0) return true;
        packed.push_back(split_k(kernel));
        round_all(packed.back().kernel);
        widen_products(packed.back().kernel);
        return true;
    };
    auto pack = [&packed](Function& kernel, PassContext&) {
        for (PackedOperand& operand : pack_operands(kernel)) packed.push_back(std::move(operand));
        return true;
    };
    auto hoist = [](Function& kernel, PassContext&) {
        if (hoist_gathers(kernel)) simplify(kernel);
        return true;
    };
    return start<kTile>()                                      //
           | Pass<kTile, kTile>{"hoist_gathers", hoist, true}  //
           | better<kTile>("merge_k", merge_k)                 //
           | Pass<kTile, kTile>{"split_k", split, true}        //
           | always<kTile>("round_factors", round_all)         //
           | always<kTile>("widen_products", widen_products)   //
           | Pass<kTile, kTile>{"pack_operands", pack, true};
}

Pipeline<Level::tile, Level::target> cpu_pipeline() {
    return start<Level::tile>()                                                         //
           | Pass<Level::tile, Level::target>{"spread_lanes", run_spread_lanes, false}  //
           | better<Level::target>("simplify_task", run_simplify);
}

Pipeline<Level::target, Level::target> narrow_pipeline(const IndexRanges::Promises& guard) {
    constexpr Level kTarget = Level::target;
    auto narrow = [guard](Function& thread, PassContext&) {
        narrow_indices(thread, guard);
        return true;
    };
    return start<kTarget>()                                          //
           | Pass<kTarget, kTarget>{"narrow_indices", narrow, true}  //
           | better<kTarget>("simplify_narrow", run_simplify);
}

Pipeline<Level::tile, Level::target> gpu_pipeline(const GpuMachine& machine) {
    auto widen = [&machine](Function& kernel, PassContext&) {
        widen_operands(kernel, machine);
        round_factors(kernel, [&](OpId id) { return !product_of(kernel, MmaOp(kernel, id), machine.capability); });
        return true;
    };
    auto rings = [&machine](Function& kernel, PassContext&) {
        stage(kernel, machine);
        return true;
    };
    // Of copies that the program starts itself the barriers are placed later.
    auto proved = [](Function& kernel, PassContext&) {
        if (!any_below(kernel, kernel.body, [](const Op& op) { return op.kind == OpKind::take; })) return true;
        for (const std::string& fault : check_rings(kernel)) internal_error("a ring that does not hold: " + fault);
        for (const std::string& fault : check_cluster(kernel)) internal_error("a cluster that does not hold: " + fault);
        return true;
    };
    auto spread = [&machine](Function& kernel, PassContext&) {
        kernel = spread_threads(kernel, machine);
        for (const std::string& fault : check_boxes(kernel)) internal_error("copies that do not hold: " + fault);
        return true;
    };
    return start<Level::tile>()                                                 //
           | always<Level::tile>("divide_groups", divide_groups)                //
           | Pass<Level::tile, Level::tile>{"widen_operands", widen, true}      //
           | Pass<Level::tile, Level::tile>{"stage", rings, true}               //
           | Pass<Level::tile, Level::tile>{"check_rings", proved, false}       //
           | Pass<Level::tile, Level::target>{"spread_threads", spread, false}  //
           | better<Level::target>("simplify_thread", run_simplify)             //
           | better<Level::target>("unroll_loops", unroll_loops);
}

namespace {

Pipeline<Level::host, Level::host> launch_pipeline() {
    constexpr Level kHost = Level::host;
    return start<kHost>() | always<kHost>("ask_for_kernels", ask_for_kernels) |
           Pass<kHost, kHost>{"lower_launches", lower_launches, false};
}

}  // namespace

Pipeline<Level::host, Level::host> host_pipeline(Formulas formulas) {
    constexpr Level kHost = Level::host;
    auto pipeline = launch_pipeline() | always<kHost>("lower_dims", lower_dims);
    if (formulas == Formulas::expanded) pipeline = std::move(pipeline) | always<kHost>("expand_math", expand_math);
    return std::move(pipeline) | always<kHost>("expand_rounding", expand_rounding) |
           better<kHost>("simplify", run_simplify) | always<kHost>("ownership", place_ownership);
}

ModulePass drop_points_pass(std::map<std::string, Diagnostics> unfit) {
    return {"drop_unfit_points", [unfit = std::move(unfit)](Module& module, PassContext& context) {
                return drop_unfit_points(module, unfit, context.diagnostics);
            }};
}

ModulePass keep_first_points_pass() {
    return {"keep_first_points", [](Module& module, PassContext&) {
                keep_first_points(module);
                return true;
            }};
}

namespace {

void add(Diagnostics& all, const Diagnostics& found) {
    for (const Diagnostic& said : found.all()) {
        Diagnostic& here = said.severity == Severity::error     ? all.error(said.code, said.span, said.message)
                           : said.severity == Severity::warning ? all.warning(said.code, said.span, said.message)
                                                                : all.note(said.code, said.span, said.message);
        here.labels = said.labels;
        here.notes = said.notes;
        here.fix = said.fix;
    }
}

// A point of a tuned kernel that is refused for its size alone leaves the choice to the others.
bool too_large(const Function& kernel, const Diagnostics& found) {
    return kernel.kernel.point && found.has_errors() && std::ranges::all_of(found.all(), [](const Diagnostic& d) {
               return d.severity != Severity::error || d.code == kTooMuchMemory;
           });
}

}  // namespace

namespace {

PassOutcome lower_kernels(Module& module, PassManager& manager, const Pipeline<Level::tile, Level::tile>& pipeline,
                          Points points, Diagnostics& diagnostics) {
    PassOutcome all = PassOutcome::done;
    std::map<std::string, Diagnostics> unfit;
    for (size_t i = 0; i < module.functions.size(); ++i) {  // a pass may add functions behind
        Function& function = module.functions[i];
        if (function.level != Level::tile) continue;
        Diagnostics found;
        PassContext context{module, found, ""};
        const PassOutcome outcome = manager.run(pipeline, function, context);
        if (too_large(function, found)) {
            unfit.emplace(function.name, std::move(found));
            continue;
        }
        add(diagnostics, found);
        all = std::max(all, outcome);
    }
    PassContext context{module, diagnostics, ""};
    if (!unfit.empty()) all = std::max(all, manager.run(drop_points_pass(std::move(unfit)), context));
    if (points == Points::first && all == PassOutcome::done) all = manager.run(keep_first_points_pass(), context);
    return all;
}

PassOutcome lower_hosts(Module& module, PassManager& manager, const Pipeline<Level::host, Level::host>& pipeline,
                        Diagnostics& diagnostics) {
    PassContext context{module, diagnostics, ""};
    return manager.run_on_all(pipeline, module, context);
}

}  // namespace

PassOutcome lower_kernels(Module& module, PassManager& manager, Points points, Diagnostics& diagnostics,
                          Formulas formulas) {
    return lower_kernels(module, manager, kernel_pipeline(formulas), points, diagnostics);
}

PassOutcome lower_hosts(Module& module, PassManager& manager, Diagnostics& diagnostics, Formulas formulas) {
    return lower_hosts(module, manager, host_pipeline(formulas), diagnostics);
}

PassOutcome check_kernels(Module& module, PassManager& manager, Points points, Diagnostics& diagnostics) {
    return lower_kernels(module, manager, group_pipeline(), points, diagnostics);
}

PassOutcome check_module(Module& module, PassManager& manager, Points points, const Sources& sources,
                         Diagnostics& diagnostics) {
    // What a CUDA graph holds is seen in the kernels and host functions that graphs become: of a copy.
    std::optional<Module> captured;
    if (has_captured(module)) captured = module;
    PassOutcome outcome = check_kernels(module, manager, points, diagnostics);
    if (outcome == PassOutcome::done) outcome = lower_hosts(module, manager, launch_pipeline(), diagnostics);
    if (!captured || outcome != PassOutcome::done) return outcome;
    outcome = lower_graphs(*captured, manager, diagnostics);
    if (outcome == PassOutcome::done) outcome = lower_kernels(*captured, manager, points, diagnostics);
    if (outcome != PassOutcome::done) return outcome;
    return check_captured(*captured, {}, sources, diagnostics) ? outcome : PassOutcome::refused;
}

Pipeline<Level::graph, Level::graph> graph_pipeline() {
    return start<Level::graph>()                                   //
           | better<Level::graph>("simplify_graph", run_simplify)  //
           | better<Level::graph>("sink_gathers", sink_gathers)    //
           | better<Level::graph>("simplify_gathers", run_simplify);
}

std::vector<ModulePass> graph_passes(const FusionObserver& fusions, const KernelObserver& kernels,
                                     const GivenFusions& given) {
    return {form_fusions_pass(fusions, given), share_numbers_pass(), lower_fusions_pass(kernels)};
}

PassOutcome differentiate(Module& module, PassManager& manager, Diagnostics& diagnostics,
                          const std::set<std::string>& kept) {
    PassContext context{module, diagnostics, ""};
    return manager.run(differentiate_pass(kept), context);
}

PassOutcome lower_graphs(Module& module, PassManager& manager, Diagnostics& diagnostics, const FusionObserver& fusions,
                         const KernelObserver& kernels, const GivenFusions& given, const std::set<std::string>& kept) {
    const auto is_graph = [](const Function& function) { return function.level == Level::graph; };
    if (std::ranges::none_of(module.functions, is_graph)) return PassOutcome::done;
    PassContext context{module, diagnostics, ""};
    PassOutcome outcome = differentiate(module, manager, diagnostics, kept);
    if (outcome == PassOutcome::done) outcome = manager.run_on_all(graph_pipeline(), module, context);
    for (const ModulePass& pass : graph_passes(fusions, kernels, given)) {
        if (outcome == PassOutcome::done) outcome = manager.run(pass, context);
    }
    return outcome;
}

PassOutcome place_tensors(Module& module, PassManager& manager, Diagnostics& diagnostics, const GivenFusions& given) {
    PassContext context{module, diagnostics, ""};
    PassOutcome outcome = manager.run_on_all(graph_pipeline(), module, context);
    if (outcome == PassOutcome::done) outcome = manager.run(form_fusions_pass({}, given), context);
    const auto pipeline = start<Level::host>() | always<Level::host>("ownership", place_ownership);
    return outcome == PassOutcome::done ? lower_hosts(module, manager, pipeline, diagnostics) : outcome;
}

PassOutcome keep_launches(Module& module, PassManager& manager, Diagnostics& diagnostics) {
    const auto pipeline = start<Level::host>()  //
                          | always<Level::host>("expand_rounding", expand_rounding);
    return lower_hosts(module, manager, pipeline, diagnostics);
}

PassOutcome lower_module(Module& module, PassManager& manager, Points points, Diagnostics& diagnostics) {
    const PassOutcome kernels = lower_kernels(module, manager, points, diagnostics);
    return kernels == PassOutcome::done ? lower_hosts(module, manager, diagnostics) : kernels;
}

namespace {

PassOutcome lower_expanded_to_cpu(const Function& kernel, const std::string& level, const CpuFields& fields,
                                  Module& module, PassManager& manager, Diagnostics& diagnostics,
                                  std::vector<CpuVariant>& variants) {
    PassContext context{module, diagnostics, level};
    const CpuMachine& planned = *cpu_machine(level);
    auto lower_by = [&](const Plan& plan, const CpuPlanFields& of_operands) {
        Function task = kernel;
        task.plan = plan;
        std::vector<PackedOperand> packed;
        PassOutcome outcome = manager.run(cpu_product_pipeline(packed), task, context);
        for (PackedOperand& operand : packed) {
            if (outcome != PassOutcome::done) break;
            operand.kernel.plan = choose_plan(operand.kernel, planned, plan.narrow_index, of_operands);
            outcome = manager.run(cpu_pipeline(), operand.kernel, context);
        }
        if (outcome == PassOutcome::done) outcome = manager.run(cpu_pipeline(), task, context);
        if (outcome != PassOutcome::refused)
            variants.push_back({level, std::move(task), std::move(packed), plan.narrow_index});
        return outcome;
    };
    auto lower = [&](bool narrow) {
        return lower_by(choose_plan(kernel, planned, narrow, narrow ? fields.narrow : fields.plain), {});
    };
    const auto split = fields.split.split == 0 ? std::nullopt : choose_split_plan(kernel, planned, fields.split);
    if (split) {
        const CpuPlan& cpu = split->cpu();
        const PassOutcome outcome =
            lower_by(*split, {.lanes = cpu.lanes, .interleave = cpu.interleave, .panels = fields.split.panels});
        if (outcome != PassOutcome::done) return outcome;
    }
    PassOutcome outcome = lower(true);
    if (outcome != PassOutcome::done) return outcome;
    outcome = lower(false);
    if (outcome != PassOutcome::done) return outcome;
    // Where no vector of indices is made both are one.
    if (same_code(variants.end()[-2].task, variants.back().task)) variants.erase(variants.end() - 2);
    return outcome;
}

}  // namespace

PassOutcome lower_to_cpu(const Function& kernel, const std::string& level, const CpuFields& fields, Module& module,
                         PassManager& manager, Diagnostics& diagnostics, std::vector<CpuVariant>& variants) {
    if (!has_gpu_functions(kernel))
        return lower_expanded_to_cpu(kernel, level, fields, module, manager, diagnostics, variants);
    Function expanded = kernel;
    PassContext context{module, diagnostics, level};
    const PassOutcome outcome = manager.run(cpu_formula_pipeline(), expanded, context);
    if (outcome != PassOutcome::done) return outcome;
    return lower_expanded_to_cpu(expanded, level, fields, module, manager, diagnostics, variants);
}

PassOutcome lower_to_gpu(const Function& kernel, const GpuMachine& machine, const GpuFields& fields, Module& module,
                         PassManager& manager, Diagnostics& diagnostics, GpuCode& code) {
    GpuVariants chosen = choose_gpu_variants(kernel, machine, fields);
    code.without = std::move(chosen.without);
    code.fewer = std::move(chosen.fewer);
    PassContext context{module, diagnostics, machine.name};
    PassOutcome outcome = PassOutcome::done;
    for (const Plan& plan : chosen.plans) {
        Function thread = kernel;
        thread.plan = plan;
        outcome = manager.run(gpu_pipeline(machine), thread, context);
        if (outcome != PassOutcome::refused) code.threads.push_back(std::move(thread));
        if (outcome != PassOutcome::done) return outcome;
    }
    if (!chosen.narrow) return outcome;
    Function narrow = code.threads.back();
    narrow.plan = chosen.narrow;
    outcome = manager.run(narrow_pipeline(narrow_guard(kernel, parts_of(chosen.narrow->gpu()))), narrow, context);
    if (!same_code(narrow, code.threads.back())) code.threads.insert(code.threads.end() - 1, std::move(narrow));
    return outcome;
}

}  // namespace tsr::ir
