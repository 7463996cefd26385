// Loop of `philox`: Philox4x32-10 after Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3"
// (SC11), section 3.3. Written from the paper alone: an oracle for the runtime's and for what kernels are compiled to.
#include <cstdint>

#include "ir/eval/lane_loops.h"

namespace tsr::ir::eval::TSR_ISA {

namespace {

constexpr int kRounds = 10;
constexpr uint64_t kMultiplier[2] = {0xD2511F53, 0xCD9E8D57};
constexpr uint32_t kWeyl[2] = {0x9E3779B9, 0xBB67AE85};  // of the golden ratio, and of the root of 3

// Two pairs (left, right): each round exchanges them through the products of their left words.
struct Words {
    uint32_t left[2];
    uint32_t right[2];
};

Words mixed(Words words, const uint32_t (&key)[2]) {
    for (uint32_t round = 0; round < kRounds; ++round) {
        Words next{};
        for (int pair = 0; pair < 2; ++pair) {
            const uint64_t product = kMultiplier[1 - pair] * words.left[1 - pair];
            const uint32_t round_key = key[pair] + round * kWeyl[pair];
            next.left[pair] = static_cast<uint32_t>(product >> 32) ^ words.right[pair] ^ round_key;
            next.right[pair] = static_cast<uint32_t>(product);
        }
        words = next;
    }
    return words;
}

uint32_t low(uint64_t value) { return static_cast<uint32_t>(value); }
uint32_t high(uint64_t value) { return static_cast<uint32_t>(value >> 32); }

void random_word(void* result, const void* a, const void* b, const void* c, size_t n) {
    auto* out = static_cast<uint32_t*>(result);
    const auto* element = static_cast<const uint64_t*>(a);
    const auto* seed = static_cast<const uint64_t*>(b);
    const auto* stream = static_cast<const uint64_t*>(c);
    for (size_t i = 0; i < n; ++i) {
        const uint64_t block = element[i] / 4;
        const Words words =
            mixed({{low(block), low(stream[i])}, {high(block), high(stream[i])}}, {low(seed[i]), high(seed[i])});
        const uint32_t pair = element[i] % 4 / 2;
        out[i] = element[i] % 2 == 0 ? words.left[pair] : words.right[pair];
    }
}

}  // namespace

LaneFn random_word_loop() { return &random_word; }

}  // namespace tsr::ir::eval::TSR_ISA
