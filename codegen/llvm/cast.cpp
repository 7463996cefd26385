#include "codegen/llvm/cast.h"

#include <algorithm>

#include <llvm/IR/Intrinsics.h>

#include "codegen/llvm/narrow.h"
#include "codegen/llvm/narrow_pairs.h"
#include "codegen/llvm/types.h"

namespace tsr::codegen {

namespace {

using llvm::Value;

llvm::Type* shaped(Build& build, Value* like, DType type) {
    return shaped_like(like, element_type(build.context(), type));
}

llvm::Type* f32_like(Build& build, Value* like) { return shaped(build, like, DType::f32); }

bool is_integer_or_bool(DType type) { return is_integer(type) || type == DType::boolean; }

bool is_fp8(DType type) { return type == DType::fp8_e4m3 || type == DType::fp8_e5m2; }

// Any float or scale but f64 as f32. Exact.
Value* widen(Build& build, DType from, Value* value) {
    if (from == DType::f32) return value;
    if (is_fp8(from) && build.machine.converts_fp8) return decode_fp8_pairs(build, from, value);
    if (build.machine.pairs_f16 && is_within_half(from)) return decode_half_pairs(build, from, value);
    if (from != DType::f16) return decode_narrow(build, from, value);
    if (build.machine.converts_f16) return build.ir.CreateFPExt(value, f32_like(build, value));
    Value* bits = build.ir.CreateBitCast(value, shaped_like(value, build.ir.getInt16Ty()));
    return decode_narrow(build, from, bits);
}

Value* narrow(Build& build, DType to, Value* f32) {
    if (to == DType::f32) return f32;
    if (to == DType::bf16 && build.machine.rounds_bf16) {
        Value* rounded = build.ir.CreateFPTrunc(f32, shaped_like(f32, build.ir.getBFloatTy()));
        return build.ir.CreateBitCast(rounded, shaped(build, f32, to));
    }
    if (is_fp8(to) && build.machine.converts_fp8) return encode_fp8_pairs(build, to, f32);
    if (to != DType::f16) return encode_narrow(build, to, f32);
    if (build.machine.converts_f16) return build.ir.CreateFPTrunc(f32, shaped(build, f32, to));
    return build.ir.CreateBitCast(encode_narrow(build, to, f32), shaped(build, f32, to));
}

Value* float_to_float(Build& build, DType from, DType to, Value* value) {
    if (to == DType::f64) return build.ir.CreateFPExt(widen(build, from, value), shaped(build, value, to));
    if (from != DType::f64) return narrow(build, to, widen(build, from, value));
    if (to == DType::f32) return build.ir.CreateFPTrunc(value, shaped(build, value, to));
    return narrow(build, to, round_to_odd(build, value));
}

// LLVM takes vectors apart where no instruction saturates. Here the conversion that gives anything for what is out of
// range is followed by choices; where the float type holds both bounds, what is out of range becomes a bound before.
Value* saturate_lanes(Build& build, DType to, Value* value) {
    llvm::IRBuilder<>& ir = build.ir;
    const unsigned width = to == DType::i4 ? 8 : static_cast<unsigned>(bits(to));
    const llvm::APInt least = is_signed(to) ? llvm::APInt::getSignedMinValue(width) : llvm::APInt::getMinValue(width);
    const llvm::APInt most = is_signed(to) ? llvm::APInt::getSignedMaxValue(width) : llvm::APInt::getMaxValue(width);
    auto real = [&](const llvm::APInt& bound) {
        return llvm::ConstantFP::get(value->getType(), bound.roundToDouble(is_signed(to)));
    };
    llvm::Type* type = shaped(build, value, to);
    Value* number = ir.CreateFCmpORD(value, value);
    if (width < static_cast<unsigned>(value->getType()->getScalarType()->getFPMantissaWidth())) {
        Value* near = ir.CreateSelect(ir.CreateFCmpOGT(value, real(least)), value, real(least));
        near = ir.CreateSelect(ir.CreateFCmpOLT(near, real(most)), near, real(most));
        const bool wide = width == 32 && !is_signed(to);
        llvm::Type* words = value->getType()->getWithNewType(ir.getInt32Ty());
        Value* whole = wide ? ir.CreateFPToUI(near, words) : ir.CreateFPToSI(near, words);
        return ir.CreateSelect(number, ir.CreateTrunc(whole, type), llvm::Constant::getNullValue(type));
    }
    Value* whole = is_signed(to) ? ir.CreateFPToSI(value, type) : ir.CreateFPToUI(value, type);
    whole = ir.CreateSelect(ir.CreateFCmpOGE(value, real(most)), llvm::ConstantInt::get(type, most), whole);
    whole = ir.CreateSelect(ir.CreateFCmpOLE(value, real(least)), llvm::ConstantInt::get(type, least), whole);
    return ir.CreateSelect(number, whole, llvm::Constant::getNullValue(type));
}

Value* float_to_integer(Build& build, DType from, DType to, Value* value) {
    if (from != DType::f64) value = widen(build, from, value);
    const auto convert = is_signed(to) ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat;
    llvm::Type* type = shaped(build, value, to);
    Value* result = type->isVectorTy() && !build.machine.saturates
                        ? saturate_lanes(build, to, value)
                        : build.ir.CreateIntrinsic(convert, {type, value->getType()}, {value});
    if (to != DType::i4) return result;
    result = build.ir.CreateBinaryIntrinsic(llvm::Intrinsic::smin, result, llvm::ConstantInt::get(type, 7));
    return build.ir.CreateBinaryIntrinsic(llvm::Intrinsic::smax, result, llvm::ConstantInt::getSigned(type, -8));
}

Value* integer_to_real(Build& build, DType from, Value* value, llvm::Type* type) {
    return is_signed(from) ? build.ir.CreateSIToFP(value, type) : build.ir.CreateUIToFP(value, type);
}

// The low 16 bits of a large 64-bit integer folded into one sticky bit, so that f64 holds what is left exactly and
// later roundings still see on which side of a halfway point the integer was.
Value* sticky(Build& build, DType from, Value* value) {
    llvm::IRBuilder<>& ir = build.ir;
    llvm::Type* type = value->getType();
    Value* low = ir.CreateAnd(value, llvm::ConstantInt::get(type, 0xffff));
    Value* lost = ir.CreateICmpNE(low, llvm::ConstantInt::get(type, 0));
    Value* kept = ir.CreateXor(value, low);
    Value* folded = ir.CreateOr(kept, ir.CreateShl(ir.CreateZExt(lost, type), llvm::ConstantInt::get(type, 16)));
    Value* magnitude = value;
    if (is_signed(from)) magnitude = ir.CreateBinaryIntrinsic(llvm::Intrinsic::abs, value, ir.getFalse());
    Value* is_large = ir.CreateICmpUGE(magnitude, llvm::ConstantInt::get(type, 1ULL << 40));
    return ir.CreateSelect(is_large, folded, value);
}

Value* integer_to_float(Build& build, DType from, DType to, Value* value) {
    if (to == DType::f64 || to == DType::f32) return integer_to_real(build, from, value, shaped(build, value, to));
    // Beyond 24 bits the rounding to f32 does not matter to what follows: f16 is infinite there, narrower floats
    // saturate.
    if (to != DType::bf16 && to != DType::e8m0) {
        return narrow(build, to, integer_to_real(build, from, value, f32_like(build, value)));
    }
    if (bits(from) == 64) value = sticky(build, from, value);
    Value* f64 = integer_to_real(build, from, value, shaped(build, value, DType::f64));
    return narrow(build, to, round_to_odd(build, f64));
}

Value* integer_to_integer(Build& build, DType from, DType to, Value* value) {
    Value* result = build.ir.CreateIntCast(value, shaped(build, value, to), is_signed(from) && from != DType::boolean);
    return to == DType::i4 ? wrap_i4(build, result) : result;
}

Value* to_bool(Build& build, DType from, Value* value) {
    if (is_integer_or_bool(from)) return build.ir.CreateICmpNE(value, llvm::Constant::getNullValue(value->getType()));
    if (from != DType::f64) value = widen(build, from, value);
    return build.ir.CreateFCmpUNE(value, llvm::Constant::getNullValue(value->getType()));
}

}  // namespace

llvm::Value* wrap_i4(Build& build, Value* value) {
    llvm::Constant* four = llvm::ConstantInt::get(value->getType(), 4);
    return build.ir.CreateAShr(build.ir.CreateShl(value, four), four);
}

llvm::Value* emit_cast(Build& build, DType from, DType to, Value* value) {
    if (from == to) return value;
    if (to == DType::boolean) return to_bool(build, from, value);
    if (is_integer_or_bool(from)) {
        return is_integer(to) ? integer_to_integer(build, from, to, value) : integer_to_float(build, from, to, value);
    }
    return is_integer(to) ? float_to_integer(build, from, to, value) : float_to_float(build, from, to, value);
}

// Elements that share bytes in memory lie in a byte each here: i4 sign-extended, floats as their code.
llvm::Value* emit_bitcast(Build& build, DType from, DType to, Value* value) {
    if (to == DType::i4) {
        llvm::Constant* four = llvm::ConstantInt::get(value->getType(), 4);
        return build.ir.CreateAShr(build.ir.CreateShl(value, four), four);
    }
    const int width = std::min(bits(from), bits(to));
    if (width < 8) return build.ir.CreateAnd(value, llvm::ConstantInt::get(value->getType(), (1U << width) - 1));
    return build.ir.CreateBitCast(value, shaped(build, value, to));
}

}  // namespace tsr::codegen
