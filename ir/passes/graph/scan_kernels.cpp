// Scans along an axis. A long row is done in chunks, each one register tile: the sums of all chunks, what stands before
// each, then each chunk from there on.
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
constexpr int64_t kScanChunk = 2048;   // of the one row
constexpr int64_t kSumsTile = 4096;    // sums of chunks that are scanned at once
constexpr int64_t kSumsThreads = 512;  // by so many threads

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

    // ---- register tiles ----
    [[nodiscard]] Attrs along() const {
        return {{Attr::op, static_cast<int64_t>(op_.what())}, {Attr::axis, int64_t{0}}};
    }
    ValueId turned(Builder& b, ValueId tile) const {
        return reverse_ ? b.value(OpKind::flip, {tile}, {{Attr::axis, int64_t{0}}}) : tile;
    }
    // A tile of a row; what stands behind the row's end changes nothing.
    ValueId loaded(Builder& b, ValueId x, const Values& at, int64_t width) const {
        return load_row(b, x, at, width, start(b));
    }
    // What a tile is scanned to behind `before`, in the order in which the scan goes.
    ValueId scanned(Builder& b, ValueId tile, ValueId before, int64_t width) const {
        return combined(b, repeated(b, before, width), b.value(OpKind::scan, {turned(b, tile)}, along()));
    }
    // The last element of a scanned tile: the others are as if they were not there.
    ValueId last_of(Builder& b, ValueId tile, int64_t width) const {
        const ValueId number = b.value(
            OpKind::tile_iota, {}, {{Attr::shape, std::vector<Dim>{Dim::constant(width)}}, {Attr::axis, int64_t{0}}});
        const ValueId is_last = b.eq(number, repeated(b, b.constant(width - 1, DType::i32), width));
        return b.value(OpKind::reduce, {b.select(is_last, tile, repeated(b, start(b), width))}, along());
    }
    static ValueId tiles_of(Builder& b, ValueId length, int64_t width) {
        return b.floordiv(b.add(length, b.index(width - 1)), b.index(width));
    }
    // Counted from the end of what is scanned last, where the scan goes backward.
    ValueId in_order(Builder& b, ValueId number, ValueId count) const {
        return reverse_ ? b.sub(b.sub(count, b.index(1)), number) : number;
    }

    void by_groups(KernelSteps& steps) const {
        KernelWriter kernel(fused_, true);
        const ValueId x = kernel.tensor(0, elem_, {form_.outer, form_.length}, false, "x");
        const ValueId y = kernel.tensor(1, elem_, {form_.outer, form_.length}, true, "y");
        const ValueId length = kernel.extent(form_.length);
        kernel.grid({form_.outer}, [&](Builder& b, const Values& at) {
            const ValueId count = tiles_of(b, length, kScanTile);
            b.for_(b.index(0), count, b.index(1), {start(b)}, {},
                   [&](Builder& body, ValueId number, const Values& before) {
                       const ValueId first = body.mul(in_order(body, number, count), body.index(kScanTile));
                       const Values here{at[0], first};
                       const ValueId sums = scanned(body, loaded(body, x, here, kScanTile), before[0], kScanTile);
                       store_row(body, y, turned(body, sums), here);
                       return Values{last_of(body, sums, kScanTile)};
                   });
        });
        kernel.finish(steps);
    }

    // ---- one row ----
    void by_chunks(KernelSteps& steps) const {
        const Dim chunks = Dim::floor_quotient(form_.length + Dim::constant(kScanChunk - 1), Dim::constant(kScanChunk));
        steps.temporaries = {Type::tensor(elem_, {chunks}, true)};
        sums_of_chunks(steps, chunks);
        sums_through_chunks(steps, chunks);
        each_chunk(steps, chunks);
    }

    // In the order of the scan.
    void sums_of_chunks(KernelSteps& steps, const Dim& chunks) const {
        KernelWriter kernel(fused_, true);
        const ValueId x = kernel.tensor(0, elem_, {form_.length}, false, "x");
        const ValueId sums = kernel.tensor(2, elem_, {chunks}, true, "sums");
        const ValueId count = kernel.extent(chunks);
        kernel.grid({chunks}, [&](Builder& b, const Values& at) {
            const ValueId tile = loaded(b, x, {b.mul(at[0], b.index(kScanChunk))}, kScanChunk);
            b.write(sums, b.value(OpKind::reduce, {tile}, along()), {in_order(b, at[0], count)});
        });
        kernel.finish(steps);
    }

    void sums_through_chunks(KernelSteps& steps, const Dim& chunks) const {
        KernelWriter kernel(fused_, true);
        kernel.entry().function().kernel.group_shape = {kSumsThreads};
        const ValueId sums = kernel.tensor(2, elem_, {chunks}, true, "sums");
        const ValueId count = kernel.extent(chunks);
        kernel.grid({Dim::constant(1)}, [&](Builder& b, const Values&) {
            b.for_(b.index(0), count, b.index(kSumsTile), {start(b)}, {},
                   [&](Builder& body, ValueId first, const Values& before) {
                       const ValueId tile = body.value(OpKind::scan, {loaded(body, sums, {first}, kSumsTile)}, along());
                       const ValueId through = combined(body, repeated(body, before[0], kSumsTile), tile);
                       store_row(body, sums, through, {first});
                       return Values{last_of(body, through, kSumsTile)};
                   });
        });
        kernel.finish(steps);
    }

    void each_chunk(KernelSteps& steps, const Dim& chunks) const {
        KernelWriter kernel(fused_, true);
        const ValueId x = kernel.tensor(0, elem_, {form_.length}, false, "x");
        const ValueId sums = kernel.tensor(2, elem_, {chunks}, false, "sums");
        const ValueId y = kernel.tensor(1, elem_, {form_.length}, true, "y");
        const ValueId count = kernel.extent(chunks);
        kernel.grid({chunks}, [&](Builder& b, const Values& at) {
            const Values here{b.mul(at[0], b.index(kScanChunk))};
            const ValueId number = in_order(b, at[0], count), zero = b.index(0);
            const ValueId earlier = b.read(sums, {b.maximum(b.sub(number, b.index(1)), zero)});
            const ValueId before = b.select(b.gt(number, zero), earlier, start(b));
            store_row(b, y, turned(b, scanned(b, loaded(b, x, here, kScanChunk), before, kScanChunk)), here);
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
