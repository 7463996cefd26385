#include "ir/passes/target/index_range.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "ir/core/total.h"
#include "ir/ops/tile.h"

namespace tsr::ir {

namespace {

constexpr size_t kMostFactors = 8;          // tensors have no more axes that could matter
constexpr int64_t kBig = int64_t{1} << 60;  // stands for "anything": sums and differences of two do not overflow

int64_t clamp(int64_t value) { return std::clamp(value, -kBig, kBig); }

int64_t product(int64_t a, int64_t b) {
    int64_t out = 0;
    if (__builtin_mul_overflow(a, b, &out)) return (a < 0) == (b < 0) ? kBig : -kBig;
    return clamp(out);
}

bool is_known_shift(IndexRanges::Range by) {
    constexpr int64_t kMostShifted = 62;
    return by.low == by.high && by.low >= 0 && by.low <= kMostShifted;
}

// What the results of operations count that are no arithmetic.
enum class Counts : uint8_t {
    nothing,    // or nothing that is known
    dimension,  // below the limit that the launch guard promises
    block,      // tasks of a thread
    thread,
    lane,
    given,  // by the launch
};

// clang-format off
constexpr Row<Counts> kCountRows[]{
    {OpKind::constant, Counts::nothing}, {OpKind::yield, Counts::nothing}, {OpKind::for_, Counts::nothing},
    {OpKind::while_, Counts::nothing}, {OpKind::if_, Counts::nothing}, {OpKind::call, Counts::nothing},
    {OpKind::dim, Counts::dimension}, {OpKind::print, Counts::nothing}, {OpKind::assert_, Counts::nothing},

    {OpKind::tile_id, Counts::nothing}, {OpKind::lane_id, Counts::lane}, {OpKind::group_id, Counts::dimension},
    {OpKind::group_size, Counts::dimension}, {OpKind::group_count, Counts::dimension},
    {OpKind::buffer, Counts::nothing}, {OpKind::stage, Counts::nothing}, {OpKind::atomic, Counts::nothing},
    {OpKind::copy_async, Counts::nothing}, {OpKind::commit, Counts::nothing}, {OpKind::wait_group, Counts::nothing},
    {OpKind::barrier, Counts::nothing}, {OpKind::acquire, Counts::nothing}, {OpKind::fill, Counts::nothing},
    {OpKind::take, Counts::nothing}, {OpKind::release, Counts::nothing}, {OpKind::group_reduce, Counts::nothing},
    {OpKind::group_scan, Counts::nothing}, {OpKind::shuffle, Counts::nothing}, {OpKind::broadcast, Counts::nothing},
    {OpKind::ballot, Counts::nothing}, {OpKind::buffer_reduce, Counts::nothing}, {OpKind::grid, Counts::nothing},
    {OpKind::lanes, Counts::nothing}, {OpKind::lane_read, Counts::nothing}, {OpKind::result, Counts::nothing},

    {OpKind::slot, Counts::given}, {OpKind::task_begin, Counts::dimension}, {OpKind::task_end, Counts::dimension},
    {OpKind::scratch, Counts::nothing}, {OpKind::stack, Counts::nothing}, {OpKind::pointer_add, Counts::nothing},
    {OpKind::load, Counts::nothing}, {OpKind::store, Counts::nothing}, {OpKind::gather, Counts::nothing},
    {OpKind::scatter, Counts::nothing}, {OpKind::splat, Counts::nothing}, {OpKind::iota, Counts::nothing},
    {OpKind::extract, Counts::nothing}, {OpKind::insert, Counts::nothing}, {OpKind::vector_reduce, Counts::nothing},
    {OpKind::for_active, Counts::nothing}, {OpKind::atomic_rmw, Counts::nothing},
    {OpKind::memory_copy, Counts::nothing}, {OpKind::prefetch, Counts::nothing}, {OpKind::runtime, Counts::nothing},
    {OpKind::dot_words, Counts::nothing},

    {OpKind::thread_id, Counts::thread}, {OpKind::block_id, Counts::block}, {OpKind::block_count, Counts::nothing},
    {OpKind::block_barrier, Counts::nothing}, {OpKind::warp_barrier, Counts::nothing},
    {OpKind::warp_shuffle, Counts::nothing}, {OpKind::warp_vote, Counts::nothing},
    {OpKind::async_copy, Counts::nothing}, {OpKind::async_commit, Counts::nothing},
    {OpKind::async_wait, Counts::nothing}, {OpKind::load_matrix, Counts::nothing},
    {OpKind::store_matrix, Counts::nothing}, {OpKind::matrix_descriptor, Counts::nothing},
    {OpKind::warp_mma, Counts::nothing}, {OpKind::group_mma, Counts::nothing}, {OpKind::group_wait, Counts::nothing},
    {OpKind::proxy_fence, Counts::nothing}, {OpKind::fewer_registers, Counts::nothing},
    {OpKind::more_registers, Counts::nothing}, {OpKind::await_turn, Counts::nothing},
    {OpKind::pass_turn, Counts::nothing},

    {OpKind::mbarrier_init, Counts::nothing}, {OpKind::mbarrier_fence, Counts::nothing},
    {OpKind::mbarrier_arrive, Counts::nothing}, {OpKind::mbarrier_wait, Counts::nothing},
    {OpKind::copy_box, Counts::nothing}, {OpKind::store_box, Counts::nothing}, {OpKind::boxes_read, Counts::nothing},
    {OpKind::cluster_rank, Counts::nothing}, {OpKind::cluster_count, Counts::nothing},
    {OpKind::cluster_barrier, Counts::nothing},
};
// clang-format on
constexpr Total<kCountRows, kControlFamily, kTileFamily, kTargetFamily, kGpuFamily, kBoxFamily> kCountsOf;

}  // namespace

// Of element operations: the range of the result, and the slots whose product it does not pass.
struct IndexRanges::Rules {
    struct Rule {
        OpKind kind;
        Range (IndexRanges::*range)(const Op&, Range, Range);
        Factors (IndexRanges::*factors)(const Op&);
    };

    // clang-format off
#define TSR_NOTHING_KNOWN(op) {OpKind::op, &IndexRanges::anything, &IndexRanges::no_factors},
    static constexpr Rule kRows[]{
        {OpKind::add, &IndexRanges::of_sum, &IndexRanges::no_factors},
        {OpKind::sub, &IndexRanges::of_difference, &IndexRanges::factors_of_difference},
        {OpKind::mul, &IndexRanges::of_product, &IndexRanges::factors_of_product},
        {OpKind::floordiv, &IndexRanges::of_quotient, &IndexRanges::factors_of_quotient},
        {OpKind::mod, &IndexRanges::of_remainder, &IndexRanges::no_factors},
        {OpKind::neg, &IndexRanges::of_negative, &IndexRanges::factors_of_negative},
        {OpKind::minimum, &IndexRanges::of_minimum, &IndexRanges::no_factors},
        {OpKind::maximum, &IndexRanges::of_maximum, &IndexRanges::factors_of_maximum},
        {OpKind::bit_and, &IndexRanges::of_common_bits, &IndexRanges::no_factors},
        {OpKind::bit_or, &IndexRanges::of_joined_bits, &IndexRanges::no_factors},
        {OpKind::bit_xor, &IndexRanges::of_joined_bits, &IndexRanges::no_factors},
        {OpKind::shl, &IndexRanges::of_shl, &IndexRanges::no_factors},
        {OpKind::shr, &IndexRanges::of_shr, &IndexRanges::no_factors},
        {OpKind::select, &IndexRanges::of_selection, &IndexRanges::no_factors},
        {OpKind::cast, &IndexRanges::of_cast, &IndexRanges::factors_of_cast},
        TSR_NOTHING_KNOWN(div) TSR_NOTHING_KNOWN(fma) TSR_NOTHING_KNOWN(bit_not) TSR_NOTHING_KNOWN(bitcast)
        TSR_NOTHING_KNOWN(eq) TSR_NOTHING_KNOWN(ne) TSR_NOTHING_KNOWN(lt) TSR_NOTHING_KNOWN(le)
        TSR_NOTHING_KNOWN(gt) TSR_NOTHING_KNOWN(ge)
        TSR_LIBRARY_OPS(TSR_NOTHING_KNOWN) TSR_FORMULA_OPS(TSR_NOTHING_KNOWN)
        TSR_OTHER_ELEMENT_OPS(TSR_NOTHING_KNOWN)  // of floats, but for `abs` and random words
    };
// clang-format on
#undef TSR_NOTHING_KNOWN
    static constexpr Total<kRows, kElementFamily> kTable{};
};

bool IndexRanges::Range::fits_32_bits() const {
    return low >= std::numeric_limits<int32_t>::min() && high <= std::numeric_limits<int32_t>::max();
}

IndexRanges::Range IndexRanges::range(ValueId value) {
    if (auto found = known_.find(value); found != known_.end()) return found->second;
    known_[value] = {-kBig, kBig};  // while it is computed: a cycle through a loop knows nothing
    Range found = compute(value);
    if (const ValueId above = below(value); above.valid() && found.low >= 0)
        found.high = std::min(found.high, std::max<int64_t>(range(above).high - 1, 0));
    return known_[value] = found;
}

IndexRanges::Range IndexRanges::compute(ValueId id) {
    const Value& value = kernel_.value(id);
    if (!value.type.is_scalar() || !is_integer(value.type.elem)) return {-kBig, kBig};
    int width = bits(value.type.elem);
    Range whole{-kBig, kBig};
    if (width < 32 || (width == 32 && is_signed(value.type.elem)))
        whole = {-(int64_t{1} << 31), (int64_t{1} << 31) - 1};
    if (!value.op.valid()) {
        Range r = of_argument(value);
        return {std::max(r.low, whole.low), std::min(r.high, whole.high)};
    }
    const Op& op = kernel_.op(value.op);
    if (op.kind == OpKind::constant) {
        const int64_t number = clamp(op.attrs.integer(Attr::value));
        return {number, number};
    }
    if (op.kind == OpKind::if_) return of_branches(op, value.number);
    if (value.type.elem != DType::index && value.type.elem != DType::i64) return whole;  // narrower ones may wrap
    return of_number(op);
}

IndexRanges::Range IndexRanges::of_branches(const Op& op, uint32_t result) {
    Range all{kBig, -kBig};
    for (RegionId branch : op.regions) {
        const Range one = range(kernel_.op(kernel_.region(branch).ops.back()).operands[result]);
        all = {std::min(all.low, one.low), std::max(all.high, one.high)};
    }
    return all;
}

// What counts something, else a result of arithmetic.
IndexRanges::Range IndexRanges::of_number(const Op& op) {
    if (is_element(op.kind)) return of_element(op);
    if (!kCountsOf.has(op.kind)) return {-kBig, kBig};  // of memory and of register tiles
    switch (kCountsOf[op.kind].answer) {
        case Counts::nothing:
            break;
        case Counts::dimension:
            return {0, kLimit - 1};
        case Counts::block:
            return {0, (kLimit - 1) / std::max<int64_t>(kernel_.plan->task, 1)};
        case Counts::thread:
            return {0, kernel_.plan->gpu().block_threads() - 1};
        case Counts::lane:
            return {0, 31};
        case Counts::given:
            if (promises_.first_number > 0 && op.attrs.integer(Attr::count) >= promises_.first_number)
                return {0, kLimit - 1};
            break;
    }
    return {-kBig, kBig};
}

IndexRanges::Range IndexRanges::of_argument(const Value& value) {
    const auto by = bounds_of_counter(kernel_, value);
    if (!by) return {-kBig, kBig};
    const Range lower = range(by->lower), upper = range(by->upper), step = range(by->step);
    if (step.low > 0) return {lower.low, std::max(lower.low, clamp(upper.high - 1))};
    if (step.high < 0) return {std::min(lower.high, clamp(upper.low + 1)), lower.high};
    return {std::min(lower.low, upper.low), std::max(lower.high, upper.high)};
}

IndexRanges::Range IndexRanges::of_element(const Op& op) {
    if (op.operands.empty()) return {-kBig, kBig};
    const Range a = range(op.operands.front());
    const Range b = BinaryOp::suits(op) ? range(BinaryOp(kernel_, op).rhs()) : a;
    return (this->*Rules::kTable[op.kind].range)(op, a, b);
}

IndexRanges::Range IndexRanges::anything(const Op&, Range, Range) { return {-kBig, kBig}; }

IndexRanges::Range IndexRanges::of_sum(const Op& op, Range a, Range b) {
    // The number of a group: of the launch's first one and of the block.
    const BinaryOp both(kernel_, op);
    const auto counts = [&](ValueId v, OpKind kind) { return defined_by(kernel_, v, kind).has_value(); };
    if ((counts(both.lhs(), OpKind::task_begin) && counts(both.rhs(), OpKind::block_id)) ||
        (counts(both.lhs(), OpKind::block_id) && counts(both.rhs(), OpKind::task_begin)))
        return {0, promises_.most_blocks};
    return {clamp(a.low + b.low), clamp(a.high + b.high)};
}

IndexRanges::Range IndexRanges::of_difference(const Op&, Range a, Range b) {
    return {clamp(a.low - b.high), clamp(a.high - b.low)};
}

IndexRanges::Range IndexRanges::of_negative(const Op&, Range a, Range) { return {-a.high, -a.low}; }

IndexRanges::Range IndexRanges::of_product(const Op& op, Range a, Range b) {
    auto [low, high] =
        std::minmax({product(a.low, b.low), product(a.low, b.high), product(a.high, b.low), product(a.high, b.high)});
    if (a.low < 0 || b.low < 0 || high < kLimit) return {low, high};
    const auto slots = factors(op.results[0]);
    const auto known = slots ? promises_.products.find(*slots) : promises_.products.end();
    return {low, known == promises_.products.end() ? high : std::min(high, known->second - 1)};
}

IndexRanges::Range IndexRanges::of_minimum(const Op&, Range a, Range b) {
    return {std::min(a.low, b.low), std::min(a.high, b.high)};
}

IndexRanges::Range IndexRanges::of_maximum(const Op&, Range a, Range b) {
    return {std::max(a.low, b.low), std::max(a.high, b.high)};
}

IndexRanges::Range IndexRanges::of_quotient(const Op&, Range a, Range b) {
    if (b.low > 0)
        return {a.low <= -kBig ? -kBig
                : a.low < 0    ? -((-a.low - 1) / b.low) - 1
                               : 0,
                a.high >= kBig ? kBig
                : a.high < 0   ? 0
                               : a.high / b.low};
    return {std::min<int64_t>(-std::max(std::abs(a.low), std::abs(a.high)) * (a.low < 0 || b.low < 0), 0),
            std::max(std::abs(a.low), std::abs(a.high))};
}

IndexRanges::Range IndexRanges::of_remainder(const Op&, Range, Range b) {
    if (b.low > 0) return {0, b.high - 1};
    return {-std::max(std::abs(b.low), std::abs(b.high)), std::max(std::abs(b.low), std::abs(b.high))};
}

IndexRanges::Range IndexRanges::of_selection(const Op& op, Range, Range) {
    const SelectOp select(kernel_, op);
    const Range then = range(select.then()), otherwise = range(select.otherwise());
    return {std::min(then.low, otherwise.low), std::max(then.high, otherwise.high)};
}

IndexRanges::Range IndexRanges::of_cast(const Op& op, Range a, Range) {
    return is_integer(kernel_.type(CastOp(kernel_, op).from()).elem) ? a : Range{-kBig, kBig};
}

IndexRanges::Range IndexRanges::of_shl(const Op&, Range a, Range b) {
    if (!is_known_shift(b)) return {-kBig, kBig};
    return {product(a.low, int64_t{1} << b.low), product(a.high, int64_t{1} << b.low)};
}

IndexRanges::Range IndexRanges::of_shr(const Op&, Range a, Range b) {
    if (!is_known_shift(b) || a.low <= -kBig || a.high >= kBig) return {-kBig, kBig};
    return {a.low >> b.low, a.high >> b.low};
}

IndexRanges::Range IndexRanges::of_common_bits(const Op&, Range a, Range b) {
    if (a.low >= 0 && b.low >= 0) return {0, std::min(a.high, b.high)};
    if (a.low >= 0 || b.low >= 0) return {0, a.low >= 0 ? a.high : b.high};
    return {-kBig, kBig};
}

IndexRanges::Range IndexRanges::of_joined_bits(const Op&, Range a, Range b) {
    if (a.low < 0 || b.low < 0) return {-kBig, kBig};
    return {0, static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(std::max(a.high, b.high)) + 1)) - 1};
}

ValueId IndexRanges::below(ValueId id) {
    const Value& value = kernel_.value(id);
    if (!value.op.valid()) {
        const OpId loop = kernel_.region(value.region).parent;
        const bool counter = loop.valid() && kernel_.op(loop).kind == OpKind::for_ && value.number == 0;
        if (!counter) return {};
        const ForOp counted(kernel_, loop);
        return range(counted.step()).low > 0 ? counted.upper() : ValueId{};
    }
    const Op& op = kernel_.op(value.op);
    if (op.kind != OpKind::floordiv) return {};
    // A number below a * b, by b, is below a.
    const BinaryOp quotient(kernel_, op);
    const ValueId whole = below(quotient.lhs());
    const OpId made = whole.valid() ? kernel_.value(whole).op : OpId{};
    if (!made.valid() || kernel_.op(made).kind != OpKind::mul) return {};
    const BinaryOp product(kernel_, made);
    if (quotient.rhs() == product.rhs()) return product.lhs();
    return quotient.rhs() == product.lhs() ? product.rhs() : ValueId{};
}

IndexRanges::Factors IndexRanges::factors(ValueId id) {
    const OpId made = kernel_.value(id).op;
    if (!made.valid() || promises_.first_number == 0) return std::nullopt;
    const Op& op = kernel_.op(made);
    if (op.kind == OpKind::slot && range(id).low >= 0) return std::vector<int64_t>{op.attrs.integer(Attr::count)};
    return is_element(op.kind) ? (this->*Rules::kTable[op.kind].factors)(op) : std::nullopt;
}

IndexRanges::Factors IndexRanges::no_factors(const Op&) { return std::nullopt; }

IndexRanges::Factors IndexRanges::factors_of_cast(const Op& op) { return factors(CastOp(kernel_, op).from()); }

IndexRanges::Factors IndexRanges::factors_of_quotient(const Op& op) {
    const BinaryOp both(kernel_, op);
    return range(both.rhs()).low > 0 ? factors(both.lhs()) : std::nullopt;
}

IndexRanges::Factors IndexRanges::factors_of_difference(const Op& op) {
    const BinaryOp both(kernel_, op);
    return range(both.rhs()).low >= 0 ? factors(both.lhs()) : std::nullopt;
}

IndexRanges::Factors IndexRanges::factors_of_maximum(const Op& op) {
    const BinaryOp both(kernel_, op);
    return range(both.rhs()).high <= 0 ? factors(both.lhs()) : std::nullopt;
}

// n / c, rounded up, is -((0 - n) // c).
IndexRanges::Factors IndexRanges::factors_of_negative(const Op& op) {
    const auto made = defined_by(kernel_, UnaryOp(kernel_, op).operand(), OpKind::floordiv);
    if (!made) return std::nullopt;
    const BinaryOp quotient(kernel_, *made);
    const auto negated = defined_by(kernel_, quotient.lhs(), OpKind::sub);
    if (!negated || range(quotient.rhs()).low <= 0) return std::nullopt;
    const BinaryOp minus(kernel_, *negated);
    const Range zero = range(minus.lhs());
    return zero.low == 0 && zero.high == 0 ? factors(minus.rhs()) : std::nullopt;
}

IndexRanges::Factors IndexRanges::factors_of_product(const Op& op) {
    const BinaryOp both(kernel_, op);
    if (range(both.lhs()).low < 0 || range(both.rhs()).low < 0) return std::nullopt;
    auto all = factors(both.lhs());
    if (!all || all->size() > kMostFactors) return std::nullopt;
    const auto more = factors(both.rhs());
    if (!more) return std::nullopt;
    all->insert(all->end(), more->begin(), more->end());
    std::ranges::sort(*all);
    return all;
}

}  // namespace tsr::ir
