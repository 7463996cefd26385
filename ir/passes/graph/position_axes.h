// How kernels go through the positions of a gather or scatter: neighbouring axes that all its tensors have alike, or
// lack together, are gone through as one.
#pragma once

#include "ir/ops/indexed.h"
#include "ir/passes/graph/kernel_writer.h"

namespace tsr::ir {

struct PositionAxis {
    Dim extent;
    bool in_x = false, in_ids = false;
};

class PositionAxes {
public:
    explicit PositionAxes(const IndexedOp& op);

    [[nodiscard]] const std::vector<PositionAxis>& all() const { return axes_; }
    // Extents of the axis that ids number, and of the tensors along the joined axes.
    [[nodiscard]] const Dim& indexed() const { return indexed_; }
    [[nodiscard]] std::vector<Dim> x_shape() const;
    [[nodiscard]] std::vector<Dim> ids_shape() const;
    [[nodiscard]] std::vector<Dim> positions_shape() const;
    // Whether rows of x, along the last axis, are rows of the positions, too.
    [[nodiscard]] bool moves_rows() const;

    // The indices of x and of the ids at a position; `id`: along the axis that ids number.
    [[nodiscard]] Values x_at(const Values& position, ValueId id) const;
    [[nodiscard]] Values ids_at(const Values& position) const;

private:
    static constexpr size_t kIndexed = SIZE_MAX;
    std::vector<PositionAxis> axes_;
    Dim indexed_;
    std::vector<size_t> x_axes_, ids_axes_;  // of each joined axis of the tensor: which position it is
};

// An id as the number that it is compared and counted as.
struct CheckedId {
    ValueId number, inside;
};
CheckedId checked_id(Builder& builder, ValueId id, ValueId extent);
// Ends the program: names the id and its place, the number of elements in front of it.
void refuse_id(Builder& builder, const CheckedId& id, ValueId place, ValueId extent);

}  // namespace tsr::ir
