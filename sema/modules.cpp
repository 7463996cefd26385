// Modules: what a program imports, and what the names at module level stand for.
#include <algorithm>

#include <fmt/format.h>

#include "frontend/foreign_names.h"
#include "frontend/parse.h"
#include "sema/builtins/builtins.h"
#include "sema/builtins/library.h"
#include "sema/program/tables.h"
#include "sema/state/checker.h"
#include "sema/state/entities.h"
#include "sema/state/scope.h"

namespace tsr::sema {

std::string dotted(const ast::Expr& expr) {
    if (const auto* n = std::get_if<ast::Name>(&expr.node)) return n->text;
    const auto* attribute = std::get_if<ast::Attribute>(&expr.node);
    if (!attribute) return "";
    std::string base = dotted(*attribute->base);
    return base.empty() ? "" : base + "." + attribute->name.text;
}

namespace {

std::string folder_of(const std::string& path) {
    size_t slash = path.rfind('/');
    return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

std::string path_text(const std::vector<ast::Identifier>& path) {
    std::string text;
    for (const ast::Identifier& part : path) text += (text.empty() ? "" : ".") + part.text;
    return text;
}

Span path_span(const std::vector<ast::Identifier>& path) { return path.front().span.to(path.back().span); }

bool is_root(std::string_view path) { return path == "tessera" || path.starts_with("tessera."); }

}  // namespace

ModuleId Checker::load_module(const ast::Module& tree, std::string name, bool library) {
    ModuleId id(program.modules.size());
    ModuleUnit& unit = program.modules.emplace_back();
    scopes.emplace_back();
    unit.id = id;
    unit.name = std::move(name);
    unit.file = tree.file;
    unit.tree = &tree;
    unit.library = library;
    declare(id, tree.body);
    return id;
}

// "a/b.tsr" of the module `a.b`.
static std::string file_of(std::string name) {
    std::ranges::replace(name, '.', '/');
    return name + ".tsr";
}

std::optional<FileId> Checker::find_module(const std::string& name, FileId importer) {
    const std::string file = file_of(name);
    // A module in a folder names others as the program does.
    std::vector<std::string> folders{folder_of(sources.path(importer)), folder_of(sources.path(program.modules[0].file))};
    for (const std::string& folder : options.import_folders) folders.push_back(folder.empty() ? "" : folder + "/");
    for (const std::string& folder : folders) {
        if (auto loaded = sources.load(folder + file)) return loaded.value();
    }
    return std::nullopt;
}

std::optional<ModuleId> Checker::import_module(const std::string& name, ModuleId importer, Span at) {
    const ModuleUnit& unit = program.modules[importer.index];
    const auto file = unit.library ? std::nullopt : find_module(name, unit.file);  // the library's files are its own
    if (!file) {
        if (const LibraryFile* library = library_file(name)) return library_module(*library);
        auto& d = diagnostics.error("E0203", at, fmt::format("there is no module `{}`", name));
        d.note(
            fmt::format("`{}` is looked for beside the importing file, then beside the program, then in the `-I` "
                        "folders, then in the standard library",
                        file_of(name)));
        if (const auto hint = foreign_hint(name.substr(0, name.find('.')))) d.note(std::string(*hint));
        return std::nullopt;
    }
    const std::string& path = sources.path(*file);
    for (const std::string& open : loading_) {
        if (open != path) continue;
        diagnostics.error("E0204", at, fmt::format("`{}` imports itself, directly or through others", name));
        return std::nullopt;
    }
    if (auto found = loaded_.find(path); found != loaded_.end()) return found->second;
    loading_.push_back(path);
    auto tree = parse(*file, sources, diagnostics);
    ModuleId id = load_module(*tree, name, false);
    program.modules[id.index].owned = std::move(tree);
    loading_.pop_back();
    loaded_[path] = id;
    return id;
}

void Checker::bind(ModuleId module, const ast::Identifier& name, Symbol symbol) {
    symbol.declared = name.span;
    auto& names = scopes[module.index].names;
    auto found = names.find(name.text);
    bool functions =
        found != names.end() && found->second.kind == Symbol::Kind::function && symbol.kind == Symbol::Kind::function;
    if (functions) {
        diagnostics.error("E0205", name.span, fmt::format("`{}` is defined twice", name.text))
            .label(found->second.declared, "the first definition");
        return;
    }
    names[name.text] = std::move(symbol);
}

void Checker::declare(ModuleId module, const ast::Block& block) {
    std::map<std::string, int, std::less<>> counts;
    count_bindings(block, counts);
    for (const auto& [name, count] : counts) {
        Symbol symbol;
        symbol.kind = Symbol::Kind::variable;
        symbol.module = module;
        symbol.path = name;
        scopes[module.index].names[name] = symbol;
    }
    for (const ast::Stmt* stmt : block) {
        const auto* assign = std::get_if<ast::Assign>(&stmt->node);
        if (!assign) continue;
        for (const ast::Expr* target : assign->targets) {
            const auto* name = std::get_if<ast::Name>(&target->node);
            if (!name) continue;
            scopes[module.index].names[name->text].declared = target->span;
            if (counts[name->text] == 1) scopes[module.index].constants[name->text] = assign->value;
        }
    }
    for (const ast::Stmt* stmt : block) declare_statement(module, *stmt);
}

void Checker::declare_statement(ModuleId module, const ast::Stmt& stmt) {
    if (const auto* import = std::get_if<ast::Import>(&stmt.node)) declare_import(module, *import);
    if (const auto* from = std::get_if<ast::FromImport>(&stmt.node)) declare_from(module, *from);
    if (const auto* def = std::get_if<ast::ClassDef>(&stmt.node)) declare_class(module, *def);
    if (const auto* def = std::get_if<ast::FunctionDef>(&stmt.node)) {
        Symbol symbol;
        symbol.kind = Symbol::Kind::function;
        symbol.function = declare_function(module, stmt, std::nullopt);
        names.push_back({def->name.span, function_entity(program, symbol.function), true});
        bind(module, def->name, symbol);
    }
}

// `import a.b.c` makes `a` and `a.b` packages; the module has its whole path for a name. What `import a` has bound
// stays: attributes of modules are looked for among these names, too.
static void bind_dotted(ModuleScope& scope, const ast::ImportedName& imported, Symbol symbol) {
    scope.has_packages = true;
    std::string path;
    for (size_t i = 0; i + 1 < imported.path.size(); ++i) {
        path += (path.empty() ? "" : ".") + imported.path[i].text;
        Symbol& above = scope.names[path];
        if (above.kind == Symbol::Kind::module || above.kind == Symbol::Kind::package) continue;
        above = {};
        above.kind = symbol.kind == Symbol::Kind::broken ? Symbol::Kind::broken : Symbol::Kind::package;
        above.path = path;
        above.declared = imported.path[i].span;
    }
    symbol.declared = path_span(imported.path);
    scope.names[path_text(imported.path)] = std::move(symbol);
}

void Checker::declare_import(ModuleId module, const ast::Import& import) {
    for (const ast::ImportedName& name : import.names) {
        if (name.path.empty()) continue;
        std::string path = path_text(name.path);
        Symbol symbol;
        if (is_root(path)) {
            symbol = root_symbol(name.alias ? path : "");
            if (root_symbol(path).kind == Symbol::Kind::none) {
                diagnostics.error("E0202", path_span(name.path), fmt::format("there is no `{}`", path));
                symbol.kind = Symbol::Kind::broken;
            }
        } else if (is_name_space(path) && !find_module(path, program.modules[module.index].file)) {
            symbol = root_symbol(path);  // `import math`
        } else if (auto imported = import_module(path, module, path_span(name.path))) {
            symbol.kind = Symbol::Kind::module;
            symbol.module = *imported;
            program.modules[module.index].imports.push_back(*imported);
        } else {
            symbol.kind = Symbol::Kind::broken;
        }
        if (auto named = symbol_entity(program, is_root(path) ? root_symbol(path) : symbol, path)) {
            names.push_back({path_span(name.path), *named});
            if (name.alias) names.push_back({name.alias->span, std::move(*named), true});
        }
        if (!name.alias && name.path.size() > 1 && !is_root(path)) {
            bind_dotted(scopes[module.index], name, symbol);
        } else {
            bind(module, name.alias ? *name.alias : name.path.front(), symbol);
        }
    }
}

// What stands behind `from`.
static void note_source(Checker& checker, const ast::FromImport& from, const std::string& path,
                        std::optional<ModuleId> source) {
    Symbol symbol = root_symbol(path);
    symbol.kind = source ? Symbol::Kind::module : symbol.kind;
    if (source) symbol.module = *source;
    const bool root = !source && symbol.kind == Symbol::Kind::name_space;
    if (!source && !root) return;
    checker.names.push_back({path_span(from.module), *symbol_entity(checker.program, symbol, path)});
}

void Checker::declare_from(ModuleId module, const ast::FromImport& from) {
    if (from.module.empty()) return;
    std::string path = path_text(from.module);
    std::optional<ModuleId> source;
    // `from math import sqrt`, where no file has that name.
    const bool root = is_root(path) || (is_name_space(path) && !find_module(path, program.modules[module.index].file));
    if (!root) {
        source = import_module(path, module, path_span(from.module));
        if (source) program.modules[module.index].imports.push_back(*source);
    }
    note_source(*this, from, path, source);
    if (from.names.empty()) {
        if (root) return;  // its members are visible anyway
        if (!source) return;
        ModuleScope& own = scopes[module.index];
        for (const auto& [name, symbol] : scopes[source->index].names) own.names[name] = symbol;
        own.has_packages |= scopes[source->index].has_packages;
        return;
    }
    for (const ast::ImportedName& name : from.names) {
        if (name.path.empty()) continue;
        const ast::Identifier& wanted = name.path.front();
        Symbol symbol;
        symbol.kind = Symbol::Kind::broken;
        std::vector<std::string> candidates;
        if (root) {
            symbol = loaded(root_symbol(path + "." + wanted.text));
            candidates = members(root_symbol(path).path);
        } else if (source) {
            const auto& names = scopes[source->index].names;
            auto found = names.find(wanted.text);
            symbol = found == names.end() ? Symbol{} : found->second;
            for (const auto& [candidate, unused] : names) candidates.push_back(candidate);
        }
        if (symbol.kind == Symbol::Kind::none) {
            auto& d = diagnostics.error("E0202", wanted.span, fmt::format("`{}` has no `{}`", path, wanted.text));
            if (auto near = nearest(wanted.text, candidates))
                d.suggest(wanted.span, *near, fmt::format("did you mean `{}`?", *near));
            symbol.kind = Symbol::Kind::broken;
        }
        if (auto named = symbol_entity(program, symbol, wanted.text)) {
            names.push_back({wanted.span, *named});
            if (name.alias) names.push_back({name.alias->span, std::move(*named), true});
        }
        bind(module, name.alias ? *name.alias : wanted, symbol);
    }
}

bool Checker::is_broken_line(Span at) const {
    const uint32_t line = sources.position(at.file, at.begin).line;
    return std::ranges::any_of(diagnostics.all(), [&](const Diagnostic& d) {
        return d.code.starts_with("E01") && d.span.file == at.file &&
               sources.position(at.file, d.span.begin).line == line;
    });
}

Symbol Checker::lookup(ModuleId module, std::string_view name) const {
    const auto& names = scopes[module.index].names;
    if (auto found = names.find(name); found != names.end()) return found->second;
    if (auto known = root_names_.find(name); known != root_names_.end()) return known->second;
    return root_names_.emplace(std::string(name), root_symbol(name)).first->second;
}

std::vector<std::string> Checker::names_of(ModuleId module) const {
    std::vector<std::string> result = members("");
    for (const auto& [name, symbol] : scopes[module.index].names) {
        if (!is_dotted(name)) result.push_back(name);
    }
    return result;
}

const Symbol* Checker::imported_at(ModuleId module, const ast::Expr& expr) const {
    if (!scopes[module.index].has_packages) return nullptr;
    const std::string path = dotted(expr);
    const auto& names = scopes[module.index].names;
    const auto found = is_dotted(path) ? names.find(path) : names.end();
    return found == names.end() ? nullptr : &found->second;
}

Symbol Checker::resolve(ModuleId module, const ast::Expr& expr) const {
    if (const auto* n = std::get_if<ast::Name>(&expr.node)) return lookup(module, n->text);
    const auto* attribute = std::get_if<ast::Attribute>(&expr.node);
    if (!attribute) return {};
    Symbol base = resolve(module, *attribute->base);
    if (base.kind == Symbol::Kind::module || base.kind == Symbol::Kind::package) {
        if (const Symbol* imported = imported_at(module, expr)) return *imported;
    }
    if (base.kind == Symbol::Kind::module) {
        const auto& names = scopes[base.module.index].names;
        auto found = names.find(attribute->name.text);
        return found == names.end() ? Symbol{} : found->second;
    }
    if (base.kind == Symbol::Kind::broken) return base;
    if (base.kind == Symbol::Kind::name_space || base.kind == Symbol::Kind::builtin) {
        std::string path = base.kind == Symbol::Kind::builtin ? base.builtin->paths.front() : base.path;
        return root_symbol(path.empty() ? attribute->name.text : path + "." + attribute->name.text);
    }
    return {};
}

}  // namespace tsr::sema
