#include "codegen/cpu/skipped.h"

#include <optional>
#include <vector>

#include <llvm/IR/CFG.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PatternMatch.h>

namespace tsr::codegen {

namespace {

using llvm::Value;
namespace match = llvm::PatternMatch;

// What holds for the lanes of `mask` where no lane of `tested` is true; nothing if neither is known.
std::optional<bool> lanes_without(Value* tested, Value* mask) {
    if (tested == mask) return false;
    if (match::match(tested, match::m_Not(match::m_Specific(mask)))) return true;
    if (match::match(mask, match::m_Not(match::m_Specific(tested)))) return true;
    Value* first = nullptr;
    Value* second = nullptr;
    if (!match::match(tested, match::m_Or(match::m_Value(first), match::m_Value(second)))) return std::nullopt;
    const std::optional<bool> known = lanes_without(first, mask);
    return known ? known : lanes_without(second, mask);
}

// The mask none of whose lanes is true when control comes from `from` to `to`, or null.
Value* empty_mask(llvm::BasicBlock* from, llvm::BasicBlock* to) {
    const auto* branch = llvm::dyn_cast<llvm::BranchInst>(from->getTerminator());
    if (branch == nullptr || !branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1))
        return nullptr;
    const auto* test = llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition());
    if (test == nullptr || !test->isEquality() || !match::match(test->getOperand(1), match::m_Zero())) return nullptr;
    const bool empty_goes_first = test->getPredicate() == llvm::ICmpInst::ICMP_EQ;
    if (branch->getSuccessor(empty_goes_first ? 0 : 1) != to) return nullptr;
    const auto* bits = llvm::dyn_cast<llvm::BitCastInst>(test->getOperand(0));
    return bits != nullptr && bits->getOperand(0)->getType()->isIntOrIntVectorTy(1) ? bits->getOperand(0) : nullptr;
}

// The value at the end of a predecessor; null where it is made in the block itself.
Value* on_edge(Value* value, llvm::BasicBlock* block, llvm::BasicBlock* from) {
    auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
    if (instruction == nullptr || instruction->getParent() != block) return value;
    auto* phi = llvm::dyn_cast<llvm::PHINode>(instruction);
    return phi == nullptr ? nullptr : phi->getIncomingValueForBlock(from);
}

bool move_select(llvm::SelectInst& select, llvm::BasicBlock* skipping, llvm::BasicBlock* branch, Value* empty) {
    llvm::BasicBlock* block = select.getParent();
    Value* mask = on_edge(select.getCondition(), block, branch);
    const std::optional<bool> lanes = lanes_without(empty, select.getCondition());
    Value* then = on_edge(select.getTrueValue(), block, branch);
    Value* otherwise = on_edge(select.getFalseValue(), block, branch);
    if (mask == nullptr || !lanes || then == nullptr || otherwise == nullptr) return false;
    Value* skipped = on_edge(*lanes ? select.getTrueValue() : select.getFalseValue(), block, skipping);
    llvm::IRBuilder<> at_end(branch->getTerminator());
    at_end.SetCurrentDebugLocation(select.getDebugLoc());
    Value* chosen = at_end.CreateSelect(mask, then, otherwise);
    llvm::IRBuilder<> at_begin(block, block->begin());
    llvm::PHINode* merged = at_begin.CreatePHI(select.getType(), 2);
    merged->addIncoming(chosen, branch);
    merged->addIncoming(skipped, skipping);
    select.replaceAllUsesWith(merged);
    return true;
}

void visit(llvm::BasicBlock& block) {
    if (!block.hasNPredecessors(2)) return;
    llvm::BasicBlock* first = *llvm::pred_begin(&block);
    llvm::BasicBlock* second = *std::next(llvm::pred_begin(&block));
    if (first == second) return;
    Value* empty = empty_mask(first, &block);
    if (empty == nullptr) {
        std::swap(first, second);
        empty = empty_mask(first, &block);
    }
    if (empty == nullptr || second->getSingleSuccessor() != &block) return;
    std::vector<llvm::Instruction*> moved;
    for (llvm::Instruction& instruction : block) {
        auto* select = llvm::dyn_cast<llvm::SelectInst>(&instruction);
        if (select != nullptr && move_select(*select, first, second, empty)) moved.push_back(select);
    }
    for (llvm::Instruction* select : moved) select->eraseFromParent();
}

}  // namespace

void select_in_branches(llvm::Function& function) {
    for (llvm::BasicBlock& block : function) visit(block);
}

}  // namespace tsr::codegen
