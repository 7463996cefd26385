#include "codegen/llvm/body.h"

#include "codegen/llvm/cast.h"
#include "codegen/llvm/element.h"
#include "codegen/llvm/types.h"
#include "ir/core/internal.h"
#include "ir/ops/record.h"

namespace tsr::codegen {

using ir::OpKind;
using llvm::Value;

Body::Body(const ir::Function& source, llvm::Function& target, const Machine& machine, Data& data, DebugInfo* debug)
    : source_(source),
      target_(target),
      builder_(target.getContext()),
      build_{builder_, machine},
      data_(data),
      debug_(debug),
      values_(source.value_count()) {
    builder_.SetInsertPoint(llvm::BasicBlock::Create(target.getContext(), "entry", &target));
}

Body::Values Body::values(const std::vector<ir::ValueId>& ids) const {
    Values all;
    all.reserve(ids.size());
    for (const ir::ValueId id : ids) all.push_back(value(id));
    return all;
}

void Body::define(ir::ValueId id, Value* value) {
    values_[id.index] = value;
    const std::string& name = source_.value(id).name;
    if (!name.empty() && llvm::isa<llvm::Instruction>(value)) value->setName(name);
}

void Body::define_results(const ir::Op& op, const Values& values) {
    for (size_t i = 0; i < op.results.size(); ++i) define(op.results[i], values[i]);
}

Span Body::span_of(const ir::Op& op) const { return op.place.valid() ? source_.place_of(op.place).span : Span{}; }

void Body::locate(const ir::Op& op) {
    if (debug_ != nullptr) debug_->locate(builder_, span_of(op));
}

llvm::BasicBlock* Body::block(const char* name) {
    return llvm::BasicBlock::Create(target_.getContext(), name, &target_);
}

llvm::AllocaInst* Body::stack_room(llvm::Type* type, uint64_t count, llvm::Align alignment) {
    llvm::BasicBlock& entry = target_.getEntryBlock();
    llvm::IRBuilder<> at(&entry, entry.getFirstInsertionPt());
    llvm::AllocaInst* room = at.CreateAlloca(llvm::ArrayType::get(type, count));
    room->setAlignment(alignment);
    return room;
}

Body::Values Body::emit_region(ir::RegionId region) {
    if (debug_ == nullptr || region == source_.body) return emit_operations(region);
    const std::vector<ir::ValueId>& args = source_.region(region).args;
    Value* counter = args.empty() ? nullptr : value(args[0]);
    const std::string name = args.empty() ? "" : source_.value(args[0]).name;
    if (counter != nullptr && !counter->getType()->isIntegerTy()) counter = nullptr;
    debug_->enter_block(builder_, name.empty() ? "round" : name, counter);
    const Values results = emit_operations(region);
    debug_->leave_block();
    return results;
}

Body::Values Body::emit_operations(ir::RegionId region) {
    for (const ir::OpId id : source_.region(region).ops) {
        const ir::Op& op = source_.op(id);
        if (op.kind == OpKind::yield) {
            locate(op);
            return values(op.operands);
        }
        emit(op);
    }
    return {};
}

void Body::emit(const ir::Op& op) {
    locate(op);
    if (ir::is_element(op.kind)) {
        emit_element_op(op);
    } else {
        emit_own(op);
    }
}

void Body::emit_element_op(const ir::Op& op) {
    if (op.kind == OpKind::table) return emit_table(op);
    const Values operands = values(op.operands);
    const DType type = operand_type(op, op.kind == OpKind::select ? 1 : 0).elem;
    const DType to = source_.type(op.results[0]).elem;
    define(op.results[0], emit_element(build_, {op.kind, type, to, operands}));
}

// Refused before by codegen/program/check.cpp.
void Body::has_no_code(const ir::Op& op) {
    ir::internal_error("no code is emitted for `" + std::string(ir::name(op.kind)) + "`");
}

void Body::emit_constant(const ir::Op& op) {
    const DType type = source_.type(op.results[0]).elem;
    llvm::Type* held = element_type(target_.getContext(), type);
    const ir::AttrValue& attr = *op.attrs.find(ir::Attr::value);
    if (const auto* whole = std::get_if<int64_t>(&attr)) {
        define(op.results[0], llvm::ConstantInt::getSigned(held, *whole, true));
        return;
    }
    Value* number = llvm::ConstantFP::get(builder_.getDoubleTy(), std::get<double>(attr));
    define(op.results[0], emit_cast(build_, DType::f64, type, number));
}

}  // namespace tsr::codegen
