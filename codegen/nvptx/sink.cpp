#include "codegen/nvptx/sink.h"

#include <algorithm>
#include <vector>

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Instructions.h>

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

void sink(llvm::Instruction& value) {
    llvm::MapVector<llvm::BasicBlock*, std::vector<llvm::Use*>> uses;
    for (llvm::Use& use : value.uses()) {
        if (block_of(use) != value.getParent()) uses[block_of(use)].push_back(&use);
    }
    for (const auto& [block, there] : uses) {
        llvm::Instruction* again = value.clone();
        again->insertBefore(first_use(*block, value).getIterator());
        for (llvm::Use* use : there) use->set(again);
    }
    if (value.use_empty()) value.eraseFromParent();
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
    for (llvm::Instruction* value : cheap) sink(*value);
}

}  // namespace tsr::codegen
