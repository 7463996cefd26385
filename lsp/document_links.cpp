// `textDocument/documentLink`: from the modules of imports to their files, and from codes of diagnostics in comments to
// their pages. The copy of a page is made when somebody follows the link (`documentLink/resolve`).
#include "lsp/document_uri.h"
#include "lsp/library_files.h"
#include "lsp/methods.h"
#include "lsp/places.h"
#include "lsp/protocol.h"
#include "sema/query.h"

namespace tsr::lsp {

namespace {

class Links {
public:
    Links(const Analysis& analysis, const Documentation& documentation)
        : analysis_(analysis), documentation_(documentation) {}

    Json run() {
        for (const ast::Stmt& statement : analysis_.tree->stmts) {
            if (const auto* import = std::get_if<ast::Import>(&statement.node)) {
                for (const ast::ImportedName& name : import->names) module(name.path);
            } else if (const auto* from = std::get_if<ast::FromImport>(&statement.node)) {
                module(from->module);
            }
        }
        for (const ast::Comment& comment : analysis_.tree->comments) codes(comment.span);
        return std::move(found_);
    }

private:
    void module(const std::vector<ast::Identifier>& path) {
        if (path.empty() || analysis_.program.modules.empty()) return;
        const Span at = path.front().span.to(path.back().span);
        const sema::NameUse* use = sema::name_at(analysis_.program, kRoot, at.begin);
        if (!use || use->entity.kind != sema::NameKind::module || !use->entity.module.valid()) return;
        const FileId file = analysis_.program.modules[use->entity.module.index].file;
        found_.push_back({{"range", analysis_.range(at)}, {"target", analysis_.uri(file)}});
    }

    // "E0201", "W0103"
    void codes(Span comment) {
        constexpr uint32_t kLength = 5;
        const std::string_view text = analysis_.sources.text(comment);
        for (size_t i = 0; i + kLength <= text.size(); ++i) {
            const std::string_view code = text.substr(i, kLength);
            const bool whole = (i == 0 || !is_name_letter(text[i - 1])) &&
                               (i + kLength == text.size() || !is_name_letter(text[i + kLength]));
            if (!whole || (code[0] != 'E' && code[0] != 'W') ||
                code.find_first_not_of("0123456789", 1) != std::string_view::npos ||
                documentation_.diagnostic(code).empty()) {
                continue;
            }
            const auto begin = comment.begin + static_cast<uint32_t>(i);
            found_.push_back({{"range", analysis_.range({comment.file, begin, begin + kLength})},
                              {"tooltip", "What " + std::string(code) + " says"},
                              {"data", code}});
        }
    }

    const Analysis& analysis_;
    const Documentation& documentation_;
    Json found_ = Json::array();
};

}  // namespace

Json answer_document_link(Workspace& workspace, const Json& params) {
    return Links(workspace.analysis(workspace.document_of(params)), workspace.documentation).run();
}

Json answer_document_link_resolve(Workspace& workspace, const Json& params) {
    Json link = params;
    const Json& code = below(params, {"data"});
    if (!code.is_string()) return link;
    const std::string page = workspace.documentation.diagnostic(code.get<std::string>());
    if (page.empty()) throw RequestError(ErrorCode::invalid_params, "there is no page about this");
    link["target"] = uri_of(readable_copy(code.get<std::string>() + ".md", page));
    return link;
}

}  // namespace tsr::lsp
