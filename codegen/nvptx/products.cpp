// Products of warps.
#include <cassert>

#include <llvm/IR/IntrinsicsNVPTX.h>

#include "codegen/llvm/types.h"
#include "codegen/nvptx/task.h"
#include "ir/ops/target.h"

namespace tsr::codegen {

using ir::Attr;
using llvm::Value;

namespace {

llvm::Intrinsic::ID product(DType input, DType accumulator) {
    using namespace llvm::Intrinsic;
    switch (input) {
        case DType::f16:
            return accumulator == DType::f16 ? nvvm_mma_m16n8k16_row_col_f16_f16 : nvvm_mma_m16n8k16_row_col_f32_f32;
        case DType::bf16:
            return nvvm_mma_m16n8k16_row_col_bf16;
        case DType::f32:
            return nvvm_mma_m16n8k8_row_col_tf32;
        case DType::f64:
            return nvvm_mma_m8n8k4_row_col_f64;
        case DType::i8:
            return nvvm_mma_m16n8k32_row_col_s8;
        case DType::u8:
            return nvvm_mma_m16n8k32_row_col_u8;
        case DType::fp8_e4m3:
            return nvvm_mma_m16n8k32_row_col_f32_e4m3_e4m3_f32;
        case DType::fp8_e5m2:
            return nvvm_mma_m16n8k32_row_col_f32_e5m2_e5m2_f32;
        default:
            return not_intrinsic;
    }
}

}  // namespace

// Operands travel in words of 32 bits, of f32 and f64 in registers of their own; so does the result. The machine would
// cut operands of f32.
void GpuTask::emit_warp_product(const ir::Op& op) {
    const ir::ProductOp product_op(source_, op);
    const DType input = this->type(product_op.a()).elem;
    const llvm::Intrinsic::ID id = product(input, op.attrs.dtype(Attr::type));
    llvm::Function* function = llvm::Intrinsic::getOrInsertDeclaration(&data_.module(), id);
    const auto rounded = [&](Value* word) -> Value* {
        Value* single = builder_.CreateBitCast(word, builder_.getFloatTy());
        return builder_.CreateIntrinsic(llvm::Intrinsic::nvvm_f2tf32_rna, {single});
    };
    std::vector<Value*> arguments;
    const auto add = [&](Value* whole, bool factor) {
        llvm::Type* part = function->getFunctionType()->getParamType(static_cast<unsigned>(arguments.size()));
        const auto all = static_cast<unsigned>(whole->getType()->getPrimitiveSizeInBits().getFixedValue());
        const unsigned count = all / static_cast<unsigned>(part->getPrimitiveSizeInBits().getFixedValue());
        assert(count > 0 && all % count == 0);
        llvm::Type* words = builder_.getIntNTy(all / count);
        whole = builder_.CreateBitCast(whole, llvm::FixedVectorType::get(words, count));
        for (unsigned word = 0; word < count; ++word) {
            Value* one = builder_.CreateBitCast(builder_.CreateExtractElement(whole, word), part);
            arguments.push_back(factor && input == DType::f32 ? rounded(one) : one);
        }
    };
    add(value(product_op.a()), true);
    add(value(product_op.b()), true);
    add(value(product_op.accumulator()), false);
    llvm::CallInst* made = builder_.CreateCall(function, arguments);
    // Without it LLVM moves the call under conditions that not all lanes fulfil.
    made->addFnAttr(llvm::Attribute::Convergent);
    llvm::Type* type = value(product_op.accumulator())->getType();
    const auto* parts = llvm::cast<llvm::StructType>(made->getType());
    const unsigned count = parts->getNumElements();
    const auto all = static_cast<unsigned>(type->getPrimitiveSizeInBits().getFixedValue());
    llvm::Type* word = builder_.getIntNTy(all / count);
    Value* result = llvm::PoisonValue::get(llvm::FixedVectorType::get(word, count));
    for (unsigned i = 0; i < count; ++i) {
        Value* part = builder_.CreateBitCast(builder_.CreateExtractValue(made, i), word);
        result = builder_.CreateInsertElement(result, part, i);
    }
    define(op.results[0], builder_.CreateBitCast(result, type));
}

void GpuTask::emit_load_matrix(const ir::Op& op) {
    using namespace llvm::Intrinsic;
    llvm::Function* function = llvm::Intrinsic::getOrInsertDeclaration(
        &data_.module(),
        op.attrs.has(Attr::transposed) ? nvvm_ldmatrix_sync_aligned_m8n8_x4_trans_b16
                                       : nvvm_ldmatrix_sync_aligned_m8n8_x4_b16,
        {llvm::PointerType::get(builder_.getContext(), kSharedSpace)});
    llvm::CallInst* made = builder_.CreateCall(function, {value(ir::LoadMatrixOp(source_, op).pointer())});
    made->addFnAttr(llvm::Attribute::Convergent);
    const auto each = static_cast<unsigned>(4 / op.results.size());
    for (unsigned number = 0; number < op.results.size(); ++number) {
        Value* words = llvm::PoisonValue::get(llvm::FixedVectorType::get(builder_.getInt32Ty(), each));
        for (unsigned i = 0; i < each; ++i) {
            words = builder_.CreateInsertElement(words, builder_.CreateExtractValue(made, number * each + i), i);
        }
        const ir::ValueId result = op.results[number];
        define(result, builder_.CreateBitCast(words, value_type(builder_.getContext(), source_.type(result))));
    }
}

void GpuTask::emit_store_matrix(const ir::Op& op) {
    using namespace llvm::Intrinsic;
    const ir::StoreMatrixOp writes(source_, op);
    const unsigned words = this->type(writes.values()).width / 2;
    auto* type = llvm::FixedVectorType::get(builder_.getInt32Ty(), words);
    Value* value = builder_.CreateBitCast(this->value(writes.values()), type);
    std::vector<Value*> arguments{this->value(writes.pointer())};
    for (unsigned word = 0; word < words; ++word) arguments.push_back(builder_.CreateExtractElement(value, word));
    auto* store = llvm::Intrinsic::getOrInsertDeclaration(
        &data_.module(), words == 4 ? nvvm_stmatrix_sync_aligned_m8n8_x4_b16 : nvvm_stmatrix_sync_aligned_m8n8_x2_b16,
        {arguments[0]->getType()});
    builder_.CreateCall(store, arguments)->addFnAttr(llvm::Attribute::Convergent);
}

}  // namespace tsr::codegen
