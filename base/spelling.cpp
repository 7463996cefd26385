#include <algorithm>
#include <numeric>

#include "base/diagnostics.h"

namespace tsr {

namespace {

// Edits (insert, delete, replace, swap of neighbours) that turn `a` into `b`: Damerau's distance, restricted form.
size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
    std::iota(last.begin(), last.end(), size_t{0});
    for (size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (size_t j = 1; j <= b.size(); ++j) {
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
        }
        before.swap(last);
        last.swap(row);
    }
    return last[b.size()];
}

}  // namespace

std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& candidates) {
    size_t limit = word.size() <= 2 ? 1 : word.size() <= 5 ? 2 : 3;
    const std::string* best = nullptr;
    for (const std::string& candidate : candidates) {
        if (candidate == word) continue;
        // As many edits at least as the lengths differ: a name of a million letters is not compared with anything.
        size_t difference = std::max(word.size(), candidate.size()) - std::min(word.size(), candidate.size());
        if (difference > limit) continue;
        size_t distance = edit_distance(word, candidate);
        if (distance < limit || (distance == limit && !best && word.size() > 2)) {
            best = &candidate;
            limit = distance;
        }
    }
    if (!best) return std::nullopt;
    return *best;
}

}  // namespace tsr
