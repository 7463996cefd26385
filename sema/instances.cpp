// Instances: a function is checked once for each signature that it is called with.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sema/functions/passes.h"
#include "sema/functions/tuning.h"
#include "sema/program/tuning_points.h"
#include "sema/types/numeric.h"

namespace tsr::sema {

Checker::Checker(Sources& sources, const CheckOptions& options, Diagnostics& diagnostics)
    : sources(sources), options(options), diagnostics(diagnostics) {}

Checker::~Checker() = default;

Instance& Checker::new_instance(ModuleId module, Context context, std::string name) {
    InstanceId id(program.instances.size());
    Instance& instance = program.instances.emplace_back();
    states.emplace_back();
    instance.id = id;
    instance.module = module;
    instance.context = context;
    int& used = used_names_[name];
    instance.name = used++ == 0 ? name : fmt::format("{}.{}", name, used);
    instance.result = Type::none();
    return instance;
}

namespace {

// What of a type may be written, and the lengths of lists: its text does not say it.
std::string writable_parts(const Type& type) {
    if (type.is(Kind::tensor)) return type.writable() ? "!" : "";
    if (!type.is(Kind::list) && !type.is(Kind::dict) && !type.is(Kind::tuple) && !type.is(Kind::record)) return "";
    std::string text = type.is(Kind::record) ? std::to_string(type.function_id().index) : "";
    if (type.is(Kind::list) && type.length()) text += std::to_string(*type.length());
    text += type.writable() ? "!(" : "(";
    // The name of a class does not say what the fields of one that takes any hold.
    const bool named = type.is(Kind::record) && !type.is_keyed_dict();
    for (const Type& part : type.parts()) text += (named ? part.text() : "") + writable_parts(part) + ",";
    return text + ")";
}

}  // namespace

std::string Checker::instance_key(const Request& request) const {
    std::string key = fmt::format("{}/{}", request.function.index, static_cast<int>(request.context));
    for (const Type& type : request.types) {
        key += "/" + type.text() + type.policy().text();
        key += writable_parts(type);
        if (type.is(Kind::function)) key += std::to_string(type.function_id().index);
    }
    for (const auto& value : request.values) key += value ? "=" + value->text() : "=";
    if (request.point) key += "@" + point_text(*request.point);
    return key;
}

static std::string_view word(const Derivation& derivation) {
    switch (derivation.kind) {
        case DerivationKind::gradient:
            return derivation.with_value ? "value_and_grad" : "grad";
        case DerivationKind::jacobian_forward:
            return "jacfwd";
        case DerivationKind::jacobian_reverse:
            return "jacrev";
        case DerivationKind::recomputed:
            return "checkpoint";
        case DerivationKind::pushforward:
            return derivation.with_value ? "jvp" : "hvp";
        case DerivationKind::pullback:
            return "vjp";
        case DerivationKind::batch:
            return "vmap";
        case DerivationKind::launch:
            return "launch";
    }
    __builtin_unreachable();
}

FunctionId Checker::add_derived(Derivation derivation) {
    const FunctionId id(program.functions.size());
    Function function = program.function(derivation.of);
    function.id = id;
    function.kind = FunctionKind::graph;
    function.name = fmt::format("{}({})", word(derivation), function.name);
    if (derivation.kind != DerivationKind::launch) function.rule.reset();
    function.differentiable.reset();
    function.space.clear();
    function.derived = std::move(derivation);
    called_.insert(id);
    program.functions.push_back(std::move(function));
    return id;
}

FunctionId Checker::derived_function(Derivation derivation) {
    const std::string key = fmt::format("{}/{}/{}/{}/{}/{}", derivation.of.index, static_cast<int>(derivation.kind),
                                        fmt::join(derivation.wrt, ","), derivation.with_value, derivation.has_aux,
                                        derivation.out ? tsr::name(*derivation.out) : "");
    const auto [found, fresh] = derived_.try_emplace(key);
    if (fresh) found->second = add_derived(std::move(derivation));
    return found->second;
}

FunctionId Checker::transformed_function(Derivation derivation, ExprKey site, std::vector<ast::Parameter> parameters,
                                         const std::function<ast::ExprId()>& call) {
    const std::string key = fmt::format("at {} {}: {}", site.first.index, site.second.index, derivation.of.index);
    const auto [found, fresh] = derived_.try_emplace(key);
    if (!fresh) return found->second;
    derivation.call = call();
    return found->second = add_with_parameters(std::move(derivation), std::move(parameters));
}

FunctionId Checker::add_with_parameters(Derivation derivation, std::vector<ast::Parameter> parameters) {
    const Span place = derivation.place;
    const FunctionId id = add_derived(std::move(derivation));
    Function& function = program.functions[id.index];
    ast::FunctionDef def;
    def.name = {function.name, place};
    def.header = place;
    def.parameters = std::move(parameters);
    function.stmt = program.made.stmt(place, std::move(def)).id;
    function.generic = true;
    function.makes = nullptr;
    if (function.self.empty()) function.method_of = nullptr;
    return id;
}

InstanceId Checker::instantiate(const Request& request) {
    constexpr int kDeepest = 100;  // a function is checked inside its first caller
    const Function& function = program.function(request.function);
    read_body(function.id);
    std::string key = instance_key(request);
    // What a nested function means, also as an argument, depends on the body around it: nothing to be found again.
    const bool bound =
        request.enclosing || std::ranges::any_of(request.types, [&](const Type& type) { return is_capturing(type); });
    if (bound) {
        for (const auto& [busy, id] : busy_nested_) {
            if (busy == key) return id;
        }
    } else if (auto found = instances_.find(key); found != instances_.end()) {
        return found->second;
    }
    if (depth_ >= kDeepest || has_most_instances() || cancelled()) return {};
    std::string name = program.modules[function.module.index].name;
    name = name.empty() ? function.name : name + "." + function.name;
    if (!function.graph_name.empty()) name = function.graph_name;
    if (request.point) name += point_suffix(*request.point);
    Instance& instance = new_instance(function.module, request.context, name);
    instance.function = function.id;
    called_.insert(function.id);
    if (!bound) instances_[key] = instance.id;
    InstanceState& state = states[instance.id.index];
    state.progress = InstanceState::Progress::busy;
    if (bound) busy_nested_.emplace_back(key, instance.id);
    ++depth_;
    Body body(*this, instance, &function, request.enclosing);
    open_bodies_.push_back(&body);
    check_function(body, request);
    open_bodies_.pop_back();
    if (instance.tuned) check_points(instance.id, request, space_points(body));
    --depth_;
    if (bound) busy_nested_.pop_back();
    const InstanceId made = instance.id;
    states[made.index].progress = InstanceState::Progress::done;
    check_promises(made, request);
    return made;
}

namespace {

// "x: i32, y: f32[n]"
std::string signature_text(const Instance& instance) {
    std::string text;
    for (const ParameterInfo& parameter : instance.parameters) {
        text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", parameter.name, shown(parameter.type));
        if (parameter.value) text += " = " + parameter.value->text();
    }
    return text;
}

}  // namespace

void Checker::report(InstanceId id) {
    InstanceState& state = states[id.index];
    if (state.reported) return;
    state.reported = true;
    program.instances[id.index].reached = true;
    reported_.insert(program.instances[id.index].function);
    const bool library = is_library(program.instances[id.index].module);
    const std::vector<Diagnostic> all = library ? at_users_call(id) : state.found.all();
    for (const Diagnostic& d : all) {
        Diagnostic& said = d.severity == Severity::error     ? diagnostics.error(d.code, d.span, d.message)
                           : d.severity == Severity::warning ? diagnostics.warning(d.code, d.span, d.message)
                                                             : diagnostics.note(d.code, d.span, d.message);
        said.labels = d.labels;
        said.notes = d.notes;
        said.fix = d.fix;
        if (!at_every_point(state, d)) said.note("at " + point_text(program.instance(id).kernel.tuning));
        const Span called_at = state.header.valid() ? states[state.header.index].called_at : state.called_at;
        if (called_at.valid() && d.severity == Severity::error && !library) {
            said.label(called_at, fmt::format("called here with {}", signature_text(program.instance(id))));
        }
    }
    for (InstanceId callee : state.callees) report(callee);
}

void Checker::check_statements(ModuleId module) {
    ModuleUnit& unit = program.modules[module.index];
    Instance& instance = new_instance(module, Context::host, unit.name.empty() ? "module" : unit.name + ".module");
    unit.statements = instance.id;
    auto body = std::make_unique<Body>(*this, instance, nullptr, nullptr);
    open_modules[module] = body.get();
    states[instance.id.index].progress = InstanceState::Progress::busy;
    module_bodies_[module] = std::move(body);
    check_module(*open_modules[module], *unit.tree);
    states[instance.id.index].progress = InstanceState::Progress::done;
    report(instance.id);
}

Checker::Constant Checker::evaluate(ModuleId module, const ast::Expr& expr) {
    Instance scratch;
    scratch.module = module;
    Body body(*this, scratch, nullptr, nullptr);
    Constant result;
    result.value = evaluate_constant(body, expr);
    result.type = settled_type(scratch.type(expr), result.value);
    return result;
}

std::optional<Static> Checker::constant(ModuleId module, const std::string& name) {
    const ModuleScope& scope = scopes[module.index];
    auto symbol = scope.names.find(name);
    if (symbol == scope.names.end() || symbol->second.kind != Symbol::Kind::variable) return std::nullopt;
    const ModuleId owner = symbol->second.module;
    const std::string& own_name = symbol->second.path;  // another one where the import renames it
    auto key = std::pair(owner, own_name);
    if (auto known = constants_.find(key); known != constants_.end()) return known->second;
    const auto& candidates = scopes[owner.index].constants;
    auto found = candidates.find(own_name);
    if (found == candidates.end() || !evaluating_.insert(key).second) return std::nullopt;
    std::optional<Static> value = evaluate(owner, *found->second).value;
    evaluating_.erase(key);
    return constants_[key] = value;
}

// A dimension of a function around `callee` is one of the caller, too: a function that was given `callee` to call it
// has it from there. One of the same name that it has already is taken for the same.
static bool take_dimension(Instance& caller, const SymbolInfo& wanted) {
    if (wanted.source != SymbolInfo::Source::enclosing || wanted.owner == caller.id) return false;
    if (std::ranges::find(caller.symbols, wanted.name, &SymbolInfo::name) != caller.symbols.end()) return false;
    caller.symbols.push_back(wanted);
    return true;
}

// A host function that calls one with hidden parameters, or differentiates it, has them too, up to the one that owns
// the variables.
void Checker::pass_captures_on() {
    for (bool changed = true; changed;) {
        changed = false;
        for (Instance& caller : program.instances) {
            const auto take_over = [&](InstanceId id) {
                if (!id.valid() || id == caller.id) return;
                const Instance& callee = program.instances[id.index];
                for (const SymbolInfo& wanted : callee.symbols) changed |= take_dimension(caller, wanted);
                for (VariableId wanted : callee.captures) {
                    const Variable variable = callee.variables[wanted.index];
                    bool here = variable.captured->first == caller.id;
                    for (VariableId own : caller.captures)
                        here |= caller.variables[own.index].captured == variable.captured;
                    if (here) continue;
                    caller.captures.emplace_back(caller.variables.size());
                    caller.variables.push_back(variable);
                    changed = true;
                }
            };
            caller.for_each_callee([&](const CallInfo& call) {
                if (call.kind == CallKind::function) take_over(call.callee);
            });
            take_over(caller.derived_from);
        }
    }
}

}  // namespace tsr::sema
