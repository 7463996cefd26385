// The number of the greatest or least element along an axis: the first of equal ones, a NaN before all others.
#include "ir/ops/indexed.h"
#include "ir/passes/graph/axis_form.h"
#include "ir/passes/graph/fused_call.h"
#include "ir/passes/graph/indexed_code.h"
#include "ir/passes/graph/kernel_writer.h"

namespace tsr::ir {

namespace {

constexpr int64_t kIndexChunk = 16384, kIndexChunkTile = 1024;  // of the one row

class ReduceIndexKernels {
public:
    ReduceIndexKernels(const Function& fused, OpId id)
        : fused_(fused),
          op_(fused, id),
          elem_(fused.type(op_.value()).elem),
          type_(computed_type(elem_)),
          form_(axis_form(fused.type(op_.value()), op_.axis())) {}

    StepCode run() {
        std::optional<KernelSteps> on_gpu;
        StepCode code = code_by_rows(
            form_, [&](KernelSteps& steps) { by_lanes(steps); },
            [&](KernelSteps& steps) {
                by_chunks(steps, kRowTileOnCpu);
                by_chunks(on_gpu.emplace(), kIndexChunkTile);
            },
            [&](KernelSteps& steps) {
                by_groups(steps, kRowTileOnCpu);
                by_groups(on_gpu.emplace(), kRowTile);
            });
        if (on_gpu) code.on_gpu.push_back({std::move(*on_gpu), kAnyLength});
        code.not_empty = form_.length;
        return code;
    }

private:
    // The best so far, and its number.
    struct Best {
        ValueId value, number;
    };

    ValueId computed(Builder& b, ValueId value) const { return b.cast(value, type_); }

    ValueId better(Builder& b, ValueId value, ValueId best) const {
        const ValueId beats = op_.least() ? b.lt(value, best) : b.gt(value, best);
        if (!is_float(type_)) return beats;
        return b.bit_or(beats, b.bit_and(b.ne(value, value), b.eq(best, best)));
    }
    Best chosen(Builder& b, ValueId takes, const Best& next, const Best& best) const {
        return {b.select(takes, next.value, best.value), b.select(takes, next.number, best.number)};
    }

    // One after the other; `element` gives the value and the number at a position.
    Best in_turn(Builder& b, ValueId length, const std::function<Best(Builder&, ValueId)>& element) const {
        const Best first = element(b, b.index(0));
        const OpId loop = b.for_(b.index(1), length, b.index(1), {first.value, first.number}, {},
                                 [&](Builder& body, ValueId at, const Values& carried) {
                                     const Best best{carried[0], carried[1]}, next = element(body, at);
                                     const Best now = chosen(body, better(body, next.value, best.value), next, best);
                                     return Values{now.value, now.number};
                                 });
        const Op& made = b.function().op(loop);
        return {made.results[0], made.results[1]};
    }

    // Each lane goes along the axis.
    void by_lanes(KernelSteps& steps) const {
        KernelWriter kernel(fused_, false);
        const ValueId x = kernel.tensor(0, elem_, form_.shape(), false, "x");
        const ValueId y = kernel.tensor(1, DType::i64, {form_.outer, form_.inner}, true, "y");
        const ValueId length = kernel.extent(form_.length);
        kernel.grid({form_.outer, form_.inner}, [&](Builder& b, const Values& at) {
            const Best best = in_turn(b, length, [&](Builder& body, ValueId i) {
                return Best{computed(body, body.read(x, {at[0], i, at[1]})), i};
            });
            b.write(y, b.cast(best.number, DType::i64), {at[0], at[1]});
        });
        kernel.finish(steps);
    }

    // Positions `begin` … `end` of a row with register tiles: element i of a tile sees every width-th one.
    // `before`: the indices in front of the axis.
    Best of_row(Builder& b, ValueId x, const Values& before, ValueId begin, ValueId end, int64_t tile_width) const {
        const auto at = [&](ValueId i) {
            Values all = before;
            all.push_back(i);
            return all;
        };
        const ValueId first = b.read(x, at(begin));
        const ValueId width = b.index(tile_width);
        const ValueId whole =
            b.add(begin, b.mul(b.floordiv(b.sub(end, begin), width), width));  // where the last tile begins
        const auto step = [&](Builder& body, ValueId i, ValueId tile, const Best& best) {
            const ValueId piece = body.cast(body.floordiv(body.sub(i, begin), width), DType::i32);
            const ValueId value = computed(body, tile);
            return chosen(body, better(body, value, best.value), {value, repeated(body, piece, tile_width)}, best);
        };
        const ValueId start = repeated(b, computed(b, first), tile_width);
        const ValueId none = repeated(b, b.constant(0, DType::i32), tile_width);
        const OpId loop =
            b.for_(begin, whole, width, {start, none}, {}, [&](Builder& body, ValueId i, const Values& carried) {
                const Best now = step(body, i, load_row(body, x, at(i), tile_width), {carried[0], carried[1]});
                return Values{now.value, now.number};
            });
        Values sofar(b.function().op(loop).results.begin(), b.function().op(loop).results.end());
        const OpId rest = b.if_(
            b.lt(whole, end),
            [&](Builder& body) {
                // What is behind the end is the first element again, which beats nothing. The load does not know of
                // an end that is not the tensor's.
                const ValueId left = body.cast(body.sub(end, whole), DType::i32);
                const ValueId inside = body.lt(lane(body, tile_width), repeated(body, left, tile_width));
                const ValueId tile =
                    body.select(inside, load_row(body, x, at(whole), tile_width), repeated(body, first, tile_width));
                const Best now = step(body, whole, tile, {sofar[0], sofar[1]});
                return Values{now.value, now.number};
            },
            [&](Builder&) { return sofar; });
        const ValueId pieces = b.cast(b.function().op(rest).results[1], DType::i64);
        const ValueId numbers = b.add(b.mul(pieces, repeated(b, b.constant(tile_width, DType::i64), tile_width)),
                                      b.cast(lane(b, tile_width), DType::i64));
        const Best best = of_tile(b, {b.function().op(rest).results[0], numbers}, tile_width);
        return {best.value, b.add(best.number, b.cast(begin, DType::i64))};
    }

    static ValueId lane(Builder& b, int64_t width) {
        return b.value(OpKind::tile_iota, {},
                       {{Attr::shape, std::vector<Dim>{Dim::constant(width)}}, {Attr::axis, int64_t{0}}});
    }

    static ValueId reduced(Builder& b, ValueId tile, ReduceOp op) {
        return b.value(OpKind::reduce, {tile}, {{Attr::op, static_cast<int64_t>(op)}, {Attr::axis, int64_t{0}}});
    }

    // Of the lanes that have the best value the one with the smallest number.
    Best of_tile(Builder& b, const Best& lanes, int64_t width) const {
        const ValueId value = reduced(b, lanes.value, op_.least() ? ReduceOp::min : ReduceOp::max);
        ValueId has = b.eq(lanes.value, repeated(b, value, width));
        if (is_float(type_)) has = b.bit_or(has, b.ne(lanes.value, lanes.value));
        const ValueId none = repeated(b, b.constant(INT64_MAX, DType::i64), width);
        return {value, reduced(b, b.select(has, lanes.number, none), ReduceOp::min)};
    }

    // A thread block does a row.
    void by_groups(KernelSteps& steps, int64_t tile_width) const {
        KernelWriter kernel(fused_, true);
        const ValueId x = kernel.tensor(0, elem_, {form_.outer, form_.length}, false, "x");
        const ValueId y = kernel.tensor(1, DType::i64, {form_.outer}, true, "y");
        const ValueId length = kernel.extent(form_.length);
        kernel.grid({form_.outer}, [&](Builder& b, const Values& at) {
            b.write(y, of_row(b, x, {at[0]}, b.index(0), length, tile_width).number, {at[0]});
        });
        kernel.finish(steps);
    }

    // A thread block does a chunk of the one row, then one chooses among the chunks.
    void by_chunks(KernelSteps& steps, int64_t tile_width) const {
        const Dim chunks =
            Dim::floor_quotient(form_.length + Dim::constant(kIndexChunk - 1), Dim::constant(kIndexChunk));
        steps.temporaries = {Type::tensor(type_, {chunks}, true), Type::tensor(DType::i64, {chunks}, true)};
        KernelWriter parts(fused_, true);
        const ValueId x = parts.tensor(0, elem_, {form_.length}, false, "x");
        const ValueId values = parts.tensor(2, type_, {chunks}, true, "values");
        const ValueId numbers = parts.tensor(3, DType::i64, {chunks}, true, "numbers");
        const ValueId length = parts.extent(form_.length);
        parts.grid({chunks}, [&](Builder& b, const Values& at) {
            const ValueId chunk = b.index(kIndexChunk);
            const ValueId begin = b.mul(at[0], chunk);
            const Best best = of_row(b, x, {}, begin, b.minimum(b.add(begin, chunk), length), tile_width);
            b.write(values, best.value, {at[0]});
            b.write(numbers, best.number, {at[0]});
        });
        parts.finish(steps);
        KernelWriter total(fused_, true);
        const ValueId from = total.tensor(2, type_, {chunks}, false, "values");
        const ValueId number = total.tensor(3, DType::i64, {chunks}, false, "numbers");
        const ValueId y = total.tensor(1, DType::i64, {Dim::constant(1)}, true, "y");
        const ValueId count = total.extent(chunks);
        total.grid({Dim::constant(1)}, [&](Builder& b, const Values& at) {
            constexpr int64_t kWidth = kIndexChunkTile;
            const ValueId first = repeated(b, b.read(from, {b.index(0)}), kWidth);
            const ValueId its = repeated(b, b.read(number, {b.index(0)}), kWidth);
            const OpId loop =
                b.for_(b.index(0), count, b.index(kWidth), {first, its}, {},
                       [&](Builder& body, ValueId i, const Values& carried) {
                           // What is behind the end is the first one again.
                           const ValueId left = body.cast(body.sub(count, i), DType::i32);
                           const ValueId inside = body.lt(lane(body, kWidth), repeated(body, left, kWidth));
                           const ValueId value = body.select(inside, load_row(body, from, {i}, kWidth), first);
                           const Best best{carried[0], carried[1]};
                           const Best next{value, load_row(body, number, {i}, kWidth)};
                           const Best now = chosen(body, better(body, value, best.value), next, best);
                           return Values{now.value, now.number};
                       });
            const Op& made = b.function().op(loop);
            b.write(y, of_tile(b, {made.results[0], made.results[1]}, kWidth).number, {at[0]});
        });
        total.finish(steps);
    }

    const Function& fused_;
    ReduceIndexOp op_;
    DType elem_, type_;
    AxisForm form_;
};

}  // namespace

StepCode reduce_index_code(const Function& fused, OpId op) { return ReduceIndexKernels(fused, op).run(); }

}  // namespace tsr::ir
