/* A part of runtime/abi.h: what kernels for x86-64 processors need of them and of the runtime. */
#ifndef TSR_RUNTIME_ABI_X86_H
#define TSR_RUNTIME_ABI_X86_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Features an x86-64 variant needs; the levels are those of the psABI. */
#define TSR_CPU_SSE3 (1ull << 0)
#define TSR_CPU_SSSE3 (1ull << 1)
#define TSR_CPU_SSE41 (1ull << 2)
#define TSR_CPU_SSE42 (1ull << 3)
#define TSR_CPU_POPCNT (1ull << 4)
#define TSR_CPU_CX16 (1ull << 5)
#define TSR_CPU_LAHF (1ull << 6)
#define TSR_CPU_AVX (1ull << 7)
#define TSR_CPU_AVX2 (1ull << 8)
#define TSR_CPU_BMI1 (1ull << 9)
#define TSR_CPU_BMI2 (1ull << 10)
#define TSR_CPU_F16C (1ull << 11)
#define TSR_CPU_FMA (1ull << 12)
#define TSR_CPU_LZCNT (1ull << 13)
#define TSR_CPU_MOVBE (1ull << 14)
#define TSR_CPU_AVX512F (1ull << 15)
#define TSR_CPU_AVX512BW (1ull << 16)
#define TSR_CPU_AVX512CD (1ull << 17)
#define TSR_CPU_AVX512DQ (1ull << 18)
#define TSR_CPU_AVX512VL (1ull << 19)
#define TSR_CPU_AVX512VNNI (1ull << 20)
#define TSR_CPU_AVX512BF16 (1ull << 21)
#define TSR_CPU_AVX512FP16 (1ull << 22)
#define TSR_CPU_AVX512VBMI (1ull << 23)
#define TSR_CPU_AVX512VBMI2 (1ull << 24)
#define TSR_CPU_AVX512IFMA (1ull << 25)
#define TSR_CPU_AVX512BITALG (1ull << 26)
#define TSR_CPU_AVX512VPOPCNTDQ (1ull << 27)
#define TSR_CPU_AVXVNNI (1ull << 28)
#define TSR_CPU_GFNI (1ull << 29)
#define TSR_CPU_AMX_TILE (1ull << 30)
#define TSR_CPU_AMX_INT8 (1ull << 31)
#define TSR_CPU_AMX_BF16 (1ull << 32)
#define TSR_LEVEL_V1 0ull
#define TSR_LEVEL_V2 0x7full
#define TSR_LEVEL_V3 0x7fffull
#define TSR_LEVEL_V4 0xfffffull
/* And what beside them products take. */
#define TSR_LEVEL_V3_VNNI (TSR_LEVEL_V3 | TSR_CPU_AVXVNNI)
#define TSR_LEVEL_V4_VNNI (TSR_LEVEL_V4 | TSR_CPU_AVX512VNNI)
#define TSR_LEVEL_V4_BF16 (TSR_LEVEL_V4_VNNI | TSR_CPU_AVX512BF16)
#define TSR_LEVEL_V4_AMX (TSR_LEVEL_V4_BF16 | TSR_CPU_AMX_TILE | TSR_CPU_AMX_BF16 | TSR_CPU_AMX_INT8)

/* LEVEL(name, features) of every level, lowest first; `x86-64` alone is v1. */
#define TSR_CPU_LEVELS(LEVEL)           \
    LEVEL("v1", TSR_LEVEL_V1)           \
    LEVEL("v2", TSR_LEVEL_V2)           \
    LEVEL("v3", TSR_LEVEL_V3)           \
    LEVEL("v3-vnni", TSR_LEVEL_V3_VNNI) \
    LEVEL("v4", TSR_LEVEL_V4)           \
    LEVEL("v4-vnni", TSR_LEVEL_V4_VNNI) \
    LEVEL("v4-bf16", TSR_LEVEL_V4_BF16) \
    LEVEL("v4-amx", TSR_LEVEL_V4_AMX)

/* c (m x n, rows c_row bytes apart) is, or where from_zero is 0 grows by, the product of a (m rows, a_row bytes apart,
 * of depth bytes, a multiple of 64) and b (panels of 32 columns, b_panel bytes apart; rows of 32 words of 4 bytes of
 * depth each). Whole vectors of 16 columns of c are written; where `stored` is not 0 they are written to `to` instead,
 * rows to_row bytes apart. Needs TSR_CPU_AMX_…. */
typedef void TsrProduct(const void* a, const void* b, void* c, int64_t a_row, int64_t b_panel, int64_t c_row, int64_t m,
                        int64_t n, int64_t depth, int64_t from_zero, void* to, int64_t to_row, int64_t stored);
TsrProduct tsr_product_bf16;                                                           /* in f32 */
TsrProduct tsr_product_i8_i8, tsr_product_i8_u8, tsr_product_u8_i8, tsr_product_u8_u8; /* in i32 */
/* Whether a kernel's stores shall pass by the caches: to a tensor of so many bytes, from `first` on in whole vectors,
 * in rows that begin row_bytes apart. 1 where the tensor is larger than caches and each row begins at a line. */
int32_t tsr_passes_caches(const void* first, int64_t row_bytes, int64_t bytes);
/* Where a row waits that a kernel stores, loads and stores over: in the room of room_bytes, if it passes by the caches
 * in the end and has room, else where it is. */
void* tsr_waits_in(void* row, int64_t row_bytes, int64_t bytes, void* room, int64_t room_bytes);
uint64_t tsr_cpu_features(void); /* of this machine, as limited by TESSERA_CPU */

#ifdef __cplusplus
}
#endif

#endif
