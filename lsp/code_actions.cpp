// `textDocument/codeAction`: the edits that diagnostics suggest, one by one, and all of a text together. The latter are
// made when somebody chooses them (`codeAction/resolve`).
#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "lsp/diagnostic_messages.h"
#include "lsp/edits.h"
#include "lsp/methods.h"
#include "lsp/protocol.h"

namespace tsr::lsp {

namespace {

constexpr const char* kFixAll = "source.fixAll.tessera";

// Whether the client wants actions of this kind or of one above it.
bool wants(const Json& context, std::string_view kind) {
    const Json& only = below(context, {"only"});
    if (!only.is_array()) return true;
    return std::ranges::any_of(only, [&](const Json& wanted) {
        if (!wanted.is_string()) return false;
        const std::string name = wanted;
        return name.empty() || kind == name || kind.starts_with(name + ".");
    });
}

Json edit_of(const Fix& fix, const Analysis& analysis, const Workspace& workspace) {
    Json edits = Json::array({text_edit(analysis, fix.span, fix.replacement)});
    return workspace_edit(workspace, {{analysis.sources.path(fix.span.file), std::move(edits)}});
}

// Of the root's text, in its order: of two that overlap the first.
std::vector<const Fix*> all_fixes(const Analysis& analysis) {
    std::vector<const Fix*> found;
    for (const Diagnostic& d : analysis.diagnostics.all()) {
        if (d.fix && d.fix->span.valid() && d.fix->span.file == analysis.root) found.push_back(&*d.fix);
    }
    std::ranges::stable_sort(found, {}, [](const Fix* fix) { return fix->span.begin; });
    std::vector<const Fix*> apart;
    for (const Fix* fix : found) {
        if (apart.empty() || apart.back()->span.end < fix->span.begin) apart.push_back(fix);
    }
    return apart;
}

Json edit_of_all(const Analysis& analysis, const Workspace& workspace) {
    Json edits = Json::array();
    for (const Fix* fix : all_fixes(analysis)) edits.push_back(text_edit(analysis, fix->span, fix->replacement));
    return workspace_edit(workspace, {{analysis.sources.path(analysis.root), std::move(edits)}});
}

bool resolves_edits(const Workspace& workspace) {
    const Json& properties = below(workspace.client, {"textDocument", "codeAction", "resolveSupport", "properties"});
    return properties.is_array() && std::ranges::find(properties, Json("edit")) != properties.end();
}

std::string title_of(const Fix& fix, const Analysis& analysis) {
    const std::string_view old = analysis.sources.text(fix.span);
    const auto one_line = [](std::string_view text) { return text.find('\n') == std::string_view::npos; };
    if (fix.replacement.empty() && one_line(old)) return fmt::format("Remove `{}`", old);
    if (old.empty() && one_line(fix.replacement)) return fmt::format("Insert `{}`", fix.replacement);
    if (one_line(fix.replacement)) return fmt::format("Replace with `{}`", fix.replacement);
    return fix.text;
}

void add_fixes(const Analysis& analysis, const Workspace& workspace, const Json& range, Json& actions) {
    const uint32_t begin = analysis.offset(position_of(range.at("start")));
    const uint32_t end = analysis.offset(position_of(range.at("end")));
    for (const Diagnostic& d : analysis.diagnostics.all()) {
        if (!d.fix || !d.fix->span.valid() || d.span.file != analysis.root) continue;
        if (d.span.begin > end || d.span.end < begin || analysis.is_library(d.fix->span.file)) continue;
        actions.push_back({{"title", title_of(*d.fix, analysis)},
                           {"kind", "quickfix"},
                           {"isPreferred", true},
                           {"diagnostics", Json::array({json_of(d, analysis, workspace)})},
                           {"edit", edit_of(*d.fix, analysis, workspace)}});
    }
}

}  // namespace

Json answer_code_action(Workspace& workspace, const Json& params) {
    Document& document = workspace.document_of(params);
    const Analysis& analysis = workspace.analysis(document);
    const Json& context = below(params, {"context"});
    Json actions = Json::array();
    if (wants(context, "quickfix")) add_fixes(analysis, workspace, params.at("range"), actions);
    // Unasked it comes beside a fix, where there are more of them.
    const bool asked = below(context, {"only"}).is_array();
    const size_t fixes = wants(context, kFixAll) && (asked || !actions.empty()) ? all_fixes(analysis).size() : 0;
    if (fixes > (asked ? 0U : 1U)) {
        Json all = {{"title", fmt::format("Apply all {} suggested changes", fixes)}, {"kind", kFixAll}};
        if (fixes == 1) all["title"] = "Apply the suggested change";
        if (resolves_edits(workspace)) {
            all["data"] = {{"uri", document.uri}, {"version", document.version}};
        } else {
            all["edit"] = edit_of_all(analysis, workspace);
        }
        actions.push_back(std::move(all));
    }
    return actions;
}

Json answer_code_action_resolve(Workspace& workspace, const Json& params) {
    Json action = params;
    const Json& data = below(params, {"data"});
    if (!data.is_object()) return action;
    Document& document = workspace.document(data.at("uri").get<std::string>());
    if (document.version != data.at("version"))
        throw RequestError(ErrorCode::content_modified, "the text has changed since");
    action["edit"] = edit_of_all(workspace.analysis(document), workspace);
    return action;
}

}  // namespace tsr::lsp
