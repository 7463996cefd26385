// Questions about the values of a kernel that the code for register tiles asks.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "ir/ops/axes.h"

namespace tsr::ir {

// Who uses each value.
class Uses {
public:
    explicit Uses(const Function& kernel);
    [[nodiscard]] const std::vector<OpId>& of(ValueId value) const {
        auto found = uses_.find(value);
        return found == uses_.end() ? none_ : found->second;
    }

private:
    std::unordered_map<ValueId, std::vector<OpId>> uses_;
    std::vector<OpId> none_;
};

// The extents of a register tile.
std::vector<int64_t> extents(const Type& tile);
int64_t element_count(const Type& tile);

// It can be computed where it is needed, element by element, from its operands: no sum, product or scan.
bool is_inline(const Op& op);

// The value of an integer constant; nothing for other values.
std::optional<int64_t> constant_integer(const Function& kernel, ValueId value);

inline bool is_product(const Op& op) { return op.kind == OpKind::mma || op.kind == OpKind::mma_words; }

// True for a tile of zeros.
bool is_zero(const Function& kernel, ValueId value);

// Instructions that one vector of the value takes where everything under it is computed on the way; `limit` ends the
// count.
int64_t inline_cost(const Function& kernel, ValueId value, int64_t limit = 64);

}  // namespace tsr::ir
