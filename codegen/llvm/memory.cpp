// Loads and stores of level Target, atomics among them.
#include <llvm/IR/Constants.h>

#include "codegen/llvm/element.h"
#include "codegen/llvm/function.h"
#include "codegen/llvm/target.h"
#include "codegen/llvm/types.h"
#include "ir/ops/target.h"

namespace tsr::codegen {

using ir::AtomicOp;
using ir::Attr;
using ir::OpKind;
using llvm::Value;

Value* TargetBody::from_memory(DType type, Value* stored) {
    if (type != DType::boolean) return stored;
    return builder_.CreateICmpNE(stored, llvm::Constant::getNullValue(stored->getType()));
}

Value* TargetBody::to_memory(DType type, Value* held) {
    if (type != DType::boolean) return held;
    return builder_.CreateZExt(held, shaped_like(held, builder_.getInt8Ty()));
}

Value* TargetBody::bits_of(const ir::Type& type, Value* scalar) {
    if (type.kind == ir::TypeKind::pointer) return builder_.CreatePtrToInt(scalar, builder_.getInt64Ty());
    return scalar_bits(build_, type.elem, scalar);
}

Value* TargetBody::address(const ir::Op& op, bool in_bounds) {
    const ir::PointerAddOp sum(source_, op);
    llvm::Type* element = memory_type(target_.getContext(), type(sum.pointer()).elem);
    Value* offset =
        builder_.CreateIntCast(value(sum.offset()), builder_.getInt64Ty(), is_signed(type(sum.offset()).elem));
    return builder_.CreateGEP(element, value(sum.pointer()), offset, "",
                              in_bounds ? llvm::GEPNoWrapFlags::inBounds() : llvm::GEPNoWrapFlags::none());
}

llvm::Align TargetBody::alignment_of(const ir::Op& op, DType type) const {
    return llvm::Align(static_cast<uint64_t>(op.attrs.integer(Attr::alignment, memory_bytes(type))));
}

Value* TargetBody::mask_of(const ir::Op& op) const {
    const auto given = ir::MaskedOp(source_, op).mask();
    if (!given) return nullptr;
    Value* mask = value(*given);
    const auto* known = llvm::dyn_cast<llvm::Constant>(mask);
    return known != nullptr && known->isAllOnesValue() ? nullptr : mask;
}

void TargetBody::emit_stack(const ir::Op& op) {
    const DType type = op.attrs.dtype(Attr::type);
    const auto count = static_cast<uint64_t>(op.attrs.integer(Attr::count));
    const auto asked = static_cast<uint64_t>(op.attrs.integer(Attr::alignment, memory_bytes(type)));
    const uint64_t alignment = std::max(least_stack_alignment(), asked);
    define(op.results[0], stack_room(memory_type(target_.getContext(), type), count, llvm::Align(alignment)));
}

void TargetBody::emit_load(const ir::Op& op) {
    const ir::ValueId pointer = ir::MaskedOp(source_, op).pointer();
    const DType type = this->type(pointer).elem;
    llvm::Type* stored = memory_type(target_.getContext(), type);
    const int64_t width = op.attrs.integer(Attr::width, 0);
    Value* mask = mask_of(op);
    const llvm::Align alignment = alignment_of(op, type);
    if (width == 0 && mask != nullptr) {
        // One element under a condition: a branch around it.
        llvm::BasicBlock* before = builder_.GetInsertBlock();
        llvm::BasicBlock* inside = block("load");
        llvm::BasicBlock* after = block("loaded");
        builder_.CreateCondBr(mask, inside, after);
        builder_.SetInsertPoint(inside);
        Value* loaded = builder_.CreateAlignedLoad(stored, value(pointer), alignment);
        builder_.CreateBr(after);
        builder_.SetInsertPoint(after);
        llvm::PHINode* chosen = builder_.CreatePHI(stored, 2);
        chosen->addIncoming(llvm::Constant::getNullValue(stored), before);
        chosen->addIncoming(loaded, inside);
        define(op.results[0], from_memory(type, chosen));
        return;
    }
    if (width != 0) stored = llvm::FixedVectorType::get(stored, static_cast<unsigned>(width));
    Value* loaded = nullptr;
    if (mask == nullptr) {
        loaded = builder_.CreateAlignedLoad(stored, value(pointer), alignment);
    } else {
        loaded =
            builder_.CreateMaskedLoad(stored, value(pointer), alignment, mask, llvm::Constant::getNullValue(stored));
    }
    define(op.results[0], from_memory(type, loaded));
}

void TargetBody::emit_store(const ir::Op& op) {
    const ir::StoreOp writes(source_, op);
    const DType type = this->type(writes.pointer()).elem;
    Value* pointer = value(writes.pointer());
    Value* stored = to_memory(type, value(writes.value()));
    Value* mask = mask_of(op);
    const llvm::Align alignment = alignment_of(op, type);
    if (mask == nullptr) {
        llvm::StoreInst* store = builder_.CreateAlignedStore(stored, pointer, alignment);
        if (op.attrs.has(Attr::past_caches)) {
            llvm::Metadata* one = llvm::ConstantAsMetadata::get(builder_.getInt32(1));
            store->setMetadata(llvm::LLVMContext::MD_nontemporal, llvm::MDNode::get(target_.getContext(), {one}));
        }
    } else if (stored->getType()->isVectorTy()) {
        builder_.CreateMaskedStore(stored, pointer, alignment, mask);
    } else {
        llvm::BasicBlock* after = block("stored");
        llvm::BasicBlock* inside = block("store");
        builder_.CreateCondBr(mask, inside, after);
        builder_.SetInsertPoint(inside);
        builder_.CreateAlignedStore(stored, pointer, alignment);
        builder_.CreateBr(after);
        builder_.SetInsertPoint(after);
    }
}

namespace {

OpKind combination(AtomicOp op) {
    switch (op) {
        case AtomicOp::add:
            return OpKind::add;
        case AtomicOp::min:
            return OpKind::minimum;
        case AtomicOp::max:
            return OpKind::maximum;
        case AtomicOp::bit_and:
            return OpKind::bit_and;
        case AtomicOp::bit_or:
            return OpKind::bit_or;
        case AtomicOp::bit_xor:
            return OpKind::bit_xor;
        case AtomicOp::exchange:
        case AtomicOp::compare_exchange:
            return OpKind::select;  // nothing is combined
    }
    return OpKind::select;
}

llvm::AtomicRMWInst::BinOp integer_operation(AtomicOp op, bool has_sign) {
    using llvm::AtomicRMWInst;
    switch (op) {
        case AtomicOp::add:
            return AtomicRMWInst::Add;
        case AtomicOp::min:
            return has_sign ? AtomicRMWInst::Min : AtomicRMWInst::UMin;
        case AtomicOp::max:
            return has_sign ? AtomicRMWInst::Max : AtomicRMWInst::UMax;
        case AtomicOp::bit_and:
            return AtomicRMWInst::And;
        case AtomicOp::bit_or:
            return AtomicRMWInst::Or;
        case AtomicOp::bit_xor:
            return AtomicRMWInst::Xor;
        case AtomicOp::exchange:
        case AtomicOp::compare_exchange:
            return AtomicRMWInst::Xchg;
    }
    return AtomicRMWInst::Xchg;
}

}  // namespace

// Integers by one instruction; floats by comparing and exchanging, by their bits, those of a vector in one word.
void TargetBody::emit_atomic(const ir::Op& op) {
    const ir::AtomicRmwOp update(source_, op);
    const AtomicOp kind = update.what();
    const DType type = this->type(update.pointer()).elem;
    Value* pointer = value(update.pointer());
    const auto order = llvm::AtomicOrdering::Monotonic;
    const llvm::Align alignment(memory_bytes(type));
    llvm::Type* word = builder_.getIntNTy(memory_bytes(type) * 8);
    if (this->type(update.value()).is_vector()) {
        exchange_until_alone(op, builder_.getIntNTy(this->type(update.value()).width * memory_bytes(type) * 8));
        return;
    }
    const auto to_word = [&](ir::ValueId id) { return builder_.CreateBitCast(to_memory(type, value(id)), word); };
    Value* old = nullptr;
    if (kind == AtomicOp::compare_exchange) {
        Value* pair = builder_.CreateAtomicCmpXchg(pointer, to_word(update.compare()), to_word(update.value()),
                                                   alignment, order, order, atomic_scope());
        old = builder_.CreateExtractValue(pair, 0);
    } else if (!is_float(type) || kind == AtomicOp::exchange) {
        old = builder_.CreateAtomicRMW(integer_operation(kind, is_signed(type)), pointer, to_word(update.value()),
                                       alignment, order, atomic_scope());
    } else {
        old = exchange_until_alone(op, word);
    }
    llvm::Type* held = element_type(target_.getContext(), type);
    define(op.results[0], type == DType::boolean ? from_memory(type, old) : builder_.CreateBitCast(old, held));
}

Value* TargetBody::exchange_until_alone(const ir::Op& op, llvm::Type* word) {
    const ir::AtomicRmwOp update(source_, op);
    const DType type = this->type(update.pointer()).elem;
    Value* pointer = value(update.pointer());
    Value* combined = value(update.value());
    const auto order = llvm::AtomicOrdering::Monotonic;
    const llvm::Align alignment(word->getIntegerBitWidth() / 8);
    llvm::LoadInst* first = builder_.CreateAlignedLoad(word, pointer, alignment);
    first->setAtomic(order, atomic_scope());
    llvm::BasicBlock* before = builder_.GetInsertBlock();
    llvm::BasicBlock* attempt = block("attempt");
    llvm::BasicBlock* done = block("exchanged");
    builder_.CreateBr(attempt);
    builder_.SetInsertPoint(attempt);
    llvm::PHINode* seen = builder_.CreatePHI(word, 2);
    seen->addIncoming(first, before);
    Value* held = builder_.CreateBitCast(seen, combined->getType());
    Value* const both[] = {held, combined};
    Value* next = builder_.CreateBitCast(emit_element(build_, {combination(update.what()), type, type, both}), word);
    Value* pair = builder_.CreateAtomicCmpXchg(pointer, seen, next, alignment, order, order, atomic_scope());
    seen->addIncoming(builder_.CreateExtractValue(pair, 0), builder_.GetInsertBlock());
    builder_.CreateCondBr(builder_.CreateExtractValue(pair, 1), done, attempt);
    builder_.SetInsertPoint(done);
    return seen;
}

}  // namespace tsr::codegen
