#include "driver/verify_expectations.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include <fmt/core.h>

namespace tsr::driver {

namespace {

struct Expectation {
    uint32_t at = 0;  // the line it is written on
    uint32_t line = 0;
    uint32_t first = 0;  // columns in code points from 1, both included
    uint32_t last = 0;
    std::string kind;  // "error[E0301]"
    std::string text;
    bool met = false;
};

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

uint32_t width_of(std::string_view text) {
    return static_cast<uint32_t>(std::ranges::count_if(text, [](char c) { return !continues_character(c); }));
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    return text;
}

// `error[E0301]: text` into kind and text; false when it is something else.
bool split_message(std::string_view from, Expectation& into) {
    auto close = from.find("]:");
    if (close == std::string_view::npos) return false;
    auto kind = from.substr(0, close + 1);
    bool known = kind.starts_with("error[") || kind.starts_with("warning[") || kind.starts_with("note[");
    if (!known) return false;
    into.kind = kind;
    into.text = trimmed(from.substr(close + 2));
    return true;
}

bool take_number(std::string_view& text, uint32_t& number) {
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc()) return false;
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    return true;
}

bool take(std::string_view& text, char c) {
    if (!text.starts_with(c)) return false;
    text.remove_prefix(1);
    return true;
}

// `#@LINE:COLUMN-LAST message`, `above` standing in for a missing LINE.
std::optional<Expectation> spelled(std::string_view rest, uint32_t above) {
    Expectation out;
    out.line = above;
    if (!take_number(rest, out.first)) return std::nullopt;
    if (take(rest, ':')) {
        out.line = out.first;
        if (!take_number(rest, out.first)) return std::nullopt;
    }
    if (!take(rest, '-') || !take_number(rest, out.last) || !split_message(trimmed(rest), out)) return std::nullopt;
    return out;
}

// Carets and a message behind the comment sign.
std::optional<Expectation> drawn(std::string_view line, size_t hash, uint32_t above) {
    auto caret = line.find_first_not_of(" \t", hash + 1);
    if (caret == std::string_view::npos || line[caret] != '^') return std::nullopt;
    auto behind = line.find_first_not_of('^', caret);
    if (behind == std::string_view::npos) return std::nullopt;
    Expectation out;
    out.line = above;
    out.first = width_of(line.substr(0, caret)) + 1;
    out.last = out.first + static_cast<uint32_t>(behind - caret) - 1;
    if (!split_message(trimmed(line.substr(behind)), out)) return std::nullopt;
    return out;
}

std::vector<Expectation> expectations_of(const Sources& sources, FileId file) {
    std::vector<Expectation> all;
    uint32_t above = 0;
    for (uint32_t number = 1; number <= sources.line_count(file); ++number) {
        auto line = sources.line(file, number);
        auto hash = line.find_first_not_of(" \t");
        std::optional<Expectation> found;
        if (hash != std::string_view::npos && line[hash] == '#') {
            found = line.substr(hash + 1).starts_with('@') ? spelled(line.substr(hash + 2), above)
                                                           : drawn(line, hash, above);
        }
        if (!found) {
            above = number;
            continue;
        }
        found->at = number;
        all.push_back(std::move(*found));
    }
    return all;
}

std::string kind_of(const Diagnostic& d) {
    switch (d.severity) {
        case Severity::error:
            return fmt::format("error[{}]", d.code);
        case Severity::warning:
            return fmt::format("warning[{}]", d.code);
        case Severity::note:
            return fmt::format("note[{}]", d.code);
    }
    return {};
}

// Columns of a range on its first line, both included; an empty range is one column wide.
std::pair<uint32_t, uint32_t> columns_of(const Diagnostic& d, const Sources& sources) {
    auto from = sources.position(d.span.file, d.span.begin);
    auto to = sources.position(d.span.file, d.span.end);
    uint32_t last = to.line == from.line ? to.column - 1 : width_of(sources.line(d.span.file, from.line));
    return {from.column, std::max(from.column, last)};
}

}  // namespace

std::vector<std::string> verify_expectations(const Diagnostics& diagnostics, const Sources& sources, FileId file) {
    std::vector<std::string> problems;
    auto expected = expectations_of(sources, file);
    for (const Diagnostic& d : diagnostics.all()) {
        if (!d.span.valid() || d.span.file != file) {
            auto where = d.span.valid() ? sources.path(d.span.file) : std::string("tesserac");
            problems.push_back(fmt::format("{}: not expected: {}: {}", where, kind_of(d), d.message));
            continue;
        }
        auto line = sources.position(file, d.span.begin).line;
        auto [first, last] = columns_of(d, sources);
        auto fits = std::ranges::find_if(expected, [&, first = first, last = last](const Expectation& e) {
            return !e.met && e.line == line && e.first == first && e.last == last && e.kind == kind_of(d) &&
                   d.message.find(e.text) != std::string::npos;
        });
        if (fits != expected.end()) {
            fits->met = true;
        } else {
            problems.push_back(fmt::format("{}:{}: not expected: columns {}-{} {}: {}", sources.path(file), line, first,
                                           last, kind_of(d), d.message));
        }
    }
    for (const Expectation& e : expected) {
        if (e.met) continue;
        problems.push_back(fmt::format("{}:{}: did not come: line {} columns {}-{} {}: {}", sources.path(file), e.at,
                                       e.line, e.first, e.last, e.kind, e.text));
    }
    return problems;
}

}  // namespace tsr::driver
