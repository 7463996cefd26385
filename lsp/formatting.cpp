// `textDocument/formatting` and `rangeFormatting`: the layout of `tesserac fmt`, as edits of the lines that it changes.
// A text with mistakes is left as it is.
#include <algorithm>
#include <limits>
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

}  // namespace

// The edits of lines from `first` to `last`.
static Json edits_between(Workspace& workspace, const Document& document, size_t first, size_t last) {
    Sources sources;
    Diagnostics diagnostics;
    const FileId file = sources.add(document.path, document.text);
    const auto tree = parse(file, sources, diagnostics);
    Json edits = Json::array();
    if (diagnostics.has_errors()) return edits;
    const std::string formatted = format(*tree, sources);
    const auto before = lines_of(document.text);
    const auto after = lines_of(formatted);
    const LineIndex index(document.text);
    const auto place = [&](size_t line) {
        const size_t offset = line < before.size() ? static_cast<size_t>(before[line].data() - document.text.data())
                                                   : document.text.size();
        return json_of(index.position(document.text, static_cast<uint32_t>(offset), workspace.encoding));
    };
    for (const Hunk& hunk : differences(before, after)) {
        if (hunk.old_begin > last || std::max(hunk.old_end, hunk.old_begin + 1) <= first) continue;
        std::string text;
        for (size_t i = hunk.new_begin; i < hunk.new_end; ++i) text += after[i];
        edits.push_back(
            {{"range", {{"start", place(hunk.old_begin)}, {"end", place(hunk.old_end)}}}, {"newText", text}});
    }
    return edits;
}

Json answer_formatting(Workspace& workspace, const Json& params) {
    return edits_between(workspace, workspace.document_of(params), 0, std::numeric_limits<size_t>::max());
}

Json answer_range_formatting(Workspace& workspace, const Json& params) {
    const Json& range = params.at("range");
    return edits_between(workspace, workspace.document_of(params), position_of(range.at("start")).line,
                         position_of(range.at("end")).line);
}

}  // namespace tsr::lsp
