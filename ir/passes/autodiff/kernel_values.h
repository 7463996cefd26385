// The values of a kernel as values of a graph: what a tile computes in one iteration becomes a tensor with an axis for
// each loop whose iterations are done together.
#pragma once

#include <optional>
#include <vector>

#include "ir/build/builder.h"

namespace tsr::ir::autodiff {

// The loops that a value of the body depends on, by number, the outer ones first. Behind their axes stand those of a
// register tile.
using Axes = std::vector<size_t>;

// An index: start + stride * the iteration along an axis. Without an axis it is the start.
struct Line {
    std::optional<size_t> axis;
    int64_t stride = 0;
    ValueId start;  // a number of type index
};

// A value of the kernel in the graph. Indices with axes are i64, others stay numbers of type index.
struct Held {
    ValueId id;
    Axes axes;
    std::vector<Dim> tile;
    std::optional<Line> line;
    [[nodiscard]] bool is_number() const { return axes.empty() && tile.empty(); }
};

// Makes them. A graph is written from its first operation to its last.
class KernelValues {
public:
    KernelValues() : root_(out_), at_(&root_) {}

protected:
    size_t new_axis(const Dim& extent);
    // A dimension with the value of a number: a formula, or a symbol that gets the value here.
    Dim extent_of(ValueId value);
    [[nodiscard]] bool is_zero(ValueId value) const;

    Held number(ValueId id);
    // The index of a loop that is done at once.
    Held rounds(size_t axis, ValueId start, int64_t stride);
    // The numbers along an axis of a register tile.
    Held numbers_along(std::ptrdiff_t axis, const std::vector<Dim>& tile, DType type);

    [[nodiscard]] std::vector<Dim> shape_of(const Axes& axes, const std::vector<Dim>& tile) const;
    static Axes joined(const Axes& a, const Axes& b);
    // Indices have axes as i64.
    ValueId wide(ValueId id);
    // The value with these axes, of which it has some. A number is repeated in the tile, too.
    ValueId spread(const Held& v, const Axes& axes, const std::vector<Dim>& tile);
    // An element operation, with the axes of all operands.
    Held element(OpKind kind, const std::vector<Held>& operands, Attrs attrs = {});

    Function out_;
    Builder root_;
    Builder* at_;               // where operations are made now
    std::vector<Dim> extents_;  // of each axis
};

}  // namespace tsr::ir::autodiff
