// What the operations of a fused function give at one position of its kernel: made where it is asked for, once in each
// region of the kernel.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "ir/build/builder.h"
#include "ir/passes/graph/axis_map.h"
#include "ir/passes/graph/kept_values.h"
#include "ir/passes/graph/row_phases.h"

namespace tsr::ir {

class FusedPosition {
public:
    // `tile_axes`: of the joined axes those that a position is a register tile along; of none it is one element.
    FusedPosition(const Function& fused, const FusedAxes& axes, Function& kernel, std::vector<size_t> tile_axes)
        : fused_(fused),
          axes_(axes),
          phases_(row_phases(fused, axes)),
          tile_axes_(std::move(tile_axes)),
          tiles_(!tile_axes_.empty()),
          root_(kernel),
          builder_(&root_) {}

protected:
    // What stands in the body of a loop or `if` is made by another builder; values made there are known only there.
    template <typename Fill>
    auto inside(Builder& body, Fill&& fill) {
        Builder* const outer = std::exchange(builder_, &body);
        const auto values = values_;
        const auto reads = reads_;
        auto result = fill();
        builder_ = outer;
        values_ = values;
        reads_ = reads;
        return result;
    }

    // What an operation of the fused function gives.
    ValueId computed_value(ValueId v);
    // The operand of an operation.
    ValueId operand(OpId user, size_t number);
    // Of what takes elements of one value: a sum, a movement.
    ValueId taken(OpId user);
    // Inputs that the whole row takes.
    void read_row();
    // A result, and what waits in the place of a result.
    void store(ValueId v, const Values& at);
    void store_in(size_t result, ValueId value, const Values& at, bool waits = false);
    // A result that a row has one of; at the position of the row.
    void store_of_row(size_t result, ValueId value, const Values& at);

    [[nodiscard]] TensorAccess access(const AxisMap& source, OpId user) const {
        return access_of(axes_, fused_, source, user);
    }
    // The outer axis along which a tile has several rows: the last one, so that tiles lie as tensors do.
    [[nodiscard]] size_t row_axis() const { return axes_.outer().back(); }
    // Of a tile's axes, the one along the row.
    [[nodiscard]] int64_t along() const { return rows_ > 1 ? 1 : 0; }
    [[nodiscard]] std::vector<Dim> tile_shape() const {
        std::vector<Dim> shape(tile_axes_.size(), Dim::constant(width_));
        if (rows_ > 1) shape[0] = Dim::constant(rows_);
        return shape;
    }
    // What a row has one of, at each position of the tile.
    ValueId repeated(ValueId of_row);
    // What is the same for all rows, once for each row of a tile that has several: what belongs to a row then is a tile
    // of one axis.
    ValueId of_row(ValueId value);
    // Positions along an axis of the tile, from its beginning: i32.
    ValueId iota(int64_t axis);

    const Function& fused_;
    const FusedAxes& axes_;
    RowPhases phases_;
    std::vector<size_t> tile_axes_;
    bool tiles_;
    Builder root_;
    Builder* builder_;  // of the region where operations are made now
    ValueId zero_;
    Values at_;          // the position: an index for each joined axis; along the row where a tile begins
    int64_t width_ = 0;  // of a tile along each of its axes, but for the rows
    int64_t rows_ = 1;   // of a tile
    size_t phase_ = 0;
    KeptValues kept_;                    // where a row is done in pieces
    std::map<ValueId, ValueId> inputs_;  // parameters of the fused function → of the kernel
    Values outputs_;
    std::map<ValueId, AttrValue> fills_;  // of parameters: what loads find behind the end of a row; else 0
    // Known at the position, in the region where operations are made now: what operations gave, what was read.
    std::map<ValueId, ValueId> values_;
    std::map<std::pair<ValueId, TensorAccess>, ValueId> reads_;

private:
    [[nodiscard]] bool runs_along_row(const TensorAccess& access) const;
    // Along an axis of the tile.
    [[nodiscard]] bool runs_along_tile(const TensorAccess& access) const;
    // Has an element for each position of the tile, or for each along one of its axes; else for each row or one.
    [[nodiscard]] bool gives_tile(const TensorAccess& access) const;
    // A function that combines nothing is done in whole tiles.
    template <typename Id>
    [[nodiscard]] bool is_whole(Id id) const {
        return tiles_ && (!axes_.axis || phases_.is_whole(id));
    }
    // Where a tensor is read along one of its axes.
    ValueId index_along(const TensorAccess& access, size_t axis);
    ValueId element_of(ValueId input, const TensorAccess& access);
    ValueId number_of(ValueId positions, const TensorAccess& access);
    // A tile along some axes of the whole tile, `places`.
    ValueId expanded(ValueId tile, const std::vector<int64_t>& places);
    // From a position on; `axes`: of each axis of the memory the joined axis. `fill` may be invalid.
    ValueId load_piece(ValueId memory, const Values& at, const std::vector<size_t>& axes, ValueId fill = {},
                       bool waits = false);
    ValueId source(const AxisMap& from, OpId user);
    ValueId scalar(ValueId v);
};

}  // namespace tsr::ir
