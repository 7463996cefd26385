// Elements of any type, a few hundred at a time, as exact numbers of three kinds: what casts work on.
#pragma once

#include <array>
#include <cstdint>

#include "runtime/numbers/number.h"
#include "runtime/tensor/tensor.h"

namespace tsr::runtime {

struct Lanes {
    static constexpr int64_t kMost = 256;
    Number::Kind kind = Number::Kind::integer;  // of all of them
    union Values {
        std::array<int64_t, kMost> integer;
        std::array<uint64_t, kMost> unsigned_integer;
        std::array<double, kMost> floating;
        Values() : integer{} {}
    } values;

    Number number(int64_t i) const;
};

// `count` <= kMost elements at `offset`, `offset + step`, … of the tensor. c64 gives the real part.
void load(Lanes& lanes, const TsrTensor& tensor, int64_t offset, int64_t step, int64_t count);

}  // namespace tsr::runtime
