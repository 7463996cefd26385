// `textDocument/selectionRange`: from the smallest expression at a place over the expressions and statements around it
// to the whole text.
#include <algorithm>

#include "lsp/methods.h"
#include "lsp/places.h"
#include "lsp/protocol.h"

namespace tsr::lsp {

namespace {

Json selection_at(const Analysis& analysis, uint32_t offset) {
    const auto size = static_cast<uint32_t>(analysis.sources.text(analysis.root).size());
    std::vector<Span> around{{analysis.root, 0, size}};
    const auto add = [&](Span span) {
        if (span.file == analysis.root && span.begin <= offset && offset <= span.end) around.push_back(span);
    };
    for (const ast::Stmt& stmt : analysis.tree->stmts) add(stmt.span);
    for (const ast::Expr& e : analysis.tree->exprs) add(e.span);
    // The largest first. What only overlaps the one before is left out: each holds the next.
    std::ranges::stable_sort(around, std::greater(), [](const Span& span) { return span.end - span.begin; });
    Json selection = nullptr;
    Span last;
    for (const Span& span : around) {
        if (last.valid() && (span == last || span.begin < last.begin || span.end > last.end)) continue;
        Json one = {{"range", analysis.range(span)}};
        if (!selection.is_null()) one["parent"] = std::move(selection);
        selection = std::move(one);
        last = span;
    }
    return selection;
}

}  // namespace

Json answer_selection_range(Workspace& workspace, const Json& params) {
    const Analysis& analysis = workspace.analysis(workspace.document_of(params));
    Json found = Json::array();
    for (const Json& at : params.at("positions"))
        found.push_back(selection_at(analysis, analysis.offset(position_of(at))));
    return found;
}

}  // namespace tsr::lsp
