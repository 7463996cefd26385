// Which values of a thread's program become 32 bits wide.
#pragma once

#include <optional>
#include <unordered_map>
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

private:
    void decide(OpId id);
    void note_range(ValueId v);
    void note_step(OpId id);
    [[nodiscard]] bool narrows(const Op& op) const;
    void decide_counter(OpId id);
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
};

}  // namespace tsr::ir
