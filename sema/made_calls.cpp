// Calls that stand for others: `map(f, xs)` for a comprehension, `f(*items)` for a call with each item by itself; and
// where generators may stand.
#include <algorithm>

#include <fmt/format.h>

#include "sema/body.h"
#include "sema/special_calls.h"

namespace tsr::sema {

namespace {

ast::Expr made(Program& program, Span at, ast::ExprNode node) {
    ast::Expr expr;
    expr.id = program.make_id();
    expr.span = at;
    expr.node = std::move(node);
    return expr;
}

// Of a tuple or list that is written in the call.
const std::vector<const ast::Expr*>* items_written(const ast::Expr& e) {
    if (const auto* tuple = std::get_if<ast::Tuple>(&e.node)) return &tuple->elements;
    if (const auto* list = std::get_if<ast::List>(&e.node)) return &list->elements;
    return nullptr;
}

// How many items `*value` has; nothing after a message.
std::optional<size_t> count_of_items(Body& b, const ast::Expr& e, const Value& value) {
    if (value.broken()) return std::nullopt;
    if (value.type.is(Kind::tuple)) return value.type.parts().size();
    if (!value.type.is(Kind::list)) {
        b.error("E0302", e.span, fmt::format("`*` unpacks a tuple or a list, this is {}", shown(value.type)));
        return std::nullopt;
    }
    if (const auto length = value.type.length()) return static_cast<size_t>(*length);
    b.error("E0314", e.span, "the number of items that `*` unpacks must be static")
        .note(
            "a tuple has a number of items that is known, and so has a list that is written here; a list in a "
            "variable grows");
    return std::nullopt;
}

// Functions that go through what they are given, item by item.
bool goes_through(Builtin function) {
    switch (function) {
        case Builtin::sum:
        case Builtin::any:
        case Builtin::all:
        case Builtin::min:
        case Builtin::max:
        case Builtin::sorted:
        case Builtin::list_:
        case Builtin::enumerate:
        case Builtin::zip:
        case Builtin::map_:
            return true;
        default:
            return false;
    }
}

}  // namespace

void take_generators(Body& b, Builtin function, const Matched& m) {
    if (!goes_through(function)) return;
    for (const ast::Expr* argument : m.arguments) {
        if (argument) b.take_generator(*argument);
    }
    if (m.rest.size() != 1 && (function == Builtin::min || function == Builtin::max)) return;
    for (const ast::Expr* argument : m.rest) b.take_generator(*argument);
}

Value refuse_dict_call(Body& b, const ast::Call& c) {
    std::string entries;
    bool named = true;
    for (const ast::Argument& argument : c.arguments) {
        b.expr(*argument.value);
        named &= argument.keyword.has_value();
        if (!argument.keyword) continue;
        entries +=
            fmt::format("{}\"{}\": {}", entries.empty() ? "" : ", ", argument.keyword->text, b.source(*argument.value));
    }
    auto& d = b.error("E0316", c.callee->span, "`dict(…)` stands for the values of a tuning space alone");
    if (named && !c.arguments.empty()) {
        const Span whole = c.callee->span.to(c.arguments.back().value->span);
        d.suggest({whole.file, whole.begin, whole.end + 1}, "{" + entries + "}", "a dictionary is written with braces");
    } else {
        d.note("a dictionary is written with braces: `{\"a\": 1}`");
    }
    return {};
}

Value Body::map_call(const ast::Expr& e, const Matched& m) {
    if (m.rest.empty()) {
        error("E0315", e.span, "`map` takes a function and one iterable or more");
        expr(*m.arguments[0]);
        return {};
    }
    Program& program = checker.program;
    auto [found, fresh] = program.mapped.try_emplace(&e);
    MappedCall& all = found->second;
    if (fresh) {
        const Span at = e.span;
        ast::Call call{m.arguments[0], {}};
        ast::Tuple targets;
        ast::Call zip{&all.zip, {}};
        for (size_t i = 0; i < m.rest.size(); ++i) {  // names that no program has
            all.names.push_back(made(program, m.rest[i]->span, ast::Name{fmt::format("item {}", i)}));
            call.arguments.push_back({std::nullopt, &all.names.back()});
            targets.elements.push_back(&all.names.back());
            zip.arguments.push_back({std::nullopt, m.rest[i]});
        }
        const bool one = m.rest.size() == 1;
        all.call = made(program, at, std::move(call));
        all.target = made(program, at, std::move(targets));
        all.root = made(program, at, ast::Name{"tessera"});
        all.zip = made(program, at, ast::Attribute{&all.root, {"zip", at}});
        all.zipped = made(program, at, std::move(zip));
        ast::Comprehension whole;
        whole.element = &all.call;
        whole.clauses.push_back({one ? &all.names[0] : &all.target, one ? m.rest[0] : &all.zipped, {}});
        all.whole = made(program, at, std::move(whole));
    }
    return expr(all.whole);
}

const ast::Call* Body::unpacked(const ast::Call& c) {
    Program& program = checker.program;
    std::vector<size_t> counts;
    bool ok = true;
    for (const ast::Argument& argument : c.arguments) {
        if (!argument.unpacked) continue;
        const ast::Expr& operand = *argument.value;
        if (const auto* written = items_written(operand)) {
            counts.push_back(written->size());
            continue;
        }
        const Value value = expr(operand);
        const auto count = count_of_items(*this, operand, value);
        ok &= count.has_value();
        if (!count) continue;
        counts.push_back(*count);
        auto [found, fresh] = program.unpacked.try_emplace(&operand);
        UnpackedArgument& parts = found->second;
        if (fresh) {
            parts.named = !std::holds_alternative<ast::Name>(operand.node);
            const ast::ExprId id = program.make_id();
            parts.name = made(program, operand.span, ast::Name{fmt::format("items {}", id.index)});
        }
        while (parts.items.size() < *count) {
            const uint64_t number = parts.items.size();
            parts.numbers.push_back(made(program, operand.span, ast::IntLiteral{number}));
            const ast::Expr* whole = parts.named ? &parts.name : &operand;
            parts.items.push_back(made(program, operand.span, ast::Subscript{whole, {&parts.numbers.back()}}));
        }
        if (!parts.named) continue;
        bind_inner(parts.name);
        assign_to(parts.name, value, operand);
    }
    if (!ok) return nullptr;
    auto [found, fresh] = program.unpacked_calls.try_emplace({&c, counts});
    ast::Call& call = found->second;
    if (!fresh) return &call;
    call.callee = c.callee;
    size_t next = 0;
    for (const ast::Argument& argument : c.arguments) {
        if (!argument.unpacked) {
            call.arguments.push_back(argument);
            continue;
        }
        const auto* written = items_written(*argument.value);
        for (size_t i = 0; i < counts[next]; ++i) {
            const ast::Expr* item = written ? (*written)[i] : &program.unpacked.at(argument.value).items[i];
            call.arguments.push_back({std::nullopt, item});
        }
        ++next;
    }
    return &call;
}

Value Body::call(const ast::Expr& e, const ast::Call& c) {
    if (std::ranges::none_of(c.arguments, &ast::Argument::unpacked)) return plain_call(e, c);
    const size_t outer_names = inner_names.size();
    const ast::Call* each = unpacked(c);
    Value value;
    if (each) {
        value = plain_call(e, *each);
    } else {
        for (const ast::Argument& argument : c.arguments) {
            if (!argument.unpacked) expr(*argument.value);
        }
    }
    inner_names.resize(outer_names);
    return value;
}

}  // namespace tsr::sema
