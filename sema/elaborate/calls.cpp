#include "sema/elaborate/calls.h"

#include <algorithm>

#include <fmt/format.h>

#include "ir/core/internal.h"
#include "sema/elaborate/arguments.h"
#include "sema/elaborate/arithmetic.h"
#include "sema/elaborate/assignments.h"
#include "sema/elaborate/builtins.h"
#include "sema/elaborate/choices.h"
#include "sema/elaborate/complex_values.h"
#include "sema/elaborate/containers.h"
#include "sema/elaborate/conversions.h"
#include "sema/elaborate/derivatives.h"
#include "sema/elaborate/dimensions.h"
#include "sema/elaborate/graph_expressions.h"
#include "sema/elaborate/host.h"
#include "sema/elaborate/host_calls.h"
#include "sema/elaborate/instances.h"
#include "sema/elaborate/launch.h"
#include "sema/elaborate/recursion.h"
#include "sema/elaborate/rounding.h"
#include "sema/elaborate/static_values.h"
#include "sema/elaborate/trees.h"
#include "sema/elaborate/types.h"
#include "sema/elaborate/written_values.h"
#include "sema/types/elements.h"

namespace tsr::elaborate {

using ir::Attr;
using ir::OpKind;
using ir::ValueId;
using sema::CallInfo;
using sema::CallKind;
using sema::Instance;

namespace {

// Of a graph: extents of a call that the symbols of the function do not say, by the callee's names. They are known
// where the call stands.
std::map<std::string, Val> values_of_symbols(Body& b, const CallInfo& info,
                                             const std::map<std::string, ir::Dim>& dims) {
    std::map<std::string, Val> values;
    const std::vector<std::string>& bound = b.function().symbols;
    const auto is_bound = [&](const std::string& name) { return std::ranges::find(bound, name) != bound.end(); };
    for (const sema::DimBinding& binding : info.bindings) {
        if (!std::ranges::all_of(dims.at(binding.symbol).symbols(), is_bound))
            values.emplace(binding.symbol, b.dimension(binding.value));
    }
    for (const sema::SymbolInfo& symbol : b.program.instance(info.callee).symbols) {
        const bool enclosing = symbol.source == sema::SymbolInfo::Source::enclosing;
        if (enclosing && !std::ranges::all_of(dims.at(symbol.name).symbols(), is_bound))
            values.emplace(symbol.name, b.dimension(ir::Dim::symbol(symbol.name)));
    }
    return values;
}

// What a function that became a part of a graph leaves in its `mut` parameters.
std::vector<Val> values_of_written(Body& b, const Instance& callee) {
    std::vector<Val> written;
    if (!b.rules().new_values) return written;
    for (size_t i = 0; i < callee.parameters.size(); ++i) {
        const sema::Type& type = callee.parameters[i].type;
        const sema::VariableId variable = variable_of_parameter(callee, i);
        const bool writes = type.is(sema::Kind::tensor) && type.tensor().mut && variable.valid();
        written.push_back(writes ? b.get(b.slot(variable)) : Val{});
    }
    return written;
}

// Functions that call others twice, those again others twice, … grow without end when they are inlined.
constexpr int64_t kMostInlined = 1 << 13;

bool may_inline(Body& b, Span call) {
    if (++b.inlined_calls <= kMostInlined) return true;
    if (b.inlined_calls > kMostInlined + 1) return false;  // said already
    b.error("E0336", call, "too many calls are inlined in this kernel")
        .note(fmt::format("the calls of a kernel, and those of the functions it calls, are at most {}", kMostInlined));
    return false;
}

}  // namespace

// The IR types of a result: of a tuple those of its parts.
static Val value_of_results(Body& b, const sema::Type& type, const std::vector<ValueId>& results, size_t& next) {
    if (sema::is_complex_number(type)) return value_of_results(b, parts_of_complex(), results, next);
    // In a graph a record is the tuple of its fields.
    if (type.is(sema::Kind::tuple) || (type.is(sema::Kind::record) && b.rules().new_values)) {
        Val parts = Val::tuple({});
        for (const sema::Type& part : type.parts()) parts.parts.push_back(value_of_results(b, part, results, next));
        return parts;
    }
    if (type.is(sema::Kind::list) && b.rules().new_values) {
        Val items = Val::list({});
        for (int64_t i = 0; i < type.length().value_or(0); ++i)
            items.parts.push_back(value_of_results(b, type.parts()[0], results, next));
        return items;
    }
    if (next >= results.size()) return Val::none();
    const ValueId id = results[next++];
    return Val::ssa(id, type.is_scalar() ? std::optional(type.elem()) : std::nullopt);
}

// What a call gives that stays an operation on a function until derivatives are made: `make` adds it.
using MakesCall = std::vector<ValueId> (*)(Body& b, const Instance& callee, std::vector<ValueId> arguments,
                                           const Dims& dims);
static Val kept_call(Body& b, const ast::Expr& e, const CallInfo& info, const std::vector<Val>& arguments,
                     MakesCall make) {
    const Instance& callee = b.program.instance(info.callee);
    CallLeaves leaves = leaves_of_call(b, info, arguments);
    const At at(b.emit, e.span);
    const std::vector<ValueId> given = make(b, callee, std::move(leaves.arguments), leaves.dims);
    size_t next = 0;
    return value_of_results(b, callee.result, given, next);
}

Val inlined(Body& b, const ast::Expr& e, const CallInfo& info) {
    const Instance& callee = b.program.instance(info.callee);
    if (!may_inline(b, e.span)) return b.undefined(callee.result);
    const sema::Function& function = b.program.function(callee.function);
    const std::vector<Val> arguments = argument_values(b, info);
    if (b.function().level == ir::Level::graph) {
        for (const sema::DimCheck& check : info.checks) assert_extent(b, check);
    }
    const bool transforms = function.derived && function.derived->call.valid();
    if (function.derived && !transforms) return kept_call(b, e, info, arguments, derivative);
    if (!callee.rules.empty()) return kept_call(b, e, info, arguments, call_with_rule);
    std::vector<Val> captures;
    for (const sema::VariableId variable : callee.captures) {
        captures.push_back(captured_value(b, callee.variables[variable.index]));
    }
    auto dims = dims_in_function(b, info);
    std::map<std::string, Val> values;
    if (b.rules().new_values) {
        for (size_t i = 0; i < arguments.size(); ++i)
            bind_tree_symbols(b, arguments[i], callee.parameters[i].type, dims);
        values = values_of_symbols(b, info, dims);
    }
    const std::string path = b.frame().path + "/" + std::to_string(e.id.index);
    b.push_frame(callee, path);
    b.frame().inlined = true;
    b.frame().dims = std::move(dims);
    b.emit.push_call(e.span);
    for (size_t i = 0; i < arguments.size(); ++i) {
        const sema::ParameterInfo& to = callee.parameters[i];
        const bool declared = to.annotation.valid() && to.type.is(sema::Kind::tensor);
        b.set_parameter(i, declared ? with_stored_cotangents(b, arguments[i], to.type) : arguments[i]);
    }
    for (size_t i = 0; i < captures.size(); ++i) b.set(b.slot(callee.captures[i]), captures[i]);
    for (size_t i = 0; i < callee.symbols.size(); ++i) {
        const auto known = values.find(callee.symbols[i].name);
        if (known != values.end()) b.set(b.symbol_slot(i), known->second);
    }
    if (function.makes) b.set(b.frame().result, new_record(b, callee));
    if (transforms) {
        size_t next = 0;
        const std::vector<ValueId> given = transformed(b, callee);
        b.set(b.frame().result, value_of_results(b, callee.result, given, next));
    } else {
        run_function(b, function);
    }
    const Val result = b.get(b.frame().result);
    const std::vector<Val> written = values_of_written(b, callee);
    b.emit.pop_call();
    b.pop_frame();
    for (size_t i = 0; i < written.size(); ++i) {
        if (written[i].is_ssa()) write_value(b, argument(b, info, i), written[i]);
    }
    return callee.result.is(sema::Kind::none) ? Val::none() : result;
}

void bind_made_name(Body& b, const ast::Expr& e) {
    const auto named = b.program.made.tree_names.find(b.key(e));
    if (named != b.program.made.tree_names.end()) bind_target(b, *b.expr(named->second), b.rounded(expression(b, e)));
}

namespace {

// `vjp(f, *args)`: what f gives, and the arguments, which the other function holds. On the host they may be written
// until it is called.
Val value_and_arguments(Body& b, const ast::Expr& e) {
    const sema::VjpCall& made = b.program.made.vjp_calls.at(b.key(e));
    const auto typed = b.instance().typed_arguments.find(e.id);
    const ast::Expr& written = *b.expr(typed != b.instance().typed_arguments.end() ? typed->second : made.arguments);
    bind_target(b, *b.expr(made.name), expression(b, written));
    const Val value = expression(b, *b.expr(made.call));
    const sema::Type& type = b.info(e).type;
    Val held = expression(b, *b.expr(made.name));
    if (b.rules().host_objects) {
        for (size_t i = 0; i < held.parts.size(); ++i) {
            if (type.parts()[1].parts()[i].is(sema::Kind::tensor))
                held.parts[i] = Val::ssa(host(b, "copy", {held.parts[i].id}, ir_type(type.parts()[1].parts()[i])));
        }
    }
    return Val::tuple({b.rounded(value), held});
}

Val stopped(Body& b, const ast::Expr& e, const CallInfo& info) {
    Val value = b.coerce(b.rounded(argument_value(b, info, 0)), b.info(e).type);
    if (b.function().level != ir::Level::graph || b.takes_operands()) return value;
    return stop(b, value);
}

// The tree of what the calls for the leaves give, in the form of the first tree.
Val tree_of_calls(Body& b, const sema::Type& form, const sema::Type& type, const std::vector<ast::ExprId>& calls,
                  size_t& next) {
    const auto count = part_count(form);
    if (!count) {
        const ast::Expr& leaf = *b.expr(calls.at(next++));
        const Val value = b.rounded(expression(b, leaf));
        return type.is(sema::Kind::none) ? Val::none() : b.coerce(value, type);
    }
    Val parts = Val::tuple({});
    for (size_t i = 0; i < *count; ++i) {
        const sema::Type& part = type.is(sema::Kind::none) ? type : part_type(type, i);
        parts.parts.push_back(tree_of_calls(b, part_type(form, i), part, calls, next));
    }
    if (type.is(sema::Kind::none)) return Val::none();
    if (type.is(sema::Kind::list)) {
        parts.kind = Val::Kind::list;
        return b.rules().host_objects ? Val::ssa(container(b, parts, type)) : parts;
    }
    return type.is(sema::Kind::record) ? record_of(b, std::move(parts), type) : parts;
}

void update_leaves(Body& b, const std::vector<ast::ExprId>& calls) {
    for (size_t i = 0; i + 1 < calls.size(); i += 2) {
        const ast::Expr& call = *b.expr(calls[i]);
        const ast::Expr* target = b.expr(calls[i + 1]);
        target ? assign_to(b, *target, to_be_stored(b, call, declared_by(b, *target))) : void(expression(b, call));
    }
}

// `tree.map(f, t, …)`, `tree.update(f, t, …)`, `tree.leaves(t)`, `tree.paths(t)`
Val tree_call(Body& b, const ast::Expr& e, const CallInfo& info) {
    const bool maps = info.builtin == sema::Builtin::tree_map || info.builtin == sema::Builtin::tree_update;
    const ast::Expr& first = *argument(b, info, maps ? 1 : 0);
    std::vector<const ast::Expr*> trees{&first};
    for (const ast::ExprId more : info.rest) trees.push_back(b.expr(more));
    for (const ast::Expr* tree : trees) bind_made_name(b, *tree);
    for (const ast::Expr* tree : trees) {
        const auto named = b.program.made.tree_names.find(b.key(*tree));
        const bool is_named = named != b.program.made.tree_names.end();
        const sema::Type& type = b.info(*tree).type;
        if (b.rules().host_objects && has_lists(type))
            require_lengths(b, expression(b, is_named ? *b.expr(named->second) : *tree), type);
    }
    const std::vector<ast::ExprId>& leaves = b.instance().tree_leaves.at(e.id);
    size_t next = 0;
    if (info.builtin == sema::Builtin::tree_update) {
        update_leaves(b, leaves);
        return Val::none();
    }
    if (maps) return tree_of_calls(b, b.info(first).type, b.info(e).type, leaves, next);
    Val all = Val::tuple({});
    for (const ast::ExprId leaf : leaves) all.parts.push_back(b.rounded(expression(b, *b.expr(leaf))));
    return all;
}

// `save_checkpoint(path, model=model, …)` and `load_checkpoint`. Numbers go through tensors of rank 0.
Val checkpoint_call(Body& b, const ast::Expr& e, const CallInfo& info) {
    const bool reads = info.builtin == sema::Builtin::load_checkpoint;
    std::vector<ValueId> operands{b.handle(expression(b, *argument(b, info, 0)), sema::Type::string())};
    for (const ast::ExprId tree : info.rest) bind_made_name(b, *b.expr(tree));
    struct Number {
        const ast::Expr* target;
        ValueId held;
        DType type;
    };
    std::vector<Number> numbers;
    const std::vector<ast::ExprId>& leaves = b.instance().tree_leaves.at(e.id);
    for (size_t i = 0; i + 1 < leaves.size(); i += 2) {
        const ast::Expr& leaf = *b.expr(leaves[i]);
        const Val value = expression(b, leaf);
        if (value.is_ssa() && b.type_of(value.id).kind == ir::TypeKind::tensor) {
            operands.push_back(value.id);
            continue;
        }
        const DType type = element_type_alone(b, value);
        const DType held = type == DType::index ? DType::i64 : type;
        operands.push_back(host(b, "from_values", {b.scalar(value, held)}, ir::Type::tensor(held, {}, true),
                                {{Attr::type, held}, {Attr::extents, std::vector<int64_t>{}}}));
        if (reads) numbers.push_back({b.expr(leaves[i + 1]), operands.back(), held});
    }
    host_effect(b, reads ? "load_checkpoint" : "save_checkpoint", std::move(operands),
                {{Attr::names, b.instance().leaf_names.at(e.id)}});
    for (const Number& number : numbers) {
        const ValueId read = host(b, "item", {number.held}, ir::Type::scalar(number.type));
        assign_to(b, *number.target, Val::ssa(read, number.type));
    }
    return Val::none();
}

// Of tensors in containers; tensors that are arguments themselves are compared where the function begins.
void check_held_overlaps(Body& b, const CallInfo& info, const Instance& callee, const std::vector<Val>& arguments) {
    for (const auto& [written, other] : info.overlap) {
        size_t held = written;
        size_t with = other;
        if (callee.parameters[held].type.is(sema::Kind::tensor)) std::swap(held, with);
        if (callee.parameters[held].type.is(sema::Kind::tensor)) continue;
        const bool both = !callee.parameters[with].type.is(sema::Kind::tensor);
        const auto id = [&](size_t i) { return b.handle(arguments[i], callee.parameters[i].type); };
        host_effect(
            b, both ? "check_overlap_both" : "check_overlap_held", {id(held), id(with)},
            {{Attr::names, std::vector<std::string>{b.program.function(callee.function).name,
                                                    callee.parameters[written].name, callee.parameters[other].name}}});
    }
}

// The parameters of a graph whose tensors it writes.
std::vector<size_t> written_tensors(const Instance& graph) {
    std::vector<size_t> written;
    for (size_t i = 0; i < graph.parameters.size(); ++i) {
        const sema::Type& type = graph.parameters[i].type;
        if (type.is(sema::Kind::tensor) && type.tensor().mut) written.push_back(i);
    }
    return written;
}

// A graph computes all that it writes before it writes: only two that are written must be two.
void check_written_overlaps(Body& b, const Instance& callee, const std::vector<Val>& arguments) {
    const std::string& function = b.program.function(callee.function).name;
    const std::vector<size_t> written = written_tensors(callee);
    for (size_t i = 0; i < written.size(); ++i) {
        for (size_t k = i + 1; k < written.size(); ++k) {
            host_effect(b, "check_overlap", {arguments[written[i]].id, arguments[written[k]].id},
                        {{Attr::names, std::vector<std::string>{function, callee.parameters[written[i]].name,
                                                                callee.parameters[written[k]].name}}});
        }
    }
}

Val called(Body& b, const CallInfo& info) {
    const Instance& callee = b.program.instance(info.callee);
    // Shapes are checked where the function begins, by what its parameters say.
    const std::vector<Val> arguments = argument_values(b, info);
    const bool graph = sema::rules_of(b.program.function(callee.function).kind).of_values;
    graph ? check_written_overlaps(b, callee, arguments) : check_held_overlaps(b, info, callee, arguments);
    std::vector<ValueId> operands;
    for (size_t i = 0; i < arguments.size(); ++i) {
        const sema::Type& type = callee.parameters[i].type;
        if (callee.parameters[i].value) continue;
        if (!graph) {
            b.flatten(arguments[i], &type, operands);
            continue;
        }
        const ast::Expr* given = argument(b, info, i);
        tree_leaves(b, arguments[i], given && !type.is_scalar() ? b.info(*given).type : type, operands);
    }
    for (const sema::VariableId variable : callee.captures) {
        const sema::Variable& captured = callee.variables[variable.index];
        const Val value = captured_value(b, captured);
        graph ? tree_leaves(b, value, captured.type, operands) : b.flatten(value, &captured.type, operands);
    }
    for (const sema::SymbolInfo& symbol : callee.symbols) {
        if (symbol.source != sema::SymbolInfo::Source::enclosing) continue;
        operands.push_back(b.index(b.dimension(ir::Dim::symbol(symbol.name))));
    }
    std::vector<ir::Type> types;
    graph ? tree_types(callee.result.with_mut(true), types) : result_types(callee.result, types);
    const std::vector<size_t> written = graph ? written_tensors(callee) : std::vector<size_t>{};
    for (const size_t i : written) types.push_back(paired(b.type_of(arguments[i].id)));
    const ir::OpId op = b.emit.op_giving(OpKind::call, std::move(operands), types, {{Attr::callee, callee.name}});
    size_t next = 0;
    const std::vector<ValueId> results = b.function().op(op).results;
    for (size_t k = 0; k < written.size(); ++k) {
        host_effect(b, "assign", {pairs_of(b, arguments[written[k]].id), results[results.size() - written.size() + k]});
    }
    return graph ? tree_of_leaves(b, callee.result, results, next) : value_of_results(b, callee.result, results, next);
}

// `f(*items)`: the value is computed once, before the arguments, which are its items.
void bind_unpacked(Body& b, const ast::Call& node) {
    for (const ast::Argument& argument : node.arguments) {
        if (!argument.unpacked) continue;
        const auto found = b.program.made.unpacked.find(b.key(*argument.value));
        if (found == b.program.made.unpacked.end() || !found->second.named) continue;
        bind_target(b, *b.expr(found->second.name), expression(b, *argument.value));
    }
}

// The arguments of static parameters that differ by round: which parameters.
std::vector<size_t> differing(Body& b, const CallInfo& info) {
    std::vector<size_t> all;
    const auto& parameters = b.program.instance(info.callee).parameters;
    for (size_t i = 0; i < info.arguments.size() && i < parameters.size(); ++i) {
        const ast::Expr* given = argument(b, info, i);
        if (given && parameters[i].value && b.info(*given).by_round()) all.push_back(i);
    }
    return all;
}

[[noreturn]] void fail_by_round(Body& b, const CallInfo& info, const char* what) {
    ir::internal_error(fmt::format("a call of `{}` in `{}`: {} in this round of a loop",
                                   b.program.instance(info.callee).name, b.instance().name, what));
}

// The call of the instance for the values of this round; null where only the run knows them.
const CallInfo* of_this_round(Body& b, const CallInfo& info) {
    if (info.by_round.empty()) return &info;
    std::vector<std::pair<size_t, std::string>> given;
    Body& around = b.takes_operands() ? b.operands->host : b;  // the loop stands around the graph of the expression
    for (const size_t i : differing(b, info)) {
        const auto value = static_in_round(around, *argument(b, info, i));
        if (!value) return nullptr;
        given.emplace_back(i, value->text());
    }
    const auto made = std::ranges::find_if(info.by_round, [&](const CallInfo& call) {
        const auto& parameters = b.program.instance(call.callee).parameters;
        return std::ranges::all_of(given,
                                   [&](const auto& one) { return parameters[one.first].value->text() == one.second; });
    });
    if (made == info.by_round.end()) fail_by_round(b, info, "no instance is for the static arguments");
    return &*made;
}

Val call_of(Body& b, const ast::Expr& e, const CallInfo& info) {
    if (info.kind == CallKind::launch) return launch(b, e, info);
    const sema::Function& callee = b.program.function(b.program.instance(info.callee).function);
    const bool on_host = sema::rules_of(callee.kind).context == sema::Context::host;
    if (on_host && b.rules().new_values) return kept_call(b, e, info, argument_values(b, info), call_of_host);
    return b.rules().inlines_calls ? inlined(b, e, info) : called(b, info);
}

// A nested function of the host is given what it captured when it runs: it compares that with the values of each
// instance. One of them fits.
Val chosen_by_run(Body& b, const ast::Expr& e, const CallInfo& info) {
    if (b.rules().inlines_calls) fail_by_round(b, info, "a static argument is not known");
    const std::vector<size_t> which = differing(b, info);
    std::vector<Val> given;
    for (const size_t i : which) given.push_back(expression(b, *argument(b, info, i)));
    const auto fits = [&](const CallInfo& one) {
        Val all = Val::truth(true);
        for (size_t k = 0; k < which.size(); ++k) {
            const Val value = Val::of(*b.program.instance(one.callee).parameters[which[k]].value);
            const bool truth = value.fixed.boolean().has_value();
            const DType type = truth ? DType::boolean : element_type_alone(b, given[k]);
            const auto same = [&] { return element_operation(b, OpKind::eq, {given[k], value}, type, DType::boolean); };
            all = both(b, all, same);
        }
        return b.truth(all);
    };
    const bool gives = !b.info(e).type.is(sema::Kind::none);
    const std::function<Val(size_t)> from = [&](size_t k) -> Val {
        const CallInfo& one = info.by_round[k];
        if (k + 1 == info.by_round.size()) return call_of(b, e, one);
        const auto then = [&] { return call_of(b, e, one); };
        const auto otherwise = [&] { return from(k + 1); };
        if (gives) {  // what a call gives is rounded to its type
            const sema::Type& type = b.info(e).type;
            return chosen(b, fits(one), type, element_dtype(type), then, otherwise);
        }
        Body::OpenIf open = b.open_if(fits(one));
        b.in_side(open, 0, then);
        b.in_side(open, 1, otherwise);
        b.close_if(open);
        return Val::none();
    };
    return from(0);
}

}  // namespace

Val call(Body& b, const ast::Expr& e, const ast::Call& node) {
    const auto found = b.instance().calls.find(e.id);
    if (found == b.instance().calls.end()) return Val::none();
    bind_unpacked(b, node);
    const CallInfo& info = found->second;
    switch (info.kind) {
        case CallKind::function:
        case CallKind::launch: {
            const CallInfo* one = of_this_round(b, info);
            return one ? call_of(b, e, *one) : chosen_by_run(b, e, info);
        }
        case CallKind::method:
            return host_method(b, e, info);
        case CallKind::inspection:
            return inspection(b, e, node, info);
        case CallKind::alloc:
            return allocation(b, e);
        case CallKind::conversion: {
            if (b.info(e).type.is_bool()) return condition(b, *argument(b, info, 0));
            const Val value = argument_value(b, info, 0);
            return convert(b, value, b.info(e).type);
        }
        case CallKind::builtin:
            break;
    }
    if (info.builtin == sema::Builtin::vjp) return value_and_arguments(b, e);
    if (info.builtin == sema::Builtin::stop_gradient) return stopped(b, e, info);
    if (info.builtin == sema::Builtin::tree_map || info.builtin == sema::Builtin::tree_update ||
        info.builtin == sema::Builtin::tree_leaves || info.builtin == sema::Builtin::tree_paths)
        return tree_call(b, e, info);
    if (info.builtin == sema::Builtin::save_checkpoint || info.builtin == sema::Builtin::load_checkpoint)
        return checkpoint_call(b, e, info);
    // A function is no value of the run.
    if (b.info(e).type.is(sema::Kind::function)) return {};
    if (b.function().level == ir::Level::graph) {
        if (auto value = graph_builtin(b, e, info)) return *value;
    }
    if (auto value = shared_builtin(b, e, info)) return *value;
    switch (b.context()) {
        case sema::Context::kernel:
            return kernel_builtin(b, e, info);
        case sema::Context::host:
            return host_builtin(b, e, info);
        case sema::Context::graph:
            if (info.builtin == sema::Builtin::on_gpu) return host_builtin(b, e, info);
            break;
    }
    ir::internal_error(fmt::format("a graph has no `{}`", sema::spelling(info.builtin)));
}

}  // namespace tsr::elaborate
