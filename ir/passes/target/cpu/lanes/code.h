// The code of a `lanes` region as vectors with masks.
#pragma once

#include <optional>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ir/ops/control.h"
#include "ir/passes/target/cpu/lanes/spread.h"

namespace tsr::ir {

// A value of every lane in flight: `copies` vectors of `width` lanes.
struct LaneValue {
    enum class Kind {
        uniform,  // one scalar
        affine,   // lane number l (over all copies) has base + l * stride; an index
        vectors,  // one vector per copy
        parts,    // a small vector of one tile: each element a lane value
    };
    Kind kind = Kind::uniform;
    ValueId scalar;               // uniform: the value; affine: the base
    int64_t stride = 0;           // affine
    std::vector<ValueId> copies;  // vectors
    std::vector<LaneValue> parts;
};

class LaneCode {
public:
    // Lanes are taken `width` to a vector, `copies` vectors at a time. `mask` has one vector per copy, or none when all
    // lanes are in.
    LaneCode(Spread& spread, int64_t width, int64_t copies, std::vector<ValueId> mask)
        : s_(spread), emit_(spread.emit), width_(width), copies_(copies), mask_(std::move(mask)) {}

    void set(ValueId old, LaneValue value) { values_[old] = std::move(value); }
    // The value of an operation's result: the operation is then not translated.
    void give(ValueId result, LaneValue value) {
        values_[result] = std::move(value);
        given_.insert(result);
    }
    // Translates the operations of a region, all but its yield.
    void run(RegionId region);
    // The vectors of a value: one per copy. Index values come as i32 where both the plan and their range allow it.
    std::vector<ValueId> vectors(const LaneValue& value, DType type);
    std::vector<ValueId> vectors(ValueId old);
    LaneValue value(ValueId old) const;
    std::vector<LaneValue> values(std::span<const ValueId> old) const;

    [[nodiscard]] static LaneValue affine(ValueId base, int64_t stride) {
        return {LaneValue::Kind::affine, base, stride, {}, {}};
    }
    [[nodiscard]] static LaneValue uniform(ValueId scalar) { return {LaneValue::Kind::uniform, scalar, 0, {}, {}}; }
    [[nodiscard]] static LaneValue of(std::vector<ValueId> copies) {
        return {LaneValue::Kind::vectors, {}, 0, std::move(copies), {}};
    }

    // Storage of one element per tile, and this vector's place in it.
    void use_arrays_at(ValueId first_tile) { first_tile_ = first_tile; }
    // What messages of these lanes are ordered by: the number of the group, in flat kernels of the tile.
    void number_messages(LaneValue number) { number_ = std::move(number); }
    // Writes that go by the caches: whole vectors that begin at lines.
    void pass_caches(const std::vector<OpId>& writes) { past_caches_.insert(writes.begin(), writes.end()); }
    // Puts what the region yields into the storage of the lane arrays it becomes.
    void store_arrays(const std::vector<ValueId>& arrays, const std::vector<ValueId>& yielded);

private:
    void operation(OpId id);
    // values.cpp
    bool uniform_operation(const Op& op);  // one scalar operation where all its operands are uniform: true
    void same_for_all(const Op& op);
    void elsewhere(const Op& op);  // it does not stand here
    void vector_extract(const Op& op);
    void vector_build(const Op& op);
    void element(const Op& op);
    bool affine_element(const Op& op, const std::vector<LaneValue>& operands);
    bool affine_compare(const Op& op, const LaneValue& a, const LaneValue& b);
    void element_parts(const Op& op, const std::vector<LaneValue>& operands);
    std::vector<ValueId> element_vectors(const Op& op, const std::vector<LaneValue>& operands);
    [[nodiscard]] DType lane_type(ValueId old);
    [[nodiscard]] bool is_uniform(const Op& op) const;
    std::vector<ValueId> compare_affine(OpKind kind, const LaneValue& affine, ValueId limit);
    // memory.cpp
    void read(OpId id);
    void write(OpId id);
    // Reads or writes of a region that the lanes make of neighbours: `x[i, 0]` and `x[i, 1]` of `x: f32[n, 2]`, i a
    // lane's number. The memory is then passed over once, as whole vectors.
    struct Neighbours {
        std::vector<OpId> ops;  // by their places
        OpId first;             // in the text; so many elements stand before its own
        int64_t before = 0;
        OpId last;
    };
    std::optional<Neighbours> neighbours(OpId first);
    [[nodiscard]] std::pair<ValueId, int64_t> from_base(ValueId index) const;
    [[nodiscard]] std::optional<int64_t> distance(const Memory& memory, const std::vector<LaneValue>& indices) const;
    [[nodiscard]] ValueId begin_of(const Neighbours& together);
    void read_together(const Neighbours& together);
    void write_together(const Neighbours& together);
    void read_vector(const Op& op);
    void write_vector(const Op& op);
    void atomic(const Op& op);
    void lane_read(const Op& op);
    void message(const Op& op);
    struct Access {
        enum class Kind { uniform, contiguous, offsets } kind;
        ValueId address;               // uniform, contiguous: of lane 0
        std::vector<ValueId> offsets;  // offsets: per copy, from the memory's start
    };
    Access access(const Memory& memory, const std::vector<LaneValue>& indices, int64_t shift = 0);
    std::vector<ValueId> load(const Memory& memory, const Access& access);
    void store(const Memory& memory, const Access& access, const LaneValue& value, DType elem,
               bool past_caches = false);
    // packed.cpp
    LaneValue moved(const LaneValue& value, int64_t distance);  // an index, so much further
    LaneValue read_packed(const Memory& memory, std::vector<LaneValue> indices, int64_t part);
    LaneValue read_pairs(const Memory& memory, std::vector<LaneValue> indices);
    void write_packed(const Memory& memory, std::vector<LaneValue> indices, const std::vector<LaneValue>& parts);
    LaneValue byte_of(std::span<const LaneValue> parts, DType type, int64_t byte);
    // Runs `body` once per active lane with the number of its copy and its number in it.
    template <typename Body>
    void for_each_active(Body body);
    ValueId lane_scalar(const LaneValue& value, DType type, int64_t copy, ValueId lane);
    // control.cpp
    void branch(const Op& op);
    void uniform_branch(const Op& op);
    void divergent_branch(const Op& op);
    std::vector<std::vector<ValueId>> masked_region(const Op& op, size_t number, const std::vector<ValueId>& mask,
                                                    bool jump);
    [[nodiscard]] bool is_cheap(RegionId region) const;
    void loop(OpId id);
    [[nodiscard]] bool is_short(RegionId body) const;  // of a loop: nothing stands in what stands in it
    void uniform_loop(const Op& op);
    void affine_loop(const Op& op);
    void divergent_loop(const Op& op);
    void repeat(const Op& op);
    void uniform_repeat(const Op& op);
    void divergent_repeat(const Op& op);
    // rows.cpp
    // Reads that one loop makes along rows of the lanes' own, `x[i, j]`.
    struct Rows {
        OpId loop;            // over j
        ValueId memory, row;  // x, i
        std::vector<OpId> reads;
        LaneValue first_row;   // of the lanes, affine
        ValueId lower, upper;  // bounds of the loop
    };
    // What such a read finds on the stack: from which column on.
    struct Staged {
        ValueId stack, first;
    };
    // True where the loop reads such rows, and has been made.
    bool loop_over_rows(OpId id);
    std::vector<Rows> rows_below(OpId loop);
    [[nodiscard]] bool is_made_below(ValueId v, OpId loop) const;
    // An index as it is before the loop: uniform or affine. Vectors where it is neither, or changes in the loop.
    LaneValue before_loop(ValueId v, OpId loop);
    [[nodiscard]] bool is_counted_alike(const ForOp& counted, OpId outer);
    void loop_with_rows(const ForOp& loop, const std::vector<Rows>& rows);
    void loop_in_pieces(const ForOp& loop, const std::vector<Rows>& rows);
    void stage_rows(const Rows& rows, ValueId stack, ValueId first, ValueId last);
    void read_staged(const Op& op, const Staged& staged);
    ValueId any(const std::vector<ValueId>& mask);
    std::vector<ValueId> mask_and(const std::vector<ValueId>& a, const std::vector<ValueId>& b);
    std::vector<ValueId> all_lanes();
    std::vector<ValueId> merge(const std::vector<ValueId>& mask, const std::vector<ValueId>& then,
                               const std::vector<ValueId>& otherwise);

    // Values carried by a loop, or given by a branch, flattened to what Target carries.
    struct Carried {
        std::vector<ValueId> olds;  // what each stands for
        std::vector<Type> types;    // of the flattened values
    };
    Carried carried(const std::vector<ValueId>& olds);
    void flatten(const Carried& carried, const std::vector<ValueId>& values, std::vector<ValueId>& out);
    // Binds `carried.olds` to consecutive flattened values from `at` on.
    void unflatten(const std::vector<ValueId>& olds, const std::vector<ValueId>& values, size_t& at);
    std::vector<ValueId> add_args(RegionId region, const std::vector<Type>& types);
    // The iterations of a loop that all lanes go through together, from what is carried to what is then carried.
    std::vector<ValueId> counted_iterations(const Op& loop, const Carried& state, ValueId lower, ValueId upper,
                                            const std::vector<ValueId>& current);

    Spread& s_;
    Emit& emit_;
    int64_t width_;
    int64_t copies_;
    std::vector<ValueId> mask_;
    ValueId first_tile_;
    LaneValue number_;
    std::unordered_map<ValueId, LaneValue> values_;
    std::unordered_set<ValueId> given_;
    std::unordered_map<OpId, Staged> staged_;
    std::unordered_map<OpId, LaneValue> read_before_;     // with a neighbour
    std::unordered_map<OpId, Neighbours> written_later_;  // by the last one
    std::unordered_set<OpId> wait_;                       // neighbours in front of it
    std::unordered_set<OpId> past_caches_;
};

}  // namespace tsr::ir
