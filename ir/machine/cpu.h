// What is true of each level of x86-64.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tsr::ir {

// What is true of a level of x86-64 for vector code.
struct CpuMachine {
    std::string name;             // "x86-64-v4"
    int64_t lanes = 0;            // 32-bit elements of a vector register
    int64_t registers = 0;        // vector registers
    bool mask_registers = false;  // masks have registers of their own
    // Products of bf16 by the vector unit (AVX512_BF16, VDPBF16PS) stand in no table: it takes subnormal factors for
    // zero and makes subnormal sums zero (Intel SDM volume 2C), so that a product such as 2^-130 times 2^40 is lost
    // whole, which the bound of `mma` does not allow. There the factors are widened.
    bool sums_bytes = false;   // VNNI: sums of four products of bytes, of which one is unsigned and one signed
    bool matrix_unit = false;  // AMX: products of tiles of bf16 and of 8-bit integers
};

// Of the accumulators of the matrix unit.
inline constexpr int64_t kMatrixRowBytes = 64;
inline constexpr int64_t kMatrixColumns = 16;

// x86-64 (SSE2), x86-64-v3 (AVX2, FMA), x86-64-v3-vnni, x86-64-v4 (AVX-512), x86-64-v4-vnni, x86-64-v4-amx. Nothing for
// a name that is none of them.
const CpuMachine* cpu_machine(const std::string& name);
std::vector<std::string> cpu_machine_names();

}  // namespace tsr::ir
