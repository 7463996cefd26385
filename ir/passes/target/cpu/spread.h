// What group code and lane code share while a kernel is spread.
#pragma once

#include <unordered_map>
#include <vector>

#include "ir/passes/target/cpu/emit.h"
#include "ir/passes/target/cpu/index_range.h"

namespace tsr::ir {

// A tensor or a stage of a shared buffer: dense, row-major.
struct Memory {
    ValueId pointer;
    std::vector<ValueId> dims;  // index scalars
    int64_t elements = 0;       // of a buffer's stage
};

struct Spread {
    explicit Spread(const Function& kernel);

    const Function& tile;
    const Plan& plan;
    Function target;
    Emit emit;
    std::vector<bool> differing;
    IndexRanges ranges;
    std::unordered_map<ValueId, ValueId> scalars;             // uniform values, old → new
    std::unordered_map<ValueId, std::vector<ValueId>> parts;  // uniform small vectors: their elements
    std::unordered_map<ValueId, Memory> memories;             // tensors and buffers
    std::unordered_map<ValueId, ValueId> arrays;              // lane arrays → pointer to one element per tile
    std::unordered_map<std::string, ValueId> symbols;
    ValueId group;      // linear number of the running group
    ValueId counts[3];  // groups of the launch along x, y, z
    ValueId total;      // groups or tiles of the launch
    int64_t scratch_bytes = 0;

    [[nodiscard]] const std::vector<ValueId>& yielded(RegionId region) const {
        return tile.op(tile.region(region).ops.back()).operands;
    }
    // A dimension's value from the symbols.
    ValueId dimension(const Dim& dim);
    // An operation all of whose operands are uniform, in the scalar code at the insertion point. True when it was one.
    bool scalar_operation(const Op& op);
    ValueId linear(const Memory& memory, const std::vector<ValueId>& indices);
    ValueId address(const Memory& memory, const std::vector<ValueId>& indices) {
        return emit.pointer_add(memory.pointer, linear(memory, indices));
    }
    // A value that is the same for the whole task, made at the function's entry.
    ValueId at_entry(OpKind kind, const Type& type, Attrs attrs);
    // Space for `count` elements on the stack, made at the function's entry.
    ValueId stack(DType type, int64_t count);
    RegionId entry;  // where stack space is made
    size_t entry_position = 0;

private:
    bool vector_operation(const Op& op);
    ValueId group_number(const Op& op);
    ValueId reduce_buffer(const Op& op);
};

}  // namespace tsr::ir
