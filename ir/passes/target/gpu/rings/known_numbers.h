// The whole numbers that a text is followed with: its constants, what was chosen, and what operations make of them.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "ir/core/function.h"

namespace tsr::ir {

class KnownNumbers {
protected:
    explicit KnownNumbers(const Function& kernel) : kernel_(kernel) {}

    [[nodiscard]] std::optional<int64_t> value(ValueId v) const;
    // What an operation on scalars gives, as far as it is known.
    void compute(const Op& op);
    void forget(ValueId v) { values_.erase(v); }
    // Bounds that the text does not know are chosen so that there are so many rounds.
    void force(OpId loop, int64_t rounds);

    const Function& kernel_;
    std::unordered_map<ValueId, int64_t> values_;

private:
    [[nodiscard]] std::optional<int64_t> constant(ValueId v) const;
    [[nodiscard]] std::optional<int64_t> computed(const Op& op) const;

    std::unordered_map<ValueId, int64_t> forced_;
};

}  // namespace tsr::ir
