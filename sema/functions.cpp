// Functions as they are declared: what their decorators say, whether they are generic, which are checked uncalled.
#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "sema/body.h"

namespace tsr::sema {

FunctionId Checker::declare_function(ModuleId module, const ast::FunctionDef& def, const ast::Stmt& stmt,
                                     std::optional<FunctionId> enclosing) {
    FunctionId id(program.functions.size());
    Function& function = program.functions.emplace_back();
    function.id = id;
    function.module = module;
    function.def = &def;
    function.stmt = &stmt;
    function.name = def.name.text;
    function.enclosing = enclosing;
    functions_[&def] = id;
    declare_nested(module, def.body, id);
    return id;
}

void Checker::declare_nested(ModuleId module, const ast::Block& block, FunctionId enclosing) {
    for (const ast::Stmt* stmt : block) {
        if (const auto* def = std::get_if<ast::FunctionDef>(&stmt->node))
            declare_function(module, *def, *stmt, enclosing);
        if (const auto* i = std::get_if<ast::If>(&stmt->node)) {
            for (const auto& branch : i->branches) declare_nested(module, branch.body, enclosing);
            declare_nested(module, i->otherwise, enclosing);
        }
        if (const auto* f = std::get_if<ast::For>(&stmt->node)) declare_nested(module, f->body, enclosing);
        if (const auto* w = std::get_if<ast::While>(&stmt->node)) declare_nested(module, w->body, enclosing);
    }
}

FunctionId Checker::function_of(const ast::Expr& e, const ast::Lambda& lambda, ModuleId module,
                                std::optional<FunctionId> enclosing) {
    if (const auto found = lambdas_.find(&lambda); found != lambdas_.end()) return found->second;
    LambdaFunction& made = program.lambdas.emplace_back();
    made.returned.span = lambda.body->span;
    made.returned.node = ast::Return{lambda.body};
    made.stmt.span = e.span;
    made.def.name = {"lambda", e.span};
    made.def.parameters = lambda.parameters;
    made.def.body = {&made.returned};
    made.def.header = e.span;
    const FunctionId id = declare_function(module, made.def, made.stmt, enclosing);
    program.functions[id.index].generic = true;
    lambdas_[&lambda] = id;
    return id;
}

Body* Checker::open_body(FunctionId function) const {
    for (size_t i = open_bodies_.size(); i-- > 0;) {
        if (open_bodies_[i]->function->id == function) return open_bodies_[i];
    }
    return nullptr;
}

FunctionId Checker::function_of(const ast::FunctionDef& def) const {
    auto found = functions_.find(&def);
    return found == functions_.end() ? FunctionId{} : found->second;
}

void Checker::read_decorators(Function& function) {
    for (const ast::Decorator& decorator : function.def->decorators) {
        const auto* call = std::get_if<ast::Call>(&decorator.value->node);
        const ast::Expr& named = call ? *call->callee : *decorator.value;
        if (std::holds_alternative<ast::Hole>(named.node)) continue;
        Symbol symbol = resolve(function.module, named);
        std::string text = dotted(named);
        if (symbol.kind == Symbol::Kind::broken) continue;
        if (symbol.kind == Symbol::Kind::none) {
            const ast::Expr* root = &named;
            while (const auto* a = std::get_if<ast::Attribute>(&root->node)) root = a->base;
            bool no_root = root != &named && lookup(function.module, dotted(*root)).kind == Symbol::Kind::none;
            if (no_root) {
                auto& d = diagnostics.error("E0201", root->span, fmt::format("there is no `{}`", dotted(*root)));
                if (dotted(*root) == "ts") d.note("`import tessera as ts` gives the root namespace this name");
            } else {
                std::string written = text.empty() ? std::string(sources.text(named.span)) : text;
                auto& d = diagnostics.error("E0201", named.span, fmt::format("there is no decorator `{}`", written));
                auto near = nearest(text, {"kernel", "kernel.autotune", "jit", "autodiff"});
                if (near) d.suggest(named.span, *near, fmt::format("did you mean `@{}`?", *near));
            }
            // The body is checked as what was meant.
            std::string last = text.substr(text.rfind('.') + 1);
            if (last == "kernel" || last == "autotune" || nearest(last, {"kernel"}))
                function.kind = FunctionKind::kernel;
            continue;
        }
        Builtin id = symbol.kind == Symbol::Kind::builtin ? symbol.builtin->id : Builtin::print;
        if (id == Builtin::kernel || id == Builtin::kernel_autotune) {
            function.kind = FunctionKind::kernel;
            if (call) read_space(function, *call);
            if (function.enclosing) {
                diagnostics.error(std::string(code(Feature::host)), named.span,
                                  "kernels inside functions are not compiled yet");
                function.refused = Feature::host;
            }
        } else if (symbol.kind == Symbol::Kind::builtin && symbol.builtin->feature != Feature::none) {
            Feature feature = symbol.builtin->feature;
            if (feature == Feature::graphs) function.kind = FunctionKind::graph;
            if (function.refused == Feature::none) {
                diagnostics.error(std::string(code(feature)), named.span,
                                  fmt::format("`@{}`: {} are not compiled yet", text, title(feature)));
            }
            if (function.refused == Feature::none) function.refused = feature;
        } else {
            diagnostics.error("E0212", named.span, fmt::format("`{}` is not a decorator", text));
        }
    }
}

// `space=dict(BM=[64, 128], stages=[2])`
void Checker::read_space(Function& function, const ast::Call& call) {
    auto refuse = [&](Span at, const char* message) {
        diagnostics.error("E0413", at, message);
        function.refused = Feature::tuning;
    };
    for (const ast::Argument& argument : call.arguments) {
        const auto* space = std::get_if<ast::Call>(&argument.value->node);
        bool dict = space && resolve(function.module, *space->callee).kind == Symbol::Kind::builtin &&
                    resolve(function.module, *space->callee).builtin->id == Builtin::dict_;
        if (!argument.keyword || argument.keyword->text != "space" || !dict) {
            return refuse(argument.value->span,
                          "a tuned kernel is written `@kernel.autotune(space=dict(BM=[64, 128]))`");
        }
        function.space_at = space->callee->span;
        for (const ast::Argument& entry : space->arguments) {
            const auto* list = std::get_if<ast::List>(&entry.value->node);
            if (!entry.keyword || !list) {
                refuse(entry.value->span,
                       "an entry of a tuning space is a name and the list of its values: `BM=[64, 128]`");
            } else if (list->elements.empty()) {
                refuse(entry.value->span, "a tuning parameter has at least one value");
            } else if (std::ranges::find(function.space, entry.keyword->text, &TuningEntry::name) !=
                       function.space.end()) {
                refuse(entry.keyword->span, "a tuning space names each parameter once");
            } else {
                function.space.push_back({entry.keyword->text, entry.keyword->span, list->elements});
            }
        }
    }
}

bool Checker::is_generic(const Function& function) const {
    auto unknown_capital = [&](const ast::Expr& e) {
        std::string text = dotted(e);
        return !text.empty() && std::isupper(static_cast<unsigned char>(text[0])) &&
               resolve(function.module, e).kind == Symbol::Kind::none;
    };
    for (const ast::Parameter& p : function.def->parameters) {
        const ast::Expr* type = p.annotation;
        while (type && std::holds_alternative<ast::Qualified>(type->node)) {
            const auto& qualified = std::get<ast::Qualified>(type->node);
            if (qualified.qualifier == ast::Qualified::Qualifier::fixed) return true;
            type = qualified.type;
        }
        if (!type) return true;
        if (const auto* with = std::get_if<ast::WithPolicy>(&type->node)) type = with->type;
        if (unknown_capital(*type)) return true;
        const auto* s = std::get_if<ast::Subscript>(&type->node);
        if (!s) continue;
        if (unknown_capital(*s->base)) return true;
        Symbol base = resolve(function.module, *s->base);
        bool region = base.kind == Symbol::Kind::builtin && base.builtin->id == Builtin::region;
        bool tensor = base.kind == Symbol::Kind::builtin && base.builtin->id == Builtin::tensor;
        if (region && s->indices.size() == 1) return true;
        const ast::Expr* last = s->indices.empty() ? nullptr : s->indices.back();
        if (last && std::holds_alternative<ast::WithPolicy>(last->node))
            last = std::get<ast::WithPolicy>(last->node).type;
        if (tensor && last && unknown_capital(*last)) return true;
    }
    return false;
}

const NamePlaces& Checker::places_of(ModuleId module) {
    auto known = places_.find(module);
    if (known == places_.end()) known = places_.emplace(module, *program.modules[module.index].tree).first;
    return known->second;
}

// True of a plain function that reads a name which only kernels know.
bool Checker::uses_kernel_names(const Function& function) {
    auto [entry, fresh] = kernel_names_.try_emplace(function.module);
    std::set<uint32_t>& places = entry->second;
    const auto& exprs = program.modules[function.module.index].tree->exprs;
    for (size_t i = 0; fresh && i < exprs.size(); ++i) {
        if (dotted(exprs[i]).empty()) continue;
        Symbol symbol = resolve(function.module, exprs[i]);
        if (symbol.kind == Symbol::Kind::builtin && symbol.builtin->in_kernel && !symbol.builtin->on_host)
            places.insert(exprs[i].span.begin);
    }
    auto first = places.lower_bound(function.stmt->span.begin);
    return first != places.end() && *first < function.stmt->span.end;
}

void Checker::check_functions(ModuleId module) {
    auto check = [&](const Function& function, Context context) {
        Request request;
        request.function = function.id;
        request.context = context;
        for (size_t i = 0; i < function.def->parameters.size(); ++i) {
            request.types.push_back(Type::unknown());
            request.values.emplace_back();
        }
        InstanceId id = instantiate(request);
        if (id.valid()) report(id);
        if (id.valid() && function.name == "main" && module.index == 0) program.main = id;
    };
    for (bool kernels : {true, false}) {
        for (size_t i = 0; i < program.functions.size() && !cancelled(); ++i) {
            const Function& function = program.functions[i];
            if (function.module != module || function.enclosing || function.generic ||
                function.refused != Feature::none)
                continue;
            if ((function.kind == FunctionKind::kernel) != kernels) continue;
            if (kernels) {
                check(function, Context::kernel);
                continue;
            }
            if (reported_.contains(function.id) && function.name != "main") continue;
            const bool is_main = function.name == "main" && module.index == 0;
            check(function, !is_main && uses_kernel_names(function) ? Context::kernel : Context::host);
        }
    }
}

// The parameters of `main` are the command line.
void Checker::check_main() {
    auto found = scopes[0].names.find("main");
    if (found == scopes[0].names.end() || found->second.kind != Symbol::Kind::function) return;
    const Function& function = program.function(found->second.function);
    if (function.refused != Feature::none) return;
    if (function.kind != FunctionKind::plain) {
        diagnostics.error("E0502", function.def->name.span, "`main` is a plain function: it runs on the host");
        return;
    }
    for (const ast::Parameter& p : function.def->parameters) {
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
        bool typed = std::ranges::all_of(function.def->parameters,
                                         [](const ast::Parameter& p) { return p.annotation != nullptr; });
        if (function.generic && typed)
            diagnostics.error("E0502", function.def->name.span,
                              "the types of `main`'s parameters are known: it is not generic");
        return;
    }
    const Instance& main = program.instance(*program.main);
    for (const ParameterInfo& p : main.parameters) {
        bool fits = p.type.is_unknown() || p.type.is(Kind::tensor) || p.type.is_scalar() || p.type.is(Kind::string);
        if (!fits)
            diagnostics.error(
                "E0502", p.syntax->name.span,
                fmt::format("`main` takes tensors, numbers, bools and strings, `{}` is {}", p.name, shown(p.type)));
    }
    std::vector<Type> results{main.result};
    if (main.result.is(Kind::tuple)) results = main.result.parts();
    for (const Type& type : results) {
        bool fits = type.is_unknown() || type.is(Kind::none) || type.is(Kind::tensor) || type.is_scalar();
        if (!fits)
            diagnostics.error("E0503", function.def->name.span,
                              fmt::format("`main` returns tensors and numbers, not {}", shown(type)));
    }
}

void Checker::run(const ast::Module& root) {
    loading_.push_back(sources.path(root.file));
    load_module(root, "");
    for (const ModuleUnit& unit : program.modules) {
        for (Function& function : program.functions) {
            if (function.module != unit.id) continue;
            read_decorators(function);
            function.generic = !function.makes && is_generic(function);
        }
    }
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
    check_main();
    pass_captures_on();
}

Program check(const ast::Module& root, Sources& sources, const CheckOptions& options, Diagnostics& diagnostics) {
    Checker checker(sources, options, diagnostics);
    checker.run(root);
    return std::move(checker.program);
}

}  // namespace tsr::sema
