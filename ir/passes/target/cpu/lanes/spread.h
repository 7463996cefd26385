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

// rows.cpp: how many rows of elements of a type are transposed in registers at once, where vectors have so many lanes.
int64_t transposed_rows(DType type, int64_t lanes);
// Vectors of as many elements as there are vectors, a power of two: rows become columns.
std::vector<ValueId> transposed(Emit& emit, const std::vector<ValueId>& rows);
// Vectors of one element from each lane, a power of two of them, to what lies in memory where those of a lane are
// neighbours, and back.
std::vector<ValueId> interleaved(Emit& emit, std::vector<ValueId> vectors);
std::vector<ValueId> separated(Emit& emit, const std::vector<ValueId>& vectors);

}  // namespace tsr::ir
