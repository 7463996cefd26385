#include "sema/expressions/stored_parts.h"

#include <algorithm>

#include <fmt/format.h>

#include "sema/expressions/comprehensions.h"
#include "sema/expressions/element_indexing.h"
#include "sema/expressions/records.h"
#include "sema/state/recursion.h"
#include "sema/types/containers.h"
#include "sema/values/stored_forms.h"

namespace tsr::sema {

namespace {

// What is taken along one axis.
struct TakenAxis {
    const ast::Expr* index = nullptr;  // as it is written; null: all of it
    bool dropped = false;              // a number
    // Of the axis of the blocks: which of them, from and to.
    std::optional<std::pair<std::optional<int64_t>, std::optional<int64_t>>> blocks;
    std::string text;  // tells apart what different signatures take
};

// Whether an index may stand for the values and for the scales: it has no effect.
bool may_stand_twice(const ast::Expr& e) {
    if (const auto* sum = std::get_if<ast::Binary>(&e.node))
        return may_stand_twice(*sum->lhs) && may_stand_twice(*sum->rhs);
    if (const auto* sign = std::get_if<ast::Unary>(&e.node)) return may_stand_twice(*sign->operand);
    return std::holds_alternative<ast::IntLiteral>(e.node) || is_path(e);
}

class Part {
public:
    Part(Body& b, const ast::Expr& e, const ast::Subscript& s, const Value& base)
        : b_(b), e_(e), s_(s), base_(base), form_(*stored_form(b, base.type)), syntax_(b.checker.program.made) {}

    Value value() {
        auto taken = axes();
        if (!taken) return {};
        const auto rank = static_cast<int64_t>(taken->size());
        int64_t axis = form_.axis, kept = 0;  // of the part: along which its blocks lie, how many axes it has
        for (int64_t at = 0; at < rank; ++at) {
            const bool dropped = (*taken)[static_cast<size_t>(at)].dropped;
            kept += dropped ? 0 : 1;
            if (dropped && at > rank + form_.axis) ++axis;
        }
        std::string text = shown(base_.type);
        for (const TakenAxis& one : *taken) text += "," + one.text;
        const ast::Expr& call = part_call(text, *taken, axis, kept);
        const size_t outer_names = b_.inner_names.size();
        if (!is_path(*s_.base)) {
            const ast::Expr& name = name_of_base();
            bind_inner_names(b_, name);
            assign_to(b_, name, base_, *s_.base);
        }
        const Value part = expression(b_, call);
        b_.inner_names.resize(outer_names);
        return part;
    }

private:
    // ---- what is taken ----
    // Nothing after a message.
    std::optional<std::vector<TakenAxis>> axes() {
        const std::vector<const ast::Expr*> indices = flat_indices(s_);
        const size_t rank = base_.type.parts()[0].rank();
        const auto is_rest = [](const ast::Expr* index) {
            return std::holds_alternative<ast::EllipsisLiteral>(index->node);
        };
        const auto rests = static_cast<size_t>(std::ranges::count_if(indices, is_rest));
        const bool whole = !form_.block;
        if (whole || rests > 1 || indices.size() - rests > rank) {
            for (const ast::Expr* index : indices) evaluate(*index);
            if (whole) {
                b_.error("E0310", e_.span,
                         fmt::format("{} is not indexed: its policy reads the whole tensor at once", shown(base_.type)))
                    .note("index what `dequantize` gives");
            } else {
                b_.error("E0310", e_.span, fmt::format("{} has {} axes", shown(base_.type), rank));
            }
            return std::nullopt;
        }
        std::vector<TakenAxis> taken;
        bool ok = true;
        for (const ast::Expr* index : indices) {
            if (is_rest(index)) {
                taken.resize(taken.size() + rank - (indices.size() - 1));
                continue;
            }
            const bool blocked =
                static_cast<int64_t>(taken.size() + form_axis_from_end()) == static_cast<int64_t>(rank);
            auto one = blocked ? blocks_of(*index) : elements_of(*index);
            ok = ok && one;
            taken.push_back(one.value_or(TakenAxis{}));
        }
        taken.resize(rank);
        return ok ? std::optional(std::move(taken)) : std::nullopt;
    }

    [[nodiscard]] size_t form_axis_from_end() const { return static_cast<size_t>(-form_.axis); }

    void evaluate(const ast::Expr& index) {
        const auto* slice = std::get_if<ast::Slice>(&index.node);
        if (!slice) return void(expression(b_, index));
        for (const ast::Expr* bound : {slice->lower, slice->upper, slice->step}) {
            if (bound) expression(b_, *bound);
        }
    }

    // Of an axis along which each element has scales of its own.
    std::optional<TakenAxis> elements_of(const ast::Expr& index) {
        const auto* slice = std::get_if<ast::Slice>(&index.node);
        const Value number = slice ? Value{} : expression(b_, index);
        if (!slice && number.broken()) return std::nullopt;
        if (!slice && !number.type.is_integer()) {
            b_.error(
                  "E0310", index.span,
                  fmt::format("{} is indexed by numbers and slices, this is {}", shown(base_.type), shown(number.type)))
                .note("index what `dequantize` gives");
            return std::nullopt;
        }
        const std::vector<const ast::Expr*> parts =
            slice ? std::vector{slice->lower, slice->upper, slice->step} : std::vector{&index};
        for (const ast::Expr* part : parts) {
            if (!part || may_stand_twice(*part)) continue;
            b_.error("E0601", part->span,
                     fmt::format("an index of {} that calls a function is not compiled yet", shown(base_.type)))
                .note("give it a name first");
            return std::nullopt;
        }
        return TakenAxis{&index, slice == nullptr, {}, slice ? "slice" : "number"};
    }

    // Of the axis of the blocks: as many elements, and the scales of their blocks.
    std::optional<TakenAxis> blocks_of(const ast::Expr& index) {
        const int64_t n = *form_.block;
        const auto* slice = std::get_if<ast::Slice>(&index.node);
        evaluate(index);
        if (!slice || slice->step) {
            b_.error("E0324", index.span,
                     fmt::format("{} elements along this axis share a scale: a part of {} is whole blocks of them", n,
                                 shown(base_.type)))
                .note(fmt::format(
                    "a slice with static bounds that are multiples of {}; or index what `dequantize` gives", n));
            return std::nullopt;
        }
        const auto block = [&](const ast::Expr* bound) -> std::optional<int64_t> {
            const Value value = expression(b_, *bound);
            const auto at = value.value ? value.value->integer() : std::nullopt;
            if (at && *at >= 0 && *at % n == 0) return *at / n;
            if (value.broken()) return std::nullopt;
            b_.error("E0324", bound->span,
                     fmt::format("{} elements along this axis share a scale: a slice of {} begins and ends at static "
                                 "multiples of {}",
                                 n, shown(base_.type), n));
            return std::nullopt;
        };
        const auto lower = slice->lower ? block(slice->lower) : std::nullopt;
        const auto upper = slice->upper ? block(slice->upper) : std::nullopt;
        if ((slice->lower && !lower) || (slice->upper && !upper)) return std::nullopt;
        const auto text = [](const std::optional<int64_t>& bound) { return bound ? std::to_string(*bound) : ""; };
        return TakenAxis{&index, false, std::pair(lower, upper), text(lower) + ":" + text(upper)};
    }

    // ---- the part as an expression ----
    const ast::Expr& name_of_base() {
        ast::ExprId& made = syntax_.tree_names[b_.key(*s_.base)];
        if (!made.valid())
            made = syntax_.expr(s_.base->span, ast::Name{fmt::format("stored {}", syntax_.tree_names.size())}).id;
        return *b_.expr(made);
    }

    const ast::Expr& number(int64_t value) {
        const ast::Expr& size = syntax_.expr(e_.span, ast::IntLiteral{static_cast<uint64_t>(std::abs(value))});
        return value < 0 ? syntax_.expr(e_.span, ast::Unary{ast::UnaryOp::minus, &size}) : size;
    }

    // `q._policy._along(axis, rank)(q.values[…], q.scale[…], q.tensor_scale)`
    const ast::Expr& part_call(const std::string& text, const std::vector<TakenAxis>& taken, int64_t axis,
                               int64_t rank) {
        ast::ExprId& made = syntax_.tree_parts[{b_.key(e_), "part " + text}];
        if (made.valid()) return *b_.expr(made);
        const ast::Expr& whole = is_path(*s_.base) ? *s_.base : name_of_base();
        const auto field = [&](const std::string& name) {
            return &syntax_.expr(e_.span, ast::Attribute{&whole, {name, {}}});
        };
        const auto bound = [&](const std::optional<int64_t>& at) { return at ? &number(*at) : nullptr; };
        const auto part = [&](const std::string& name, bool scales) {
            std::vector<const ast::Expr*> indices;
            for (const TakenAxis& one : taken) {
                const bool written = one.index && !(scales && one.blocks);
                const ast::Slice slice = one.blocks && scales
                                             ? ast::Slice{bound(one.blocks->first), bound(one.blocks->second)}
                                             : ast::Slice{};
                indices.push_back(written ? one.index : &syntax_.expr(e_.span, slice));
            }
            return &syntax_.expr(e_.span, ast::Subscript{field(name), std::move(indices)});
        };
        ast::Call along{&syntax_.expr(e_.span, ast::Attribute{field("_policy"), {"_along", {}}}), {}};
        along.arguments.push_back({std::nullopt, &number(axis)});
        along.arguments.push_back({std::nullopt, &number(rank)});
        ast::Call call{&syntax_.expr(e_.span, std::move(along)), {}};
        call.arguments.push_back({std::nullopt, part("values", false)});
        call.arguments.push_back({std::nullopt, part("scale", true)});
        if (form_.rule == StoredForm::Rule::nvfp4) call.arguments.push_back({std::nullopt, field("tensor_scale")});
        made = syntax_.expr(e_.span, std::move(call)).id;
        syntax_.library_calls[b_.key(e_)].push_back(made);
        return *b_.expr(made);
    }

    Body& b_;
    const ast::Expr& e_;
    const ast::Subscript& s_;
    const Value& base_;
    StoredForm form_;
    MadeSyntax& syntax_;
};

}  // namespace

Value part_of_stored(Body& b, const ast::Expr& e, const ast::Subscript& s, const Value& base) {
    return Part(b, e, s, base).value();
}

Value transposed_stored(Body& b, const ast::Expr& e, const ast::Attribute& a, const Value& base) {
    const StoredForm& form = *stored_form(b, base.type);
    if (const size_t rank = base.type.parts()[0].rank(); rank < 2) {
        b.error("E0310", a.name.span, fmt::format("`.T` swaps the last two axes; this has {}", rank));
        return {};
    }
    if (form.rule == StoredForm::Rule::own) {
        b.error("E0310", a.name.span,
                fmt::format("{} has no `.T`: a precision policy scales whole tensors, or blocks of the last axis",
                            shown(base.type)))
            .note("transpose what `dequantize` gives");
        return {};
    }
    return library_call(b, e, {.name = "_turned", .file = "quantization", .signature = {}, .doc = {}}, {a.base});
}

}  // namespace tsr::sema
