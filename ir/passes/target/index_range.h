// Intervals of index values, to know which of them fit 32 bits when dimensions and tile counts do: of kernels in group
// form, and of the program of one thread of a GPU.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/core/function.h"

namespace tsr::ir {

class IndexRanges {
public:
    // What a launch guard promises: every dimension and the number of tiles, or of parts of groups, are below this.
    static constexpr int64_t kLimit = int64_t{1} << 30;

    struct Range {
        int64_t low;
        int64_t high;

        [[nodiscard]] bool fits_32_bits() const;
    };

    // What else the guard promises of the program of a thread, by numbers of slots.
    struct Promises {
        int64_t first_number = 0;  // the first of the slots of dimensions and numbers of groups; 0: none
        std::map<std::vector<int64_t>, int64_t> products;  // of these slots, each in order, are below this
        int64_t most_blocks = kLimit - 1;                  // of a launch, where a block does a group or a part of one
    };

    explicit IndexRanges(const Function& kernel) : kernel_(kernel) {}
    IndexRanges(const Function& thread, Promises promises) : kernel_(thread), promises_(std::move(promises)) {}

    // Under the guard.
    [[nodiscard]] Range range(ValueId value);
    [[nodiscard]] bool fits_32_bits(ValueId value) { return range(value).fits_32_bits(); }
    [[nodiscard]] bool is_positive(ValueId value) { return range(value).low > 0; }
    [[nodiscard]] bool is_natural(ValueId value) { return range(value).low >= 0; }

private:
    using Factors = std::optional<std::vector<int64_t>>;
    struct Rules;  // what is known of the result of each element operation: a table in index_range.cpp

    Range compute(ValueId value);
    Range of_argument(const Value& value);
    Range of_number(const Op& op);
    Range of_branches(const Op& op, uint32_t result);
    Range of_element(const Op& op);
    // Of element operations, from the ranges of the first two operands.
    Range anything(const Op& op, Range a, Range b);
    Range of_sum(const Op& op, Range a, Range b);
    Range of_difference(const Op& op, Range a, Range b);
    Range of_negative(const Op& op, Range a, Range b);
    Range of_product(const Op& op, Range a, Range b);
    Range of_minimum(const Op& op, Range a, Range b);
    Range of_maximum(const Op& op, Range a, Range b);
    Range of_quotient(const Op& op, Range a, Range b);
    Range of_remainder(const Op& op, Range a, Range b);
    Range of_selection(const Op& op, Range a, Range b);
    Range of_cast(const Op& op, Range a, Range b);
    Range of_shl(const Op& op, Range a, Range b);
    Range of_shr(const Op& op, Range a, Range b);
    Range of_common_bits(const Op& op, Range a, Range b);
    Range of_joined_bits(const Op& op, Range a, Range b);
    // A value that this one is below, once it is known not to be negative; invalid: none is known.
    [[nodiscard]] ValueId below(ValueId value);
    // Slots whose product it does not pass, in order; none of them is negative.
    [[nodiscard]] Factors factors(ValueId value);
    Factors no_factors(const Op& op);
    Factors factors_of_cast(const Op& op);
    Factors factors_of_quotient(const Op& op);
    Factors factors_of_difference(const Op& op);
    Factors factors_of_maximum(const Op& op);
    Factors factors_of_negative(const Op& op);
    Factors factors_of_product(const Op& op);

    const Function& kernel_;
    Promises promises_;
    std::unordered_map<ValueId, Range> known_;
};

}  // namespace tsr::ir
