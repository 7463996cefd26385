#include "sema/calls/graph_lists.h"

#include <fmt/format.h>

#include "sema/state/entities.h"
#include "sema/state/recursion.h"
#include "sema/types/containers.h"
#include "sema/types/numeric.h"
#include "sema/values/items.h"
#include "sema/values/requirements.h"
#include "sema/values/writable.h"

namespace tsr::sema {

namespace {

// A loop that the compiler does not write out round by round runs its body once for all rounds.
bool stands_in_open_loop(const Body& b, const Slot& slot) {
    if (b.loops.empty()) return false;
    const Span loop = b.loops.back().stmt->span;
    for (const Span at : slot.assigned_at) {
        if (at.begin < loop.begin || at.end > loop.end) return true;
    }
    return slot.given.has_value();
}

struct Change {
    int64_t length;
    std::optional<Type> added;  // what it gets as an item
    Type result = Type::none();
};

// An index of `count` places, counted from the end where it is negative.
bool require_place(Body& b, const ast::Expr& written, int64_t count) {
    const auto at = static_integer(b, written, "an index of a list in a graph function");
    if (!at) return false;
    const int64_t place = *at < 0 ? *at + count : *at;
    if (place >= 0 && place < count) return true;
    b.error("E0323", written.span, fmt::format("index {} is outside: there are {} elements", *at, count));
    return false;
}

// What the method makes of the list; nothing after a message.
std::optional<Change> change_of(Body& b, const ast::Expr& e, const ast::Call& c, const ast::Attribute& a,
                                const Type& list, const std::vector<Value>& given) {
    const std::string& name = a.name.text;
    const int64_t length = list.length().value_or(0);
    const ast::Expr* first = c.arguments.empty() ? nullptr : c.arguments[0].value;
    Change change{length, std::nullopt};
    if (name == "append") {
        change = {length + 1, given[0].type};
    } else if (name == "insert") {
        const auto at = static_integer(b, *first, "an index of a list in a graph function");
        if (!at) return std::nullopt;
        change = {length + 1, given[1].type};
    } else if (name == "extend") {
        if (!given[0].type.is(Kind::list) || !given[0].type.length()) {
            b.error("E0302", first->span,
                    fmt::format("a list of known length is wanted here, this is {}", shown(given[0].type)));
            return std::nullopt;
        }
        change.length += *given[0].type.length();
        if (*given[0].type.length() > 0) change.added = Type(given[0].type.parts()[0]);
    } else if (name == "pop") {
        if (length == 0) {
            b.error("E0323", a.name.span, "`.pop()` of an empty list");
            return std::nullopt;
        }
        if (first && !require_place(b, *first, length)) return std::nullopt;
        change = {length - 1, std::nullopt, item_type(b, list.parts()[0], e)};
    } else if (name == "clear") {
        change.length = 0;
    } else if (name != "reverse") {
        b.error("E0601", a.name.span, fmt::format("`.{}()` is not compiled in graph functions yet", name));
        return std::nullopt;
    }
    return change;
}

}  // namespace

Value graph_list_call(Body& b, const ast::Expr& e, const ast::Call& c, const ast::Attribute& a, const Value& base,
                      const HostMethod& method) {
    const std::string& name = a.name.text;
    b.note(*c.callee, language_entity(NameKind::method, "list." + name));
    CallInfo info;
    info.kind = CallKind::method;
    info.method = &method;
    info.arguments.push_back({a.base->id, {}});
    std::vector<Value> given;
    for (const ast::Argument& argument : c.arguments) {
        given.push_back(expression(b, *argument.value));
        info.arguments.push_back({argument.value->id, {}});
    }
    for (const Value& value : given) {
        if (value.broken()) return {};
    }
    if (name == "copy") {
        b.record_call(e, std::move(info));
        return typed(base.type);
    }
    const auto found = change_of(b, e, c, a, base.type, given);
    if (!found) return {};
    const Change& change = *found;
    Slot* slot = changed_value(b, a.name.span, *a.base,
                               {fmt::format("`.{}()` changes a list that has a name", name), "it does not change",
                                "lists in graph functions are values: return the one that has changed, `ys + [e]`"});
    if (!slot) return {};
    if (!slot->declared) {
        const Type item = change.added ? settled_type(*change.added, {}) : Type(base.type.parts()[0]);
        b.add_to_type(*slot, Type::list(item, change.length), {});
        const Type held = b.type_to_read(*slot);
        const Type added = Type::list(item, std::nullopt);
        const bool fits = item.is_unknown() || !held.is(Kind::list) || held.parts()[0].is_unknown() ||
                          has_form(added, Type::list(held.parts()[0], std::nullopt));
        if (b.aloud && !fits) {
            b.error("E0302", c.arguments.back().value->span,
                    fmt::format("an element of the list is {}, this is {}", shown(held.parts()[0]), shown(item)));
            return {};
        }
    }
    if (change.length != base.type.length().value_or(0) && stands_in_open_loop(b, *slot)) {
        b.error("E0314", a.name.span,
                fmt::format("`{}` changes its length in a loop that is not written out: the length of a list is static "
                            "in a graph function",
                            slot->name))
            .note(
                "a loop is written out where the number of its iterations is static, at most 1024, and no `break` or "
                "`continue` leaves it")
            .note("a tensor holds what each iteration gives: `ys = zeros(n, …)`, `ys[i] = h`");
        b.lengths_said.insert(slot->id);
        return {};
    }
    slot->once.reset();
    slot->only_value.reset();
    b.mark_length(*slot, change.length);
    b.record_call(e, std::move(info));
    return typed(change.result);
}

}  // namespace tsr::sema
