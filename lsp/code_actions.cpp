// `textDocument/codeAction`: the edits that diagnostics suggest.
#include <algorithm>

#include <fmt/format.h>

#include "lsp/diagnostic_messages.h"
#include "lsp/methods.h"
#include "lsp/protocol.h"

namespace tsr::lsp {

namespace {

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

Json edit_of(const Fix& fix, const Analysis& analysis) {
    Json edit = {{"range", analysis.range(fix.span)}, {"newText", fix.replacement}};
    return {{"changes", {{analysis.uri(fix.span.file), Json::array({std::move(edit)})}}}};
}

std::string title_of(const Fix& fix, const Analysis& analysis) {
    const std::string_view old = analysis.sources.text(fix.span);
    const auto one_line = [](std::string_view text) { return text.find('\n') == std::string_view::npos; };
    if (fix.replacement.empty() && one_line(old)) return fmt::format("Remove `{}`", old);
    if (old.empty() && one_line(fix.replacement)) return fmt::format("Insert `{}`", fix.replacement);
    if (one_line(fix.replacement)) return fmt::format("Replace with `{}`", fix.replacement);
    return fix.text;
}

}  // namespace

Json answer_code_action(Workspace& workspace, const Json& params) {
    const Analysis& analysis = workspace.analysis(workspace.document_of(params));
    Json actions = Json::array();
    if (!wants(below(params, {"context"}), "quickfix")) return actions;
    const Json& range = params.at("range");
    const uint32_t begin = analysis.offset(position_of(range.at("start")));
    const uint32_t end = analysis.offset(position_of(range.at("end")));
    for (const Diagnostic& d : analysis.diagnostics.all()) {
        if (!d.fix || !d.fix->span.valid() || d.span.file != analysis.root) continue;
        if (d.span.begin > end || d.span.end < begin || analysis.is_library(d.fix->span.file)) continue;
        actions.push_back({{"title", title_of(*d.fix, analysis)},
                           {"kind", "quickfix"},
                           {"isPreferred", true},
                           {"diagnostics", Json::array({json_of(d, analysis, workspace)})},
                           {"edit", edit_of(*d.fix, analysis)}});
    }
    return actions;
}

}  // namespace tsr::lsp
