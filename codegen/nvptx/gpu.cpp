#include "codegen/nvptx/gpu.h"

#include <fmt/format.h>

#include "base/diagnostics.h"
#include "ir/machine/gpu.h"

namespace tsr::codegen {

Result<Gpu> gpu_named(const std::string& name) {
    const ir::GpuMachine* known = ir::gpu_machine(name);
    if (known == nullptr) {
        const auto names = ir::gpu_machine_names();
        const auto meant = nearest(name, names);
        return Failure{fmt::format("unknown GPU `{}`{}: known are {}", name,
                                   meant ? fmt::format("; did you mean `{}`?", *meant) : "", fmt::join(names, ", "))};
    }
    Gpu gpu;
    gpu.name = name;
    gpu.capability = known->capability;
    gpu.exact = known->exact;
    gpu.ptx = gpu.capability >= 120   ? "+ptx87"
              : gpu.capability >= 100 ? "+ptx86"
              : gpu.capability >= 89  ? "+ptx84"
                                      : "+ptx81";
    gpu.saturates = gpu.fma = gpu.converts_f16 = gpu.computes_f16 = gpu.pairs_f16 = true;
    gpu.rounds_bf16 = gpu.fuses_bf16 = gpu.capability >= 80;
    gpu.async_copies = known->async_copies;
    gpu.threads = known->resident_threads;
    gpu.shared_bytes = known->shared_bytes;
    gpu.converts_fp8 = gpu.capability >= 89;
    gpu.divides_lanes = gpu.has_libm = false;
    gpu.cuts_shifts = true;
    gpu.tables_space = 1;  // global memory: constant memory takes a time for each address that a warp asks for
    return gpu;
}

bool ptxas_knows(const std::string& name) {
    constexpr int kFirst = 75;
    const ir::GpuMachine* known = ir::gpu_machine(name);
    return known != nullptr && known->capability >= kFirst;
}

}  // namespace tsr::codegen
