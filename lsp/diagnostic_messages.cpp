#include "lsp/diagnostic_messages.h"

#include "lsp/document_uri.h"
#include "lsp/library_files.h"

namespace tsr::lsp {

namespace {

// More than anybody reads; a broken text of a million lines must not flood the editor.
constexpr size_t kMostDiagnostics = 1000;

int severity_number(Severity severity) {
    switch (severity) {
        case Severity::error:
            return 1;
        case Severity::warning:
            return 2;
        case Severity::note:
            return 3;
    }
    __builtin_unreachable();
}

Json all_of(const Analysis& analysis, FileId file, const Workspace& workspace) {
    Json found = Json::array();
    for (const Diagnostic& d : analysis.diagnostics.all()) {
        const bool here = d.span.valid() ? d.span.file == file : file == analysis.root;
        if (here && found.size() < kMostDiagnostics) found.push_back(json_of(d, analysis, workspace));
    }
    return found;
}

}  // namespace

Json json_of(const Diagnostic& diagnostic, const Analysis& analysis, const Workspace& workspace) {
    const Json& client = below(workspace.client, {"textDocument", "publishDiagnostics"});
    const bool related_information = says(client, {"relatedInformation"}) ||
                                     says(workspace.client, {"textDocument", "diagnostic", "relatedInformation"});
    std::string message = diagnostic.message;
    Json related = Json::array();
    for (const Label& label : diagnostic.labels) {
        if (related_information && label.span.valid())
            related.push_back({{"location", analysis.location(label.span)}, {"message", label.text}});
        else
            message += "\n" + label.text;
    }
    for (const std::string& note : diagnostic.notes) message += "\nnote: " + note;
    if (diagnostic.fix) message += "\nfix: " + diagnostic.fix->text;
    Json out = {{"range", analysis.range(diagnostic.span)},
                {"severity", severity_number(diagnostic.severity)},
                {"source", "tesserac"},
                {"message", message}};
    if (!diagnostic.code.empty()) {
        out["code"] = diagnostic.code;
        const bool wanted = says(client, {"codeDescriptionSupport"});
        const std::string page = wanted ? workspace.documentation.diagnostic(diagnostic.code) : "";
        if (!page.empty()) out["codeDescription"] = {{"href", uri_of(readable_copy(diagnostic.code + ".md", page))}};
    }
    if (!related.empty()) out["relatedInformation"] = std::move(related);
    return out;
}

Json diagnostics_of_root(const Analysis& analysis, const Workspace& workspace) {
    return all_of(analysis, analysis.root, workspace);
}

std::map<std::string, Json> diagnostics_of_imports(const Analysis& analysis, const Workspace& workspace) {
    std::map<std::string, Json> found;
    for (const sema::ModuleUnit& module : analysis.program.modules) {
        if (module.file == analysis.root || module.library) continue;
        found[analysis.uri(module.file)] = all_of(analysis, module.file, workspace);
    }
    return found;
}

}  // namespace tsr::lsp
