// Shapes of mask arithmetic that AVX-512 does in one instruction.
#include <vector>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PatternMatch.h>

#include "codegen/cpu/masks.h"

namespace tsr::codegen {

namespace {

using llvm::Value;
namespace match = llvm::PatternMatch;

bool has_mask_type(const Value& value) {
    const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(value.getType());
    return vector != nullptr && vector->getElementType()->isIntegerTy(1);
}

// m & (a < b & c < d) as (m & a < b) & c < d: a comparison under a mask is one instruction, and needs one mask register
// where the other order needs two.
bool chain_comparisons(llvm::Instruction& instruction) {
    Value* mask = nullptr;
    Value* first = nullptr;
    Value* second = nullptr;
    if (!has_mask_type(instruction)) return false;
    const auto both = match::m_OneUse(match::m_And(match::m_Value(first), match::m_Value(second)));
    if (!match::match(&instruction, match::m_c_And(both, match::m_Value(mask)))) return false;
    if (!llvm::isa<llvm::CmpInst>(first) || !llvm::isa<llvm::CmpInst>(second) || llvm::isa<llvm::CmpInst>(mask)) {
        return false;
    }
    llvm::IRBuilder<> at(&instruction);
    instruction.replaceAllUsesWith(at.CreateAnd(at.CreateAnd(mask, first), second));
    return true;
}

// x + (m ? 1 : 0) as m ? x + 1 : x: an addition under a mask; else the mask is spread over a register first.
bool add_under_mask(llvm::Instruction& instruction) {
    Value* mask = nullptr;
    Value* sum = nullptr;
    if (!instruction.getType()->isVectorTy()) return false;
    const auto one = match::m_ZExt(match::m_Value(mask));
    if (!match::match(&instruction, match::m_c_Add(one, match::m_Value(sum))) || !has_mask_type(*mask)) return false;
    llvm::IRBuilder<> at(&instruction);
    Value* more = at.CreateAdd(sum, llvm::ConstantInt::get(sum->getType(), 1));
    instruction.replaceAllUsesWith(at.CreateSelect(mask, more, sum));
    return true;
}

}  // namespace

void fit_mask_registers(llvm::Function& function) {
    std::vector<llvm::Instruction*> replaced;
    for (llvm::BasicBlock& block : function) {
        for (llvm::Instruction& instruction : block) {
            if (chain_comparisons(instruction) || add_under_mask(instruction)) replaced.push_back(&instruction);
        }
    }
    for (llvm::Instruction* instruction : replaced) instruction->eraseFromParent();
    remove_unread(function);
}

}  // namespace tsr::codegen
