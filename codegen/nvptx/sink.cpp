#include "codegen/nvptx/sink.h"

#include <algorithm>
#include <vector>

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>

#include "codegen/nvptx/liveness.h"

namespace tsr::codegen {

namespace {

bool is_address_step(unsigned opcode) {
    switch (opcode) {
        case llvm::Instruction::Add:
        case llvm::Instruction::Sub:
        case llvm::Instruction::And:
        case llvm::Instruction::Or:
        case llvm::Instruction::Xor:
        case llvm::Instruction::Shl:
        case llvm::Instruction::LShr:
        case llvm::Instruction::ZExt:
        case llvm::Instruction::SExt:
        case llvm::Instruction::GetElementPtr:
            return true;
        default:
            return false;
    }
}

bool is_cheap(const llvm::Instruction& instruction) {
    if (!instruction.getType()->isIntegerTy() && !instruction.getType()->isPointerTy()) return false;
    const auto is_value = [](const llvm::Use& operand) { return !llvm::isa<llvm::Constant>(operand.get()); };
    return is_address_step(instruction.getOpcode()) && llvm::count_if(instruction.operands(), is_value) == 1;
}

// Where the value has to be for this use.
llvm::BasicBlock* block_of(const llvm::Use& use) {
    auto* user = llvm::cast<llvm::Instruction>(use.getUser());
    if (auto* phi = llvm::dyn_cast<llvm::PHINode>(user)) return phi->getIncomingBlock(use);
    return user->getParent();
}

// The first operation that takes it there, or the block's end, where the phis of the next ones take it.
llvm::Instruction& first_use(llvm::BasicBlock& block, const llvm::Value& value) {
    const auto takes = [&](const llvm::Instruction& other) {
        return !llvm::isa<llvm::PHINode>(other) && llvm::is_contained(other.operand_values(), &value);
    };
    const auto found = llvm::find_if(block, takes);
    return found == block.end() ? *block.getTerminator() : *found;
}

// The ways of branches that test bounds: of two ways to access memory the longer one, without what a block does
// together.
class RareBlocks {
public:
    RareBlocks(llvm::Function& function, const llvm::DominatorTree& tree) : tree_(tree) {
        for (llvm::BasicBlock& block : function) {
            auto* branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
            if (branch == nullptr || !branch->isConditional()) continue;
            const llvm::BasicBlock* ways[2] = {branch->getSuccessor(0), branch->getSuccessor(1)};
            if (std::ranges::any_of(ways, [](const auto* way) { return way->getSinglePredecessor() == nullptr; }))
                continue;
            const auto first = blocks_of(ways[0]), second = blocks_of(ways[1]);
            if (first.size() == second.size()) continue;
            const auto& longer = first.size() > second.size() ? first : second;
            const auto& shorter = first.size() > second.size() ? second : first;
            if (std::ranges::any_of(shorter, accesses) && std::ranges::none_of(longer, meets))
                rare_.insert(longer.begin(), longer.end());
        }
    }

    bool contains(const llvm::BasicBlock* block) const { return rare_.contains(block); }

private:
    std::vector<const llvm::BasicBlock*> blocks_of(const llvm::BasicBlock* way) const {
        llvm::SmallVector<llvm::BasicBlock*> below;
        tree_.getDescendants(const_cast<llvm::BasicBlock*>(way), below);
        return {below.begin(), below.end()};
    }

    static bool accesses(const llvm::BasicBlock* block) {
        return llvm::any_of(*block, [](const llvm::Instruction& instruction) {
            if (llvm::isa<llvm::LoadInst>(instruction) || llvm::isa<llvm::StoreInst>(instruction)) return true;
            const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
            return call != nullptr &&
                   llvm::any_of(call->args(), [](const llvm::Value* v) { return v->getType()->isPointerTy(); });
        });
    }

    static bool meets(const llvm::BasicBlock* block) {
        return llvm::any_of(*block, [](const llvm::Instruction& instruction) {
            const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
            if (call == nullptr) return false;
            const llvm::Function* called = call->getCalledFunction();
            if (called == nullptr) return call->isConvergent();
            return called->getName().contains("barrier") || called->getName().contains("mma");
        });
    }

    const llvm::DominatorTree& tree_;
    llvm::SmallPtrSet<const llvm::BasicBlock*, 16> rare_;
};

// Where values can be made without being made more often.
class Places {
public:
    explicit Places(llvm::Function& function) : tree_(function), loops_(tree_), rare_(function, tree_) {}

    // Not in a loop that the value is not in, but for the loop over groups, which holds other loops, and for what
    // rarely runs.
    bool runs_no_more(const llvm::BasicBlock* there, const llvm::BasicBlock* here) const {
        if (rare_.contains(there)) return true;
        const llvm::Loop* loop = loops_.getLoopFor(there);
        if (loop == nullptr || loop->contains(here)) return true;
        return loop->isOutermost() && !loop->isInnermost();
    }

    // The last block on the way to all uses.
    llvm::BasicBlock* before_uses(llvm::Instruction& value) const {
        llvm::BasicBlock* there = nullptr;
        for (const llvm::Use& use : value.uses()) {
            llvm::BasicBlock* block = block_of(use);
            there = there == nullptr ? block : tree_.findNearestCommonDominator(there, block);
        }
        return there;
    }

private:
    llvm::DominatorTree tree_;
    llvm::LoopInfo loops_;
    RareBlocks rare_;
};

void sink(llvm::Instruction& value, const Places& places) {
    llvm::MapVector<llvm::BasicBlock*, std::vector<llvm::Use*>> uses;
    for (llvm::Use& use : value.uses()) {
        if (block_of(use) != value.getParent()) uses[block_of(use)].push_back(&use);
    }
    for (const auto& [block, there] : uses) {
        if (!places.runs_no_more(block, value.getParent())) continue;
        llvm::Instruction* again = value.clone();
        again->insertBefore(first_use(*block, value).getIterator());
        for (llvm::Use* use : there) use->set(again);
    }
    if (value.use_empty()) value.eraseFromParent();
}

// Moves a value to where all its uses are, where it waits in a register on the way there and what it is made of does
// not wait for it alone.
void move(llvm::Instruction& value, const Places& places, const Liveness& live) {
    llvm::BasicBlock* there = places.before_uses(value);
    if (there == nullptr || there == value.getParent() || !places.runs_no_more(there, value.getParent())) return;
    int64_t more = 0;
    for (const llvm::Value* operand : value.operands()) {
        if (!live.holds(there, operand)) more += live.size_of(operand);
    }
    if (more <= live.size_of(&value)) value.moveBefore(first_use(*there, value).getIterator());
}

bool is_arithmetic(const llvm::Instruction& instruction) {
    if (!instruction.getType()->isIntegerTy() && !instruction.getType()->isPointerTy()) return false;
    const unsigned opcode = instruction.getOpcode();
    return is_address_step(opcode) || opcode == llvm::Instruction::Mul || opcode == llvm::Instruction::Trunc;
}

void move_to_uses(llvm::Function& function) {
    std::vector<llvm::Instruction*> made;
    const llvm::ReversePostOrderTraversal<llvm::Function*> order(&function);
    for (llvm::BasicBlock* block : order) {
        for (llvm::Instruction& instruction : *block) {
            if (is_arithmetic(instruction)) made.push_back(&instruction);
        }
    }
    std::ranges::reverse(made);
    const Places places(function);
    const Liveness live(function);
    for (llvm::Instruction* value : made) move(*value, places, live);
}

}  // namespace

void sink_cheap_values(llvm::Function& function) {
    std::vector<llvm::Instruction*> cheap;
    const llvm::ReversePostOrderTraversal<llvm::Function*> order(&function);
    for (llvm::BasicBlock* block : order) {
        for (llvm::Instruction& instruction : *block) {
            if (is_cheap(instruction)) cheap.push_back(&instruction);
        }
    }
    // From the last to the first: what they are made of follows them.
    std::ranges::reverse(cheap);
    const Places places(function);
    for (llvm::Instruction* value : cheap) sink(*value, places);
    move_to_uses(function);
}

}  // namespace tsr::codegen
