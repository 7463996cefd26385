// What a machine does by itself, as far as the code of elements depends on it.
#pragma once

#include <string>

namespace tsr::codegen {

struct Machine {
    std::string name;           // "x86-64-v4", "native", "sm_80"
    bool fma = false;           // fused multiply-add of f32 and f64
    bool converts_f16 = false;  // between f16 and f32
    bool computes_f16 = false;  // arithmetic of f16, fused multiply-add with it
    bool pairs_f16 = false;     // the same arithmetic of two that share a register
    bool rounds_bf16 = false;   // f32 to bf16
    bool fuses_bf16 = false;    // fused multiply-add of bf16
    bool converts_fp8 = false;  // between f32 and fp8
    bool saturates = false;     // conversions of floats to integers give the nearest integer that there is
    bool divides_lanes = true;  // integers of vectors divide as floats rather than one by one
    unsigned sums_bytes = 0;    // 32-bit sums of four products of bytes in one operation, at most; 0: none
    unsigned sums_bf16 = 0;     // 32-bit sums of two products of bf16 in one operation, at most; 0: none
    // Gathers are one instruction, and that is no slower than loads one by one. Zen 1 to 3 have it and are faster
    // without.
    bool gathers = false;
    unsigned tables_space = 0;  // the address space of constant tables
    bool has_libm = true;       // functions of the C library can be called
    // LLVM makes a choice between a shift and 0 one instruction that takes only 32 bits of the amount.
    bool cuts_shifts = false;
};

}  // namespace tsr::codegen
