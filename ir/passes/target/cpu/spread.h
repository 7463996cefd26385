// What group code and lane code share while a kernel is spread.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/passes/target/cpu/emit.h"
#include "ir/passes/target/cpu/index_range.h"

namespace tsr::ir {

// A tensor or a stage of a shared buffer: dense, row-major.
struct Memory {
    ValueId pointer;
    std::vector<ValueId> dims;    // index scalars
    int64_t elements = 0;         // of a buffer's stage
    std::optional<DType> packed;  // of a tensor whose elements share bytes: pointer and dims are of its bytes
    ValueId row;                  // packed: the elements along the last axis
    // Elements along an axis.
    [[nodiscard]] ValueId extent(size_t axis) const { return packed && axis + 1 == dims.size() ? row : dims[axis]; }
};

// Where elements of a packed type stand, by their index along the last axis: a scalar, or a vector of `width`.
struct PackedPlace {
    ValueId byte, next;  // that the element begins and ends in
    ValueId shift;       // bits of `byte` below it
};
PackedPlace packed_place(Emit& emit, DType type, ValueId element, int64_t width);
// Elements in the fewest whole bytes.
inline size_t pack_size(DType type) { return bits(type) == 4 ? 2 : 4; }
// The elements whose codes begin `shift` bits up in a byte and may end in the next one; scalars or vectors of u8.
ValueId unpacked(Emit& emit, DType type, ValueId byte, ValueId next, ValueId shift, int64_t width);
// Byte number `byte` of elements side by side, the first in the lowest bits.
ValueId packed_byte(Emit& emit, DType type, const std::vector<ValueId>& elements, int64_t byte, int64_t width);

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
    // One element of any memory.
    ValueId load(const Memory& memory, const std::vector<ValueId>& indices) {
        return memory.packed ? load_packed(memory, indices) : emit.load(address(memory, indices), 0);
    }
    // packed.cpp: elements of a packed tensor.
    void describe_packed(Memory& memory);
    ValueId load_packed(const Memory& memory, std::vector<ValueId> indices, ValueId mask = {});
    void store_packed(const Memory& memory, std::vector<ValueId> indices, const std::vector<ValueId>& values);
    // The elements of one row at a vector of indices; `row` is the offset of its first byte. The mask may be invalid.
    ValueId gather_packed(const Memory& memory, ValueId row, ValueId elements, int64_t width, ValueId mask);
    ValueId gather_bytes(const Memory& memory, ValueId offsets, int64_t width, ValueId mask);
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
