// Scans along an axis. A long row is done in chunks: the sums of all chunks, what stands before each, then each chunk
// from there on.
#include "ir/law/reduction.h"
#include "ir/ops/reduction.h"
#include "ir/ops/register.h"
#include "ir/passes/graph/axis_form.h"
#include "ir/passes/graph/fused_call.h"
#include "ir/passes/graph/indexed_code.h"
#include "ir/passes/graph/kernel_writer.h"

namespace tsr::ir {

namespace {

constexpr int64_t kScanTile = 512;

class ScanKernels {
public:
    ScanKernels(const Function& fused, OpId id)
        : fused_(fused),
          op_(fused, id),
          elem_(fused.type(op_.value()).elem),
          reverse_(op_.attrs().has(Attr::reverse)),
          form_(axis_form(fused.type(op_.value()), static_cast<size_t>(op_.axis()))) {}

    StepCode run() {
        return code_by_rows(
            form_, [&](KernelSteps& steps) { by_lanes(steps); }, [&](KernelSteps& steps) { by_chunks(steps); },
            [&](KernelSteps& steps) { by_groups(steps); });
    }

private:
    ValueId combined(Builder& b, ValueId x, ValueId y) const { return b.element(combining(op_.what()), {x, y}); }
    ValueId start(Builder& b) const {
        return b.value(OpKind::constant, {}, {{Attr::value, reduction_start(op_.what(), elem_)}, {Attr::type, elem_}});
    }

    // Positions `begin` … `end` one after the other, or from the end: `at` gives the indices of a position.
    ValueId in_turn(Builder& b, ValueId x, ValueId y, ValueId begin, ValueId end, ValueId from,
                    const std::function<Values(ValueId)>& at) const {
        const OpId loop =
            b.for_(begin, end, b.index(1), {from}, {}, [&](Builder& body, ValueId i, const Values& carried) {
                // The last one first: begin + (end - 1 - i).
                const ValueId place = reverse_ ? body.add(begin, body.sub(body.sub(end, body.index(1)), i)) : i;
                const ValueId sum = combined(body, carried[0], body.read(x, at(place)));
                body.write(y, sum, at(place));
                return Values{sum};
            });
        return b.function().op(loop).results[0];
    }

    void by_lanes(KernelSteps& steps) const {
        KernelWriter kernel(fused_, false);
        const ValueId x = kernel.tensor(0, elem_, form_.shape(), false, "x");
        const ValueId y = kernel.tensor(1, elem_, form_.shape(), true, "y");
        const ValueId length = kernel.extent(form_.length);
        kernel.grid({form_.outer, form_.inner}, [&](Builder& b, const Values& at) {
            in_turn(b, x, y, b.index(0), length, start(b), [&](ValueId i) { return Values{at[0], i, at[1]}; });
        });
        kernel.finish(steps);
    }

    // A part of a row in register tiles; from the end one element after the other.
    void row(Builder& b, ValueId x, ValueId y, const Values& before, ValueId begin, ValueId end, ValueId from) const {
        const auto at = [&](ValueId i) {
            Values all = before;
            all.push_back(i);
            return all;
        };
        if (reverse_) {
            in_turn(b, x, y, begin, end, from, at);
            return;
        }
        const ValueId width = b.index(kScanTile), one = b.index(1);
        const ValueId whole = b.add(begin, b.mul(b.floordiv(b.sub(end, begin), width), width));
        const OpId tiles = b.for_(begin, whole, width, {from}, {}, [&](Builder& body, ValueId i, const Values& sum) {
            const ValueId scanned =
                body.value(OpKind::scan, {load_row(body, x, at(i), kScanTile)},
                           {{Attr::op, static_cast<int64_t>(op_.what())}, {Attr::axis, int64_t{0}}});
            store_row(body, y, combined(body, repeated(body, sum[0], kScanTile), scanned), at(i));
            return Values{body.read(y, at(body.sub(body.add(i, width), one)))};
        });
        in_turn(b, x, y, whole, end, b.function().op(tiles).results[0], at);
    }

    void by_groups(KernelSteps& steps) const {
        KernelWriter kernel(fused_, true);
        const ValueId x = kernel.tensor(0, elem_, {form_.outer, form_.length}, false, "x");
        const ValueId y = kernel.tensor(1, elem_, {form_.outer, form_.length}, true, "y");
        const ValueId length = kernel.extent(form_.length);
        kernel.grid({form_.outer},
                    [&](Builder& b, const Values& at) { row(b, x, y, {at[0]}, b.index(0), length, start(b)); });
        kernel.finish(steps);
    }

    // ---- one row ----
    struct Chunk {
        ValueId begin, end;
    };
    static Chunk chunk(Builder& b, ValueId number, ValueId length) {
        const ValueId size = b.index(kChunk), begin = b.mul(number, size);
        return {begin, b.minimum(b.add(begin, size), length)};
    }

    void by_chunks(KernelSteps& steps) const {
        const Dim chunks = Dim::floor_quotient(form_.length + Dim::constant(kChunk - 1), Dim::constant(kChunk));
        steps.temporaries = {Type::tensor(elem_, {chunks}, true), Type::tensor(elem_, {chunks}, true)};
        sums_of_chunks(steps, chunks);
        sums_before_chunks(steps, chunks);
        each_chunk(steps, chunks);
    }

    void sums_of_chunks(KernelSteps& steps, const Dim& chunks) const {
        KernelWriter kernel(fused_, true);
        const ValueId x = kernel.tensor(0, elem_, {form_.length}, false, "x");
        const ValueId sums = kernel.tensor(2, elem_, {chunks}, true, "sums");
        const ValueId length = kernel.extent(form_.length);
        kernel.grid({chunks}, [&](Builder& b, const Values& at) {
            const Chunk part = chunk(b, at[0], length);
            const ValueId width = b.index(kScanTile);
            const ValueId whole = b.mul(b.floordiv(b.sub(part.end, part.begin), width), width);
            const OpId tiles = b.for_(part.begin, b.add(part.begin, whole), width, {repeated(b, start(b), kScanTile)},
                                      {}, [&](Builder& body, ValueId i, const Values& sum) {
                                          return Values{combined(body, sum[0], load_row(body, x, {i}, kScanTile))};
                                      });
            const ValueId of_tiles = b.value(OpKind::reduce, {b.function().op(tiles).results[0]},
                                             {{Attr::op, static_cast<int64_t>(op_.what())}, {Attr::axis, int64_t{0}}});
            const OpId rest = b.for_(b.add(part.begin, whole), part.end, b.index(1), {of_tiles}, {},
                                     [&](Builder& body, ValueId i, const Values& sum) {
                                         return Values{combined(body, sum[0], body.read(x, {i}))};
                                     });
            b.write(sums, b.function().op(rest).results[0], {at[0]});
        });
        kernel.finish(steps);
    }

    void sums_before_chunks(KernelSteps& steps, const Dim& chunks) const {
        KernelWriter kernel(fused_, false);
        const ValueId sums = kernel.tensor(2, elem_, {chunks}, false, "sums");
        const ValueId before = kernel.tensor(3, elem_, {chunks}, true, "before");
        const ValueId count = kernel.extent(chunks);
        kernel.grid({Dim::constant(1)}, [&](Builder& b, const Values&) {
            b.for_(b.index(0), count, b.index(1), {start(b)}, {}, [&](Builder& body, ValueId i, const Values& sum) {
                const ValueId place = reverse_ ? body.sub(body.sub(count, body.index(1)), i) : i;
                body.write(before, sum[0], {place});
                return Values{combined(body, sum[0], body.read(sums, {place}))};
            });
        });
        kernel.finish(steps);
    }

    void each_chunk(KernelSteps& steps, const Dim& chunks) const {
        KernelWriter kernel(fused_, true);
        const ValueId x = kernel.tensor(0, elem_, {form_.length}, false, "x");
        const ValueId before = kernel.tensor(3, elem_, {chunks}, false, "before");
        const ValueId y = kernel.tensor(1, elem_, {form_.length}, true, "y");
        const ValueId length = kernel.extent(form_.length);
        kernel.grid({chunks}, [&](Builder& b, const Values& at) {
            const Chunk part = chunk(b, at[0], length);
            row(b, x, y, {}, part.begin, part.end, b.read(before, {at[0]}));
        });
        kernel.finish(steps);
    }

    const Function& fused_;
    AlongOp op_;
    DType elem_;
    bool reverse_;
    AxisForm form_;
};

}  // namespace

StepCode scan_code(const Function& fused, OpId op) { return ScanKernels(fused, op).run(); }

}  // namespace tsr::ir
