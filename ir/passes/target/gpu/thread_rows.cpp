// A thread does several tiles whose accesses are not side by side. Of one axis: those of its number and as many further
// as the block has threads, so that neighbouring threads have neighbouring tiles.
//
// Loops over single elements of two or more axes: a thread does some elements below each other, at one place of the
// last axis. Neighbouring threads have neighbouring columns; what an element reads of the rows above and below is read
// once.
//
//     rows 0-3   thread 0 | thread 1 | ...      whole groups of rows first, over all columns and all outer axes
//     rows 4-7   ...
//     rows 8, 9  left over: element by element, by the threads behind
#include "ir/passes/target/gpu/thread_code.h"

namespace tsr::ir {

// Both at least 0, and known to be: no sign to look at. By a divisor of 0 it gives what nobody uses.
ThreadCode::Division ThreadCode::divide(ValueId number, ValueId divisor) {
    const ValueId above = emit.binary(OpKind::maximum, number, emit.integer(0));
    const ValueId by = emit.binary(OpKind::maximum, divisor, emit.integer(1));
    const ValueId quotient = emit.binary(OpKind::floordiv, above, by);
    return {quotient, emit.binary(OpKind::sub, above, emit.mul(quotient, by))};
}

// The round at these places along the axes.
void ThreadCode::round_at(const Op& op, const std::vector<Axis>& all, const std::vector<ValueId>& places,
                          ValueId number) {
    const auto& args = tile.region(op.regions[0]).args;
    for (size_t i = 0; i < all.size(); ++i) scalars[args[i]] = emit.add(all[i].lower, emit.mul(places[i], all[i].step));
    in_lanes(op.regions[0], number);
}

// Places along all axes but the last two, of their number.
void ThreadCode::place_outside(const std::vector<Axis>& all, ValueId number, std::vector<ValueId>& places) {
    for (size_t i = all.size() - 2; i-- > 0;) {
        if (i == 0) {
            places[0] = number;
        } else {
            const Division by = divide(number, all[i].count);
            places[i] = by.rest;
            number = by.quotient;
        }
    }
}

void ThreadCode::lanes_apart(const Op& op, const std::vector<Axis>& all, ValueId end) {
    const int64_t threads = plan.gpu().threads;
    const ValueId block = emit.mul(emit.op(OpKind::block_id, {}), emit.integer(plan.task));
    const ValueId begin = emit.add(emit.op(OpKind::task_begin, {}), block);
    const ValueId behind = emit.add(begin, emit.integer(plan.task));
    const ValueId first = emit.add(begin, thread_);
    emit.either(
        emit.compare(OpKind::le, behind, end),
        [&] {
            for (int64_t i = 0; i < plan.gpu().tiles_per_thread; ++i)
                round(op, all, emit.add(first, emit.integer(i * threads)));
        },
        [&] {
            const auto one = [&](ValueId number) { round(op, all, number); };
            counted_loop(first, emit.binary(OpKind::minimum, end, behind), threads, one, {{Attr::unroll, int64_t{1}}});
        });
}

void ThreadCode::lanes_in_rows(const Op& op, const std::vector<Axis>& all) {
    const size_t column = all.size() - 1, row = column - 1;
    const int64_t many = plan.gpu().tiles_per_thread;
    const ValueId block =
        emit.add(emit.binary(OpKind::floordiv, emit.op(OpKind::task_begin, {}), emit.integer(plan.task)),
                 emit.op(OpKind::block_id, {}));
    const ValueId number = emit.add(emit.mul(block, emit.integer(plan.gpu().threads)), thread_);
    const ValueId groups = emit.binary(OpKind::floordiv, all[row].count, emit.integer(many));
    ValueId whole = groups;
    for (size_t i = 0; i < all.size(); ++i) {
        if (i != row) whole = emit.mul(whole, all[i].count);
    }
    std::vector<ValueId> places(all.size());
    emit.either(
        emit.compare(OpKind::lt, number, whole),
        [&] {
            const Division by = divide(number, all[column].count);
            places[column] = by.rest;
            Division above{{}, by.quotient};
            if (row > 0) above = divide(by.quotient, groups);
            if (row > 0) place_outside(all, above.quotient, places);
            const ValueId first = emit.mul(above.rest, emit.integer(many));
            for (int64_t i = 0; i < many; ++i) {
                places[row] = emit.add(first, emit.integer(i));
                round_at(op, all, places, number);
            }
        },
        [&] {
            const ValueId left = emit.binary(OpKind::sub, rounds(all), emit.mul(whole, emit.integer(many)));
            const ValueId first = emit.mul(emit.binary(OpKind::sub, number, whole), emit.integer(many));
            const ValueId end = emit.binary(OpKind::minimum, emit.add(first, emit.integer(many)), left);
            const ValueId before = emit.mul(groups, emit.integer(many));
            const auto one = [&](ValueId element) {
                const Division by = divide(element, all[column].count);
                places[column] = by.rest;
                Division above{{}, by.quotient};
                if (row > 0) above = divide(by.quotient, emit.binary(OpKind::sub, all[row].count, before));
                if (row > 0) place_outside(all, above.quotient, places);
                places[row] = emit.add(before, above.rest);
                round_at(op, all, places, number);
            };
            counted_loop(first, end, 1, one, {{Attr::unroll, int64_t{1}}});
        });
}

}  // namespace tsr::ir
