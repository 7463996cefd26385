// How a name of the root namespace is shown to people.
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
    std::string text = row.in_kernel && row.on_host ? "In kernels and on the host."
                       : row.in_kernel              ? "In kernels."
                                                    : "On the host.";
    for (size_t i = 1; i < row.paths.size(); ++i) {
        text += fmt::format("{}`{}`", i == 1 ? " Also written " : ", ", row.paths[i]);
    }
    return row.paths.size() > 1 ? text + "." : text;
}

}  // namespace tsr::sema
