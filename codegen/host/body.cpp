#include "codegen/host/host.h"
#include "codegen/llvm/cast.h"
#include "codegen/llvm/element.h"
#include "codegen/llvm/function.h"
#include "codegen/llvm/types.h"
#include "ir/core/lines.h"
#include "ir/core/total.h"
#include "ir/ops/bound_dim.h"
#include "ir/ops/control.h"
#include "ir/ops/host.h"
#include "ir/ops/memory.h"
#include "runtime/abi.h"

namespace tsr::codegen {

using ir::Attr;
using ir::OpKind;
using llvm::Value;

llvm::Function* declare_host(const ir::Function& source, llvm::Module& module) {
    llvm::LLVMContext& context = module.getContext();
    std::vector<llvm::Type*> parameters;
    for (const ir::ValueId id : source.params()) parameters.push_back(value_type(context, source.type(id)));
    std::vector<llvm::Type*> results;
    for (const ir::Type& type : source.results) results.push_back(value_type(context, type));
    llvm::Type* returned = llvm::Type::getVoidTy(context);
    if (results.size() == 1) returned = results[0];
    if (results.size() > 1) returned = llvm::StructType::get(context, results);
    auto* signature = llvm::FunctionType::get(returned, parameters, false);
    auto* declared =
        llvm::Function::Create(signature, llvm::GlobalValue::ExternalLinkage, "host." + source.name, module);
    declared->setVisibility(llvm::GlobalValue::HiddenVisibility);
    return declared;
}

void HostBody::emit_function() {
    if (debug_ != nullptr) debug_->locate(builder_, {});
    for (unsigned i = 0; i < target_.arg_size(); ++i) define(source_.params()[i], target_.getArg(i));
    check_arguments();
    const Values results = emit_region(source_.body);
    if (results.empty()) {
        builder_.CreateRetVoid();
    } else if (results.size() == 1) {
        builder_.CreateRet(results[0]);
    } else {
        builder_.CreateAggregateRet(results.data(), static_cast<unsigned>(results.size()));
    }
}

// What each operation becomes.
struct HostBody::Emits {
    static constexpr ir::Row<void (HostBody::*)(const ir::Op&)> kRows[]{
        {OpKind::constant, &HostBody::emit_constant},
        {OpKind::yield, &HostBody::emit_nothing},
        {OpKind::for_, &HostBody::emit_for},
        {OpKind::while_, &HostBody::emit_while},
        {OpKind::if_, &HostBody::emit_if},
        {OpKind::call, &HostBody::emit_call},
        {OpKind::dim, &HostBody::emit_dimension},
        {OpKind::print, &HostBody::emit_print},
        {OpKind::assert_, &HostBody::emit_assert},

        {OpKind::read, &HostBody::emit_read},
        {OpKind::write, &HostBody::emit_write},
        {OpKind::read_vector, &HostBody::has_no_code},
        {OpKind::write_vector, &HostBody::has_no_code},
        {OpKind::vector_extract, &HostBody::has_no_code},
        {OpKind::vector_build, &HostBody::has_no_code},

        {OpKind::launch, &HostBody::emit_launch},
        {OpKind::host, &HostBody::emit_entry},
        {OpKind::shape_of, &HostBody::emit_shape_of},
        {OpKind::string, &HostBody::emit_string},
    };
    static constexpr ir::Total<kRows, ir::kControlFamily, ir::kMemoryFamily, ir::kHostFamily> kTable{};
};

void HostBody::emit_own(const ir::Op& op) { (this->*Emits::kTable[op.kind].answer)(op); }

void HostBody::emit_string(const ir::Op& op) { define(op.results[0], data_.string(op.attrs.string(Attr::value))); }

// Other dimensions are arithmetic by now (ir/passes/host/lower_dims).
void HostBody::emit_dimension(const ir::Op& op) {
    if (ir::BoundDimOp::is_one(op)) {
        const ir::BoundDimOp bound(source_, op);
        dims_[bound.symbol()] = value(bound.value());
    }
    define(op.results[0], dims_.at(op.attrs.dim(Attr::dim).symbol_name().value()));
}

void HostBody::emit_element_op(const ir::Op& op) {
    if (op.kind == OpKind::floordiv || op.kind == OpKind::mod) check_divisor(op);
    Body::emit_element_op(op);
}

void HostBody::fail_when(Value* condition, llvm::Constant* place, const std::string& message) {
    if (const auto* known = llvm::dyn_cast<llvm::ConstantInt>(condition); known != nullptr && known->isZero()) return;
    when(condition, [&] {
        call_runtime(build_, "tsr_fail", nullptr, {place, data_.text(message)});
        builder_.CreateUnreachable();
    });
}

// Integers divided by zero end the program, on the host; in kernels they give 0.
void HostBody::check_divisor(const ir::Op& op) {
    const ir::ValueId by = ir::BinaryOp(source_, op).rhs();
    if (!is_integer(type(by).elem)) return;
    Value* divisor = value(by);
    Value* by_zero = builder_.CreateICmpEQ(divisor, llvm::Constant::getNullValue(divisor->getType()));
    fail_when(by_zero, place_of(op), op.kind == OpKind::mod ? "integer modulo by zero" : "integer division by zero");
}

Value* HostBody::as_i64(ir::ValueId id) {
    return builder_.CreateIntCast(value(id), builder_.getInt64Ty(), is_signed(type(id).elem));
}

Value* HostBody::slot_of(ir::ValueId id) {
    if (type(id).is_scalar()) return scalar_bits(build_, type(id).elem, value(id));
    return builder_.CreatePtrToInt(value(id), builder_.getInt64Ty());
}

Value* HostBody::from_slot(const ir::Type& type, Value* bits) {
    if (type.is_scalar()) return scalar_from_bits(build_, type.elem, bits);
    return builder_.CreateIntToPtr(bits, builder_.getPtrTy());
}

Value* HostBody::row(const Values& values) {
    if (values.empty()) return data_.null();
    llvm::Type* type = values[0]->getType();
    llvm::AllocaInst* place = stack_room(type, values.size(), llvm::Align(8));
    for (size_t i = 0; i < values.size(); ++i) {
        builder_.CreateStore(values[i], builder_.CreateConstInBoundsGEP1_64(type, place, i));
    }
    return place;
}

Span HostBody::users_span(const ir::Op& op) const {
    return op.place.valid() ? ir::users_span(source_.place_of(op.place), data_.sources()) : Span{};
}

Value* HostBody::enter_library(Value* call) {
    return call_runtime(build_, "tsr_enter_library", builder_.getPtrTy(), {call});
}

llvm::Constant* HostBody::library_call(const ir::Op& op, const std::string& callee) {
    llvm::Constant* function = data_.text(ir::name_in_file(callee));
    return data_.global(data_.structure({place_of(op), function}), "library_call");
}

// A failure in a function of the standard library is reported at the call by which the user's code came to it.
void HostBody::emit_call(const ir::Op& op) {
    const std::string& name = op.attrs.string(Attr::callee);
    llvm::Function* callee = names_.function(name);
    const bool to_library = names_.is_of_library(name);
    Value* before = nullptr;
    if (to_library != names_.is_of_library(source_.name)) {
        before = enter_library(to_library ? library_call(op, name) : data_.null());
    }
    Value* given = builder_.CreateCall(callee, values(op.operands));
    if (before != nullptr) enter_library(before);
    if (op.results.size() == 1) define(op.results[0], given);
    if (op.results.size() < 2) return;
    for (unsigned i = 0; i < op.results.size(); ++i) define(op.results[i], builder_.CreateExtractValue(given, i));
}

// Slots are the kernel's arguments, its symbols' values and its groups along x, y, z; the last operand is their total.
// Tensors are dense here: a slot is the address of the first element.
void HostBody::emit_launch(const ir::Op& op) {
    const ir::LaunchOp launch(source_, op);
    const ir::ValueSpan groups = launch.groups().first(ir::LaunchOp::kGrid);  // of the first point
    Values slots, tensors;
    const auto add = [&](ir::ValueId given) {
        if (type(given).kind != ir::TypeKind::tensor) return slots.push_back(slot_of(given));
        // TsrTensor begins with the data pointer.
        tensors.resize(slots.size(), data_.null());
        tensors.push_back(value(given));
        slots.push_back(builder_.CreateLoad(builder_.getInt64Ty(), value(given)));
    };
    for (ir::ValueId given : launch.arguments()) add(given);
    for (ir::ValueId given : launch.symbols()) add(given);
    for (ir::ValueId given : groups.first(groups.size() - 1)) add(given);
    Value* result = data_.null();
    if (!op.results.empty()) {
        result = stack_room(builder_.getInt64Ty(), 1, llvm::Align(8));
        builder_.CreateStore(builder_.getInt64(0), result);
    }
    if (launch.points().size() > 1) {
        emit_tuned_launch(op, row(slots), row(tensors), result);
    } else {
        llvm::Constant* family = names_.family(op.attrs.string(Attr::callee));
        call_runtime(build_, "tsr_launch", nullptr,
                     {family, row(slots), row(tensors), as_i64(groups.back()), result, place_of(op)});
    }
    if (op.results.empty()) return;
    call_runtime(build_, "tsr_wait", nullptr, {});
    Value* bits = builder_.CreateLoad(builder_.getInt64Ty(), result);
    define(op.results[0], from_slot(source_.type(op.results[0]), bits));
}

// The numbers of groups of all points: the runtime chooses the point.
void HostBody::emit_tuned_launch(const ir::Op& op, Value* slots, Value* tensors, Value* result) {
    const ir::LaunchOp launch(source_, op);
    const ProgramNames::Points& points = names_.program().tunings.at(launch.points());
    Values groups;
    for (const Tuning::Point& point : points.tuning->points) {
        const size_t first = ir::LaunchOp::kGrid * point.launched;
        for (ir::ValueId count : launch.groups().subspan(first, ir::LaunchOp::kGrid)) groups.push_back(as_i64(count));
    }
    call_runtime(build_, "tsr_launch_tuned", nullptr,
                 {names_.table(points), slots, tensors, row(groups), result, place_of(op)});
}

void HostBody::emit_shape_of(const ir::Op& op) {
    const auto axis = static_cast<uint64_t>(op.attrs.integer(Attr::axis));
    Value* field = builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), value(ir::ShapeOfOp(source_, op).tensor()),
                                                       offsetof(TsrTensor, dl) + offsetof(TsrDLTensor, shape));
    Value* shape = builder_.CreateLoad(builder_.getPtrTy(), field);
    Value* extent = builder_.CreateConstInBoundsGEP1_64(builder_.getInt64Ty(), shape, axis);
    define(op.results[0], builder_.CreateLoad(builder_.getInt64Ty(), extent));
}

void HostBody::emit_read(const ir::Op& op) {
    const ir::ReadOp read(source_, op);
    Values index;
    for (ir::ValueId at : read.indices()) index.push_back(as_i64(at));
    Value* bits =
        call_runtime(build_, "tsr_get", builder_.getInt64Ty(),
                     {value(read.memory()), row(index), data_.i32(static_cast<int64_t>(index.size())), place_of(op)});
    define(op.results[0], from_slot(source_.type(op.results[0]), bits));
}

void HostBody::emit_write(const ir::Op& op) {
    const ir::WriteOp write(source_, op);
    Values index;
    for (ir::ValueId at : write.indices()) index.push_back(as_i64(at));
    call_runtime(build_, "tsr_set", nullptr,
                 {value(write.memory()), row(index), data_.i32(static_cast<int64_t>(index.size())),
                  slot_of(write.value()), place_of(op)});
}

Value* HostBody::formatted_value(const ir::Op& op, size_t number, const std::string& spec) {
    const ir::Type& type = operand_type(op, number);
    llvm::Constant* text = spec.empty() ? data_.null() : data_.text(spec);
    llvm::Constant* place = place_of(op);
    llvm::Type* string = builder_.getPtrTy();
    switch (type.kind) {
        case ir::TypeKind::tensor:
            return call_runtime(build_, "tsr_format_tensor", string, {operand(op, number), text, place});
        case ir::TypeKind::string:
            return call_runtime(build_, "tsr_format_string", string, {operand(op, number), text, place});
        case ir::TypeKind::list:
        case ir::TypeKind::dict:
        case ir::TypeKind::tuple:
        case ir::TypeKind::record:
            return call_runtime(build_, "tsr_format_list", string, {operand(op, number), place});
        default:
            return call_runtime(build_, "tsr_format", string,
                                {slot_of(op.operands[number]), data_.i32(static_cast<int>(type.elem)), text, place});
    }
}

Value* HostBody::formatted(const ir::Op& op, const std::string& format, size_t first) {
    Values parts;
    for (const FormatPiece& piece : format_pieces(format)) {
        if (!piece.hole) {
            parts.push_back(data_.string(piece.text));
        } else if (first < op.operands.size()) {
            parts.push_back(formatted_value(op, first++, piece.text));
        }
    }
    Value* count = data_.i32(static_cast<int64_t>(parts.size()));
    Value* joined = call_runtime(build_, "tsr_join", builder_.getPtrTy(), {row(parts), count, data_.text("")});
    // Constant strings are not counted: releasing them does nothing.
    for (Value* part : parts) {
        if (!llvm::isa<llvm::Constant>(part)) call_runtime(build_, "tsr_string_release", nullptr, {part});
    }
    return joined;
}

void HostBody::emit_print(const ir::Op& op) {
    Value* line = formatted(op, op.attrs.string(Attr::text), 0);
    call_runtime(build_, "tsr_print", nullptr, {line});
    call_runtime(build_, "tsr_string_release", nullptr, {line});
}

void HostBody::emit_assert(const ir::Op& op) {
    when(builder_.CreateNot(value(ir::AssertOp(source_, op).condition())), [&] {
        const std::string& text = op.attrs.string(Attr::text);
        Value* message = text.empty() ? data_.null() : formatted(op, text, 1);
        call_runtime(build_, "tsr_assert_failed", nullptr, {message, place_of(op)});
        builder_.CreateUnreachable();
    });
}

}  // namespace tsr::codegen
