#include "codegen/llvm/types.h"

namespace tsr::codegen {

llvm::Type* element_type(llvm::LLVMContext& context, DType type) {
    switch (type) {
        case DType::boolean:
            return llvm::Type::getInt1Ty(context);
        case DType::i4:
        case DType::i8:
        case DType::u8:
        case DType::fp8_e4m3:
        case DType::fp8_e5m2:
        case DType::fp6_e3m2:
        case DType::fp6_e2m3:
        case DType::fp4_e2m1:
        case DType::e8m0:
            return llvm::Type::getInt8Ty(context);
        case DType::i16:
        case DType::u16:
        case DType::bf16:
            return llvm::Type::getInt16Ty(context);
        case DType::i32:
        case DType::u32:
            return llvm::Type::getInt32Ty(context);
        case DType::i64:
        case DType::u64:
        case DType::index:
            return llvm::Type::getInt64Ty(context);
        case DType::f64:
            return llvm::Type::getDoubleTy(context);
        case DType::f32:
            return llvm::Type::getFloatTy(context);
        case DType::f16:
            return llvm::Type::getHalfTy(context);
        case DType::c64:
            return nullptr;
    }
    return nullptr;
}

llvm::Type* memory_type(llvm::LLVMContext& context, DType type) {
    if (type == DType::boolean) return llvm::Type::getInt8Ty(context);
    return element_type(context, type);
}

llvm::Type* value_type(llvm::LLVMContext& context, const ir::Type& type) {
    switch (type.kind) {
        case ir::TypeKind::none:
            return llvm::Type::getVoidTy(context);
        case ir::TypeKind::scalar:
            return element_type(context, type.elem);
        case ir::TypeKind::vector:
            return llvm::FixedVectorType::get(element_type(context, type.elem), type.width);
        case ir::TypeKind::tensor:
        case ir::TypeKind::buffer:
        case ir::TypeKind::lane_array:
        case ir::TypeKind::tile:
        case ir::TypeKind::pointer:
        case ir::TypeKind::string:
        case ir::TypeKind::list:
        case ir::TypeKind::dict:
        case ir::TypeKind::tuple:
        case ir::TypeKind::record:
            return llvm::PointerType::get(context, 0);
    }
    return nullptr;
}

llvm::Type* shaped_like(llvm::Type* like, llvm::Type* element) {
    if (auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(like)) {
        return llvm::FixedVectorType::get(element, vector->getNumElements());
    }
    return element;
}

unsigned memory_bytes(DType type) { return static_cast<unsigned>((bits(type) + 7) / 8); }

}  // namespace tsr::codegen
