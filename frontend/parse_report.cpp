#include "frontend/parse_report.h"

#include <algorithm>
#include <iterator>
#include <map>

namespace tsr {

// More than this many broken lines are not a program; the rest is left out.
static constexpr size_t kMostMessages = 200;

void SyntaxReport::finish(const std::vector<uint32_t>& lines, Diagnostics& diagnostics) && {
    auto line_of = [&](const Diagnostic& d) { return std::ranges::upper_bound(lines, d.span.begin) - lines.begin(); };
    std::map<std::ptrdiff_t, Diagnostic*> first;
    for (auto* group : {&words_, &lines_, &sentences_}) {
        std::ranges::stable_sort(*group, {}, [](const Diagnostic& d) { return d.span.begin; });
        for (Diagnostic& d : *group) first.try_emplace(line_of(d), &d);
    }
    size_t given = 0;
    for (auto& [line, kept] : first) {
        if (++given > kMostMessages) break;
        Diagnostic& out = diagnostics.error(kept->code, kept->span, kept->message);
        out.labels = std::move(kept->labels);
        out.notes = std::move(kept->notes);
        out.fix = std::move(kept->fix);
    }
}

}  // namespace tsr
