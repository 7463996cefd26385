#include "codegen/cpu/powers.h"

#include <vector>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/PatternMatch.h>

namespace tsr::codegen {

using llvm::Value;

namespace {

namespace match = llvm::PatternMatch;

constexpr uint64_t kMantissa = 23, kOne = 127ULL << kMantissa;

// The exponent k of a value that is made as 2^k; null for others.
Value* exponent_of(Value* power) {
    Value* exponent = nullptr;
    const auto shifted = match::m_Shl(match::m_Value(exponent), match::m_SpecificInt(kMantissa));
    const bool is_power = match::match(power, match::m_BitCast(match::m_Add(shifted, match::m_SpecificInt(kOne))));
    return is_power ? exponent : nullptr;
}

struct Scaled {
    llvm::BinaryOperator* product;
    Value* value;
    Value* power;  // an integer
};

// (value * 2^half) * 2^rest with half = power >> 1. What the rest is made of may differ from power by multiples of 2^9,
// which are shifted out.
bool is_scaled(llvm::BinaryOperator& product, Scaled& found) {
    if (product.getOpcode() != llvm::Instruction::FMul) return false;
    auto* inner = llvm::dyn_cast<llvm::BinaryOperator>(product.getOperand(0));
    if (inner == nullptr || inner->getOpcode() != llvm::Instruction::FMul) return false;
    Value* half = exponent_of(inner->getOperand(1));
    Value* rest = exponent_of(product.getOperand(1));
    Value *power = nullptr, *from = nullptr;
    const llvm::APInt* offset = nullptr;
    if (half == nullptr || rest == nullptr ||
        !match::match(half, match::m_AShr(match::m_Value(power), match::m_One())) ||
        !match::match(rest, match::m_Sub(match::m_Value(from), match::m_Specific(half)))) {
        return false;
    }
    const bool same = from == power;
    const bool apart = match::match(power, match::m_Add(match::m_Specific(from), match::m_APInt(offset)));
    if (!same && !(apart && (*offset & 0x1ff) == 0)) return false;
    found = {&product, inner->getOperand(0), power};
    return true;
}

}  // namespace

void scale_at_once(llvm::Function& function) {
    constexpr unsigned kLanes = 16, kCurrentRounding = 4;
    std::vector<Scaled> all;
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
        auto* product = llvm::dyn_cast<llvm::BinaryOperator>(&instruction);
        auto* type = llvm::dyn_cast<llvm::FixedVectorType>(instruction.getType());
        if (product == nullptr || type == nullptr || type->getNumElements() != kLanes) continue;
        Scaled found{};
        if (type->getElementType()->isFloatTy() && is_scaled(*product, found)) all.push_back(found);
    }
    for (const Scaled& scaled : all) {
        llvm::IRBuilder<> builder(scaled.product);
        Value* power = builder.CreateSIToFP(scaled.power, scaled.product->getType());
        Value* result = builder.CreateIntrinsic(llvm::Intrinsic::x86_avx512_mask_scalef_ps_512, {},
                                                {scaled.value, power, llvm::Constant::getNullValue(power->getType()),
                                                 builder.getInt16(0xffff), builder.getInt32(kCurrentRounding)});
        scaled.product->replaceAllUsesWith(result);
        scaled.product->eraseFromParent();
    }
}

}  // namespace tsr::codegen
