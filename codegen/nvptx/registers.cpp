#include "codegen/nvptx/registers.h"

#include <algorithm>
#include <string>
#include <vector>

#include <llvm/ADT/BitVector.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

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
constexpr int64_t kMostLoadsOfWarp = 64;  // of a block of one warp, those from shared memory with them
constexpr int64_t kOfLoad = 2;
constexpr int64_t kMostOfWarp = 128;  // of a block of one warp that shares the multiprocessor with others

// What of a value is in a register of its own.
const llvm::Value* held(const llvm::Value* value) {
    while (true) {
        if (const auto* cast = llvm::dyn_cast<llvm::CastInst>(value);
            cast != nullptr && cast->isNoopCast(cast->getModule()->getDataLayout())) {
            value = cast->getOperand(0);
        } else if (const auto* place = llvm::dyn_cast<llvm::GetElementPtrInst>(value);
                   place != nullptr && place->hasAllConstantIndices()) {
            value = place->getPointerOperand();
        } else if (const auto* frozen = llvm::dyn_cast<llvm::FreezeInst>(value)) {
            value = frozen->getOperand(0);
        } else {
            return value;
        }
    }
}

class Liveness {
public:
    explicit Liveness(const llvm::Function& function) : layout_(function.getParent()->getDataLayout()) {
        for (const llvm::BasicBlock& block : function) {
            for (const llvm::Instruction& instruction : block) {
                if (held(&instruction) != &instruction || size_of(instruction) == 0) continue;
                numbers_[&instruction] = static_cast<unsigned>(sizes_.size());
                sizes_.push_back(size_of(instruction));
            }
        }
        follow(function);
    }

    int64_t most() const { return most_; }

private:
    // Structures are what an instruction gives before it is taken apart: their parts count.
    int64_t size_of(const llvm::Instruction& instruction) const {
        llvm::Type* type = instruction.getType();
        if (type->isVoidTy() || type->isStructTy() || type->isTokenTy() || llvm::isa<llvm::AllocaInst>(instruction))
            return 0;
        if (type->getScalarSizeInBits() == 1) return 0;
        return static_cast<int64_t>((layout_.getTypeSizeInBits(type).getFixedValue() + 31) / 32);
    }

    void set(const llvm::Value* value, llvm::BitVector& live) const {
        const auto found = numbers_.find(held(value));
        if (found != numbers_.end()) live.set(found->second);
    }

    // From a block's end to its beginning.
    void pass(const llvm::BasicBlock& block, llvm::BitVector& live, bool counts) {
        int64_t here = 0;
        for (const unsigned number : live.set_bits()) here += sizes_[number];
        if (counts) most_ = std::max(most_, here);
        for (auto at = block.rbegin(); at != block.rend(); ++at) {
            if (const auto found = numbers_.find(&*at); found != numbers_.end() && live.test(found->second)) {
                live.reset(found->second);
                here -= sizes_[found->second];
            }
            if (llvm::isa<llvm::PHINode>(*at)) continue;
            for (const llvm::Value* operand : at->operands()) {
                const auto found = numbers_.find(held(operand));
                if (found == numbers_.end() || live.test(found->second)) continue;
                live.set(found->second);
                here += sizes_[found->second];
            }
            if (counts) most_ = std::max(most_, here);
        }
    }

    llvm::BitVector at_end(const llvm::BasicBlock& block) {
        llvm::BitVector live(static_cast<unsigned>(sizes_.size()));
        for (const llvm::BasicBlock* next : llvm::successors(&block)) {
            if (const auto found = at_begin_.find(next); found != at_begin_.end()) live |= found->second;
            for (const llvm::PHINode& phi : next->phis()) set(phi.getIncomingValueForBlock(&block), live);
        }
        return live;
    }

    void follow(const llvm::Function& function) {
        const llvm::ReversePostOrderTraversal<const llvm::Function*> order(&function);
        std::vector<const llvm::BasicBlock*> blocks(order.begin(), order.end());
        std::ranges::reverse(blocks);
        for (bool changed = true; changed;) {
            changed = false;
            for (const llvm::BasicBlock* block : blocks) {
                llvm::BitVector live = at_end(*block);
                pass(*block, live, false);
                llvm::BitVector& known = at_begin_[block];
                if (known == live) continue;
                known = std::move(live);
                changed = true;
            }
        }
        for (const llvm::BasicBlock* block : blocks) {
            llvm::BitVector live = at_end(*block);
            pass(*block, live, true);
        }
    }

    const llvm::DataLayout& layout_;
    llvm::DenseMap<const llvm::Value*, unsigned> numbers_;
    std::vector<int64_t> sizes_;
    llvm::DenseMap<const llvm::BasicBlock*, llvm::BitVector> at_begin_;  // what is live there
    int64_t most_ = 0;
};

// The most accesses to global memory that stand beside each other, or to shared memory, too.
int64_t loads_together(const llvm::Function& function, bool shared) {
    const auto counts = [&](const llvm::Value* operand) {
        const auto* pointer = llvm::dyn_cast<llvm::PointerType>(operand->getType());
        if (pointer == nullptr) return false;
        return pointer->getAddressSpace() == kGlobalSpace || (shared && pointer->getAddressSpace() == kSharedSpace);
    };
    int64_t most = 0;
    for (const llvm::BasicBlock& block : function) {
        int64_t here = 0;
        for (const llvm::Instruction& instruction : block) {
            if (!llvm::isa<llvm::LoadInst, llvm::CallInst>(instruction)) continue;
            for (const llvm::Value* operand : instruction.operands()) here += counts(operand) ? 1 : 0;
        }
        most = std::max(most, here);
    }
    return most;
}

}  // namespace

int64_t registers_at_once(const llvm::Function& function) { return Liveness(function).most(); }

void fit_registers(llvm::Function& entry, const Gpu& gpu, int64_t threads, int64_t shared_bytes) {
    if (registers_at_once(entry) > kFew) sink_cheap_values(entry);
    if (entry.hasFnAttribute("nvvm.minctasm")) return;
    const bool one_warp = threads <= ir::kWarp;
    const int64_t loads = std::min(loads_together(entry, one_warp), one_warp ? kMostLoadsOfWarp : kMostLoads);
    const int64_t wanted = std::min(registers_at_once(entry) + kBeside + kOfLoad * loads, ir::kMostRegisters);
    if (one_warp && wanted > kMostOfWarp) {
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

}  // namespace tsr::codegen
