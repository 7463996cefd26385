#include "ir/passes/target/gpu/rings/choose_producers.h"

#include <fmt/format.h>

#include "ir/passes/target/gpu/rings/producer_part.h"
#include "ir/passes/target/gpu/tiles/layouts.h"

namespace tsr::ir {

namespace {

constexpr int64_t kGroup = kGroupWarps * kWarp;  // threads

}  // namespace

int64_t choose_producers(const Function& staged, const GpuMachine& machine) {
    const int64_t threads = staged.plan->gpu().threads;
    if (threads + kGroup > kMostThreads || !producer_part(staged)) return 0;
    return multiplies_by_groups(assign_layouts(staged, threads, machine)) ? kGroup : kWarp;
}

bool shares_registers(const GpuPlan& plan) { return plan.threads == 2 * kGroup && plan.producers == kGroup; }

std::string about_producers(const GpuPlan& plan) {
    const auto registers = fmt::format(", of {} registers; the others have {}", kCopyRegisters, kProductRegisters);
    return fmt::format("roles: {} threads more copy boxes{}", plan.producers, shares_registers(plan) ? registers : "");
}

}  // namespace tsr::ir
