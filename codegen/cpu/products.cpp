// Products by instructions of the vector unit: sums of four products of bytes (Intel SDM volume 2C, VPDPBUSD). They
// wrap; the forms that saturate are not used.
#include <algorithm>
#include <numeric>

#include <llvm/IR/IntrinsicsX86.h>

#include "codegen/cpu/task.h"

namespace tsr::codegen {

using llvm::Value;

namespace {

llvm::Intrinsic::ID sum_of_bytes(unsigned words) {
    if (words == 16) return llvm::Intrinsic::x86_avx512_vpdpbusd_512;
    return words == 8 ? llvm::Intrinsic::x86_avx512_vpdpbusd_256 : llvm::Intrinsic::x86_avx512_vpdpbusd_128;
}

std::vector<int> numbers(unsigned from, unsigned count) {
    std::vector<int> all(count);
    std::iota(all.begin(), all.end(), static_cast<int>(from));
    return all;
}

}  // namespace

// Vectors of other widths than the registers' are done in parts.
void CpuTask::emit_dot_bytes(const ir::Op& op) {
    const bool a_unsigned = op.attrs.dtype(ir::Attr::packed) == DType::i8;
    Value* const given[] = {operand(op, 2), operand(op, a_unsigned ? 0 : 1), operand(op, a_unsigned ? 1 : 0)};
    const unsigned width = operand_type(op, 0).width;
    const unsigned part = std::min(width, build_.machine.sums_bytes);
    auto* bytes = llvm::FixedVectorType::get(builder_.getInt8Ty(), uint64_t{part} * 4);
    Value* all = nullptr;
    for (unsigned from = 0; from < width; from += part) {
        auto words = [&](Value* v) { return part == width ? v : builder_.CreateShuffleVector(v, numbers(from, part)); };
        auto as_bytes = [&](Value* v) { return builder_.CreateBitCast(words(v), bytes); };
        Value* sum =
            builder_.CreateIntrinsic(sum_of_bytes(part), {}, {words(given[0]), as_bytes(given[1]), as_bytes(given[2])});
        if (part == width) return define(op.results[0], sum);
        if (all == nullptr) all = llvm::PoisonValue::get(given[0]->getType());
        all = builder_.CreateInsertVector(given[0]->getType(), all, sum, from);
    }
    define(op.results[0], all);
}

}  // namespace tsr::codegen
