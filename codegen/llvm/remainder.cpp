#include "codegen/llvm/remainder.h"

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>

namespace tsr::codegen {

namespace {

using llvm::Value;

// A float as 64-bit integers: |float| = significand * 2^exponent, counted from the least subnormal.
struct Parts {
    Value* significand;
    Value* exponent;
};

// Writes the function for one type. Both magnitudes are integers times the least subnormal, so the remainder is one of
// integers: that of x's significand by y's, shifted left by the difference of the exponents, a few bits at a time so
// that nothing leaves the 64 bits.
class Writer {
public:
    Writer(llvm::Function& function, unsigned width)
        : function_(function),
          ir_(llvm::BasicBlock::Create(function.getContext(), "entry", &function)),
          width_(width),
          fraction_(width == 64 ? 52 : 23) {}

    void write() {
        Value* x = bits_of(function_.getArg(0));
        Value* y = bits_of(function_.getArg(1));
        const uint64_t infinity = ((1ULL << (width_ - 1 - fraction_)) - 1) << fraction_;
        Value* sign = ir_.CreateAnd(x, word(1ULL << (width_ - 1)));
        x = ir_.CreateXor(x, sign);
        y = ir_.CreateAnd(y, word((1ULL << (width_ - 1)) - 1));
        Value* undefined = ir_.CreateOr(ir_.CreateICmpUGE(x, word(infinity)), ir_.CreateICmpUGT(y, word(infinity)));
        undefined = ir_.CreateOr(undefined, ir_.CreateICmpEQ(y, word(0)));
        leave_when(undefined, word(infinity | (1ULL << (fraction_ - 1))));
        leave_when(ir_.CreateICmpULT(x, y), ir_.CreateOr(x, sign));
        const Parts divisor = parts(y);
        Value* rest = remainder(parts(x), divisor);
        leave(ir_.CreateOr(normal(rest, divisor.exponent), sign));
    }

private:
    Value* word(uint64_t value) { return ir_.getInt64(value); }
    Value* bits_of(Value* real) {
        return ir_.CreateZExt(ir_.CreateBitCast(real, ir_.getIntNTy(width_)), ir_.getInt64Ty());
    }
    void leave(Value* bits) {
        ir_.CreateRet(ir_.CreateBitCast(ir_.CreateTrunc(bits, ir_.getIntNTy(width_)), function_.getReturnType()));
    }
    llvm::BasicBlock* block(const char* name) { return llvm::BasicBlock::Create(ir_.getContext(), name, &function_); }
    void leave_when(Value* condition, Value* bits) {
        llvm::BasicBlock* inside = block("leave");
        llvm::BasicBlock* after = block("go_on");
        ir_.CreateCondBr(condition, inside, after);
        ir_.SetInsertPoint(inside);
        leave(bits);
        ir_.SetInsertPoint(after);
    }

    Parts parts(Value* magnitude) {
        Value* exponent = ir_.CreateLShr(magnitude, word(fraction_));
        Value* fraction = ir_.CreateAnd(magnitude, word((1ULL << fraction_) - 1));
        Value* is_small = ir_.CreateICmpEQ(exponent, word(0));
        Value* significand = ir_.CreateOr(fraction, word(1ULL << fraction_));
        return {ir_.CreateSelect(is_small, fraction, significand),
                ir_.CreateSelect(is_small, word(0), ir_.CreateSub(exponent, word(1)))};
    }

    // x.significand * 2^(x.exponent - y.exponent) mod y.significand
    Value* remainder(const Parts& x, const Parts& y) {
        const uint64_t room = 63 - fraction_;  // bits above a significand
        Value* first = ir_.CreateURem(x.significand, y.significand);
        llvm::BasicBlock* before = ir_.GetInsertBlock();
        llvm::BasicBlock* head = block("shift");
        llvm::BasicBlock* body = block("divide");
        llvm::BasicBlock* done = block("done");
        Value* distance = ir_.CreateSub(x.exponent, y.exponent);
        ir_.CreateBr(head);
        ir_.SetInsertPoint(head);
        llvm::PHINode* rest = ir_.CreatePHI(ir_.getInt64Ty(), 2);
        llvm::PHINode* left = ir_.CreatePHI(ir_.getInt64Ty(), 2);
        rest->addIncoming(first, before);
        left->addIncoming(distance, before);
        ir_.CreateCondBr(ir_.CreateICmpSGT(left, word(0)), body, done);
        ir_.SetInsertPoint(body);
        Value* step = ir_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, left, word(room));
        rest->addIncoming(ir_.CreateURem(ir_.CreateShl(rest, step), y.significand), body);
        left->addIncoming(ir_.CreateSub(left, step), body);
        ir_.CreateBr(head);
        ir_.SetInsertPoint(done);
        return rest;
    }

    // significand * 2^exponent as bits: shifted up to where a normal number has its first bit, if the exponent reaches.
    Value* normal(Value* significand, Value* exponent) {
        Value* zeros = ir_.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, significand, ir_.getFalse());
        Value* wanted = ir_.CreateSub(zeros, word(63 - fraction_));
        Value* shift = ir_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, wanted, exponent);
        Value* shifted = ir_.CreateShl(significand, shift);
        // The first bit of a normal significand adds one to the field of the exponent.
        Value* field = ir_.CreateShl(ir_.CreateSub(exponent, shift), word(fraction_));
        Value* is_normal = ir_.CreateICmpUGE(shifted, word(1ULL << fraction_));
        return ir_.CreateAdd(shifted, ir_.CreateSelect(is_normal, field, word(0)));
    }

    llvm::Function& function_;
    llvm::IRBuilder<> ir_;
    unsigned width_;
    unsigned fraction_;
};

llvm::Function* remainder_function(llvm::Module& module, llvm::Type* real) {
    const unsigned width = real->getScalarSizeInBits();
    const std::string name = "tsr.remainder.f" + std::to_string(width);
    if (llvm::Function* known = module.getFunction(name)) return known;
    auto* signature = llvm::FunctionType::get(real, {real, real}, false);
    auto* function = llvm::Function::Create(signature, llvm::GlobalValue::InternalLinkage, name, module);
    function->addFnAttr(llvm::Attribute::NoUnwind);
    function->addFnAttr(llvm::Attribute::NoInline);
    function->addFnAttr(llvm::Attribute::WillReturn);
    function->setDoesNotAccessMemory();
    Writer(*function, width).write();
    return function;
}

}  // namespace

Value* emit_remainder(Build& build, Value* x, Value* y) {
    llvm::IRBuilder<>& ir = build.ir;
    llvm::Function* function = remainder_function(*ir.GetInsertBlock()->getModule(), x->getType()->getScalarType());
    auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(x->getType());
    if (vector == nullptr) return ir.CreateCall(function, {x, y});
    Value* result = llvm::PoisonValue::get(vector);
    for (unsigned lane = 0; lane < vector->getNumElements(); ++lane) {
        Value* rest = ir.CreateCall(function, {ir.CreateExtractElement(x, lane), ir.CreateExtractElement(y, lane)});
        result = ir.CreateInsertElement(result, rest, lane);
    }
    return result;
}

}  // namespace tsr::codegen
