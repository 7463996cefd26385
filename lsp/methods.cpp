#include "lsp/methods.h"

#include <array>

#include "lsp/diagnostic_messages.h"

namespace tsr::lsp {

namespace {

constexpr std::array kMethods{
    Method{"textDocument/diagnostic", answer_diagnostic, "diagnosticProvider",
           R"({"identifier": "tesserac", "interFileDependencies": true, "workspaceDiagnostics": false})"},
    Method{"textDocument/codeAction", answer_code_action, "codeActionProvider", R"({"codeActionKinds": ["quickfix"]})"},
    Method{"textDocument/documentSymbol", answer_document_symbol, "documentSymbolProvider"},
    Method{"textDocument/foldingRange", answer_folding_range, "foldingRangeProvider"},
    Method{"textDocument/formatting", answer_formatting, "documentFormattingProvider"},
};

}  // namespace

std::span<const Method> methods() { return kMethods; }

Json answer_diagnostic(Workspace& workspace, const Json& params) {
    Document& document = workspace.document_of(params);
    const bool related = says(workspace.client, {"textDocument", "diagnostic", "relatedInformation"}) ||
                         says(workspace.client, {"textDocument", "publishDiagnostics", "relatedInformation"});
    return {{"kind", "full"}, {"items", diagnostics_of_root(workspace.analysis(document), related)}};
}

}  // namespace tsr::lsp
