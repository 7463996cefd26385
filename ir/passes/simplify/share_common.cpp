#include <algorithm>
#include <bit>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/core/spell.h"
#include "ir/ops/same_code.h"
#include "ir/passes/simplify/rewrite.h"
#include "ir/passes/simplify/simplify.h"

namespace tsr::ir {

namespace {

// An operation that the ones behind it may repeat.
struct Met {
    size_t hash;
    OpId op;
};

class Sharer {
public:
    explicit Sharer(Function& function) : fn_(function), replaced_(function) {}

    bool run() {
        for (RegionId root : roots(fn_)) region(root);
        replaced_.apply();
        return replaced_.any();
    }

private:
    // ---- what a pure operation gives ----
    // Equal for what `same_value` says is the same.
    static size_t hash_of(const AttrValue& value) {
        if (const auto* number = std::get_if<int64_t>(&value)) return std::hash<int64_t>()(*number);
        if (const auto* real = std::get_if<double>(&value))
            return std::hash<uint64_t>()(std::bit_cast<uint64_t>(*real));
        if (const auto* type = std::get_if<DType>(&value)) return static_cast<size_t>(*type);
        return std::hash<std::string>()(spell(value));
    }

    size_t hash_of(const Op& op) const {
        auto hash = static_cast<size_t>(op.kind);
        const auto mix = [&hash](size_t more) { hash = (hash ^ more) * 0x9e37'79b9'7f4a'7c15 + (hash >> 29); };
        for (ValueId operand : op.operands) mix(replaced_.of(operand).index);
        for (const auto& [attr, value] : op.attrs) {
            mix(static_cast<size_t>(attr));
            mix(hash_of(value));
        }
        return hash;
    }

    bool same(const Op& a, const Op& b) const {
        const auto same_attr = [](const auto& x, const auto& y) {
            return x.first == y.first && same_value(x.second, y.second);
        };
        const auto same_operand = [&](ValueId x, ValueId y) { return replaced_.of(x) == replaced_.of(y); };
        const auto same_type = [&](ValueId x, ValueId y) { return fn_.type(x) == fn_.type(y); };
        return a.kind == b.kind && std::ranges::equal(a.operands, b.operands, same_operand) &&
               std::ranges::equal(a.attrs, b.attrs, same_attr) && std::ranges::equal(a.results, b.results, same_type);
    }

    // What a region defines is forgotten behind it.
    void region(RegionId id) {
        std::vector<Met> added;
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
        for (const Met& met : added) {
            auto [at, end] = met_.equal_range(met.hash);
            met_.erase(std::find_if(at, end, [&](const auto& one) { return one.second == met.op; }));
        }
    }

    bool is_repeated(OpId id, std::vector<Met>& added) {
        const Op& op = fn_.op(id);
        if (!op.regions.empty() || op.results.empty() || !record(op.kind).pure()) return false;
        const size_t hash = hash_of(op);
        const auto [begin, end] = met_.equal_range(hash);
        const auto found = std::find_if(begin, end, [&](const auto& one) { return same(fn_.op(one.second), op); });
        if (found == end) {
            met_.emplace(hash, id);
            added.push_back({hash, id});
            return false;
        }
        const Op& first = fn_.op(found->second);
        for (size_t i = 0; i < op.results.size(); ++i) replaced_.add(op.results[i], first.results[i]);
        return true;
    }

    Function& fn_;
    Replacements replaced_;
    std::unordered_multimap<size_t, OpId> met_;  // by hash
};

}  // namespace

bool share_common(Function& function) { return Sharer(function).run(); }

}  // namespace tsr::ir
