#include "codegen/llvm/narrow.h"

#include <llvm/IR/Intrinsics.h>

#include "codegen/llvm/narrow_format.h"
#include "codegen/llvm/types.h"

namespace tsr::codegen {

namespace {

using llvm::Value;

// Vectors of 32-bit integers and floats as wide as a value.
struct Words {
    Build& build;
    llvm::Type* word;
    llvm::Type* real;

    Words(Build& b, Value* like)
        : build(b),
          word(shaped_like(like, llvm::Type::getInt32Ty(b.context()))),
          real(shaped_like(like, llvm::Type::getFloatTy(b.context()))) {}

    [[nodiscard]] llvm::IRBuilder<>& ir() const { return build.ir; }
    [[nodiscard]] Value* constant(uint32_t bits) const { return llvm::ConstantInt::get(word, bits); }
    [[nodiscard]] Value* real_of(Value* bits) const { return ir().CreateBitCast(bits, real); }
    [[nodiscard]] Value* bits_of(Value* f32) const { return ir().CreateBitCast(f32, word); }
};

// 2^exponent as the bits of an f32.
uint32_t power_bits(int exponent) { return static_cast<uint32_t>(exponent + 127) << 23; }

Value* decode_format(Build& build, const Format& format, Value* code) {
    const Words w(build, code);
    llvm::IRBuilder<>& ir = build.ir;
    Value* bits = ir.CreateZExt(code, w.word);
    Value* magnitude = ir.CreateAnd(bits, w.constant(format.sign_bit() - 1));
    Value* sign = ir.CreateShl(ir.CreateAnd(bits, w.constant(format.sign_bit())), w.constant(format.sign_shift()));
    Value* moved = ir.CreateShl(magnitude, w.constant(23 - format.mantissa));
    Value* result = ir.CreateAdd(moved, w.constant(static_cast<uint32_t>(127 - format.bias) << 23));
    // Subnormals are small integers times the least of them: no subnormal f32 is multiplied, which would be slow.
    Value* integer = ir.CreateSIToFP(magnitude, w.real);
    Value* unit = w.real_of(w.constant(power_bits(1 - format.bias - format.mantissa)));
    Value* is_small = ir.CreateICmpULT(magnitude, w.constant(1U << format.mantissa));
    result = ir.CreateSelect(is_small, w.bits_of(ir.CreateFMul(integer, unit)), result);
    if (format.infinity != 0) {
        Value* special = ir.CreateOr(moved, w.constant(0x7f800000));
        Value* is_nan = ir.CreateICmpUGT(magnitude, w.constant(format.infinity));
        special = ir.CreateSelect(is_nan, ir.CreateOr(special, w.constant(0x00400000)), special);  // a quiet one
        result = ir.CreateSelect(ir.CreateICmpUGE(magnitude, w.constant(format.infinity)), special, result);
    } else if (format.has_nan()) {
        Value* is_nan = ir.CreateICmpEQ(magnitude, w.constant(format.nan));
        result = ir.CreateSelect(is_nan, w.constant(0x7fc00000), result);
    }
    return w.real_of(ir.CreateOr(result, sign));
}

// Below the least normal number an addition in f32 rounds at the unit of the subnormals.
Value* encode_subnormal(const Words& w, const Format& format, Value* magnitude) {
    const uint32_t magic = power_bits(1 - format.bias - format.mantissa + 23);
    Value* sum = w.ir().CreateFAdd(w.real_of(magnitude), w.real_of(w.constant(magic)));
    return w.ir().CreateSub(w.bits_of(sum), w.constant(magic));
}

Value* encode_format(Build& build, const Format& format, Value* f32, llvm::Type* code) {
    const Words w(build, f32);
    llvm::IRBuilder<>& ir = build.ir;
    Value* bits = w.bits_of(f32);
    Value* sign = ir.CreateAnd(ir.CreateLShr(bits, w.constant(format.sign_shift())), w.constant(format.sign_bit()));
    Value* magnitude = ir.CreateAnd(bits, w.constant(0x7fffffff));
    const int shift = 23 - format.mantissa;
    Value* last = ir.CreateAnd(ir.CreateLShr(magnitude, w.constant(shift)), w.constant(1));
    Value* bumped = ir.CreateAdd(ir.CreateAdd(magnitude, w.constant((1U << (shift - 1)) - 1)), last);
    Value* result = ir.CreateSub(ir.CreateLShr(bumped, w.constant(shift)),
                                 w.constant(static_cast<uint32_t>(127 - format.bias) << format.mantissa));
    Value* is_small = ir.CreateICmpULT(magnitude, w.constant(power_bits(1 - format.bias)));
    result = ir.CreateSelect(is_small, encode_subnormal(w, format, magnitude), result);
    result = ir.CreateBinaryIntrinsic(llvm::Intrinsic::smin, result, w.constant(format.largest));
    // NaN is the positive one of all ones, or the largest value where there is none.
    Value* is_nan = ir.CreateICmpUGT(magnitude, w.constant(0x7f800000));
    result = ir.CreateSelect(is_nan, w.constant(format.nan), ir.CreateOr(result, sign));
    return ir.CreateTrunc(result, shaped_like(f32, code));
}

Value* decode_scale(Build& build, Value* code) {
    const Words w(build, code);
    llvm::IRBuilder<>& ir = build.ir;
    Value* bits = ir.CreateZExt(code, w.word);
    Value* result = ir.CreateShl(bits, w.constant(23));
    result = ir.CreateSelect(ir.CreateICmpEQ(bits, w.constant(0)), w.constant(0x00400000), result);
    result = ir.CreateSelect(ir.CreateICmpEQ(bits, w.constant(255)), w.constant(0x7fc00000), result);
    return w.real_of(result);
}

// The nearest power of two, halfway the one of even code. Zeros become the least, negative numbers NaN.
Value* encode_scale(Build& build, Value* f32) {
    const Words w(build, f32);
    llvm::IRBuilder<>& ir = build.ir;
    Value* bits = w.bits_of(f32);
    Value* last = ir.CreateAnd(ir.CreateLShr(bits, w.constant(23)), w.constant(1));
    Value* bumped = ir.CreateAdd(ir.CreateAdd(bits, w.constant(0x3fffff)), last);
    Value* result =
        ir.CreateBinaryIntrinsic(llvm::Intrinsic::umin, ir.CreateLShr(bumped, w.constant(23)), w.constant(254));
    // Subnormals of f32 lie around the two least scales, 2^-127 and 2^-126.
    Value* second = ir.CreateZExt(ir.CreateICmpUGT(bits, w.constant(0x00600000)), w.word);
    result = ir.CreateSelect(ir.CreateICmpULT(bits, w.constant(0x00800000)), second, result);
    Value* magnitude = ir.CreateAnd(bits, w.constant(0x7fffffff));
    result = ir.CreateSelect(ir.CreateICmpEQ(magnitude, w.constant(0)), w.constant(0), result);
    Value* is_negative = ir.CreateICmpUGT(bits, w.constant(0x80000000));
    Value* is_nan = ir.CreateICmpUGT(magnitude, w.constant(0x7f800000));
    result = ir.CreateSelect(ir.CreateOr(is_negative, is_nan), w.constant(255), result);
    return ir.CreateTrunc(result, shaped_like(f32, ir.getInt8Ty()));
}

Value* encode_bf16(Build& build, Value* f32) {
    const Words w(build, f32);
    llvm::IRBuilder<>& ir = build.ir;
    Value* bits = w.bits_of(f32);
    Value* last = ir.CreateAnd(ir.CreateLShr(bits, w.constant(16)), w.constant(1));
    Value* rounded = ir.CreateAdd(ir.CreateAdd(bits, w.constant(0x7fff)), last);
    Value* quiet = ir.CreateOr(bits, w.constant(0x00400000));
    Value* is_nan = ir.CreateFCmpUNO(f32, f32);
    Value* chosen = ir.CreateSelect(is_nan, quiet, rounded);
    return ir.CreateTrunc(ir.CreateLShr(chosen, w.constant(16)), shaped_like(f32, ir.getInt16Ty()));
}

}  // namespace

Value* decode_narrow(Build& build, DType from, Value* code) {
    if (from == DType::e8m0) return decode_scale(build, code);
    if (from != DType::bf16) return decode_format(build, format_of(from), code);
    const Words w(build, code);
    return w.real_of(build.ir.CreateShl(build.ir.CreateZExt(code, w.word), w.constant(16)));
}

Value* encode_narrow(Build& build, DType to, Value* f32) {
    if (to == DType::e8m0) return encode_scale(build, f32);
    if (to == DType::bf16) return encode_bf16(build, f32);
    llvm::Type* code = to == DType::f16 ? build.ir.getInt16Ty() : build.ir.getInt8Ty();
    return encode_format(build, format_of(to), f32, code);
}

Value* round_to_odd(Build& build, Value* f64) {
    const Words w(build, f64);
    llvm::IRBuilder<>& ir = build.ir;
    Value* nearest = ir.CreateFPTrunc(f64, w.real);
    Value* back = ir.CreateFPExt(nearest, f64->getType());
    Value* bits = w.bits_of(nearest);
    Value* inexact = ir.CreateFCmpONE(back, f64);
    Value* even = ir.CreateICmpEQ(ir.CreateAnd(bits, w.constant(1)), w.constant(0));
    Value* too_large = ir.CreateFCmpOGT(ir.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, back),
                                        ir.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, f64));
    Value* step = ir.CreateSelect(too_large, w.constant(0xffffffff), w.constant(1));
    Value* moved = ir.CreateAdd(bits, step);
    return w.real_of(ir.CreateSelect(ir.CreateAnd(inexact, even), moved, bits));
}

}  // namespace tsr::codegen
