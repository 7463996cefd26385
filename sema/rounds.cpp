#include "sema/rounds.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "sema/body.h"

namespace tsr::sema {

namespace {

// So many are gone through to see for which values a function is called, and so many functions are made for one call.
constexpr int64_t kMostRounds = 4096;
constexpr size_t kMostInstances = 256;
// What a loop is taken for whose bounds depend on the round of a loop around.
constexpr int64_t kUsualRounds = 16;

// An integer, or one of a tuple of them.
std::optional<int64_t> integer_of(const std::optional<Static>& value, const std::optional<ir::Dim>& dim, int element) {
    if (element < 0) {
        if (value) return value->integer();
        return dim ? dim->constant_value() : std::nullopt;
    }
    const auto* parts = value ? value->tuple() : nullptr;
    const auto at = static_cast<size_t>(element);
    return parts && at < parts->size() ? (*parts)[at].integer() : std::nullopt;
}

}  // namespace

std::optional<int64_t> static_bound(const Body& b, const Bound& bound, int64_t otherwise) {
    if (!bound.expr) return otherwise;
    const ExprInfo& info = b.instance.info(*bound.expr);
    return integer_of(info.value, info.dim, bound.element);
}

int64_t StaticRange::length() const {
    if (step > 0 ? stop <= start : stop >= start) return 0;
    const uint64_t distance = step > 0 ? static_cast<uint64_t>(stop) - static_cast<uint64_t>(start)
                                       : static_cast<uint64_t>(start) - static_cast<uint64_t>(stop);
    const uint64_t size = step > 0 ? static_cast<uint64_t>(step) : 0 - static_cast<uint64_t>(step);
    return static_cast<int64_t>((distance - 1) / size + 1);
}

std::optional<StaticRange> static_range(const Body& b, const LoopAxis& axis) {
    const auto start = static_bound(b, axis.start, 0), stop = static_bound(b, axis.stop, 0);
    const auto step = static_bound(b, axis.step, 1);
    if (!start || !stop || !step || *step == 0) return std::nullopt;
    return StaticRange{*start, *stop, *step};
}

uint64_t Body::add_round_loop(ForInfo& info) {
    if (round_loops.size() == 64) return 0;
    round_loops.push_back(&info);
    return uint64_t{1} << (round_loops.size() - 1);
}

void Body::unroll(uint64_t rounds) {
    for (size_t bit = 0; bit < round_loops.size(); ++bit) {
        if (rounds >> bit & 1) round_loops[bit]->must_unroll = true;
    }
}

bool Body::unroll_short_loops(uint64_t rounds, int64_t most) {
    int64_t together = 1;
    for (size_t bit = 0; bit < round_loops.size(); ++bit) {
        if (!(rounds >> bit & 1)) continue;
        int64_t count = kUsualRounds;
        const auto& axes = round_loops[bit]->axes;
        if (const auto range = axes.size() == 1 ? static_range(*this, axes[0]) : std::nullopt) count = range->length();
        if (count > most) return false;
        together *= std::max<int64_t>(count, 1);
        if (together > most) return false;
    }
    unroll(rounds);
    return true;
}

// Of the index of a loop, or of a local that is assigned once and follows from indices.
std::optional<Value> Body::value_in_round(const Slot& slot) {
    if (slot.in_round) return static_value(*slot.in_round, {});
    if (slot.bindings > 1 || !slot.once || slot.once->rounds == 0 || !slot.once_from) return std::nullopt;
    Value known = expr(*slot.once_from);
    if (known.type.is(Kind::tuple) != slot.once->type.is(Kind::tuple)) return std::nullopt;  // a part of it
    return known;
}

namespace {

// Goes through the rounds of some of the loops around, the outermost first, and gives their indices the values that
// they have there.
class RoundsWalk {
public:
    // `as_if`: a loop without rounds is gone through once, with the value that its index would begin with.
    RoundsWalk(Body& b, uint64_t rounds, bool as_if, std::function<bool()> each)
        : b_(b), rounds_(rounds), as_if_(as_if), each_(std::move(each)) {}

    // False where a bound is not known, where there are too many rounds, or where `each` said so.
    bool run() { return loop(0); }

private:
    bool loop(size_t bit) {
        while (bit < b_.round_loops.size() && !(rounds_ >> bit & 1)) ++bit;
        if (bit == b_.round_loops.size()) return left_-- > 0 && each_();
        const ForInfo& info = *b_.round_loops[bit];
        return info.elements ? elements(info, bit) : axis(info, 0, bit);
    }

    bool round(VariableId index, Static value, const std::function<bool()>& inner) {
        if (!index.valid()) return inner();
        Slot& slot = b_.slots[index.index];
        slot.in_round = std::move(value);
        const bool all = inner();
        slot.in_round.reset();
        return all;
    }

    bool elements(const ForInfo& info, size_t bit) {
        const std::optional<Static> known = b_.expr(*info.elements).value;
        const auto* parts = known ? known->tuple() : nullptr;
        return parts && info.targets.size() == 1 && std::ranges::all_of(*parts, [&](const Static& part) {
                   return round(info.targets[0], part, [&] { return loop(bit + 1); });
               });
    }

    bool axis(const ForInfo& info, size_t which, size_t bit) {
        if (which == info.axes.size()) return loop(bit + 1);
        const LoopAxis& axis = info.axes[which];
        const auto start = bound(axis.start, 0), stop = bound(axis.stop, 0), step = bound(axis.step, 1);
        if (!start || !stop || !step || *step == 0) return false;
        const StaticRange range{*start, *stop, *step};
        const int64_t count = std::max<int64_t>(range.length(), as_if_ ? 1 : 0);
        if (count > kMostRounds) return false;
        for (int64_t i = 0; i < count; ++i) {
            const Static at = Static::of(range.start + i * range.step);
            if (!round(axis.variable, at, [&] { return this->axis(info, which + 1, bit); })) return false;
        }
        return true;
    }

    std::optional<int64_t> bound(const Bound& bound, int64_t otherwise) {
        if (!bound.expr) return otherwise;
        const Value value = b_.expr(*bound.expr);
        return integer_of(value.value, value.dim, bound.element);
    }

    Body& b_;
    uint64_t rounds_;
    bool as_if_;
    std::function<bool()> each_;
    int64_t left_ = kMostRounds;
};

}  // namespace

std::optional<std::vector<std::vector<Static>>> values_by_round(Body& b, uint64_t rounds,
                                                                const std::vector<const ast::Expr*>& exprs) {
    std::vector<std::vector<Static>> found;
    // All of it was checked before: what is found out for one round is not kept.
    const bool aloud = std::exchange(b.aloud, false);
    const bool in_round = std::exchange(b.in_round, true);
    const auto kept = b.instance.exprs;
    const auto add = [&] {
        std::vector<Static> values;
        for (const ast::Expr* expr : exprs) {
            const Value value = b.expr(*expr);
            if (!value.value) return false;
            values.push_back(*value.value);
        }
        if (std::ranges::find(found, values) == found.end()) found.push_back(std::move(values));
        return found.size() <= kMostInstances;
    };
    bool all = RoundsWalk(b, rounds, false, add).run();
    if (all && found.empty()) all = RoundsWalk(b, rounds, true, add).run();
    b.instance.exprs = kept;
    b.in_round = in_round;
    b.aloud = aloud;
    if (!all) return std::nullopt;
    return found;
}

}  // namespace tsr::sema
