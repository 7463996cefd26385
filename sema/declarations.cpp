// Functions as they are declared: what their decorators say, whether they are generic, which are checked uncalled.
#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include <fmt/format.h>

#include "frontend/literals.h"
#include "sema/annotations/annotations.h"
#include "sema/state/body.h"
#include "sema/state/entities.h"
#include "sema/state/scope.h"

namespace tsr::sema {

namespace {

bool within(Span whole, Span part) {
    return whole.file == part.file && whole.begin <= part.begin && part.end <= whole.end;
}

// What the function binds: parameters, variables, functions in it, dimensions and types in annotations.
std::set<std::string, std::less<>> bound_names(const ast::Module& tree, const ast::FunctionDef& def, Span whole) {
    std::set<std::string, std::less<>> names;
    std::map<std::string, int, std::less<>> counts;
    count_bindings(def.body, counts);
    for (const auto& [name, count] : counts) names.insert(name);
    for (const ast::Parameter& p : def.parameters) names.insert(p.name.text);
    std::vector<Span> annotations{def.header};
    for (const ast::Stmt& stmt : tree.stmts) {
        if (!within(whole, stmt.span)) continue;
        if (const auto* inner = std::get_if<ast::FunctionDef>(&stmt.node)) names.insert(inner->name.text);
        const auto* declared = std::get_if<ast::AnnotatedAssign>(&stmt.node);
        if (declared) annotations.push_back(declared->annotation->span);
    }
    for (const ast::Expr& e : tree.exprs) {
        const auto* name = std::get_if<ast::Name>(&e.node);
        if (name && std::ranges::any_of(annotations, [&](Span span) { return within(span, e.span); }))
            names.insert(name->text);
    }
    return names;
}

}  // namespace

bool Checker::may_capture(const Function& function, Span text) const {
    const ast::Module* tree = program.modules[function.module.index].tree;
    const ast::FunctionDef& def = program.def(function);
    std::set<std::string, std::less<>> used;
    for (const ast::Expr& e : tree->exprs) {
        const auto* name = std::get_if<ast::Name>(&e.node);
        if (!name || !within(text, e.span)) continue;
        const bool parameter =
            std::ranges::any_of(def.parameters, [&](const ast::Parameter& p) { return p.name.text == name->text; });
        if (!parameter) used.insert(name->text);
    }
    for (auto around = function.enclosing; around; around = program.function(*around).enclosing) {
        const Function& outer = program.function(*around);
        const ast::FunctionDef& outer_def = program.def(outer);
        const Span whole = outer_def.body.empty() ? outer_def.header : outer_def.header.to(outer_def.body.back()->span);
        const auto bound = bound_names(*tree, outer_def, whole);
        if (std::ranges::any_of(used, [&](const std::string& name) { return bound.contains(name); })) return true;
    }
    return false;
}

FunctionId Checker::declare_function(ModuleId module, const ast::Stmt& stmt, std::optional<FunctionId> enclosing) {
    const auto& def = std::get<ast::FunctionDef>(stmt.node);
    FunctionId id(program.functions.size());
    Function& function = program.functions.emplace_back();
    function.id = id;
    function.module = module;
    function.stmt = stmt.id;
    function.name = def.name.text;
    function.enclosing = enclosing;
    function.captures = enclosing.has_value() && may_capture(function, stmt.span);
    functions_[&def] = id;
    declare_nested(module, def.body, id);
    return id;
}

void Checker::declare_nested(ModuleId module, const ast::Block& block, FunctionId enclosing) {
    for (const ast::Stmt* stmt : block) {
        if (const auto* def = std::get_if<ast::FunctionDef>(&stmt->node)) {
            const FunctionId id = declare_function(module, *stmt, enclosing);
            names.push_back({def->name.span, function_entity(program, id), true});
        }
        if (const auto* i = std::get_if<ast::If>(&stmt->node)) {
            for (const auto& branch : i->branches) declare_nested(module, branch.body, enclosing);
            declare_nested(module, i->otherwise, enclosing);
        }
        if (const auto* f = std::get_if<ast::For>(&stmt->node)) {
            declare_nested(module, f->body, enclosing);
            declare_nested(module, f->otherwise, enclosing);
        }
        if (const auto* w = std::get_if<ast::While>(&stmt->node)) {
            declare_nested(module, w->body, enclosing);
            declare_nested(module, w->otherwise, enclosing);
        }
    }
}

FunctionId Checker::function_of(const ast::Expr& e, const ast::Lambda& lambda, ModuleId module,
                                std::optional<FunctionId> enclosing) {
    if (const auto found = lambdas_.find(&lambda); found != lambdas_.end()) return found->second;
    ast::FunctionDef def;  // of one `return`
    def.name = {"lambda", e.span};
    def.parameters = lambda.parameters;
    def.body = {&program.made.stmt(lambda.body->span, ast::Return{lambda.body})};
    def.header = e.span;
    const ast::Module& tree = *program.modules[module.index].tree;
    const bool written = e.id.index < tree.exprs.size() && &tree.exprs[e.id.index] == &e;
    const FunctionId id = declare_function(module, program.made.stmt(e.span, std::move(def)), enclosing);
    program.functions[id.index].generic = true;
    if (!written) program.functions[id.index].captures = enclosing.has_value();
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

// `@graph.module("encoder block")`: the name, as functions of the IR have them; empty after a message.
static std::string module_name(Diagnostics& diagnostics, const ast::Expr& named, const ast::Call* call) {
    const bool one = call && call->arguments.size() == 1;
    const auto* text = one ? std::get_if<ast::StringLiteral>(&call->arguments[0].value->node) : nullptr;
    if (!text || text->value.empty()) {
        diagnostics.error("E0315", one ? call->arguments[0].value->span : named.span,
                          "`@graph.module` takes the name of the graph, a string: `@graph.module(\"encoder\")`");
        return {};
    }
    std::string name;
    for (const char c : text->value) {
        const bool kept = std::isalnum(static_cast<unsigned char>(c)) != 0;
        name += kept ? c : '_';
    }
    return std::isdigit(static_cast<unsigned char>(name[0])) != 0 ? "_" + name : name;
}

// `2_GiB`, "2_GiB", 4096; nothing for what is no number of bytes.
static std::optional<int64_t> bytes_of(const Static& value) {
    if (const auto whole = value.integer()) return *whole > 0 ? whole : std::nullopt;
    const std::string* text = value.string();
    if (text == nullptr || text->empty() || std::isdigit(static_cast<unsigned char>(text->front())) == 0)
        return std::nullopt;
    const auto read = read_number(*text);
    const auto* number = std::get_if<ast::IntLiteral>(&read);
    if (number == nullptr || number->overflow || number->value == 0 || number->value > INT64_MAX) return std::nullopt;
    return static_cast<int64_t>(number->value);
}

// `@jit(capture_graph=True, memory="2_GiB")`
static void read_jit_arguments(Checker& checker, Function& function, const ast::Call& call) {
    for (const ast::Argument& argument : call.arguments) {
        const std::string name = argument.keyword ? argument.keyword->text : "";
        if (name == "memory") {
            const auto value = checker.evaluate(function.module, *argument.value).value;
            function.memory = value ? bytes_of(*value) : std::nullopt;
            function.memory_at = argument.value->span;
            if (!function.memory) {
                checker.diagnostics.error("E0314", argument.value->span,
                                          "`memory` is a number of bytes: `2_GiB`, \"512_MiB\"");
            }
            continue;
        }
        if (name != "capture_graph") {
            checker.diagnostics.error("E0315", name.empty() ? argument.value->span : argument.keyword->span,
                                      "`@jit` takes `capture_graph=True` and `memory=`");
            continue;
        }
        const auto value = checker.evaluate(function.module, *argument.value).value;
        if (value && value->boolean()) {
            function.captured = *value->boolean();
        } else {
            checker.diagnostics.error("E0314", argument.value->span, "`capture_graph` is `True` or `False`");
        }
    }
}

// `Tree`
static bool is_tree_name(const Symbol& symbol) {
    return symbol.kind == Symbol::Kind::builtin && symbol.builtin->id == Builtin::tree_type;
}

// Behind `mut` and `param`.
static const ast::Expr& type_of(const ast::Expr& annotation) {
    const auto* qualified = std::get_if<ast::Qualified>(&annotation.node);
    return qualified && qualified->type ? type_of(*qualified->type) : annotation;
}

void Checker::read_headers(size_t first) {
    for (size_t i = first; i < program.functions.size(); ++i) {
        Function& function = program.functions[i];
        read_decorators(function);
        const auto takes_any = [&](const ast::Parameter& p) {
            return p.annotation && is_tree_name(resolve(function.module, type_of(*p.annotation)));
        };
        function.generic =
            function.makes ? std::ranges::any_of(program.def(function).parameters, takes_any) : is_generic(function);
    }
}

void Checker::read_decorators(Function& function) {
    for (const ast::Decorator& decorator : program.def(function).decorators) {
        if (!decorator.value) continue;
        const auto* call = std::get_if<ast::Call>(&decorator.value->node);
        const ast::Expr& named = call ? *call->callee : *decorator.value;
        if (std::holds_alternative<ast::Hole>(named.node)) continue;
        Symbol symbol = resolve(function.module, named);
        std::string text = dotted(named);
        note_path(*this, function.module, named, names, NameKind::decorator);
        if (symbol.kind == Symbol::Kind::broken) continue;
        if (symbol.kind == Symbol::Kind::none && text == "on_host" && is_library(function.module)) {
            function.kind = FunctionKind::host;
            continue;
        }
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
                auto near = nearest(text, {"kernel", "kernel.autotune", "jit", "autodiff", "custom_vjp", "custom_jvp"});
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
        } else if (id == Builtin::jit || id == Builtin::graph_module) {
            function.kind = FunctionKind::graph;
            if (id == Builtin::graph_module) {
                function.graph_name = module_name(diagnostics, named, call);
                call = nullptr;
            }
            if (call) read_jit_arguments(*this, function, *call);
        } else if (id == Builtin::custom_vjp || id == Builtin::custom_jvp) {
            function.rule = {.in_reverse = id == Builtin::custom_vjp, .declared = named.span};
        } else if (id == Builtin::autodiff) {
            function.differentiable = named.span;
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
        names.push_back(
            {argument.keyword->span, language_entity(NameKind::builtin_parameter, "kernel.autotune.space")});
        note_path(*this, function.module, *space->callee, names);
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
                names.push_back({entry.keyword->span,
                                 {NameKind::tuning_parameter, entry.keyword->text, function.module, function.id, {}},
                                 true});
                function.space.push_back({entry.keyword->text, entry.keyword->span, ids_of(list->elements)});
            }
        }
    }
}

bool Checker::is_static(const ast::Parameter& p) {
    const auto* qualified = p.annotation ? std::get_if<ast::Qualified>(&p.annotation->node) : nullptr;
    return qualified && qualified->qualifier == ast::Qualified::Qualifier::fixed;
}

bool Checker::takes_given_form(const Function& function, const ast::Parameter& p) const {
    if (!p.annotation || !names_containers(*this, function.module, *p.annotation)) return false;
    if (rules_of(function.kind).of_values) return true;
    if (function.kind != FunctionKind::plain || function.name == "main" || function.makes) return false;
    const auto* qualified = std::get_if<ast::Qualified>(&p.annotation->node);
    const ast::Expr* type = qualified ? qualified->type : p.annotation;
    return type && resolve(function.module, *type).kind == Symbol::Kind::class_;
}

bool Checker::is_generic(const Function& function, const ast::Parameter& p) const {
    if (takes_given_form(function, p)) return true;
    auto unknown_capital = [&](const ast::Expr& e) {
        std::string text = dotted(e);
        return !text.empty() && std::isupper(static_cast<unsigned char>(text[0])) &&
               resolve(function.module, e).kind == Symbol::Kind::none;
    };
    const ast::Expr* type = p.annotation;
    while (type && std::holds_alternative<ast::Qualified>(type->node)) {
        const auto& qualified = std::get<ast::Qualified>(type->node);
        if (qualified.qualifier == ast::Qualified::Qualifier::fixed) return true;
        type = qualified.type;
    }
    if (!type) return true;
    if (const auto* with = std::get_if<ast::WithPolicy>(&type->node)) type = with->type;
    if (unknown_capital(*type) || is_tree_name(resolve(function.module, *type))) return true;
    const auto* s = std::get_if<ast::Subscript>(&type->node);
    if (!s) return false;
    if (unknown_capital(*s->base)) return true;
    Symbol base = resolve(function.module, *s->base);
    bool region = base.kind == Symbol::Kind::builtin && base.builtin->id == Builtin::region;
    bool tensor = base.kind == Symbol::Kind::builtin && base.builtin->id == Builtin::tensor;
    if (region && s->indices.size() == 1) return true;
    const ast::Expr* last = s->indices.empty() ? nullptr : s->indices.back();
    if (last && std::holds_alternative<ast::WithPolicy>(last->node)) last = std::get<ast::WithPolicy>(last->node).type;
    return tensor && last && unknown_capital(*last);
}

bool Checker::is_generic(const Function& function) const {
    return std::ranges::any_of(program.def(function).parameters,
                               [&](const ast::Parameter& p) { return is_generic(function, p); });
}

const NamePlaces& Checker::places_of(ModuleId module) {
    NamePlaces& places = places_[module];
    places.read(*program.modules[module.index].tree);
    return places;
}

const SortKey& Checker::sort_key(ModuleId module, const ast::Expr& key) {
    auto [found, fresh] = program.made.sort_keys.try_emplace({module, key.id});
    if (fresh) {
        const ast::Expr& item = program.made.expr(key.span, ast::Name{"key's item"});  // no name of the program
        const ast::Expr& call = program.made.expr(key.span, ast::Call{&key, {{std::nullopt, &item}}});
        found->second = {item.id, call.id};
    }
    return found->second;
}

}  // namespace tsr::sema
