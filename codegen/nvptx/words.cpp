#include "codegen/nvptx/words.h"

#include <algorithm>
#include <vector>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/IR/ValueHandle.h>
#include <llvm/Transforms/Utils/Local.h>

namespace tsr::codegen {

namespace {

using llvm::Value;

constexpr uint64_t kHalf = 16;  // bits

// The elements of an even number of 16-bit integers; 0 for other types.
unsigned halves(llvm::Type* type) {
    auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
    if (vector == nullptr || !vector->getElementType()->isIntegerTy(kHalf)) return 0;
    return vector->getNumElements() % 2 == 0 ? vector->getNumElements() : 0;
}

llvm::Type* words_type(llvm::LLVMContext& context, unsigned halves) {
    llvm::Type* word = llvm::Type::getInt32Ty(context);
    return halves == 2 ? word : llvm::FixedVectorType::get(word, halves / 2);
}

// Shifts by which elements become the upper halves of words: f32 of what was bf16.
std::vector<llvm::Instruction*> widenings(Value* element) {
    using namespace llvm::PatternMatch;
    std::vector<llvm::Instruction*> found;
    for (llvm::User* wide : element->users()) {
        if (!match(wide, m_ZExt(m_Value())) || !wide->getType()->isIntegerTy(2 * kHalf)) continue;
        for (llvm::User* shift : wide->users()) {
            if (match(shift, m_Shl(m_Specific(wide), m_SpecificInt(kHalf))))
                found.push_back(llvm::cast<llvm::Instruction>(shift));
        }
    }
    return found;
}

void load_words(llvm::LoadInst& load) {
    const unsigned count = halves(load.getType());
    if (count == 0 || !load.isSimple()) return;
    std::vector<llvm::WeakTrackingVH> elements;  // what is used no more goes on the way
    bool widens = false;
    for (llvm::User* user : load.users()) {
        auto* element = llvm::dyn_cast<llvm::ExtractElementInst>(user);
        if (element == nullptr || !llvm::isa<llvm::ConstantInt>(element->getIndexOperand())) return;
        elements.emplace_back(element);
        widens = widens || !widenings(element).empty();
    }
    if (!widens) return;
    llvm::IRBuilder<> ir(&load);
    auto* words = ir.CreateAlignedLoad(words_type(load.getContext(), count), load.getPointerOperand(), load.getAlign());
    words->copyMetadata(load);
    const llvm::WeakTrackingVH whole(&load);
    for (llvm::WeakTrackingVH& held : elements) {
        auto* element = llvm::cast<llvm::ExtractElementInst>(held);
        const uint64_t number = llvm::cast<llvm::ConstantInt>(element->getIndexOperand())->getZExtValue();
        const bool upper = number % 2 != 0;
        ir.SetInsertPoint(element);
        Value* word = count == 2 ? words : ir.CreateExtractElement(words, number / 2);
        for (llvm::Instruction* shift : widenings(element)) {
            ir.SetInsertPoint(shift);
            shift->replaceAllUsesWith(upper ? ir.CreateAnd(word, 0xffff0000) : ir.CreateShl(word, kHalf));
            llvm::RecursivelyDeleteTriviallyDeadInstructions(shift);
        }
        if (!held) continue;
        ir.SetInsertPoint(element);
        element->replaceAllUsesWith(ir.CreateTrunc(upper ? ir.CreateLShr(word, kHalf) : word, element->getType()));
        llvm::RecursivelyDeleteTriviallyDeadInstructions(element);
    }
    if (whole) load.eraseFromParent();
}

// What a bf16 was rounded from; nothing for other elements.
Value* rounded_from(Value* element) {
    using namespace llvm::PatternMatch;
    Value* rounded = nullptr;
    Value* from = nullptr;
    if (!match(element, m_BitCast(m_Value(rounded))) || !rounded->getType()->isBFloatTy()) return nullptr;
    if (!match(rounded, m_FPTrunc(m_Value(from))) || !from->getType()->isFloatTy()) return nullptr;
    return from;
}

void store_words(llvm::StoreInst& store) {
    const unsigned count = halves(store.getValueOperand()->getType());
    if (count == 0 || !store.isSimple()) return;
    std::vector<Value*> from(count);
    Value* rest = store.getValueOperand();
    while (auto* insert = llvm::dyn_cast<llvm::InsertElementInst>(rest)) {
        auto* number = llvm::dyn_cast<llvm::ConstantInt>(insert->getOperand(2));
        if (number == nullptr) return;
        Value*& element = from[number->getZExtValue()];
        if (element == nullptr) element = rounded_from(insert->getOperand(1));
        if (element == nullptr) return;
        rest = insert->getOperand(0);
    }
    if (std::ranges::find(from, nullptr) != from.end()) return;
    llvm::IRBuilder<> ir(&store);
    Value* words = llvm::PoisonValue::get(words_type(store.getContext(), count));
    for (unsigned i = 0; i < count; i += 2) {
        // The upper half comes first.
        Value* pair = ir.CreateIntrinsic(llvm::Intrinsic::nvvm_ff2bf16x2_rn, {}, {from[i + 1], from[i]});
        Value* word = ir.CreateBitCast(pair, ir.getInt32Ty());
        words = count == 2 ? word : ir.CreateInsertElement(words, word, i / 2);
    }
    ir.CreateAlignedStore(words, store.getPointerOperand(), store.getAlign())->copyMetadata(store);
    store.eraseFromParent();
}

}  // namespace

void use_words(llvm::Function& function) {
    std::vector<llvm::LoadInst*> loads;
    std::vector<llvm::StoreInst*> stores;
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
        if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) loads.push_back(load);
        if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) stores.push_back(store);
    }
    for (llvm::LoadInst* load : loads) load_words(*load);
    for (llvm::StoreInst* store : stores) store_words(*store);
}

}  // namespace tsr::codegen
