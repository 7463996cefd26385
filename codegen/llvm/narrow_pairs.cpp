#include "codegen/llvm/narrow_pairs.h"

#include <llvm/IR/IntrinsicsNVPTX.h>

#include "codegen/llvm/narrow_format.h"
#include "codegen/llvm/types.h"

namespace tsr::codegen {

namespace {

using llvm::Value;

// Calls `convert(first, second)` for pairs of lanes; of an odd number the last stands alone, beside `filler`.
template <typename Convert>
Value* by_pairs(Build& build, Value* value, llvm::Type* element, Value* filler, Convert convert) {
    llvm::IRBuilder<>& ir = build.ir;
    auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
    if (vector == nullptr) return ir.CreateExtractElement(convert(value, filler), uint64_t{0});
    const unsigned count = vector->getNumElements();
    Value* result = llvm::PoisonValue::get(llvm::FixedVectorType::get(element, count));
    for (unsigned lane = 0; lane < count; lane += 2) {
        Value* second = lane + 1 < count ? ir.CreateExtractElement(value, lane + 1) : filler;
        Value* pair = convert(ir.CreateExtractElement(value, lane), second);
        for (unsigned i = 0; i < 2 && lane + i < count; ++i) {
            result = ir.CreateInsertElement(result, ir.CreateExtractElement(pair, uint64_t{i}), lane + i);
        }
    }
    return result;
}

constexpr int kHalfMantissa = 10, kHalfSign = 15, kHalfBias = 15;

// Two codes, one in each half of a word, as two f16.
Value* halves_of(llvm::IRBuilder<>& ir, const Format& format, Value* word) {
    const int sign = format.exponent + format.mantissa;
    const auto moved = [&](uint32_t bits, int by) {
        const uint32_t both = bits << by;
        return ir.CreateAnd(ir.CreateShl(word, static_cast<uint64_t>(by)), both | both << 16);
    };
    llvm::Type* pair = llvm::FixedVectorType::get(ir.getHalfTy(), 2);
    const auto power = [&](double value) { return llvm::ConstantFP::get(pair, value); };
    Value* bits =
        ir.CreateOr(moved((1U << sign) - 1, kHalfMantissa - format.mantissa), moved(1U << sign, kHalfSign - sign));
    Value* small = ir.CreateBitCast(bits, pair);
    Value* exact = ir.CreateFMul(small, power(1 << (kHalfBias - format.bias)));
    if (!format.has_nan()) return exact;
    // 480 / 2^8 times this is infinite, 448 / 2^8 is not: zero times it is NaN for the one and zero for the other.
    constexpr double kBeyond = 35840;
    Value* beyond = ir.CreateFMul(small, power(kBeyond));
    return ir.CreateIntrinsic(llvm::Intrinsic::fma, {pair}, {beyond, power(0), exact});
}

}  // namespace

bool is_within_half(DType type) { return is_float(type) && bits(type) <= 8 && format_of(type).infinity == 0; }

Value* decode_half_pairs(Build& build, DType from, Value* code) {
    llvm::IRBuilder<>& ir = build.ir;
    const Format format = format_of(from);
    Value* half = by_pairs(build, code, ir.getHalfTy(), ir.getInt8(0), [&](Value* first, Value* second) {
        Value* high = ir.CreateShl(ir.CreateZExt(second, ir.getInt32Ty()), 16);
        return halves_of(ir, format, ir.CreateOr(high, ir.CreateZExt(first, ir.getInt32Ty())));
    });
    return ir.CreateFPExt(half, shaped_like(code, ir.getFloatTy()));
}

Value* decode_fp8_pairs(Build& build, DType from, Value* code) {
    llvm::IRBuilder<>& ir = build.ir;
    const auto unpack =
        from == DType::fp8_e4m3 ? llvm::Intrinsic::nvvm_e4m3x2_to_f16x2_rn : llvm::Intrinsic::nvvm_e5m2x2_to_f16x2_rn;
    Value* half = by_pairs(build, code, ir.getHalfTy(), ir.getInt8(0), [&](Value* first, Value* second) {
        Value* high = ir.CreateShl(ir.CreateZExt(second, ir.getInt16Ty()), 8);
        return ir.CreateIntrinsic(unpack, {}, {ir.CreateOr(high, ir.CreateZExt(first, ir.getInt16Ty()))});
    });
    return ir.CreateFPExt(half, shaped_like(code, ir.getFloatTy()));
}

// The instruction takes the upper half first. It saturates, infinities too, and makes NaN the positive one of all ones.
Value* encode_fp8_pairs(Build& build, DType to, Value* f32) {
    llvm::IRBuilder<>& ir = build.ir;
    const auto pack =
        to == DType::fp8_e4m3 ? llvm::Intrinsic::nvvm_ff_to_e4m3x2_rn : llvm::Intrinsic::nvvm_ff_to_e5m2x2_rn;
    Value* zero = llvm::ConstantFP::get(ir.getFloatTy(), 0.0);
    llvm::Type* bytes = llvm::FixedVectorType::get(ir.getInt8Ty(), 2);
    return by_pairs(build, f32, ir.getInt8Ty(), zero, [&](Value* first, Value* second) {
        return ir.CreateBitCast(ir.CreateIntrinsic(pack, {}, {second, first}), bytes);
    });
}

}  // namespace tsr::codegen
