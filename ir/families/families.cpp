#include "ir/families/families.h"

#include <algorithm>

#include <fmt/core.h>

#include "ir/machine/gpu.h"
#include "ir/ops/handle.h"
#include "ir/ops/host.h"
#include "ir/text/print.h"

namespace tsr::ir {

namespace {

// Which kernels host functions launch only where `on_gpu` has said yes, or only where it has said no: on the other kind
// of machine their code would never run.
class AskedLaunches {
public:
    explicit AskedLaunches(const Module& module) {
        for (const Function& function : module.functions) {
            if (function.level == Level::host) region(function, function.body, Where::anywhere);
        }
    }
    [[nodiscard]] std::set<std::string> on_gpus() const { return only(Where::on_gpu); }
    [[nodiscard]] std::set<std::string> on_cpus() const { return only(Where::on_cpu); }

private:
    enum class Where : uint8_t { anywhere, on_gpu, on_cpu };

    // Holds on a GPU alone.
    static bool asks(const Function& host, ValueId condition) {
        const OpId id = host.value(condition).op;
        if (!id.valid()) return false;
        const Op& op = host.op(id);
        if (op.kind == OpKind::bit_and)
            return std::ranges::any_of(op.operands, [&](ValueId v) { return asks(host, v); });
        return HostOp::asks_for_gpu(op) && op.attrs.has(Attr::text);
    }
    // And fails elsewhere alone. A question about no kernel is one about the machine, too.
    static bool asks_nothing_else(const Function& host, ValueId condition) {
        const auto both = defined_by(host, condition, OpKind::bit_and);
        if (!both) {
            const OpId id = host.value(condition).op;
            return id.valid() && HostOp::asks_for_gpu(host.op(id));
        }
        return std::ranges::all_of(host.op(*both).operands, [&](ValueId v) { return asks_nothing_else(host, v); });
    }

    void region(const Function& host, RegionId region_id, Where where) {
        for (const OpId id : host.region(region_id).ops) {
            const Op& op = host.op(id);
            if (op.kind == OpKind::launch) launched_[op.attrs.string(Attr::callee)].insert(where);
            for (size_t i = 0; i < op.regions.size(); ++i) {
                Where there = where;
                if (op.kind == OpKind::if_ && where == Where::anywhere) {
                    if (i == 0 && asks(host, op.operands.front())) there = Where::on_gpu;
                    if (i == 1 && asks_nothing_else(host, op.operands.front())) there = Where::on_cpu;
                }
                region(host, op.regions[i], there);
            }
        }
    }

    [[nodiscard]] std::set<std::string> only(Where where) const {
        std::set<std::string> kernels;
        for (const auto& [kernel, places] : launched_) {
            if (places == std::set{where}) kernels.insert(kernel);
        }
        return kernels;
    }

    std::map<std::string, std::set<Where>> launched_;
};

}  // namespace

Families::Families(Module& module, PassManager& manager, FamilyRequest request, GivenPlans& given,
                   Diagnostics& diagnostics)
    : module_(module),
      manager_(manager),
      request_(std::move(request)),
      given_(given),
      diagnostics_(diagnostics),
      points_(launched_points(module)),
      gpu_points_(module, points_) {
    const AskedLaunches asked(module);
    for_gpus_ = asked.on_gpus();
    for_cpus_ = asked.on_cpus();
}

bool Families::after(PassOutcome outcome) {
    outcome_ = std::max(outcome_, outcome);
    return outcome == PassOutcome::done && !diagnostics_.has_errors();
}

bool Families::lower_to_machine(Family& family, const CpuTarget& machine) {
    std::vector<CpuVariant> made;
    const CpuFields fields = given_.of_cpu(*family.kernel, machine.name, diagnostics_);
    if (diagnostics_.has_errors()) return false;
    const PassOutcome outcome =
        lower_to_cpu(*family.kernel, machine.planned_as, fields, module_, manager_, diagnostics_, made);
    for (CpuVariant& variant : made) {
        variant.machine = machine.name;
        family.variants.push_back(std::move(variant));
    }
    return after(outcome);
}

void Families::report(const NoCode& no) {
    Span span = no.why.op.valid() ? no.kernel->span_of(no.why.op) : Span{};
    if (!span.valid()) span = no.kernel->span();
    diagnostics_.error("E0610", span,
                       fmt::format("`{}` has no code for {} yet: {}", no.kernel->name, no.gpu, no.why.what));
}

// Of a tuned kernel, the points that a GPU has no code for are not tried there; it needs one.
void Families::report_tuned() {
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

// A kernel that has no code for a GPU runs on the CPU, unless the GPU was named.
bool Families::lower_to_gpu(Family& family, const std::string& name) {
    if (const auto why =
            gpu_points_.ruled_out(*family.kernel, *gpu_machine(name), given_.text_of(family.kernel->name).empty())) {
        family.ruled_out.push_back(fmt::format("{}: no code: {}", name, *why));
        return true;
    }
    const GpuFields fields = given_.of_gpu(*family.kernel, name, diagnostics_);
    if (diagnostics_.has_errors()) return false;
    GpuCode code;
    const PassOutcome outcome =
        ir::lower_to_gpu(*family.kernel, *gpu_machine(name), fields, module_, manager_, diagnostics_, code);
    // Points of a tuned kernel take the stages that fit: another point has fewer anyway.
    const bool tuned = family.kernel->kernel.point.has_value();
    const auto& refused = code.without || tuned ? code.without : code.fewer;
    if (code.without && tuned) family.ruled_out.push_back(fmt::format("{}: no code: {}", name, code.without->what));
    if (refused && request_.gpus_named) {
        const auto point = points_.find(family.kernel->name);
        const NoCode no{family.kernel, name, *refused};
        if (point == points_.end())
            report(no);
        else
            without_.try_emplace({point->second, name}, no);
    }
    for (Function& thread : code.threads) family.threads.push_back(std::move(thread));
    return after(outcome);
}

namespace {

// The program without the name of the GPU that it is for.
std::string text_without_gpu(Function thread) {
    thread.plan->machine.clear();
    return print(thread);
}

// Takes out what is for one capability alone and the same program as the newest that later GPUs run, too.
void drop_copies(std::vector<Function>& threads) {
    const auto is_exact = [](const Function& thread) { return gpu_machine(thread.plan->machine)->exact; };
    for (const bool narrow : {false, true}) {
        const auto lasting = std::ranges::find_if(
            threads, [&](const Function& thread) { return !is_exact(thread) && thread.plan->narrow_index == narrow; });
        if (lasting == threads.end()) continue;
        const std::string text = text_without_gpu(*lasting);
        std::erase_if(threads,
                      [&](const Function& thread) { return is_exact(thread) && text_without_gpu(thread) == text; });
    }
}

}  // namespace

bool Families::lower_to_gpus(Family& family) {
    const std::vector<std::string> gpus = request_.gpus;
    const bool done = std::ranges::all_of(gpus, [&](const std::string& name) { return lower_to_gpu(family, name); });
    if (!done || gpus.empty() || request_.gpus_named) return done;
    // What later GPUs run, too. Some code, products of fp8 for one, comes after the GPUs that code is made for unasked.
    const bool lasts = std::ranges::any_of(
        family.threads, [](const Function& thread) { return !gpu_machine(thread.plan->machine)->exact; });
    if (!lasts && !lower_to_gpu(family, "sm_89")) return false;
    drop_copies(family.threads);
    return true;
}

// Code for every machine that is asked for, and would run it.
bool Families::lower(Family& family) {
    bool done = true;
    if (!for_gpus_.contains(family.kernel->name)) {
        for (const CpuTarget& machine : request_.cpus(*family.kernel)) done = lower_to_machine(family, machine) && done;
    }
    if (for_cpus_.contains(family.kernel->name)) return done;
    return done && lower_to_gpus(family);
}

void Families::make_family(const Function& kernel) {
    Family& family = families_.emplace_back();
    family.kernel = &kernel;
    const auto point = points_.find(kernel.name);
    if (point == points_.end()) {
        lower(family);
        return;
    }
    // Of points with the same form one is lowered.
    const auto form = std::pair(point->second, form_text(kernel, request_.gpus_named));
    const auto [first, fresh] = lowered_.emplace(form, &kernel);
    const std::string own = given_.text_of(kernel.name);
    if (!fresh && (own.empty() || own == given_.text_of(first->second->name))) {
        family.same = first->second;
        point_code_[kernel.name] = point_code_.at(first->second->name);
        return;
    }
    lower(family);
    // Points that differ on GPUs alone are worth their code and the time to measure them where GPUs are named.
    static const std::vector<Function> none;
    const bool by_gpu = request_.gpus_named || family.variants.empty();
    point_code_[kernel.name] = ir::point_code(family.variants, by_gpu ? family.threads : none);
}

PassOutcome Families::make() {
    for (size_t i = 0; i < module_.functions.size(); ++i) {  // a pass may add functions behind
        if (module_.functions[i].level == Level::tile) make_family(module_.functions[i]);
    }
    report_tuned();
    return diagnostics_.has_errors() ? PassOutcome::refused : outcome_;
}

}  // namespace tsr::ir
