#include "codegen/llvm/target.h"

#include <map>

#include "codegen/llvm/element.h"
#include "codegen/llvm/function.h"
#include "codegen/llvm/types.h"
#include "ir/ops/reduction.h"
#include "ir/ops/target.h"

namespace tsr::codegen {

using ir::Attr;
using ir::OpKind;
using llvm::Value;

llvm::Align Slot::least_alignment() const {
    return llvm::Align(std::max<uint64_t>(static_cast<uint64_t>(alignment), memory_bytes(type.elem)));
}

std::vector<Slot> slots_of(const ir::Function& source) {
    std::map<int64_t, Slot> found;
    for (size_t i = 0; i < source.op_count(); ++i) {
        const ir::Op& op = source.op(ir::OpId(i));
        if (op.kind != OpKind::slot || !op.parent.valid()) continue;
        const int64_t number = op.attrs.integer(Attr::count);
        found.emplace(number, Slot{number, source.type(op.results[0]), op.attrs.integer(Attr::alignment, 0)});
    }
    std::vector<Slot> slots;
    for (auto& [number, slot] : found) slots.push_back(std::move(slot));
    return slots;
}

void TargetBody::emit_function() {
    if (debug_ != nullptr) debug_->locate(builder_, {});
    emit_region(source_.body);
    if (debug_ != nullptr) debug_->locate(builder_, {});
    builder_.CreateRetVoid();
}

void TargetBody::emit_pointer_add(const ir::Op& op) { define(op.results[0], address(op, true)); }

void TargetBody::emit_memory_copy(const ir::Op& op) {
    const ir::MemoryCopyOp copy(source_, op);
    builder_.CreateMemCpy(value(copy.to()), llvm::MaybeAlign(), value(copy.from()), llvm::MaybeAlign(),
                          builder_.CreateIntCast(value(copy.bytes()), builder_.getInt64Ty(), true));
}

void TargetBody::emit_splat(const ir::Op& op) {
    const auto width = static_cast<unsigned>(op.attrs.integer(Attr::width));
    define(op.results[0], builder_.CreateVectorSplat(width, value(ir::SplatOp(source_, op).scalar())));
}

void TargetBody::emit_iota(const ir::Op& op) {
    llvm::Type* element = element_type(target_.getContext(), op.attrs.dtype(Attr::type));
    std::vector<llvm::Constant*> lanes;
    for (int64_t i = 0; i < op.attrs.integer(Attr::width); ++i) {
        lanes.push_back(llvm::ConstantInt::get(element, static_cast<uint64_t>(i), false, true));
    }
    define(op.results[0], llvm::ConstantVector::get(lanes));
}

Value* TargetBody::position(const ir::Op& op) {
    if (const auto given = ir::ElementOfVectorOp(source_, op).position()) return value(*given);
    return builder_.getInt32(static_cast<uint32_t>(op.attrs.integer(Attr::axis)));
}

void TargetBody::emit_extract(const ir::Op& op) {
    Value* vector = value(ir::ElementOfVectorOp(source_, op).vector());
    define(op.results[0], builder_.CreateExtractElement(vector, position(op)));
}

void TargetBody::emit_insert(const ir::Op& op) {
    const ir::ElementOfVectorOp put(source_, op);
    define(op.results[0], builder_.CreateInsertElement(value(put.vector()), value(put.scalar()), position(op)));
}

// The upper half with the lower, again and again; of an odd number the middle one waits for the next round.
void TargetBody::emit_reduce(const ir::Op& op) {
    const ir::VectorReduceOp reduce(source_, op);
    const ir::ReduceOp kind = reduce.what();
    const DType type = this->type(reduce.vector()).elem;
    Value* vector = value(reduce.vector());
    unsigned width = this->type(reduce.vector()).width;
    if (ir::is_logical(kind)) {
        Value* bits = builder_.CreateBitCast(vector, builder_.getIntNTy(width));
        Value* result = kind == ir::ReduceOp::any
                            ? builder_.CreateICmpNE(bits, llvm::Constant::getNullValue(bits->getType()))
                            : builder_.CreateICmpEQ(bits, llvm::Constant::getAllOnesValue(bits->getType()));
        define(op.results[0], result);
        return;
    }
    const OpKind step = ir::combining(kind);
    while (width > 1) {
        const unsigned lower = (width + 1) / 2;
        const unsigned upper = width - lower;
        std::vector<int> first;
        std::vector<int> second;
        std::vector<int> waiting;
        for (unsigned i = 0; i < upper; ++i) {
            first.push_back(static_cast<int>(i));
            second.push_back(static_cast<int>(lower + i));
        }
        Value* const halves[] = {builder_.CreateShuffleVector(vector, first),
                                 builder_.CreateShuffleVector(vector, second)};
        Value* joined = emit_element(build_, {step, type, type, halves});
        if (lower != upper) {
            Value* middle = builder_.CreateExtractElement(vector, upper);
            for (unsigned i = 0; i < lower; ++i) waiting.push_back(i < upper ? static_cast<int>(i) : -1);
            joined = builder_.CreateInsertElement(builder_.CreateShuffleVector(joined, waiting), middle, upper);
        }
        vector = joined;
        width = lower;
    }
    define(op.results[0], builder_.CreateExtractElement(vector, uint64_t{0}));
}

}  // namespace tsr::codegen
