// Kinds of x86-64 processors that code is made for.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace tsr::codegen {

struct Machine {
    std::string name;      // "x86-64-v4", "native"
    std::string cpu;       // what LLVM calls it
    std::string features;  // added to the cpu's own: "+amx-bf16,+avx512fp16"
    bool sse41 = false;    // rounding in registers
    bool avx2 = false;
    bool avx512 = false;  // F, BW, CD, DQ, VL: masks have registers of their own
    bool fma = false;     // fused multiply-add of f32 and f64
    bool f16c = false;    // conversions between f16 and f32
    bool fp16 = false;    // arithmetic of f16

    // Bits of a vector register.
    [[nodiscard]] unsigned vector_bits() const { return avx512 ? 512 : avx2 ? 256 : 128; }
};

// "x86-64" (SSE2), "x86-64-v2" (SSE4.2), "x86-64-v3" (AVX2, FMA, F16C), "x86-64-v4" (AVX-512), "x86-64-v4-amx" or
// "native".
Result<Machine> machine_named(const std::string& name);

// The levels that this processor runs, lowest first, without "native".
std::vector<std::string> host_levels();

}  // namespace tsr::codegen
