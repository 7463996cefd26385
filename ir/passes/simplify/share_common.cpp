#include <string>
#include <unordered_map>

#include "ir/core/spell.h"
#include "ir/passes/simplify/rewrite.h"
#include "ir/passes/simplify/simplify.h"

namespace tsr::ir {

namespace {

class Sharer {
public:
    explicit Sharer(Function& function) : fn_(function), replaced_(function) {}

    bool run() {
        for (RegionId root : roots(fn_)) region(root);
        replaced_.apply();
        return replaced_.any();
    }

private:
    // All that decides what a pure operation gives. As text: 0.0 and -0.0 are equal as numbers, and two values.
    std::string key(const Op& op) const {
        std::string text(name(op.kind));
        for (ValueId operand : op.operands) text += " " + std::to_string(replaced_.of(operand).index);
        for (const auto& [attr, value] : op.attrs) text += " " + std::string(name(attr)) + spell(value);
        for (ValueId result : op.results) text += " " + fn_.type(result).text();
        return text;
    }

    // What a region defines is forgotten behind it.
    void region(RegionId id) {
        std::vector<std::string> added;
        std::vector<OpId> kept;
        for (OpId op : fn_.region(id).ops) {
            for (RegionId inner : fn_.op(op).regions) region(inner);
            if (is_repeated(op, added)) {
                fn_.op(op).parent = {};
            } else {
                kept.push_back(op);
            }
        }
        fn_.region(id).ops = std::move(kept);
        for (const std::string& what : added) met_.erase(what);
    }

    bool is_repeated(OpId id, std::vector<std::string>& added) {
        const Op& op = fn_.op(id);
        if (!op.regions.empty() || op.results.empty() || !record(op.kind).pure()) return false;
        std::string what = key(op);
        auto [at, is_new] = met_.emplace(what, id);
        if (is_new) {
            added.push_back(std::move(what));
            return false;
        }
        const Op& first = fn_.op(at->second);
        for (size_t i = 0; i < op.results.size(); ++i) replaced_.add(op.results[i], first.results[i]);
        return true;
    }

    Function& fn_;
    Replacements replaced_;
    std::unordered_map<std::string, OpId> met_;
};

}  // namespace

bool share_common(Function& function) { return Sharer(function).run(); }

}  // namespace tsr::ir
