// Which values of a thread's program become 32 bits wide.
#pragma once

#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/core/function.h"
#include "ir/passes/target/index_range.h"

namespace tsr::ir {

enum class Form : uint8_t {
    same,    // keeps its type
    narrow,  // i32, the same number
    low,     // i32, the low bits of the number; only offsets are made of it
    bounds,  // a u64 that indices are compared by: u32
};

bool is_index(const Function& function, ValueId value);

// What becomes of each value, and of each address, of a function of level Target under a guard. It speaks of the
// function as it was when this was made.
class IndexForms {
public:
    IndexForms(const Function& function, const IndexRanges::Promises& guard);

    [[nodiscard]] Form of(ValueId v) const { return v.index < forms_.size() ? forms_[v.index] : Form::same; }
    // An index whose number is known to fit.
    [[nodiscard]] bool fits(ValueId v) const { return fits_[v.index]; }
    // How many elements the step to this address goes at the most; nothing where that may be far.
    [[nodiscard]] std::optional<int64_t> step(OpId pointer_add) const;
    // An address that is so many elements from the beginning of memory whose size is known.
    [[nodiscard]] bool has_root(ValueId pointer) const;
    [[nodiscard]] bool narrows_counter(OpId loop) const;
    // A comparison that is true wherever it is asked: the counter of a loop is below what ends the loop.
    [[nodiscard]] bool holds(OpId comparison) const { return true_.contains(comparison); }
    // A division in 32 bits of numbers that are not negative.
    [[nodiscard]] bool divides_unsigned(OpId op) const { return unsigned_.contains(op); }
    // A number that a loop counts in 64 bits, or a sum with one: as wide as the addresses that are made of it.
    [[nodiscard]] bool is_wide(ValueId v) const { return wide_.contains(v) && of(v) == Form::same; }
    // The operand of a maximum or minimum that is always the result; invalid: it depends.
    [[nodiscard]] ValueId always(OpId op) const;

private:
    void decide(OpId id);
    void note_range(ValueId v);
    void note_step(OpId id);
    [[nodiscard]] bool narrows(const Op& op) const;
    void decide_counter(OpId id);
    void decide_comparison(OpId id);
    void decide_order(OpId id);
    void decide_extreme(OpId id);
    void decide_offset(OpId id);
    void decide_bounds();
    [[nodiscard]] bool bounds(OpId id) const;

    const Function& fn_;
    IndexRanges ranges_;
    std::vector<Form> forms_;
    std::vector<bool> fits_;
    std::vector<std::vector<OpId>> users_;
    std::vector<OpId> ops_;
    std::unordered_map<OpId, int64_t> steps_;
    std::unordered_map<ValueId, OpId> counters_;
    std::unordered_set<ValueId> wide_;
    std::unordered_set<OpId> true_, unsigned_;
    std::unordered_map<OpId, ValueId> always_;
};

}  // namespace tsr::ir
