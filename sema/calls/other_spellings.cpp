#include "sema/calls/other_spellings.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "sema/calls/builtin_dispatch.h"
#include "sema/calls/generators.h"
#include "sema/program/movements.h"
#include "sema/state/recursion.h"
#include "sema/types/numeric.h"
#include "sema/values/requirements.h"

namespace tsr::sema {

namespace {

using Arguments = std::vector<ast::Argument>;

ast::Argument by_keyword(const std::string& keyword, const ast::Expr& value) {
    return {ast::Identifier{keyword, value.span}, &value};
}

const ast::Argument* argument_named(const Arguments& all, std::string_view keyword, size_t position) {
    const auto named =
        std::ranges::find_if(all, [&](const auto& one) { return one.keyword && one.keyword->text == keyword; });
    if (named != all.end()) return &*named;
    const bool written = position < all.size() && !all[position].keyword && !all[position].unpacked;
    return written ? &all[position] : nullptr;
}

// A built-in function by its name, whatever the program calls by it.
Value value_of_made(Body& b, const ast::Expr& call) {
    if (const Value* known = b.found(call)) return *known;
    const auto& node = std::get<ast::Call>(call.node);
    for (const ast::Argument& argument : node.arguments) {
        const auto* inner = std::get_if<ast::Call>(&argument.value->node);
        if (inner && b.checker.program.made.find(argument.value->id)) (void)value_of_made(b, *argument.value);
    }
    const BuiltinEntry& row = *builtin_at(std::get<ast::Name>(node.callee->node).text);
    return b.record(call, builtin_call(b, call, node, row, nullptr));
}

// `full((1, 1), number)` with as many axes
const ast::Expr& one_element(Body& b, const ast::Expr& number, size_t axes) {
    MadeSyntax& syntax = b.checker.program.made;
    std::vector<const ast::Expr*> ones;
    for (size_t i = 0; i < axes; ++i) ones.push_back(&syntax.expr(number.span, ast::IntLiteral{1}));
    return made_call(b, number.span, "full",
                     {{std::nullopt, &syntax.expr(number.span, ast::Tuple{ones})}, {std::nullopt, &number}});
}

// `transpose(x, axes=(1, 0))`
std::optional<Value> transposed_by(Body& b, const ast::Expr& e, Arguments all) {
    if (all.size() != 2 || !all[1].keyword || all[1].keyword->text != "axes") return std::nullopt;
    all[1].keyword.reset();
    return standing_call(b, e, "transpose", std::move(all));
}

// `cumsum(x)`, `take(x, ids)` of several axes: of all elements as one row.
std::optional<Value> of_all_elements(Body& b, const ast::Expr& e, Arguments all, const BuiltinEntry& row) {
    const size_t axis = row.id == Builtin::take ? 2 : 1;
    const ast::Argument* x = argument_named(all, "x", 0);
    const ast::Argument* written = argument_named(all, "axis", axis);
    const bool none = written && std::holds_alternative<ast::NoneLiteral>(written->value->node);
    if (!x || (written && !none)) return std::nullopt;
    const Value value = expression(b, *x->value);
    if (!value.type.is(Kind::tensor) || value.type.rank() < 2) return std::nullopt;
    const ast::Expr *of = x->value, *without = none ? written->value : nullptr;
    if (without) expression(b, *without);
    std::erase_if(all, [&](const ast::Argument& one) { return one.value == without; });
    if (b.checker.program.made.library_call(b.key(e), row.paths.front()) != nullptr)
        return standing_call(b, e, row.paths.front(), {});
    for (ast::Argument& one : all) {
        if (one.value == of) one = {std::nullopt, &made_call(b, one.value->span, "flatten", {one})};
        if (one.keyword && one.keyword->text == "x") one.keyword.reset();
    }
    return standing_call(b, e, row.paths.front(), std::move(all));
}

Value movement(Body& b, const ast::Expr& e, std::string_view name, const std::vector<const ast::Expr*>& operands) {
    return library_call(b, e, {.name = name, .file = "movements", .signature = {}, .doc = {}}, operands);
}

// `roll(x, k)` or `repeat(x, k)` by a number that only the run knows, or that differs by the round of a loop. `names`:
// of the functions along an axis and of all elements as one row.
std::optional<Value> moved_by_number(Body& b, const ast::Expr& e, const ast::Expr& x, const ast::Expr& number,
                                     const ast::Expr* axis, std::pair<std::string_view, std::string_view> names) {
    const Value by = expression(b, number);
    if (by.value || !by.type.is_integer() || !expression(b, x).type.is(Kind::tensor)) return std::nullopt;
    std::vector<const ast::Expr*> operands{&x, &number};
    if (axis) operands.push_back(axis);
    return movement(b, e, axis ? names.first : names.second, operands);
}

std::optional<Value> repeated_by_number(Body& b, const ast::Expr& e, const Arguments& all) {
    const ast::Argument *x = argument_named(all, "x", 0), *times = argument_named(all, "repeats", 1),
                        *axis = argument_named(all, "axis", 2);
    if (!x || !times) return std::nullopt;
    return moved_by_number(b, e, *x->value, *times->value, axis ? axis->value : nullptr,
                           {"_repeated", "_repeated_as_one"});
}

// `roll(x, (1, 2), axis=(0, 1))`: along one axis after the other.
std::optional<Value> rolled_along(Body& b, const ast::Expr& e, const Arguments& all) {
    const ast::Argument *x = argument_named(all, "x", 0), *shift = argument_named(all, "shift", 1),
                        *axis = argument_named(all, "axis", 2);
    if (!x || !shift) return std::nullopt;
    const bool one = !std::holds_alternative<ast::Tuple>(shift->value->node) &&
                     (!axis || !std::holds_alternative<ast::Tuple>(axis->value->node));
    if (one)
        return moved_by_number(b, e, *x->value, *shift->value, axis ? axis->value : nullptr,
                               {"_rolled", "_rolled_as_one"});
    if (!axis) return std::nullopt;
    const auto* shifts = std::get_if<ast::Tuple>(&shift->value->node);
    const auto* axes = std::get_if<ast::Tuple>(&axis->value->node);
    if (!axes && !shifts) return std::nullopt;
    const size_t count = shifts ? shifts->elements.size() : axes->elements.size();
    if (count == 0 || (axes && axes->elements.size() != count)) return std::nullopt;
    for (const ast::Argument* written : {shift, axis}) expression(b, *written->value);
    if (b.checker.program.made.library_call(b.key(e), "roll") != nullptr) return standing_call(b, e, "roll", {});
    const ast::Expr* value = x->value;
    for (size_t i = 0; i < count; ++i) {
        Arguments along{{std::nullopt, value},
                        {std::nullopt, shifts ? shifts->elements[i] : shift->value},
                        by_keyword("axis", axes ? *axes->elements[i] : *axis->value)};
        if (i + 1 == count) return standing_call(b, e, "roll", std::move(along));
        value = &made_call(b, e.span, "roll", std::move(along));
    }
    return std::nullopt;
}

// `pad(x, ((p, p), (0, q)))` by numbers that only the run knows.
std::optional<Value> padded_by_numbers(Body& b, const ast::Expr& e, const Arguments& all) {
    const ast::Argument *x = argument_named(all, "x", 0), *widths = argument_named(all, "widths", 1),
                        *fill = argument_named(all, "value", 2), *mode = argument_named(all, "mode", 3);
    if (!x || !widths || mode) return std::nullopt;
    const Value given = expression(b, *widths->value);
    const Type tensor = expression(b, *x->value).type;
    if (given.value || given.broken() || !tensor.is(Kind::tensor)) return std::nullopt;
    const auto is_pair = [](const Type& type) {
        return type.is(Kind::tuple) && type.parts().size() == 2 &&
               std::ranges::all_of(type.parts(), [](const Type& part) { return part.is_integer(); });
    };
    const bool of_each = given.type.is(Kind::tuple) && given.type.parts().size() == tensor.rank() &&
                         std::ranges::all_of(given.type.parts(), is_pair);
    std::vector<const ast::Expr*> operands{x->value, widths->value};
    if (fill) operands.push_back(fill->value);
    if (of_each) return movement(b, e, "_padded_by_pairs", operands);
    if (is_pair(given.type)) return movement(b, e, "_padded_by_pair", operands);
    if (given.type.is_integer()) return movement(b, e, "_padded_by_number", operands);
    return std::nullopt;
}

// `from_list(values, T)` of numbers that are not of that type, and do not become it by themselves: converted as `cast`
// does.
std::optional<Value> converted_list(Body& b, const ast::Expr& e, const Arguments& all) {
    const ast::Argument *values = argument_named(all, "values", 0), *to = argument_named(all, "T", 1);
    if (!values || !to || all.size() != 2) return std::nullopt;
    Type type = expression(b, *values->value).type;
    if (!type.is(Kind::list)) return std::nullopt;
    while (type.is(Kind::list)) type = Type(type.parts()[0]);
    if (!type.is_scalar()) return std::nullopt;
    const auto elem = named_dtype(b, *to->value);
    if (!elem || is_complex(type) || *elem == DType::c64 || converts(type, {}, Type::scalar(*elem)) ||
        unfit_number(b, *values->value, Type::scalar(*elem)) != nullptr)
        return std::nullopt;
    if (b.checker.program.made.library_call(b.key(e), "cast") != nullptr) return standing_call(b, e, "cast", {});
    const ast::Expr& list = made_call(b, e.span, "from_list", {{std::nullopt, values->value}});
    return standing_call(b, e, "cast", {{std::nullopt, &list}, {std::nullopt, to->value}});
}

// `stack([a, b])` of numbers: a vector of them.
std::optional<Value> stacked_numbers(Body& b, const ast::Expr& e, const Arguments& all) {
    if (all.size() != 1 || all[0].keyword || all[0].unpacked) return std::nullopt;
    const auto* list = std::get_if<ast::List>(&all[0].value->node);
    const auto* tuple = std::get_if<ast::Tuple>(&all[0].value->node);
    if (!list && !tuple) return std::nullopt;
    const std::vector<const ast::Expr*>& items = list ? list->elements : tuple->elements;
    const auto is_number = [&](const ast::Expr* item) { return expression(b, *item).type.is_number(); };
    if (items.empty() || !std::ranges::all_of(items, is_number)) return std::nullopt;
    if (list) return standing_call(b, e, "from_list", all);
    expression(b, *all[0].value);
    if (b.checker.program.made.library_call(b.key(e), "from_list") != nullptr)
        return standing_call(b, e, "from_list", {});
    const ast::Expr& numbers = b.checker.program.made.expr(all[0].value->span, ast::List{items});
    return standing_call(b, e, "from_list", {{std::nullopt, &numbers}});
}

// `stack(rows)`, `concat(parts, axis=1)` of a list whose length the run knows.
std::optional<Value> joined_list(Body& b, const ast::Expr& e, const Arguments& all, std::string_view function) {
    const ast::Argument *items = argument_named(all, "tensors", 0), *axis = argument_named(all, "axis", 1);
    if (!b.rules().host_objects || !items || all.size() > 2) return std::nullopt;
    const ast::Expr& list = *items->value;
    if (std::holds_alternative<ast::List>(list.node) || std::holds_alternative<ast::Tuple>(list.node))
        return std::nullopt;
    const Type type = expression(b, list).type;
    if (!type.is(Kind::list) || !type.parts()[0].is(Kind::tensor)) return std::nullopt;
    std::vector<const ast::Expr*> operands{&list};
    if (axis) operands.push_back(axis->value);
    return library_call(b, e, {.name = function, .file = "making", .signature = {}, .doc = {}}, operands);
}

// `max("a", "b")`, `max(a, b, key=f)`: of the list of them.
std::optional<Value> best_argument(Body& b, const ast::Expr& e, std::span<const ast::Argument> given,
                                   const ast::Expr* key, std::string_view function, const Type& first) {
    const bool plain = std::ranges::none_of(given, [](const auto& one) { return one.keyword || one.unpacked; });
    if (!plain || (!key && !first.is(Kind::string) && !first.is(Kind::tuple))) return std::nullopt;
    const std::string name = fmt::format("_{}{}", function, key ? "_by" : "");
    MadeSyntax& syntax = b.checker.program.made;
    const ast::Expr* list = given[0].value;
    if (syntax.library_call(b.key(e), name) == nullptr) {
        std::vector<const ast::Expr*> items;
        for (const ast::Argument& one : given) items.push_back(one.value);
        list = &syntax.expr(e.span, ast::List{std::move(items)});
    }
    std::vector<const ast::Expr*> operands{list};
    if (key) operands.push_back(key);
    return library_call(b, e, {.name = name, .file = "order", .signature = {}, .doc = {}}, operands);
}

// `max(words, key=len)`; `max(words)` of strings or tuples; `max(names_to_ages)`, `max("text")`, `max(range(n),
// key=f)`.
std::optional<Value> best_item(Body& b, const ast::Expr& e, const Arguments& all, std::string_view function) {
    if (!b.rules().host_objects || all.empty() || all[0].keyword || all[0].unpacked) return std::nullopt;
    const ast::Expr& items = *all[0].value;
    const bool by_key = all.size() >= 2 && all.back().keyword && all.back().keyword->text == "key";
    const size_t given = all.size() - (by_key ? 1 : 0);
    if (by_key) take_generator(b, items);
    const Type type = expression(b, items).type;
    if (by_key && type.is_unknown()) return Value{};  // it has an error
    if (given > 1)
        return best_argument(b, e, std::span(all).first(given), by_key ? all.back().value : nullptr, function, type);
    const bool text = type.is(Kind::string), keys = type.is(Kind::dict) && type.parts()[0].is(Kind::string);
    const bool gone_through = text || type.is(Kind::dict) || type.is(Kind::range);
    if (!type.is(Kind::list) && !gone_through) return std::nullopt;
    const bool ordered_items =
        type.is(Kind::list) && (type.parts()[0].is(Kind::string) || type.parts()[0].is(Kind::tuple));
    if (!by_key && !ordered_items && !text && !keys) return std::nullopt;
    const std::string name = fmt::format("_{}{}", function, by_key ? "_by" : "");
    const bool made = b.checker.program.made.library_call(b.key(e), name) != nullptr;
    std::vector<const ast::Expr*> operands{
        gone_through && !made ? &made_call(b, items.span, "list", {{std::nullopt, &items}}) : &items};
    if (by_key) operands.push_back(all.back().value);
    return library_call(b, e, {.name = name, .file = "order", .signature = {}, .doc = {}}, operands);
}

// `dict(zip(names, values))`
std::optional<Value> dict_of_pairs(Body& b, const ast::Expr& e, const Arguments& all) {
    if (!b.rules().host_objects || all.size() != 1 || all[0].keyword || all[0].unpacked) return std::nullopt;
    take_generator(b, *all[0].value);
    const Type type = expression(b, *all[0].value).type;
    if (type.is_unknown()) return Value{};  // it has an error
    const bool pairs = type.is(Kind::list) && type.parts()[0].is(Kind::tuple) && type.parts()[0].parts().size() == 2;
    if (!pairs) return std::nullopt;
    return library_call(b, e, {.name = "_dict_of", .file = "items", .signature = {}, .doc = {}}, {all[0].value});
}

// `atomic.add(h, i, 1)`, as other languages write it.
std::optional<Value> atomic_at_index(Body& b, const ast::Expr& e, const ast::Call& c, const Arguments& all) {
    const bool plain = std::ranges::none_of(all, [](const auto& one) { return one.keyword || one.unpacked; });
    if (all.size() != 3 || !plain || !expression(b, *all[0].value).type.is(Kind::tensor)) return std::nullopt;
    for (size_t i = 1; i < all.size(); ++i) expression(b, *all[i].value);
    const auto* at = std::get_if<ast::Tuple>(&all[1].value->node);
    std::string index = b.source(*all[1].value);
    if (at && all[1].value->parenthesized) index = index.substr(1, index.size() - 2);
    b.error("E0315", all[1].value->span, "the element that it changes is the first argument")
        .suggest(
            e.span,
            fmt::format("{}({}[{}], {})", b.source(*c.callee), b.source(*all[0].value), index, b.source(*all[2].value)),
            "index it there");
    return Value{};
}

// `round(x, 2)`
std::optional<Value> rounded_to_digits(Body& b, const ast::Expr& e, const Arguments& all) {
    if (all.size() != 2 || all[0].keyword || all[0].unpacked || all[1].unpacked) return std::nullopt;
    const bool named = all[1].keyword && (all[1].keyword->text == "decimals" || all[1].keyword->text == "ndigits");
    if (all[1].keyword && !named) return std::nullopt;
    return library_call(b, e, {.name = "_rounded", .file = "math", .signature = {}, .doc = {}},
                        {all[0].value, all[1].value});
}

// A number is a tensor of no axes: what these functions say of it they say of a tensor of one element.
std::optional<Value> of_number(Body& b, const ast::Expr& e, const Arguments& all, const BuiltinEntry& row) {
    const ast::Argument* x = argument_named(all, "x", 0);
    if (!b.rules().tensor_values || !x) return std::nullopt;
    const Type type = expression(b, *x->value).type;
    if (!(type.is_number() || type.is_bool()) || is_complex(type)) return std::nullopt;
    const bool shaped = row.id == Builtin::reshape || row.id == Builtin::broadcast_to;
    const bool in_order = std::ranges::all_of(all, [&](const ast::Argument& one) {
        if (&one == x || shaped) return true;
        if (!one.keyword || one.keyword->text == "out") return one.keyword.has_value();
        const Value value = expression(b, *one.value);
        if (one.keyword->text == "axis") return value.type.is(Kind::none) || (value.value && value.value->is_none());
        return one.keyword->text == "keepdims" && value.value && value.value->truth() == false;
    });
    if (!in_order) return std::nullopt;
    const std::string& function = row.paths.front();
    if (b.checker.program.made.library_call(b.key(e), function) != nullptr) return standing_call(b, e, function, {});
    Arguments given = all;
    given[static_cast<size_t>(x - all.data())].value = &one_element(b, *x->value, 1);
    return standing_call(b, e, function, std::move(given));
}

// `zeros_like(number)`, `full_like(number, 2.0)`: a number of the same type.
std::optional<Value> like_number(Body& b, const ast::Expr& e, const Arguments& all, const BuiltinEntry& row) {
    const bool full = row.id == Builtin::full_like;
    const ast::Argument *x = argument_named(all, "x", 0), *filled = full ? argument_named(all, "value", 1) : nullptr;
    const ast::Argument* type = argument_named(all, "T", full ? 2 : 1);
    const size_t named = 1 + (filled ? 1 : 0) + (type ? 1 : 0);
    if (!x || (full && !filled) || all.size() != named) return std::nullopt;
    const Type like = expression(b, *x->value).type;
    if (!like.is_scalar() || is_complex(like)) return std::nullopt;
    if (b.checker.program.made.library_call(b.key(e), "cast") != nullptr) return standing_call(b, e, "cast", {});
    MadeSyntax& syntax = b.checker.program.made;
    const uint64_t one = row.id == Builtin::ones_like ? 1 : 0;
    const ast::Expr& value = filled ? *filled->value : syntax.expr(e.span, ast::IntLiteral{one});
    const ast::Expr& of = type ? *type->value : syntax.expr(e.span, ast::Attribute{x->value, {"dtype", e.span}});
    return standing_call(b, e, "cast", {{std::nullopt, &value}, {std::nullopt, &of}});
}

// `expand_dims(number, 0)`, `flatten(number)`
std::optional<Value> number_with_axes(Body& b, const ast::Expr& e, const Arguments& all) {
    const ast::Argument *x = argument_named(all, "x", 0), *axis = argument_named(all, "axis", 1);
    if (!b.rules().tensor_values || !x || all.size() > 2) return std::nullopt;
    const Type type = expression(b, *x->value).type;
    if (!(type.is_number() || type.is_bool()) || is_complex(type)) return std::nullopt;
    if (!axis) return expanded_number(b, e, *x->value, 1);
    const Value named = expression(b, *axis->value);
    const size_t count = named.value && named.value->tuple() ? named.value->tuple()->size() : 1;
    if (!axes_named(named.value, count)) return std::nullopt;
    return expanded_number(b, e, *x->value, count);
}

}  // namespace

const ast::Expr& made_call(Body& b, Span at, std::string_view function, Arguments arguments) {
    MadeSyntax& syntax = b.checker.program.made;
    return syntax.expr(at, ast::Call{&syntax.expr(at, ast::Name{std::string(function)}), std::move(arguments)});
}

Value expanded_number(Body& b, const ast::Expr& e, const ast::Expr& number, size_t axes) {
    if (b.checker.program.made.library_call(b.key(e), "full") != nullptr) return standing_call(b, e, "full", {});
    return standing_call(b, e, "full", std::get<ast::Call>(one_element(b, number, axes).node).arguments);
}

Value standing_call(Body& b, const ast::Expr& e, std::string_view function, Arguments arguments) {
    MadeSyntax& syntax = b.checker.program.made;
    const ast::Expr* made = syntax.library_call(b.key(e), function);
    if (made == nullptr) {
        made = &made_call(b, e.span, function, std::move(arguments));
        syntax.library_calls[b.key(e)].push_back(made->id);
    }
    return value_of_made(b, *made);
}

std::optional<Value> other_spelling(Body& b, const ast::Expr& e, const ast::Call& c, const BuiltinEntry& row,
                                    const ast::Expr* receiver) {
    Arguments all;
    if (receiver) all.push_back({std::nullopt, receiver});
    all.insert(all.end(), c.arguments.begin(), c.arguments.end());
    switch (row.id) {
        case Builtin::transpose:
            return transposed_by(b, e, std::move(all));
        case Builtin::cumsum:
        case Builtin::cumprod:
        case Builtin::cummax:
        case Builtin::take:
            return of_all_elements(b, e, std::move(all), row);
        case Builtin::roll:
            return rolled_along(b, e, all);
        case Builtin::repeat:
            return repeated_by_number(b, e, all);
        case Builtin::pad:
            return padded_by_numbers(b, e, all);
        case Builtin::from_list:
            return converted_list(b, e, all);
        case Builtin::stack:
            if (auto numbers = stacked_numbers(b, e, all)) return numbers;
            return joined_list(b, e, all, "_stacked");
        case Builtin::atomic_add:
        case Builtin::atomic_max:
        case Builtin::atomic_min:
            return atomic_at_index(b, e, c, all);
        case Builtin::dict_:
            return dict_of_pairs(b, e, all);
        case Builtin::round:
            return rounded_to_digits(b, e, all);
        case Builtin::min:
        case Builtin::max:
            if (auto number = of_number(b, e, all, row)) return number;
            return best_item(b, e, all, row.id == Builtin::min ? "smallest" : "largest");
        case Builtin::sum:
        case Builtin::prod:
        case Builtin::mean:
        case Builtin::var:
        case Builtin::std_:
        case Builtin::any:
        case Builtin::all:
        case Builtin::count_nonzero:
        case Builtin::reshape:
        case Builtin::broadcast_to:
            return of_number(b, e, all, row);
        case Builtin::zeros_like:
        case Builtin::ones_like:
        case Builtin::full_like:
            return like_number(b, e, all, row);
        case Builtin::expand_dims:
        case Builtin::flatten:
            return number_with_axes(b, e, all);
        case Builtin::concat:
            return joined_list(b, e, all, "_joined");
        default:
            return std::nullopt;
    }
}

}  // namespace tsr::sema
