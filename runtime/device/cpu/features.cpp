// What this processor and its operating system can do (Intel SDM volume 2A, CPUID; volume 1, chapter 13, XCR0).

#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/abi.h"
#include "runtime/environment.h"

namespace tsr::runtime {

namespace {

struct Registers {
    unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
};

Registers cpuid(unsigned leaf, unsigned subleaf = 0) {
    Registers r;
    __get_cpuid_count(leaf, subleaf, &r.eax, &r.ebx, &r.ecx, &r.edx);
    return r;
}

uint64_t enabled_states() {
    unsigned low = 0, high = 0;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return uint64_t{high} << 32 | low;
}

struct Bit {
    unsigned Registers::* reg;
    int bit;
    uint64_t feature;
};

// Linux gives the tile registers only to processes that ask (Documentation/arch/x86/xstate.rst).
bool may_use_tiles() {
    constexpr long kRequestPermission = 0x1023, kTileData = 18;
    return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

uint64_t detect() {
    constexpr auto a = &Registers::eax, b = &Registers::ebx, c = &Registers::ecx, d = &Registers::edx;
    constexpr Bit kLeaf1[] = {{c, 0, TSR_CPU_SSE3},   {c, 9, TSR_CPU_SSSE3},  {c, 13, TSR_CPU_CX16},
                              {c, 19, TSR_CPU_SSE41}, {c, 20, TSR_CPU_SSE42}, {c, 23, TSR_CPU_POPCNT},
                              {c, 12, TSR_CPU_FMA},   {c, 22, TSR_CPU_MOVBE}, {c, 28, TSR_CPU_AVX},
                              {c, 29, TSR_CPU_F16C}};
    constexpr Bit kLeaf7[] = {
        {b, 3, TSR_CPU_BMI1},        {b, 5, TSR_CPU_AVX2},          {b, 8, TSR_CPU_BMI2},
        {b, 16, TSR_CPU_AVX512F},    {b, 17, TSR_CPU_AVX512DQ},     {b, 21, TSR_CPU_AVX512IFMA},
        {b, 28, TSR_CPU_AVX512CD},   {b, 30, TSR_CPU_AVX512BW},     {b, 31, TSR_CPU_AVX512VL},
        {c, 1, TSR_CPU_AVX512VBMI},  {c, 6, TSR_CPU_AVX512VBMI2},   {c, 8, TSR_CPU_GFNI},
        {c, 11, TSR_CPU_AVX512VNNI}, {c, 12, TSR_CPU_AVX512BITALG}, {c, 14, TSR_CPU_AVX512VPOPCNTDQ},
        {d, 22, TSR_CPU_AMX_BF16},   {d, 23, TSR_CPU_AVX512FP16},   {d, 24, TSR_CPU_AMX_TILE},
        {d, 25, TSR_CPU_AMX_INT8}};
    constexpr Bit kLeaf71[] = {{a, 4, TSR_CPU_AVXVNNI}, {a, 5, TSR_CPU_AVX512BF16}};
    constexpr Bit kExtended[] = {{c, 0, TSR_CPU_LAHF}, {c, 5, TSR_CPU_LZCNT}};
    uint64_t features = 0;
    auto collect = [&](const Registers& registers, const auto& bits) {
        for (const Bit& bit : bits) {
            if (registers.*bit.reg >> bit.bit & 1) features |= bit.feature;
        }
    };
    Registers leaf1 = cpuid(1);
    collect(leaf1, kLeaf1);
    collect(cpuid(7), kLeaf7);
    collect(cpuid(7, 1), kLeaf71);
    collect(cpuid(0x80000001), kExtended);

    constexpr uint64_t kTiles = TSR_CPU_AMX_TILE | TSR_CPU_AMX_INT8 | TSR_CPU_AMX_BF16;
    constexpr uint64_t kWide = (TSR_LEVEL_V4 & ~TSR_LEVEL_V3) | TSR_CPU_AVX512VNNI | TSR_CPU_AVX512BF16 |
                               TSR_CPU_AVX512FP16 | TSR_CPU_AVX512VBMI | TSR_CPU_AVX512VBMI2 | TSR_CPU_AVX512IFMA |
                               TSR_CPU_AVX512BITALG | TSR_CPU_AVX512VPOPCNTDQ;
    constexpr uint64_t kVector = TSR_CPU_AVX | TSR_CPU_AVX2 | TSR_CPU_F16C | TSR_CPU_FMA | TSR_CPU_AVXVNNI | kWide;
    bool saves_state = leaf1.ecx >> 27 & 1;
    uint64_t states = saves_state ? enabled_states() : 0;
    if ((states & 0x6) != 0x6) features &= ~kVector;
    if ((states & 0xE6) != 0xE6) features &= ~kWide;
    if ((states & 0x60000) != 0x60000 || !(features & kTiles) || !may_use_tiles()) features &= ~kTiles;
    return features;
}

}  // namespace

}  // namespace tsr::runtime

extern "C" uint64_t tsr_cpu_features(void) {
    static const uint64_t features = tsr::runtime::detect() & tsr::runtime::allowed_features();
    return features;
}
