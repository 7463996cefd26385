// Which axes of register tiles go along together: elements at the same place along one of them make elements at that
// place along the others, and no others.
#pragma once

#include <vector>

#include "ir/core/function.h"

namespace tsr::ir {

class TileAxes {
public:
    // Of a kernel in group form, before its loads are staged.
    explicit TileAxes(const Function& kernel);

    // Names the class of an axis of a register tile.
    [[nodiscard]] size_t of(ValueId tile, size_t axis) const { return root(first_[tile.index] + axis); }
    // Whether elements along axes of this class meet: in a sum, a scan, or as the inner axis of a product.
    [[nodiscard]] bool meet(size_t of_class) const { return meet_[of_class]; }

private:
    void visit(const Function& kernel, OpId id);
    void carry(const Function& kernel, const Op& op);
    void join(const Function& kernel, ValueId a, ValueId b);
    void join_axes(ValueId a, size_t axis_a, ValueId b, size_t axis_b);
    [[nodiscard]] size_t root(size_t node) const;

    std::vector<size_t> first_;   // by value: the node of its first axis
    std::vector<size_t> parent_;  // by node
    std::vector<bool> meet_;      // by root
};

}  // namespace tsr::ir
