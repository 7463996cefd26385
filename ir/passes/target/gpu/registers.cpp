#include "ir/passes/target/gpu/registers.h"

#include <algorithm>

#include <fmt/format.h>

#include "ir/ops/control.h"
#include "ir/ops/effects.h"
#include "ir/passes/target/cpu/tiles/uses.h"

namespace tsr::ir {

namespace {

constexpr int64_t kRegistersBeside = 24;  // what addresses, counters and operands take at the least
constexpr int64_t kBits = 32;

int64_t carried_bits(const Function& kernel, ValueSpan carried) {
    int64_t sum = 0;
    for (ValueId value : carried) {
        const Type& type = kernel.type(value);
        if (type.kind == TypeKind::tile) sum += element_count(type) * bits(type.elem);
    }
    return sum;
}

}  // namespace

int64_t carried_registers(const Function& kernel, int64_t threads) {
    int64_t most = 0;
    for_each_op(kernel, kernel.body, [&](OpId id) {
        if (kernel.op(id).kind == OpKind::for_)
            most = std::max(most, carried_bits(kernel, ForOp(kernel, id).carried()));
        if (kernel.op(id).kind == OpKind::while_)
            most = std::max(most, carried_bits(kernel, WhileOp(kernel, id).carried()));
    });
    return most / (kBits * std::max<int64_t>(threads, 1));
}

int64_t registers_of_thread(int64_t threads, const GpuMachine& machine) {
    constexpr int64_t kTogether = 4;  // warps: they get registers as one
    // A plan that is read may name any number of threads; it is refused later.
    const int64_t warps = std::max<int64_t>(threads / kWarp, 1) + (machine.box_copies ? 1 : 0);
    return std::min(kMostRegisters, kRegisterFile / ((warps + kTogether - 1) / kTogether * kTogether * kWarp));
}

std::optional<std::string> lacks_registers(const Function& kernel, const GpuPlan& plan) {
    const int64_t threads = std::max<int64_t>(plan.threads, 1);
    const int64_t needed = carried_registers(kernel, threads), room = std::min(kMostRegisters, kRegisterFile / threads);
    if (needed + kRegistersBeside <= room) return std::nullopt;
    return fmt::format("a loop carries {} registers in each of {} threads, which have {}", needed, threads, room);
}

}  // namespace tsr::ir
