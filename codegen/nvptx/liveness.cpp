#include "codegen/nvptx/liveness.h"

#include <algorithm>

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Module.h>

namespace tsr::codegen {

namespace {

constexpr int64_t kMostMadeAgain = 24;  // registers, where not more than kMostMade wait
constexpr int64_t kMostMade = 64;

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

// Of parameters, numbers of threads, blocks and groups, and constants, by integer arithmetic alone. Groups are counted
// by a loop around other loops.
bool is_made(const llvm::Instruction& instruction, const llvm::SmallPtrSetImpl<const llvm::Value*>& made,
             const llvm::LoopInfo& loops, bool of_block) {
    if (!instruction.getType()->isIntegerTy() && !instruction.getType()->isPointerTy()) return false;
    if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(&instruction)) {
        const llvm::Loop* loop = loops.getLoopFor(phi->getParent());
        return loop != nullptr && loop->isOutermost() && !loop->isInnermost() && loop->getHeader() == phi->getParent();
    }
    if (instruction.mayReadOrWriteMemory()) return false;
    if (instruction.isIntDivRem() && !of_block) return false;
    const bool plain = llvm::isa<llvm::BinaryOperator, llvm::CastInst, llvm::GetElementPtrInst, llvm::SelectInst,
                                 llvm::ICmpInst, llvm::FreezeInst>(instruction);
    const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (!plain && (call == nullptr || call->isConvergent())) return false;
    if (of_block && call != nullptr && call->getIntrinsicID() == llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x)
        return false;
    return llvm::all_of(instruction.operands(), [&](const llvm::Use& operand) {
        const auto* from = llvm::dyn_cast<llvm::Instruction>(operand.get());
        return from == nullptr || made.contains(from);
    });
}

}  // namespace

Liveness::Liveness(const llvm::Function& function, Made made_values)
    : layout_(function.getParent()->getDataLayout()), counts_made_(made_values) {
    llvm::DominatorTree tree(const_cast<llvm::Function&>(function));
    const llvm::LoopInfo loops(tree);
    llvm::SmallPtrSet<const llvm::Value*, 32> made, of_block;
    const llvm::ReversePostOrderTraversal<const llvm::Function*> order(&function);
    for (const llvm::BasicBlock* block : order) {
        for (const llvm::Instruction& instruction : *block) {
            if (is_made(instruction, of_block, loops, true)) of_block.insert(&instruction);
            if (of_block.contains(&instruction) || is_made(instruction, made, loops, false)) made.insert(&instruction);
        }
    }
    for (const llvm::BasicBlock& block : function) {
        for (const llvm::Instruction& instruction : block) {
            if (held(&instruction) != &instruction || size_of(instruction) == 0) continue;
            numbers_[&instruction] = static_cast<unsigned>(sizes_.size());
            sizes_.push_back(size_of(instruction));
            made_.push_back(made.contains(&instruction));
        }
    }
    follow(function);
}

int64_t Liveness::size_of(const llvm::Value* value) const {
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(held(value));
    return instruction == nullptr ? 0 : size_of(*instruction);
}

bool Liveness::holds(const llvm::BasicBlock* block, const llvm::Value* value) const {
    const auto number = numbers_.find(held(value));
    const auto live = at_begin_.find(block);
    return number != numbers_.end() && live != at_begin_.end() && number->second < live->second.size() &&
           live->second.test(number->second);
}

int64_t Liveness::size_of(const llvm::Instruction& instruction) const {
    llvm::Type* type = instruction.getType();
    if (type->isVoidTy() || type->isStructTy() || type->isTokenTy() || llvm::isa<llvm::AllocaInst>(instruction))
        return 0;
    if (type->getScalarSizeInBits() == 1) return 0;
    return static_cast<int64_t>((layout_.getTypeSizeInBits(type).getFixedValue() + 31) / 32);
}

void Liveness::set(const llvm::Value* value, llvm::BitVector& live) const {
    const auto found = numbers_.find(held(value));
    if (found != numbers_.end()) live.set(found->second);
}

// From a block's end to its beginning.
void Liveness::pass(const llvm::BasicBlock& block, llvm::BitVector& live, bool counts) {
    int64_t made = 0, others = 0;
    const auto add = [&](unsigned number, int64_t times) { (made_[number] ? made : others) += times * sizes_[number]; };
    const auto count = [&] {
        const bool half = counts_made_ == Made::half && made <= kMostMade;
        if (counts) most_ = std::max(most_, others + (half ? made - std::min(made / 2, kMostMadeAgain) : made));
    };
    for (const unsigned number : live.set_bits()) add(number, 1);
    count();
    for (auto at = block.rbegin(); at != block.rend(); ++at) {
        if (const auto found = numbers_.find(&*at); found != numbers_.end() && live.test(found->second)) {
            live.reset(found->second);
            add(found->second, -1);
        }
        if (llvm::isa<llvm::PHINode>(*at)) continue;
        for (const llvm::Value* operand : at->operands()) {
            const auto found = numbers_.find(held(operand));
            if (found == numbers_.end() || live.test(found->second)) continue;
            live.set(found->second);
            add(found->second, 1);
        }
        count();
    }
}

llvm::BitVector Liveness::at_end(const llvm::BasicBlock& block) {
    llvm::BitVector live(static_cast<unsigned>(sizes_.size()));
    for (const llvm::BasicBlock* next : llvm::successors(&block)) {
        if (const auto found = at_begin_.find(next); found != at_begin_.end()) live |= found->second;
        for (const llvm::PHINode& phi : next->phis()) set(phi.getIncomingValueForBlock(&block), live);
    }
    return live;
}

void Liveness::follow(const llvm::Function& function) {
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

}  // namespace tsr::codegen
