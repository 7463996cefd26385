#include "ir/passes/target/index_range.h"

#include <algorithm>
#include <bit>
#include <limits>

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

}  // namespace

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
    switch (op.kind) {
        case OpKind::constant: {
            int64_t v = op.attrs.integer(Attr::value);
            return {clamp(v), clamp(v)};
        }
        case OpKind::if_:
            return of_branches(op, value.number);
        default:
            break;
    }
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
    switch (op.kind) {
        case OpKind::dim:
        case OpKind::group_id:
        case OpKind::group_size:
        case OpKind::group_count:
        case OpKind::task_begin:
        case OpKind::task_end:
            return {0, kLimit - 1};
        case OpKind::block_id:
            return {0, (kLimit - 1) / std::max<int64_t>(kernel_.plan->task, 1)};
        case OpKind::slot:
            if (promises_.first_number > 0 && op.attrs.integer(Attr::count) >= promises_.first_number)
                return {0, kLimit - 1};
            return {-kBig, kBig};
        case OpKind::thread_id:
            return {0, kernel_.plan->threads - 1};
        case OpKind::lane_id:
            return {0, 31};
        default:
            return of_element(op);
    }
}

IndexRanges::Range IndexRanges::of_argument(const Value& value) {
    OpId parent = kernel_.region(value.region).parent;
    if (!parent.valid()) return {-kBig, kBig};
    const Op& op = kernel_.op(parent);
    bool spread = op.kind == OpKind::lanes || op.kind == OpKind::grid;
    if (!spread && !(op.kind == OpKind::for_ && value.number == 0)) return {-kBig, kBig};
    size_t first = spread ? size_t{value.number} * 3 : 0;
    Range lower = range(op.operands[first]);
    Range upper = range(op.operands[first + 1]);
    Range step = range(op.operands[first + 2]);
    if (step.low > 0) return {lower.low, std::max(lower.low, clamp(upper.high - 1))};
    if (step.high < 0) return {std::min(lower.high, clamp(upper.low + 1)), lower.high};
    return {std::min(lower.low, upper.low), std::max(lower.high, upper.high)};
}

IndexRanges::Range IndexRanges::of_element(const Op& op) {
    if (op.operands.empty() || !is_element(op.kind)) return {-kBig, kBig};
    Range a = range(op.operands[0]);
    Range b = op.operands.size() > 1 ? range(op.operands[1]) : a;
    switch (op.kind) {
        case OpKind::add:
            return {clamp(a.low + b.low), clamp(a.high + b.high)};
        case OpKind::sub:
            return {clamp(a.low - b.high), clamp(a.high - b.low)};
        case OpKind::neg:
            return {-a.high, -a.low};
        case OpKind::mul: {
            auto [low, high] = std::minmax(
                {product(a.low, b.low), product(a.low, b.high), product(a.high, b.low), product(a.high, b.high)});
            if (a.low < 0 || b.low < 0 || high < kLimit) return {low, high};
            const auto slots = factors(op.results[0]);
            const auto known = slots ? promises_.products.find(*slots) : promises_.products.end();
            return {low, known == promises_.products.end() ? high : std::min(high, known->second - 1)};
        }
        case OpKind::minimum:
            return {std::min(a.low, b.low), std::min(a.high, b.high)};
        case OpKind::maximum:
            return {std::max(a.low, b.low), std::max(a.high, b.high)};
        case OpKind::floordiv:
            if (b.low > 0)
                return {a.low <= -kBig ? -kBig
                        : a.low < 0    ? -((-a.low - 1) / b.low) - 1
                                       : 0,
                        a.high >= kBig ? kBig
                        : a.high < 0   ? 0
                                       : a.high / b.low};
            return {std::min<int64_t>(-std::max(std::abs(a.low), std::abs(a.high)) * (a.low < 0 || b.low < 0), 0),
                    std::max(std::abs(a.low), std::abs(a.high))};
        case OpKind::mod:
            if (b.low > 0) return {0, b.high - 1};
            return {-std::max(std::abs(b.low), std::abs(b.high)), std::max(std::abs(b.low), std::abs(b.high))};
        case OpKind::select: {
            Range c = range(op.operands[2]);
            return {std::min(b.low, c.low), std::max(b.high, c.high)};
        }
        case OpKind::cast:
            if (!is_integer(kernel_.type(op.operands[0]).elem)) return {-kBig, kBig};
            return a;
        default:
            return of_bits(op, a, b);
    }
}

ValueId IndexRanges::below(ValueId id) {
    const Value& value = kernel_.value(id);
    if (!value.op.valid()) {
        const OpId loop = kernel_.region(value.region).parent;
        const bool counter = loop.valid() && kernel_.op(loop).kind == OpKind::for_ && value.number == 0;
        return counter && range(kernel_.op(loop).operands[2]).low > 0 ? kernel_.op(loop).operands[1] : ValueId{};
    }
    const Op& op = kernel_.op(value.op);
    if (op.kind != OpKind::floordiv) return {};
    // A number below a * b, by b, is below a.
    const ValueId whole = below(op.operands[0]);
    const OpId made = whole.valid() ? kernel_.value(whole).op : OpId{};
    if (!made.valid() || kernel_.op(made).kind != OpKind::mul) return {};
    const std::vector<ValueId>& parts = kernel_.op(made).operands;
    return op.operands[1] == parts[1] ? parts[0] : op.operands[1] == parts[0] ? parts[1] : ValueId{};
}

std::optional<std::vector<int64_t>> IndexRanges::factors(ValueId id) {
    const OpId made = kernel_.value(id).op;
    if (!made.valid() || promises_.first_number == 0) return std::nullopt;
    const Op& op = kernel_.op(made);
    const auto is_positive_number = [&](size_t i) { return range(op.operands[i]).low > 0; };
    switch (op.kind) {
        case OpKind::slot:
            if (range(id).low < 0) return std::nullopt;
            return std::vector<int64_t>{op.attrs.integer(Attr::count)};
        case OpKind::cast:
            return factors(op.operands[0]);
        case OpKind::floordiv:
            return is_positive_number(1) ? factors(op.operands[0]) : std::nullopt;
        case OpKind::sub:
            return range(op.operands[1]).low >= 0 ? factors(op.operands[0]) : std::nullopt;
        case OpKind::maximum:
            return range(op.operands[1]).high <= 0 ? factors(op.operands[0]) : std::nullopt;
        case OpKind::neg: {
            // n / c, rounded up, is -((0 - n) // c).
            const OpId quotient = kernel_.value(op.operands[0]).op;
            if (!quotient.valid() || kernel_.op(quotient).kind != OpKind::floordiv) return std::nullopt;
            const OpId negated = kernel_.value(kernel_.op(quotient).operands[0]).op;
            if (!negated.valid() || range(kernel_.op(quotient).operands[1]).low <= 0) return std::nullopt;
            const Op& minus = kernel_.op(negated);
            const Range zero = minus.kind == OpKind::sub ? range(minus.operands[0]) : Range{1, 1};
            return zero.low == 0 && zero.high == 0 ? factors(minus.operands[1]) : std::nullopt;
        }
        case OpKind::mul: {
            if (range(op.operands[0]).low < 0 || range(op.operands[1]).low < 0) return std::nullopt;
            auto all = factors(op.operands[0]);
            if (!all || all->size() > kMostFactors) return std::nullopt;
            const auto more = factors(op.operands[1]);
            if (!more) return std::nullopt;
            all->insert(all->end(), more->begin(), more->end());
            std::ranges::sort(*all);
            return all;
        }
        default:
            return std::nullopt;
    }
}

IndexRanges::Range IndexRanges::of_bits(const Op& op, Range a, Range b) {
    constexpr int64_t kMostShifted = 62;
    const bool known_shift = b.low == b.high && b.low >= 0 && b.low <= kMostShifted;
    switch (op.kind) {
        case OpKind::shl:
            if (!known_shift) break;
            return {product(a.low, int64_t{1} << b.low), product(a.high, int64_t{1} << b.low)};
        case OpKind::shr:
            if (!known_shift || a.low <= -kBig || a.high >= kBig) break;
            return {a.low >> b.low, a.high >> b.low};
        case OpKind::bit_and:
            if (a.low >= 0 && b.low >= 0) return {0, std::min(a.high, b.high)};
            if (a.low >= 0 || b.low >= 0) return {0, a.low >= 0 ? a.high : b.high};
            break;
        case OpKind::bit_or:
        case OpKind::bit_xor:
            if (a.low >= 0 && b.low >= 0)
                return {0,
                        static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(std::max(a.high, b.high)) + 1)) - 1};
            break;
        default:
            break;
    }
    return {-kBig, kBig};
}

}  // namespace tsr::ir
