// A task's entry, and what it says to the runtime.
#include "codegen/llvm/function.h"
#include "codegen/llvm/target.h"
#include "codegen/llvm/types.h"

namespace tsr::codegen {

using ir::Attr;
using ir::OpKind;
using llvm::Value;

Value* TargetBody::bits_of(const ir::Type& type, Value* scalar) {
    if (type.kind == ir::TypeKind::pointer) return builder_.CreatePtrToInt(scalar, builder_.getInt64Ty());
    return scalar_bits(build_, type.elem, scalar);
}

Value* TargetBody::row_of_bits(const ir::Op& op, size_t first) {
    const size_t count = op.operands.size() - std::min(first, op.operands.size());
    if (count == 0) return data_.null();
    llvm::AllocaInst* row = stack_room(builder_.getInt64Ty(), count, llvm::Align(8));
    for (size_t i = 0; i < count; ++i) {
        Value* bits = bits_of(operand_type(op, first + i), operand(op, first + i));
        builder_.CreateStore(bits, builder_.CreateConstInBoundsGEP1_64(builder_.getInt64Ty(), row, i));
    }
    return row;
}

void TargetBody::call_message(const ir::Op& op, const char* callee, size_t first) {
    std::vector<DType> types;
    for (size_t i = first + 1; i < op.operands.size(); ++i) types.push_back(operand_type(op, i).elem);
    llvm::Constant* message = data_.message(span_of(op), op.attrs.string(Attr::text), types);
    Value* order = builder_.getInt64(0);
    if (op.operands.size() > first) order = builder_.CreateIntCast(operand(op, first), builder_.getInt64Ty(), true);
    call_runtime(build_, callee, nullptr, {task_.task, message, row_of_bits(op, first + 1), order});
}

void TargetBody::emit_print(const ir::Op& op) { call_message(op, "tsr_task_print", 0); }

// A failed assertion ends the task; the runtime tells the others.
void TargetBody::emit_assert(const ir::Op& op) {
    Value* failed = builder_.CreateNot(operand(op, 0));
    when(failed, [&] {
        call_message(op, "tsr_task_assert_failed", 1);
        builder_.CreateRetVoid();
    });
}

void TargetBody::emit_runtime(const ir::Op& op) {
    const std::string& callee = op.attrs.string(Attr::callee);
    if (callee == "task_result") {
        // TsrTask::result stands behind worker, failed and total.
        Value* field = builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), task_.task, 16);
        Value* place = builder_.CreateLoad(builder_.getPtrTy(), field);
        builder_.CreateStore(bits_of(operand_type(op, 0), operand(op, 0)), place);
        return;
    }
    llvm::Type* result = op.results.empty() ? nullptr : value_type(target_.getContext(), source_.type(op.results[0]));
    Value* given = call_runtime(build_, callee, result, values(op.operands));
    if (result != nullptr) define(op.results[0], given);
}

namespace {

struct Slot {
    int64_t number;
    ir::Type type;
    int64_t alignment;
};

// Each slot once, in order of number.
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

llvm::Function* declare_body(const std::vector<Slot>& slots, const std::string& name, llvm::Module& module) {
    llvm::LLVMContext& context = module.getContext();
    std::vector<llvm::Type*> types;
    for (const Slot& slot : slots) types.push_back(value_type(context, slot.type));
    llvm::Type* i64 = llvm::Type::getInt64Ty(context);
    llvm::Type* pointer = llvm::PointerType::get(context, 0);
    types.insert(types.end(), {i64, i64, pointer, pointer});
    auto* signature = llvm::FunctionType::get(llvm::Type::getVoidTy(context), types, false);
    auto* body = llvm::Function::Create(signature, llvm::GlobalValue::InternalLinkage, name + ".body", module);
    body->addFnAttr(llvm::Attribute::NoInline);
    for (unsigned i = 0; i < body->arg_size(); ++i) {
        if (!types[i]->isPointerTy()) continue;
        body->addParamAttr(i, llvm::Attribute::NoAlias);
        if (i >= slots.size()) continue;
        const auto alignment = static_cast<uint64_t>(slots[i].alignment);
        const llvm::Align least(std::max<uint64_t>(alignment, memory_bytes(slots[i].type.elem)));
        body->addParamAttr(i, llvm::Attribute::getWithAlignment(context, least));
    }
    return body;
}

}  // namespace

llvm::Function* emit_kernel_task(const ir::Function& source, const std::string& name, const Machine& machine,
                                 Data& data, DebugInfo* debug) {
    llvm::Module& module = data.module();
    llvm::LLVMContext& context = module.getContext();
    llvm::Type* i64 = llvm::Type::getInt64Ty(context);
    llvm::Type* pointer = llvm::PointerType::get(context, 0);
    const std::vector<Slot> slots = slots_of(source);
    llvm::Function* body = declare_body(slots, name, module);
    set_machine(*body, machine);
    std::map<int64_t, Value*> slot_values;
    for (unsigned i = 0; i < slots.size(); ++i) slot_values[slots[i].number] = body->getArg(i);
    const auto after = static_cast<unsigned>(slots.size());
    const TaskParameters task{body->getArg(after), body->getArg(after + 1), body->getArg(after + 2),
                              body->getArg(after + 3)};
    const Span span = source.place.valid() ? source.place_of(source.place).span : Span{};
    if (debug != nullptr) debug->begin(*body, source.name, span);
    TargetBody(source, *body, machine, data, debug, slot_values, task).emit_function();

    auto* signature =
        llvm::FunctionType::get(llvm::Type::getVoidTy(context), {pointer, i64, i64, pointer, pointer}, false);
    auto* entry = llvm::Function::Create(signature, llvm::GlobalValue::ExternalLinkage, name, module);
    entry->setVisibility(llvm::GlobalValue::HiddenVisibility);
    set_machine(*entry, machine);
    llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "entry", entry));
    Build build{builder, machine};
    std::vector<Value*> arguments;
    for (const Slot& slot : slots) {
        Value* at = builder.CreateConstInBoundsGEP1_64(i64, entry->getArg(0), static_cast<uint64_t>(slot.number));
        Value* bits = builder.CreateLoad(i64, at);
        if (slot.type.kind == ir::TypeKind::pointer) {
            arguments.push_back(builder.CreateIntToPtr(bits, pointer));
        } else {
            arguments.push_back(scalar_from_bits(build, slot.type.elem, bits));
        }
    }
    for (unsigned i = 1; i < 5; ++i) arguments.push_back(entry->getArg(i));
    builder.CreateCall(body, arguments);
    builder.CreateRetVoid();
    return entry;
}

}  // namespace tsr::codegen
