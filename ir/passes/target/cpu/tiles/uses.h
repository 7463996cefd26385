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

// How the code of a CPU comes to what an operation on register tiles does; it follows from the record.
enum class Making : uint8_t {
    elsewhere,  // it is no such operation, or the program of a CPU has none
    inlined,    // element by element, where they are wanted, from the elements of its operands
    stored,     // a nest of loops stores its elements
    summed,     // a nest of loops combines them along an axis
    alone,      // loops of its own, whose result lies in memory: products, scans, atomics
};
Making making(OpKind kind);
inline bool is_inline(const Op& op) { return making(op.kind) == Making::inlined; }

// The value of an integer constant; nothing for other values.
std::optional<int64_t> constant_integer(const Function& kernel, ValueId value);

inline bool is_product(const Op& op) { return axis_rule(op.kind) == AxisRule::contract; }

// True for a tile of zeros.
bool is_zero(const Function& kernel, ValueId value);

// Instructions that one vector of the value takes where everything under it is computed on the way; `limit` ends the
// count.
int64_t inline_cost(const Function& kernel, ValueId value, int64_t limit = 64);

// How an inner loop's coordinates become those of an operand: per axis of the operand the axis of the nest, or kZero.
inline constexpr int kZero = -1;
using NestAxes = std::vector<int>;
NestAxes through_expand(const Function& kernel, OpId expand, const NestAxes& of_result);

}  // namespace tsr::ir
