// Functions that say what their derivative is: `f.defvjp(fwd, bwd)`, `f.defjvp(rule)`; functions that are to have one.
#include <algorithm>

#include <fmt/format.h>

#include "sema/state/body.h"
#include "sema/types/derivative_types.h"
#include "sema/types/numeric.h"

namespace tsr::sema {

namespace {

const ast::Call* module_call(const ast::Stmt& stmt) {
    const auto* alone = std::get_if<ast::ExprStmt>(&stmt.node);
    return alone ? std::get_if<ast::Call>(&alone->value->node) : nullptr;
}

bool has_floats(const std::vector<ParameterInfo>& parameters) {
    return std::ranges::any_of(parameters, [](const ParameterInfo& p) { return holds_floats(p.type) && !p.value; });
}

// What a rule is told and says of the floats of a function.
struct Floats {
    std::vector<Type> parameters;  // of all of them, that are given when the program runs
    std::vector<Type> cotangents;  // of those that hold floats
};

// The rule of a kernel is not told how many groups a launch has.
Floats floats_of(const Instance& instance, const Function& function) {
    Floats floats;
    const size_t groups = function.derived ? function.derived->groups : 0;
    for (size_t i = groups; i < instance.parameters.size(); ++i) {
        const ParameterInfo& parameter = instance.parameters[i];
        if (parameter.value) continue;
        floats.parameters.push_back(parameter.type);
        if (holds_floats(parameter.type)) floats.cotangents.push_back(gradient_type(parameter.type, std::nullopt));
    }
    return floats;
}

}  // namespace

void Checker::read_rules(size_t first_module, size_t first_function) {
    for (size_t i = first_module; i < program.modules.size(); ++i) {
        const ModuleId module(i);
        const auto* tree = program.modules[i].tree;
        if (!tree) continue;
        for (const ast::Stmt* stmt : tree->body) {
            const ast::Call* call = module_call(*stmt);
            const auto* method = call ? std::get_if<ast::Attribute>(&call->callee->node) : nullptr;
            if (method && (method->name.text == "defvjp" || method->name.text == "defjvp")) read_rule(module, *call);
        }
    }
    for (size_t i = first_function; i < program.functions.size(); ++i) {
        Function& function = program.functions[i];
        if (!function.rule || function.rule->defined || function.rule->broken) continue;
        function.rule->broken = true;
        diagnostics.error("E0612", function.rule->declared,
                          fmt::format("the rule of `{}` is missing: `{}` at module level", function.name,
                                      function.rule->in_reverse ? function.name + ".defvjp(fwd, bwd)"
                                                                : function.name + ".defjvp(rule)"));
    }
}

void Checker::read_rule(ModuleId module, const ast::Call& call) {
    const auto& method = std::get<ast::Attribute>(call.callee->node);
    const Symbol of = resolve(module, *method.base);
    if (of.kind != Symbol::Kind::function) return;
    // First of all: a name of the library may add functions to the program.
    std::vector<FunctionId> rules;
    for (const ast::Argument& argument : call.arguments) {
        const Symbol named = resolve(module, *argument.value);
        if (named.kind == Symbol::Kind::function && !argument.keyword) rules.push_back(named.function);
    }
    Function& function = program.functions[of.function.index];
    const bool in_reverse = method.name.text == "defvjp";
    if (!function.rule || function.rule->in_reverse != in_reverse) return;
    CustomRule& rule = *function.rule;
    const size_t wanted = in_reverse ? 2 : 1;
    if (rule.defined == &call) return;  // of a file that this one has read meanwhile
    if (rule.defined) {
        diagnostics.error("E0612", method.name.span, fmt::format("`{}` has a rule already", function.name));
        return;
    }
    rule.defined = &call;
    rule.functions = std::move(rules);
    if (rule.functions.size() == wanted && call.arguments.size() == wanted) return;
    rule.broken = true;
    diagnostics.error("E0612", method.name.span,
                      in_reverse ? "`defvjp` takes two functions of the program: `f.defvjp(fwd, bwd)`"
                                 : "`defjvp` takes a function of the program: `f.defjvp(rule)`");
}

// ---- kernels ----

namespace {

std::string number_of_groups(size_t axis) { return fmt::format("groups.{}", axis); }  // no name of a program

}  // namespace

// `launch(k)(groups.0, …, x, y)`, whose body is `k[groups.0, …](x, y)`: the groups first, for the rule takes the
// others.
FunctionId Checker::launch_function(const Function& kernel, size_t groups) {
    const auto [found, fresh] = derived_.try_emplace(fmt::format("launch {} {}", kernel.id.index, groups));
    if (!fresh) return found->second;
    const Span place = kernel.rule->declared;
    std::vector<ast::Parameter> parameters;
    std::vector<const ast::Expr*> numbers;
    for (size_t axis = 0; axis < groups; ++axis) {
        parameters.push_back({{number_of_groups(axis), {}}});
        numbers.push_back(&program.made.expr(place, ast::Name{number_of_groups(axis)}));
    }
    const ast::Expr* callee = &program.made.expr(place, ast::Name{"kernel"});
    if (groups != 0) callee = &program.made.expr(place, ast::Subscript{callee, std::move(numbers)});
    ast::Call call{callee, {}};
    for (ast::Parameter parameter : program.def(kernel).parameters) {
        const ast::Expr& given = program.made.expr(place, ast::Name{parameter.name.text});
        std::optional<ast::Identifier> keyword;
        if (parameter.keyword_only) keyword = ast::Identifier{parameter.name.text, {}};
        call.arguments.push_back({keyword, &given});
        parameter.name.span = {};
        parameter.default_value = nullptr;
        if (!is_static(parameter)) parameter.annotation = nullptr;  // its type is that of the kernel's parameter
        parameters.push_back(std::move(parameter));
    }
    Derivation derivation;
    derivation.of = kernel.id;
    derivation.kind = DerivationKind::launch;
    derivation.place = place;
    derivation.call = program.made.expr(place, std::move(call)).id;
    derivation.groups = groups;
    return found->second = add_with_parameters(std::move(derivation), std::move(parameters));
}

InstanceId Checker::launch_as_values(InstanceId kernel, size_t groups) {
    const Function& function = program.function(program.instance(kernel).function);
    if (!function.rule || function.rule->broken) return {};
    Request request;
    request.context = Context::graph;
    request.types.assign(groups, Type::index());
    request.values.resize(groups);
    for (const ParameterInfo& parameter : program.instance(kernel).parameters) {
        if (parameter.type.is_unknown()) return {};
        Type type = parameter.type.with_mut(false);
        if (type.is(Kind::tensor)) {
            TensorDetail detail = type.tensor();
            detail.privilege = Privilege::none;
            type = Type::tensor(type.elem(), std::move(detail));
        }
        request.types.push_back(std::move(type));
        request.values.push_back(parameter.value);
    }
    request.function = launch_function(function, groups);
    return instantiate(request);
}

// ---- what rules take and give ----

namespace {

// The instance of a rule for these types; invalid after a message.
class RuleInstances {
public:
    RuleInstances(Checker& checker, InstanceId of, const CustomRule& rule) : checker_(checker), of_(of), rule_(rule) {}

    InstanceId made(size_t which, const std::vector<Type>& types) {
        const Function& function = checker_.program.function(rule_.functions[which]);
        const auto& parameters = checker_.program.def(function).parameters;
        Request request;
        request.function = function.id;
        request.context = Context::graph;
        request.values.resize(parameters.size());
        std::vector<size_t> given;  // the parameters that the types are of
        for (size_t i = 0; i < parameters.size(); ++i) {
            request.values[i] = fixed_value(parameters[i]);
            request.types.push_back(Type::unknown());
            if (request.values[i]) continue;
            if (given.size() < types.size()) request.types.back() = types[given.size()];
            given.push_back(i);
        }
        if (given.size() != types.size()) {
            say(fmt::format("`{}` takes {} arguments here, it has {} parameters", function.name, types.size(),
                            given.size()),
                function);
            return {};
        }
        const InstanceId id = checker_.instantiate(request);
        if (!id.valid()) return {};
        checker_.states[of_.index].callees.insert(id);
        const Instance& instance = checker_.program.instance(id);
        for (size_t i = 0; i < types.size(); ++i) {
            const ParameterInfo& parameter = instance.parameters[given[i]];
            if (parameter.type.is_unknown()) return {};
            if (parameter.type.writable()) {
                say(fmt::format("`{}` has a `mut` parameter, `{}`: a rule is given values, and gives new ones",
                                function.name, parameter.name),
                    function)
                    .note("a copy may be written: `y.copy()`");
                return {};
            }
            if (stands_for_exactly(types[i], parameter.type)) continue;
            say(fmt::format("`{}` is given {} for `{}`, which is {}", function.name, shown(types[i]), parameter.name,
                            shown(parameter.type)),
                function);
            return {};
        }
        if (!instance.captures.empty()) {
            say(fmt::format("`{}` uses variables around it: what a rule needs is given to it", function.name),
                function);
            return {};
        }
        return instance.result.is_unknown() ? InstanceId{} : id;
    }

    Diagnostic& say(const std::string& message, const Function& function) {
        const Span at = std::get<ast::Attribute>(rule_.defined->callee->node).name.span;
        Diagnostic& said = checker_.states[of_.index].found.error("E0612", at, message);
        return said.label(checker_.program.def(function).name.span, "defined here");
    }

private:
    // A static parameter of a rule has the value of the function's static parameter of its name.
    [[nodiscard]] std::optional<Static> fixed_value(const ast::Parameter& parameter) const {
        if (!Checker::is_static(parameter)) return std::nullopt;
        for (const ParameterInfo& of : checker_.program.instance(of_).parameters) {
            if (of.name == parameter.name.text) return of.value;
        }
        return std::nullopt;
    }

    Checker& checker_;
    InstanceId of_;
    const CustomRule& rule_;
};

}  // namespace

// `fwd` gives the result and what it saves; `bwd` takes that and the cotangent, and gives those of the parameters.
void Checker::check_reverse_rule(InstanceId id, const CustomRule& rule) {
    RuleInstances rules(*this, id, rule);
    const Floats floats = floats_of(program.instance(id), program.function(program.instance(id).function));
    const Type result = settled_type(program.instance(id).result, {});
    const InstanceId forward = rules.made(0, floats.parameters);
    if (!forward.valid()) return;
    const Function& fwd = program.function(rule.functions[0]);
    const Type given = settled_type(program.instance(forward).result, {});
    if (!given.is(Kind::tuple) || given.parts().size() != 2 || !stands_for_exactly(given.parts()[0], result)) {
        rules.say(
            fmt::format("`{}` gives a pair, {} and what it saves; this is {}", fwd.name, shown(result), shown(given)),
            fwd);
        return;
    }
    const InstanceId backward = rules.made(1, {given.parts()[1], gradient_type(result, std::nullopt)});
    if (!backward.valid()) return;
    const Function& bwd = program.function(rule.functions[1]);
    const Type wanted = one_or_tuple(floats.cotangents), found = settled_type(program.instance(backward).result, {});
    if (!stands_for(found, wanted)) {
        rules.say(fmt::format("`{}` gives {}, needs {}: a cotangent for each parameter that holds floats", bwd.name,
                              shown(found), shown(wanted)),
                  bwd);
        return;
    }
    program.instances[id.index].rules = {forward, backward};
}

// `rule` takes the arguments and their tangents as two tuples, and gives the result and its tangent.
void Checker::check_forward_rule(InstanceId id, const CustomRule& rule) {
    RuleInstances rules(*this, id, rule);
    const Floats floats = floats_of(program.instance(id), program.function(program.instance(id).function));
    const Type result = settled_type(program.instance(id).result, {});
    std::vector<Type> tangents;
    for (const Type& type : floats.parameters) tangents.push_back(gradient_type(type, std::nullopt));
    const InstanceId made = rules.made(0, {Type::tuple(floats.parameters), Type::tuple(tangents)});
    if (!made.valid()) return;
    const Function& function = program.function(rule.functions[0]);
    const Type found = settled_type(program.instance(made).result, {});
    const Type wanted = Type::tuple({result, gradient_type(result, std::nullopt)});
    if (!stands_for_exactly(found, wanted)) {
        rules.say(fmt::format("`{}` gives {}, needs the result and its tangent: {}", function.name, shown(found),
                              shown(wanted)),
                  function);
        return;
    }
    program.instances[id.index].rules = {made};
}

// What a rule calls may have a rule that calls this function again: one after the other, none inside of another.
void Checker::check_rule(InstanceId id) {
    rules_to_check_.push_back(id);
    if (checking_rule_) return;
    checking_rule_ = true;
    while (!rules_to_check_.empty()) {
        const InstanceId next = rules_to_check_.back();
        rules_to_check_.pop_back();
        const CustomRule rule = *program.function(program.instance(next).function).rule;
        if (rule.in_reverse) {
            check_reverse_rule(next, rule);
        } else {
            check_forward_rule(next, rule);
        }
        Instance& instance = program.instances[next.index];
        instance.complete = instance.complete && !states[next.index].found.has_errors();
    }
    checking_rule_ = false;
}

void Checker::check_promises(InstanceId id, const Request& request) {
    const Function function = program.function(request.function);
    const bool launch = function.derived && function.derived->kind == DerivationKind::launch;
    if ((function.derived && !launch) || states[id.index].found.has_errors()) return;
    const std::string& name = launch ? program.function(function.derived->of).name : function.name;
    Diagnostics& found = states[id.index].found;
    const auto say = [&](Span at, const std::string& message) {
        found.error("E0612", at, message)
            .label(program.def(launch ? function.derived->of : function.id).name.span, "defined here");
    };
    const Instance& instance = program.instance(id);
    if (function.rule && !function.rule->broken && request.context == Context::graph) {
        if (!has_floats(instance.parameters) || !holds_floats(settled_type(instance.result, {}))) {
            say(function.rule->declared, fmt::format("`{}` takes or gives no floats: it has no derivative", name));
        } else if (!instance.captures.empty()) {
            say(function.rule->declared,
                fmt::format("`{}` uses variables around it: a function with a rule takes them as parameters", name));
        } else {
            check_rule(id);
        }
    }
    if (function.differentiable) {
        if (!has_floats(instance.parameters) || !holds_floats(settled_type(instance.result, {}))) {
            say(*function.differentiable, fmt::format("`{}` takes or gives no floats: it has no derivative", name));
        } else if (request.context != Context::graph && function.kind == FunctionKind::plain) {
            Request as_graph = request;
            as_graph.context = Context::graph;
            const InstanceId made = instantiate(as_graph);
            if (made.valid()) states[id.index].callees.insert(made);
        }
    }
    program.instances[id.index].complete = program.instances[id.index].complete && !found.has_errors();
}

}  // namespace tsr::sema
