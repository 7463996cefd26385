#include "codegen/cpu/extremes.h"

#include <numeric>
#include <vector>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsX86.h>

namespace tsr::codegen {

using llvm::Value;

namespace {

constexpr unsigned kRegister = 512;

// A constant is known to be no NaN, and LLVM has shorter code for it.
bool is_of_two_vectors(const llvm::IntrinsicInst& call) {
    const auto* type = llvm::dyn_cast<llvm::FixedVectorType>(call.getType());
    const bool extreme =
        call.getIntrinsicID() == llvm::Intrinsic::maximum || call.getIntrinsicID() == llvm::Intrinsic::minimum;
    if (!extreme || type == nullptr) return false;
    const uint64_t bits = type->getPrimitiveSizeInBits();
    if (bits != kRegister && bits != uint64_t{2} * kRegister) return false;
    if (!type->getElementType()->isFloatTy() && !type->getElementType()->isDoubleTy()) return false;
    return !llvm::isa<llvm::Constant>(call.getArgOperand(0)) && !llvm::isa<llvm::Constant>(call.getArgOperand(1));
}

// Of a whole register.
Value* range(llvm::IRBuilder<>& builder, bool greater, Value* a, Value* b) {
    constexpr uint32_t kSmaller = 4, kGreater = 5;  // with the sign that the comparison gives
    constexpr uint32_t kCurrentRounding = 4;
    llvm::Type* type = a->getType();
    const bool single = type->getScalarType()->isFloatTy();
    const auto instruction =
        single ? llvm::Intrinsic::x86_avx512_mask_range_ps_512 : llvm::Intrinsic::x86_avx512_mask_range_pd_512;
    Value* all_lanes = single ? builder.getInt16(0xffff) : builder.getInt8(0xff);
    return builder.CreateIntrinsic(instruction, {},
                                   {a, b, builder.getInt32(greater ? kGreater : kSmaller),
                                    llvm::Constant::getNullValue(type), all_lanes, builder.getInt32(kCurrentRounding)});
}

// The registers that hold a vector.
std::vector<Value*> registers(llvm::IRBuilder<>& builder, Value* vector) {
    auto* type = llvm::cast<llvm::FixedVectorType>(vector->getType());
    if (type->getPrimitiveSizeInBits() == kRegister) return {vector};
    const auto half = static_cast<int>(type->getNumElements() / 2);
    std::vector<int> low, high;
    for (int i = 0; i < half; ++i) {
        low.push_back(i);
        high.push_back(half + i);
    }
    return {builder.CreateShuffleVector(vector, low), builder.CreateShuffleVector(vector, high)};
}

Value* joined(llvm::IRBuilder<>& builder, const std::vector<Value*>& parts) {
    if (parts.size() == 1) return parts.front();
    std::vector<int> all(2 * llvm::cast<llvm::FixedVectorType>(parts.front()->getType())->getNumElements());
    std::iota(all.begin(), all.end(), 0);
    return builder.CreateShuffleVector(parts[0], parts[1], all);
}

}  // namespace

void range_at_once(llvm::Function& function) {
    std::vector<llvm::IntrinsicInst*> all;
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
        auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
        if (call != nullptr && is_of_two_vectors(*call)) all.push_back(call);
    }
    for (llvm::IntrinsicInst* call : all) {
        llvm::IRBuilder<> builder(call);
        const bool greater = call->getIntrinsicID() == llvm::Intrinsic::maximum;
        const std::vector<Value*> a = registers(builder, call->getArgOperand(0));
        const std::vector<Value*> b = registers(builder, call->getArgOperand(1));
        std::vector<Value*> results;
        for (size_t i = 0; i < a.size(); ++i) {
            Value* found = range(builder, greater, a[i], b[i]);
            results.push_back(
                builder.CreateSelect(builder.CreateFCmpUNO(a[i], b[i]), builder.CreateFAdd(a[i], b[i]), found));
        }
        call->replaceAllUsesWith(joined(builder, results));
        call->eraseFromParent();
    }
}

}  // namespace tsr::codegen
