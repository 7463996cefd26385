// What a kernel reads and writes, on whole tensors: slices and updates where each index runs along a loop of its own,
// else gathers and scatters.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/ops/reduction.h"
#include "ir/passes/autodiff/kernel_values.h"

namespace tsr::ir::autodiff {

class KernelMemory : public KernelValues {
protected:
    // Where each element of a block of memory stands, and whether it is one.
    struct Places {
        Held place;                  // in the elements in order
        std::optional<Held> inside;  // nothing: all are
    };
    // `tiled`: which axis of the memory each axis of the register tile runs along.
    Places places(const std::vector<Dim>& shape, const std::vector<Held>& starts, const std::vector<size_t>& tiled,
                  const std::vector<Dim>& tile);
    Held gathered(ValueId x, const Places& of);
    void scattered(ValueId& x, const Places& of, const Held& value, std::optional<ReduceOp> how);

    // Single elements.
    Held read(ValueId x, const std::vector<Held>& indices);
    void write(ValueId& x, const Held& value, const std::vector<Held>& indices, std::optional<ReduceOp> how);

    Axes nest_;                 // of the loops around
    std::optional<Held> mask_;  // where what is read and written is done at all

private:
    // The axes in the order of the memory, and a permutation that sorts them.
    struct Order {
        Axes axes;
        std::vector<int64_t> sorted;
    };
    struct Block {
        Values starts;
        std::vector<Dim> shape;
        bool whole = true;
    };

    ValueId with_axis(const Held& v);
    ValueId as_line(ValueId tensor);
    // The place, or none where nothing is read or written.
    Held guarded(const Places& of);
    static Order order_of(const std::vector<Held>& indices);
    ValueId permuted(ValueId value, const std::vector<int64_t>& axes);
    Block block_of(const std::vector<Held>& indices, const std::vector<Dim>& shape);
};

}  // namespace tsr::ir::autodiff
