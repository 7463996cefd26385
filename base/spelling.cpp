#include <algorithm>
#include <numeric>

#include "base/diagnostics.h"

namespace tsr {

namespace {

// Edits (insert, delete, replace, swap of neighbours) that turn a word into another: Damerau's distance, restricted
// form.
class EditDistance {
public:
    // More than `limit` as soon as it is known to be more.
    size_t operator()(std::string_view a, std::string_view b, size_t limit) {
        for (auto* row : {&before_, &last_, &row_}) row->resize(b.size() + 1);
        std::iota(last_.begin(), last_.end(), size_t{0});
        for (size_t i = 1; i <= a.size(); ++i) {
            row_[0] = i;
            for (size_t j = 1; j <= b.size(); ++j) {
                row_[j] = std::min({last_[j] + 1, row_[j - 1] + 1, last_[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
                if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                    row_[j] = std::min(row_[j], before_[j - 2] + 1);
            }
            // A swap looks two rows back, so that two rows have to be past the limit.
            if (*std::ranges::min_element(row_) > limit && *std::ranges::min_element(last_) > limit) return limit + 1;
            before_.swap(last_);
            last_.swap(row_);
        }
        return last_[b.size()];
    }

private:
    std::vector<size_t> before_, last_, row_;
};

}  // namespace

std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& candidates) {
    // A short word is near to every other short one.
    size_t limit = word.size() <= 3 ? 1 : word.size() <= 5 ? 2 : 3;
    const std::string* best = nullptr;
    EditDistance edit_distance;
    for (const std::string& candidate : candidates) {
        if (candidate == word) continue;
        // As many edits at least as the lengths differ: a name of a million letters is not compared with anything.
        size_t difference = std::max(word.size(), candidate.size()) - std::min(word.size(), candidate.size());
        if (difference > limit) continue;
        size_t distance = edit_distance(word, candidate, limit);
        const bool anagram = word.size() <= 3 && std::ranges::is_permutation(word, candidate);
        if (distance < limit || (distance == limit && !best && (word.size() > 3 || anagram))) {
            best = &candidate;
            limit = distance;
        }
    }
    if (!best) return std::nullopt;
    return *best;
}

}  // namespace tsr
