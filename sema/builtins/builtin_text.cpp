// How a name of the root namespace is shown to people.
#include <cctype>

#include <fmt/format.h>

#include "sema/builtins/builtins.h"

namespace tsr::sema {

std::string signature(const BuiltinEntry& row) {
    if (row.is_value) return row.paths.front();
    std::string parameters;
    bool open = true;  // arguments by position may still follow
    auto add = [&](const std::string& text) { parameters += (parameters.empty() ? "" : ", ") + text; };
    for (const BuiltinParameter& p : row.parameters) {
        if (p.variadic) {
            add("*" + p.name);
            open = false;
            continue;
        }
        if (p.keyword_only && open) add("*");
        if (p.keyword_only) open = false;
        if (p.extents) {
            add("*" + p.name);
            continue;
        }
        add(p.optional ? p.name + "=…" : p.name);
    }
    return fmt::format("{}({})", row.paths.front(), parameters);
}

std::string usage(const BuiltinEntry& row) {
    std::vector<std::string_view> places;
    if (row.in_kernel) places.emplace_back("in kernels");
    if (row.in_graph) places.emplace_back("in `@jit` functions");
    if (row.on_host) places.emplace_back("on the host");
    std::string text;
    for (size_t i = 0; i < places.size(); ++i)
        text += fmt::format("{}{}", i == 0 ? "" : i + 1 == places.size() ? " and " : ", ", places[i]);
    text += ".";
    text[0] = static_cast<char>(std::toupper(text[0]));
    for (size_t i = 1; i < row.paths.size(); ++i) {
        text += fmt::format("{}`{}`", i == 1 ? " Also written " : ", ", row.paths[i]);
    }
    return row.paths.size() > 1 ? text + "." : text;
}

}  // namespace tsr::sema
