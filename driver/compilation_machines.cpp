// Kernels on their way to machines: variants for CPUs and GPUs, and the points of tuned ones that have code.
#include <algorithm>

#include <fmt/core.h>

#include "codegen/nvptx/boxes.h"
#include "driver/compilation.h"
#include "driver/crash.h"
#include "driver/machines.h"
#include "ir/passes/target/gpu/choose_threads.h"
#include "ir/passes/target/gpu/cost_model.h"
#include "ir/passes/target/gpu/parts.h"
#include "ir/passes/target/gpu/plan.h"
#include "ir/passes/target/gpu/registers.h"
#include "ir/passes/target/gpu/spread_threads.h"
#include "ir/passes/tile/divide_groups.h"
#include "ir/text/print.h"

namespace tsr::driver {

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

// What a loop carries and a block that runs a whole group has no registers for.
std::optional<std::string> lacks_registers(const ir::Function& kernel, const ir::GpuMachine& machine) {
    return ir::lacks_registers(kernel, ir::choose_threads(kernel, machine, {}));
}

// Each asks for a plan, whose rings are tried out: once is enough.
const Compilation::PointOnGpu& Compilation::on_gpu(const ir::Function& kernel, const ir::GpuMachine& machine) {
    const auto [found, fresh] = on_gpus_.try_emplace({kernel.name, machine.name});
    if (fresh) {
        const auto planned = ir::planned_for_gpu(kernel, machine);
        if (const auto* plan = std::get_if<ir::Plan>(&planned)) found->second.plan = *plan;
        found->second.lacks = lacks_registers(kernel, machine);
    }
    return found->second;
}

const ir::Priced& Compilation::priced(const ir::Function& kernel, const ir::GpuMachine& machine) {
    const auto [found, fresh] = priced_.try_emplace({kernel.name, machine.name});
    if (fresh) {
        const ir::Function planned = ir::divided_by(on_gpu(kernel, machine).plan.value(), kernel);
        found->second = {ir::grid_steps(planned), ir::product_costs(planned, machine)};
    }
    return found->second;
}

// Why a point is not worth its code for a GPU: another one of the same tuning keeps in registers what this one does
// not, or is faster for every size. A group that is divided so that it does is what smaller tiles make, too.
std::optional<std::string> Compilation::ruled_out(const ir::Function& kernel, const std::string& gpu) {
    const auto point = points_.find(kernel.name);
    if (point == points_.end()) return std::nullopt;
    const ir::GpuMachine& machine = *ir::gpu_machine(gpu);
    if (!on_gpu(kernel, machine).plan) return std::nullopt;
    std::vector<const ir::Function*> others;
    for (const ir::Function& other : module_.functions) {
        const auto same = points_.find(other.name);
        const bool beside = same != points_.end() && same->second == point->second && &other != &kernel;
        if (!beside) continue;
        const PointOnGpu& its = on_gpu(other, machine);
        if (its.plan && !its.lacks) others.push_back(&other);
    }
    if (const auto& why = on_gpu(kernel, machine).lacks) return others.empty() ? std::nullopt : why;
    if (!schedule_.text_of(kernel.name).empty()) return std::nullopt;
    const ir::Priced& own = priced(kernel, machine);
    for (const ir::Function* other : others) {
        const ir::Priced& its = priced(*other, machine);
        if (!ir::clearly_worse(own, its)) continue;
        return fmt::format(
            "by the cost model 1024 multiply-adds take {:.2f} cycles with all multiprocessors busy, and {:.0f} steps "
            "of the "
            "loop {:.0f} in a block alone: {} takes {:.2f} and {:.0f}",
            own.loops[0].busy, ir::kSteps, own.loops[0].alone * ir::kSteps, other->kernel.point->text(),
            its.loops[0].busy, its.loops[0].alone * ir::kSteps);
    }
    return std::nullopt;
}

// A kernel that has no code for a GPU runs on the CPU, unless the GPU was named.
bool Compilation::lower_to_gpu(Family& family, const std::string& name) {
    if (const auto why = ruled_out(*family.kernel, name)) {
        family.ruled_out.push_back(fmt::format("{}: no code: {}", name, *why));
        return true;
    }
    ir::GpuCode code;
    const Schedule::GpuFields fields = schedule_.of_gpu(*family.kernel, name, session_.diagnostics);
    if (session_.diagnostics.has_errors()) return false;
    const ir::GpuMachine& machine = *ir::gpu_machine(name);
    const auto lower = [&](const ir::GpuMachine& to) {
        code = {};
        return ir::lower_to_gpu(*family.kernel, to, to.box_copies ? fields.boxes : fields.plain, module_, manager_,
                                session_.diagnostics, code);
    };
    auto outcome = lower(machine);
    // Tensors that have no boxes are stored and loaded in another way.
    if (outcome == ir::PassOutcome::done && code.kernel && codegen::copies_boxes(*code.kernel)) {
        const bool suit = codegen::stored_rows_suit(*family.kernel, *code.kernel);
        family.threads.push_back(std::move(*code.kernel));
        if (!suit) {
            outcome = lower(ir::without_box_stores(machine));
            if (outcome == ir::PassOutcome::done) family.threads.push_back(std::move(*code.kernel));
        }
        if (outcome == ir::PassOutcome::done) outcome = lower(ir::without_boxes(machine));
    }
    // Points of a tuned kernel take the stages that fit: another point has fewer anyway.
    const bool tuned = family.kernel->kernel.point.has_value();
    const auto& refused = code.without || tuned ? code.without : code.fewer;
    if (code.without && tuned) family.ruled_out.push_back(fmt::format("{}: no code: {}", name, code.without->what));
    if (refused && names_gpus(session_.options())) {
        const auto point = points_.find(family.kernel->name);
        const NoCode no{family.kernel, name, *refused};
        if (point == points_.end())
            report(no);
        else
            without_.try_emplace({point->second, name}, no);
    }
    if (code.narrow) family.threads.push_back(std::move(*code.narrow));
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
    for (const bool narrow : {false, true}) {
        const auto lasting = std::ranges::find_if(threads, [&](const ir::Function& thread) {
            return !is_exact(thread) && thread.plan->narrow_index == narrow;
        });
        if (lasting == threads.end()) continue;
        const std::string text = text_without_gpu(*lasting);
        std::erase_if(threads,
                      [&](const ir::Function& thread) { return is_exact(thread) && text_without_gpu(thread) == text; });
    }
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

}  // namespace tsr::driver
