// Every pass in order.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "ir/passes/graph/lower_fusions.h"
#include "ir/passes/manager.h"
#include "ir/passes/target/cpu/tiles/pack_operands.h"
#include "ir/passes/target/gpu/choose_variants.h"
#include "ir/passes/target/index_range.h"

namespace tsr::ir {

// The program of one tile → the program of one group, with the rules that are checked on it.
Pipeline<Level::tile, Level::tile> group_pipeline();

// Whether elementary functions become their formulas. The evaluator expands those that are left by itself; it then sees
// functions of the program where it looks for what makes a NaN, and not what happens inside of their formulas.
enum class Formulas : uint8_t { expanded, kept };

// The same, simplified: what the evaluator runs and, with formulas expanded, every machine starts from. The functions
// stay that GPUs have instructions for.
Pipeline<Level::tile, Level::tile> kernel_pipeline(Formulas formulas = Formulas::expanded);

// Group form → the same without the functions that only GPUs have instructions for.
Pipeline<Level::tile, Level::tile> cpu_formula_pipeline();

// Group form with a plan → the same with its products in the form of a CPU, and what fills their operands.
Pipeline<Level::tile, Level::tile> cpu_product_pipeline(std::vector<PackedOperand>& packed);

// The same → one task on a CPU.
Pipeline<Level::tile, Level::target> cpu_pipeline();

// Group form with a plan for a GPU → the program of one thread.
Pipeline<Level::tile, Level::target> gpu_pipeline(const GpuMachine& machine);

// The program of one thread → the same with indices of 32 bits, under the guard.
Pipeline<Level::target, Level::target> narrow_pipeline(const IndexRanges::Promises& guard);

// Host functions, once the kernels they launch are in group form.
Pipeline<Level::host, Level::host> host_pipeline(Formulas formulas = Formulas::expanded);

// Leaves out points of tuned kernels, behind the first pipeline. `unfit`: kernels that do not fit, and what is said of
// each.
ModulePass drop_points_pass(std::map<std::string, Diagnostics> unfit);
ModulePass keep_first_points_pass();

// Graph functions, before they are cut.
Pipeline<Level::graph, Level::graph> graph_pipeline();
// What cuts them and makes kernels of the parts.
std::vector<ModulePass> graph_passes(const FusionObserver& fusions = {}, const KernelObserver& kernels = {},
                                     const GivenFusions& given = {});
// Derivatives that graphs name → what computes them. `kept`: functions that stay, though only derivatives name them.
PassOutcome differentiate(Module& module, PassManager& manager, Diagnostics& diagnostics,
                          const std::set<std::string>& kept = {});
// The same first, then Graph functions → Host functions that launch kernels, which are added.
PassOutcome lower_graphs(Module& module, PassManager& manager, Diagnostics& diagnostics,
                         const FusionObserver& fusions = {}, const KernelObserver& kernels = {},
                         const GivenFusions& given = {}, const std::set<std::string>& kept = {});
// Graph functions → Host functions that call what each kernel will be made of, with the references that they count: as
// much as tells which tensors there are when, but for those that a kernel's own code asks for.
PassOutcome place_tensors(Module& module, PassManager& manager, Diagnostics& diagnostics, const GivenFusions& given);

// Which points of tuned kernels stay in the module: those that fit, or the first of them.
enum class Points : uint8_t { all, first };
// Runs the first on every kernel of the module; the last on every host function.
PassOutcome lower_kernels(Module& module, PassManager& manager, Points points, Diagnostics& diagnostics,
                          Formulas formulas = Formulas::expanded);
PassOutcome lower_hosts(Module& module, PassManager& manager, Diagnostics& diagnostics,
                        Formulas formulas = Formulas::expanded);
// Host functions whose launches stay as they are written: the evaluator looks for the size of each by itself.
PassOutcome keep_launches(Module& module, PassManager& manager, Diagnostics& diagnostics);
// Kernels, then host functions.
PassOutcome lower_module(Module& module, PassManager& manager, Points points, Diagnostics& diagnostics);

// The rules of kernels alone; what is left of them is good for nothing else.
PassOutcome check_kernels(Module& module, PassManager& manager, Points points, Diagnostics& diagnostics);
// As far as rules are checked on the way, and no further: what the functions are then is good for nothing else.
PassOutcome check_module(Module& module, PassManager& manager, Points points, const Sources& sources,
                         Diagnostics& diagnostics);

// One compiled form of a kernel, and what it assumes.
struct CpuVariant {
    std::string machine;                // that code is made for: the level of its plan, or one that has all of it
    Function task;                      // level Target, with its plan
    std::vector<PackedOperand> packed;  // tasks of level Target, run before it
    bool narrow_index = false;  // every dimension and the number of groups or tiles is below IndexRanges::kLimit
};

// What is fixed of the plans of a kernel's variants.
struct CpuFields {
    CpuPlanFields plain;
    CpuPlanFields narrow;  // of the one with narrow indices
    CpuPlanFields split;   // of the one whose sums over k are split
};

// The variants of a kernel in group form for one level of x86-64, the one without assumptions last.
PassOutcome lower_to_cpu(const Function& kernel, const std::string& level, const CpuFields& fields, Module& module,
                         PassManager& manager, Diagnostics& diagnostics, std::vector<CpuVariant>& variants);

// The variants of a kernel in group form for one GPU; or what keeps it from having code there.
struct GpuCode {
    std::vector<Function> threads;  // level Target, with their plans, the one without assumptions last
    std::optional<NoGpuCode> without;
    std::optional<NoGpuCode> fewer;  // it has code, with fewer stages than the program asks for
};
PassOutcome lower_to_gpu(const Function& kernel, const GpuMachine& machine, const GpuFields& fields, Module& module,
                         PassManager& manager, Diagnostics& diagnostics, GpuCode& code);

}  // namespace tsr::ir
