#include "lsp/descriptions.h"

#include <algorithm>

#include <fmt/format.h>

#include "lsp/places.h"
#include "sema/builtins/builtins.h"
#include "sema/builtins/library.h"

namespace tsr::lsp {

namespace {

using sema::Entity;
using sema::FunctionId;
using sema::NameKind;

// On one line, without what is only layout.
std::string one_line(std::string_view text) {
    std::string out;
    for (const char c : text) {
        const bool blank = c == ' ' || c == '\n' || c == '\r' || c == '\t';
        if (!blank)
            out += c;
        else if (!out.empty() && out.back() != ' ' && out.back() != '(')
            out += ' ';
    }
    return out;
}

// As it is written: `h: i32 = 2`.
std::string parameter_text(const Analysis& analysis, const ast::Parameter& p) {
    Span whole = p.name.span;
    if (p.annotation) whole = whole.to(p.annotation->span);
    if (p.default_value) whole = whole.to(p.default_value->span);
    return one_line(analysis.sources.text(whole));
}

// `name(parameters) -> result`
std::string call_text(const Analysis& analysis, const std::string& name, const ast::FunctionDef& def, bool method) {
    std::string parameters;
    bool star = false;
    for (size_t i = method ? 1 : 0; i < def.parameters.size(); ++i) {
        const ast::Parameter& p = def.parameters[i];
        if (!parameters.empty()) parameters += ", ";
        if (p.keyword_only && !star) parameters += "*, ";
        star |= p.keyword_only;
        parameters += parameter_text(analysis, p);
    }
    std::string result = def.result ? " -> " + one_line(analysis.sources.text(def.result->span)) : "";
    return fmt::format("{}({}){}", name, parameters, result);
}

const ast::ClassDef* class_named(const Analysis& analysis, const sema::Function& constructor) {
    for (const ast::Stmt* stmt : analysis.program.modules[constructor.module.index].tree->body) {
        const auto* def = std::get_if<ast::ClassDef>(&stmt->node);
        if (def && def->name.text == constructor.name) return def;
    }
    return nullptr;
}

// A docstring without the indentation that all its lines but the first have.
std::string dedented(const std::optional<std::string>& docstring) {
    if (!docstring) return {};
    size_t indent = std::string::npos;
    const auto each_line = [&](auto visit) {
        for (size_t line = docstring->find('\n'); line != std::string::npos; line = docstring->find('\n', line + 1)) {
            const size_t end = std::min(docstring->find('\n', line + 1), docstring->size());
            visit(std::string_view(*docstring).substr(line + 1, end - line - 1));
        }
    };
    each_line([&](std::string_view line) {
        const size_t letter = line.find_first_not_of(" \t");
        if (letter != std::string_view::npos) indent = std::min(indent, letter);
    });
    std::string out = docstring->substr(0, docstring->find('\n'));
    each_line([&](std::string_view line) { out += "\n" + std::string(line.substr(std::min(indent, line.size()))); });
    while (out.ends_with('\n')) out.pop_back();
    return out;
}

std::string last_part(const std::string& name) {
    const size_t dot = name.rfind('.');
    return dot == std::string::npos ? name : name.substr(dot + 1);
}

// "tile.load" of "tile.load.fill"
std::string first_parts(const std::string& name) {
    const size_t dot = name.rfind('.');
    return dot == std::string::npos ? name : name.substr(0, dot);
}

bool is_function(NameKind kind) {
    return kind == NameKind::function || kind == NameKind::class_ || kind == NameKind::method;
}

}  // namespace

std::string declaration_text(const Analysis& analysis, FunctionId id) {
    const sema::Program& program = analysis.program;
    const sema::Function& function = program.function(id);
    if (function.derived) return fmt::format("(derivative) {}", function.name);
    const ast::FunctionDef& def = program.def(function);
    std::string text;
    if (function.makes) {
        text = fmt::format("class {}:", function.name);
        for (const ast::Parameter& p : def.parameters) text += "\n    " + parameter_text(analysis, p);
        return text;
    }
    for (const ast::Decorator& decorator : def.decorators)
        text += one_line(analysis.sources.text(decorator.span)) + "\n";
    return text + "def " + call_text(analysis, last_part(function.name), def, false);
}

std::string declaration_text(const Analysis& analysis, const Entity& entity) {
    if (is_function(entity.kind) && entity.function.valid()) return declaration_text(analysis, entity.function);
    const std::string types = text_of(sema::types_of(analysis.program, entity));
    return fmt::format("({}) {}{}{}", sema::text(entity.kind), entity.name, types.empty() ? "" : ": ", types);
}

std::string without_heading(std::string page) {
    if (!page.starts_with("# ")) return page;
    const size_t end = page.find("\n\n");
    return end == std::string::npos ? std::string() : page.substr(end + 2);
}

std::string documentation_of(const Workspace& workspace, const Analysis& analysis, const Entity& entity) {
    const sema::Program& program = analysis.program;
    const auto page = [&](const std::string& path) { return workspace.documentation.operation(path); };
    if (!entity.module.valid())
        return page(entity.kind == NameKind::builtin_parameter ? first_parts(entity.name) : entity.name);
    const sema::ModuleUnit& module = program.modules[entity.module.index];
    if (entity.kind == NameKind::module) return dedented(module.tree->docstring);
    if (!is_function(entity.kind)) return {};
    const sema::Function& function = program.function(entity.function);
    if (module.library) {
        if (std::string text = page(function.name); !text.empty()) return text;
    }
    if (function.derived) return {};
    if (function.makes) {
        const ast::ClassDef* def = class_named(analysis, function);
        return def ? dedented(def->docstring) : "";
    }
    return dedented(program.def(function).docstring);
}

namespace {

// "tile.scan(value, *, op=…, axis=…)": what stands between commas are its parameters.
Callable of_signature(std::string label) {
    Callable found;
    const size_t open = label.find('(');
    const size_t close = label.rfind(')');
    size_t at = open == std::string::npos || close == std::string::npos ? close : open + 1;
    int depth = 0;
    for (size_t i = at; close != std::string::npos && i <= close; ++i) {
        const char c = label[i];
        if (c == '(' || c == '[') ++depth;
        if ((c == ')' || c == ']') && i < close) --depth;
        if (!(i == close || (c == ',' && depth == 0))) continue;
        const std::string text = one_line(std::string_view(label).substr(at, i - at));
        at = i + 1;
        std::string piece = text.starts_with(' ') ? text.substr(1) : text;
        if (piece.empty() || piece == "*") continue;
        const bool variadic = piece.starts_with('*');
        const std::string name = piece.substr(variadic ? 1 : 0);
        // A parameter `T` is given by keyword as `dtype`.
        const std::string word = name.substr(0, name.find_first_of(":= "));
        found.parameters.push_back({word == "T" ? "dtype" : word, piece, variadic});
    }
    found.label = std::move(label);
    return found;
}

}  // namespace

std::optional<Callable> callable_of_path(std::string_view path) {
    if (const sema::LibraryFunction* function = sema::library_function(path))
        return of_signature(std::string(function->signature));
    const sema::BuiltinEntry* row = sema::builtin_at(path);
    if (!row || row->is_value) return std::nullopt;
    return of_signature(sema::signature(*row));
}

std::optional<Callable> callable_of(const Analysis& analysis, const Entity& entity) {
    const sema::Program& program = analysis.program;
    if (entity.kind == NameKind::builtin || entity.kind == NameKind::decorator) return callable_of_path(entity.name);
    if (!is_function(entity.kind) || !entity.function.valid()) {
        // A variable that holds a function: what it is called with is that function's.
        for (const sema::Type& type : sema::types_of(program, entity)) {
            if (!type.is(sema::Kind::function)) continue;
            const sema::Function& held = program.function(type.function_id());
            return callable_of(analysis, {NameKind::function, held.name, held.module, held.id, {}});
        }
        return std::nullopt;
    }
    const sema::Function& function = program.function(entity.function);
    if (function.derived) return std::nullopt;
    const ast::FunctionDef& def = program.def(function);
    const bool method = takes_record(function);
    Callable found;
    found.label = call_text(analysis, last_part(function.name), def, method);
    for (size_t i = method ? 1 : 0; i < def.parameters.size(); ++i)
        found.parameters.push_back({def.parameters[i].name.text, parameter_text(analysis, def.parameters[i]), false});
    return found;
}

}  // namespace tsr::lsp
