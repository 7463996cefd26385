#include "codegen/nvptx/offsets.h"

#include <utility>
#include <vector>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

namespace tsr::codegen {

namespace {

using llvm::GetElementPtrInst;
using llvm::Instruction;
using llvm::Value;

Instruction* offset_of(const GetElementPtrInst& place) {
    return place.getNumIndices() == 1 ? llvm::dyn_cast<Instruction>(place.getOperand(1)) : nullptr;
}

// `place` is `inner` further by `second`, `inner` a pointer further by `first`.
struct Pair {
    GetElementPtrInst* place;
    GetElementPtrInst* inner;
    Instruction* first;
    Instruction* second;
};

class Offsets {
public:
    explicit Offsets(llvm::Function& function) : order_(function) {
        for (Instruction& instruction : llvm::instructions(function)) {
            auto* place = llvm::dyn_cast<GetElementPtrInst>(&instruction);
            if (place != nullptr) find(*place);
        }
    }

    bool join() {
        const auto found = llvm::make_filter_range(pairs_, [&](const Pair& pair) {
            return only_with(pair.first, pair.second) || only_with(pair.second, pair.first);
        });
        const std::vector<Pair> joined(found.begin(), found.end());
        for (const Pair& pair : joined) rewrite(pair);
        return !joined.empty();
    }

private:
    // Both offsets are there before the pointer is.
    void find(GetElementPtrInst& place) {
        auto* inner = llvm::dyn_cast<GetElementPtrInst>(place.getPointerOperand());
        if (inner == nullptr || !inner->hasOneUse()) return;
        const auto* moved = llvm::dyn_cast<Instruction>(inner->getPointerOperand());
        Instruction* first = offset_of(*inner);
        Instruction* second = offset_of(place);
        if (first == nullptr || second == nullptr || first->getType() != second->getType()) return;
        if (place.getSourceElementType() != inner->getSourceElementType()) return;
        for (const Instruction* offset : {first, second}) {
            if (moved == nullptr) continue;  // a buffer or a parameter is there before all
            if (offset->getParent() == moved->getParent() || !order_.dominates(offset, moved)) return;
        }
        if (!order_.dominates(first, second) && !order_.dominates(second, first)) return;
        pairs_.push_back({&place, inner, first, second});
        partners_[{inner, first}] = second;
        partners_[{&place, second}] = first;
    }

    // No use of the one but beside the other: the sum takes its register.
    bool only_with(const Instruction* one, const Instruction* other) const {
        return llvm::all_of(one->users(),
                            [&](const llvm::User* user) { return partners_.lookup({user, one}) == other; });
    }

    Value* sum_of(Instruction* first, Instruction* second) {
        if (order_.dominates(second, first)) std::swap(first, second);
        Value*& sum = sums_[{first, second}];
        if (sum != nullptr) return sum;
        llvm::IRBuilder<> builder(second->getParent(), *second->getInsertionPointAfterDef());
        return sum = builder.CreateAdd(first, second);
    }

    void rewrite(const Pair& pair) {
        if (gone_.contains(pair.inner)) return;  // it was the other one of a pair before
        llvm::IRBuilder<> builder(pair.place);
        Value* made = builder.CreateGEP(pair.place->getSourceElementType(), pair.inner->getPointerOperand(),
                                        sum_of(pair.first, pair.second));
        pair.place->replaceAllUsesWith(made);
        gone_.insert(pair.place);
        pair.place->eraseFromParent();
        pair.inner->eraseFromParent();
    }

    llvm::DominatorTree order_;
    std::vector<Pair> pairs_;
    llvm::DenseMap<std::pair<const llvm::User*, const Instruction*>, const Instruction*> partners_;
    llvm::SmallPtrSet<const Instruction*, 16> gone_;
    llvm::DenseMap<std::pair<Instruction*, Instruction*>, Value*> sums_;
};

}  // namespace

void join_offsets(llvm::Function& function) {
    while (Offsets(function).join()) {
    }
}

}  // namespace tsr::codegen
