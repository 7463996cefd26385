// `textDocument/completion`: members behind a dot, parameters' names at the begin of an argument, names that are seen
// from the place. `completionItem/resolve` adds the documentation of one of them.
#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "base/dtype.h"
#include "lsp/calls.h"
#include "lsp/descriptions.h"
#include "lsp/methods.h"
#include "lsp/places.h"
#include "sema/builtins/builtins.h"
#include "sema/builtins/library.h"

namespace tsr::lsp {

namespace {

using sema::Entity;
using sema::NameKind;

// CompletionItemKind of the protocol.
constexpr int kMethod = 2, kFunction = 3, kField = 5, kVariable = 6, kClass = 7, kModule = 9, kProperty = 10,
              kKeyword = 14, kConstant = 21, kTypeParameter = 25;

constexpr std::array kKeywords{"and",   "as",  "assert", "break", "class",  "continue", "def",    "elif", "else",
                               "False", "for", "from",   "if",    "import", "in",       "lambda", "mut",  "None",
                               "not",   "or",  "param",  "pass",  "return", "static",   "True",   "while"};

int kind_of(NameKind kind) {
    switch (kind) {
        case NameKind::variable:
        case NameKind::parameter:
            return kVariable;
        case NameKind::tuning_parameter:
            return kConstant;
        case NameKind::dimension:
        case NameKind::type_variable:
        case NameKind::element_type:
            return kTypeParameter;
        case NameKind::class_:
            return kClass;
        case NameKind::field:
            return kField;
        case NameKind::method:
            return kMethod;
        case NameKind::property:
            return kProperty;
        case NameKind::module:
        case NameKind::name_space:
            return kModule;
        case NameKind::function:
        case NameKind::builtin:
        case NameKind::builtin_parameter:
        case NameKind::decorator:
        case NameKind::clause:
        case NameKind::policy:
            return kFunction;
    }
    __builtin_unreachable();
}

class Items {
public:
    explicit Items(const Analysis& analysis) : analysis_(analysis) {}

    // `rank`: nearer names stand first. `page`: of the documentation.
    void add(const std::string& label, int kind, int rank, const std::string& detail = {},
             const std::string& page = {}) {
        if (!seen_.insert(label).second) return;
        Json item = {{"label", label}, {"kind", kind}, {"sortText", std::to_string(rank) + label}};
        if (!detail.empty()) item["detail"] = detail;
        if (!page.empty()) item["data"] = {{"page", page}};
        items_.push_back(std::move(item));
    }

    void add(const sema::VisibleName& name, int rank) {
        if (!name.entity) return add(name.name, kVariable, rank);
        const Entity& e = *name.entity;
        const auto callable = callable_of(analysis_, e);
        std::string detail = callable ? callable->label : text_of(sema::types_of(analysis_.program, e));
        const bool library = e.module.valid() && analysis_.program.modules[e.module.index].library;
        add(name.name, kind_of(e.kind), rank, detail, library || !e.module.valid() ? e.name : "");
    }

    // What may follow a path of the language: "" is all that needs none.
    void add_language(const std::string& path, int rank) {
        for (const std::string& name : sema::members(path)) {
            const std::string full = path.empty() ? name : fmt::format("{}.{}", path, name);
            const sema::BuiltinEntry* row = sema::builtin_at(full);
            const sema::LibraryFunction* function = sema::library_function(full);
            const bool offered = !row || row->feature == sema::Feature::none;
            if (!offered) continue;
            const auto callable = callable_of_path(full);
            const int kind = !row && !function ? kModule : row && row->is_value ? kConstant : kFunction;
            add(name, kind, rank, callable ? callable->label : "", full);
        }
    }

    Json take() { return {{"isIncomplete", false}, {"items", std::move(items_)}}; }

private:
    const Analysis& analysis_;
    std::set<std::string> seen_;
    Json items_ = Json::array();
};

// The smallest expression that ends here: what a dot behind it is a member of.
const ast::Expr* expression_before(const Place& place, uint32_t end) {
    const ast::Expr* found = nullptr;
    for (const ast::Expr& e : place.analysis.tree->exprs) {
        const bool holds = e.span.end == end && !std::holds_alternative<ast::Hole>(e.node);
        if (holds && (!found || e.span.begin > found->span.begin)) found = &e;
    }
    return found;
}

// What the word before a dot means, where the parser made nothing of the statement.
std::optional<Entity> entity_before(const Place& place, uint32_t dot) {
    if (const sema::NameUse* use = sema::name_at(place.program(), kRoot, dot); use && use->at.end == dot)
        return use->entity;
    const uint32_t begin = name_begin(place.text(), dot);
    const std::string word(place.text().substr(begin, dot - begin));
    if (begin > 0 && place.text()[begin - 1] == '.') return std::nullopt;
    for (sema::VisibleName& name : sema::visible_names(place.program(), kRoot, place.function())) {
        if (name.name == word) return std::move(name.entity);
    }
    return std::nullopt;
}

// "tile" of `ts.tile` and `tile`.
std::string language_path(std::string_view text, uint32_t dot) {
    uint32_t begin = name_begin(text, dot);
    while (begin > 0 && text[begin - 1] == '.') begin = name_begin(text, begin - 1);
    std::string path(text.substr(begin, dot - begin));
    for (const std::string_view root : {"tessera.", "ts."}) {
        if (path.starts_with(root)) path.erase(0, root.size());
    }
    return path;
}

void add_members(const Place& place, uint32_t dot, Items& items) {
    const sema::Program& program = place.program();
    const auto entity = entity_before(place, dot);
    std::vector<sema::Type> types;
    if (entity && entity->kind == NameKind::module && entity->module.valid()) {
        for (const sema::VisibleName& name : sema::names_of_module(program, entity->module)) items.add(name, 1);
        return;
    }
    if (entity && (entity->kind == NameKind::name_space || entity->kind == NameKind::builtin ||
                   entity->kind == NameKind::decorator)) {
        const std::string path = entity->name == "tessera" ? "" : entity->name;
        if (path.empty() || sema::is_name_space(path)) return items.add_language(path, 1);
    }
    if (const ast::Expr* e = expression_before(place, dot)) types = sema::types_of(program, kRoot, e->id);
    if (types.empty() && entity) types = sema::types_of(program, *entity);
    for (const sema::Type& type : types) {
        for (const sema::Member& member : sema::members_of(program, type)) {
            const int kind = member.kind == sema::Member::Kind::method  ? kMethod
                             : member.kind == sema::Member::Kind::field ? kField
                                                                        : kProperty;
            const auto callable = callable_of_path(member.path);
            items.add(member.name, kind, 1, callable ? callable->label : "", member.path);
        }
    }
    const std::string path = language_path(place.text(), dot);
    if (types.empty() && !entity && sema::is_name_space(path)) items.add_language(path, 1);
}

// The line up to the place.
std::string_view line_before(const Place& place, uint32_t end) {
    const std::string_view before = place.text().substr(0, end);
    return before.substr(before.rfind('\n') + 1);  // behind no end of line: all of it
}

// `from shapes import ar`
std::optional<std::string> module_of_from(std::string_view line) {
    if (!line.starts_with("from ")) return std::nullopt;
    const size_t import = line.find(" import ");
    if (import == std::string_view::npos) return std::nullopt;
    return std::string(line.substr(5, import - 5));
}

void add_importable(const Place& place, const std::string& name, Items& items) {
    for (const sema::ModuleUnit& module : place.program().modules) {
        if (module.name != name || module.id == kRoot) continue;
        for (const sema::VisibleName& one : sema::names_of_module(place.program(), module.id)) items.add(one, 1);
        return;
    }
    const std::string path = name == "tessera" ? "" : name.starts_with("tessera.") ? name.substr(8) : name;
    if (path.empty() || sema::is_name_space(path)) items.add_language(path, 1);
}

// `import sh`, `from sh`: files beside the document and in the folders of `-I`, files of the library.
bool names_module(std::string_view line) {
    for (const std::string_view head : {"import ", "from "}) {
        if (line.starts_with(head) && line.find_first_not_of(' ', head.size()) == std::string_view::npos) return true;
        const bool more = line.starts_with("import ") && line.ends_with(", ");
        if (more) return true;
    }
    return false;
}

void add_modules(const Workspace& workspace, const Place& place, Items& items) {
    for (const std::string& name : workspace.importable_from(place.document.path)) items.add(name, kModule, 1);
    for (const sema::LibraryFile& file : sema::library_files()) items.add(std::string(file.name), kModule, 2);
    for (const std::string& name : sema::members("")) {
        if (sema::is_name_space(name)) items.add(name, kModule, 3);
    }
    items.add("tessera", kModule, 3);
}

bool is_in_comment_or_string(const Place& place) {
    for (const ast::Comment& comment : place.analysis.tree->comments) {
        if (comment.span.begin < place.offset && place.offset <= comment.span.end) return true;
    }
    for (const ast::Expr& e : place.analysis.tree->exprs) {
        const auto* literal = std::get_if<ast::StringLiteral>(&e.node);
        if (!literal) continue;
        for (const Span piece : literal->pieces) {
            if (piece.begin < place.offset && place.offset < piece.end) return true;
        }
    }
    return false;
}

void add_names(const Workspace& workspace, const Place& place, Items& items) {
    if (const auto call = call_around(workspace, place); call && call->at_start) {
        for (const Callable::Parameter& p : call->callable.parameters) {
            if (!p.variadic && !call->keywords.contains(p.name)) items.add(p.name + "=", kVariable, 0, p.text);
        }
    }
    for (const sema::VisibleName& visible : sema::visible_names(place.program(), kRoot, place.function()))
        items.add(visible, 1);
    items.add_language("", 2);
    for (int i = 0; i < kDTypes; ++i) items.add(std::string(name(static_cast<DType>(i))), kTypeParameter, 2);
    for (const char* keyword : kKeywords) items.add(keyword, kKeyword, 3);
}

}  // namespace

Json answer_completion(Workspace& workspace, const Json& params) {
    const auto place = place_of(workspace, params);
    if (!place || is_in_comment_or_string(*place)) return nullptr;
    Items items(place->analysis);
    const std::string_view text = place->text();
    const uint32_t word = name_begin(text, place->offset);
    const std::string_view line = line_before(*place, word);
    if (word > 0 && text[word - 1] == '.') {
        // Behind `3.` a number goes on.
        const bool number = word > 1 && text[word - 2] >= '0' && text[word - 2] <= '9' &&
                            text.substr(name_begin(text, word - 1)).find_first_not_of("0123456789") ==
                                word - 1 - name_begin(text, word - 1);
        if (!number) add_members(*place, word - 1, items);
    } else if (names_module(line)) {
        add_modules(workspace, *place, items);
    } else if (const auto module = module_of_from(line)) {
        add_importable(*place, *module, items);
    } else {
        add_names(workspace, *place, items);
    }
    return items.take();
}

Json answer_completion_resolve(Workspace& workspace, const Json& params) {
    Json item = params;
    const Json& page = below(params, {"data", "page"});
    if (!page.is_string()) return item;
    const std::string text = workspace.documentation.operation(page.get<std::string>());
    if (!text.empty()) item["documentation"] = {{"kind", "markdown"}, {"value", text}};
    return item;
}

}  // namespace tsr::lsp
