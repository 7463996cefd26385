#include <algorithm>
#include <map>
#include <set>

#include <fmt/core.h>

#include "base/diagnostics.h"
#include "base/terminal.h"

namespace tsr {

namespace {

struct Paint {
    bool on;
    [[nodiscard]] std::string operator()(const char* code, std::string_view text) const {
        if (!on) return std::string(text);
        return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
    }
};

const char* color(Severity severity) {
    switch (severity) {
        case Severity::error:
            return "1;31";
        case Severity::warning:
            return "1;35";
        case Severity::note:
            return "1;36";
    }
    return "0";
}

bool starts_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }

// The marks under a line: as many as the character takes columns of a terminal, tabs kept, so that they stand where the
// text does.
std::string marks(std::string_view line, uint32_t begin, uint32_t end, char mark) {
    std::string out;
    bool any = false;
    for (uint32_t i = 0; i < line.size(); ++i) {
        if (!starts_character(line[i])) continue;
        bool inside = i >= begin && i < end;
        if (!inside && i >= end) break;
        if (line[i] == '\t')
            out += inside ? mark : '\t';
        else
            out.append(static_cast<size_t>(terminal_columns(line.substr(i))), inside ? mark : ' ');
        any |= inside;
    }
    if (!any) out += mark;  // an empty range, or the end of the line
    return out;
}

// The part of a long line that is shown: the bytes from `begin` to `end`, whole characters.
struct Window {
    uint32_t begin = 0;
    uint32_t end = 0;
};

// Long lines are cut to what stands around the range, which begins at `focus`.
Window window_around(std::string_view line, uint32_t focus) {
    constexpr uint32_t kWidth = 160;
    constexpr uint32_t kBefore = 60;
    auto size = static_cast<uint32_t>(line.size());
    if (size <= kWidth) return {0, size};
    Window window{focus > kBefore ? focus - kBefore : 0, 0};
    window.end = std::min(size, window.begin + kWidth);
    while (window.begin > 0 && !starts_character(line[window.begin])) --window.begin;
    while (window.end < size && !starts_character(line[window.end])) ++window.end;
    return window;
}

// Control characters and broken UTF-8 in a shown line would spoil the terminal.
std::string printable(std::string_view line) {
    std::string out;
    for (char c : line) {
        auto byte = static_cast<unsigned char>(c);
        out += (byte < 0x20 && c != '\t') || byte == 0x7F ? ' ' : c;
    }
    return out;
}

class Renderer {
public:
    Renderer(const Sources& sources, bool color) : sources_(sources), paint_{color} {}

    std::string operator()(const Diagnostic& d) {
        out_.clear();
        head(d);
        std::vector<Label> ranges{{d.span, ""}};
        ranges.insert(ranges.end(), d.labels.begin(), d.labels.end());
        if (d.span.valid()) excerpt(d, ranges);
        for (const std::string& text : d.notes) out_ += fmt::format("  = {} {}\n", paint_("1;36", "note:"), text);
        if (d.fix) fix(*d.fix);
        return out_;
    }

private:
    void head(const Diagnostic& d) {
        if (d.span.valid()) {
            auto at = sources_.position(d.span.file, d.span.begin);
            out_ += fmt::format("{}:{}:{}: ", sources_.path(d.span.file), at.line, at.column);
        } else {
            out_ += "tesserac: ";
        }
        auto kind = d.code.empty() ? std::string(name(d.severity)) : fmt::format("{}[{}]", name(d.severity), d.code);
        out_ += fmt::format("{}: {}\n", paint_(color(d.severity), kind), paint_("1", d.message));
    }

    // The lines of all ranges in the main range's file, in order, the main range's carets before labels of its line.
    void excerpt(const Diagnostic& d, const std::vector<Label>& ranges) {
        FileId file = d.span.file;
        std::map<uint32_t, std::vector<size_t>> by_line;
        for (size_t i = 0; i < ranges.size(); ++i) {
            if (ranges[i].span.file == file) by_line[sources_.position(file, ranges[i].span.begin).line].push_back(i);
        }
        auto width = fmt::format("{}", by_line.rbegin()->first).size();
        uint32_t last = 0;
        for (const auto& [line, indices] : by_line) {
            if (last != 0 && line > last + 1) out_ += fmt::format("{:>{}} …\n", "", width);
            last = line;
            auto whole = sources_.line(file, line);
            auto begin = sources_.line_begin(file, line);
            auto window = window_around(
                whole, std::min(ranges[indices[0]].span.begin - begin, static_cast<uint32_t>(whole.size())));
            auto text = whole.substr(window.begin, window.end - window.begin);
            begin += window.begin;
            out_ += fmt::format("{} {}{}{}\n", paint_("34", fmt::format("{:>{}} |", line, width)),
                                window.begin > 0 ? "…" : "", printable(text), window.end < whole.size() ? "…" : "");
            for (size_t i : indices) {
                const Label& range = ranges[i];
                auto shown = static_cast<uint32_t>(text.size());
                auto from = range.span.begin < begin ? 0 : std::min(range.span.begin - begin, shown);
                auto to = range.span.end < begin ? 0 : std::min(range.span.end - begin, shown);
                auto under = (window.begin > 0 ? " " : "") + marks(text, from, to, i == 0 ? '^' : '-');
                if (!range.text.empty()) under += " " + range.text;
                out_ += fmt::format("{} {}\n", paint_("34", fmt::format("{:>{}} |", "", width)),
                                    paint_(i == 0 ? color(d.severity) : "34", under));
            }
        }
        for (const Label& range : ranges) {  // other files: place and text only
            if (!range.span.valid() || range.span.file == file) continue;
            auto at = sources_.position(range.span.file, range.span.begin);
            out_ += fmt::format("  = {}:{}:{}: {}\n", sources_.path(range.span.file), at.line, at.column, range.text);
        }
    }

    void fix(const Fix& fix) { out_ += fmt::format("  = {} {}\n", paint_("1;32", "fix:"), fix.text); }

    const Sources& sources_;
    Paint paint_;
    std::string out_;
};

}  // namespace

std::string render(const Diagnostics& diagnostics, const Sources& sources, const RenderOptions& options) {
    const Shown shown = first_errors(diagnostics, options.limit);
    std::string out;
    Renderer renderer(sources, options.color);
    for (const Diagnostic* d : shown.diagnostics) out += renderer(*d);
    if (shown.hidden_errors > 0) out += fmt::format("tesserac: {}\n", hidden_text(shown.hidden_errors));
    return out;
}

}  // namespace tsr
