// Methods of strings, lists and dictionaries: calls of the entries that their rows name.
#include <algorithm>

#include <fmt/format.h>

#include "ir/passes/host/entries.h"
#include "sema/elaborate/arguments.h"
#include "sema/elaborate/builtins.h"
#include "sema/elaborate/containers.h"
#include "sema/elaborate/host.h"
#include "sema/elaborate/recursion.h"
#include "sema/elaborate/types.h"
#include "sema/program/host_methods.h"

namespace tsr::elaborate {

using ir::Attr;
using ir::ValueId;
using sema::Kind;
using sema::Static;

namespace {

ValueId method_operand(Body& b, const sema::MethodParameter& parameter, const Val& value, const sema::Type& receiver) {
    switch (parameter.letter) {
        case 's':
            return b.handle(value, sema::Type::string());
        case 'i':
            return b.index(value);
        case 'S':
            return container(b, value, sema::Type::list(sema::Type::string(), std::nullopt));
        case 'x':
            return container(b, value, receiver);
        case 'v':
        case 'V':
            return boxed(b, value, receiver.parts()[1]);
        default:
            return boxed(b, value, receiver.parts()[0]);
    }
}

Val default_value(const sema::MethodParameter& parameter) {
    if (parameter.letter == 'i') return Val::index(parameter.otherwise == "-1" ? -1 : 0);
    return Val::of(Static::of(std::string(parameter.otherwise)));
}

// In a graph function a list is a value: its variable is given the one that the method makes.
Val graph_list_method(Body& b, const sema::CallInfo& info) {
    const std::string_view name = info.method->name;
    const ast::Expr& of = *argument(b, info, 0);
    std::vector<Val> given;
    for (size_t i = 1; i < info.arguments.size(); ++i) given.push_back(expression(b, *argument(b, info, i)));
    Val whole = expression(b, of);
    if (!whole.has_elements()) return b.undefined(b.info(of).type);  // no path leads here
    if (name == "copy") return whole;
    Val list = Val::list({});
    for (size_t i = 0; i < whole.element_count(); ++i) list.parts.push_back(whole.element(i));
    const auto count = static_cast<int64_t>(list.parts.size());
    const auto place = [&](int64_t at) { return std::clamp<int64_t>(at < 0 ? at + count : at, 0, count); };
    // An item is rounded to its type, as a value that is given a name.
    const auto item = [&](const Val& value) { return b.rounded(value); };
    Val result = Val::none();
    if (name == "append") {
        list.parts.push_back(item(given[0]));
    } else if (name == "insert") {
        list.parts.insert(list.parts.begin() + place(given[0].fixed.integer().value_or(0)), item(given[1]));
    } else if (name == "extend") {
        for (size_t i = 0; i < given[0].element_count(); ++i) list.parts.push_back(given[0].element(i));
    } else if (name == "pop") {
        const auto at = list.parts.begin() + place(given.empty() ? -1 : given[0].fixed.integer().value_or(-1));
        result = *at;
        list.parts.erase(at);
    } else if (name == "reverse") {
        std::ranges::reverse(list.parts);
    } else {
        list.parts.clear();
    }
    b.assign(std::get<sema::VariableId>(b.info(of).referent), list);
    return result;
}

}  // namespace

Val host_method(Body& b, const ast::Expr& e, const sema::CallInfo& info) {
    const sema::HostMethod& method = *info.method;
    if (method.receiver == Kind::list && !b.rules().host_objects) return graph_list_method(b, info);
    const ast::Expr& of = *argument(b, info, 0);
    const sema::Type receiver =
        b.info(of).type.is(Kind::string) ? sema::Type::string() : container_type(b.info(of).type);
    const Val whole = expression(b, of);
    std::vector<ValueId> operands{receiver.is(Kind::string) ? b.handle(whole, receiver)
                                                            : container(b, whole, receiver)};
    const auto parameters = sema::method_parameters(method);
    for (size_t i = 0; i < parameters.size(); ++i) {
        const ast::Expr* given = argument(b, info, i + 1);
        const Val value = given ? expression(b, *given) : default_value(parameters[i]);
        operands.push_back(method_operand(b, parameters[i], value, receiver));
    }
    ir::Attrs attrs;
    const std::string entry(method.entry);
    if (entry == "list_slice") attrs.set(Attr::codes, std::vector<int64_t>{ir::index_slice});  // the whole
    const At at(b.emit, e.span);
    if (method.result == 'n') {
        host_effect(b, entry, std::move(operands), std::move(attrs));
        return Val::none();
    }
    const sema::Type& type = b.info(e).type;
    return unboxed(b, host(b, entry, std::move(operands), item_ir_type(type), std::move(attrs)), type);
}

// The text is filled in when it is made: of each form in which the function is compiled.
Val inspection(Body& b, const ast::Expr& e, const ast::Call& node, const sema::CallInfo& info) {
    const ast::Expr& of = *std::get<ast::Attribute>(node.callee->node).base;
    const sema::FunctionId id = b.info(of).type.function_id();
    const std::string& level = *b.info(*argument(b, info, 0)).value->string();
    std::vector<std::string> names;
    for (const sema::Instance& instance : b.program.instances) {
        const bool whole = instance.complete && instance.reached && !instance.tuned && instance.function == id;
        const bool alone = instance.context == sema::Context::kernel || instance.context == sema::Context::graph;
        if (whole && alone) names.push_back(instance.name);
    }
    if (names.empty()) {
        b.error("E0339", e.span,
                fmt::format("nothing calls `{}`: it is compiled for no types", b.program.function(id).name))
            .label(b.program.def(b.program.function(id)).name.span,
                   "its parameters have the types that calls give them");
        return Val::of(Static::of(std::string()));
    }
    const At at(b.emit, e.span);
    return Val::ssa(b.emit.inferred(ir::OpKind::string, {},
                                    {{Attr::value, std::string()}, {Attr::names, names}, {Attr::text, level}}));
}

}  // namespace tsr::elaborate
