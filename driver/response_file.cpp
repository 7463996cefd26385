#include "driver/response_file.h"

#include <fmt/core.h>

#include "base/sources.h"

namespace tsr::driver {

namespace {

bool is_separator(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

}  // namespace

Result<std::vector<std::string>> split_words(std::string_view text) {
    std::vector<std::string> words;
    size_t at = 0;
    while (true) {
        while (at < text.size() && is_separator(text[at])) ++at;
        if (at == text.size()) return words;
        if (text[at] == '#') {
            at = std::min(text.find('\n', at), text.size());
            continue;
        }
        std::string& word = words.emplace_back();
        char quote = 0;
        for (; at < text.size() && (quote != 0 || !is_separator(text[at])); ++at) {
            const char c = text[at];
            if (c == quote)
                quote = 0;
            else if (quote == 0 && (c == '\'' || c == '"'))
                quote = c;
            else if (c == '\\' && quote != '\'' && at + 1 < text.size())
                word += text[++at];
            else
                word += c;
        }
        if (quote != 0) return Failure{fmt::format("a {} is not closed", quote)};
    }
}

Result<std::vector<std::string>> read_response_file(const std::string& path) {
    Sources sources;
    auto file = sources.load(path);
    if (!file) return Failure{file.message()};
    auto words = split_words(sources.text(file.value()));
    if (!words) return Failure{fmt::format("in '{}', {}", path, words.message())};
    return words;
}

}  // namespace tsr::driver
