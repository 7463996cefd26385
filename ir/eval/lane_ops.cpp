#include "ir/eval/lane_ops.h"

namespace tsr::ir::eval {

const LaneOps& lane_ops() {
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl")) {
        return avx512::lane_ops();
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return avx2::lane_ops();
#endif
    return baseline::lane_ops();
}

size_t stored_size(DType type) {
    const int width = bits(type);
    return width <= 8 ? 1 : static_cast<size_t>(width) / 8;
}

}  // namespace tsr::ir::eval
