// The code of a kernel on level Target, as far as it is the same on every machine: its slots, what it knows of its
// memories, its dimensions, and operations on scalars.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/passes/target/emit.h"

namespace tsr::ir {

// A tensor or a stage of a shared buffer: dense, row-major.
struct Memory {
    ValueId pointer;
    std::vector<ValueId> dims;    // index scalars
    int64_t elements = 0;         // of a buffer's stage
    std::optional<DType> packed;  // of a tensor whose elements share bytes: pointer and dims are of its bytes
    ValueId row;                  // packed: the elements along the last axis
    // Of a buffer: elements along the last axis that change places together, 0 where none do; piece g of row r lies
    // where piece g ^ (r >> drop) % phases of a plain one does. The pieces of 16 bytes at one place of eight rows that
    // follow each other are then in different banks, whatever the rows' length.
    struct Swizzle {
        int64_t piece = 0, drop = 0, phases = 1;
        // Elements of a row that lie together, 0: whole rows do. Else the buffer is panels of so many columns, one
        // behind the other, each with the rows of the buffer, in which pieces change places as in rows of that length.
        int64_t panel = 0;
        // Of elements of so many bytes.
        static Swizzle of_rows(int64_t columns, int64_t bytes);
        // Panels of 128 bytes, or 64 or 32 where rows are not whole ones of more, of whole groups of eight rows: the
        // swizzles of the same names of wgmma's operands and of bulk tensor copies (PTX ISA 9.0, sections 5.5.7 and
        // 9.7.15.5.1), for buffers at multiples of 1024 bytes. No swizzle where there are no such panels.
        static Swizzle of_panels(int64_t rows, int64_t columns, int64_t bytes);
    } swizzle;
    // Elements from a row of a swizzled buffer of two axes to the next one.
    [[nodiscard]] int64_t pitch(int64_t columns) const { return swizzle.panel != 0 ? swizzle.panel : columns; }
    // Elements along an axis.
    [[nodiscard]] ValueId extent(size_t axis) const { return packed && axis + 1 == dims.size() ? row : dims[axis]; }
};

// Where elements of a packed type stand, by their index along the last axis: a scalar, or a vector of `width`.
struct PackedPlace {
    ValueId byte, next;  // that the element begins and ends in
    ValueId shift;       // bits of `byte` below it
};
PackedPlace packed_place(Emit& emit, DType type, ValueId element, int64_t width);
// The elements whose codes begin `shift` bits up in a byte and may end in the next one; scalars or vectors of u8.
ValueId unpacked(Emit& emit, DType type, ValueId byte, ValueId next, ValueId shift, int64_t width);
// Byte number `byte` of elements side by side, the first in the lowest bits.
ValueId packed_byte(Emit& emit, DType type, const std::vector<ValueId>& elements, int64_t byte, int64_t width);

struct KernelCode {
    // Takes the plan over, and makes the slots: parameters, symbols, group counts x, y, z, packed operands.
    explicit KernelCode(const Function& kernel);
    KernelCode(const KernelCode&) = delete;
    KernelCode& operator=(const KernelCode&) = delete;
    virtual ~KernelCode() = default;

    const Function& tile;
    const Plan& plan;
    Function target;
    Emit emit;
    std::unordered_map<ValueId, ValueId> scalars;             // values of one register, old → new
    std::unordered_map<ValueId, std::vector<ValueId>> parts;  // small vectors of one tile: their elements
    std::unordered_map<ValueId, Memory> memories;             // tensors and buffers
    std::unordered_map<std::string, ValueId> symbols;
    ValueId group;      // linear number of the running group
    ValueId counts[3];  // groups of the launch along x, y, z
    ValueId total;      // groups or tiles of the launch

    [[nodiscard]] const std::vector<ValueId>& yielded(RegionId region) const {
        return tile.op(tile.region(region).ops.back()).operands;
    }
    // A dimension's value from the symbols.
    ValueId dimension(const Dim& dim);
    // An operation all of whose operands are scalars or small vectors here, at the insertion point. True when it was
    // one.
    bool scalar_operation(const Op& op);
    ValueId linear(const Memory& memory, const std::vector<ValueId>& indices);
    ValueId address(const Memory& memory, const std::vector<ValueId>& indices) {
        return emit.pointer_add(memory.pointer, linear(memory, indices));
    }
    // One element of any memory.
    ValueId load(const Memory& memory, const std::vector<ValueId>& indices) {
        return memory.packed ? load_packed(memory, indices) : emit.load(address(memory, indices), 0);
    }
    // packed.cpp: elements of a packed tensor.
    ValueId load_packed(const Memory& memory, std::vector<ValueId> indices, ValueId mask = {});
    // Whole packs; under the mask, if it is valid.
    void store_packed(const Memory& memory, std::vector<ValueId> indices, const std::vector<ValueId>& values,
                      ValueId mask = {});
    // The atomic's address, its value and what it compares with, as operands of `atomic_rmw`; gives what was found.
    ValueId atomic_rmw(const Op& op);

    // The axes of a loop over rounds, as `lanes` and `grid` have them.
    struct Axis {
        ValueId lower;
        ValueId step;
        ValueId count;  // rounds
    };
    std::vector<Axis> axes(const Op& op);
    // How many rounds they have together; and the indices of the round of that number, the last axis fastest.
    ValueId rounds(const std::vector<Axis>& axes);
    void bind_round(const Op& op, const std::vector<Axis>& axes, ValueId number);

    template <typename Body>
    void counted_loop(ValueId lower, ValueId upper, int64_t step, Body body, Attrs attrs = {}) {
        RegionId outside = emit.region;
        OpId made = emit.open(OpKind::for_, {lower, upper, emit.integer(step)}, std::move(attrs));
        emit.region = emit.add_region(made);
        body(target.add_arg(emit.region, Type::scalar(DType::index)));
        emit.yield({});
        emit.close(made, outside);
    }
    template <typename Body>
    void counted_loop(int64_t count, int64_t step, Body body) {
        counted_loop(emit.integer(0), emit.integer(count), step, body);
    }
    template <typename Body>
    void when(ValueId condition, Body body) {
        RegionId outside = emit.region;
        OpId made = emit.open_if(condition);
        emit.region = emit.add_region(made);
        body();
        emit.yield({});
        emit.region = emit.add_region(made);
        emit.yield({});
        emit.close(made, outside);
    }

protected:
    // Combines all elements of a buffer, where it is asked for by scalar code.
    virtual ValueId reduce_buffer(const Op& op) = 0;

private:
    void describe_packed(Memory& memory);
    struct Makes;  // which of the following makes an operation: a table in kernel_code.cpp
    bool vector_operation(const Op& op);
    // True: it is made. `leave` makes nothing: the machine's own code does, or none.
    bool leave(const Op& op);
    bool make_element(const Op& op);
    bool make_dim(const Op& op);
    bool make_group_number(const Op& op);
    bool make_read(const Op& op);
    bool make_write(const Op& op);
    bool make_buffer_reduce(const Op& op);
    bool make_stage(const Op& op);
    bool bind(const Op& op, ValueId made);
    [[nodiscard]] std::vector<ValueId> scalars_of(std::span<const ValueId> values) const;
    ValueId group_number(const Op& op);
};

}  // namespace tsr::ir
