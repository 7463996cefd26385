#include "ir/machine/atomics.h"

namespace tsr::ir {

namespace {

constexpr int32_t kVectors = 90;       // the first capability with vectors of them, and with bf16x2
constexpr int64_t kWidestAtomic = 16;  // bytes

}  // namespace

// PTX ISA 9.0, "red": .f16x2 from sm_60 on, .bf16x2 and vectors from sm_90 on.
bool adds_packed(DType type, AtomicOp op, int32_t capability) {
    if (op != AtomicOp::add) return false;
    return type == DType::f16 || (capability >= kVectors && (type == DType::bf16 || type == DType::f32));
}

int64_t packed_elements(DType type, AtomicOp op, Space space, int32_t capability) {
    const bool combines = op == AtomicOp::add || op == AtomicOp::min || op == AtomicOp::max;
    if (!is_float(type) || !combines) return 1;
    const bool vectors = capability >= kVectors && space == Space::global && adds_packed(type, op, capability);
    if (vectors) return kWidestAtomic * 8 / bits(type);
    return bits(type) == 16 ? 2 : 1;
}

}  // namespace tsr::ir
