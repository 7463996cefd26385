#include <fmt/core.h>

#include "base/diagnostics.h"
#include "base/json.h"

namespace tsr {

namespace {

std::string range_json(Span span, const Sources& sources) {
    if (!span.valid()) return "null";
    auto from = sources.position(span.file, span.begin);
    auto to = sources.position(span.file, span.end);
    return fmt::format(
        R"({{"file":{},"start":{{"line":{},"column":{},"byte":{}}},"end":{{"line":{},"column":{},"byte":{}}}}})",
        json_string(sources.path(span.file)), from.line, from.column, span.begin, to.line, to.column, span.end);
}

std::string object(const Diagnostic& d, const Sources& sources) {
    std::string labels;
    for (const Label& label : d.labels) {
        labels += fmt::format(R"({}{{"range":{},"text":{}}})", labels.empty() ? "" : ",",
                              range_json(label.span, sources), json_string(label.text));
    }
    std::string notes;
    for (const std::string& note : d.notes) notes += (notes.empty() ? "" : ",") + json_string(note);
    std::string fix = "null";
    if (d.fix) {
        fix = fmt::format(R"({{"range":{},"replacement":{},"text":{}}})", range_json(d.fix->span, sources),
                          json_string(d.fix->replacement), json_string(d.fix->text));
    }
    return fmt::format(
        "{{\"severity\":\"{}\",\"code\":{},\"message\":{},\"range\":{},\"labels\":[{}],\"notes\":[{}],\"fix\":{}}}\n",
        name(d.severity), json_string(d.code), json_string(d.message), range_json(d.span, sources), labels, notes, fix);
}

}  // namespace

std::string render_json(const Diagnostics& diagnostics, const Sources& sources, size_t limit) {
    const Shown shown = first_errors(diagnostics, limit);
    std::string out;
    for (const Diagnostic* d : shown.diagnostics) out += object(*d, sources);
    if (shown.hidden_errors > 0) {
        Diagnostic more;
        more.severity = Severity::note;
        more.message = hidden_text(shown.hidden_errors);
        out += object(more, sources);
    }
    return out;
}

}  // namespace tsr
