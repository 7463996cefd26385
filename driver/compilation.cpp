#include "driver/compilation.h"

#include <algorithm>
#include <cstdlib>
#include <set>

#include <fmt/core.h>

#include "codegen/family.h"
#include "codegen/link.h"
#include "codegen/nvptx/boxes.h"
#include "driver/crash.h"
#include "driver/machines.h"
#include "driver/main_function.h"
#include "ir/core/parse_text.h"
#include "ir/core/print.h"
#include "ir/core/verify.h"
#include "ir/passes/host/points.h"
#include "ir/passes/target/gpu/plan.h"
#include "ir/passes/target/gpu/registers.h"
#include "ir/passes/target/gpu/spread_threads.h"
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

}  // namespace

Compilation::Compilation(Session& session) : session_(session), manager_(pass_options(session.options())) {}

bool Compilation::read() {
    const Options& options = session_.options();
    if (!read_schedule()) return false;
    if (options.input.ends_with(".ir")) return steps_.time("read IR", [&] { return read_ir(); });
    tree_ = steps_.time("parse", [&] { return session_.parse_file(options.input); });
    if (tree_ == nullptr) return false;
    steps_.time("check", [&] {
        checked_ =
            sema::check(*tree_, session_.sources, {.import_folders = options.include_folders}, session_.diagnostics);
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
        steps_.time("elaborate", [&] { module_ = sema::elaborate(checked_, session_.diagnostics); });
    }
    return !session_.diagnostics.has_errors();
}

ir::Points Compilation::points() const {
    return session_.options().deterministic ? ir::Points::first : ir::Points::all;
}

bool Compilation::check() {
    if (lowered_) return true;
    return elaborate() && after(steps_.time("check kernels", [&] {
               return ir::check_module(module_, manager_, points(), session_.diagnostics);
           }));
}

bool Compilation::lower() {
    if (lowered_) return true;
    if (!elaborate()) return false;
    note_ir("lowering kernels", ir::print(module_));
    const bool kernels = after(steps_.time(
        "lower kernels", [&] { return ir::lower_kernels(module_, manager_, points(), session_.diagnostics); }));
    if (!kernels) return false;
    if (session_.options().makes_library() && !from_ir_)
        library_ = make_library(stem(session_.options().input), checked_, module_);
    return after(
        steps_.time("lower host functions", [&] { return ir::lower_hosts(module_, manager_, session_.diagnostics); }));
}

bool Compilation::lower_to_machine(Family& family, const std::string& machine) {
    std::vector<ir::CpuVariant> made;
    const ir::CpuFields fields = schedule_.of_cpu(*family.kernel, machine, session_.diagnostics);
    if (session_.diagnostics.has_errors()) return false;
    auto outcome =
        ir::lower_to_cpu(*family.kernel, planned_as(machine), fields, module_, manager_, session_.diagnostics, made);
    for (ir::CpuVariant& variant : made) {
        variant.task.plan->machine = machine;
        family.variants.push_back(std::move(variant));
    }
    return after(outcome);
}

void Compilation::report(const NoCode& no) {
    Span span = no.why.op.valid() ? no.kernel->span_of(no.why.op) : Span{};
    if (!span.valid()) span = no.kernel->span();
    session_.diagnostics.error("E0610", span,
                               fmt::format("`{}` has no code for {} yet: {}", no.kernel->name, no.gpu, no.why.what));
}

// Of a tuned kernel, the points that a GPU has no code for are not tried there; it needs one.
void Compilation::report_tuned() {
    for (const auto& [wanted, no] : without_) {
        const auto& [tuned, gpu] = wanted;
        const bool other = std::ranges::any_of(families_, [&](const Family& family) {
            const auto point = points_.find(family.kernel->name);
            return point != points_.end() && point->second == tuned &&
                   std::ranges::any_of(family.threads, [&](const auto& code) { return code.plan->machine == gpu; });
        });
        if (!other) report(no);
    }
}

// Why a point is not worth its code for a GPU: another one of the same tuning keeps in registers what this one does
// not.
std::optional<std::string> Compilation::ruled_out(const ir::Function& kernel, const std::string& gpu) const {
    const auto point = points_.find(kernel.name);
    if (point == points_.end()) return std::nullopt;
    const ir::GpuMachine& machine = *ir::gpu_machine(gpu);
    if (ir::without_gpu_code(kernel, machine)) return std::nullopt;
    const auto why = ir::lacks_registers(kernel, ir::choose_gpu_plan(kernel, machine));
    if (!why) return std::nullopt;
    const bool better = std::ranges::any_of(module_.functions, [&](const ir::Function& other) {
        const auto same = points_.find(other.name);
        return same != points_.end() && same->second == point->second && !ir::without_gpu_code(other, machine) &&
               !ir::lacks_registers(other, ir::choose_gpu_plan(other, machine));
    });
    return better ? why : std::nullopt;
}

// A kernel that has no code for a GPU runs on the CPU, unless the GPU was named.
bool Compilation::lower_to_gpu(Family& family, const std::string& name) {
    if (const auto why = ruled_out(*family.kernel, name)) {
        family.ruled_out.push_back(fmt::format("{}: no code: {}", name, *why));
        return true;
    }
    ir::GpuCode code;
    const ir::PlanFields fields = schedule_.of_gpu(*family.kernel, name, session_.diagnostics);
    if (session_.diagnostics.has_errors()) return false;
    const ir::GpuMachine& machine = *ir::gpu_machine(name);
    const auto lower = [&](const ir::GpuMachine& to) {
        code = {};
        return ir::lower_to_gpu(*family.kernel, to, fields, module_, manager_, session_.diagnostics, code);
    };
    auto outcome = lower(machine);
    // Tensors that have no boxes are loaded in another way.
    if (outcome == ir::PassOutcome::done && code.kernel && codegen::copies_boxes(*code.kernel)) {
        family.threads.push_back(std::move(*code.kernel));
        outcome = lower(ir::without_boxes(machine));
    }
    // Points of a tuned kernel take the stages that fit: another point has fewer anyway.
    const bool tuned = ir::point_of(*family.kernel).has_value();
    const auto& refused = code.without || tuned ? code.without : code.fewer;
    if (refused && names_gpus(session_.options())) {
        const auto point = points_.find(family.kernel->name);
        const NoCode no{family.kernel, name, *refused};
        if (point == points_.end())
            report(no);
        else
            without_.try_emplace({point->second, name}, no);
    }
    if (code.kernel) family.threads.push_back(std::move(*code.kernel));
    return after(outcome);
}

namespace {

// The program without the name of the GPU that it is for.
std::string text_without_gpu(ir::Function thread) {
    thread.plan->machine.clear();
    return ir::print(thread);
}

// Takes out what is for one capability alone and the same program as the newest that later GPUs run, too.
void drop_copies(std::vector<ir::Function>& threads) {
    const auto is_exact = [](const ir::Function& thread) { return ir::gpu_machine(thread.plan->machine)->exact; };
    const auto lasting = std::ranges::find_if_not(threads, is_exact);
    if (lasting == threads.end()) return;
    const std::string text = text_without_gpu(*lasting);
    std::erase_if(threads,
                  [&](const ir::Function& thread) { return is_exact(thread) && text_without_gpu(thread) == text; });
}

}  // namespace

bool Compilation::lower_to_gpus(Family& family) {
    const std::vector<std::string> gpus = gpus_of(session_.options());
    const bool done = std::ranges::all_of(gpus, [&](const std::string& name) { return lower_to_gpu(family, name); });
    if (!done || gpus.empty() || names_gpus(session_.options())) return done;
    // What later GPUs run, too. Some code, products of fp8 for one, comes after the GPUs that code is made for unasked.
    const bool lasts = std::ranges::any_of(
        family.threads, [](const ir::Function& thread) { return !ir::gpu_machine(thread.plan->machine)->exact; });
    if (!lasts && !lower_to_gpu(family, "sm_89")) return false;
    drop_copies(family.threads);
    return true;
}

// Code for every machine that is asked for.
bool Compilation::lower_family(Family& family) {
    bool done = true;
    if (wants_cpu(session_.options())) {
        for (const std::string& machine : machines_of(session_.options(), *family.kernel))
            done = lower_to_machine(family, machine) && done;
    }
    return done && lower_to_gpus(family);
}

bool Compilation::lower_families() {
    bool done = true;
    points_ = launched_points(module_);
    const bool by_gpu = names_gpus(session_.options());
    std::map<std::pair<std::string, std::string>, const ir::Function*> lowered;  // of points, by their form
    for (const ir::Function& function : module_.functions) {
        if (function.level != ir::Level::tile) continue;
        Family& family = families_.emplace_back();
        family.kernel = &function;
        const auto point = points_.find(function.name);
        if (point != points_.end()) {
            const auto form = std::pair(point->second, form_text(function, by_gpu));
            const auto [first, fresh] = lowered.emplace(form, &function);
            const std::string own = schedule_.text_of(function.name);
            if (!fresh && (own.empty() || own == schedule_.text_of(first->second->name))) family.same = first->second;
        }
        if (family.same != nullptr) {
            point_code_[function.name] = point_code_.at(family.same->name);
            continue;
        }
        done = lower_family(family) && done;
        if (point == points_.end()) continue;
        // Points that differ on GPUs alone are worth their code and the time to measure them where GPUs are named.
        static const std::vector<ir::Function> none;
        point_code_[function.name] =
            point_code(family.variants, by_gpu || family.variants.empty() ? family.threads : none);
    }
    schedule_.tell_unused(session_.diagnostics);
    report_tuned();
    return done && !session_.diagnostics.has_errors();
}

bool Compilation::lower_to_machines() {
    note_ir("making tasks", ir::print(module_));
    schedule_.check_names(module_, session_.diagnostics);
    if (session_.diagnostics.has_errors()) return false;
    return steps_.time("lower to machines", [&] { return lower_families(); });
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
    } else if (!from_ir_)
        describe_main(checked_, session_.sources, out);
    else if (has_main())
        out.main = "main";
    // Of points with the same code one is compiled.
    if (!families_.empty()) out.tunings = tunings_of(module_, point_code_, known_, session_.options());
    std::set<std::string> left_out;
    for (const codegen::Tuning& tuning : out.tunings) left_out.insert(tuning.names.begin(), tuning.names.end());
    for (const codegen::Tuning& tuning : out.tunings) {
        for (const codegen::Tuning::Point& point : tuning.points) left_out.erase(point.family);
    }
    for (const Family& family : families_) {
        if (left_out.contains(family.kernel->name)) continue;
        codegen::KernelFamily& made = out.families.emplace_back(codegen::family_of(*family.kernel));
        for (const ir::Function& thread : family.threads) {
            const bool cubin = ptxas_ != nullptr && codegen::ptxas_knows(thread.plan->machine);
            codegen::add_gpu_variant(made, thread, names_gpus(session_.options()), cubin);
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

bool Compilation::generate_for_gpus(codegen::GpuForm form, std::vector<codegen::GpuText>& made) {
    const codegen::Options how = code_options();
    note_ir("generating code", text());
    auto code =
        steps_.time("generate code", [&] { return codegen::compile_for_gpus(program(), session_.sources, how, form); });
    if (!code) {
        session_.fail("", code.message());
        return false;
    }
    made = std::move(code).value();
    return true;
}

bool Compilation::generate(codegen::Emit emit, std::vector<std::string>& made) {
    codegen::Options how = code_options();
    how.emit = emit;
    note_ir("generating code", text());
    auto code = steps_.time("generate code", [&] { return codegen::compile(program(), session_.sources, how); });
    if (!code) {
        session_.fail("", code.message());
        return false;
    }
    made = std::move(code).value();
    return true;
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
    if (!has_main()) {
        session_.fail("E0003", fmt::format("'{}' has no `main`: an executable needs one", session_.options().input));
        return false;
    }
    std::vector<std::string> objects;
    return lower() && lower_to_machines() && generate(codegen::Emit::objects, objects) && link(objects, executable);
}

std::string Compilation::text() const {
    if (families_.empty()) return ir::print(module_);
    std::string out;
    for (const Family& family : families_) {
        for (const ir::CpuVariant& variant : family.variants)
            out += (out.empty() ? "" : "\n") + ir::print(variant.task);
        for (const ir::Function& thread : family.threads) out += (out.empty() ? "" : "\n") + ir::print(thread);
    }
    return out;
}

std::string Compilation::plans() const {
    std::string out;
    for (const Family& family : families_) {
        out += fmt::format("{}kernel @{}\n", out.empty() ? "" : "\n", family.kernel->name);
        for (const ir::Note& note : family.kernel->kernel.notes) {
            auto line = note.place.valid() ? session_.sources.position(note.place.file, note.place.begin).line : 0;
            out += fmt::format("  # line {}: {}\n", line, note.text);
        }
        if (family.same != nullptr) out += fmt::format("  # the code of @{}\n", family.same->name);
        for (const std::string& why : family.ruled_out) out += fmt::format("  # {}\n", why);
        for (const ir::CpuVariant& variant : family.variants) out += plan_lines(*variant.task.plan);
        for (const ir::Function& thread : family.threads) {
            // It follows from the plan of what does without.
            if (!codegen::copies_boxes(thread)) out += plan_lines(*thread.plan);
        }
    }
    return out;
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
