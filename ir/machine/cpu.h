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
    bool sums_bytes = false;      // VNNI: sums of four products of bytes, of which one is unsigned and one signed
    // AVX512_BF16: sums of two products of bf16 (VDPBF16PS). Like the matrix unit it takes subnormal factors for zero
    // and makes subnormal sums zero (Intel SDM volume 2C).
    bool sums_bf16 = false;
    bool matrix_unit = false;  // AMX: products of tiles of bf16 and of 8-bit integers
};

// Of the accumulators of the matrix unit.
inline constexpr int64_t kMatrixRowBytes = 64;
inline constexpr int64_t kMatrixColumns = 16;

// x86-64 (SSE2), x86-64-v3 (AVX2, FMA), x86-64-v3-vnni, x86-64-v4 (AVX-512), x86-64-v4-vnni, x86-64-v4-bf16,
// x86-64-v4-amx. Nothing for a name that is none of them.
const CpuMachine* cpu_machine(const std::string& name);
std::vector<std::string> cpu_machine_names();

}  // namespace tsr::ir
