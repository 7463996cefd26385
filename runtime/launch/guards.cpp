#include "runtime/launch/guards.h"

namespace tsr::runtime {

namespace {

bool holds(const TsrGuard& guard, const uint64_t* slots) {
    auto value = static_cast<int64_t>(slots[guard.slot]);
    switch (static_cast<TsrGuardOp>(guard.op)) {
        case TSR_GUARD_LESS:
            return value < guard.value;
        case TSR_GUARD_AT_LEAST:
            return value >= guard.value;
        case TSR_GUARD_EQUAL:
            return value == guard.value;
        case TSR_GUARD_DIVISIBLE:
            return value % guard.value == 0;
    }
    return false;
}

}  // namespace

bool accepts(const TsrKernelVariant& variant, const uint64_t* slots) {
    for (int32_t i = 0; i < variant.nguards; ++i) {
        if (!holds(variant.guards[i], slots)) return false;
    }
    return variant.accepts == nullptr || variant.accepts(slots) != 0;
}

}  // namespace tsr::runtime
