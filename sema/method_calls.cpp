// Calls of the methods of strings, lists, dictionaries and of all records.
#include <algorithm>

#include <fmt/format.h>

#include "sema/body.h"
#include "sema/host_methods.h"

namespace tsr::sema {

namespace {

// What an argument of a method's parameter is to be.
Type wanted_type(const Type& receiver, char letter) {
    switch (letter) {
        case 's':
            return Type::string();
        case 'i':
            return Type::index();
        case 'S':
            return Type::list(Type::string(), std::nullopt);
        case 'v':
        case 'V':
            return receiver.parts()[1];
        case 'x':
            return receiver;
        default:
            return receiver.parts()[0];
    }
}

Type given_type(const Type& receiver, char letter) {
    switch (letter) {
        case 's':
            return Type::string();
        case 'i':
            return Type::index();
        case 'b':
            return Type::boolean();
        case 'S':
            return Type::list(Type::string(), std::nullopt);
        case 'x':  // a record of the function's own, of the same fields
            if (!receiver.is(Kind::record)) return receiver;
            return Type::record(receiver.function_id(), receiver.names(), receiver.parts(), true);
        case 'e':
            return receiver.parts()[0];
        case 'v':
            return receiver.parts()[1];
        case 'K':
            return Type::list(receiver.parts()[0], std::nullopt);
        case 'V':
            return Type::list(receiver.parts()[1], std::nullopt);
        case 'I':
            return Type::list(Type::tuple(receiver.parts()), std::nullopt);
        default:
            return Type::none();
    }
}

size_t required_count(const std::vector<MethodParameter>& parameters) {
    return static_cast<size_t>(std::ranges::count_if(parameters, [](const MethodParameter& p) { return !p.optional; }));
}

// The row that takes this many arguments; nothing after a message.
const HostMethod* chosen_row(Body& b, const ast::Call& c, const ast::Attribute& a,
                             const std::vector<const HostMethod*>& rows) {
    for (const ast::Argument& argument : c.arguments) {
        if (!argument.keyword) continue;
        b.error("E0315", argument.keyword->span, fmt::format("`.{}()` takes its arguments by position", a.name.text));
        return nullptr;
    }
    const size_t given = c.arguments.size();
    for (const HostMethod* row : rows) {
        const auto parameters = method_parameters(*row);
        if (required_count(parameters) <= given && given <= parameters.size()) return row;
    }
    const bool none_wanted = rows.front()->receiver == Kind::dict && a.name.text == "get" && given == 1;
    const auto least = required_count(method_parameters(*rows.front()));
    const auto most = method_parameters(*rows.back()).size();
    auto& d = b.error("E0315", a.name.span,
                      fmt::format("`.{}()` takes {} argument{}, here are {}", a.name.text,
                                  least == most ? std::to_string(most) : fmt::format("{} or {}", least, most),
                                  most == 1 ? "" : "s", given));
    if (none_wanted)
        d.note(
            "no value of the dictionary's type is `None`: give what stands for a missing key, or ask `key in d` first");
    return nullptr;
}

}  // namespace

// A constant of the module has no place in memory that could change.
bool Body::require_changeable(const ast::Expr& container, Span at) {
    const ast::Expr& root = written_root(container);
    if (!std::holds_alternative<ModuleConstant>(instance.info(root).referent)) return true;
    error("E0333", at, fmt::format("`{}` is a constant of the module and does not change", source(root)))
        .note(in_kernel() ? "a list that changes is made of its elements: `xs = [x for x in TABLE]`"
                          : "a list that changes is made in a function: `xs = TABLE.copy()`");
    return false;
}

// What becomes part of a container says what an empty one holds, and what its items are widened to.
void Body::widen(const ast::Expr& container, const Type& type) {
    if (const auto* variable = std::get_if<VariableId>(&instance.info(container).referent)) {
        Slot& slot = slots[variable->index];
        if (slot.joined && !slot.declared) add_to_type(slot, stored(type), {});
        return;
    }
    const auto* subscript = std::get_if<ast::Subscript>(&container.node);
    if (!subscript) return;
    const Type& base = instance.type(*subscript->base);
    if (base.is(Kind::list)) widen(*subscript->base, Type::list(type, std::nullopt));
    if (base.is(Kind::dict)) widen(*subscript->base, Type::dict(base.parts()[0], type));
}

bool Body::method_argument(const ast::Expr& receiver, const Type& type, char letter, const ast::Expr& argument) {
    Value value = expr(argument);
    if (value.broken()) return false;
    const Type part = settled_type(stored(value.type), value.value);
    if (letter == 'E') widen(receiver, Type::list(part, std::nullopt));
    if (letter == 'K') widen(receiver, Type::dict(part, type.parts()[1]));
    if (letter == 'V') widen(receiver, Type::dict(type.parts()[0], part));
    if (letter == 'x') widen(receiver, part);
    const Type wanted = wanted_type(type, letter);
    if (letter == 'i') {
        require_integer(argument, value, "this argument");
        return value.type.is_integer();
    }
    const char* what = letter == 's' || letter == 'S'   ? "this argument"
                       : letter == 'x'                  ? "this argument"
                       : letter == 'k' || letter == 'K' ? "a key"
                       : letter == 'v' || letter == 'V' ? "a value of the dictionary"
                                                        : "an element of the list";
    return !aloud || require_converts(argument, value, wanted, what);
}

Value Body::host_method(const ast::Expr& e, const ast::Call& c, const ast::Attribute& a, const Value& base) {
    const HostMethod* row = chosen_row(*this, c, a, host_methods(base.type.kind(), a.name.text));
    const bool usable = row && require_known(*a.base, base);
    if (!usable || (row->changes && !require_changeable(*a.base, a.name.span))) {
        evaluate_arguments(c);
        return {};
    }
    const auto parameters = method_parameters(*row);
    CallInfo info;
    info.kind = CallKind::method;
    info.method = row;
    info.arguments.push_back({a.base, nullptr});
    bool ok = true;
    for (size_t i = 0; i < parameters.size(); ++i) {
        const ast::Expr* given = i < c.arguments.size() ? c.arguments[i].value : nullptr;
        info.arguments.push_back({given, nullptr});
        if (given && (a.name.text == "join" || a.name.text == "extend")) take_generator(*given);
        if (given) ok &= method_argument(*a.base, base.type, parameters[i].letter, *given);
    }
    record_call(e, std::move(info));
    if (!ok) return {};
    Value result;
    result.type = item_type(given_type(base.type, row->result), e);
    // Of an empty dictionary the default alone says what is given: `d[k] = d.get(k, 0) + 1`.
    for (size_t i = 0; result.broken() && row->result == 'v' && i < parameters.size(); ++i) {
        const bool is_default = (parameters[i].letter == 'v' || parameters[i].letter == 'V') && i < c.arguments.size();
        if (is_default) result.type = stored(instance.type(*c.arguments[i].value));
    }
    return result;
}

}  // namespace tsr::sema
