#include "sema/query.h"

#include <algorithm>
#include <set>

#include "sema/builtins/library.h"
#include "sema/calls/method_calls.h"
#include "sema/program/host_methods.h"
#include "sema/state/entities.h"

namespace tsr::sema {

// ---- names ----

const NameUse* name_at(const Program& program, ModuleId module, uint32_t offset) {
    const std::vector<NameUse>& names = program.modules[module.index].names;
    const auto begin_of = [](const NameUse& use) { return use.at.begin; };
    const auto behind = std::ranges::upper_bound(names, offset, {}, begin_of);
    if (behind == names.begin()) return nullptr;
    // Of several that begin there the first.
    const auto last = std::prev(behind);
    const auto first = std::ranges::lower_bound(names, last->at.begin, {}, begin_of);
    return offset <= first->at.end ? &*first : nullptr;
}

std::vector<NameUse> occurrences(const Program& program, const Entity& entity) {
    std::vector<NameUse> found;
    for (const ModuleUnit& module : program.modules) {
        std::ranges::copy_if(module.names, std::back_inserter(found),
                             [&](const NameUse& use) { return use.entity == entity; });
    }
    return found;
}

std::optional<Span> definition(const Program& program, const Entity& entity) {
    if (!entity.module.valid() || entity.kind == NameKind::module) return std::nullopt;
    const ModuleUnit& module = program.modules[entity.module.index];
    std::optional<Span> first;
    for (const NameUse& use : module.names) {
        if (use.entity != entity) continue;
        if (use.binds) return use.at;
        if (!first) first = use.at;
    }
    return first;  // a dimension that the header names
}

namespace {

// Each type once; unknown ones say nothing.
void add_type(std::vector<Type>& types, const Type& type) {
    if (!type.is_unknown() && std::ranges::find(types, type) == types.end()) types.push_back(type);
}

// Instances of a function, or of a module's statements: those that the program reaches, where it reaches any.
std::vector<const Instance*> instances_of(const Program& program, ModuleId module, FunctionId function) {
    std::vector<const Instance*> all;
    for (const Instance& instance : program.instances) {
        if (instance.module == module && instance.function == function) all.push_back(&instance);
    }
    const bool any = std::ranges::any_of(all, [](const Instance* i) { return i->reached; });
    if (any && function.valid()) std::erase_if(all, [](const Instance* i) { return !i->reached; });
    return all;
}

}  // namespace

std::vector<Type> types_of(const Program& program, const Entity& entity) {
    std::vector<Type> types;
    if (!entity.module.valid()) return types;
    std::set<uint32_t> bound;  // where the text assigns it: loops may have other variables of its name
    for (const NameUse& use : program.modules[entity.module.index].names) {
        if (use.binds && use.entity == entity) bound.insert(use.at.begin);
    }
    for (const Instance* instance : instances_of(program, entity.module, entity.function)) {
        for (const ParameterInfo& p : instance->parameters) {
            const bool is_it = entity.kind == NameKind::parameter || entity.kind == NameKind::field;
            if (is_it && p.name == entity.name) add_type(types, p.type);
        }
        for (const Variable& v : instance->variables) {
            if (entity.kind == NameKind::variable && v.name == entity.name && bound.contains(v.declared.begin))
                add_type(types, v.type);
        }
    }
    if (entity.kind == NameKind::dimension && types.empty()) add_type(types, Type::index());
    return types;
}

// ---- expressions ----

const ast::Expr* expression_at(const Program& program, ModuleId module, uint32_t offset) {
    const ast::Expr* found = nullptr;
    for (const ast::Expr& e : program.modules[module.index].tree->exprs) {
        if (offset < e.span.begin || offset > e.span.end) continue;
        if (!found || e.span.end - e.span.begin < found->span.end - found->span.begin) found = &e;
    }
    return found;
}

std::vector<Type> types_of(const Program& program, ModuleId module, ast::ExprId expr) {
    std::vector<Type> types;
    for (const bool reached : {true, false}) {
        for (const Instance& instance : program.instances) {
            if (instance.module == module && (instance.reached || !reached)) add_type(types, instance.info(expr).type);
        }
        if (!types.empty()) return types;
    }
    return types;
}

std::vector<Static> values_of(const Program& program, ModuleId module, ast::ExprId expr) {
    std::vector<Static> values;
    for (const Instance& instance : program.instances) {
        if (instance.module != module || instance.tuned) continue;
        const ExprInfo& info = instance.info(expr);
        if (info.type.is_unknown()) continue;
        if (!info.value) return {};
        if (std::ranges::find(values, *info.value) == values.end()) values.push_back(*info.value);
    }
    return values;
}

namespace {

void add_properties(const Type& type, std::vector<Member>& found) {
    const bool shaped = type.is_memory() || type.is(Kind::tile);
    const auto add = [&](const char* name) { found.push_back({name, Member::Kind::property, {}}); };
    if (shaped) add("shape");
    if (shaped || type.is_scalar()) add("dtype");
    if (shaped) add("ndim");
    if (type.is(Kind::tensor)) add("size");
    if (shaped && type.rank() >= 2) add("T");
}

std::string_view receiver_name(Kind kind) {
    return kind == Kind::list ? "list" : kind == Kind::dict ? "dict" : kind == Kind::string ? "str" : "";
}

}  // namespace

std::vector<Member> members_of(const Program& program, const Type& type) {
    std::vector<Member> found;
    add_properties(type, found);
    for (const std::string& name : builtin_method_names(type))
        found.push_back({name, Member::Kind::method, std::string(spelling(*method_named(type, name)))});
    for (const std::string& name : host_method_names(type.kind())) {
        const std::string_view receiver = receiver_name(type.kind());
        found.push_back({name, Member::Kind::method, receiver.empty() ? "" : std::string(receiver) + "." + name});
    }
    for (const LibraryFunction& function : library_functions()) {
        if (function.is_method && type.is(Kind::tensor))
            found.push_back({std::string(function.name), Member::Kind::method, std::string(function.name)});
    }
    if (type.is(Kind::record)) {
        if (type.is_keyed_dict()) return found;
        for (size_t i = 1; i < type.names().size(); ++i) found.push_back({type.names()[i], Member::Kind::field, {}});
        for (const auto& [name, method] : program.function(type.function_id()).makes->methods)
            found.push_back({name, Member::Kind::method, {}});
    }
    return found;
}

// ---- functions ----

namespace {

// White space before the first letter of the line in which the place is; a line without one, up to the place.
uint32_t indent_of(std::string_view text, uint32_t offset) {
    size_t begin = offset;
    while (begin > 0 && text[begin - 1] != '\n') --begin;
    size_t end = begin;
    while (end < text.size() && (text[end] == ' ' || text[end] == '\t')) ++end;
    const bool blank = end == text.size() || text[end] == '\n' || text[end] == '\r';
    return static_cast<uint32_t>((blank ? std::max<size_t>(offset, begin) : end) - begin);
}

// Whether every line from the first place to the second is indented more than this, blank ones left out.
bool all_deeper(std::string_view text, uint32_t from, uint32_t to, uint32_t indent) {
    if (indent_of(text, to) <= indent) return false;
    for (size_t line = text.find('\n', from); line != std::string_view::npos && line < to;
         line = text.find('\n', line + 1)) {
        const size_t letter = text.find_first_not_of(" \t\r", line + 1);
        const bool blank = letter == std::string_view::npos || text[letter] == '\n';
        if (!blank && letter < to && letter - line - 1 <= indent) return false;
    }
    return true;
}

}  // namespace

FunctionId function_at(const Program& program, ModuleId module, std::string_view text, uint32_t offset) {
    FunctionId found;
    uint32_t latest = 0;
    for (const Function& function : program.functions) {
        if (function.module != module || function.makes || function.derived) continue;
        const Span span = program.stmt(module, function.stmt).span;
        if (span.begin > offset || (found.valid() && span.begin < latest)) continue;
        const uint32_t name = program.def(function).name.span.begin;
        if (offset <= span.end ? offset == span.end && offset > 0 && text[offset - 1] == '\n'
                               : !all_deeper(text, span.end, offset, indent_of(text, name))) {
            continue;
        }
        found = function.id;
        latest = span.begin;
    }
    return found;
}

std::vector<Type> results_of(const Program& program, FunctionId function) {
    std::vector<Type> types;
    for (const Instance* instance : instances_of(program, program.function(function).module, function)) {
        if (!instance->result.is(Kind::none)) add_type(types, instance->result);
    }
    return types;
}

namespace {

class Visible {
public:
    Visible(const Program& program, ModuleId module) : program_(program), module_(module) {}

    void add(const std::string& name, std::optional<Entity> entity) {
        if (!name.empty() && seen_.insert(name).second) found_.push_back({name, std::move(entity)});
    }

    // Parameters, variables and dimensions.
    void of_function(FunctionId function) {
        if (function.valid()) {
            for (const ast::Parameter& p : program_.def(function).parameters)
                add(p.name.text, parameter_entity(program_, function, p.name.text));
        }
        for (const NameUse& use : program_.modules[module_.index].names) {
            const Entity& e = use.entity;
            if (e.function != function || e.module != module_ || e.own.valid()) continue;
            const bool value = e.kind == NameKind::variable || e.kind == NameKind::parameter ||
                               e.kind == NameKind::tuning_parameter || e.kind == NameKind::dimension ||
                               e.kind == NameKind::type_variable;
            if (value) add(e.name, e);
        }
        for (const Function& inner : program_.functions) {
            const bool nested = inner.enclosing ? *inner.enclosing == function : !function.valid();
            if (inner.module == module_ && nested && !inner.method_of && !inner.derived && inner.name != "lambda")
                add(inner.name, function_entity(program_, inner.id));
        }
    }

    void imports() {
        for (const ast::Stmt* stmt : program_.modules[module_.index].tree->body) {
            if (const auto* import = std::get_if<ast::Import>(&stmt->node)) {
                for (const ast::ImportedName& name : import->names) imported(name);
            }
            const auto* from = std::get_if<ast::FromImport>(&stmt->node);
            if (!from) continue;
            for (const ast::ImportedName& name : from->names) imported(name);
            if (from->names.empty() && !from->module.empty()) everything_of(from->module.back());
        }
    }

    std::vector<VisibleName> take() { return std::move(found_); }

private:
    void imported(const ast::ImportedName& name) {
        if (name.path.empty()) return;
        const ast::Identifier& shown = name.alias ? *name.alias : name.path.front();
        const NameUse* use = name_at(program_, module_, name.path.front().span.begin);
        add(shown.text, use ? std::optional(use->entity) : std::nullopt);
    }
    // `from module import *`
    void everything_of(const ast::Identifier& module) {
        const NameUse* use = name_at(program_, module_, module.span.begin);
        if (!use || use->entity.kind != NameKind::module || use->entity.module == module_) return;
        for (VisibleName& name : names_of_module(program_, use->entity.module)) add(name.name, std::move(name.entity));
    }

    const Program& program_;
    ModuleId module_;
    std::set<std::string> seen_;
    std::vector<VisibleName> found_;
};

}  // namespace

std::vector<VisibleName> visible_names(const Program& program, ModuleId module, FunctionId function) {
    Visible visible(program, module);
    for (std::optional<FunctionId> at = function; at && at->valid(); at = program.function(*at).enclosing)
        visible.of_function(*at);
    visible.of_function({});
    visible.imports();
    return visible.take();
}

std::vector<VisibleName> names_of_module(const Program& program, ModuleId module) {
    Visible visible(program, module);
    visible.of_function({});
    return visible.take();
}

}  // namespace tsr::sema
