// What a thread does with each operation that is neither an element operation nor one on register tiles: one row for
// each, for the level of the group and for lanes regions.
#include "ir/core/total.h"
#include "ir/ops/tile.h"
#include "ir/passes/target/gpu/thread_code.h"
#include "ir/passes/target/handler.h"

namespace tsr::ir {

void ThreadCode::statement(OpId id) {
    struct Handlers {
        OpKind kind;
        Handler<ThreadCode> in_group,
            in_lanes;  // on the level of the group; in a lanes region, for one tile or round
    };
    static constexpr Handlers kThreadHandlers[]{
        {OpKind::constant, &ThreadCode::scalar, &ThreadCode::scalar},
        {OpKind::yield, &ThreadCode::elsewhere, &ThreadCode::elsewhere},  // by what the region belongs to
        {OpKind::for_, &ThreadCode::control, &ThreadCode::control},
        {OpKind::while_, &ThreadCode::control, &ThreadCode::control},
        {OpKind::if_, &ThreadCode::control, &ThreadCode::control},
        {OpKind::call, &ThreadCode::elsewhere, &ThreadCode::elsewhere},
        {OpKind::dim, &ThreadCode::scalar, &ThreadCode::scalar},
        {OpKind::print, &ThreadCode::group_print, &ThreadCode::lane_message},
        {OpKind::assert_, &ThreadCode::group_assert, &ThreadCode::lane_message},
        {OpKind::read, &ThreadCode::scalar, &ThreadCode::scalar},
        {OpKind::write, &ThreadCode::by_first_thread, &ThreadCode::scalar},
        {OpKind::read_vector, &ThreadCode::scalar, &ThreadCode::scalar},
        {OpKind::write_vector, &ThreadCode::by_first_thread, &ThreadCode::scalar},
        {OpKind::vector_extract, &ThreadCode::scalar, &ThreadCode::scalar},
        {OpKind::vector_build, &ThreadCode::scalar, &ThreadCode::scalar},
        {OpKind::tile_id, &ThreadCode::elsewhere, &ThreadCode::elsewhere},  // arguments of `lanes` by now
        {OpKind::lane_id, &ThreadCode::elsewhere, &ThreadCode::elsewhere},
        {OpKind::group_id, &ThreadCode::scalar, &ThreadCode::scalar},
        {OpKind::group_size, &ThreadCode::scalar, &ThreadCode::scalar},
        {OpKind::group_count, &ThreadCode::scalar, &ThreadCode::scalar},
        {OpKind::buffer, &ThreadCode::buffer, &ThreadCode::elsewhere},
        {OpKind::stage, &ThreadCode::buffer_stage, &ThreadCode::scalar},
        {OpKind::atomic, &ThreadCode::group_atomic, &ThreadCode::lane_atomic},
        {OpKind::copy_async, &ThreadCode::copy, &ThreadCode::elsewhere},
        {OpKind::commit, &ThreadCode::commit, &ThreadCode::elsewhere},
        {OpKind::wait_group, &ThreadCode::wait_group, &ThreadCode::elsewhere},
        {OpKind::barrier, &ThreadCode::barrier, &ThreadCode::elsewhere},
        {OpKind::acquire, &ThreadCode::ring, &ThreadCode::elsewhere},
        {OpKind::fill, &ThreadCode::ring, &ThreadCode::elsewhere},
        {OpKind::take, &ThreadCode::ring, &ThreadCode::elsewhere},
        {OpKind::release, &ThreadCode::ring, &ThreadCode::elsewhere},
        {OpKind::group_reduce, &ThreadCode::group_reduce, &ThreadCode::elsewhere},
        {OpKind::group_scan, &ThreadCode::group_scan, &ThreadCode::elsewhere},
        {OpKind::shuffle, &ThreadCode::shuffle_value, &ThreadCode::elsewhere},
        {OpKind::broadcast, &ThreadCode::shuffle_value, &ThreadCode::elsewhere},
        {OpKind::ballot, &ThreadCode::ballot, &ThreadCode::elsewhere},
        {OpKind::buffer_reduce, &ThreadCode::scalar, &ThreadCode::scalar},
        {OpKind::grid, &ThreadCode::grid, &ThreadCode::elsewhere},
        {OpKind::lanes, &ThreadCode::lanes, &ThreadCode::elsewhere},
        {OpKind::lane_read, &ThreadCode::lane_read, &ThreadCode::lane_read},
        {OpKind::result, &ThreadCode::result, &ThreadCode::elsewhere},
    };
    static constexpr Total<kThreadHandlers, kControlFamily, kMemoryFamily, kTileFamily> kHandlers;
    const Handlers& handlers = kHandlers[tile.op(id).kind];
    (in_lanes_ ? handlers.in_lanes : handlers.in_group)(*this, tile, id);
}

void ThreadCode::scalar(const Op& op) {
    if (!scalar_operation(op)) elsewhere(op);
}

void ThreadCode::elsewhere(const Op& op) {
    internal_error("a thread of a GPU does not do '" + std::string(name(op.kind)) + "'");
}

void ThreadCode::by_first_thread(const Op& op) {
    first_thread([&] { scalar(op); });
}

void ThreadCode::group_print(const Op& op) {
    first_thread([&] { message(op, group); });
}

void ThreadCode::group_assert(const Op& op) { message(op, group); }

void ThreadCode::lane_message(const Op& op) { message(op, number_); }

void ThreadCode::buffer_stage(const Op& op) {
    arrivals_.contains(StageOp(tile, op).buffer()) ? slot_buffer(op) : scalar(op);
}

void ThreadCode::lane_read(const Op& op) {
    const ValueId array = LaneReadOp(tile, op).array();
    if (parts.contains(array)) {
        parts[op.results[0]] = parts.at(array);
    } else {
        scalars[op.results[0]] = scalars.at(array);
    }
}

void ThreadCode::lane_atomic(const Op& op) {
    const ValueId old = atomic_rmw(op);
    if (!op.results.empty()) scalars[op.results[0]] = old;
}

}  // namespace tsr::ir
