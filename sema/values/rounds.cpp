#include "sema/values/rounds.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "sema/program/round_values.h"
#include "sema/types/fold.h"

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
    if (!bound.expr.valid()) return otherwise;
    const ExprInfo& info = b.instance.info(bound.expr);
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

uint64_t add_round_loop(Body& b, ForInfo& info) {
    if (b.round_loops.size() == 64) return 0;
    b.round_loops.push_back({&info, &b});
    return uint64_t{1} << (b.round_loops.size() - 1);
}

void end_round_loops(Body& b, size_t first) {
    b.round_loops.resize(std::min(first, b.round_loops.size()));
    const uint64_t open = first >= 64 ? ~uint64_t{0} : (uint64_t{1} << first) - 1;
    for (Slot& slot : b.slots) slot.outlived |= slot.once && (slot.once->rounds & ~open) != 0;
}

void unroll(Body& b, uint64_t rounds) {
    for (size_t bit = 0; bit < b.round_loops.size(); ++bit) {
        if (rounds >> bit & 1) b.round_loops[bit].info->must_unroll = true;
    }
}

bool unroll_short_loops(Body& b, uint64_t rounds, int64_t most) {
    if (!unrolling_fixes(b, rounds)) return false;
    int64_t together = 1;
    for (size_t bit = 0; bit < b.round_loops.size(); ++bit) {
        if (!(rounds >> bit & 1)) continue;
        int64_t count = kUsualRounds;
        const auto& axes = b.round_loops[bit].info->axes;
        const Body& body = *b.round_loops[bit].body;
        if (const auto range = axes.size() == 1 ? static_range(body, axes[0]) : std::nullopt) count = range->length();
        if (count > most) return false;
        together *= std::max<int64_t>(count, 1);
        if (together > most) return false;
    }
    unroll(b, rounds);
    return true;
}

bool unrolling_fixes(const Body& b, uint64_t rounds) {
    if (b.rules().inlines_calls) return true;
    for (size_t bit = 0; bit < b.round_loops.size(); ++bit) {
        if ((rounds >> bit & 1) && b.round_loops[bit].body != &b) return false;
    }
    return true;
}

uint64_t rounds_of_variable(Body& b, const Slot& slot) {
    const auto& captured = b.instance.variables[slot.id.index].captured;
    if (!captured) {
        if (slot.bindings > 1 || !slot.once) return slot.rounds;
        return slot.outlived ? 0 : slot.once->rounds;
    }
    Body* owner = b.body_of(captured->first);
    if (!owner || owner == &b) return 0;
    const uint64_t theirs = rounds_of_variable(*owner, owner->slots[captured->second.index]);
    uint64_t ours = 0;
    for (size_t bit = 0; bit < owner->round_loops.size(); ++bit) {
        if (!(theirs >> bit & 1)) continue;
        const RoundLoop loop = owner->round_loops[bit];
        auto known = std::ranges::find(b.round_loops, loop.info, &RoundLoop::info);
        if (known == b.round_loops.end()) {
            if (b.round_loops.size() == 64) return 0;
            b.round_loops.push_back(loop);
            known = b.round_loops.end() - 1;
        }
        ours |= uint64_t{1} << (known - b.round_loops.begin());
    }
    return ours;
}

namespace {

// Goes through the rounds of some of the loops around, the outermost first, and gives their variables the values that
// they have there.
class RoundsWalk {
public:
    // `as_if`: a loop without rounds is gone through once, with the value that its index would begin with.
    RoundsWalk(Body& b, uint64_t rounds, bool as_if, std::function<bool()> each)
        : b_(b), as_if_(as_if), each_(std::move(each)) {
        for (size_t bit = 0; bit < b.round_loops.size(); ++bit) {
            if (rounds >> bit & 1) loops_.push_back(b.round_loops[bit]);
        }
        // Loops of the bodies around come first, in their order there; a body may have read their variables later.
        const auto place = [](const RoundLoop& loop) {
            size_t depth = 0;
            for (const Body* around = loop.body->enclosing; around; around = around->enclosing) ++depth;
            const auto at = std::ranges::find(loop.body->round_loops, loop.info, &RoundLoop::info);
            return std::pair(depth, at - loop.body->round_loops.begin());
        };
        std::ranges::stable_sort(loops_, {}, place);
    }

    // False where a bound is not known, where there are too many rounds, or where `each` said so.
    bool run() { return loop(0); }

    Folded value(Body& body, const ast::Expr& e) {
        return value_in_round({body.checker.program, body.instance, [&](VariableId id) { return variable(body, id); }},
                              e);
    }
    // Whether the conditions around the text let this round through, as far as they are known.
    bool is_reached() {
        for (Body* body = &b_; body; body = body->enclosing) {
            for (const auto& [condition, holds] : body->round_conditions) {
                const Folded known = value(*body, *condition);
                const auto truth = known.value ? known.value->truth() : std::nullopt;
                if (truth && *truth != holds) return false;
            }
        }
        return true;
    }
    // "2", "(0, 1)"
    [[nodiscard]] std::string round_text() const {
        std::string text;
        for (const Static& at : at_) text += (text.empty() ? "" : ", ") + at.text();
        return at_.size() == 1 ? text : "(" + text + ")";
    }

private:
    bool loop(size_t which) {
        if (which == loops_.size()) return left_-- > 0 && each_();
        const RoundLoop& loop = loops_[which];
        return loop.info->elements.valid() ? elements(loop, which) : axis(loop, 0, which);
    }

    bool elements(const RoundLoop& loop, size_t which) {
        const Folded known = value(*loop.body, *loop.body->expr(loop.info->elements));
        const auto* parts = known.value ? known.value->tuple() : nullptr;
        return parts && loop.info->target.valid() && std::ranges::all_of(*parts, [&](const Static& part) {
                   bind(*loop.body, *loop.body->expr(loop.info->target), part);
                   return round(part, [&] { return this->loop(which + 1); });
               });
    }

    // The names of a target, which may be a tuple of others.
    void bind(Body& body, const ast::Expr& target, const Static& value) {
        const std::vector<const ast::Expr*>* names = nullptr;
        if (const auto* tuple = std::get_if<ast::Tuple>(&target.node)) names = &tuple->elements;
        if (const auto* list = std::get_if<ast::List>(&target.node)) names = &list->elements;
        if (!names) {
            const auto* variable = std::get_if<VariableId>(&body.instance.info(target).referent);
            if (variable) hold(body, *variable, value);
            return;
        }
        const auto* parts = value.tuple();
        for (size_t i = 0; parts && i < names->size() && i < parts->size(); ++i) bind(body, *(*names)[i], (*parts)[i]);
    }

    void hold(Body& body, VariableId variable, const Static& value) {
        followed_.clear();
        held_[{&body, variable}] = as_variable(body.slots[variable.index], value);
    }

    // Of the type that the variable has; a pass in which that is not known yet is not the last in silence.
    static Static as_variable(Slot& slot, const Static& value) {
        if (slot.known) return held(value, slot.settled);
        slot.read_as = Type::unknown();
        return value;
    }

    bool round(const Static& at, const std::function<bool()>& inner) {
        at_.push_back(at);
        const bool all = inner();
        at_.pop_back();
        return all;
    }

    bool axis(const RoundLoop& loop, size_t which_axis, size_t which) {
        if (which_axis == loop.info->axes.size()) return this->loop(which + 1);
        const LoopAxis& axis = loop.info->axes[which_axis];
        const auto start = bound(*loop.body, axis.start, 0), stop = bound(*loop.body, axis.stop, 0),
                   step = bound(*loop.body, axis.step, 1);
        if (!start || !stop || !step || *step == 0) return false;
        const StaticRange range{*start, *stop, *step};
        const int64_t count = std::max<int64_t>(range.length(), as_if_ ? 1 : 0);
        if (count > kMostRounds) return false;
        for (int64_t i = 0; i < count; ++i) {
            const Static at = Static::of(range.start + i * range.step);
            if (axis.variable.valid()) hold(*loop.body, axis.variable, at);
            if (!round(at, [&] { return this->axis(loop, which_axis + 1, which); })) return false;
        }
        return true;
    }

    std::optional<int64_t> bound(Body& body, const Bound& bound, int64_t otherwise) {
        if (!bound.expr.valid()) return otherwise;
        return integer_of(value(body, *body.expr(bound.expr)).value, body.instance.info(bound.expr).dim, bound.element);
    }

    // The variable of a loop, one that is assigned once and follows from such, or one of a body around.
    Folded variable(Body& body, VariableId id) {
        if (const auto given = held_.find({&body, id}); given != held_.end()) return {given->second, ""};
        Slot& slot = body.slots[id.index];
        if (const auto& captured = body.instance.variables[id.index].captured) {
            Body* owner = body.body_of(captured->first);
            return owner && owner != &body ? variable(*owner, captured->second) : Folded{};
        }
        if (slot.bindings > 1 || !slot.once || slot.outlived) return {};
        if (slot.once->value) return {slot.once->value, ""};
        if (slot.once->rounds == 0 || !slot.once_from) return {};
        // What is found in one round is kept for it: each name of a chain may stand twice in the next one.
        const auto [found, fresh] = followed_.try_emplace({&body, id});
        if (fresh) found->second = followed(body, slot);
        return found->second;
    }

    Folded followed(Body& body, Slot& slot) {
        Folded known = value(body, *slot.once_from);
        for (const size_t part : slot.once_part) {
            const auto* parts = known.value ? known.value->tuple() : nullptr;
            if (!parts || part >= parts->size()) return {std::nullopt, known.fault};
            known.value = Static((*parts)[part]);
        }
        if (known.value) known.value = as_variable(slot, *known.value);
        return known;
    }

    Body& b_;
    bool as_if_;
    std::function<bool()> each_;
    std::vector<RoundLoop> loops_;
    std::vector<Static> at_;
    std::map<std::pair<const Body*, VariableId>, Static> held_;
    std::map<std::pair<const Body*, VariableId>, Folded> followed_;
    int64_t left_ = kMostRounds;
};

}  // namespace

ValuesByRound values_by_round(Body& b, uint64_t rounds, const std::vector<const ast::Expr*>& exprs) {
    ValuesByRound result;
    const auto gather = [&](bool as_if) {
        result = {};
        RoundsWalk* walking = nullptr;
        std::set<std::string> seen;  // two numbers that are equal may differ: 0.0 and -0.0
        RoundsWalk walk(b, rounds, as_if, [&] {
            if (as_if ? !result.values.empty() : !walking->is_reached()) return true;
            std::vector<Static> values;
            std::string text;
            for (const ast::Expr* expr : exprs) {
                Folded one = walking->value(b, *expr);
                if (!one.value) {
                    result.faulty = expr;
                    if (!one.fault.empty())
                        result.fault = fmt::format("{} in the round {}", one.fault, walking->round_text());
                    return as_if;
                }
                const std::string own = one.value->text();
                text += fmt::format("{}:{}", own.size(), own);
                values.push_back(std::move(*one.value));
            }
            if (seen.insert(std::move(text)).second) result.values.push_back(std::move(values));
            return result.values.size() <= kMostInstances;
        });
        walking = &walk;
        const bool all = walk.run();
        if (!all) result.values.clear();
        return all;
    };
    if (gather(false) && result.values.empty()) gather(true);
    return result;
}

bool is_never_negative(Body& b, const ast::Expr& e, uint64_t rounds) {
    const ValuesByRound found = values_by_round(b, rounds, {&e});
    return !found.values.empty() && std::ranges::all_of(found.values, [](const std::vector<Static>& values) {
        return values[0].integer().value_or(-1) >= 0;
    });
}

}  // namespace tsr::sema
