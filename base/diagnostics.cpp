#include "base/diagnostics.h"

#include <algorithm>
#include <tuple>

#include <fmt/core.h>

namespace tsr {

std::string_view name(Severity severity) {
    switch (severity) {
        case Severity::error:
            return "error";
        case Severity::warning:
            return "warning";
        case Severity::note:
            return "note";
    }
    return "";
}

Diagnostic& Diagnostic::label(Span at, std::string text) {
    labels.push_back({at, std::move(text)});
    return *this;
}

Diagnostic& Diagnostic::note(std::string text) {
    notes.push_back(std::move(text));
    return *this;
}

Diagnostic& Diagnostic::suggest(Span at, std::string replacement, std::string text) {
    fix = Fix{at, std::move(replacement), std::move(text)};
    return *this;
}

Diagnostic& Diagnostics::add(Severity severity, std::string code, Span span, std::string message) {
    // What lies further back than anybody reads is not looked through: a hundred thousand errors would take minutes.
    constexpr size_t kLookedThrough = 4096;
    const size_t first = all_.size() > kLookedThrough ? all_.size() - kLookedThrough : 0;
    for (size_t i = all_.size(); i > first; --i) {
        if (all_[i - 1].span == span && all_[i - 1].code == code) {
            dropped_ = {};
            return dropped_;
        }
    }
    if (severity == Severity::error) ++errors_;
    all_.push_back({severity, std::move(code), span, std::move(message), {}, {}, {}});
    return all_.back();
}

Diagnostic& Diagnostics::error(std::string code, Span span, std::string message) {
    return add(Severity::error, std::move(code), span, std::move(message));
}

Diagnostic& Diagnostics::warning(std::string code, Span span, std::string message) {
    return add(Severity::warning, std::move(code), span, std::move(message));
}

Diagnostic& Diagnostics::note(std::string code, Span span, std::string message) {
    return add(Severity::note, std::move(code), span, std::move(message));
}

void Diagnostics::sort() {
    std::ranges::stable_sort(all_, [](const Diagnostic& a, const Diagnostic& b) {
        return std::tuple(a.span.file.index, a.span.begin, a.severity) <
               std::tuple(b.span.file.index, b.span.begin, b.severity);
    });
}

Shown first_errors(const Diagnostics& diagnostics, size_t limit) {
    Shown shown;
    size_t errors = 0;
    for (const Diagnostic& d : diagnostics.all()) {
        if (d.severity == Severity::error && ++errors > limit)
            ++shown.hidden_errors;
        else
            shown.diagnostics.push_back(&d);
    }
    return shown;
}

std::string hidden_text(size_t errors) {
    return fmt::format("{} more error{} not shown", errors, errors == 1 ? "" : "s");
}

}  // namespace tsr
