// Products by the tile registers of AMX (Intel Architecture Instruction Set Extensions Programming Reference, chapter
// 3): two by two tiles of the accumulator, 32 rows by 32 columns, stay in registers for the whole depth.
#include <algorithm>

#include <immintrin.h>

#include "runtime/abi.h"

#define TSR_AMX __attribute__((target("amx-tile,amx-bf16,amx-int8")))

namespace tsr::runtime {

namespace {

enum class Kind { bf16, i8_i8, i8_u8, u8_i8, u8_u8 };

constexpr int64_t kRows = 16;      // of a tile
constexpr int64_t kRowBytes = 64;  // of a tile
constexpr int64_t kPanel = 32;     // columns of b that lie together

// Memory that LDTILECFG reads.
struct alignas(64) TileConfig {
    uint8_t palette = 1;
    uint8_t start_row = 0;
    uint8_t reserved[14] = {};
    uint16_t row_bytes[16] = {};
    uint8_t rows[16] = {};
};

// Tiles 0 to 3 accumulate, 4 and 5 hold rows of a, 6 and 7 columns of b.
TSR_AMX void configure(int64_t upper, int64_t lower) {
    TileConfig config;
    const int64_t rows[8] = {upper, upper, lower, lower, upper, lower, kRows, kRows};
    for (int i = 0; i < 8; ++i) {
        config.row_bytes[i] = kRowBytes;
        config.rows[i] = static_cast<uint8_t>(std::max<int64_t>(rows[i], 1));
    }
    _tile_loadconfig(&config);
}

#define TSR_STEP(c, a, b)                                          \
    do {                                                           \
        if constexpr (kind == Kind::bf16) _tile_dpbf16ps(c, a, b); \
        if constexpr (kind == Kind::i8_i8) _tile_dpbssd(c, a, b);  \
        if constexpr (kind == Kind::i8_u8) _tile_dpbsud(c, a, b);  \
        if constexpr (kind == Kind::u8_i8) _tile_dpbusd(c, a, b);  \
        if constexpr (kind == Kind::u8_u8) _tile_dpbuud(c, a, b);  \
    } while (false)

struct Block {
    const char* a;
    const char* b;  // a panel
    char* c;
    int64_t a_row;
    int64_t c_row;
    int64_t depth;
    bool from_zero;
    char* to;  // where the sum is stored
    int64_t to_row;
};

// What the next product of a sum is expected to read stands behind what this one reads: the blocks that a launch packs
// follow each other. It comes into the second cache with each step over k, a few lines at a time: what asks for many at
// once waits for them.
class Ahead {
public:
    Ahead(const void* from, int64_t bytes, int64_t steps)
        : next_(static_cast<const char*>(from) + bytes),
          end_(next_ + bytes),
          bytes_((bytes / kLine + steps - 1) / std::max<int64_t>(steps, 1) * kLine) {}
    void fetch() {
        const char* end = std::min(next_ + bytes_, end_);
        for (; next_ < end; next_ += kLine) _mm_prefetch(next_, _MM_HINT_T1);
    }

private:
    static constexpr int64_t kLine = 64;
    const char* next_;
    const char* end_;
    int64_t bytes_;  // with each step
};

// `lower`: there are rows for the lower two tiles; `right`: columns for the right two.
template <Kind kind>
TSR_AMX void multiply(const Block& at, bool lower, bool right, Ahead& ahead_a, Ahead& ahead_b) {
    const int64_t b_row = kPanel * 4;
    char* below = at.c + kRows * at.c_row;
    if (at.from_zero) {
        _tile_zero(0);
        _tile_zero(1);
        _tile_zero(2);
        _tile_zero(3);
    } else {
        _tile_loadd(0, at.c, at.c_row);
        if (right) _tile_loadd(1, at.c + kRowBytes, at.c_row);
        if (lower) _tile_loadd(2, below, at.c_row);
        if (lower && right) _tile_loadd(3, below + kRowBytes, at.c_row);
    }
    for (int64_t k = 0; k < at.depth; k += kRowBytes) {
        const char* b = at.b + k / 4 * b_row;
        ahead_a.fetch();
        ahead_b.fetch();
        _tile_loadd(4, at.a + k, at.a_row);
        _tile_loadd(6, b, b_row);
        TSR_STEP(0, 4, 6);
        if (right) {
            _tile_loadd(7, b + kRowBytes, b_row);
            TSR_STEP(1, 4, 7);
        }
        if (!lower) continue;
        _tile_loadd(5, at.a + kRows * at.a_row + k, at.a_row);
        TSR_STEP(2, 5, 6);
        if (right) TSR_STEP(3, 5, 7);
    }
    char* to_below = at.to + kRows * at.to_row;
    _tile_stored(0, at.to, at.to_row);
    if (right) _tile_stored(1, at.to + kRowBytes, at.to_row);
    if (lower) _tile_stored(2, to_below, at.to_row);
    if (lower && right) _tile_stored(3, to_below + kRowBytes, at.to_row);
}

#undef TSR_STEP

template <Kind kind>
TSR_AMX void product(const void* a, const void* b, void* c, int64_t a_row, int64_t b_panel, int64_t c_row, int64_t m,
                     int64_t n, int64_t depth, int64_t from_zero, void* to, int64_t to_row) {
    const int64_t whole = m / (2 * kRows) * (2 * kRows);
    const int64_t panels = (n + kPanel - 1) / kPanel;
    const int64_t steps = (m + 2 * kRows - 1) / (2 * kRows) * panels * ((depth + kRowBytes - 1) / kRowBytes);
    Ahead ahead_a(a, m * a_row, steps);
    Ahead ahead_b(b, panels * b_panel, steps);
    for (int64_t begin = 0; begin < m; begin = whole) {
        // Whole pairs of tiles first, then what is left with a configuration of its own.
        const bool rest = begin == whole;
        const int64_t end = rest ? m : whole;
        if (begin == end) break;
        const int64_t upper = rest ? std::min(m - whole, kRows) : kRows;
        const int64_t lower = rest ? m - whole - upper : kRows;
        configure(upper, lower);
        for (int64_t j = 0; j < n; j += kPanel) {
            for (int64_t i = begin; i < end; i += 2 * kRows) {
                const Block at{static_cast<const char*>(a) + i * a_row,
                               static_cast<const char*>(b) + j / kPanel * b_panel,
                               static_cast<char*>(c) + i * c_row + j * 4,
                               a_row,
                               c_row,
                               depth,
                               from_zero != 0,
                               static_cast<char*>(to) + i * to_row + j * 4,
                               to_row};
                multiply<kind>(at, lower > 0, n - j > kRows, ahead_a, ahead_b);
            }
        }
        if (rest) break;
    }
    _tile_release();
}

}  // namespace

}  // namespace tsr::runtime

using tsr::runtime::Kind;

#define TSR_PRODUCT(name, kind)                                                                                        \
    extern "C" TSR_AMX void name(const void* a, const void* b, void* c, int64_t a_row, int64_t b_panel, int64_t c_row, \
                                 int64_t m, int64_t n, int64_t depth, int64_t from_zero, void* to, int64_t to_row,     \
                                 int64_t stored) {                                                                     \
        tsr::runtime::product<kind>(a, b, c, a_row, b_panel, c_row, m, n, depth, from_zero, stored != 0 ? to : c,      \
                                    stored != 0 ? to_row : c_row);                                                     \
    }
TSR_PRODUCT(tsr_product_bf16, Kind::bf16)
TSR_PRODUCT(tsr_product_i8_i8, Kind::i8_i8)
TSR_PRODUCT(tsr_product_i8_u8, Kind::i8_u8)
TSR_PRODUCT(tsr_product_u8_i8, Kind::u8_i8)
TSR_PRODUCT(tsr_product_u8_u8, Kind::u8_u8)
#undef TSR_PRODUCT
