#include "driver/reduction.h"

#include <algorithm>
#include <unordered_set>
#include <vector>

#include "driver/smaller_texts.h"

namespace tsr::driver {

namespace {

class Reduction {
public:
    Reduction(std::string program, const std::function<bool(const std::string&)>& shows)
        : text_(std::move(program)), shows_(shows) {}

    std::string smallest() {
        for (bool again = true; again;) {
            const std::string before = text_;
            remove_statements();
            // Comments cost tries and hide nothing: all of them, else as many as can go.
            remove_most(SmallerTexts(text_).unread_lines(), "");
            simplify([](const SmallerTexts& texts) {
                std::vector<std::vector<Edit>> each;
                for (Edit& edit : texts.simpler_statements()) each.push_back({std::move(edit)});
                return each;
            });
            simplify([](const SmallerTexts& texts) { return texts.simpler_expressions(); });
            again = text_ != before;
        }
        return text_;
    }

private:
    // Takes a smaller program that still shows what is looked for.
    bool take(std::string candidate) {
        if (candidate == text_ || !tried_.insert(candidate).second || !shows_(candidate)) return false;
        text_ = std::move(candidate);
        return true;
    }

    void remove_statements() {
        for (size_t block = 0;; ++block) {
            const std::vector<BlockEdits> blocks = SmallerTexts(text_).blocks();
            if (block >= blocks.size()) return;
            remove_most(blocks[block].removals, blocks[block].may_be_empty ? "" : "pass");
        }
    }

    // Applies as many of these edits as can go together: large groups of neighbours first, from the end, since what
    // stands later uses what stands earlier. What goes last is replaced by `instead`.
    void remove_most(const std::vector<Edit>& edits, const std::string& instead) {
        const std::string whole = text_;
        std::vector<bool> gone(edits.size(), false);
        const auto without = [&](const std::vector<bool>& removed) {
            std::vector<Edit> made;
            for (size_t i = 0; i < edits.size(); ++i) {
                if (removed[i]) made.push_back(edits[i]);
            }
            if (made.size() == edits.size() && !instead.empty()) {
                Edit& first = made.front();
                const size_t word = whole.find_first_not_of(" \t", first.begin);
                const bool lines = first.text.empty();
                if (lines) first.text = whole.substr(first.begin, word - first.begin) + instead + "\n";
            }
            return applied(whole, made);
        };
        for (size_t size = edits.size(); size > 0; size /= 2) {
            for (size_t end = edits.size(); end > 0; end -= std::min(end, size)) {
                std::vector<bool> removed = gone;
                std::fill(removed.begin() + static_cast<ptrdiff_t>(end - std::min(end, size)),
                          removed.begin() + static_cast<ptrdiff_t>(end), true);
                if (removed != gone && take(without(removed))) gone = removed;
            }
        }
    }

    // Tries the alternatives for each place in turn; where one holds, the place is looked at again.
    template <typename Find>
    void simplify(Find find) {
        for (size_t place = 0;;) {
            const std::vector<std::vector<Edit>> places = find(SmallerTexts(text_));
            bool changed = false;
            for (; place < places.size() && !changed; place += changed ? 0 : 1) {
                changed =
                    std::ranges::any_of(places[place], [&](const Edit& edit) { return take(applied(text_, {edit})); });
            }
            if (!changed) return;
        }
    }

    std::string text_;
    const std::function<bool(const std::string&)>& shows_;
    std::unordered_set<std::string> tried_;
};

}  // namespace

std::string reduced(std::string program, const std::function<bool(const std::string&)>& shows) {
    return Reduction(std::move(program), shows).smallest();
}

}  // namespace tsr::driver
