// Kinds of x86-64 processors that code is made for.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "codegen/llvm/machine.h"

namespace llvm {
class Function;
}

namespace tsr::codegen {

struct Processor : Machine {
    std::string cpu;       // what LLVM calls it
    std::string features;  // added to the cpu's own: "+amx-bf16,+avx512fp16"
    bool avx2 = false;
    bool avx512 = false;  // F, BW, CD, DQ, VL: masks have registers of their own

    // Bits of a vector register.
    [[nodiscard]] unsigned vector_bits() const { return avx512 ? 512 : avx2 ? 256 : 128; }
};

// "x86-64" (SSE2), "x86-64-v2" (SSE4.2), "x86-64-v3" (AVX2, FMA, F16C), "x86-64-v4" (AVX-512), these two also with VNNI
// ("x86-64-v3-vnni", "x86-64-v4-vnni"), "x86-64-v4-bf16" (AVX512_BF16), "x86-64-v4-amx" or "native".
Result<Processor> processor_named(const std::string& name);

// The levels that this processor runs, lowest first, without "native".
std::vector<std::string> host_levels();

// The processor that a function is compiled for, and no exceptions.
void set_processor(llvm::Function& function, const Processor& processor);

}  // namespace tsr::codegen
