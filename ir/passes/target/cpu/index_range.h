// Intervals of index values, to know which of them fit 32 bits when dimensions and tile counts do.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "ir/core/function.h"

namespace tsr::ir {

class IndexRanges {
public:
    // What a launch guard promises: every dimension and the number of tiles are below this.
    static constexpr int64_t kLimit = int64_t{1} << 30;

    explicit IndexRanges(const Function& kernel) : kernel_(kernel) {}

    // Under the guard.
    [[nodiscard]] bool fits_32_bits(ValueId value);
    [[nodiscard]] bool is_positive(ValueId value) { return range(value).low > 0; }
    [[nodiscard]] bool is_natural(ValueId value) { return range(value).low >= 0; }

private:
    struct Range {
        int64_t low;
        int64_t high;
    };
    Range range(ValueId value);
    Range compute(ValueId value);
    Range of_argument(const Value& value);
    Range of_element(const Op& op);

    const Function& kernel_;
    std::unordered_map<ValueId, Range> known_;
};

}  // namespace tsr::ir
