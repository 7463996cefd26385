// What code is asked for, by the command line.
#include "driver/compilation.h"
#include "driver/crash.h"
#include "driver/machines.h"
#include "ir/text/print.h"

namespace tsr::driver {

namespace {

ir::FamilyRequest request_of(const Options& options) {
    ir::FamilyRequest request;
    request.cpus = [&options](const ir::Function& kernel) {
        std::vector<ir::CpuTarget> targets;
        if (!wants_cpu(options)) return targets;
        for (const std::string& name : machines_of(options, kernel)) targets.push_back({name, planned_as(name)});
        return targets;
    };
    request.gpus = gpus_of(options);
    request.gpus_named = names_gpus(options);
    return request;
}

}  // namespace

const std::deque<ir::Family>& Compilation::families() const {
    static const std::deque<ir::Family> none;
    return families_ ? families_->all() : none;
}

bool Compilation::lower_to_machines() {
    note_ir("making tasks", ir::print(module_));
    schedule_.check_names(module_, session_.diagnostics);
    if (session_.diagnostics.has_errors()) return false;
    return steps_.time("lower to machines", [&] {
        families_ = std::make_unique<ir::Families>(module_, manager_, request_of(session_.options()), schedule_,
                                                   session_.diagnostics);
        const ir::PassOutcome outcome = families_->make();
        schedule_.tell_unused(session_.diagnostics);
        const bool done = after(outcome);
        if (done) fill_inspections({"schedule", "target"});
        return done;
    });
}

}  // namespace tsr::driver
