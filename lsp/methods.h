// What the server answers: one row for each request, from which its capabilities are made, too.
#pragma once

#include <span>
#include <string_view>

#include "lsp/json.h"
#include "lsp/slow_work.h"
#include "lsp/workspace.h"

namespace tsr::lsp {

struct Method {
    std::string_view name;
    Json (*answer)(Workspace& workspace, const Json& params);
    // The member of the server's capabilities that announces it, "workspace.textDocumentContent" one of another member,
    // and its value in JSON; empty: another row does.
    std::string_view capability;
    std::string_view value = "true";
    // Its answer is worth nothing once the text has changed, and the editor asks again.
    bool outdated_by_edits = false;
    // Of a request that takes seconds: what is left to do where no document is known any more. `answer` is null.
    SlowTask (*begin)(Workspace& workspace, const Json& params) = nullptr;
};

std::span<const Method> methods();

// One for each request.
Json answer_incoming_calls(Workspace& workspace, const Json& params);
Json answer_outgoing_calls(Workspace& workspace, const Json& params);
Json answer_prepare_call_hierarchy(Workspace& workspace, const Json& params);
Json answer_code(Workspace& workspace, const Json& params);
Json answer_code_action(Workspace& workspace, const Json& params);
Json answer_code_action_resolve(Workspace& workspace, const Json& params);
Json answer_code_lens(Workspace& workspace, const Json& params);
Json answer_completion(Workspace& workspace, const Json& params);
Json answer_completion_resolve(Workspace& workspace, const Json& params);
Json answer_definition(Workspace& workspace, const Json& params);
Json answer_diagnostic(Workspace& workspace, const Json& params);
Json answer_document_highlight(Workspace& workspace, const Json& params);
Json answer_document_link(Workspace& workspace, const Json& params);
Json answer_document_link_resolve(Workspace& workspace, const Json& params);
Json answer_document_symbol(Workspace& workspace, const Json& params);
SlowTask begin_execute_command(Workspace& workspace, const Json& params);
Json answer_folding_range(Workspace& workspace, const Json& params);
Json answer_formatting(Workspace& workspace, const Json& params);
Json answer_hover(Workspace& workspace, const Json& params);
Json answer_implementation(Workspace& workspace, const Json& params);
Json answer_inlay_hint(Workspace& workspace, const Json& params);
Json answer_inlay_hint_resolve(Workspace& workspace, const Json& params);
Json answer_linked_editing_range(Workspace& workspace, const Json& params);
Json answer_on_type_formatting(Workspace& workspace, const Json& params);
Json answer_prepare_rename(Workspace& workspace, const Json& params);
Json answer_range_formatting(Workspace& workspace, const Json& params);
Json answer_ranges_formatting(Workspace& workspace, const Json& params);
Json answer_references(Workspace& workspace, const Json& params);
Json answer_rename(Workspace& workspace, const Json& params);
Json answer_selection_range(Workspace& workspace, const Json& params);
Json answer_semantic_tokens(Workspace& workspace, const Json& params);
Json answer_semantic_tokens_delta(Workspace& workspace, const Json& params);
Json answer_semantic_tokens_range(Workspace& workspace, const Json& params);
Json answer_signature_help(Workspace& workspace, const Json& params);
Json answer_text_document_content(Workspace& workspace, const Json& params);
Json answer_type_definition(Workspace& workspace, const Json& params);
Json answer_will_rename_files(Workspace& workspace, const Json& params);
Json answer_workspace_symbol(Workspace& workspace, const Json& params);

}  // namespace tsr::lsp
