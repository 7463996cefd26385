#include "codegen/cpu/masks.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

#include <map>
#include <vector>

namespace tsr::codegen {

namespace {

using llvm::Value;

bool is_mask(const Value& value) {
    const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(value.getType());
    return vector != nullptr && vector->getElementType()->isIntegerTy(1);
}

llvm::Type* wide_type(Value* mask) {
    auto* vector = llvm::cast<llvm::FixedVectorType>(mask->getType());
    return llvm::FixedVectorType::get(llvm::Type::getInt32Ty(mask->getContext()), vector->getNumElements());
}

// Where the value of an operand is needed: for a phi at the end of the block that it comes from.
llvm::BasicBlock* block_of_use(const llvm::Use& use) {
    auto* user = llvm::cast<llvm::Instruction>(use.getUser());
    if (auto* phi = llvm::dyn_cast<llvm::PHINode>(user)) return phi->getIncomingBlock(use);
    return user->getParent();
}

bool lives_elsewhere(llvm::Instruction& mask) {
    for (const llvm::Use& use : mask.uses()) {
        if (block_of_use(use) != mask.getParent()) return true;
    }
    return false;
}

// Uses of `mask` read `wide` anew in their own block; those where `mask` is made keep it, if `mask` is no phi.
void read_wide(llvm::Instruction& mask, Value* wide, llvm::Instruction* kept) {
    std::map<llvm::BasicBlock*, Value*> read;
    std::vector<llvm::Use*> uses;
    for (llvm::Use& use : mask.uses()) {
        if (use.getUser() != kept) uses.push_back(&use);
    }
    for (llvm::Use* use : uses) {
        llvm::BasicBlock* block = block_of_use(*use);
        if (block == mask.getParent() && !llvm::isa<llvm::PHINode>(mask)) continue;
        Value*& narrow = read[block];
        if (narrow == nullptr) {
            llvm::IRBuilder<> at(block, block->getFirstInsertionPt());
            narrow = at.CreateICmpSLT(wide, llvm::Constant::getNullValue(wide->getType()));
        }
        use->set(narrow);
    }
}

void widen_phi(llvm::PHINode& mask) {
    llvm::IRBuilder<> at(&mask);
    llvm::PHINode* wide = at.CreatePHI(wide_type(&mask), mask.getNumIncomingValues());
    read_wide(mask, wide, nullptr);
    for (unsigned i = 0; i < mask.getNumIncomingValues(); ++i) {
        llvm::BasicBlock* from = mask.getIncomingBlock(i);
        llvm::IRBuilder<> end(from->getTerminator());
        wide->addIncoming(end.CreateSExt(mask.getIncomingValue(i), wide->getType()), from);
    }
    mask.eraseFromParent();
}

void widen_value(llvm::Instruction& mask) {
    llvm::IRBuilder<> at(mask.getParent(), std::next(mask.getIterator()));
    Value* wide = at.CreateSExt(&mask, wide_type(&mask));
    read_wide(mask, wide, llvm::dyn_cast<llvm::Instruction>(wide));
}

}  // namespace

void widen_masks(llvm::Function& function) {
    std::vector<llvm::PHINode*> phis;
    for (llvm::BasicBlock& block : function) {
        for (llvm::PHINode& phi : block.phis()) {
            if (is_mask(phi)) phis.push_back(&phi);
        }
    }
    for (llvm::PHINode* phi : phis) widen_phi(*phi);
    std::vector<llvm::Instruction*> values;
    for (llvm::BasicBlock& block : function) {
        for (llvm::Instruction& instruction : block) {
            if (is_mask(instruction) && lives_elsewhere(instruction)) values.push_back(&instruction);
        }
    }
    for (llvm::Instruction* value : values) widen_value(*value);
}

}  // namespace tsr::codegen
