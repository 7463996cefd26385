#include "codegen/cpu/masks.h"

#include <map>
#include <numeric>
#include <vector>

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PatternMatch.h>

namespace tsr::codegen {

namespace {

using llvm::Instruction;
using llvm::Value;

bool is_mask(const Value& value) {
    const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(value.getType());
    return vector != nullptr && vector->getElementType()->isIntegerTy(1);
}

unsigned lanes_of(const Value& vector) { return llvm::cast<llvm::FixedVectorType>(vector.getType())->getNumElements(); }

class Widening {
public:
    Widening(llvm::Function& function, unsigned register_bits) : function_(function), register_bits_(register_bits) {}

    void run() {
        std::vector<Instruction*> masks;
        const llvm::ReversePostOrderTraversal<llvm::Function*> order(&function_);
        for (llvm::BasicBlock* block : order) {
            for (Instruction& instruction : *block) {
                if (is_mask(instruction)) masks.push_back(&instruction);
            }
        }
        // A phi may read what comes after it: all of them exist before anything reads them.
        for (Instruction* mask : masks) {
            if (auto* phi = llvm::dyn_cast<llvm::PHINode>(mask)) make_phi(*phi);
        }
        for (Instruction* mask : masks) {
            if (!llvm::isa<llvm::PHINode>(mask)) wide_[mask] = make_wide(*mask);
        }
        for (Instruction* mask : masks) {
            if (auto* phi = llvm::dyn_cast<llvm::PHINode>(mask)) fill_phi(*phi);
        }
        for (Instruction* mask : masks) rewrite_readers(*mask);
        for (auto mask = masks.rbegin(); mask != masks.rend(); ++mask) {
            // Only phis of masks can still hold each other.
            if (llvm::isa<llvm::PHINode>(*mask))
                (*mask)->replaceAllUsesWith(llvm::PoisonValue::get((*mask)->getType()));
            if ((*mask)->use_empty()) (*mask)->eraseFromParent();
        }
    }

private:
    static llvm::Type* wide_type(const Value& mask) {
        return llvm::FixedVectorType::get(llvm::Type::getInt32Ty(mask.getContext()), lanes_of(mask));
    }

    Value* wide(Value* mask) {
        if (auto* constant = llvm::dyn_cast<llvm::Constant>(mask)) {
            llvm::IRBuilder<> folder(mask->getContext());
            return folder.CreateSExt(constant, wide_type(*mask));
        }
        return wide_.at(mask);
    }

    void make_phi(llvm::PHINode& mask) {
        llvm::IRBuilder<> at(&mask);
        wide_[&mask] = at.CreatePHI(wide_type(mask), mask.getNumIncomingValues());
    }

    void fill_phi(llvm::PHINode& mask) {
        auto* phi = llvm::cast<llvm::PHINode>(wide_.at(&mask));
        for (unsigned i = 0; i < mask.getNumIncomingValues(); ++i) {
            phi->addIncoming(wide(mask.getIncomingValue(i)), mask.getIncomingBlock(i));
        }
    }

    Value* make_wide(Instruction& mask) {
        llvm::IRBuilder<> at(mask.getParent(), std::next(mask.getIterator()));
        at.SetCurrentDebugLocation(mask.getDebugLoc());
        if (auto* binary = llvm::dyn_cast<llvm::BinaryOperator>(&mask);
            binary != nullptr && binary->isBitwiseLogicOp()) {
            return at.CreateBinOp(binary->getOpcode(), wide(mask.getOperand(0)), wide(mask.getOperand(1)));
        }
        if (auto* select = llvm::dyn_cast<llvm::SelectInst>(&mask)) {
            Value* condition = select->getCondition();
            if (is_mask(*condition)) condition = narrow(condition, at);
            return at.CreateSelect(condition, wide(select->getTrueValue()), wide(select->getFalseValue()));
        }
        if (llvm::isa<llvm::FreezeInst>(mask)) return at.CreateFreeze(wide(mask.getOperand(0)));
        if (auto* shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(&mask)) {
            return at.CreateShuffleVector(wide(mask.getOperand(0)), wide(mask.getOperand(1)),
                                          shuffle->getShuffleMask());
        }
        // What else makes a mask of masks reads their lanes: the masks themselves are about to go.
        llvm::IRBuilder<> before(&mask);
        for (llvm::Use& operand : mask.operands()) {
            if (is_mask(*operand)) operand.set(narrow(operand, before));
        }
        return at.CreateSExt(&mask, wide_type(mask));
    }

    // What makes its lanes anew is read as it is in its own block: a comparison before a blend.
    [[nodiscard]] bool is_made_here(Value* mask, const llvm::BasicBlock* block) const {
        const auto* widened = llvm::dyn_cast<llvm::SExtInst>(wide_.at(mask));
        return widened != nullptr && widened->getOperand(0) == mask && widened->getParent() == block;
    }

    Value* narrow(Value* mask, llvm::IRBuilder<>& at) {
        if (llvm::isa<llvm::Constant>(mask) || is_made_here(mask, at.GetInsertBlock())) return mask;
        Value* lanes = wide_.at(mask);
        return at.CreateICmpSLT(lanes, llvm::Constant::getNullValue(lanes->getType()));
    }

    void rewrite_readers(Instruction& mask) {
        std::vector<llvm::Use*> uses;
        for (llvm::Use& use : mask.uses()) {
            if (!is_mask(*use.getUser()) && use.getUser() != wide_.at(&mask)) uses.push_back(&use);
        }
        for (llvm::Use* use : uses) {
            auto* reader = llvm::cast<Instruction>(use->getUser());
            llvm::IRBuilder<> at(reader);
            if (auto* bits = llvm::dyn_cast<llvm::BitCastInst>(reader); bits != nullptr && rewrite_test(*bits))
                continue;
            auto* extension = llvm::dyn_cast<llvm::SExtInst>(reader);
            if (extension != nullptr && extension->getType() == wide_type(mask)) {
                extension->replaceAllUsesWith(wide_.at(&mask));
            } else {
                use->set(narrow(&mask, at));
            }
        }
    }

    // `any` (bits != 0) and `all` (bits == ~0) of a mask wider than a register: its halves are joined first, so that
    // one instruction moves all signs.
    bool rewrite_test(llvm::BitCastInst& bits) {
        std::vector<llvm::ICmpInst*> tests;
        for (llvm::User* user : bits.users()) {
            auto* test = llvm::dyn_cast<llvm::ICmpInst>(user);
            const bool with_zero =
                test != nullptr && llvm::PatternMatch::match(test->getOperand(1), llvm::PatternMatch::m_Zero());
            const bool with_ones =
                test != nullptr && llvm::PatternMatch::match(test->getOperand(1), llvm::PatternMatch::m_AllOnes());
            if (!(with_zero || with_ones) || !test->isEquality()) return false;
            tests.push_back(test);
        }
        for (llvm::ICmpInst* test : tests) {
            llvm::IRBuilder<> at(test);
            const bool any = llvm::PatternMatch::match(test->getOperand(1), llvm::PatternMatch::m_Zero());
            Value* lanes = joined(wide_.at(bits.getOperand(0)), any, at);
            Value* signs = at.CreateICmpSLT(lanes, llvm::Constant::getNullValue(lanes->getType()));
            Value* word = at.CreateBitCast(signs, at.getIntNTy(lanes_of(*lanes)));
            llvm::Constant* with =
                any ? llvm::Constant::getNullValue(word->getType()) : llvm::Constant::getAllOnesValue(word->getType());
            test->replaceAllUsesWith(at.CreateICmp(test->getPredicate(), word, with));
        }
        return true;
    }

    Value* joined(Value* lanes, bool any, llvm::IRBuilder<>& at) const {
        while (lanes_of(*lanes) * 32 > register_bits_ && lanes_of(*lanes) % 2 == 0) {
            const unsigned half = lanes_of(*lanes) / 2;
            std::vector<int> lower(half);
            std::vector<int> upper(half);
            std::iota(lower.begin(), lower.end(), 0);
            std::iota(upper.begin(), upper.end(), static_cast<int>(half));
            Value* first = at.CreateShuffleVector(lanes, lower);
            Value* second = at.CreateShuffleVector(lanes, upper);
            lanes = any ? at.CreateOr(first, second) : at.CreateAnd(first, second);
        }
        return lanes;
    }

    llvm::Function& function_;
    unsigned register_bits_;
    std::map<Value*, Value*> wide_;
};

}  // namespace

void remove_unread(llvm::Function& function) {
    bool changed = true;
    while (changed) {
        changed = false;
        for (llvm::BasicBlock& block : function) {
            for (auto at = block.rbegin(); at != block.rend();) {
                Instruction& instruction = *at++;
                const bool pure = !instruction.mayHaveSideEffects() && !instruction.isTerminator();
                if (!pure || !instruction.use_empty()) continue;
                instruction.eraseFromParent();
                changed = true;
            }
        }
    }
}

void widen_masks(llvm::Function& function, unsigned register_bits) {
    Widening(function, register_bits).run();
    remove_unread(function);
}

}  // namespace tsr::codegen
