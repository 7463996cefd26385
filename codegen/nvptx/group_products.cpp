// Products of warp groups: one piece of PTX for all that starts together, for LLVM has no operation for it.
#include <fmt/format.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

#include "codegen/llvm/types.h"
#include "codegen/nvptx/task.h"
#include "ir/ops/target.h"

namespace tsr::codegen {

using ir::Attr;
using llvm::Value;

namespace {

constexpr int64_t kRows = 64;       // of one instruction
constexpr int64_t kStepBits = 256;  // of the inner axis in one instruction

const char* ptx_name(DType type) {
    switch (type) {
        case DType::f16:
            return "f16";
        case DType::bf16:
            return "bf16";
        case DType::i8:
            return "s8";
        case DType::u8:
            return "u8";
        case DType::fp8_e4m3:
            return "e4m3";
        default:
            return "e5m2";
    }
}

std::string list(size_t first, size_t count) {
    std::string out;
    for (size_t i = 0; i < count; ++i) out += fmt::format("{}${}", i > 0 ? "," : "", first + i);
    return "{" + out + "}";
}

}  // namespace

// PTX with the results in its first operands, and what of them it takes tied to them: `values` are those, none where
// nothing is taken, then others.
std::vector<Value*> GpuTask::group_asm(const std::string& text, const ir::Op& op, size_t first,
                                       const std::vector<Value*>& others) {
    const size_t results = op.results.size();
    llvm::Type* element = results > 0 ? value_type(builder_.getContext(), source_.type(op.results[0])) : nullptr;
    const char* in_register = results > 0 && is_float(source_.type(op.results[0]).elem) ? "f" : "r";
    std::string constraints;
    std::vector<Value*> arguments;
    for (size_t i = 0; i < results; ++i) constraints += fmt::format("={},", in_register);
    for (size_t i = first; i < op.operands.size(); ++i) {
        constraints += fmt::format("{},", i - first);
        arguments.push_back(operand(op, i));
    }
    for (Value* other : others) {
        constraints += other->getType()->getPrimitiveSizeInBits() == 64 ? "l," : "r,";
        arguments.push_back(other);
    }
    constraints += "~{memory}";
    std::vector<llvm::Type*> types;
    for (const Value* argument : arguments) types.push_back(argument->getType());
    llvm::Type* made = builder_.getVoidTy();
    if (results > 0) made = llvm::StructType::get(builder_.getContext(), std::vector<llvm::Type*>(results, element));
    auto* signature = llvm::FunctionType::get(made, types, false);
    llvm::CallInst* call = builder_.CreateCall(llvm::InlineAsm::get(signature, text, constraints, true), arguments);
    call->addFnAttr(llvm::Attribute::Convergent);
    call->addFnAttr(llvm::Attribute::NoUnwind);
    std::vector<Value*> out;
    for (unsigned i = 0; i < results; ++i) out.push_back(builder_.CreateExtractValue(call, i));
    return out;
}

// PTX ISA 9.0, section 9.7.15.5, "wgmma.mma_async".
void GpuTask::emit_group_product(const ir::Op& op) {
    const std::vector<int64_t>& extents = op.attrs.integers(Attr::extents);
    const DType input = op.attrs.dtype(Attr::type);
    const bool integers = is_integer(input), halves = bits(input) == 16;
    // The instruction takes b as rows along its columns for the transposed one.
    const bool a_transposed = op.attrs.has(Attr::a_transposed), b_transposed = op.attrs.has(Attr::b_transposed);
    const size_t results = op.results.size(), parts = static_cast<size_t>(extents[0] / kRows);
    const auto steps = static_cast<size_t>(extents[2] * bits(input) / kStepBits);
    const size_t factors = steps * (parts + 1);
    const bool adds = op.operands.size() > factors;
    std::vector<Value*> words;
    std::vector<std::string> names;  // of each factor
    for (size_t i = 0; i < factors; ++i) {
        const size_t number = results * (adds ? 2 : 1) + words.size();
        Value* factor = operand(op, i);
        if (factor->getType()->isIntegerTy()) {
            words.push_back(factor);
            names.push_back(fmt::format("${}", number));
            continue;
        }
        Value* held = builder_.CreateBitCast(factor, llvm::FixedVectorType::get(builder_.getInt32Ty(), 4));
        for (uint64_t word = 0; word < 4; ++word) words.push_back(builder_.CreateExtractElement(held, word));
        names.push_back(list(number, 4));
    }
    std::string text =
        "{\n.reg .pred more, first;\nmov.pred more, -1;\nmov.pred first, 0;\nwgmma.fence.sync.aligned;\n";
    const size_t each = results / parts;
    for (size_t step = 0; step < steps; ++step) {
        const size_t begin = step * (parts + 1);
        for (size_t part = 0; part < parts; ++part) {
            text += fmt::format("wgmma.mma_async.sync.aligned.m64n{}k{}.{}.{}.{} {}, {}, {}, {}", extents[1],
                                kStepBits / bits(input), integers ? "s32" : "f32", ptx_name(input), ptx_name(input),
                                list(part * each, each), names[begin + part], names[begin + parts],
                                step > 0 || adds ? "more" : "first");
            if (!integers) text += ", 1, 1";
            if (halves && names[begin + part][0] != '{') text += a_transposed ? ", 1" : ", 0";
            if (halves) text += b_transposed ? ", 0" : ", 1";
            text += ";\n";
        }
    }
    text += "wgmma.commit_group.sync.aligned;\n}";
    define_results(op, group_asm(text, op, factors, words));
}

void GpuTask::emit_group_wait(const ir::Op& op) {
    const std::string text = fmt::format("wgmma.wait_group.sync.aligned {};", op.attrs.integer(Attr::count));
    define_results(op, group_asm(text, op, 0, {}));
}

// PTX ISA 9.0, section 9.7.15.5.1.2.2, "Matrix descriptor format": fields of 14 bits in units of 16 bytes, the swizzle
// in the highest two bits.
void GpuTask::emit_matrix_descriptor(const ir::Op& op) {
    const std::vector<int64_t>& strides = op.attrs.integers(Attr::strides);
    const int64_t row = op.attrs.integer(Attr::width);
    const uint64_t swizzle = row == 128 ? 1 : row == 64 ? 2 : 3;
    const auto field = [](int64_t bytes, int at) { return (static_cast<uint64_t>(bytes) >> 4 & 0x3fff) << at; };
    Value* address =
        builder_.CreatePtrToInt(value(ir::MatrixDescriptorOp(source_, op).pointer()), builder_.getInt64Ty());
    Value* begin = builder_.CreateAnd(builder_.CreateLShr(address, 4), builder_.getInt64(0x3fff));
    const uint64_t rest = field(strides[0], 16) | field(strides[1], 32) | swizzle << 62;
    define(op.results[0], builder_.CreateOr(begin, builder_.getInt64(rest)));
}

}  // namespace tsr::codegen
