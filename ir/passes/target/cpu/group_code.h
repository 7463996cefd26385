// Group statements of a kernel as scalar code, its lanes regions as loops over vectors.
#pragma once

#include "ir/passes/target/cpu/lanes/code.h"
#include "ir/passes/target/cpu/tiles/code.h"

namespace tsr::ir {

class GroupCode {
public:
    explicit GroupCode(Spread& spread) : s_(spread), emit_(spread.emit), tiles_(spread) {}

    // The whole task: all its groups, or all its tiles.
    void run();

private:
    void region(RegionId region);
    [[nodiscard]] bool joins_tiles(const Op& op) const;
    [[nodiscard]] bool passes_tiles(const Op& op) const;
    void operation(OpId id);
    void scalar(const Op& op);
    void nothing(const Op&) {}
    void elsewhere(const Op& op);  // it does not stand here
    void message(const Op& op);
    void buffer(const Op& op);
    void control(const Op& op);
    void grid(const Op& op);
    void copy(const Op& op);
    void reduce(const Op& op);
    void scan(const Op& op);
    void exchange(const Op& op);
    void ballot(const Op& op);
    void atomic(const Op& op);
    void result(const Op& op);
    Home carried_home(const Op& op, size_t number);
    // Register tiles: yielded ones are copied to the homes of those they become.
    void yield_tiles(const std::vector<ValueId>& values, const std::vector<Home>& homes);
    // Lane arrays: yielded or carried ones are copied to the storage that stands for the name they get.
    void yield_arrays(const Op& op, const std::vector<ValueId>& values, const std::vector<ValueId>& storage);
    void copy_array(ValueId to, ValueId from, const Type& type);
    [[nodiscard]] int64_t array_size(const Type& type) const;
    ValueId new_array(const Type& type);
    // lane_loops.cpp
    void lanes(const Op& op);
    void lanes_over_tiles(const Op& op);
    void lanes_over_rounds(const Op& op, ValueId begin, ValueId end, bool partial);
    using Axis = KernelCode::Axis;
    std::vector<Axis> axes(const Op& op) { return s_.axes(op); }
    // Lanes of the last axis; the values of outer axes are given, and how many rounds stand in the rows before this
    // one, if there are rows.
    struct Lanes {
        const Op& op;
        const Axis& axis;
        const std::vector<ValueId>& outer;
        ValueId before;
    };
    // What an operation of the region gives where that is known from the number of the round: one scalar, or, where it
    // changes, so much more than the number of the round.
    struct Wrapped {
        ValueId result;
        ValueId scalar;
        bool changes;
    };
    // Lanes from round `first` to `last`, in vectors.
    void vector_loop(const Op& op, const Axis& axis, const std::vector<ValueId>& outer, ValueId first, ValueId last,
                     ValueId before = {});
    [[nodiscard]] bool is_small(RegionId region) const;
    std::optional<ValueId> rounds_to_aligned(const Lanes& lanes, ValueId first, const std::vector<Wrapped>& wrapped);
    void vectors(const Lanes& lanes, ValueId first, ValueId last, const std::vector<Wrapped>& wrapped);
    void vector_body(const Lanes& over, ValueId round, int64_t copies, const std::vector<ValueId>& mask,
                     const std::vector<Wrapped>& wrapped, const std::vector<OpId>& past_caches = {});
    // Writes of the region that may go by the caches, and whether they shall from round `first` on.
    struct PastCaches {
        std::vector<OpId> writes;
        ValueId shall;
    };
    PastCaches past_caches(const Lanes& lanes, ValueId first);
    // lane_segments.cpp: the same rounds in segments in which no remainder begins anew. False, and nothing is made,
    // where the region has no such remainders.
    bool in_segments(const Lanes& lanes, ValueId first, ValueId last);

    template <typename Body>
    void counted_loop(ValueId lower, ValueId upper, int64_t step, Body body) {
        s_.counted_loop(lower, upper, step, body);
    }
    template <typename Body>
    void when(ValueId condition, Body body) {
        s_.when(condition, body);
    }

    Spread& s_;
    Emit& emit_;
    TileCode tiles_;
};

}  // namespace tsr::ir
