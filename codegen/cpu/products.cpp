// Products by instructions of the vector unit: sums of four products of bytes (Intel SDM volume 2C, VPDPBUSD; they
// wrap, the forms that saturate are not used), and of two products of bf16 (VDPBF16PS).
#include <algorithm>
#include <numeric>

#include <llvm/IR/IntrinsicsX86.h>

#include "codegen/cpu/task.h"
#include "ir/ops/target.h"

namespace tsr::codegen {

using llvm::Value;

namespace {

llvm::Intrinsic::ID sum_of_bytes(unsigned words) {
    if (words == 16) return llvm::Intrinsic::x86_avx512_vpdpbusd_512;
    return words == 8 ? llvm::Intrinsic::x86_avx512_vpdpbusd_256 : llvm::Intrinsic::x86_avx512_vpdpbusd_128;
}

llvm::Intrinsic::ID sum_of_bf16(unsigned words) {
    if (words == 16) return llvm::Intrinsic::x86_avx512bf16_dpbf16ps_512;
    return words == 8 ? llvm::Intrinsic::x86_avx512bf16_dpbf16ps_256 : llvm::Intrinsic::x86_avx512bf16_dpbf16ps_128;
}

std::vector<int> numbers(unsigned from, unsigned count) {
    std::vector<int> all(count);
    std::iota(all.begin(), all.end(), static_cast<int>(from));
    return all;
}

}  // namespace

// Vectors of other widths than the registers' are done in parts.
void CpuTask::emit_dot_words(const ir::Op& op) {
    const DType packed = op.attrs.dtype(ir::Attr::packed);
    const bool bf16 = packed == DType::bf16;
    const bool a_unsigned = packed == DType::i8;
    const bool a_first = bf16 || a_unsigned;  // VPDPBUSD takes the unsigned bytes first
    const ir::ProductOp product(source_, op);
    Value* const given[] = {value(product.accumulator()), value(a_first ? product.a() : product.b()),
                            value(a_first ? product.b() : product.a())};
    const unsigned width = type(product.a()).width;
    const unsigned part = std::min(width, bf16 ? build_.machine.sums_bf16 : build_.machine.sums_bytes);
    llvm::Type* const element = bf16 ? builder_.getBFloatTy() : builder_.getInt8Ty();
    auto* elements = llvm::FixedVectorType::get(element, uint64_t{part} * (32 / element->getScalarSizeInBits()));
    Value* all = nullptr;
    for (unsigned from = 0; from < width; from += part) {
        auto words = [&](Value* v) { return part == width ? v : builder_.CreateShuffleVector(v, numbers(from, part)); };
        auto unpacked = [&](Value* v) { return builder_.CreateBitCast(words(v), elements); };
        Value* sum = builder_.CreateIntrinsic(bf16 ? sum_of_bf16(part) : sum_of_bytes(part), {},
                                              {words(given[0]), unpacked(given[1]), unpacked(given[2])});
        if (part == width) return define(op.results[0], sum);
        if (all == nullptr) all = llvm::PoisonValue::get(given[0]->getType());
        all = builder_.CreateInsertVector(given[0]->getType(), all, sum, from);
    }
    define(op.results[0], all);
}

}  // namespace tsr::codegen
