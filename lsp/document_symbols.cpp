// `textDocument/documentSymbol`, `workspace/symbol`: functions, classes, their fields, and names that are assigned at
// module level. From the syntax tree alone.
#include <cctype>
#include <set>

#include <fmt/format.h>

#include "base/cancel.h"
#include "lsp/methods.h"

namespace tsr::lsp {

namespace {

// SymbolKind of the protocol.
constexpr int kSymbolClass = 5, kSymbolMethod = 6, kSymbolField = 8, kSymbolFunction = 12, kSymbolVariable = 13;

class Outline {
public:
    explicit Outline(const Analysis& analysis) : analysis_(analysis) {}

    Json block(const ast::Block& statements, bool in_class) {
        Json found = Json::array();
        std::set<std::string> seen;
        for (const ast::Stmt* stmt : statements) {
            if (const auto* def = std::get_if<ast::FunctionDef>(&stmt->node)) {
                found.push_back(function(*stmt, *def, in_class));
            } else if (const auto* made = std::get_if<ast::ClassDef>(&stmt->node)) {
                Json one = symbol(made->name, kSymbolClass, stmt->span);
                if (Json inner = block(made->body, true); !inner.empty()) one["children"] = std::move(inner);
                found.push_back(std::move(one));
            } else {
                assigned(*stmt, in_class, seen, found);
            }
        }
        return found;
    }

private:
    Json symbol(const ast::Identifier& name, int kind, Span whole) const {
        return {{"name", name.text.empty() ? "?" : name.text},
                {"kind", kind},
                {"range", analysis_.range(whole.to(name.span))},
                {"selectionRange", analysis_.range(name.span)}};
    }

    Json function(const ast::Stmt& stmt, const ast::FunctionDef& def, bool in_class) {
        Json one = symbol(def.name, in_class ? kSymbolMethod : kSymbolFunction, stmt.span);
        std::string detail;
        for (const ast::Decorator& decorator : def.decorators)
            detail += (detail.empty() ? "@" : " @") + std::string(analysis_.sources.text(decorator.value->span));
        if (!detail.empty()) one["detail"] = detail;
        Json inner = Json::array();
        for (const ast::Stmt* nested : def.body) {
            if (const auto* of = std::get_if<ast::FunctionDef>(&nested->node))
                inner.push_back(function(*nested, *of, false));
        }
        if (!inner.empty()) one["children"] = std::move(inner);
        return one;
    }

    // A name at its first assignment.
    void assigned(const ast::Stmt& stmt, bool in_class, std::set<std::string>& seen, Json& found) const {
        const auto add = [&](const ast::Expr* target) {
            const auto* name = std::get_if<ast::Name>(&target->node);
            if (name && seen.insert(name->text).second)
                found.push_back(
                    symbol({name->text, target->span}, in_class ? kSymbolField : kSymbolVariable, stmt.span));
        };
        if (const auto* assign = std::get_if<ast::Assign>(&stmt.node)) {
            for (const ast::Expr* target : assign->targets) {
                const auto* tuple = std::get_if<ast::Tuple>(&target->node);
                if (!tuple) add(target);
                for (size_t i = 0; tuple && i < tuple->elements.size(); ++i) add(tuple->elements[i]);
            }
        }
        if (const auto* annotated = std::get_if<ast::AnnotatedAssign>(&stmt.node)) add(annotated->target);
    }

    const Analysis& analysis_;
};

// For clients that know no symbols in symbols: one list.
void flatten(const Json& symbols, const std::string& uri, const Json& container, Json& out) {
    for (const Json& symbol : symbols) {
        Json one = {{"name", symbol["name"]},
                    {"kind", symbol["kind"]},
                    {"location", {{"uri", uri}, {"range", symbol["range"]}}}};
        if (!container.is_null()) one["containerName"] = container;
        out.push_back(std::move(one));
        if (symbol.contains("children")) flatten(symbol["children"], uri, symbol["name"], out);
    }
}

Json flat_outline(const Analysis& analysis, const ast::Module& module, FileId file) {
    Json flat = Json::array();
    flatten(Outline(analysis).block(module.body, false), analysis.uri(file), nullptr, flat);
    return flat;
}

}  // namespace

Json answer_document_symbol(Workspace& workspace, const Json& params) {
    Document& document = workspace.document_of(params);
    const Analysis& analysis = workspace.analysis(document);
    Json symbols = Outline(analysis).block(analysis.tree->body, false);
    if (says(workspace.client, {"textDocument", "documentSymbol", "hierarchicalDocumentSymbolSupport"})) return symbols;
    Json flat = Json::array();
    flatten(symbols, document.uri, nullptr, flat);
    return flat;
}

// `workspace/symbol`: of open documents, of the modules that they import, and of programs in the editor's folders.
Json answer_workspace_symbol(Workspace& workspace, const Json& params) {
    const std::string query = params.at("query");
    // The letters of the query in their order, in any case.
    const auto fits = [&](std::string_view name) {
        size_t at = 0;
        for (const char letter : name) {
            if (at < query.size() &&
                std::tolower(static_cast<unsigned char>(letter)) == std::tolower(static_cast<unsigned char>(query[at])))
                ++at;
        }
        return at == query.size();
    };
    Json found = Json::array();
    const auto add_fitting = [&](const Json& symbols) {
        for (const Json& symbol : symbols) {
            if (fits(symbol["name"].get<std::string>())) found.push_back(symbol);
        }
    };
    std::set<std::string> seen;
    for (auto& [uri, document] : workspace.documents()) {
        const Analysis& analysis = workspace.analysis(document);
        for (const sema::ModuleUnit& module : analysis.program.modules) {
            if (module.library || !seen.insert(analysis.sources.path(module.file)).second) continue;
            add_fitting(flat_outline(analysis, *module.tree, module.file));
        }
    }
    for (const std::string& path : workspace.closed_files_that_say({})) {
        if (!seen.insert(path).second) continue;
        stop_if_cancelled();
        add_fitting(workspace.outline(
            path, [](const Analysis& parsed) { return flat_outline(parsed, *parsed.tree, parsed.root); }));
    }
    return found;
}

}  // namespace tsr::lsp
