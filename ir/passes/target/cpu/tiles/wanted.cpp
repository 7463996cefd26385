#include "ir/passes/target/cpu/tiles/wanted.h"

#include <algorithm>

#include "ir/build/builder.h"
#include "ir/ops/register.h"

namespace tsr::ir {

namespace {

class Follower {
public:
    Follower(const Function& kernel, const Uses& uses, const Type& tile) : kernel_(kernel), uses_(uses), tile_(tile) {}

    // False where the value is seen by something else than a store.
    bool follow(ValueId value) {
        if (kernel_.type(value).shape != tile_.shape) return false;
        if (std::ranges::find(seen_, value) != seen_.end()) return true;
        seen_.push_back(value);
        return std::ranges::all_of(uses_.of(value), [&](OpId user) { return through(user, value); });
    }

    std::vector<OpId> stores;

private:
    bool through(OpId user, ValueId value) {
        const Op& op = kernel_.op(user);
        if (op.kind == OpKind::store_tile) {
            if (TileViewOp(kernel_, user).value() != value) return false;
            if (std::ranges::find(stores, user) == stores.end()) stores.push_back(user);
            return true;
        }
        if (is_element(op.kind)) return follow(op.results.front());
        if (is_product(op)) {
            const MmaOp product(kernel_, user);
            return product.accumulator() == value && product.a() != value && product.b() != value &&
                   follow(product.result());
        }
        if (op.kind == OpKind::for_) return carried(op, value);
        if (op.kind == OpKind::yield) return yielded(op, value);
        return false;
    }

    // A loop starts with it: the loop's argument and result.
    bool carried(const Op& loop, ValueId value) {
        const size_t bounds = loop.operands.size() - loop.results.size();
        for (size_t i = 0; i < loop.operands.size(); ++i) {
            if (loop.operands[i] == value && (i < bounds || !joins(loop, i - bounds))) return false;
        }
        return true;
    }

    bool yielded(const Op& yield, ValueId value) {
        const OpId parent = kernel_.region(yield.parent).parent;
        if (!parent.valid() || kernel_.op(parent).kind != OpKind::for_) return false;
        for (size_t i = 0; i < yield.operands.size(); ++i) {
            if (yield.operands[i] == value && !joins(kernel_.op(parent), i)) return false;
        }
        return true;
    }

    bool joins(const Op& loop, size_t number) {
        const auto& arguments = kernel_.region(loop.regions.front()).args;
        return follow(loop.results[number]) && follow(arguments[arguments.size() - loop.results.size() + number]);
    }

    const Function& kernel_;
    const Uses& uses_;
    const Type& tile_;
    std::vector<ValueId> seen_;
};

}  // namespace

std::vector<OpId> stores_of(const Function& kernel, const Uses& uses, ValueId tile) {
    const Type& type = kernel.type(tile);
    Follower follower(kernel, uses, type);
    if (type.rank() != 2 || !follower.follow(tile)) return {};
    return std::move(follower.stores);
}

}  // namespace tsr::ir
