#include "lsp/methods.h"

#include <array>

#include "lsp/diagnostic_messages.h"
#include "lsp/library_files.h"
#include "lsp/protocol.h"

namespace tsr::lsp {

namespace {

constexpr std::array kMethods{
    Method{"textDocument/diagnostic", answer_diagnostic, "diagnosticProvider",
           R"({"identifier": "tesserac", "interFileDependencies": true, "workspaceDiagnostics": true})"},
    Method{"callHierarchy/incomingCalls", answer_incoming_calls, ""},
    Method{"callHierarchy/outgoingCalls", answer_outgoing_calls, ""},
    Method{"textDocument/prepareCallHierarchy", answer_prepare_call_hierarchy, "callHierarchyProvider"},
    Method{"textDocument/codeAction", answer_code_action, "codeActionProvider",
           R"({"codeActionKinds": ["quickfix", "source.fixAll.tessera"], "resolveProvider": true})"},
    Method{"codeAction/resolve", answer_code_action_resolve, ""},
    Method{"textDocument/codeLens", answer_code_lens, "codeLensProvider", R"({"resolveProvider": false})", true},
    Method{"workspace/executeCommand", nullptr, "executeCommandProvider",
           R"({"commands": ["tessera.run", "tessera.sanitize", "tessera.checkGradients", "tessera.show"],
               "workDoneProgress": true})",
           false, begin_execute_command},
    Method{"tessera/code", answer_code, ""},
    Method{"textDocument/completion", answer_completion, "completionProvider",
           R"({"triggerCharacters": ["."], "resolveProvider": true})"},
    Method{"completionItem/resolve", answer_completion_resolve, ""},
    Method{"textDocument/declaration", answer_definition, "declarationProvider"},
    Method{"textDocument/definition", answer_definition, "definitionProvider"},
    Method{"textDocument/documentHighlight", answer_document_highlight, "documentHighlightProvider", "true", true},
    Method{"textDocument/documentLink", answer_document_link, "documentLinkProvider", R"({"resolveProvider": true})"},
    Method{"documentLink/resolve", answer_document_link_resolve, ""},
    Method{"textDocument/documentSymbol", answer_document_symbol, "documentSymbolProvider"},
    Method{"textDocument/foldingRange", answer_folding_range, "foldingRangeProvider"},
    Method{"textDocument/formatting", answer_formatting, "documentFormattingProvider"},
    Method{"textDocument/hover", answer_hover, "hoverProvider", "true", true},
    Method{"textDocument/implementation", answer_implementation, "implementationProvider"},
    Method{"textDocument/inlayHint", answer_inlay_hint, "inlayHintProvider", R"({"resolveProvider": true})", true},
    Method{"inlayHint/resolve", answer_inlay_hint_resolve, "", "", true},
    Method{"textDocument/linkedEditingRange", answer_linked_editing_range, "linkedEditingRangeProvider"},
    Method{"textDocument/onTypeFormatting", answer_on_type_formatting, "documentOnTypeFormattingProvider",
           R"({"firstTriggerCharacter": "\n"})", true},
    Method{"textDocument/prepareRename", answer_prepare_rename, ""},
    Method{"textDocument/rangeFormatting", answer_range_formatting, "documentRangeFormattingProvider",
           R"({"rangesSupport": true})"},
    Method{"textDocument/rangesFormatting", answer_ranges_formatting, ""},
    Method{"textDocument/references", answer_references, "referencesProvider"},
    Method{"textDocument/rename", answer_rename, "renameProvider", R"({"prepareProvider": true})"},
    Method{"textDocument/selectionRange", answer_selection_range, "selectionRangeProvider"},
    Method{"textDocument/typeDefinition", answer_type_definition, "typeDefinitionProvider"},
    Method{"workspace/symbol", answer_workspace_symbol, "workspaceSymbolProvider"},
    Method{
        "textDocument/semanticTokens/full", answer_semantic_tokens, "semanticTokensProvider",
        R"({"full": {"delta": true}, "range": true, "legend": {"tokenTypes": ["namespace", "type", "class", "typeParameter", "parameter",
               "variable", "property", "function", "method", "decorator"],
               "tokenModifiers": ["declaration", "defaultLibrary"]}})",
        true},
    Method{"textDocument/semanticTokens/full/delta", answer_semantic_tokens_delta, "", "", true},
    Method{"textDocument/semanticTokens/range", answer_semantic_tokens_range, "", "", true},
    Method{"textDocument/signatureHelp", answer_signature_help, "signatureHelpProvider",
           R"({"triggerCharacters": ["(", ","], "retriggerCharacters": ["="]})"},
    Method{"workspace/textDocumentContent", answer_text_document_content, "workspace.textDocumentContent",
           R"({"schemes": ["tessera"]})"},
    Method{"workspace/willRenameFiles", answer_will_rename_files, "workspace.fileOperations.willRename",
           R"({"filters": [{"scheme": "file", "pattern": {"glob": "**/*.tsr", "matches": "file"}},
                           {"scheme": "file", "pattern": {"glob": "**", "matches": "folder"}}]})"},
};

}  // namespace

std::span<const Method> methods() { return kMethods; }

Json answer_diagnostic(Workspace& workspace, const Json& params) {
    Document& document = workspace.document_of(params);
    return {{"kind", "full"}, {"items", diagnostics_of_root(workspace.analysis(document), workspace)}};
}

// `workspace/textDocumentContent`: of the standard library.
Json answer_text_document_content(Workspace&, const Json& params) {
    const auto text = library_text(params.at("uri").get<std::string>());
    if (!text) throw RequestError(ErrorCode::invalid_params, "the standard library has no such file");
    return {{"text", *text}};
}

}  // namespace tsr::lsp
