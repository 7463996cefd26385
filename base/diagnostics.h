// What is said about a program: coded, placed messages with secondary ranges and fixes (language reference, section
// 11).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/sources.h"
#include "base/span.h"

namespace tsr {

enum class Severity { error, warning, note };

std::string_view name(Severity severity);

// A second range that explains the first: "the expectation comes from here".
struct Label {
    Span span;
    std::string text;
};

// A replacement of a range that makes the message go away.
struct Fix {
    Span span;
    std::string replacement;
    std::string text;  // "did you mean `tile.linear_id`?"
};

struct Diagnostic {
    Severity severity = Severity::error;
    std::string code;  // "E0312", "W0105"; a page docs/errors/CODE.md stands behind it
    Span span;
    std::string message;
    std::vector<Label> labels;
    std::vector<std::string> notes;
    std::optional<Fix> fix;

    Diagnostic& label(Span at, std::string text);
    Diagnostic& note(std::string text);
    Diagnostic& suggest(Span at, std::string replacement, std::string text);
};

// Collects diagnostics. A second one of the same code at the same range is dropped, so that a check that runs
// once per instance speaks once.
class Diagnostics {
public:
    Diagnostic& error(std::string code, Span span, std::string message);
    Diagnostic& warning(std::string code, Span span, std::string message);
    Diagnostic& note(std::string code, Span span, std::string message);

    [[nodiscard]] const std::vector<Diagnostic>& all() const { return all_; }
    [[nodiscard]] bool has_errors() const { return errors_ > 0; }
    [[nodiscard]] size_t error_count() const { return errors_; }

    // By file and place, errors before warnings at one place.
    void sort();

private:
    Diagnostic& add(Severity severity, std::string code, Span span, std::string message);

    std::vector<Diagnostic> all_;
    Diagnostic dropped_;  // where a repeated message is written to
    size_t errors_ = 0;
};

// So many errors are shown; the rest are counted.
inline constexpr size_t kMostErrors = 20;

// The diagnostics that are shown, in their order.
struct Shown {
    std::vector<const Diagnostic*> diagnostics;
    size_t hidden_errors = 0;
};
Shown first_errors(const Diagnostics& diagnostics, size_t limit);
// "3 more errors not shown"
std::string hidden_text(size_t errors);

struct RenderOptions {
    bool color = false;
    size_t limit = kMostErrors;
};

// `file.tsr:LINE:COLUMN: error[E0312]: message`, the line with carets, labels, notes and the fix.
std::string render(const Diagnostics& diagnostics, const Sources& sources, const RenderOptions& options);

// One JSON object per diagnostic and line: severity, code, message, file, range (lines and columns from 1, and bytes),
// labels, notes, fix.
std::string render_json(const Diagnostics& diagnostics, const Sources& sources, size_t limit = kMostErrors);

struct SarifTool {
    std::string_view name;
    std::string_view version;
    std::function<std::string(std::string_view code)> title_of;  // one line about a code
};

// A log of one run in the Static Analysis Results Interchange Format (OASIS SARIF 2.1.0).
std::string render_sarif(const Diagnostics& diagnostics, const Sources& sources, const SarifTool& tool,
                         size_t limit = kMostErrors);

// The entry of `candidates` nearest to `word` by edit distance, if it is near enough to be what was meant.
std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace tsr
