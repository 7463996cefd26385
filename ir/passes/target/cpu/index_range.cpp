#include "ir/passes/target/cpu/index_range.h"

#include <algorithm>
#include <limits>

namespace tsr::ir {

namespace {

constexpr int64_t kBig = int64_t{1} << 60;  // stands for "anything": sums and differences of two do not overflow

int64_t clamp(int64_t value) { return std::clamp(value, -kBig, kBig); }

int64_t product(int64_t a, int64_t b) {
    int64_t out = 0;
    if (__builtin_mul_overflow(a, b, &out)) return (a < 0) == (b < 0) ? kBig : -kBig;
    return clamp(out);
}

}  // namespace

bool IndexRanges::fits_32_bits(ValueId value) {
    Range r = range(value);
    return r.low >= std::numeric_limits<int32_t>::min() && r.high <= std::numeric_limits<int32_t>::max();
}

IndexRanges::Range IndexRanges::range(ValueId value) {
    if (auto found = known_.find(value); found != known_.end()) return found->second;
    known_[value] = {-kBig, kBig};  // while it is computed: a cycle through a loop knows nothing
    return known_[value] = compute(value);
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
        case OpKind::dim:
        case OpKind::group_id:
        case OpKind::group_size:
        case OpKind::group_count:
            return {0, kLimit};
        case OpKind::lane_id:
            return {0, 31};
        default:
            break;
    }
    if (value.type.elem != DType::index && value.type.elem != DType::i64) return whole;  // narrower ones may wrap
    return of_element(op);
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
    if (op.operands.empty() || op.kind > OpKind::isfinite) return {-kBig, kBig};
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
            return {low, high};
        }
        case OpKind::minimum:
            return {std::min(a.low, b.low), std::min(a.high, b.high)};
        case OpKind::maximum:
            return {std::max(a.low, b.low), std::max(a.high, b.high)};
        case OpKind::floordiv:
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
            return {-kBig, kBig};
    }
}

}  // namespace tsr::ir
