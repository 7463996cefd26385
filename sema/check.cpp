// Which functions are checked with what: those with full annotations whether they are called or not, generic ones for
// each signature that they are called with, `main` as the command line.
#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "sema/missing_entries.h"
#include "sema/state/body.h"
#include "sema/state/given_up.h"
#include "sema/types/elements.h"

namespace tsr::sema {

// True of a plain function that reads a name which only kernels know.
bool Checker::uses_kernel_names(const Function& function) {
    read_body(function.id);
    auto& [looked_at, places] = kernel_names_[function.module];
    const auto& exprs = program.modules[function.module.index].tree->exprs;
    for (size_t& i = looked_at; i < exprs.size(); ++i) {
        if (dotted(exprs[i]).empty()) continue;
        Symbol symbol = resolve(function.module, exprs[i]);
        if (symbol.kind == Symbol::Kind::builtin && symbol.builtin->in_kernel && !symbol.builtin->on_host)
            places.insert(exprs[i].span.begin);
    }
    const Span text = program.stmt(function.module, function.stmt).span;
    auto first = places.lower_bound(text.begin);
    return first != places.end() && *first < text.end;
}

Context Checker::context_of(const Function& function) {
    const auto own = rules_of(function.kind).context;
    return own ? *own : uses_kernel_names(function) ? Context::kernel : Context::host;
}

namespace {

// A function with the types of its header alone.
Request untyped(const Program& program, const Function& function, Context context) {
    Request request;
    request.function = function.id;
    request.context = context;
    request.types.resize(program.def(function).parameters.size());
    request.values.resize(request.types.size());
    return request;
}

}  // namespace

void Checker::check_functions(ModuleId module) {
    auto check = [&](const Function& function, Context context) {
        InstanceId id = instantiate(untyped(program, function, context));
        if (id.valid()) report(id);
        if (id.valid() && function.name == "main" && module.index == 0) program.main = id;
    };
    for (bool kernels : {true, false}) {
        for (size_t i = 0; i < program.functions.size() && !cancelled(); ++i) {
            const Function& function = program.functions[i];
            if (function.module != module || function.enclosing || function.generic || function.derived ||
                function.refused != Feature::none)
                continue;
            const auto own = rules_of(function.kind).context;
            if ((own == Context::kernel) != kernels) continue;
            if (own) {
                check(function, *own);
                continue;
            }
            if (reported_.contains(function.id) && function.name != "main") continue;
            const bool is_main = function.name == "main" && module.index == 0;
            check(function, is_main ? Context::host : context_of(function));
        }
    }
}

namespace {

// What a parameter has a part in has no type, and nothing is said of it. So what is said of names, and of types that
// are known, holds for all arguments; rules about where a function runs may not, and static parameters have no value
// here.
bool holds_for_all_types(const Diagnostic& d) {
    const bool of_types = d.code.starts_with("E02") || d.code.starts_with("E03");
    return d.severity == Severity::error && of_types && d.code != "E0314";
}

}  // namespace

void Checker::check_untyped(FunctionId id, Body* enclosing) {
    const Function& function = program.function(id);
    Request request = untyped(program, function, context_of(function));
    if (enclosing) request.context = rules_of(function.kind).context.value_or(enclosing->instance.context);
    request.enclosing = enclosing;
    const InstanceId made = instantiate(request);
    if (!made.valid()) return;
    std::vector<InstanceId> checked = states[made.index].all_points;
    checked.push_back(made);
    // And what stands inside with types of its own.
    for (size_t i = 0; i < checked.size(); ++i) {
        const FunctionId around = program.instance(checked[i]).function;
        for (const InstanceId callee : states[checked[i].index].callees) {
            const Function& inner = program.function(program.instance(callee).function);
            if (inner.enclosing == around && !inner.generic) checked.push_back(callee);
        }
    }
    Diagnostics& said = enclosing ? enclosing->state().found : diagnostics;
    for (const InstanceId instance : checked) {
        for (const Diagnostic& d : states[instance.index].found.all()) {
            if (holds_for_all_types(d)) said.error(d.code, d.span, d.message) = d;
        }
    }
}

// A method whose parameters behind the record have types is checked as they say, a static parameter with the value that
// its default is.
void Checker::check_uncalled(FunctionId id) {
    const Function& function = program.function(id);
    if (function.enclosing || function.refused != Feature::none || !function.generic || is_called(id)) return;
    if (is_library(function.module)) return;
    Request request = untyped(program, function, context_of(function));
    const auto& parameters = program.def(function).parameters;
    for (size_t i = 0; i < parameters.size(); ++i) {
        const ast::Parameter& p = parameters[i];
        if (i == 0 && function.method_of && function.self.empty()) {
            const auto record = record_type(function.method_of->constructor);
            if (!record || record->is_unknown()) return;
            request.types[0] = *record;
        } else if (is_generic(function, p)) {
            if (!is_static(p) || !p.default_value) return check_untyped(id, nullptr);
            request.values[i] = evaluate(function.module, *p.default_value).value;
        }
    }
    if (const InstanceId made = instantiate(request); made.valid()) report(made);
}

// The parameters of `main` are the command line.
void Checker::check_main() {
    auto found = scopes[0].names.find("main");
    if (found == scopes[0].names.end() || found->second.kind != Symbol::Kind::function) return;
    const Function& function = program.function(found->second.function);
    if (function.refused != Feature::none) return;
    if (function.kind != FunctionKind::plain) {
        diagnostics.error("E0502", program.def(function).name.span, "`main` is a plain function: it runs on the host");
        return;
    }
    for (const ast::Parameter& p : program.def(function).parameters) {
        for (const char* taken : {"out", "seed", "mesh", "help"}) {
            if (p.name.text != taken) continue;
            diagnostics.error(
                "E0501", p.name.span,
                fmt::format("a parameter of `main` may not be called `{}`: `--{}` is the executable's own option",
                            taken, taken));
        }
        if (!p.annotation)
            diagnostics.error("E0502", p.name.span,
                              fmt::format("the parameter `{}` of `main` needs a type: it is read from the command line",
                                          p.name.text));
    }
    if (!program.main) {
        bool typed = std::ranges::all_of(program.def(function).parameters,
                                         [](const ast::Parameter& p) { return p.annotation != nullptr; });
        if (function.generic && typed)
            diagnostics.error("E0502", program.def(function).name.span,
                              "the types of `main`'s parameters are known: it is not generic");
        return;
    }
    const Instance& main = program.instance(*program.main);
    for (const ParameterInfo& p : main.parameters) {
        if (is_complex_number(p.type))
            diagnostics
                .error("E0608", p.declared, "a single complex number as a parameter of `main` is not compiled yet")
                .note("a tensor of c64 is read from a file; its parts may be two parameters");
        bool fits = p.type.is_unknown() || p.type.is(Kind::tensor) || p.type.is_scalar() || p.type.is(Kind::string);
        if (!fits)
            diagnostics.error(
                "E0502", p.declared,
                fmt::format("`main` takes tensors, numbers, bools and strings, `{}` is {}", p.name, shown(p.type)));
    }
    std::vector<Type> results{main.result};
    if (main.result.is(Kind::tuple)) results = main.result.parts();
    for (const Type& type : results) {
        bool fits = type.is_unknown() || type.is(Kind::none) || type.is(Kind::tensor) || type.is_scalar();
        if (!fits)
            diagnostics.error("E0503", program.def(function).name.span,
                              fmt::format("`main` returns tensors and numbers, not {}", shown(type)));
    }
}

void Checker::run(const ast::Module& root) {
    loading_.push_back(sources.path(root.file));
    load_module(root, "", false);
    read_headers(0);
    headers_read_ = true;
    read_rules(0, 0);
    // Imported modules were loaded while their importer was: a module's imports have larger numbers or were there.
    std::set<ModuleId> placed;
    std::function<void(ModuleId)> place = [&](ModuleId id) {
        if (!placed.insert(id).second) return;
        for (ModuleId import : program.modules[id.index].imports) place(import);
        program.order.push_back(id);
    };
    place(ModuleId(0));
    for (ModuleId id : program.order) check_statements(id);
    for (ModuleId id : program.order) check_functions(id);
    for (size_t i = 0; i < program.functions.size() && !cancelled(); ++i) check_uncalled(FunctionId(i));
    check_main();
    pass_captures_on();
    if (options.names) publish_names();
    if (options.verify) require_entries(*this);
}

Program check(const ast::Module& root, Sources& sources, const CheckOptions& options, Diagnostics& diagnostics) {
    Checker checker(sources, options, diagnostics);
    try {
        checker.run(root);
    } catch (const GivenUp&) {
        return std::move(checker.program);  // what was checked so far
    }
    return std::move(checker.program);
}

}  // namespace tsr::sema
