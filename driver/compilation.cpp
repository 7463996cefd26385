#include "driver/compilation.h"

#include <algorithm>
#include <cstdlib>
#include <set>

#include <fmt/core.h>

#include "codegen/link.h"
#include "codegen/program/family.h"
#include "driver/code_store.h"
#include "driver/crash.h"
#include "driver/machines.h"
#include "driver/main_function.h"
#include "ir/machine/memory_rate.h"
#include "ir/numerics/bounds.h"
#include "ir/numerics/roundings.h"
#include "ir/passes/graph/explain_costs.h"
#include "ir/passes/graph/explain_fusions.h"
#include "ir/passes/host/capture_calls.h"
#include "ir/passes/host/explain_memory.h"
#include "ir/passes/target/gpu/box_maps.h"
#include "ir/text/parse_text.h"
#include "ir/text/print.h"
#include "ir/verify/verify.h"
#include "sema/elaborate/elaborate.h"

namespace tsr::driver {

namespace {

// Verification after each pass costs as much as the passes: tests and debug builds pay for it.
bool verifies_passes() {
#ifdef __OPTIMIZE__
    return std::getenv("TESSERA_VERIFY") != nullptr;
#else
    return true;
#endif
}

ir::PassOptions pass_options(const Options& options) {
    ir::PassOptions out;
    out.verify = verifies_passes();
    out.dump_after = options.dump_after;
    if (std::ranges::find(out.dump_after, "all") != out.dump_after.end()) out.dump_after = pass_names();
    out.stop_after = options.stop_after;
    out.pass_limit = options.pass_limit;
    out.time_passes = options.time_passes;
    out.dump = [](const std::string& text) { fmt::print(stderr, "{}", text); };
    return out;
}

std::string stem(const std::string& path) {
    if (path == "-") return "stdin";
    auto name = path.substr(path.rfind('/') + 1);
    auto dot = name.rfind('.');
    return dot == std::string::npos || dot == 0 ? name : name.substr(0, dot);
}

// Whether the functions are what `lower` makes: kernels in the form of groups, launches with their sizes.
bool is_lowered(const ir::Module& module) {
    for (const ir::Function& function : module.functions) {
        for (size_t i = 0; i < function.op_count(); ++i) {
            const ir::Op& op = function.op(ir::OpId(i));
            if (op.kind == ir::OpKind::lanes || op.kind == ir::OpKind::grid) return true;
        }
    }
    return false;
}

// The GPU whose limits are told: the first that is named, else the usual one.
const ir::GpuMachine* limits_of(const Options& options) {
    for (const std::string& target : options.targets) {
        if (const ir::GpuMachine* machine = ir::gpu_machine(target)) return machine;
    }
    return ir::gpu_machine(std::string(ir::kUsualGpu));
}

}  // namespace

Compilation::Compilation(Session& session) : session_(session), manager_(pass_options(session.options())) {}

bool Compilation::read() {
    const Options& options = session_.options();
    if (!read_schedule()) return false;
    if (options.input.ends_with(".ir")) return steps_.time("read IR", [&] { return read_ir(); });
    tree_ = steps_.time("parse", [&] { return session_.parse_file(options.input); });
    if (tree_ == nullptr) return false;
    steps_.time("check", [&] {
        checked_ = sema::check(*tree_, session_.sources,
                               {.import_folders = options.include_folders, .names = false, .verify = verifies_passes()},
                               session_.diagnostics);
    });
    session_.note_sources();
    return !session_.diagnostics.has_errors();
}

bool Compilation::read_schedule() {
    const std::string& path = session_.options().schedule;
    if (path.empty()) return true;
    auto file = session_.sources.load(path);
    if (!file) {
        session_.fail("E0001", file.message());
        return false;
    }
    schedule_ = Schedule::read(session_.sources, file.value(), session_.diagnostics);
    return !session_.diagnostics.has_errors();
}

bool Compilation::read_ir() {
    auto file = session_.sources.load(session_.options().input);
    if (!file) {
        session_.fail("E0001", file.message());
        return false;
    }
    session_.note_sources();
    auto read = ir::parse_text(session_.sources.text(file.value()));
    if (!read) {
        session_.fail("E0005", fmt::format("{}:{}", session_.options().input, read.message()));
        return false;
    }
    module_ = std::move(read).value();
    for (const std::string& fault : ir::verify(module_)) session_.fail("E0005", fault);
    from_ir_ = true;
    lowered_ = is_lowered(module_);
    return !session_.diagnostics.has_errors();
}

bool Compilation::has_main() const { return from_ir_ ? module_.find("main") != nullptr : checked_.main.has_value(); }

bool Compilation::after(ir::PassOutcome outcome) {
    stopped_ = outcome == ir::PassOutcome::stopped;
    return outcome == ir::PassOutcome::done && !session_.diagnostics.has_errors();
}

bool Compilation::elaborate() {
    if (!from_ir_) {
        checked_.checks_local_indices = session_.options().sanitize.bounds;
        steps_.time("elaborate", [&] { module_ = sema::elaborate(checked_, session_.diagnostics); });
    }
    fill_inspections({"graph"});
    return !session_.diagnostics.has_errors();
}

bool Compilation::differentiate() {
    return after(steps_.time("differentiate", [&] {
        return ir::differentiate(module_, manager_, session_.diagnostics, offered_to_others());
    }));
}

std::set<std::string> Compilation::offered_to_others() const {
    return session_.options().makes_library() && !from_ir_ ? offered_graphs(checked_) : std::set<std::string>();
}

std::string Compilation::graph_text() const {
    std::string out;
    for (const ir::Function& function : module_.functions) {
        const bool shown =
            function.level == ir::Level::graph || (function.level == ir::Level::host && !function.is_kernel);
        if (shown) out += (out.empty() ? "" : "\n") + ir::print(function);
    }
    return out;
}

std::string Compilation::explanation() const {
    const Explain& asked = session_.options().explain;
    std::vector<std::string> parts = fusions_;
    if (graphs_.empty() && asked.of_graphs())
        parts.push_back(fmt::format("{} has no operator graphs\n", session_.options().input));
    for (const std::string& name : graphs_) {
        const ir::Function* host = asked.memory ? module_.find(name) : nullptr;
        if (host == nullptr) continue;
        const auto fit = memory_fits_.find(name);
        parts.push_back(ir::explain_memory(*host, session_.sources) + (fit == memory_fits_.end() ? "" : fit->second));
    }
    parts.insert(parts.end(), costs_.begin(), costs_.end());
    if (asked.numerics) parts.push_back(roundings_);
    std::string all;
    for (const std::string& part : parts) all += (all.empty() ? "" : "\n") + part;
    return all;
}

ir::Points Compilation::points() const {
    return session_.options().deterministic ? ir::Points::first : ir::Points::all;
}

bool Compilation::check() {
    if (lowered_) return true;
    if (!elaborate() || !differentiate()) return false;
    if (session_.options().numerics)
        bounds_ = steps_.time("bounds", [&] { return ir::explain_bounds(module_, session_.sources); });
    return after(steps_.time("check kernels", [&] {
        return ir::check_module(module_, manager_, points(), session_.sources, session_.diagnostics);
    }));
}

bool Compilation::lower() {
    if (lowered_) {
        schedule_.check_graphs(graphs_, session_.diagnostics);
        fill_inspections({"tile"});
        return !session_.diagnostics.has_errors();
    }
    return elaborate() && lower_elaborated();
}

bool Compilation::lower_elaborated() {
    if (session_.options().explain.numerics && tree_ != nullptr)
        roundings_ = ir::explain_roundings(module_, session_.sources, tree_->file);
    if (!steps_.time("fit memory", [&] { return fit_memory(); })) return false;
    const bool shows_plans = this->shows_plans();
    const bool graphs = after(steps_.time("lower graphs", [&] {
        return ir::lower_graphs(
            module_, manager_, session_.diagnostics,
            [&](const ir::Function& graph, const ir::FormedFusions& formed) {
                graphs_.push_back(graph.name);
                const Explain& asked = session_.options().explain;
                const ir::GpuMachine& machine = *limits_of(session_.options());
                if (asked.fusion) fusions_.push_back(ir::explain_fusions(graph, formed, session_.sources, machine));
                if (asked.cost) costs_.push_back(ir::explain_costs(graph, formed, session_.sources, machine));
                if (shows_plans && !formed.fused.empty())
                    graph_plans_[graph.name] = ir::fusion_plans(graph, formed, session_.sources, machine);
                schedule_.compare_regions(graph, formed, session_.sources, session_.diagnostics);
            },
            {}, schedule_.fusions(session_.sources), offered_to_others());
    }));
    schedule_.check_graphs(graphs_, session_.diagnostics);
    if (!graphs || session_.diagnostics.has_errors()) return false;
    note_ir("lowering kernels", ir::print(module_));
    const ir::Formulas formulas = session_.options().sanitize.nan ? ir::Formulas::kept : ir::Formulas::expanded;
    const bool kernels = after(steps_.time("lower kernels", [&] {
        return ir::lower_kernels(module_, manager_, points(), session_.diagnostics, formulas);
    }));
    if (!kernels || !ir::check_captured(module_, memory_versions_, session_.sources, session_.diagnostics))
        return false;
    if (session_.options().makes_library() && !from_ir_)
        library_ = make_library(stem(session_.options().input), checked_, module_);
    const bool hosts = after(steps_.time(
        "lower host functions", [&] { return ir::lower_hosts(module_, manager_, session_.diagnostics, formulas); }));
    if (hosts) fill_inspections({"tile"});
    return hosts;
}

bool Compilation::keep_tiles() {
    if (lowered_) {
        session_.fail("E0005", "the text is behind the form of one tile: `--interpret` runs it, without `=tile`");
        return false;
    }
    if (!elaborate() || !inspect_copy() || !differentiate()) return false;
    std::map<std::string, ir::Function> elaborated;
    for (const ir::Function& function : module_.functions) {
        if (function.is_kernel) elaborated.emplace(function.name, function);
    }
    const bool accepted = after(steps_.time(
        "check kernels", [&] { return ir::check_kernels(module_, manager_, points(), session_.diagnostics); }));
    for (ir::Function& function : module_.functions) {
        if (auto found = elaborated.find(function.name); found != elaborated.end()) function = found->second;
    }
    return accepted && after(ir::keep_launches(module_, manager_, session_.diagnostics));
}

codegen::Program Compilation::program() const {
    codegen::Program out;
    out.name = stem(session_.options().input);
    if (tree_ != nullptr) out.docstring = tree_->docstring;
    out.host = &module_;
    if (module_.find(sema::kModuleStatements) != nullptr) out.initialize = sema::kModuleStatements;
    if (session_.options().makes_library()) {
        for (const Library::Function& function : library_.functions) out.exports.push_back(function.exported);
        out.last_error = library_.last_error();
        out.for_python = session_.options().for_python;
    } else if (kept_) {
        // One function for a reader: no program.
    } else if (!from_ir_)
        describe_main(checked_, session_.sources, out);
    else if (has_main())
        out.main = "main";
    // Of points with the same code one is compiled.
    if (families_) out.tunings = tunings_of(module_, families_->point_code(), known_, session_.options());
    std::set<std::string> left_out;
    for (const codegen::Tuning& tuning : out.tunings) left_out.insert(tuning.names.begin(), tuning.names.end());
    for (const codegen::Tuning& tuning : out.tunings) {
        for (const codegen::Tuning::Point& point : tuning.points) left_out.erase(point.family);
    }
    for (const ir::Family& family : families()) {
        if (left_out.contains(family.kernel->name)) continue;
        codegen::KernelFamily& made = out.families.emplace_back(codegen::family_of(*family.kernel));
        for (const ir::Function& thread : family.threads) {
            const bool cubin = ptxas_ != nullptr && codegen::ptxas_knows(thread.plan->machine);
            codegen::add_gpu_variant(made, *family.kernel, thread, names_gpus(session_.options()), cubin);
        }
        for (const ir::CpuVariant& variant : family.variants) codegen::add_variant(made, *family.kernel, variant);
    }
    return out;
}

codegen::Options Compilation::code_options() {
    const Options& options = session_.options();
    codegen::Options how;
    how.level = options.optimization;
    how.debug = options.debug_info;
    // PTX is assembled for the targets that were named; a device takes PTX, too, only later.
    const bool assembles = options.emit == Emit::cubin || names_gpus(options);
    if (!assembles || options.emit == Emit::ptx || options.emit == Emit::llvm) return how;
    ptxas_ = std::make_unique<Ptxas>();
    if (!ptxas_->found() && options.emit != Emit::cubin) ptxas_.reset();
    if (ptxas_ != nullptr) {
        how.assemble = [this](const std::string& ptx, const std::string& target) {
            return ptxas_->assemble(ptx, target);
        };
    }
    return how;
}

template <typename Make, typename Code>
bool Compilation::generate_by(Make make, Code& made) {
    KeptCode kept;
    codegen::Options how = code_options();
    how.store = &kept;
    note_ir("generating code", text());
    auto code = steps_.time("generate code", [&] { return make(how); });
    if (!code) {
        session_.fail("", code.message());
        return false;
    }
    made = std::move(code).value();
    return true;
}

bool Compilation::generate_for_gpus(codegen::GpuForm form, std::vector<codegen::GpuText>& made) {
    return generate_by(
        [&](const codegen::Options& how) { return codegen::compile_for_gpus(program(), session_.sources, how, form); },
        made);
}

bool Compilation::generate(codegen::Emit emit, std::vector<std::string>& made) {
    return generate_by(
        [&](codegen::Options how) {
            how.emit = emit;
            return codegen::compile(program(), session_.sources, how);
        },
        made);
}

bool Compilation::link(const std::vector<std::string>& objects, std::string& executable) {
    codegen::LinkOptions how;
    how.resources = codegen::resource_folder();
    how.debug = session_.options().debug_info;
    how.shared = session_.options().makes_library();
    auto linked = steps_.time("link", [&] { return codegen::link(objects, how); });
    if (!linked) {
        session_.fail("E0002", linked.message());
        return false;
    }
    executable = std::move(linked).value();
    return true;
}

bool Compilation::make_executable(std::string& executable) {
    std::vector<std::string> objects;
    if (!lower() || !lower_to_machines()) return false;
    if (!has_main()) {
        session_.fail("E0003", fmt::format("'{}' has no `main`: an executable needs one", session_.options().input));
        return false;
    }
    return generate(codegen::Emit::objects, objects) && link(objects, executable);
}

void Compilation::report_times() const {
    const Options& options = session_.options();
    if (ptxas_ != nullptr && (options.time_passes || options.verbose)) {
        for (const std::string& line : ptxas_->remarks()) fmt::print(stderr, "{}\n", line);
    }
    if (!options.time_passes) return;
    fmt::print(stderr, "{}\npasses\n{}", steps_.report(), manager_.time_report());
}

}  // namespace tsr::driver
