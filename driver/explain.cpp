// `tesserac explain E0301`: the rule behind a diagnostic, from docs/errors.
#include <algorithm>
#include <cctype>

#include <fmt/core.h>

#include "base/diagnostics.h"
#include "driver/commands.h"
#include "driver/output.h"
#include "driver/pages.h"

namespace tsr::driver {

std::string page_title(std::string_view code) {
    for (const Page& page : error_pages()) {
        if (page.code != code) continue;
        auto line = page.text.substr(0, page.text.find('\n'));
        auto colon = line.find(": ");
        return std::string(colon == std::string_view::npos ? line : line.substr(colon + 2));
    }
    return {};
}

int explain(const Options& options) {
    std::string code = options.input;
    std::ranges::transform(code, code.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    std::vector<std::string> known;
    for (const Page& page : error_pages()) {
        if (page.code == code) {
            auto wrong = write_stdout(page.text);
            if (wrong.empty()) return 0;
            fmt::print(stderr, "tesserac: {}\n", wrong);
            return 1;
        }
        known.emplace_back(page.code);
    }
    auto meant = nearest(code, known);
    fmt::print(stderr, "tesserac: there is no diagnostic `{}`{}\n", options.input,
               meant ? fmt::format("; did you mean `{}`?", *meant) : "");
    return kUsageError;
}

}  // namespace tsr::driver
