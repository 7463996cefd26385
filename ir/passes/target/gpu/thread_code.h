// The code of one thread: group statements are done by all threads where they are pure, by the first where they write;
// a lanes region is done by each thread for its tiles or rounds.
#pragma once

#include <functional>
#include <optional>
#include <unordered_set>

#include "ir/machine/gpu.h"
#include "ir/passes/target/gpu/rings/choose_cluster.h"
#include "ir/passes/target/gpu/rings/producer_part.h"
#include "ir/passes/target/gpu/tiles/code.h"
#include "ir/passes/target/kernel_code.h"

namespace tsr::ir {

class ThreadCode : public KernelCode {
public:
    ThreadCode(const Function& kernel, const GpuMachine& machine);
    ThreadCode(const Function&, const GpuMachine&&) = delete;  // it is looked at until the code stands

    // The whole kernel.
    void run();

    // A place in the block's shared memory; never given back.
    ValueId shared(DType type, int64_t bytes, int64_t alignment);
    [[nodiscard]] int64_t shared_bytes() const { return shared_bytes_; }
    // All threads meet. What they wrote to shared memory is there for products of warp groups, too.
    void block_barrier();
    void proxy_fence();  // before threads meet
    ValueId shuffle(ShuffleBy by, ValueId value, ValueId lane);
    ValueId thread() const { return thread_; }  // an index
    ValueId lane() const { return lane_; }      // i32, in the warp
    ValueId warp() const { return warp_; }      // an index
    [[nodiscard]] int64_t warps() const { return plan.gpu().threads / kWarp; }
    // The value of all threads of the block, combined in each warp with the lanes 16, 8, 4, 2, 1 off, then over the
    // warps in order; every thread gets it.
    ValueId block_reduce(ReduceOp kind, ValueId value);

private:
    // thread_roles.cpp
    enum class Role : uint8_t { all, consumer, producer };
    void roles();
    void groups();
    ValueId positive(ValueId step);
    ValueId near_before(const std::vector<Axis>& all, ValueId number);
    [[nodiscard]] bool is_of_role(OpId id) const;
    [[nodiscard]] bool carries(ValueId value) const;
    [[nodiscard]] std::vector<ValueId> carried(const std::vector<ValueId>& values) const;
    void meet_alone(RegionId region);
    void share_registers();
    [[nodiscard]] bool takes_turns(RegionId region) const;
    void end_turns(OpId loop, OpId awaits);
    ValueId copies_boxes();

    void region(RegionId region);
    void operation(OpId id);
    // thread_statements.cpp
    void statement(OpId id);
    void scalar(const Op& op);
    void elsewhere(const Op& op);  // it does not stand here
    void by_first_thread(const Op& op);
    void group_print(const Op& op);
    void group_assert(const Op& op);
    void lane_message(const Op& op);
    void lane_read(const Op& op);
    void lane_atomic(const Op& op);
    void buffer_stage(const Op& op);
    // thread_code.cpp. Loops and branches: every value is a register of the thread, in the group as in lanes.
    void control(const Op& op);
    void grid(const Op& op);
    void buffer(OpId id);
    // lanes regions
    void lanes(const Op& op);
    void lanes_over_tiles(const Op& op);
    void lanes_over_loop(const Op& op);
    void lanes_over_domain(const Op& op);
    ValueId end_of_domain(const Op& op, const std::vector<Axis>& all);
    void round(const Op& op, const std::vector<Axis>& axes, ValueId number);
    void in_lanes(RegionId region, ValueId number);
    // thread_neighbours.cpp: `tiles_per_thread` tiles from `first` on, side by side.
    void neighbours(const Op& op, const Axis& axis, ValueId first);
    // thread_rows.cpp: `tiles_per_thread` tiles apart from each other; of two or more axes below each other.
    void lanes_apart(const Op& op, const std::vector<Axis>& all, ValueId end);
    struct Division {
        ValueId quotient, rest;
    };
    Division divide(ValueId number, ValueId divisor);
    void round_at(const Op& op, const std::vector<Axis>& all, const std::vector<ValueId>& places, ValueId number);
    void place_outside(const std::vector<Axis>& all, ValueId number, std::vector<ValueId>& places);
    void lanes_in_rows(const Op& op, const std::vector<Axis>& all);
    // thread_turned.cpp: elements of a loop of two or more axes that are read or written across.
    struct Turned {
        OpId access;                // a read or the write, of elements that lie along the other axis
        bool writes = false;        // it is the write
        std::vector<OpId> indices;  // what its indices are made by
    };
    struct Square {
        ValueId memory;       // of its elements, in shared memory
        ValueId row, column;  // where it begins
        ValueId whole;        // it ends inside of both axes
        ValueId near, far;    // of the thread: the place that neighbours count, and the other one
    };
    [[nodiscard]] std::optional<Turned> turned(const Op& op) const;
    template <typename Body>
    void in_square(const Op& op, const std::vector<Axis>& all, std::vector<ValueId> places, const Square& square,
                   bool across, Body body);
    void lanes_turned(const Op& op, const std::vector<Axis>& all, const Turned& turned);
    void message(const Op& op, ValueId number);
    void result(const Op& op);
    template <typename Body>
    void first_thread(Body body) {
        when(emit.compare(OpKind::eq, thread_, emit.integer(0)), body);
    }
    // thread_collectives.cpp
    void group_reduce(const Op& op);
    void group_scan(const Op& op);
    void shuffle_value(const Op& op);
    void ballot(const Op& op);
    ValueId present(ValueId value, const AttrValue& otherwise);
    ValueId warp_reduce(ReduceOp kind, ValueId value, int64_t lanes);
    ValueId scan(ReduceOp kind, ValueId value);
    ValueId exchange(ValueId value, ValueId source);
    void group_atomic(const Op& op);
    ValueId reduce_buffer(const Op& op) override;
    ValueId reduce_alone(const Op& op);
    ValueId area(DType type);
    // thread_copies.cpp
    void copy(const Op& op);
    void commit(const Op&) { emit.statement(OpKind::async_commit, {}); }
    void wait_group(OpId id);
    void copy_chunks(const Memory& to, const Memory& from, const std::vector<ValueId>& start, int64_t chunk);
    void copy_elements(const Memory& to, const Memory& from, const std::vector<ValueId>& start);
    // thread_pieces.cpp
    struct Piece {
        ValueId row, column;  // of the buffer
    };
    ValueId inside(const Memory& to, const Memory& from, const std::vector<ValueId>& start);
    [[nodiscard]] bool copies_pieces(const Memory& to, int64_t chunk) const;
    ValueId thread_here();
    Piece piece(const Memory& to, int64_t chunk, ValueId number);
    ValueId bytes_inside(const Memory& from, const std::vector<ValueId>& start, const Piece& at, int64_t chunk);
    void copy_pieces(const Memory& to, const Memory& from, const std::vector<ValueId>& start, int64_t chunk,
                     bool whole);
    void copy_unaligned(const Memory& to, const Memory& from, const std::vector<ValueId>& start, int64_t chunk);
    void ring(OpId id);
    // thread_boxes.cpp
    void find_arrivals();
    ValueId mbarrier(ValueId arrivals, ValueId slot, int64_t which);
    struct Ring {
        ValueId arrivals;     // its buffer
        ValueId used;         // on the stack: the slot behind the last used one, and the phase of its next use
        ValueId slot, phase;  // the same where it was opened
    };
    struct Place {
        ValueId slot, phase;
    };
    void begin_rings();
    Ring& ring_of(ValueId arrivals);
    [[nodiscard]] int64_t slots_of(const Ring& ring) const;
    void open_ring(ValueId arrivals);
    void close_ring(OpId id);
    Place place(const Ring& ring, ValueId slot, ValueId phase);
    void slot_buffer(const Op& op);
    void ring_by_arrivals(OpId id);
    void copy_boxes(const Op& op);
    // thread_clusters.cpp
    struct Neighbour {
        ValueId there;    // the other block of the cluster runs a group, with as many rounds
        ValueId shares;   // and of the same rows, or columns
        ValueId told_by;  // i32: the block that this lane tells what has been read
    };
    [[nodiscard]] bool in_clusters() const { return producer_.has_value() && plan.gpu().cluster() > 1; }
    void begin_cluster();
    void cluster_barrier();
    void find_neighbour(const std::vector<Axis>& all, ValueId number, ValueId inside, ValueId high);
    void tell_cluster(ValueId mbarrier);
    void copy_half(const BoxHalves& boxes, Attrs attrs,
                   const std::function<void(ValueId, ValueId, const Attrs&)>& copy);
    void barrier(OpId id);
    [[nodiscard]] bool wait_may_be_later(OpId barrier) const;

    // Values flattened to registers: a small vector is its elements, a register tile this thread's elements of it.
    std::vector<ValueId> registers(ValueId old);
    std::vector<ValueId> registers_as(ValueId old, ValueId like);  // of a tile as another one has them
    void bind(ValueId old, const std::vector<ValueId>& made, size_t& at);
    [[nodiscard]] std::vector<Type> register_types(ValueId old) const;
    [[nodiscard]] bool is_flattened(ValueId old) const;

    const GpuMachine& machine_;
    std::optional<ThreadTiles> tiles_;   // where there are register tiles
    std::unordered_set<OpId> barriers_;  // before which one stands
    ValueId thread_, lane_, warp_;
    ValueId number_;  // in lanes: what messages are ordered by
    bool in_lanes_ = false;
    bool copies_ = false;    // some are asynchronous
    bool commits_ = false;   // the program groups them itself
    Role role_ = Role::all;  // of those that run the code at hand
    std::optional<ProducerPart> producer_;
    std::unordered_map<OpId, int64_t> places_;       // of buffers in shared memory
    ValueId rank_, blocks_;                          // in the cluster: this block's number; how many there are
    Neighbour neighbour_;                            // of the group at hand
    std::vector<Ring> rings_;                        // whose slots are waited for by arrivals
    std::unordered_map<ValueId, ValueId> arrivals_;  // of buffers of rings, where slots are waited for by them
    int64_t shared_bytes_ = 0;
    std::optional<int64_t> area_at_;  // where in shared memory warps exchange values: 8 bytes for each
};

}  // namespace tsr::ir
