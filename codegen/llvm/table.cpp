// Elements of constant tables.
#include <llvm/IR/Constants.h>

#include "codegen/llvm/body.h"
#include "codegen/llvm/types.h"
#include "ir/ops/element.h"

namespace tsr::codegen {

using llvm::Value;

void Body::emit_table(const ir::Op& op) {
    const DType type = op.attrs.dtype(ir::Attr::type);
    const std::vector<int64_t>& elements = op.attrs.integers(ir::Attr::elements);
    llvm::Type* stored = memory_type(target_.getContext(), type);
    llvm::Type* word = builder_.getIntNTy(8 * memory_bytes(type));
    std::vector<llvm::Constant*> words;
    for (const int64_t bits : elements) words.push_back(llvm::ConstantInt::getSigned(word, bits, true));
    llvm::Constant* table = data_.table(llvm::ConstantArray::get(llvm::ArrayType::get(word, words.size()), words),
                                        build_.machine.tables_space);

    Value* given = value(ir::UnaryOp(source_, op).operand());
    const uint64_t last = elements.size() - 1;
    // The low bits count; as 32 bits they need no sign.
    Value* index = builder_.CreateIntCast(given, shaped_like(given, builder_.getInt32Ty()), false);
    index = builder_.CreateAnd(index, llvm::ConstantInt::get(index->getType(), last));
    const llvm::Align alignment(memory_bytes(type));
    const auto load = [&](Value* at) {
        Value* address = builder_.CreateInBoundsGEP(stored, table, builder_.CreateZExt(at, builder_.getInt64Ty()));
        llvm::LoadInst* loaded = builder_.CreateAlignedLoad(stored, address, alignment);
        loaded->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(target_.getContext(), {}));
        return loaded;
    };
    Value* result = nullptr;
    const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(given->getType());
    if (vector == nullptr) {
        result = load(index);
    } else if (build_.machine.gathers && memory_bytes(type) >= 4) {
        Value* addresses = builder_.CreateGEP(stored, table, index);
        result = builder_.CreateMaskedGather(shaped_like(given, stored), addresses, alignment);
    } else {
        result = llvm::PoisonValue::get(shaped_like(given, stored));
        for (unsigned lane = 0; lane < vector->getNumElements(); ++lane) {
            result = builder_.CreateInsertElement(result, load(builder_.CreateExtractElement(index, lane)), lane);
        }
    }
    if (type == DType::boolean) {
        result = builder_.CreateICmpNE(result, llvm::Constant::getNullValue(result->getType()));
    }
    define(op.results[0], result);
}

}  // namespace tsr::codegen
