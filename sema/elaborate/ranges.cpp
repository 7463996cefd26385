#include "sema/elaborate/ranges.h"

#include <algorithm>

#include <fmt/format.h>

#include "sema/elaborate/arithmetic.h"
#include "sema/elaborate/elements.h"
#include "sema/elaborate/recursion.h"

namespace tsr::elaborate {

using ir::OpKind;
using ir::ValueId;

namespace {

// More than this is no program that a machine should be given.
constexpr int64_t kMostRounds = 1 << 14;

Val bound(Body& b, const sema::Bound& given, int64_t otherwise) {
    if (!given.expr.valid()) return Val::index(otherwise);
    const Val value = expression(b, *b.expr(given.expr));
    return b.coerce(given.element < 0 ? value : element_of(b, value, Val::index(given.element)), DType::index);
}

}  // namespace

std::vector<Bounds> bounds_of(Body& b, const sema::ForInfo& info) {
    std::vector<Bounds> all;
    for (const sema::LoopAxis& axis : info.axes) {
        Bounds& one = all.emplace_back();
        one.variable = axis.variable;
        one.start = bound(b, axis.start, 0);
        one.stop = bound(b, axis.stop, 0);
        one.step = bound(b, axis.step, 1);
        if (b.rules().checks_zero) require_nonzero(b, one.step, DType::index, "the step of a loop is zero");
        one.bind = [&b, variable = axis.variable](const Val& iv) { b.assign(variable, iv); };
    }
    return all;
}

std::optional<int64_t> fixed(const Val& value) { return value.is_fixed() ? value.fixed.integer() : std::nullopt; }

ValueId goes_on(Body& b, ValueId at, const Bounds& bounds) {
    const ValueId stop = b.index(bounds.stop_now ? bounds.stop_now() : bounds.stop);
    if (const auto step = fixed(bounds.step)) {
        if (*step == 0) return b.emit.constant(int64_t{0}, DType::boolean);
        return b.emit.inferred(*step > 0 ? OpKind::lt : OpKind::gt, {at, stop});
    }
    const ValueId zero = b.emit.constant(int64_t{0}, DType::index);
    const ValueId step = b.index(bounds.step);
    const ValueId up = b.emit.inferred(
        OpKind::bit_and, {b.emit.inferred(OpKind::gt, {step, zero}), b.emit.inferred(OpKind::lt, {at, stop})});
    const ValueId down = b.emit.inferred(
        OpKind::bit_and, {b.emit.inferred(OpKind::lt, {step, zero}), b.emit.inferred(OpKind::gt, {at, stop})});
    return b.emit.inferred(OpKind::bit_or, {up, down});
}

bool all_fixed(const std::vector<Bounds>& axes) {
    for (const Bounds& one : axes) {
        if (!fixed(one.start) || !fixed(one.stop) || !fixed(one.step)) return false;
    }
    return true;
}

std::vector<Round> static_rounds(Body& b, const std::vector<Bounds>& axes) {
    std::vector<Round> rounds;
    std::vector<int64_t> at;
    const std::function<void(size_t)> walk = [&](size_t axis) {
        if (axis == axes.size()) {
            rounds.push_back([&b, axes, at] {
                for (size_t i = 0; i < axes.size(); ++i) b.assign(axes[i].variable, Val::index(at[i]));
            });
            return;
        }
        const int64_t stop = fixed(axes[axis].stop).value_or(0);
        const int64_t step = fixed(axes[axis].step).value_or(0);
        for (int64_t i = fixed(axes[axis].start).value_or(0); step > 0 ? i < stop : step < 0 && i > stop; i += step) {
            at.push_back(i);
            walk(axis + 1);
            at.pop_back();
        }
    };
    walk(0);
    return rounds;
}

int64_t fixed_rounds(const std::vector<Bounds>& axes) {
    int64_t rounds = 1;
    for (const Bounds& one : axes) {
        const int64_t step = fixed(one.step).value_or(0);
        const int64_t way = fixed(one.stop).value_or(0) - fixed(one.start).value_or(0);
        if (step == 0 || (way > 0) != (step > 0)) return 0;
        rounds =
            std::min((way + step - (step > 0 ? 1 : -1)) / step, kMostRounds + 1) * std::min(rounds, kMostRounds + 1);
    }
    return rounds;
}

bool may_unroll(Body& b, Span range, const std::vector<Bounds>& axes) {
    return may_unroll(b, range, fixed_rounds(axes));
}

bool may_unroll(Body& b, Span range, int64_t rounds) {
    b.unrolled_rounds = std::min(b.unrolled_rounds + rounds, 2 * kMostRounds);
    if (b.unrolled_rounds <= kMostRounds) return true;
    b.error("E0335", range, "the index of this loop is needed as a static value, and it has too many rounds to unroll")
        .note(fmt::format("a function unrolls at most {} rounds, all its loops together", kMostRounds));
    return false;
}

Val round_count(Body& b, const std::vector<Bounds>& axes) {
    Val total = Val::index(1);
    for (const Bounds& one : axes) {
        const auto start = fixed(one.start);
        const auto step = fixed(one.step);
        ValueId rounds = b.index(one.stop);
        if (start != 0) rounds = b.emit.inferred(OpKind::sub, {rounds, b.index(one.start)});
        if (step != 1) {
            // ceil(a / s) is -floor(-a / s), for either sign of s.
            const ValueId down = b.emit.inferred(OpKind::neg, {rounds});
            rounds = b.emit.inferred(OpKind::neg, {b.emit.inferred(OpKind::floordiv, {down, b.index(one.step)})});
        }
        rounds = b.emit.inferred(OpKind::maximum, {rounds, b.emit.constant(int64_t{0}, DType::index)});
        total = Val::ssa(b.emit.inferred(OpKind::mul, {b.index(total), rounds}), DType::index);
    }
    return total;
}

}  // namespace tsr::elaborate
