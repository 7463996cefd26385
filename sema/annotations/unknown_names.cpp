#include "sema/annotations/unknown_names.h"

#include <algorithm>

#include <fmt/format.h>

#include "frontend/foreign_names.h"

namespace tsr::sema {

namespace {

bool has_word(std::string_view line, std::string_view word) {
    const auto is_letter = [](char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0; };
    for (size_t at = line.find(word); at != std::string_view::npos; at = line.find(word, at + 1)) {
        const size_t end = at + word.size();
        if ((at == 0 || !is_letter(line[at - 1])) && (end == line.size() || !is_letter(line[end]))) return true;
    }
    return false;
}

// Whether the name stands on a line of the file that could not be read: it may be assigned there.
bool is_on_broken_line(const Checker& checker, FileId file, std::string_view name) {
    return std::ranges::any_of(checker.diagnostics.all(), [&](const Diagnostic& d) {
        return d.code.starts_with("E01") && d.span.file == file &&
               has_word(checker.sources.line(file, checker.sources.position(file, d.span.begin).line), name);
    });
}

}  // namespace

void say_unknown(Body& b, Span at, const std::string& text) {
    if (!b.unknown_names.insert(text).second || b.checker.is_broken_line(at)) return;
    if (is_on_broken_line(b.checker, at.file, text)) return;
    auto& d = b.error("E0201", at, fmt::format("there is no `{}`", text));
    constexpr size_t kMostGuesses = 100;  // each takes time, and no more than a few are ever shown
    if (b.unknown_names.size() > kMostGuesses) return;
    std::vector<std::string> candidates = b.checker.names_of(b.instance.module);
    for (const auto& [known, id] : b.names) candidates.push_back(known);
    for (const SymbolInfo& known : b.instance.symbols) candidates.push_back(known.name);
    for (const auto& [known, unused] : b.fixed) candidates.push_back(known);
    // As other languages write them.
    constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kFamiliar{
        {{"true", "True"}, {"false", "False"}, {"none", "None"}, {"null", "None"}, {"nil", "None"}}};
    const auto* familiar = std::ranges::find(kFamiliar, text, &std::pair<std::string_view, std::string_view>::first);
    if (familiar != kFamiliar.end()) {
        d.suggest(at, std::string(familiar->second), fmt::format("did you mean `{}`?", familiar->second));
    } else if (text == "ts") {
        d.note("`import tessera as ts` gives the root namespace this name");
    } else if (auto ours = own_spelling(text)) {
        d.suggest(at, std::string(*ours), fmt::format("here this is `{}`", *ours));
    } else if (auto hint = foreign_hint(text)) {
        d.note(std::string(*hint));
    } else if (auto near = nearest(text, candidates)) {
        d.suggest(at, *near, fmt::format("did you mean `{}`?", *near));
    }
}

}  // namespace tsr::sema
