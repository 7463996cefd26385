#include "sema/calls/function_calls.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "sema/calls/arguments.h"
#include "sema/calls/passing.h"
#include "sema/calls/shape_calls.h"
#include "sema/state/entities.h"
#include "sema/state/recursion.h"
#include "sema/types/containers.h"
#include "sema/types/elements.h"
#include "sema/types/numeric.h"
#include "sema/types/writable_types.h"
#include "sema/values/declared_values.h"
#include "sema/values/dimensions.h"
#include "sema/values/items.h"
#include "sema/values/requirements.h"
#include "sema/values/rounds.h"

namespace tsr::sema {

namespace {

// A generic argument's type in symbols of the callee: equal extents get one symbol.
Type own_symbols(const Type& type, const std::string& parameter, std::vector<std::pair<ir::Dim, ir::Dim>>& known) {
    if (!type.is(Kind::tensor)) return type;
    std::vector<ir::Dim> shape;
    for (size_t axis = 0; axis < type.rank(); ++axis) {
        const ir::Dim& dim = type.tensor().shape[axis];
        if (dim.constant_value() || dim.symbol_name() == "_") {
            shape.push_back(dim);
            continue;
        }
        auto found = std::ranges::find_if(known, [&](const auto& pair) { return pair.first == dim; });
        if (found == known.end()) {
            known.emplace_back(dim, ir::Dim::symbol(fmt::format("{}_{}", parameter, axis)));
            found = known.end() - 1;
        }
        shape.push_back(found->second);
    }
    return type.with_shape(std::move(shape));
}

// Of a graph the same of what is in a tree.
Type own_tree_symbols(const Type& type, const std::string& parameter, std::vector<std::pair<ir::Dim, ir::Dim>>& known) {
    if (type.is(Kind::list))
        return Type::list(own_tree_symbols(type.parts()[0], parameter + "_0", known), type.length());
    if (!type.is(Kind::tuple) && !type.is(Kind::record)) return own_symbols(type, parameter, known);
    std::vector<Type> parts;
    for (size_t i = 0; i < type.parts().size(); ++i)
        parts.push_back(own_tree_symbols(type.parts()[i], fmt::format("{}_{}", parameter, i), known));
    if (type.is(Kind::tuple)) return Type::tuple(std::move(parts));
    return Type::record_like(type, std::move(parts), type.writable());
}

// True after a message: what is called may not be called here.
bool refused_callee(Body& b, const ast::Call& c, const Function& callee) {
    if (callee.refused != Feature::none || b.constant_only) return true;
    if (b.checker.is_broken_line(b.checker.program.def(callee).name.span)) return true;  // what it takes is not known
    if (b.rules().in_group && callee.makes && !b.checker.holds_numbers(callee.id)) {
        say_elsewhere(b, c.callee->span, "records are").note("in kernels a record holds numbers and truth values");
        return true;
    }
    const KindRules rules = rules_of(callee.kind);
    if (rules.inlined || (rules.launched ? b.rules().launches : b.rules().calls_graphs)) return false;
    b.error("E0403", c.callee->span, fmt::format("a kernel does not call the {} `{}`", rules.word, callee.name))
        .label(b.checker.program.def(callee).name.span, "defined here")
        .note("kernels call plain functions");
    return true;
}

std::string parameter_text(const ast::Parameter& p) { return fmt::format("the static parameter `{}`", p.name.text); }

// `axis: static = -1`
bool is_static_of_any_type(const ast::Parameter& p) {
    return Checker::is_static(p) && !std::get<ast::Qualified>(p.annotation->node).type;
}

// False after a message.
bool has_declared_type(Body& b, const Function& callee, const ast::Parameter& p, const ast::Expr& written,
                       const Value& value) {
    const auto& qualified = std::get<ast::Qualified>(p.annotation->node);
    const Symbol type = qualified.type ? b.checker.resolve(callee.module, *qualified.type) : Symbol{};
    return type.kind != Symbol::Kind::dtype ||
           require_converts(b, written, value, Type::scalar(type.dtype), parameter_text(p));
}

// Static parameters of the library that count what the extents of a result follow from.
constexpr std::array<std::string_view, 9> kCounts = {"dilation", "groups", "k",        "output_padding", "padding",
                                                     "size",     "stride", "stride_x", "stride_y"};

bool is_count(const ast::Parameter& p) { return std::ranges::find(kCounts, p.name.text) != kCounts.end(); }

// Of `eps: static = 1e-5`, `training: static bool = True` and `groups: static i32` in the library: what only the run
// knows is a parameter as others are. What is known when the program is compiled keeps its exact value, and decides
// then.
bool need_not_be_static(Body& b, const Function& callee, const ast::Parameter& p, const Value& value) {
    if (value.value || value.rounds != 0 || !value.type.is_scalar() || !b.checker.is_library(callee.module))
        return false;
    if (is_count(p)) return value.type.is_integer();
    if (!p.default_value || callee.name.starts_with('_')) return false;
    if (std::holds_alternative<ast::BoolLiteral>(p.default_value->node)) return value.type.is_bool();
    return std::holds_alternative<ast::FloatLiteral>(p.default_value->node) && value.type.is_float() &&
           is_static_of_any_type(p);
}

// Whether a static parameter may have this value; false after a message.
bool static_argument(Body& b, const Function& callee, const ast::Parameter& p, const ast::Expr& written,
                     const Value& value) {
    const std::string what = parameter_text(p);
    if (!value.value && !value.broken() && b.checker.is_library(callee.module) && is_count(p) &&
        !value.type.is_integer()) {
        b.error("E0302", written.span, fmt::format("`{}` is an integer, this is {}", p.name.text, shown(value.type)));
        return false;
    }
    // On the host a nested function calls the instance for what it captured when it runs. Not of floats: 0.0 and -0.0
    // are equal, and have instances of their own.
    // The library's become a part of the caller.
    const bool chosen = !value.value && value.rounds != 0 && !unrolling_fixes(b, value.rounds) &&
                        (value.type.is_integer() || value.type.is_bool()) && !b.checker.is_library(callee.module);
    return (chosen || need_not_be_static(b, callee, p, value) || require_static(b, written, value, what)) &&
           has_declared_type(b, callee, p, written, value);
}

// Whether a call of the function stands in the function itself, or in what it calls.
bool is_under_check(const Checker& checker, FunctionId id) {
    for (size_t i = 0; i < checker.program.instances.size(); ++i) {
        if (checker.program.instances[i].function == id && checker.states[i].progress == InstanceState::Progress::busy)
            return true;
    }
    return false;
}

// Evaluates the arguments and says for which signature the callee is wanted; false after a message.
bool gather(Body& b, const Function& callee, const Matched& m, Request& request, std::vector<PassedValue>& arguments) {
    std::vector<std::pair<ir::Dim, ir::Dim>> known;
    bool ok = true;
    for (size_t i = 0; i < b.checker.program.def(callee).parameters.size(); ++i) {
        const ast::Parameter& p = b.checker.program.def(callee).parameters[i];
        const ast::Expr* written = m.arguments[i];
        Value value;
        Type given;
        std::optional<Static> fixed_value;
        if (written) {
            value = expression(b, *written);
            if (value.type.is(Kind::tuple)) value.type = item_type(b, value.type, *written);
            if (value.type.is(Kind::range)) {
                b.error("E0302", written->span, "a range is gone through where it is written")
                    .suggest(written->span, fmt::format("list({})", b.source(*written)), "make it a list");
                value = {};
            }
            if (holds_function_values(value.type)) {
                b.refuse(Feature::autodiff, written->span, "giving what `vjp` gave to another function is");
                value = {};
            }
            if (b.rules().host_objects && value.type.is(Kind::list)) value.type = stored(value.type);
            ok &= !value.broken() && (!callee.generic || require_known(b, *written, value));
            given = settled_type(b.rules().host_objects ? stored(value.type) : value.type, value.value);
            // A function that calls itself with `xs[1:]` is one function for lists of any length.
            if (b.rules().host_objects && !rules_of(callee.kind).of_values) {
                const Type any = without_lengths(given);
                if (!(any == given) && is_under_check(b.checker, callee.id)) given = any;
            }
            if (Checker::is_static(p)) ok &= static_argument(b, callee, p, *written, value);
            if (Checker::is_static(p)) fixed_value = value.value;
        } else {
            Checker::Constant otherwise = b.checker.evaluate(callee.module, *p.default_value);
            const bool any_type = !p.annotation || is_static_of_any_type(p);
            if (any_type) given = otherwise.type;
            if (any_type && given.is_unknown()) {
                b.error("E0314", p.default_value->span, fmt::format("the default of `{}` must be static", p.name.text));
                ok = false;
            }
            if (Checker::is_static(p)) fixed_value = otherwise.value;
        }
        request.values.push_back(fixed_value);
        // How a tensor is rounded to holds also through a parameter whose type says nothing of it, and a parameter that
        // is declared as a tensor takes shared buffers and arrays of each tile's own.
        const bool declared = Checker::is_static(p) && !is_static_of_any_type(p);
        const bool asked = (callee.generic && !declared) || (given.is(Kind::tensor) && given.policy().round) ||
                           is_memory_of_kernel(given);
        // A function with a rule writes nothing that it is given: one instance, be it a parameter or a new tensor.
        if (callee.rule) given = given.with_mut(false);
        const bool tree = given.is(Kind::tuple) || b.rules().new_values || rules_of(callee.kind).of_values;
        request.types.push_back(!asked ? Type::unknown()
                                : tree ? own_tree_symbols(given, p.name.text, known)
                                       : own_symbols(given, p.name.text, known));
        arguments.push_back({written, std::move(value)});
    }
    return ok;
}

// Whether some `return` of these statements gives a value.
bool gives_value(const ast::Block& block) {
    return std::ranges::any_of(block, [](const ast::Stmt* stmt) {
        if (const auto* given = std::get_if<ast::Return>(&stmt->node)) return given->value != nullptr;
        if (const auto* loop = std::get_if<ast::For>(&stmt->node))
            return gives_value(loop->body) || gives_value(loop->otherwise);
        if (const auto* loop = std::get_if<ast::While>(&stmt->node))
            return gives_value(loop->body) || gives_value(loop->otherwise);
        const auto* branch = std::get_if<ast::If>(&stmt->node);
        return branch && (gives_value(branch->otherwise) ||
                          std::ranges::any_of(branch->branches, [](const auto& b) { return gives_value(b.body); }));
    });
}

// A function that calls itself, directly or through others; false after a message.
bool recursion(Body& b, const ast::Expr& e, const Function& callee, const InstanceState& made) {
    if (made.progress != InstanceState::Progress::busy) return true;
    if (b.rules().inlines_calls) {
        b.error("E0404", e.span,
                fmt::format("`{}` calls itself: recursion is not possible in a {}", callee.name,
                            b.rules().in_group ? "kernel" : "graph function"));
        return false;
    }
    if (made.declared_result || !gives_value(b.checker.program.def(callee).body)) return true;
    b.error("E0506", e.span, fmt::format("`{}` calls itself: its result type must be declared", callee.name))
        .label(b.checker.program.def(callee).name.span, "declare it with `->`");
    return false;
}

// What a plain function allocates and names of the group counts for the kernel that it becomes part of.
void inherit(InstanceState& caller, const InstanceState& callee) {
    caller.allocations.insert(caller.allocations.end(), callee.allocations.begin(), callee.allocations.end());
    if (!callee.group_name.valid() || caller.group_name.valid()) return;
    caller.group_name = callee.group_name;
    caller.group_spelling = callee.group_spelling;
}

Matched matched(Body& b, const ast::Expr& e, const ast::Call& written, const Function& callee,
                const ast::Expr* receiver) {
    std::vector<BuiltinParameter> parameters;
    std::vector<bool> has_default;
    for (const ast::Parameter& p : b.checker.program.def(callee).parameters) {
        const bool extents = p.name.text == "shape" && b.checker.is_library(callee.module);
        parameters.push_back({p.name.text, p.default_value != nullptr, false, p.keyword_only, extents});
        has_default.push_back(p.default_value != nullptr);
    }
    const ast::Call& c = receiver ? written : call_with_shape(b, e, written, parameters);
    Matched m = match_arguments(b, c, c.callee->span, fmt::format("`{}`", callee.name), parameters, has_default,
                                receiver ? 1 : 0);
    if (m.ok && receiver) m.arguments[0] = receiver;
    note_keywords(b, c, callee.id);
    return m;
}

// `y: T = matmul(a, b)`: the type that is declared is `out=T` of a function of the library that has it.
void choose_out(Body& b, const ast::Expr& e, const Function& callee, Matched& m) {
    if (!b.checker.is_library(callee.module) || b.checker.is_library(b.instance.module)) return;
    const std::vector<ast::Parameter>& parameters = b.checker.program.def(callee).parameters;
    for (size_t i = 0; i < parameters.size(); ++i) {
        if (parameters[i].name.text == "out" && !m.arguments[i]) m.arguments[i] = declared_out(b, e, m.arguments);
    }
}

}  // namespace

// What a function that is called reads of this one's variables is assigned on every path to the call.
static void require_captured(Body& b, InstanceId callee, const ast::Expr& at) {
    if (!b.aloud || !b.flow.reachable) return;
    std::set<InstanceId> seen;
    std::vector<InstanceId> open{callee};
    while (!open.empty()) {
        const InstanceId next = open.back();
        open.pop_back();
        if (!seen.insert(next).second) continue;
        const std::set<InstanceId>& called = b.checker.states[next.index].callees;
        open.insert(open.end(), called.begin(), called.end());
        const Instance& made = b.checker.program.instance(next);
        for (const VariableId captured : made.captures) {
            const auto& [owner, variable] = *made.variables[captured.index].captured;
            if (owner != b.instance.id) continue;
            Slot& slot = b.slots[variable.index];
            if (slot.id.index < b.flow.assigned.size() && b.flow.assigned[slot.id.index]) continue;
            b.error("E0206", at.span, fmt::format("this reads `{}`, which may not be assigned yet", slot.name))
                .label(slot.first_at, "it is assigned here");
            b.mark_assigned(slot);  // said once per path
        }
    }
}

namespace {

// The static arguments that differ by the round of loops around, which are unrolled.
struct ByRound {
    std::vector<size_t> parameters;
    std::vector<std::vector<Static>> values;  // of those parameters, each combination once
};

// An argument as one round gives it.
Value value_of_round(const Value& argument, const Static& value) {
    Value result = argument;
    result.value = value;
    result.rounds = 0;
    if (const auto number = value.integer()) result.dim = ir::Dim::constant(*number);
    return result;
}

// Nothing after a message.
std::optional<ByRound> by_round(Body& b, const Function& callee, const std::vector<PassedValue>& arguments) {
    ByRound result;
    uint64_t rounds = 0;
    std::vector<const ast::Expr*> exprs;
    for (size_t i = 0; i < arguments.size(); ++i) {
        const Value& value = arguments[i].value;
        if (!Checker::is_static(b.checker.program.def(callee).parameters[i]) || value.value || value.rounds == 0)
            continue;
        rounds |= value.rounds;
        result.parameters.push_back(i);
        exprs.push_back(arguments[i].expr);
    }
    if (exprs.empty()) return result;
    ValuesByRound found = values_by_round(b, rounds, exprs);
    if (found.values.empty()) {
        const size_t which =
            found.faulty ? static_cast<size_t>(std::ranges::find(exprs, found.faulty) - exprs.begin()) : 0;
        const std::string what = parameter_text(b.checker.program.def(callee).parameters[result.parameters[which]]);
        if (!found.fault.empty()) {
            b.error("E0314", exprs[which]->span, fmt::format("{} has no value: {}", what, found.fault));
        } else if (found.faulty) {
            b.error("E0314", exprs[which]->span, fmt::format("{} must be static", what));
        } else {
            b.error("E0314", exprs[which]->span, fmt::format("{} differs from round to round", what))
                .note("loops are unrolled, 4096 rounds together, and a function is made for each value, 256 at most");
        }
        return std::nullopt;
    }
    for (const std::vector<Static>& values : found.values) {
        for (size_t i = 0; i < values.size(); ++i) {
            const Value value = value_of_round(arguments[result.parameters[i]].value, values[i]);
            if (!has_declared_type(b, callee, b.checker.program.def(callee).parameters[result.parameters[i]], *exprs[i],
                                   value))
                return std::nullopt;
        }
    }
    result.values = std::move(found.values);
    return result;
}

}  // namespace

// Says so where an extent known here is not among the values of the kernel's tuning space.
static bool listed_dimensions(Body& b, const ast::Expr& e, const Instance& kernel, const CallInfo& info) {
    for (const DimBinding& binding : info.bindings) {
        const auto& tuned = kernel.kernel.tuned_dimensions;
        const auto value = binding.value.constant_value();
        if (!value || kernel.points.empty() || std::ranges::find(tuned, binding.symbol) == tuned.end()) continue;
        std::set<int64_t> values;
        for (const InstanceId id : kernel.points) {
            for (const auto& [name, known] : b.checker.program.instance(id).kernel.tuning) {
                if (name == binding.symbol) values.insert(known.integer().value_or(0));
            }
        }
        if (values.contains(*value)) continue;
        const Function& callee = b.checker.program.function(kernel.function);
        b.error("E0312", e.span,
                fmt::format("`{}` of `{}` is {} here, its tuning space has {}", binding.symbol, callee.name, *value,
                            fmt::join(values, ", ")))
            .label(callee.space_at, "the tuning space");
        return false;
    }
    return true;
}

// A call of the instance with these static values; nothing after a message.
static std::optional<std::pair<Value, CallInfo>> call_instance(Body& b, const ast::Expr& e, const Request& request,
                                                               std::vector<PassedValue>& arguments) {
    const Function& callee = b.checker.program.function(request.function);
    const bool launch = rules_of(callee.kind).launched;
    InstanceId made_id = b.checker.instantiate(request);
    if (!made_id.valid()) {
        if (b.checker.has_most_instances()) {
            b.error("E0338", e.span, "generic functions are called with too many signatures");
        } else if (!b.checker.cancelled()) {
            b.error("E0338", e.span, "calls of functions nest too deep here");
        }
        return std::nullopt;
    }
    const Instance& made = b.checker.program.instance(made_id);
    b.state().callees.insert(made_id);
    InstanceState& state = b.checker.states[made_id.index];
    if ((callee.generic || b.checker.is_library(callee.module)) && !state.called_at.valid()) {
        state.called_at = e.span;
        state.called_by = b.instance.id;
        state.call = e.id;
    }
    if (!recursion(b, e, callee, b.checker.states[made_id.index])) return std::nullopt;
    require_captured(b, made_id, e);
    if (!launch) inherit(b.state(), b.checker.states[made_id.index]);
    CallInfo info;
    info.kind = launch ? CallKind::launch : CallKind::function;
    info.callee = made_id;
    for (size_t i = 0; i < arguments.size(); ++i) {
        const ast::Expr* fallback = b.checker.program.def(callee).parameters[i].default_value;
        info.arguments.push_back({id_of(arguments[i].expr), arguments[i].expr ? ast::ExprId{} : id_of(fallback)});
    }
    Passing passing(b, callee, arguments);
    if (!passing.types(made) || !passing.dimensions(made, info) || !passing.overlap(made, info)) return std::nullopt;
    if (made.tuned && !listed_dimensions(b, e, made, info)) return std::nullopt;
    Value result;
    if (launch && made.returned_parameter && arguments[*made.returned_parameter].expr) {
        result = arguments[*made.returned_parameter].value;
        result.referent = {};
    } else if (callee.makes) {
        std::vector<Type> given;
        for (const PassedValue& argument : arguments) given.push_back(argument.value.type);
        result.type = made_record(made.result, given);
    } else {
        result.type = type_in_caller(b, made.result, info.bindings, e);
        const bool makes = rules_of(callee.kind).of_values || b.checker.program.is_operator(made) ||
                           (b.rules().new_values && rules_of(callee.kind).context == Context::host);
        if (makes) result.type = result.type.with_mut(true);  // tensors that it made
        if (rules_of(callee.kind).of_values && b.rules().host_objects) result.type = stored(result.type);
    }
    return std::pair(std::move(result), std::move(info));
}

// In a graph the launch of a kernel with a rule is a call of a function that has this rule.
static void give_rule(Body& b, const Function& callee, CallInfo& launch) {
    const bool is_that_function = b.function && b.function->derived && b.function->derived->of == callee.id;
    if (!callee.rule || launch.kind != CallKind::launch || !b.rules().new_values || is_that_function) return;
    launch.as_values = b.checker.launch_as_values(launch.callee, launch.groups.size());
    if (launch.as_values.valid()) b.state().callees.insert(launch.as_values);
}

// Behind what it asserts the function gives one expression.
static bool is_one_expression(const ast::FunctionDef& def) {
    const ast::Block& body = def.body;
    const auto is_assert = [](const ast::Stmt* stmt) { return std::holds_alternative<ast::Assert>(stmt->node); };
    const auto is_docstring = [](const ast::Stmt* stmt) {
        const auto* alone = std::get_if<ast::ExprStmt>(&stmt->node);
        return alone && std::holds_alternative<ast::StringLiteral>(alone->value->node);
    };
    if (body.empty() || !std::holds_alternative<ast::Return>(body.back()->node)) return false;
    const auto first = is_docstring(body.front()) ? body.begin() + 1 : body.begin();
    return std::all_of(first, body.end() - 1, is_assert);
}

Value function_call(Body& b, const ast::Expr& e, const ast::Call& c, FunctionId id,
                    const std::vector<const ast::Expr*>& groups, const ast::Expr* receiver) {
    const Function& callee = b.checker.program.function(id);
    Matched m;
    m.ok = !refused_callee(b, c, callee);
    if (m.ok) m = matched(b, e, c, callee, receiver);
    Request request;
    request.function = id;
    request.context = rules_of(callee.kind).context.value_or(b.instance.context);
    if (m.ok && callee.captures) {
        request.enclosing = b.checker.open_body(*callee.enclosing);
        m.ok = request.enclosing != nullptr;
        if (!m.ok)
            b.refuse(Feature::host, c.callee->span,
                     fmt::format("a call of `{}` outside of the function it is in is", callee.name));
    }
    if (!m.ok) {
        evaluate_arguments(b, c);
        return {};
    }
    choose_out(b, e, callee, m);
    std::vector<PassedValue> arguments;
    if (!gather(b, callee, m, request, arguments)) return {};
    const auto is_tensor = [](const Type& type) { return type.is(Kind::tensor); };
    const auto is_record = [](const Type& type) { return type.is(Kind::record); };
    // Of whole tensors such a function of the library is an operator for the program, also where kernels call it for
    // numbers. Between host functions of the library it is one of them, and where it takes an object of the host.
    const bool entered = b.checker.is_library(callee.module) && !b.checker.is_library(b.instance.module);
    if (entered) b.checker.read_body(id);
    const bool expression = entered && is_one_expression(b.checker.program.def(callee));
    if (expression && b.rules().host_objects && std::ranges::any_of(request.types, is_tensor) &&
        std::ranges::none_of(request.types, is_record))
        request.context = Context::graph;
    if (rules_of(callee.kind).context == Context::host && !b.rules().host_objects) {
        for (const PassedValue& argument : arguments) {
            const Type& type = argument.value.type;
            const bool fits = (type.is(Kind::tensor) || type.is_scalar()) && !is_complex(type);
            if (!argument.expr || fits || argument.value.value) continue;
            return b.refuse(Feature::graphs, argument.expr->span,
                            fmt::format("giving {} to `{}` in a graph function is", shown(type), callee.name));
        }
    }
    const auto differing = by_round(b, callee, arguments);
    if (!differing) return {};
    std::vector<std::pair<Value, CallInfo>> made;
    const size_t calls = differing->parameters.empty() ? 1 : differing->values.size();
    for (size_t call = 0; call < calls; ++call) {
        for (size_t i = 0; i < differing->parameters.size(); ++i) {
            const size_t parameter = differing->parameters[i];
            arguments[parameter].value = value_of_round(arguments[parameter].value, differing->values[call][i]);
            request.values[parameter] = arguments[parameter].value.value;
        }
        auto one = call_instance(b, e, request, arguments);
        if (!one) return {};
        one->second.groups = ids_of(groups);
        give_rule(b, callee, one->second);
        made.push_back(std::move(*one));
        if (made.back().first.type == made[0].first.type) continue;
        b.error("E0314", arguments[differing->parameters[0]].expr->span,
                fmt::format("`{}` gives {} in one round of the loop and {} in another", callee.name,
                            shown(made[0].first.type), shown(made.back().first.type)));
        return {};
    }
    CallInfo info = made[0].second;
    if (made.size() > 1) {
        for (auto& [value, call] : made) info.by_round.push_back(std::move(call));
    }
    b.record_call(e, std::move(info));
    return made[0].first;
}

}  // namespace tsr::sema
