// Loops over the lanes of a region.
#include <algorithm>

#include "ir/ops/element.h"
#include "ir/ops/memory.h"
#include "ir/passes/target/cpu/group_code.h"
#include "ir/passes/tile/walk.h"

namespace tsr::ir {

namespace {

// `value` as another and a constant.
std::pair<ValueId, int64_t> without_constant(const Function& function, ValueId value) {
    const OpId id = function.value(value).op;
    if (!id.valid()) return {value, 0};
    const Op& op = function.op(id);
    if (op.kind != OpKind::add && op.kind != OpKind::sub) return {value, 0};
    const BinaryOp sum(function, id);
    const ValueId left = sum.lhs(), right = sum.rhs();
    if (const auto constant = constant_integer(function, right)) {
        const auto [base, more] = without_constant(function, left);
        return {base, op.kind == OpKind::add ? more + *constant : more - *constant};
    }
    if (op.kind == OpKind::sub || !constant_integer(function, left)) return {value, 0};
    const auto [base, more] = without_constant(function, right);
    return {base, more + *constant_integer(function, left)};
}

}  // namespace

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

// How many rounds from `first` on come before the first whose element of the first tensor that is written to stands
// where a vector of its memory begins; nothing where that is so from round 0 on. A vector that lies across two lines of
// a cache costs twice as much to store and to load, and rows of images are often as long as whole vectors and written
// from their second element on.
std::optional<ValueId> GroupCode::rounds_to_aligned(const Lanes& lanes, ValueId first,
                                                    const std::vector<Wrapped>& wrapped) {
    const Region& region = s_.tile.region(lanes.op.regions[0]);
    for (OpId id : region.ops) {
        if (s_.tile.op(id).kind != OpKind::write) continue;
        const WriteOp write(s_.tile, id);
        const Memory& memory = s_.memories.at(write.memory());
        if (memory.packed || emit_.integer_value(lanes.axis.step) != 1) return std::nullopt;
        const auto [column, offset] = without_constant(s_.tile, write.indices().back());
        ValueId at;
        if (column == region.args.back()) at = lanes.axis.lower;
        for (const Wrapped& w : wrapped) {
            if (w.changes && w.result == column) at = w.scalar;
        }
        if (!at.valid()) return std::nullopt;
        const auto known = emit_.integer_value(at);
        if (known && (*known + offset) % s_.lanes() == 0) return std::nullopt;
        if (!known && offset % s_.lanes() == 0) return std::nullopt;
        auto behind_vectors = [&](ValueId number) {
            return emit_.binary(OpKind::bit_and, number, emit_.integer(s_.lanes() - 1));
        };
        at = emit_.add(emit_.add(at, emit_.integer(offset)), first);
        const ValueId rounds = behind_vectors(emit_.binary(OpKind::sub, emit_.integer(0), at));
        if (memory.dims.size() == 1) return rounds;
        const ValueId whole = emit_.compare(OpKind::eq, behind_vectors(memory.dims.back()), emit_.integer(0));
        return emit_.select(whole, rounds, emit_.integer(0));
    }
    return std::nullopt;
}

// To tensors that are written whole vector behind whole vector, and that the kernel does nothing else with; the runtime
// knows which are larger than caches, and whether the vectors begin at lines.
GroupCode::PastCaches GroupCode::past_caches(const Lanes& lanes, ValueId first) {
    const Region& region = s_.tile.region(lanes.op.regions[0]);
    const bool by_tile = s_.tile.kernel.flat || s_.tile.kernel.elements;
    PastCaches out{{}, emit_.boolean(true)};
    if (!by_tile || !lanes.outer.empty() || !is_small(lanes.op.regions[0]) || emit_.integer_value(lanes.axis.step) != 1)
        return {};
    for (OpId id : region.ops) {
        if (s_.tile.op(id).kind != OpKind::write) continue;
        const WriteOp write(s_.tile, id);
        const Memory& memory = s_.memories.at(write.memory());
        const Type& type = s_.tile.type(write.memory());
        const ValueSpan indices = write.indices();
        if (type.kind != TypeKind::tensor || memory.packed || type.elem == DType::boolean || indices.empty() ||
            s_.lanes() * bits(type.elem) % 128 != 0 || indices.back() != region.args.back())
            continue;
        int64_t uses = 0;
        walk(s_.tile, s_.tile.body,
             [&](OpId user) { uses += std::ranges::count(s_.tile.op(user).operands, write.memory()); });
        if (uses != 1 || indices.size() != 1) continue;
        const ValueId begin = s_.address(memory, {emit_.add(lanes.axis.lower, first)});
        const ValueId bytes = emit_.mul(memory.dims[0], emit_.integer(bits(type.elem) / 8));
        const ValueId answer =
            emit_.runtime("tsr_passes_caches", {begin, emit_.integer(0), bytes}, Type::scalar(DType::i32));
        const ValueId passes = emit_.compare(OpKind::ne, answer, emit_.integer(0, DType::i32));
        out.shall = emit_.binary(OpKind::bit_and, out.shall, passes);
        out.writes.push_back(id);
    }
    return out;
}

// Rounds before the first aligned vector under a mask. Whole bundles of vectors without a mask, then single vectors
// under the mask of what is left. Of a small region whole vectors are done without a mask as far as they go: masked
// stores are slow on some processors (Zen 1 to 3).
void GroupCode::vectors(const Lanes& lanes, ValueId first, ValueId last, const std::vector<Wrapped>& wrapped) {
    int64_t width = s_.lanes();
    if (width == 1) {
        return counted_loop(first, last, 1, [&](ValueId round) { vector_body(lanes, round, 1, {}, wrapped); });
    }
    int64_t bundle = width * s_.plan.cpu().interleave;
    auto from = emit_.integer_value(first);
    auto to = emit_.integer_value(last);
    bool whole = from && to && (*to - *from) % bundle == 0;
    const bool by_tile = s_.tile.kernel.flat || s_.tile.kernel.elements;
    if (!whole && by_tile && is_small(lanes.op.regions[0])) {
        if (const auto rounds = rounds_to_aligned(lanes, first, wrapped)) {
            const ValueId aligned = emit_.binary(OpKind::minimum, emit_.add(first, *rounds), last);
            counted_loop(first, aligned, width, [&](ValueId round) {
                const ValueId limit =
                    emit_.splat(emit_.cast(emit_.binary(OpKind::sub, aligned, round), DType::i32), width);
                vector_body(lanes, round, 1, {emit_.compare(OpKind::lt, emit_.iota(width, DType::i32), limit)},
                            wrapped);
            });
            first = emit_.binary(OpKind::maximum, first, aligned);
        }
    }
    ValueId middle = last;
    if (!whole) {
        ValueId length = emit_.binary(OpKind::maximum, emit_.binary(OpKind::sub, last, first), emit_.integer(0));
        middle = emit_.binary(OpKind::sub, emit_.add(first, length),
                              emit_.binary(OpKind::mod, length, emit_.integer(bundle)));
    }
    const auto bundles = [&](const std::vector<OpId>& past_caches) {
        counted_loop(first, middle, bundle, [&](ValueId round) {
            vector_body(lanes, round, s_.plan.cpu().interleave, {}, wrapped, past_caches);
        });
    };
    const PastCaches past = wrapped.empty() && !(from && to) ? past_caches(lanes, first) : PastCaches{};
    if (past.writes.empty())
        bundles({});
    else
        emit_.either(past.shall, [&] { bundles(past.writes); }, [&] { bundles({}); });
    if (whole) return;
    if (bundle > width && is_small(lanes.op.regions[0])) {
        ValueId left = emit_.binary(OpKind::sub, last, middle);
        ValueId tail = emit_.binary(OpKind::sub, last, emit_.binary(OpKind::mod, left, emit_.integer(width)));
        counted_loop(middle, tail, width, [&](ValueId round) { vector_body(lanes, round, 1, {}, wrapped); });
        middle = emit_.binary(OpKind::maximum, middle, tail);
    }
    // The last vector ends where the rounds end, rather than that it begins where the one before ends: what lies behind
    // the end, which the mask leaves out, is often on a page of its own. What lives in arrays of all tiles is stored
    // without a mask, and would be overwritten.
    const ValueId end = emit_.binary(OpKind::maximum, first, emit_.binary(OpKind::sub, last, emit_.integer(width)));
    counted_loop(middle, last, width, [&](ValueId round) {
        const ValueId start = by_tile ? emit_.binary(OpKind::minimum, round, end) : round;
        auto lanes_before = [&](ValueId bound) {
            ValueId count =
                emit_.binary(OpKind::minimum, emit_.binary(OpKind::sub, bound, start), emit_.integer(width));
            ValueId limit = emit_.splat(emit_.cast(count, DType::i32), width);
            return emit_.compare(OpKind::lt, emit_.iota(width, DType::i32), limit);
        };
        ValueId mask = lanes_before(last);
        if (by_tile) {
            ValueId done = emit_.splat(emit_.cast(emit_.binary(OpKind::sub, round, start), DType::i32), width);
            mask = emit_.binary(OpKind::bit_and, mask, emit_.compare(OpKind::ge, emit_.iota(width, DType::i32), done));
        }
        vector_body(lanes, start, 1, {mask}, wrapped);
    });
}

void GroupCode::vector_body(const Lanes& over, ValueId round, int64_t copies, const std::vector<ValueId>& mask,
                            const std::vector<Wrapped>& wrapped, const std::vector<OpId>& past_caches) {
    const auto& [op, axis, outer, before] = over;
    RegionId region = op.regions[0];
    const auto& args = s_.tile.region(region).args;
    LaneCode code(s_, s_.lanes(), copies, mask);
    code.use_arrays_at(round);
    code.pass_caches(past_caches);
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
