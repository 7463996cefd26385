#include "ir/ops/same_code.h"

#include <algorithm>
#include <bit>
#include <vector>

namespace tsr::ir {

namespace {

class Comparer {
public:
    Comparer(const Function& a, const Function& b) : a_(a), b_(b), in_b_(a.value_count()) {}

    bool regions(RegionId x, RegionId y) {
        const Region &one = a_.region(x), &other = b_.region(y);
        return one.ops.size() == other.ops.size() && defined(one.args, other.args) &&
               std::ranges::equal(one.ops, other.ops, [&](OpId p, OpId q) { return ops(p, q); });
    }

private:
    // Values that both define at the same place: they stand for each other from here on.
    bool defined(const std::vector<ValueId>& xs, const std::vector<ValueId>& ys) {
        return std::ranges::equal(xs, ys, [&](ValueId x, ValueId y) {
            in_b_[x.index] = y;
            return a_.type(x) == b_.type(y) && a_.value(x).role == b_.value(y).role;
        });
    }

    bool ops(OpId x, OpId y) {
        const Op &one = a_.op(x), &other = b_.op(y);
        const auto operand = [&](ValueId p, ValueId q) { return in_b_[p.index] == q; };
        const auto attr = [](const auto& p, const auto& q) {
            return p.first == q.first && same_value(p.second, q.second);
        };
        return one.kind == other.kind && std::ranges::equal(one.operands, other.operands, operand) &&
               std::ranges::equal(one.attrs, other.attrs, attr) && defined(one.results, other.results) &&
               std::ranges::equal(one.regions, other.regions, [&](RegionId p, RegionId q) { return regions(p, q); });
    }

    const Function &a_, &b_;
    std::vector<ValueId> in_b_;  // for values of a
};

}  // namespace

bool same_value(const AttrValue& a, const AttrValue& b) {
    const auto *x = std::get_if<double>(&a), *y = std::get_if<double>(&b);
    return x != nullptr && y != nullptr ? std::bit_cast<uint64_t>(*x) == std::bit_cast<uint64_t>(*y) : a == b;
}

bool same_code(const Function& a, const Function& b) {
    return a.level == b.level && a.symbols == b.symbols && a.results == b.results &&
           a.scratch_bytes == b.scratch_bytes && Comparer(a, b).regions(a.body, b.body);
}

}  // namespace tsr::ir
