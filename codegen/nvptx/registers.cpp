#include "codegen/nvptx/registers.h"

#include <algorithm>
#include <string>

#include "codegen/nvptx/liveness.h"
#include "codegen/nvptx/sink.h"
#include "ir/machine/gpu.h"

namespace tsr::codegen {

namespace {

constexpr int64_t kUnit = 8;     // that a thread's are counted in
constexpr int64_t kFew = 40;     // values that are worth no search for cheap ones
constexpr int64_t kBeside = 16;  // that ptxas takes for itself: addresses, conditions
// In a block of one warp. ptxas starts the loads of long code together and holds an address for each, which the order
// of LLVM's instructions does not show: more are left to it.
constexpr int64_t kBesideOfWarp = 24;
constexpr int64_t kMostOfWarp = 128;

}  // namespace

int64_t registers_at_once(const llvm::Function& function) { return Liveness(function).most(); }

namespace {

// Says how many blocks are to run on a multiprocessor at once, where that is fewer than its threads allow.
void bound_blocks(llvm::Function& entry, const Gpu& gpu, int64_t threads, int64_t shared_bytes) {
    const int64_t beside = threads <= ir::kWarp ? kBesideOfWarp : kBeside;
    const int64_t held = threads <= ir::kWarp ? registers_at_once(entry) : Liveness(entry, Liveness::Made::half).most();
    const int64_t wanted = std::min(held + beside, ir::kMostRegisters);
    if (threads <= ir::kWarp && wanted > kMostOfWarp) return;
    const int64_t each = (wanted + kUnit - 1) / kUnit * kUnit;
    const int64_t warps = (threads + ir::kWarp - 1) / ir::kWarp;
    const int64_t in_part = ir::kRegisterFile / ir::kRegisterParts / (each * ir::kWarp);
    int64_t blocks = in_part * ir::kRegisterParts / warps;
    if (blocks * threads >= gpu.threads) return;
    if (shared_bytes > 0) blocks = std::min(blocks, gpu.shared_bytes / shared_bytes);
    entry.addFnAttr("nvvm.minctasm", std::to_string(std::max<int64_t>(blocks, 1)));
}

}  // namespace

bool fit_registers(llvm::Function& entry, const Gpu& gpu, int64_t threads, int64_t shared_bytes) {
    const bool many = registers_at_once(entry) > kFew;
    if (many) sink_cheap_values(entry);
    if (!entry.hasFnAttribute("nvvm.minctasm")) bound_blocks(entry, gpu, threads, shared_bytes);
    return many;
}

}  // namespace tsr::codegen
