// Loops over the lanes of a region.
#include "ir/passes/target/cpu/group_code.h"
#include "ir/passes/tile/walk.h"

namespace tsr::ir {

void GroupCode::lanes(const Op& op) {
    switch (static_cast<LanesOver>(op.attrs.integer(Attr::over))) {
        case LanesOver::tiles:
            return lanes_over_tiles(op);
        case LanesOver::loop: {
            ValueId total = emit_.integer(1);
            for (const Axis& axis : axes(op)) total = emit_.mul(total, axis.count);
            return lanes_over_rounds(op, emit_.integer(0), total, false);
        }
        case LanesOver::domain: {
            auto end = [&](OpKind kind) { return emit_.op(kind, {}); };
            return lanes_over_rounds(op, end(OpKind::task_begin), end(OpKind::task_end), true);
        }
    }
}

void GroupCode::lanes_over_tiles(const Op& op) {
    for (ValueId result : op.results) s_.arrays[result] = new_array(s_.tile.type(result));
    Axis axis{emit_.integer(0), emit_.integer(1), emit_.integer(s_.tile.kernel.group_size())};
    vector_loop(op, axis, {}, axis.lower, axis.count);
}

// Rounds `begin` to `end` of all, the last axis fastest. A task may begin and end inside a row.
void GroupCode::lanes_over_rounds(const Op& op, ValueId begin, ValueId end, bool partial) {
    std::vector<Axis> all = axes(op);
    Axis last = all.back();
    if (all.size() == 1) {
        return vector_loop(op, last, {}, begin, partial ? emit_.binary(OpKind::minimum, end, last.count) : end);
    }
    when(emit_.compare(OpKind::lt, begin, end), [&] {
        ValueId first_row = emit_.binary(OpKind::floordiv, begin, last.count);
        ValueId rows =
            emit_.add(emit_.binary(OpKind::floordiv, emit_.binary(OpKind::sub, end, emit_.integer(1)), last.count),
                      emit_.integer(1));
        counted_loop(first_row, rows, 1, [&](ValueId row) {
            std::vector<ValueId> outer(all.size() - 1);
            ValueId rest = row;
            for (size_t i = all.size() - 1; i-- > 0;) {
                ValueId number = i == 0 ? rest : emit_.binary(OpKind::mod, rest, all[i].count);
                if (i > 0) rest = emit_.binary(OpKind::floordiv, rest, all[i].count);
                outer[i] = emit_.add(all[i].lower, emit_.mul(number, all[i].step));
            }
            ValueId start = emit_.mul(row, last.count);
            ValueId from = emit_.integer(0);
            ValueId to = last.count;
            if (partial) {
                from = emit_.binary(OpKind::maximum, emit_.binary(OpKind::sub, begin, start), from);
                to = emit_.binary(OpKind::minimum, emit_.binary(OpKind::sub, end, start), to);
            }
            vector_loop(op, last, outer, from, to, start);
        });
    });
}

void GroupCode::vector_loop(const Op& op, const Axis& axis, const std::vector<ValueId>& outer, ValueId first,
                            ValueId last, ValueId before) {
    const Lanes lanes{op, axis, outer, before};
    if (!in_segments(lanes, first, last)) vectors(lanes, first, last, {});
}

// One copy more of it is little code.
bool GroupCode::is_small(RegionId region) const {
    constexpr int64_t kSmall = 48;
    int64_t operations = 0;
    walk(s_.tile, region, [&](OpId) { ++operations; });
    return operations <= kSmall;
}

// Whole bundles of vectors without a mask, then single vectors under the mask of what is left. Of a small region whole
// vectors are done without a mask as far as they go: masked stores are slow on some processors (Zen 1 to 3).
void GroupCode::vectors(const Lanes& lanes, ValueId first, ValueId last, const std::vector<Wrapped>& wrapped) {
    int64_t width = s_.lanes();
    if (width == 1) {
        return counted_loop(first, last, 1, [&](ValueId round) { vector_body(lanes, round, 1, {}, wrapped); });
    }
    int64_t bundle = width * s_.plan.cpu().interleave;
    auto from = emit_.integer_value(first);
    auto to = emit_.integer_value(last);
    bool whole = from && to && (*to - *from) % bundle == 0;
    ValueId middle = last;
    if (!whole) {
        ValueId length = emit_.binary(OpKind::maximum, emit_.binary(OpKind::sub, last, first), emit_.integer(0));
        middle = emit_.binary(OpKind::sub, emit_.add(first, length),
                              emit_.binary(OpKind::mod, length, emit_.integer(bundle)));
    }
    counted_loop(first, middle, bundle,
                 [&](ValueId round) { vector_body(lanes, round, s_.plan.cpu().interleave, {}, wrapped); });
    if (whole) return;
    if (bundle > width && is_small(lanes.op.regions[0])) {
        ValueId left = emit_.binary(OpKind::sub, last, middle);
        ValueId tail = emit_.binary(OpKind::sub, last, emit_.binary(OpKind::mod, left, emit_.integer(width)));
        counted_loop(middle, tail, width, [&](ValueId round) { vector_body(lanes, round, 1, {}, wrapped); });
        middle = emit_.binary(OpKind::maximum, middle, tail);
    }
    counted_loop(middle, last, width, [&](ValueId round) {
        ValueId left = emit_.binary(OpKind::minimum, emit_.binary(OpKind::sub, last, round), emit_.integer(width));
        ValueId limit = emit_.splat(emit_.cast(left, DType::i32), width);
        vector_body(lanes, round, 1, {emit_.compare(OpKind::lt, emit_.iota(width, DType::i32), limit)}, wrapped);
    });
}

void GroupCode::vector_body(const Lanes& over, ValueId round, int64_t copies, const std::vector<ValueId>& mask,
                            const std::vector<Wrapped>& wrapped) {
    const auto& [op, axis, outer, before] = over;
    RegionId region = op.regions[0];
    const auto& args = s_.tile.region(region).args;
    LaneCode code(s_, s_.lanes(), copies, mask);
    code.use_arrays_at(round);
    bool by_tile = s_.tile.kernel.flat || s_.tile.kernel.elements;
    bool single = s_.lanes() == 1;
    ValueId number = before.valid() ? emit_.add(before, round) : round;
    code.number_messages(by_tile ? LaneCode::affine(number, 1) : LaneCode::uniform(s_.group));
    for (size_t i = 0; i < outer.size(); ++i) code.set(args[i], LaneCode::uniform(outer[i]));
    ValueId index = emit_.add(axis.lower, emit_.mul(round, axis.step));
    if (single) {
        code.set(args.back(), LaneCode::uniform(index));
    } else if (auto step = emit_.integer_value(axis.step); step && std::abs(*step) < (1 << 20)) {
        code.set(args.back(), LaneCode::affine(index, *step));
    } else {
        std::vector<ValueId> copies_of_index;
        ValueId lanes =
            emit_.binary(OpKind::mul, emit_.iota(s_.lanes(), DType::index), emit_.splat(axis.step, s_.lanes()));
        for (int64_t copy = 0; copy < copies; ++copy) {
            ValueId base = emit_.add(index, emit_.mul(axis.step, emit_.integer(copy * s_.lanes())));
            copies_of_index.push_back(emit_.binary(OpKind::add, emit_.splat(base, s_.lanes()), lanes));
        }
        code.set(args.back(), LaneCode::of(copies_of_index));
    }
    for (const Wrapped& w : wrapped) {
        const ValueId value = w.changes ? emit_.add(round, w.scalar) : w.scalar;
        code.give(w.result, w.changes && !single ? LaneCode::affine(value, 1) : LaneCode::uniform(value));
    }
    code.run(region);
    code.store_arrays(op.results, s_.yielded(region));
}

}  // namespace tsr::ir
