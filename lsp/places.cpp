#include "lsp/places.h"

#include <cctype>

#include "frontend/parse.h"
#include "lsp/protocol.h"

namespace tsr::lsp {

std::optional<Place> place_of(Workspace& workspace, const Json& params) {
    Document& document = workspace.document_of(params);
    const Analysis& analysis = workspace.analysis(document);
    if (analysis.program.modules.empty()) return std::nullopt;
    const Json& at = below(params, {"position"});
    return Place{document, analysis, at.is_null() ? 0 : analysis.offset(position_of(at))};
}

std::string text_of(const std::vector<sema::Type>& types) {
    std::string text;
    for (const sema::Type& type : types) text += (text.empty() ? "" : " or ") + sema::readable(type.text());
    return text;
}

bool is_name(const std::string& text) {
    Sources sources;
    Diagnostics diagnostics;
    const auto tree = parse(sources.add("name", text + "\n"), sources, diagnostics);
    if (diagnostics.has_errors() || tree->body.size() != 1) return false;
    const auto* statement = std::get_if<ast::ExprStmt>(&tree->body.front()->node);
    const auto* name = statement ? std::get_if<ast::Name>(&statement->value->node) : nullptr;
    return name && name->text == text;
}

bool is_name_letter(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return std::isalnum(byte) != 0 || c == '_' || byte >= 0x80;
}

uint32_t name_begin(std::string_view text, uint32_t end) {
    while (end > 0 && is_name_letter(text[end - 1])) --end;
    return end;
}

}  // namespace tsr::lsp
