#include <set>

#include <fmt/core.h>

#include "base/diagnostics.h"
#include "base/json.h"

namespace tsr {

namespace {

// A path as a relative or absolute URI reference (RFC 3986): what is not allowed in a path stands as %XX.
std::string uri(std::string_view path) {
    constexpr std::string_view kAllowed = "-._~/!$&'()*+,;=@";
    std::string out = path.starts_with('/') ? "file://" : "";
    for (char c : path) {
        bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (plain || kAllowed.find(c) != std::string_view::npos)
            out += c;
        else
            out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return out;
}

std::string region(Span span, const Sources& sources) {
    auto from = sources.position(span.file, span.begin);
    auto to = sources.position(span.file, span.end);
    return fmt::format(R"({{"startLine":{},"startColumn":{},"endLine":{},"endColumn":{}}})", from.line, from.column,
                       to.line, to.column);
}

std::string artifact(Span span, const Sources& sources) {
    return fmt::format(R"({{"uri":{}}})", json_string(uri(sources.path(span.file))));
}

std::string physical(Span span, const Sources& sources) {
    return fmt::format(R"("physicalLocation":{{"artifactLocation":{},"region":{}}})", artifact(span, sources),
                       region(span, sources));
}

std::string related(const Diagnostic& d, const Sources& sources) {
    std::string out;
    for (const Label& label : d.labels) {
        if (!label.span.valid()) continue;
        out += fmt::format(R"({}{{{},"message":{{"text":{}}}}})", out.empty() ? "" : ",", physical(label.span, sources),
                           json_string(label.text));
    }
    return out.empty() ? out : fmt::format(R"(,"relatedLocations":[{}])", out);
}

std::string fixes(const Diagnostic& d, const Sources& sources) {
    if (!d.fix || !d.fix->span.valid()) return "";
    return fmt::format(
        R"(,"fixes":[{{"description":{{"text":{}}},"artifactChanges":[{{"artifactLocation":{},"replacements":[{{"deletedRegion":{},"insertedContent":{{"text":{}}}}}]}}]}}])",
        json_string(d.fix->text), artifact(d.fix->span, sources), region(d.fix->span, sources),
        json_string(d.fix->replacement));
}

std::string result(const Diagnostic& d, const Sources& sources) {
    std::string text = d.message;
    for (const std::string& note : d.notes) text += "\n" + note;
    auto rule = d.code.empty() ? "" : fmt::format(R"("ruleId":{},)", json_string(d.code));
    auto where = d.span.valid() ? fmt::format(R"(,"locations":[{{{}}}])", physical(d.span, sources)) : "";
    return fmt::format(R"({{{}"level":"{}","message":{{"text":{}}}{}{}{}}})", rule, name(d.severity), json_string(text),
                       where, related(d, sources), fixes(d, sources));
}

}  // namespace

std::string render_sarif(const Diagnostics& diagnostics, const Sources& sources, const SarifTool& tool, size_t limit) {
    const Shown shown = first_errors(diagnostics, limit);
    std::string results;
    std::set<std::string> codes;
    for (const Diagnostic* d : shown.diagnostics) {
        results += (results.empty() ? "\n" : ",\n") + result(*d, sources);
        if (!d->code.empty()) codes.insert(d->code);
    }
    std::string rules;
    for (const std::string& code : codes) {
        rules += fmt::format(R"({}{{"id":{},"shortDescription":{{"text":{}}}}})", rules.empty() ? "" : ",",
                             json_string(code), json_string(tool.title_of(code)));
    }
    return fmt::format(
        "{{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\"version\":\"2.1.0\",\"runs\":[{{"
        "\"tool\":{{\"driver\":{{\"name\":{},\"version\":{},\"rules\":[{}]}}}},"
        "\"columnKind\":\"unicodeCodePoints\",\"results\":[{}]}}]}}\n",
        json_string(tool.name), json_string(tool.version), rules, results);
}

}  // namespace tsr
