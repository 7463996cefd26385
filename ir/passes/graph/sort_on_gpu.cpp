// A thread block sorts a chunk of a row by a digit: a thread sees each of its elements together with its warp, whose
// votes say which of them have the same digit and how many stand before; a table in shared memory counts the digits of
// each warp. Elements of the same digit are brought side by side in shared memory, so that they are written in runs.
// A row of one chunk stays in shared memory for all digits (G. E. Blelloch et al.; D. Merrill, A. Grimshaw, "High
// performance and scalable radix sorting", 2011).
#include "ir/passes/graph/sort_on_gpu.h"

#include <algorithm>

#include "ir/passes/graph/axis_form.h"
#include "ir/passes/graph/kernel_writer.h"
#include "ir/passes/graph/sort_key.h"

namespace tsr::ir {

namespace {

constexpr int64_t kThreads = 256, kWarp = 32, kWarps = kThreads / kWarp;
static_assert(kThreads == kDigits, "a thread adds up the counts of one digit");
constexpr int64_t kShared = 36 << 10;  // bytes for elements, beside the tables: four blocks of 256 fit a processor
constexpr int64_t kTogether = 4;       // rounds whose elements are read at once
constexpr int64_t kCountsTile = 1024;
constexpr int64_t kFewChunks = 16;   // of a row: a thread adds up a digit's counts alone
constexpr int64_t kDigitShift = 16;  // an element's digit and its rank are kept in one number

class SortOnGpu {
public:
    SortOnGpu(const Function& fused, const SortOp& op)
        : fused_(fused),
          op_(op),
          elem_(fused.type(op_.value()).elem),
          key_(elem_, op_.descends()),
          form_(axis_form(fused.type(op_.value()), op_.axis())),
          result_(axis_form(fused.type(op_.result()), op_.axis())),
          size_(elem_ == DType::boolean ? 1 : bits(elem_) / 8),
          chunk_(in_rounds(kShared / (size_ + kPlaced + number_size()))),
          chunks_(Dim::floor_quotient(form_.length + Dim::constant(chunk_ - 1), Dim::constant(chunk_))) {}

    void add(StepCode& code, int64_t shorter) {
        const auto length = form_.length.constant_value();
        const auto add_for = [&](int64_t longest, const std::function<void(KernelSteps&)>& steps) {
            const bool wanted = !length || (*length > shorter && *length <= longest);
            shorter = std::max(shorter, longest);
            if (!wanted) return;
            code.on_gpu.emplace_back();
            code.on_gpu.back().longest = longest;
            steps(code.on_gpu.back().steps);
        };
        const int64_t row = in_rounds(kShared / (2 * (size_ + number_size()) + kPlaced));
        add_for(row, [&](KernelSteps& steps) { whole_rows(steps, row); });
        add_for(kFewChunks * chunk_, [&](KernelSteps& steps) { by_digits(steps, true); });
        add_for((int64_t{1} << 31) - 2 * chunk_, [&](KernelSteps& steps) { by_digits(steps, false); });
    }

private:
    static constexpr size_t kValue = 0, kResult = 1, kTemporary = 2;
    static constexpr int64_t kPlaced = 4;  // bytes of an element's rank

    // A number of elements of which each thread has as many.
    static int64_t in_rounds(int64_t elements) {
        return std::min<int64_t>(elements / (kTogether * kThreads) * kTogether, 16) * kThreads;
    }
    [[nodiscard]] int64_t number_size() const { return op_.gives_numbers() ? 4 : 0; }

    // ---- what threads are and do ----
    struct Thread {
        ValueId number, warp, lane;
    };
    static Thread thread(Builder& b) {
        const ValueId number = b.value(OpKind::tile_id, {}, {});
        return {number, b.floordiv(number, b.index(kWarp)), b.value(OpKind::lane_id, {}, {})};
    }
    static KernelWriter kernel_of_threads(const Function& fused) {
        KernelWriter kernel(fused, true);
        kernel.entry().function().kernel.group_shape = {kThreads};
        return kernel;
    }
    static ValueId u32(Builder& b, int64_t value) { return b.constant(value, DType::u32); }
    static ValueId i32(Builder& b, int64_t value) { return b.constant(value, DType::i32); }
    static ValueId ballot(Builder& b, ValueId condition) { return b.value(OpKind::ballot, {condition}); }
    // How many bits of a u32 are 1; the code generator knows this form.
    static ValueId ones(Builder& b, ValueId v) {
        v = b.sub(v, b.bit_and(b.shr(v, u32(b, 1)), u32(b, 0x55555555)));
        v = b.add(b.bit_and(v, u32(b, 0x33333333)), b.bit_and(b.shr(v, u32(b, 2)), u32(b, 0x33333333)));
        v = b.bit_and(b.add(v, b.shr(v, u32(b, 4))), u32(b, 0x0f0f0f0f));
        return b.shr(b.mul(v, u32(b, 0x01010101)), u32(b, 24));
    }
    // The sum over the threads before this one.
    static ValueId before(Builder& b, ValueId value) {
        const ValueId sum = b.value(OpKind::group_scan, {value}, {{Attr::op, static_cast<int64_t>(ReduceOp::add)}});
        return b.sub(sum, value);
    }
    using Step = std::function<void(Builder&, ValueId)>;
    static void times(Builder& b, ValueId count, const Step& step) {
        b.for_(b.index(0), count, b.index(1), {}, {}, [&](Builder& body, ValueId i, const Values&) {
            step(body, i);
            return Values{};
        });
    }
    // So many rounds at once; `count` is a multiple.
    static void in_turns(Builder& b, ValueId count, int64_t together,
                         const std::function<void(Builder&, const Values&)>& turn) {
        b.for_(b.index(0), count, b.index(together), {}, {}, [&](Builder& body, ValueId first, const Values&) {
            Values rounds;
            for (int64_t i = 0; i < together; ++i) rounds.push_back(body.add(first, body.index(i)));
            turn(body, rounds);
            return Values{};
        });
    }
    static ValueId digit32(Builder& b, ValueId digit) { return b.cast(digit, DType::u32); }

    // ---- what is where ----
    // A row lies dense where its axis is the last; so it does in temporaries.
    struct Where {
        size_t tensor;
        bool dense;
    };
    [[nodiscard]] Where given(size_t tensor) const { return {tensor, form_.ends_with_axis()}; }
    [[nodiscard]] std::vector<Dim> shape(bool dense, const Dim& length) const {
        return dense ? std::vector<Dim>{form_.outer, form_.inner, length}
                     : std::vector<Dim>{form_.outer, length, form_.inner};
    }
    static Values place(bool dense, const Values& row, ValueId i) {
        return dense ? Values{row[0], row[1], i} : Values{row[0], i, row[1]};
    }
    [[nodiscard]] std::vector<Dim> counts_shape() const {
        return {form_.outer, form_.inner, Dim::constant(kDigits), chunks_};
    }
    [[nodiscard]] std::vector<Dim> totals_shape() const { return {form_.outer, form_.inner, Dim::constant(kDigits)}; }

    // ---- ranks ----
    // The elements of a block: warp w has those from w * segment on, a lane each 32nd of them.
    struct Part {
        Thread thread;
        ValueId rounds, segment;
        ValueId count;  // elements that there are
    };
    static Part part(Builder& b, ValueId rounds, ValueId count) {
        return {thread(b), rounds, b.mul(rounds, b.index(kWarp)), count};
    }
    static ValueId element(Builder& b, const Part& part, ValueId round) {
        const ValueId in_segment = b.add(b.mul(round, b.index(kWarp)), part.thread.lane);
        return b.add(b.mul(part.thread.warp, part.segment), in_segment);
    }
    // One that is there: behind the last one it is the last.
    static ValueId there(Builder& b, const Part& part, ValueId element) {
        return b.minimum(element, b.sub(part.count, b.index(1)));
    }

    // Shared memory of a block.
    struct Tables {
        ValueId warps;   // of each warp and digit: how many, then where the first of them goes
        ValueId placed;  // of each element: its digit, and how many of its warp and digit stand before
    };
    static Tables tables(Builder& b, int64_t elements) {
        const ValueId warps = b.buffer(DType::i32, {Dim::constant(kWarps), Dim::constant(kDigits)});
        return {warps, b.buffer(DType::u32, {Dim::constant(elements)})};
    }
    static void clear(Builder& b, const Tables& tables, const Thread& thread) {
        for (int64_t w = 0; w < kWarps; ++w) b.write(tables.warps, i32(b, 0), {b.index(w), thread.number});
    }

    // Of each element its digit and how many of its warp come before it. `value` reads the element that it is given;
    // those of `together` rounds are read at once.
    void rank(Builder& b, const Tables& tables, const Part& part, ValueId shift, int64_t together,
              const std::function<ValueId(Builder&, ValueId)>& value) const {
        in_turns(b, part.rounds, together, [&](Builder& body, const Values& rounds) {
            Values elements, digits;
            for (const ValueId round : rounds) {
                elements.push_back(element(body, part, round));
                const ValueId read = value(body, there(body, part, elements.back()));
                digits.push_back(digit32(body, key_.digit(body, read, shift)));
            }
            for (size_t i = 0; i < rounds.size(); ++i) rank_one(body, tables, part, elements[i], digits[i]);
        });
    }

    static void rank_one(Builder& b, const Tables& tables, const Part& part, ValueId element, ValueId digit) {
        const ValueId inside = b.lt(element, part.count);
        ValueId same = ballot(b, inside);
        for (int64_t bit = 0; bit < kDigitBits; ++bit) {
            const ValueId set = b.bit_and(b.shr(digit, u32(b, bit)), u32(b, 1));
            const ValueId vote = ballot(b, b.ne(set, u32(b, 0)));
            same = b.bit_and(same, b.bit_xor(vote, b.sub(set, u32(b, 1))));
        }
        const ValueId own = b.shl(u32(b, 1), b.cast(part.thread.lane, DType::u32));
        const ValueId below = b.bit_and(same, b.sub(own, u32(b, 1)));
        // The first of them adds all to the count of the warp, which it gives to the others.
        const ValueId leads = b.bit_and(inside, b.eq(below, u32(b, 0)));
        const ValueId at = b.cast(digit, DType::index);
        const OpId added = b.if_(
            leads,
            [&](Builder& first) {
                const ValueId count = first.cast(ones(first, same), DType::i32);
                return Values{first.atomic(AtomicOp::add, tables.warps, count, {part.thread.warp, at})};
            },
            [&](Builder& other) { return Values{i32(other, 0)}; });
        const ValueId lowest = b.bit_and(same, b.sub(u32(b, 0), same));
        const ValueId leader = b.cast(ones(b, b.sub(lowest, u32(b, 1))), DType::index);
        const ValueId earlier = b.value(OpKind::shuffle, {b.function().op(added).results[0], leader});
        const ValueId rank = b.add(b.cast(earlier, DType::u32), ones(b, below));
        const ValueId kept = b.bit_or(b.shl(digit, u32(b, kDigitShift)), rank);
        b.if_(inside, [&](Builder& inner) {
            inner.write(tables.placed, kept, {element});
            return Values{};
        });
    }

    // Counts become places in the block; gives, of the thread's digit, the place of its first element.
    static ValueId place_digits(Builder& b, const Tables& tables, const Thread& thread) {
        ValueId count = i32(b, 0);
        for (int64_t w = 0; w < kWarps; ++w) count = b.add(count, b.read(tables.warps, {b.index(w), thread.number}));
        const ValueId first = before(b, count);
        ValueId next = first;
        for (int64_t w = 0; w < kWarps; ++w) {
            const ValueId here = b.read(tables.warps, {b.index(w), thread.number});
            b.write(tables.warps, next, {b.index(w), thread.number});
            next = b.add(next, here);
        }
        return first;
    }

    // Calls `put` for each element that is there with its place in the block.
    static void each_placed(Builder& b, const Tables& tables, const Part& part,
                            const std::function<void(Builder&, ValueId element, ValueId place)>& put) {
        times(b, part.rounds, [&](Builder& body, ValueId k) {
            const ValueId e = element(body, part, k);
            body.if_(body.lt(e, part.count), [&](Builder& inner) {
                const ValueId kept = inner.read(tables.placed, {e});
                const ValueId digit = inner.cast(inner.shr(kept, u32(inner, kDigitShift)), DType::index);
                const ValueId rank = inner.bit_and(kept, u32(inner, (int64_t{1} << kDigitShift) - 1));
                const ValueId start = inner.read(tables.warps, {part.thread.warp, digit});
                put(inner, e, inner.cast(inner.add(start, inner.cast(rank, DType::i32)), DType::index));
                return Values{};
            });
        });
    }

    // ---- rows that fit a block ----
    void whole_rows(KernelSteps& steps, int64_t most) const {
        KernelWriter kernel = kernel_of_threads(fused_);
        const bool dense = form_.ends_with_axis();
        const bool numbers = op_.gives_numbers();
        const ValueId x = kernel.tensor(kValue, elem_, shape(dense, form_.length), false, "x");
        const DType given = numbers ? DType::i64 : elem_;
        const ValueId y = kernel.tensor(kResult, given, shape(dense, result_.length), true, "y");
        const ValueId length = kernel.extent(form_.length), places = kernel.extent(result_.length);
        const std::vector<Dim> two{Dim::constant(2), Dim::constant(most)};
        const Tables all = tables(kernel.entry(), most);
        const ValueId values = kernel.entry().buffer(elem_, two);
        const ValueId moved = numbers ? kernel.entry().buffer(DType::i32, two) : ValueId{};
        kernel.grid({form_.outer, form_.inner}, [&](Builder& b, const Values& row) {
            const ValueId rounds = b.floordiv(b.add(length, b.index(kThreads - 1)), b.index(kThreads));
            const Part own = part(b, rounds, length);
            times(b, rounds, [&](Builder& body, ValueId k) {
                const ValueId e = body.add(body.mul(k, body.index(kThreads)), own.thread.number);
                body.if_(body.lt(e, length), [&](Builder& inner) {
                    inner.write(values, inner.read(x, place(dense, row, e)), {inner.index(0), e});
                    if (numbers) inner.write(moved, inner.cast(e, DType::i32), {inner.index(0), e});
                    return Values{};
                });
            });
            times(b, b.index(key_.digits()), [&](Builder& pass, ValueId number) {
                const ValueId from = pass.mod(number, pass.index(2)), to = pass.sub(pass.index(1), from);
                clear(pass, all, own.thread);
                pass.barrier();
                rank(pass, all, own, pass.mul(number, pass.index(kDigitBits)), 1,
                     [&](Builder& body, ValueId e) { return body.read(values, {from, e}); });
                pass.barrier();
                place_digits(pass, all, own.thread);
                pass.barrier();
                each_placed(pass, all, own, [&](Builder& body, ValueId e, ValueId at) {
                    body.write(values, body.read(values, {from, e}), {to, at});
                    if (numbers) body.write(moved, body.read(moved, {from, e}), {to, at});
                });
                pass.barrier();
            });
            const ValueId last = b.index(key_.digits() % 2);
            times(b, rounds, [&](Builder& body, ValueId k) {
                const ValueId e = body.add(body.mul(k, body.index(kThreads)), own.thread.number);
                body.if_(body.lt(e, places), [&](Builder& inner) {
                    const ValueId value = inner.read(numbers ? moved : values, {last, e});
                    inner.write(y, inner.cast(value, given), place(dense, row, e));
                    return Values{};
                });
            });
            b.barrier();
        });
        kernel.finish(steps);
    }

    // ---- rows of chunks ----
    // Where a chunk of a row begins, and what there is of it.
    struct Chunk {
        ValueId begin, count;
    };
    [[nodiscard]] Chunk chunk(Builder& b, ValueId number, ValueId length) const {
        const ValueId begin = b.mul(number, b.index(chunk_));
        return {begin, b.minimum(b.sub(length, begin), b.index(chunk_))};
    }

    // How many elements of each digit a chunk has.
    void count_digits(KernelSteps& steps, Where from, size_t counts) const {
        KernelWriter kernel = kernel_of_threads(fused_);
        const ValueId x = kernel.tensor(from.tensor, elem_, shape(from.dense, form_.length), false, "from");
        const ValueId count = kernel.tensor(counts, DType::i32, counts_shape(), true, "counts");
        const ValueId shift = kernel.number("shift"), length = kernel.extent(form_.length);
        const ValueId local = kernel.entry().buffer(DType::i32, {Dim::constant(kDigits)});
        kernel.grid({form_.outer, form_.inner, chunks_}, [&](Builder& b, const Values& at) {
            const Thread own = thread(b);
            const Chunk here = chunk(b, at[2], length);
            b.write(local, i32(b, 0), {own.number});
            b.barrier();
            in_turns(b, b.index(chunk_ / kThreads), kTogether, [&](Builder& body, const Values& rounds) {
                Values elements, digits;
                for (const ValueId k : rounds) {
                    elements.push_back(body.add(body.mul(k, body.index(kThreads)), own.number));
                    const ValueId last = body.sub(here.count, body.index(1));
                    const ValueId i = body.add(here.begin, body.minimum(elements.back(), last));
                    const ValueId value = body.read(x, place(from.dense, at, i));
                    digits.push_back(digit32(body, key_.digit(body, value, shift)));
                }
                for (size_t i = 0; i < rounds.size(); ++i) {
                    count_one(body, local, own, body.lt(elements[i], here.count), digits[i]);
                }
            });
            b.barrier();
            b.write(count, b.read(local, {own.number}), {at[0], at[1], own.number, at[2]});
            b.barrier();
        });
        kernel.finish(steps);
    }

    // Many elements often have one digit: those of the warp that have its first one's are added at once.
    static void count_one(Builder& b, ValueId counts, const Thread& own, ValueId inside, ValueId digit) {
        const ValueId same = b.eq(digit, b.value(OpKind::shuffle, {digit, b.index(0)}));
        const ValueId votes = ballot(b, b.bit_and(inside, same));
        const ValueId leads = b.eq(own.lane, b.index(0));
        const ValueId more = b.select(leads, b.cast(ones(b, votes), DType::i32), i32(b, 1));
        b.if_(b.bit_and(inside, b.bit_or(leads, b.bit_not(same))), [&](Builder& inner) {
            inner.atomic(AtomicOp::add, counts, more, {inner.cast(digit, DType::index)});
            return Values{};
        });
    }

    // Of each digit and chunk how many stand in the chunks before; of each digit all.
    void add_up(KernelSteps& steps, size_t counts, size_t totals) const {
        KernelWriter kernel(fused_, true);
        const ValueId count = kernel.tensor(counts, DType::i32, counts_shape(), true, "counts");
        const ValueId total = kernel.tensor(totals, DType::i32, totals_shape(), true, "totals");
        const ValueId chunks = kernel.extent(chunks_);
        kernel.grid(totals_shape(), [&](Builder& b, const Values& at) {
            const Attrs add{{Attr::op, static_cast<int64_t>(ReduceOp::add)}, {Attr::axis, int64_t{0}}};
            const OpId loop =
                b.for_(b.index(0), chunks, b.index(kCountsTile), {i32(b, 0)}, {},
                       [&](Builder& body, ValueId c, const Values& sum) {
                           const Values here{at[0], at[1], at[2], c};
                           const ValueId tile = load_row(body, count, here, kCountsTile);
                           const ValueId earlier = body.sub(body.value(OpKind::scan, {tile}, add), tile);
                           store_row(body, count, body.add(earlier, repeated(body, sum[0], kCountsTile)), here);
                           return Values{body.add(sum[0], body.value(OpKind::reduce, {tile}, add))};
                       });
            b.write(total, b.function().op(loop).results[0], at);
        });
        kernel.finish(steps);
    }

    // The same where there are few chunks: a thread does it for its digit.
    void add_up_few(KernelSteps& steps, size_t counts, size_t totals) const {
        KernelWriter kernel = kernel_of_threads(fused_);
        const ValueId count = kernel.tensor(counts, DType::i32, counts_shape(), true, "counts");
        const ValueId total = kernel.tensor(totals, DType::i32, totals_shape(), true, "totals");
        const ValueId chunks = kernel.extent(chunks_);
        kernel.grid({form_.outer, form_.inner}, [&](Builder& b, const Values& at) {
            const Thread own = thread(b);
            const OpId loop = b.for_(b.index(0), chunks, b.index(1), {i32(b, 0)}, {},
                                     [&](Builder& body, ValueId c, const Values& sum) {
                                         const Values here{at[0], at[1], own.number, c};
                                         const ValueId value = body.read(count, here);
                                         body.write(count, sum[0], here);
                                         return Values{body.add(sum[0], value)};
                                     });
            b.write(total, b.function().op(loop).results[0], {at[0], at[1], own.number});
        });
        kernel.finish(steps);
    }

    struct Moves {
        Where from, to;
        size_t from_numbers = 0;
        Where to_numbers{};
        bool first = false, last = false;
    };

    // Elements to their places by a digit, and their numbers with them: the first time these are the places
    // themselves, the last time they go to the result, which may have the first places alone.
    void put(KernelSteps& steps, const Moves& moves, size_t counts, size_t totals) const {
        const bool numbers = op_.gives_numbers(), values = !numbers || !moves.last;
        KernelWriter kernel = kernel_of_threads(fused_);
        const ValueId from =
            kernel.tensor(moves.from.tensor, elem_, shape(moves.from.dense, form_.length), false, "from");
        const ValueId to =
            values ? kernel.tensor(moves.to.tensor, elem_, shape(moves.to.dense, form_.length), true, "to") : ValueId{};
        ValueId from_numbers, to_numbers;
        const DType given = moves.last ? DType::i64 : DType::i32;
        if (numbers && !moves.first) {
            from_numbers =
                kernel.tensor(moves.from_numbers, DType::i32, shape(true, form_.length), false, "from_numbers");
        }
        if (numbers) {
            to_numbers = kernel.tensor(moves.to_numbers.tensor, given,
                                       shape(moves.to_numbers.dense, moves.last ? result_.length : form_.length), true,
                                       "to_numbers");
        }
        const ValueId count = kernel.tensor(counts, DType::i32, counts_shape(), false, "counts");
        const ValueId total = kernel.tensor(totals, DType::i32, totals_shape(), false, "totals");
        const ValueId shift = kernel.number("shift");
        const ValueId length = kernel.extent(form_.length), places = kernel.extent(result_.length);
        const Tables all = tables(kernel.entry(), chunk_);
        const ValueId firsts = kernel.entry().buffer(DType::i32, {Dim::constant(kDigits)});
        const ValueId sorted = kernel.entry().buffer(elem_, {Dim::constant(chunk_)});
        const ValueId moved = numbers ? kernel.entry().buffer(DType::i32, {Dim::constant(chunk_)}) : ValueId{};
        kernel.grid({form_.outer, form_.inner, chunks_}, [&](Builder& b, const Values& at) {
            const Chunk here = chunk(b, at[2], length);
            const Part own = part(b, b.index(chunk_ / kThreads), here.count);
            const auto value = [&](Builder& body, ValueId e) {
                return body.read(from, place(moves.from.dense, at, body.add(here.begin, e)));
            };
            clear(b, all, own.thread);
            b.barrier();
            rank(b, all, own, shift, kTogether, value);
            b.barrier();
            const ValueId first = place_digits(b, all, own.thread);
            // Where the elements of the thread's digit go, less where they stand in the block.
            const ValueId start = before(b, b.read(total, {at[0], at[1], own.thread.number}));
            const ValueId earlier = b.read(count, {at[0], at[1], own.thread.number, at[2]});
            b.write(firsts, b.sub(b.add(start, earlier), first), {own.thread.number});
            b.barrier();
            each_placed(b, all, own, [&](Builder& body, ValueId e, ValueId in_block) {
                body.write(sorted, value(body, e), {in_block});
                if (!numbers) return;
                const ValueId i = body.add(here.begin, e);
                const ValueId number =
                    moves.first ? body.cast(i, DType::i32) : body.read(from_numbers, {at[0], at[1], i});
                body.write(moved, number, {in_block});
            });
            b.barrier();
            times(b, b.index(chunk_ / kThreads), [&](Builder& body, ValueId k) {
                const ValueId e = body.add(body.mul(k, body.index(kThreads)), own.thread.number);
                body.if_(body.lt(e, here.count), [&](Builder& inner) {
                    const ValueId held = inner.read(sorted, {e});
                    const ValueId digit = inner.cast(key_.digit(inner, held, shift), DType::index);
                    const ValueId goes = inner.add(inner.cast(inner.read(firsts, {digit}), DType::index), e);
                    if (values) inner.write(to, held, place(moves.to.dense, at, goes));
                    if (!numbers) return Values{};
                    const auto write = [&](Builder& where) {
                        const ValueId number = where.cast(where.read(moved, {e}), given);
                        where.write(to_numbers, number, place(moves.to_numbers.dense, at, goes));
                        return Values{};
                    };
                    if (moves.last) {
                        inner.if_(inner.lt(goes, places), write);
                    } else {
                        write(inner);
                    }
                    return Values{};
                });
            });
            b.barrier();
        });
        kernel.finish(steps);
    }

    void by_digits(KernelSteps& steps, bool few) const {
        const bool numbers = op_.gives_numbers();
        const std::vector<Dim> dense = shape(true, form_.length);
        // Where values wait: two temporaries, or one and the result.
        constexpr size_t kCounts = kTemporary, kTotals = kTemporary + 1, kOther = kTemporary + 2;
        constexpr size_t kMore = kOther + 1, kNumbers = kOther + 2;
        steps.temporaries = {Type::tensor(DType::i32, counts_shape(), true),
                             Type::tensor(DType::i32, totals_shape(), true)};
        const int64_t digits = key_.digits();
        if (digits > 1) steps.temporaries.push_back(Type::tensor(elem_, dense, true));
        if (digits > 1 && numbers) {
            steps.temporaries.push_back(Type::tensor(elem_, dense, true));
            steps.temporaries.push_back(Type::tensor(DType::i32, dense, true));
            steps.temporaries.push_back(Type::tensor(DType::i32, dense, true));
        }
        Where from = given(kValue);
        for (int64_t digit = 0; digit < digits; ++digit) {
            const bool last = digit + 1 == digits;
            const auto turn = static_cast<size_t>((digits - 1 - digit) % 2);
            Moves moves;
            moves.from = from;
            moves.first = digit == 0;
            moves.last = last;
            if (numbers) {
                moves.to = {turn == 0 ? kOther : kMore, true};
                moves.from_numbers = kNumbers + 1 - turn;
                moves.to_numbers = last ? given(kResult) : Where{kNumbers + turn, true};
            } else {
                moves.to = last ? given(kResult) : Where{turn == 0 ? kResult : kOther, true};
            }
            KernelSteps pass;
            count_digits(pass, from, kCounts);
            few ? add_up_few(pass, kCounts, kTotals) : add_up(pass, kCounts, kTotals);
            put(pass, moves, kCounts, kTotals);
            pass.steps.front().numbers = {digit * kDigitBits};
            pass.steps.back().numbers = {digit * kDigitBits};
            for (KernelStep& step : pass.steps) step.kernel += steps.kernels.size();
            std::ranges::move(pass.kernels, std::back_inserter(steps.kernels));
            std::ranges::move(pass.steps, std::back_inserter(steps.steps));
            from = moves.to;
        }
    }

    const Function& fused_;
    SortOp op_;
    DType elem_;
    OrderKey key_;
    AxisForm form_, result_;
    int64_t size_;   // bytes of an element
    int64_t chunk_;  // elements that a block sorts by a digit
    Dim chunks_;
};

}  // namespace

void add_sort_on_gpu(StepCode& code, const Function& fused, const SortOp& op, int64_t shorter) {
    SortOnGpu(fused, op).add(code, shorter);
}

}  // namespace tsr::ir
