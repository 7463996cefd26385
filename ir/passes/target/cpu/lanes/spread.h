// What group code and lane code share while a kernel is spread.
#pragma once

#include "ir/passes/target/index_range.h"
#include "ir/passes/target/kernel_code.h"

namespace tsr::ir {

struct Spread : KernelCode {
    explicit Spread(const Function& kernel);

    [[nodiscard]] int64_t lanes() const { return plan.cpu().lanes; }  // of a vector of 32-bit elements

    std::vector<bool> differing;
    IndexRanges ranges;
    std::unordered_map<ValueId, ValueId> arrays;  // lane arrays → pointer to one element per tile
    int64_t scratch_bytes = 0;

    // A value that is the same for the whole task, made at the function's entry.
    ValueId at_entry(OpKind kind, const Type& type, Attrs attrs);
    // Space for `count` elements on the stack, made at the function's entry.
    ValueId stack(DType type, int64_t count);
    // gather_packed.cpp: the elements of one row at a vector of indices; `row` is the offset of its first byte. The
    // mask may be invalid.
    ValueId gather_packed(const Memory& memory, ValueId row, ValueId elements, int64_t width, ValueId mask);
    RegionId entry;  // where stack space is made
    size_t entry_position = 0;

private:
    // Sixteen partial results, element i in partial i % 16, then halved: one order on every machine.
    ValueId reduce_buffer(const Op& op) override;
};

}  // namespace tsr::ir
