// Philox4x32-10 in integers of 64 bits that hold 32: Salmon, Moraes, Dror and Shaw, SC11.
#include "ir/passes/math/rounding.h"

namespace tsr::ir::math {

namespace {

constexpr int64_t kWord = 0xFFFFFFFF;

Term low(Term x) { return x & x.whole(kWord); }
Term high(Term x) { return x >> 32; }

}  // namespace

Term random_word(Term element, Term seed, Term stream) {
    const Term block = element >> 2;
    std::array<Term, 4> x{low(block), high(block), low(stream), high(stream)};
    Term key0 = low(seed);
    Term key1 = high(seed);
    for (int round = 0; round < 10; ++round) {
        if (round != 0) {
            key0 = low(key0 + key0.whole(0x9E3779B9));
            key1 = low(key1 + key1.whole(0xBB67AE85));
        }
        const Term first = x[0] * x[0].whole(0xD2511F53);
        const Term second = x[2] * x[2].whole(0xCD9E8D57);
        x = {high(second) ^ x[1] ^ key0, low(second), high(first) ^ x[3] ^ key1, low(first)};
    }
    const Term odd = (element & element.whole(1)) == element.whole(1);
    const Term behind = (element & element.whole(2)) == element.whole(2);
    return select(behind, select(odd, x[3], x[2]), select(odd, x[1], x[0])).cast(DType::u32);
}

}  // namespace tsr::ir::math
