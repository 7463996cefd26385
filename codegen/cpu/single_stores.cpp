#include "codegen/cpu/single_stores.h"

#include <optional>
#include <vector>

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>

namespace tsr::codegen {

namespace {

// The one element that is true; nothing where there are others, or the mask is not known.
std::optional<unsigned> only_element(const llvm::Value& mask) {
    const auto* constant = llvm::dyn_cast<llvm::Constant>(&mask);
    const auto* type = llvm::dyn_cast<llvm::FixedVectorType>(mask.getType());
    if (constant == nullptr || type == nullptr) return std::nullopt;
    std::optional<unsigned> found;
    for (unsigned i = 0; i < type->getNumElements(); ++i) {
        const llvm::Constant* element = constant->getAggregateElement(i);
        if (element == nullptr || !llvm::isa<llvm::ConstantInt>(element)) return std::nullopt;
        if (element->isNullValue()) continue;
        if (found) return std::nullopt;
        found = i;
    }
    return found;
}

}  // namespace

void store_single_elements(llvm::Function& function) {
    std::vector<llvm::IntrinsicInst*> stores;
    for (llvm::BasicBlock& block : function) {
        for (llvm::Instruction& instruction : block) {
            auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
            if (call != nullptr && call->getIntrinsicID() == llvm::Intrinsic::masked_store) stores.push_back(call);
        }
    }
    for (llvm::IntrinsicInst* store : stores) {
        const auto only = only_element(*store->getArgOperand(store->arg_size() - 1));
        if (!only) continue;
        llvm::IRBuilder<> at(store);
        llvm::Value* vector = store->getArgOperand(0);
        llvm::Type* element = vector->getType()->getScalarType();
        llvm::Value* pointer = at.CreateConstInBoundsGEP1_32(element, store->getArgOperand(1), *only);
        const llvm::Align whole = store->getParamAlign(1).valueOrOne();
        const uint64_t offset = *only * (element->getPrimitiveSizeInBits() / 8);
        at.CreateAlignedStore(at.CreateExtractElement(vector, *only), pointer, llvm::commonAlignment(whole, offset));
        store->eraseFromParent();
    }
}

}  // namespace tsr::codegen
