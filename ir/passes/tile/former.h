// Forms the groups of one kernel: what is the group's, and regions over its tiles (form_groups.h).
#pragma once

#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/build/clone.h"
#include "ir/passes/tile/classify.h"
#include "ir/passes/tile/pending_lanes.h"

namespace tsr::ir {

class Former {
public:
    Former(const Function& kernel, const KernelShape& shape) : old_(kernel), shape_(shape), new_(kernel) {
        new_.body = new_.add_region({});
        for (ValueId param : old_.params()) {
            new_.region(new_.body).args.push_back(param);
            new_.value(param).region = new_.body;
            group_values_[param] = param;
        }
        group_ = new_.body;
        count_uses();
    }
    Function run();

private:
    [[nodiscard]] bool flat() const { return old_.kernel.flat; }
    [[nodiscard]] bool varies(ValueId v) const { return shape_.variability.is_varying(v); }
    [[nodiscard]] const std::vector<ValueId>& yielded(RegionId region) const;
    void count_uses();

    // ---- emitting ----
    ValueId emit(RegionId region, OpKind kind, PlaceId place, std::vector<ValueId> operands, Attrs attrs = {});
    ValueId emit_index(RegionId region, int64_t value, PlaceId place);
    void emit_yield(RegionId region, std::vector<ValueId> values);

    // ---- values ----
    [[nodiscard]] bool has_group_value(ValueId old) const { return group_values_.contains(old); }
    [[nodiscard]] bool group_ready(const Op& op) const;
    // Cheap, and made of uniform values and tile ids alone: made again in each region that needs it.
    [[nodiscard]] bool is_remade(ValueId old) const;
    ValueId lane_value(ValueId old);
    // What a value that the pending region lacks is from outside of it; invalid where nothing is.
    ValueId from_outside(ValueId old);
    // tile_id and lane_id out of the region's number of the tile.
    ValueId tile_number(const Op& op);

    // ---- the pending region ----
    PendingLanes& open_lanes();
    void flush();
    void append_lanes(RegionId region, std::vector<ValueId> bounds, const std::vector<Type>& types, LanesOver over,
                      PlaceId place);
    // Lane arrays of these values, also of uniform ones. Ends the pending region.
    std::vector<ValueId> as_arrays(const std::vector<ValueId>& olds);

    // ---- lane code: copied as it stands ----
    void lane_statement(OpId id);
    // `into` may be below the pending region. What the copy needs from outside is made at the pending region's top
    // level.
    void copy_into(RegionId into, OpId id);
    // What is not copied as it stands: numbers of the tile, and buffers, which are the group's.
    bool lane_replaces(OpId id);

    // ---- group code ----
    void group_region(RegionId region);
    void statement(OpId id);
    void group_buffer(OpId id);
    void group_copy(OpId id);
    // Operands that differ between tiles come as lane arrays; so do results that do.
    void collective(OpId id);
    void bind(ValueId old, ValueId made) { (varies(old) ? arrays_ : group_values_)[old] = made; }

    // ---- control flow ----
    void control(OpId id);
    [[nodiscard]] bool holds_lane_code(OpId id) const;
    [[nodiscard]] bool diverges(OpId id) const;
    // Divergent control is one tile's own. Uniform control stays with the lane code in it, unless a group statement in
    // it, or a value it gives to the group, asks for a split.
    [[nodiscard]] bool stays_in_lanes(OpId id) const;
    [[nodiscard]] bool touches_memory(OpId id) const;
    [[nodiscard]] bool asks_for_split(OpId id) const;
    void group_control(OpId id);
    [[nodiscard]] Type group_type(ValueId old) const;
    void group_subregion(OpId parent, const Op& op, size_t number);

    // ---- spread loops ----
    void spread_loop(OpId id, LoopRole role);
    // A bound as an index, in group code. Pure values between the loops of a nest are made there too.
    ValueId group_bound(ValueId old);
    // The tile that does a round of a tile loop: the rounds are dealt in turn. Dead code where nobody asks.
    ValueId round_number(const std::vector<ValueId>& bounds, PlaceId place);
    void grid(OpId id);

    const Function& old_;
    const KernelShape& shape_;
    Function new_;
    RegionId group_;                     // where group statements go
    std::optional<PendingLanes> lanes_;  // what comes after them
    std::vector<OpId> buffers_;
    ValueMap group_values_;  // old → new
    ValueMap arrays_;        // old → new lane array
    std::unordered_map<ValueId, size_t> uses_;
    std::unordered_set<ValueId> written_anywhere_;
    std::unordered_set<ValueId> written_by_tiles_;
};

}  // namespace tsr::ir
