#include "lsp/methods.h"

#include <array>

#include "lsp/diagnostic_messages.h"

namespace tsr::lsp {

namespace {

constexpr std::array kMethods{
    Method{"textDocument/diagnostic", answer_diagnostic, "diagnosticProvider",
           R"({"identifier": "tesserac", "interFileDependencies": true, "workspaceDiagnostics": false})"},
    Method{"textDocument/codeAction", answer_code_action, "codeActionProvider", R"({"codeActionKinds": ["quickfix"]})"},
    Method{"textDocument/completion", answer_completion, "completionProvider",
           R"({"triggerCharacters": ["."], "resolveProvider": true})"},
    Method{"completionItem/resolve", answer_completion_resolve, ""},
    Method{"textDocument/definition", answer_definition, "definitionProvider"},
    Method{"textDocument/documentHighlight", answer_document_highlight, "documentHighlightProvider"},
    Method{"textDocument/documentSymbol", answer_document_symbol, "documentSymbolProvider"},
    Method{"textDocument/foldingRange", answer_folding_range, "foldingRangeProvider"},
    Method{"textDocument/formatting", answer_formatting, "documentFormattingProvider"},
    Method{"textDocument/hover", answer_hover, "hoverProvider"},
    Method{"textDocument/inlayHint", answer_inlay_hint, "inlayHintProvider"},
    Method{"textDocument/prepareRename", answer_prepare_rename, ""},
    Method{"textDocument/references", answer_references, "referencesProvider"},
    Method{"textDocument/rename", answer_rename, "renameProvider", R"({"prepareProvider": true})"},
    Method{"textDocument/semanticTokens/full", answer_semantic_tokens, "semanticTokensProvider",
           R"({"full": true, "legend": {"tokenTypes": ["namespace", "type", "class", "typeParameter", "parameter",
               "variable", "property", "function", "method", "decorator"],
               "tokenModifiers": ["declaration", "defaultLibrary"]}})"},
    Method{"textDocument/signatureHelp", answer_signature_help, "signatureHelpProvider",
           R"({"triggerCharacters": ["(", ","], "retriggerCharacters": ["="]})"},
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
