// `textDocument/formatting`, `rangeFormatting`, `rangesFormatting` and `onTypeFormatting`: the layout of `tesserac
// fmt`, as edits of the lines that it changes. A text with mistakes is left as it is.
#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/format.h"
#include "frontend/parse.h"
#include "lsp/methods.h"
#include "lsp/protocol.h"

namespace tsr::lsp {

namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const size_t end = text.find('\n');
        lines.push_back(text.substr(0, end == std::string_view::npos ? text.size() : end + 1));
        text.remove_prefix(lines.back().size());
    }
    return lines;
}

struct Hunk {
    size_t old_begin, old_end, new_begin, new_end;  // lines
};

// So many lines are left out at most before both texts are equal again.
constexpr size_t kFarthest = 200;

// Differences from the first line to the last: behind a difference both go on at the nearest pair of equal lines. It is
// not always the smallest set, and it never is wrong.
std::vector<Hunk> differences(const std::vector<std::string_view>& a, const std::vector<std::string_view>& b) {
    std::vector<Hunk> found;
    size_t i = 0;
    size_t j = 0;
    while (i < a.size() || j < b.size()) {
        if (i < a.size() && j < b.size() && a[i] == b[j]) {
            ++i;
            ++j;
            continue;
        }
        // The pair with the least number of lines left out; none: all that is left differs.
        size_t skip_a = a.size() - i;
        size_t skip_b = b.size() - j;
        for (size_t sum = 1; sum <= kFarthest && sum < skip_a + skip_b; ++sum) {
            for (size_t of_a = 0; of_a <= sum; ++of_a) {
                const size_t of_b = sum - of_a;
                if (i + of_a >= a.size() || j + of_b >= b.size() || a[i + of_a] != b[j + of_b]) continue;
                skip_a = of_a;
                skip_b = of_b;
                break;
            }
        }
        found.push_back({i, i + skip_a, j, j + skip_b});
        i += skip_a;
        j += skip_b;
    }
    return found;
}

// A text beside what `tesserac fmt` makes of it. It refers to the text.
class Layout {
public:
    Layout(const std::string& path, const std::string& text, Encoding encoding)
        : text_(text), encoding_(encoding), index_(text) {
        Sources sources;
        Diagnostics diagnostics;
        const FileId file = sources.add(path, text);
        const auto tree = parse(file, sources, diagnostics);
        if (diagnostics.has_errors()) return;
        formatted_ = format(*tree, sources);
        before_ = lines_of(text);
        after_ = lines_of(formatted_);
        hunks_ = differences(before_, after_);
    }
    Layout(const Layout&) = delete;
    Layout& operator=(const Layout&) = delete;

    // Where the two differ; nowhere where the text has mistakes.
    [[nodiscard]] const std::vector<Hunk>& hunks() const { return hunks_; }

    [[nodiscard]] Json edit(const Hunk& hunk) const {
        std::string replacement;
        for (size_t i = hunk.new_begin; i < hunk.new_end; ++i) replacement += after_[i];
        return {{"range", {{"start", begin_of(hunk.old_begin)}, {"end", begin_of(hunk.old_end)}}},
                {"newText", replacement}};
    }

private:
    [[nodiscard]] Json begin_of(size_t line) const {
        const size_t offset =
            line < before_.size() ? static_cast<size_t>(before_[line].data() - text_.data()) : text_.size();
        return json_of(index_.position(text_, static_cast<uint32_t>(offset), encoding_));
    }

    const std::string& text_;
    Encoding encoding_;
    LineIndex index_;
    std::string formatted_;
    std::vector<std::string_view> before_, after_;
    std::vector<Hunk> hunks_;
};

struct Lines {
    size_t first, last;
};

Lines lines_in(const Json& range) { return {position_of(range.at("start")).line, position_of(range.at("end")).line}; }

// The edits that touch one of these ranges.
Json edits_within(Workspace& workspace, const Document& document, const std::vector<Lines>& ranges) {
    Json edits = Json::array();
    const Layout layout(document.path, document.text, workspace.encoding);
    for (const Hunk& hunk : layout.hunks()) {
        const bool touches = std::ranges::any_of(ranges, [&](const Lines& range) {
            return hunk.old_begin <= range.last && std::max(hunk.old_end, hunk.old_begin + 1) > range.first;
        });
        if (touches) edits.push_back(layout.edit(hunk));
    }
    return edits;
}

}  // namespace

Json answer_formatting(Workspace& workspace, const Json& params) {
    return edits_within(workspace, workspace.document_of(params), {{0, std::numeric_limits<size_t>::max()}});
}

Json answer_range_formatting(Workspace& workspace, const Json& params) {
    return edits_within(workspace, workspace.document_of(params), {lines_in(params.at("range"))});
}

Json answer_ranges_formatting(Workspace& workspace, const Json& params) {
    std::vector<Lines> ranges;
    for (const Json& range : params.at("ranges")) ranges.push_back(lines_in(range));
    return edits_within(workspace, workspace.document_of(params), ranges);
}

// Behind the end of a line, that line alone, where its layout is all that changes: what is before it stands as it is,
// what is behind it does not count.
Json answer_on_type_formatting(Workspace& workspace, const Json& params) {
    const Document& document = workspace.document_of(params);
    const LineIndex lines(document.text);
    const auto offset_of = [&](uint32_t line) { return lines.offset(document.text, {line, 0}, workspace.encoding); };
    const uint32_t line = position_of(params.at("position")).line;
    Json edits = Json::array();
    if (line == 0) return edits;
    const std::string text = document.text.substr(0, offset_of(line));
    Sources sources;
    Diagnostics diagnostics;
    const auto tree = parse(sources.add(document.path, text), sources, diagnostics);
    if (diagnostics.has_errors() || tree->body.empty()) return edits;
    const std::string formatted = format(*tree, sources);
    const std::string_view before = std::string_view(text).substr(offset_of(line - 1));
    const std::string_view after = lines_of(formatted).back();
    const auto without_blanks = [](std::string_view of) {
        std::string letters(of);
        std::erase_if(letters, [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; });
        return letters;
    };
    if (before == after || without_blanks(before) != without_blanks(after)) return edits;
    edits.push_back({{"range", {{"start", json_of(Position{line - 1, 0})}, {"end", json_of(Position{line, 0})}}},
                     {"newText", after}});
    return edits;
}

}  // namespace tsr::lsp
