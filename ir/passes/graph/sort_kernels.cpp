// Sorts along an axis. Rows are sorted by eight bits of a key at a time, from the lowest: each chunk of a row counts
// its digits, what stands before each is added up, each chunk puts its elements there. That keeps the order of equal
// ones and reads and writes each element once for a digit. In a short row an element counts those that go before it.
#include "ir/ops/indexed.h"
#include "ir/passes/graph/axis_form.h"
#include "ir/passes/graph/fused_call.h"
#include "ir/passes/graph/indexed_code.h"
#include "ir/passes/graph/kernel_writer.h"
#include "ir/passes/graph/sort_key.h"
#include "ir/passes/graph/sort_on_gpu.h"

namespace tsr::ir {

namespace {

// Up to here an element of a row counts on a GPU those that go before it.
constexpr int64_t kRanked = 64;

class SortKernels {
public:
    SortKernels(const Function& fused, OpId id)
        : fused_(fused),
          op_(fused, id),
          elem_(fused.type(op_.value()).elem),
          key_(elem_, op_.descends()),
          form_(axis_form(fused.type(op_.value()), op_.axis())),
          result_(axis_form(fused.type(op_.result()), op_.axis())),
          chunks_(Dim::floor_quotient(form_.length + Dim::constant(kChunk - 1), Dim::constant(kChunk))) {}

    StepCode run() {
        StepCode code;
        code.row = form_.length;
        if (op_.attrs().has(Attr::count)) {
            code.enough = form_.length;
            code.count = op_.attrs().integer(Attr::count);
        }
        const auto length = form_.length.constant_value();
        if (length && *length < kShortRow) {
            by_ranks(code.steps);
            return code;
        }
        op_.gives_numbers() ? numbers_by_digits(code.steps) : values_by_digits(code.steps);
        if (!length) by_ranks(code.short_steps.emplace());
        // On a GPU each thread of a row's counts for itself.
        if (!length || *length <= kRanked) {
            code.on_gpu.emplace_back();
            code.on_gpu.back().longest = kRanked;
            by_ranks(code.on_gpu.back().steps);
        }
        add_sort_on_gpu(code, fused_, op_, kRanked);
        return code;
    }

private:
    static constexpr size_t kValue = 0, kResult = 1, kTemporary = 2;

    // ---- short rows ----
    void by_ranks(KernelSteps& steps) const {
        KernelWriter kernel(fused_, false);
        const ValueId x = kernel.tensor(kValue, elem_, form_.shape(), false, "x");
        const DType given = op_.gives_numbers() ? DType::i64 : elem_;
        const ValueId y = kernel.tensor(kResult, given, result_.shape(), true, "y");
        const ValueId length = kernel.extent(form_.length), count = kernel.extent(result_.length);
        kernel.grid(form_.shape(), [&](Builder& b, const Values& at) {
            const ValueId own = b.read(x, at), key = key_.of(b, own);
            const OpId loop = b.for_(
                b.index(0), length, b.index(1), {b.index(0)}, {}, [&](Builder& body, ValueId i, const Values& rank) {
                    const ValueId other = key_.of(body, body.read(x, {at[0], i, at[2]}));
                    const ValueId before =
                        body.bit_or(body.lt(other, key), body.bit_and(body.eq(other, key), body.lt(i, at[1])));
                    return Values{body.add(rank[0], body.select(before, body.index(1), body.index(0)))};
                });
            const ValueId rank = b.function().op(loop).results[0];
            b.if_(b.lt(rank, count), [&](Builder& body) {
                const ValueId value = op_.gives_numbers() ? body.cast(at[1], DType::i64) : own;
                body.write(y, value, {at[0], rank, at[2]});
                return Values{};
            });
        });
        kernel.finish(steps);
    }

    // ---- by digits ----
    std::vector<Dim> counts_shape() const { return {form_.outer, form_.inner, chunks_, Dim::constant(kDigits)}; }

    // Goes through a chunk of a row, an element after the other.
    void each_of_chunk(Builder& b, const Values& at, ValueId length,
                       const std::function<void(Builder&, const Values&, ValueId)>& body) const {
        const ValueId size = b.index(kChunk), begin = b.mul(at[2], size);
        b.for_(begin, b.minimum(b.add(begin, size), length), b.index(1), {}, {},
               [&](Builder& inner, ValueId i, const Values&) {
                   body(inner, {at[0], i, at[1]}, i);
                   return Values{};
               });
    }

    ValueId digit(Builder& b, ValueId value, ValueId shift) const {
        return b.cast(key_.digit(b, value, shift), DType::index);
    }
    static Values count_at(const Values& at, ValueId digit) { return {at[0], at[1], at[2], digit}; }

    void count_digits(KernelSteps& steps, size_t counts) const {
        KernelWriter kernel(fused_, true);
        const ValueId from = kernel.tensor(kValue, elem_, form_.shape(), false, "from");
        const ValueId count = kernel.tensor(counts, DType::i64, counts_shape(), true, "counts");
        const ValueId shift = kernel.number("shift"), length = kernel.extent(form_.length);
        kernel.grid({form_.outer, form_.inner, chunks_}, [&](Builder& b, const Values& at) {
            b.for_(b.index(0), b.index(kDigits), b.index(1), {}, {}, [&](Builder& body, ValueId k, const Values&) {
                body.write(count, body.constant(0, DType::i64), count_at(at, k));
                return Values{};
            });
            each_of_chunk(b, at, length, [&](Builder& body, const Values& place, ValueId) {
                const Values own = count_at(at, digit(body, body.read(from, place), shift));
                body.write(count, body.add(body.read(count, own), body.constant(1, DType::i64)), own);
            });
        });
        kernel.finish(steps);
    }

    // Of each digit and chunk: where the first such element goes.
    void add_up(KernelSteps& steps, size_t counts) const {
        KernelWriter kernel(fused_, true);
        const ValueId count = kernel.tensor(counts, DType::i64, counts_shape(), true, "counts");
        const ValueId chunks = kernel.extent(chunks_);
        kernel.grid({form_.outer, form_.inner}, [&](Builder& b, const Values& at) {
            const ValueId zero = b.index(0), one = b.index(1);
            b.for_(zero, b.index(kDigits), one, {b.constant(0, DType::i64)}, {},
                   [&](Builder& digits, ValueId k, const Values& before) {
                       const OpId loop = digits.for_(zero, chunks, one, {before[0]}, {},
                                                     [&](Builder& body, ValueId c, const Values& sum) {
                                                         const Values own{at[0], at[1], c, k};
                                                         const ValueId here = body.read(count, own);
                                                         body.write(count, sum[0], own);
                                                         return Values{body.add(sum[0], here)};
                                                     });
                       return Values{digits.function().op(loop).results[0]};
                   });
        });
        kernel.finish(steps);
    }

    // The place of an element, which the next one with its digit no longer has.
    ValueId taken(Builder& b, ValueId count, const Values& own) const {
        const ValueId place = b.read(count, own);
        b.write(count, b.add(place, b.constant(1, DType::i64)), own);
        return b.cast(place, DType::index);
    }

    void put_values(KernelSteps& steps, size_t counts) const {
        KernelWriter kernel(fused_, true);
        const ValueId from = kernel.tensor(kValue, elem_, form_.shape(), false, "from");
        const ValueId to = kernel.tensor(kResult, elem_, form_.shape(), true, "to");
        const ValueId count = kernel.tensor(counts, DType::i64, counts_shape(), true, "counts");
        const ValueId shift = kernel.number("shift"), length = kernel.extent(form_.length);
        kernel.grid({form_.outer, form_.inner, chunks_}, [&](Builder& b, const Values& at) {
            each_of_chunk(b, at, length, [&](Builder& body, const Values& place, ValueId) {
                const ValueId value = body.read(from, place);
                const ValueId next = taken(body, count, count_at(at, digit(body, value, shift)));
                body.write(to, value, {place[0], next, place[2]});
            });
        });
        kernel.finish(steps);
    }

    void values_by_digits(KernelSteps& steps) const {
        const Type& type = fused_.type(op_.value());
        constexpr size_t kOther = kTemporary, kCounts = kTemporary + 1;
        steps.temporaries = {Type::tensor(elem_, type.shape, true), Type::tensor(DType::i64, counts_shape(), true)};
        count_digits(steps, kCounts);
        add_up(steps, kCounts);
        put_values(steps, kCounts);
        steps.steps.clear();
        size_t from = kValue;
        for (int64_t digit = 0; digit < key_.digits(); ++digit) {
            const size_t to = (key_.digits() - digit) % 2 == 1 ? kResult : kOther;
            add_pass(steps, digit, from, {from, to, kCounts}, {digit * kDigitBits}, kCounts, 2);
            from = to;
        }
    }

    void add_pass(KernelSteps& steps, int64_t digit, size_t from, std::vector<size_t> tensors,
                  std::vector<int64_t> numbers, size_t counts, size_t put) const {
        steps.steps.push_back({0, {from, counts}, {digit * kDigitBits}});
        steps.steps.push_back({1, {counts}, {}});
        steps.steps.push_back({put, std::move(tensors), std::move(numbers)});
    }

    // Numbers go with the values; the first time they are the places themselves. `last`: to the result, which may have
    // the first places alone.
    void put_numbers(KernelSteps& steps, size_t counts, bool last) const {
        KernelWriter kernel(fused_, true);
        const ValueId from = kernel.tensor(kValue, elem_, form_.shape(), false, "from");
        const ValueId to = kernel.tensor(kTemporary, elem_, form_.shape(), true, "to");
        const ValueId from_numbers = kernel.tensor(kTemporary + 2, DType::i64, form_.shape(), false, "from_numbers");
        const ValueId to_numbers =
            kernel.tensor(kTemporary + 3, DType::i64, last ? result_.shape() : form_.shape(), true, "to_numbers");
        const ValueId count = kernel.tensor(counts, DType::i64, counts_shape(), true, "counts");
        const ValueId shift = kernel.number("shift"), first = kernel.number("first");
        const ValueId length = kernel.extent(form_.length), places = kernel.extent(result_.length);
        kernel.grid({form_.outer, form_.inner, chunks_}, [&](Builder& b, const Values& at) {
            const ValueId is_first = b.eq(first, b.index(1));
            each_of_chunk(b, at, length, [&](Builder& body, const Values& place, ValueId i) {
                const ValueId value = body.read(from, place);
                const ValueId next = taken(body, count, count_at(at, digit(body, value, shift)));
                const ValueId number = body.select(is_first, body.cast(i, DType::i64), body.read(from_numbers, place));
                const Values there{place[0], next, place[2]};
                if (!last) {
                    body.write(to, value, there);
                    body.write(to_numbers, number, there);
                    return;
                }
                body.if_(body.lt(next, places), [&](Builder& inside) {
                    inside.write(to_numbers, number, there);
                    return Values{};
                });
            });
        });
        kernel.finish(steps);
    }

    void numbers_by_digits(KernelSteps& steps) const {
        const std::vector<Dim>& shape = fused_.type(op_.value()).shape;
        constexpr size_t kValues = kTemporary, kNumbers = kTemporary + 2, kCounts = kTemporary + 4;
        steps.temporaries = {Type::tensor(elem_, shape, true), Type::tensor(elem_, shape, true),
                             Type::tensor(DType::i64, shape, true), Type::tensor(DType::i64, shape, true),
                             Type::tensor(DType::i64, counts_shape(), true)};
        count_digits(steps, kCounts);
        add_up(steps, kCounts);
        put_numbers(steps, kCounts, true);
        const int64_t digits = key_.digits();
        if (digits > 1) put_numbers(steps, kCounts, false);
        steps.steps.clear();
        for (int64_t digit = 0; digit < digits; ++digit) {
            const auto to = static_cast<size_t>(digit % 2), from = 1 - to;
            const bool last = digit + 1 == digits;
            const size_t values = digit == 0 ? kValue : kValues + from;
            add_pass(steps, digit, values,
                     {values, kValues + to, kNumbers + from, last ? kResult : kNumbers + to, kCounts},
                     {digit * kDigitBits, digit == 0 ? 1 : 0}, kCounts, last ? 2 : 3);
        }
    }

    const Function& fused_;
    SortOp op_;
    DType elem_;
    OrderKey key_;
    AxisForm form_, result_;
    Dim chunks_;
};

}  // namespace

StepCode sort_code(const Function& fused, OpId op) { return SortKernels(fused, op).run(); }

}  // namespace tsr::ir
