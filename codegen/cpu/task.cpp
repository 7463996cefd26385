// A task's entry, and what it says to the runtime.
#include "codegen/cpu/task.h"

#include <llvm/IR/IntrinsicsX86.h>

#include "codegen/llvm/function.h"
#include "codegen/llvm/types.h"
#include "ir/ops/effects.h"

namespace tsr::codegen {

using ir::Attr;
using ir::OpKind;
using llvm::Value;

bool CpuTask::emit_of_machine(const ir::Op& op) {
    if (emit_place(op) || emit_lanes(op)) return true;
    switch (op.kind) {
        case OpKind::print:
            emit_print(op);
            return true;
        case OpKind::assert_:
            emit_assert(op);
            return true;
        case OpKind::runtime:
            emit_runtime(op);
            return true;
        case OpKind::mma:
            emit_mma(op);
            return true;
        default:
            return false;
    }
}

bool CpuTask::emit_place(const ir::Op& op) {
    switch (op.kind) {
        case OpKind::slot:
            define(op.results[0], slots_.at(op.attrs.integer(Attr::count)));
            return true;
        case OpKind::task_begin:
            define(op.results[0], task_.begin);
            return true;
        case OpKind::task_end:
            define(op.results[0], task_.end);
            return true;
        case OpKind::scratch:
            define(op.results[0],
                   builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), task_.scratch,
                                                       static_cast<uint64_t>(op.attrs.integer(Attr::count))));
            return true;
        default:
            return false;
    }
}

Value* CpuTask::row_of_bits(const ir::Op& op, size_t first) {
    const size_t count = op.operands.size() - std::min(first, op.operands.size());
    if (count == 0) return data_.null();
    llvm::AllocaInst* row = stack_room(builder_.getInt64Ty(), count, llvm::Align(8));
    for (size_t i = 0; i < count; ++i) {
        Value* bits = bits_of(operand_type(op, first + i), operand(op, first + i));
        builder_.CreateStore(bits, builder_.CreateConstInBoundsGEP1_64(builder_.getInt64Ty(), row, i));
    }
    return row;
}

void CpuTask::call_message(const ir::Op& op, const char* callee, size_t first) {
    std::vector<DType> types;
    for (size_t i = first + 1; i < op.operands.size(); ++i) types.push_back(operand_type(op, i).elem);
    llvm::Constant* message = data_.message(span_of(op), op.attrs.string(Attr::text), types);
    Value* order = builder_.getInt64(0);
    if (op.operands.size() > first) order = builder_.CreateIntCast(operand(op, first), builder_.getInt64Ty(), true);
    call_runtime(build_, callee, nullptr, {task_.task, message, row_of_bits(op, first + 1), order});
}

void CpuTask::emit_print(const ir::Op& op) { call_message(op, "tsr_task_print", 0); }

// A failed assertion ends the task; the runtime tells the others.
void CpuTask::emit_assert(const ir::Op& op) {
    Value* failed = builder_.CreateNot(operand(op, 0));
    when(failed, [&] {
        call_message(op, "tsr_task_assert_failed", 1);
        builder_.CreateRetVoid();
    });
}

void CpuTask::emit_runtime(const ir::Op& op) {
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
        body->addParamAttr(i, llvm::Attribute::getWithAlignment(context, slots[i].least_alignment()));
    }
    return body;
}

bool stores_past_caches(const ir::Function& source) {
    bool found = false;
    ir::for_each_op(source, source.body, [&](ir::OpId id) {
        found = found || (source.op(id).kind == OpKind::store && source.op(id).attrs.has(Attr::mode));
    });
    return found;
}

}  // namespace

llvm::Function* emit_kernel_task(const ir::Function& source, const std::string& name, const Processor& machine,
                                 Data& data, DebugInfo* debug) {
    llvm::Module& module = data.module();
    llvm::LLVMContext& context = module.getContext();
    llvm::Type* i64 = llvm::Type::getInt64Ty(context);
    llvm::Type* pointer = llvm::PointerType::get(context, 0);
    const std::vector<Slot> slots = slots_of(source);
    llvm::Function* body = declare_body(slots, name, module);
    set_processor(*body, machine);
    std::map<int64_t, Value*> slot_values;
    for (unsigned i = 0; i < slots.size(); ++i) slot_values[slots[i].number] = body->getArg(i);
    const auto after = static_cast<unsigned>(slots.size());
    const TaskParameters task{body->getArg(after), body->getArg(after + 1), body->getArg(after + 2),
                              body->getArg(after + 3)};
    const Span span = source.place.valid() ? source.place_of(source.place).span : Span{};
    if (debug != nullptr) debug->begin(*body, source.name, span);
    CpuTask(source, *body, machine, data, debug, slot_values, task).emit_function();

    auto* signature =
        llvm::FunctionType::get(llvm::Type::getVoidTy(context), {pointer, i64, i64, pointer, pointer}, false);
    auto* entry = llvm::Function::Create(signature, llvm::GlobalValue::ExternalLinkage, name, module);
    entry->setVisibility(llvm::GlobalValue::HiddenVisibility);
    set_processor(*entry, machine);
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
    // What passed by the caches is seen by whoever sees that the task has ended.
    if (stores_past_caches(source)) builder.CreateIntrinsic(builder.getVoidTy(), llvm::Intrinsic::x86_sse_sfence, {});
    builder.CreateRetVoid();
    return entry;
}

}  // namespace tsr::codegen
