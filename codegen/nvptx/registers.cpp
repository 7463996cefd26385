#include "codegen/nvptx/registers.h"

#include <algorithm>
#include <string>

#include <llvm/IR/Instructions.h>

#include "codegen/nvptx/liveness.h"
#include "codegen/nvptx/sink.h"
#include "codegen/nvptx/task.h"
#include "ir/machine/gpu.h"

namespace tsr::codegen {

namespace {

constexpr int64_t kUnit = 8;  // that a thread's are counted in
constexpr int64_t kFew = 40;  // values that are worth no search for cheap ones
// That ptxas takes for itself: conditions, and addresses. It starts the loads that stand beside each other together and
// holds an address for each, which the order of LLVM's instructions does not show.
constexpr int64_t kBeside = 32;
constexpr int64_t kMostLoads = 16;
constexpr int64_t kOfLoad = 2;
constexpr int64_t kMostOfWarp = 128;  // of a block of one warp that shares the multiprocessor with others

// The most loads from global memory that stand beside each other.
int64_t loads_together(const llvm::Function& function) {
    int64_t most = 0;
    for (const llvm::BasicBlock& block : function) {
        const auto here = std::ranges::count_if(block, [](const llvm::Instruction& instruction) {
            const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
            return load != nullptr && load->getPointerAddressSpace() == kGlobalSpace;
        });
        most = std::max<int64_t>(most, here);
    }
    return most;
}

}  // namespace

int64_t registers_at_once(const llvm::Function& function) { return Liveness(function).most(); }

namespace {

// Says how many blocks are to run on a multiprocessor at once, where that is fewer than its threads allow.
void bound_blocks(llvm::Function& entry, const Gpu& gpu, int64_t threads, int64_t shared_bytes) {
    const int64_t beside = kBeside + kOfLoad * std::min(loads_together(entry), kMostLoads);
    const int64_t held = threads <= ir::kWarp ? registers_at_once(entry) : Liveness(entry, Liveness::Made::half).most();
    const int64_t wanted = std::min(held + beside, ir::kMostRegisters);
    if (threads <= ir::kWarp && wanted > kMostOfWarp) {
        entry.addFnAttr("nvvm.minctasm", "1");  // without it ptxas takes at most 168, and spills
        return;
    }
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
