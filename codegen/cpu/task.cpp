// A task's entry, and what it says to the runtime.
#include "codegen/cpu/task.h"

#include <llvm/IR/IntrinsicsX86.h>

#include "codegen/llvm/function.h"
#include "codegen/llvm/types.h"
#include "ir/core/lines.h"
#include "ir/core/total.h"
#include "ir/ops/control.h"
#include "ir/ops/effects.h"
#include "ir/ops/target.h"

namespace tsr::codegen {

using ir::Attr;
using ir::OpKind;
using llvm::Value;

#define TSR_NO_CODE(op) {OpKind::op, &CpuTask::has_no_code},
// What each operation becomes.
struct CpuTask::Emits {
    static constexpr ir::Row<void (CpuTask::*)(const ir::Op&)> kRows[]{
        {OpKind::constant, &CpuTask::emit_constant},
        {OpKind::yield, &CpuTask::emit_nothing},
        {OpKind::for_, &CpuTask::emit_for},
        {OpKind::while_, &CpuTask::emit_while},
        {OpKind::if_, &CpuTask::emit_if},
        {OpKind::call, &CpuTask::has_no_code},
        {OpKind::dim, &CpuTask::has_no_code},
        {OpKind::print, &CpuTask::emit_print},
        {OpKind::assert_, &CpuTask::emit_assert},

        {OpKind::slot, &CpuTask::emit_slot},
        {OpKind::task_begin, &CpuTask::emit_task_begin},
        {OpKind::task_end, &CpuTask::emit_task_end},
        {OpKind::scratch, &CpuTask::emit_scratch},
        {OpKind::stack, &CpuTask::emit_stack},
        {OpKind::pointer_add, &CpuTask::emit_pointer_add},
        {OpKind::load, &CpuTask::emit_load},
        {OpKind::store, &CpuTask::emit_store},
        {OpKind::gather, &CpuTask::emit_gather},
        {OpKind::scatter, &CpuTask::emit_scatter},
        {OpKind::splat, &CpuTask::emit_splat},
        {OpKind::iota, &CpuTask::emit_iota},
        {OpKind::extract, &CpuTask::emit_extract},
        {OpKind::insert, &CpuTask::emit_insert},
        {OpKind::vector_reduce, &CpuTask::emit_reduce},
        {OpKind::for_active, &CpuTask::emit_for_active},
        {OpKind::atomic_rmw, &CpuTask::emit_atomic},
        {OpKind::memory_copy, &CpuTask::emit_memory_copy},
        {OpKind::prefetch, &CpuTask::emit_prefetch},
        {OpKind::runtime, &CpuTask::emit_runtime},
        {OpKind::dot_words, &CpuTask::emit_dot_words},

        TSR_GPU_OPS(TSR_NO_CODE) TSR_BOX_OPS(TSR_NO_CODE)};
    static constexpr ir::Total<kRows, ir::kControlFamily, ir::kTargetFamily, ir::kGpuFamily, ir::kBoxFamily> kTable{};
};
#undef TSR_NO_CODE

void CpuTask::emit_own(const ir::Op& op) { (this->*Emits::kTable[op.kind].answer)(op); }

bool CpuTask::has_code(OpKind kind) {
    return ir::is_element(kind) || Emits::kTable[kind].answer != &CpuTask::has_no_code;
}

void CpuTask::emit_slot(const ir::Op& op) { define(op.results[0], slots_.at(op.attrs.integer(Attr::count))); }

void CpuTask::emit_task_begin(const ir::Op& op) { define(op.results[0], task_.begin); }

void CpuTask::emit_task_end(const ir::Op& op) { define(op.results[0], task_.end); }

void CpuTask::emit_scratch(const ir::Op& op) {
    const auto offset = static_cast<uint64_t>(op.attrs.integer(Attr::count));
    define(op.results[0], builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), task_.scratch, offset));
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
    const Span at = op.place.valid() ? ir::users_span(source_.place_of(op.place), data_.sources()) : Span{};
    llvm::Constant* message = data_.message(at, op.attrs.string(Attr::text), types);
    Value* order = builder_.getInt64(0);
    if (op.operands.size() > first) order = builder_.CreateIntCast(operand(op, first), builder_.getInt64Ty(), true);
    call_runtime(build_, callee, nullptr, {task_.task, message, row_of_bits(op, first + 1), order});
}

void CpuTask::emit_print(const ir::Op& op) { call_message(op, "tsr_task_print", 0); }

// A failed assertion ends the task; the runtime tells the others.
void CpuTask::emit_assert(const ir::Op& op) {
    Value* failed = builder_.CreateNot(value(ir::AssertOp(source_, op).condition()));
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
        const ir::ValueId given = ir::RuntimeOp(source_, op).arguments().front();
        builder_.CreateStore(bits_of(type(given), value(given)), place);
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
        found = found || (source.op(id).kind == OpKind::store && source.op(id).attrs.has(Attr::past_caches));
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
