// Philox4x32-10: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC11.
#pragma once

#include <array>
#include <cstdint>

#include "runtime/abi.h"

namespace tsr::runtime {

using PhiloxBlock = std::array<uint32_t, 4>;

PhiloxBlock philox(PhiloxBlock counter, std::array<uint32_t, 2> key);
// The block of four words that holds the words of an element (abi.h, randomness).
PhiloxBlock philox(const TsrRandomKey& key, uint64_t block);

// Words of a sequence of elements in order: computes each block once.
class PhiloxWords {
public:
    explicit PhiloxWords(const TsrRandomKey& key) : key_(key) {}
    uint32_t word(uint64_t number) {
        if (number / 4 != block_number_ || !filled_) {
            block_number_ = number / 4;
            block_ = philox(key_, block_number_);
            filled_ = true;
        }
        return block_[number % 4];
    }

private:
    TsrRandomKey key_;
    PhiloxBlock block_{};
    uint64_t block_number_ = 0;
    bool filled_ = false;
};

}  // namespace tsr::runtime
