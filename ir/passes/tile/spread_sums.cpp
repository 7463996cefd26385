#include "ir/passes/tile/spread_sums.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "ir/build/builder.h"
#include "ir/build/clone.h"
#include "ir/law/reduction.h"
#include "ir/ops/control.h"
#include "ir/ops/effects.h"
#include "ir/ops/reduction.h"
#include "ir/passes/tile/walk.h"

namespace tsr::ir {

namespace {

std::optional<ReduceOp> reduction_of(OpKind kind) {
    for (const ReduceOp op : {ReduceOp::add, ReduceOp::mul, ReduceOp::min, ReduceOp::max}) {
        if (combining(op) == kind) return op;
    }
    if (kind == OpKind::fma) return ReduceOp::add;
    return std::nullopt;
}

// The values that a variable takes within one round of its loop: each is the one before it, combined with something
// that is none of them.
class Chain {
public:
    Chain(const Function& kernel, ValueId begin) : kernel_(kernel) {
        for_each_op(kernel, kernel.body, [&](OpId id) {
            const std::vector<ValueId>& operands = kernel.op(id).operands;
            for (size_t i = 0; i < operands.size(); ++i) users_[operands[i]].push_back({id, i});
        });
        add(begin);
    }

    // `loop` has the variable as its carried value number `number`.
    std::optional<ReduceOp> follow(OpId loop, size_t number) {
        loop_ = loop;
        number_ = number;
        while (!open_.empty()) {
            const ValueId value = open_.back();
            open_.pop_back();
            for (const Use& use : users_[value]) {
                if (!takes(use)) return std::nullopt;
            }
        }
        const ValueId next = ForOp(kernel_, loop).next()[number];
        const auto is_in = [&](ValueId v) { return values_.contains(v); };
        if (!apart_ || !is_in(next) || !std::ranges::all_of(must_be_in_, is_in)) return std::nullopt;
        return how_;
    }

private:
    struct Use {
        OpId op;
        size_t operand;
    };

    void add(ValueId value) {
        apart_ = apart_ && !others_.contains(value);
        if (values_.insert(value).second) open_.push_back(value);
    }

    bool takes(const Use& use) {
        const Op& op = kernel_.op(use.op);
        if (op.kind == OpKind::yield) return takes_yield(op, use.operand);
        if (op.kind == OpKind::for_) return takes_loop(use.op, use.operand);
        const std::optional<ReduceOp> how = reduction_of(op.kind);
        if (!how || (how_ && how_ != how)) return false;
        if (op.kind == OpKind::fma && use.operand != 2) return false;
        for (size_t i = 0; i < op.operands.size(); ++i) {
            if (i == use.operand) continue;
            others_.insert(op.operands[i]);
            apart_ = apart_ && !values_.contains(op.operands[i]);
        }
        how_ = how;
        add(op.results[0]);
        return true;
    }

    // What a branch or an inner loop yields is one of the values in all its regions, or in none.
    bool takes_yield(const Op& op, size_t operand) {
        const OpId parent = kernel_.region(op.parent).parent;
        if (parent == loop_) return operand == number_;
        if (!parent.valid()) return false;
        const Op& around = kernel_.op(parent);
        if (around.kind == OpKind::if_) {
            for (RegionId region : around.regions) must_be_in_.push_back(yielded(kernel_, region)[operand]);
        } else if (around.kind == OpKind::for_) {
            must_be_in_.push_back(around.operands[ForOp::kFirstInit + operand]);
        } else {
            return false;
        }
        add(around.results[operand]);
        return true;
    }

    bool takes_loop(OpId inner, size_t operand) {
        if (operand < ForOp::kFirstInit) return false;
        const size_t carried = operand - ForOp::kFirstInit;
        const ForOp loop(kernel_, inner);
        must_be_in_.push_back(loop.next()[carried]);
        add(loop.carried()[carried]);
        add(loop.results()[carried]);
        return true;
    }

    const Function& kernel_;
    std::unordered_map<ValueId, std::vector<Use>> users_;
    std::unordered_set<ValueId> values_;
    std::unordered_set<ValueId> others_;  // what values are combined with
    std::vector<ValueId> open_, must_be_in_;
    std::optional<ReduceOp> how_;
    bool apart_ = true;  // no value is combined with another one of them
    OpId loop_;
    size_t number_ = 0;
};

bool reduces(const Function& kernel, ValueId value, ReduceOp op) {
    const Type& type = kernel.type(value);
    return type.is_scalar() && !check_reduce(type, {{Attr::op, static_cast<int64_t>(op)}});
}

}  // namespace

std::optional<std::vector<ReduceOp>> combined_variables(const Function& kernel, OpId id) {
    const ForOp loop(kernel, id);
    if (kernel.type(loop.iv()).elem == DType::u64) return std::nullopt;  // an index has a sign
    std::vector<ReduceOp> all;
    for (size_t i = 0; i < loop.results().size(); ++i) {
        const std::optional<ReduceOp> how = Chain(kernel, loop.carried()[i]).follow(id, i);
        if (!how || !reduces(kernel, loop.results()[i], *how)) return std::nullopt;
        all.push_back(*how);
    }
    return all;
}

bool carries_on(const Function& kernel, OpId outer_id, OpId inner_id) {
    const ForOp outer(kernel, outer_id), inner(kernel, inner_id);
    return std::ranges::equal(inner.inits(), outer.carried()) && std::ranges::equal(outer.next(), inner.results());
}

namespace {

class Spreading {
public:
    Spreading(Function& kernel, const std::vector<OpId>& nest)
        : fn_(kernel), nest_(nest), builder_(Builder::at(kernel, nest[0])) {}

    void run() {
        const std::vector<ReduceOp> how = *combined_variables(fn_, nest_[0]);
        Values starts;
        const Values inits(fn_.op(nest_[0]).operands.begin() + ForOp::kFirstInit, fn_.op(nest_[0]).operands.end());
        for (size_t i = 0; i < how.size(); ++i) {
            const DType elem = fn_.type(inits[i]).elem;
            starts.push_back(builder_.value(OpKind::constant, {},
                                            {{Attr::value, reduction_start(how[i], elem)}, {Attr::type, elem}}));
        }
        const ValueId tile = builder_.tile_id();
        const ValueId rounds = count_rounds();
        const ValueId size = builder_.index(fn_.kernel.group_size());
        const ValueId whole = builder_.mul(builder_.floordiv(rounds, size), size);
        const OpId loop = builder_.for_(builder_.index(0), whole, size, starts, {},
                                        [&](Builder& body, ValueId first, const Values& carried) {
                                            return round(body, body.add(first, tile), carried);
                                        });
        Values parts = fn_.op(loop).results;
        const ValueId last = builder_.add(whole, tile);
        const OpId rest = builder_.if_(
            builder_.lt(last, rounds), [&](Builder& body) { return round(body, last, parts); },
            [&](Builder&) { return parts; });
        for (size_t i = 0; i < how.size(); ++i) {
            const ValueId found = builder_.group_reduce(how[i], fn_.op(rest).results[i]);
            fn_.replace_uses(fn_.op(nest_[0]).results[i], builder_.element(combining(how[i]), {inits[i], found}));
        }
        fn_.remove(nest_[0]);
    }

private:
    struct Axis {
        ValueId lower, step, count;
    };

    // A bound, computed before the nest.
    ValueId bound(ValueId value) {
        if (const auto found = outside_.find(value); found != outside_.end()) return found->second;
        const OpId made = fn_.value(value).op;
        if (!made.valid() || !stands_below(fn_, made, nest_[0])) return value;
        Values operands;
        for (ValueId operand : Values(fn_.op(made).operands)) operands.push_back(bound(operand));
        const OpId copy = builder_.emit(fn_.op(made).kind, operands, fn_.op(made).attrs);
        return outside_[value] = fn_.op(copy).results[0];
    }

    // Of each axis and of the nest: ceil((upper - lower) / step) and not below 0, for a step of either sign.
    ValueId count_rounds() {
        ValueId all;
        for (OpId id : nest_) {
            const Values bounds(fn_.op(id).operands.begin(), fn_.op(id).operands.begin() + ForOp::kFirstInit);
            ValueId number[3];
            for (size_t i = 0; i < 3; ++i) number[i] = builder_.cast(bound(bounds[i]), DType::index);
            const auto [lower, upper, step] = number;
            const ValueId quotient = builder_.floordiv(builder_.sub(lower, upper), step);
            const ValueId count = builder_.maximum(builder_.neg(quotient), builder_.index(0));
            axes_.push_back({lower, step, count});
            all = all.valid() ? builder_.mul(all, count) : count;
        }
        return all;
    }

    // One round of the nest, by its number, the last axis fastest: gives what the variables are behind it.
    Values round(Builder& body, ValueId number, const Values& carried) {
        ValueMap values;
        for (size_t i = nest_.size(); i-- > 0;) {
            const ValueId at = i == 0 ? number : body.mod(number, axes_[i].count);
            if (i > 0) number = body.floordiv(number, axes_[i].count);
            const ForOp loop(fn_, nest_[i]);
            const ValueId index = body.add(axes_[i].lower, body.mul(at, axes_[i].step));
            values[loop.iv()] = body.cast(index, fn_.type(loop.iv()).elem);
            const Values own(loop.carried().begin(), loop.carried().end());
            for (size_t variable = 0; variable < own.size(); ++variable) values[own[variable]] = carried[variable];
        }
        Cloner cloner(fn_, fn_, values);
        for (size_t i = 0; i + 1 < nest_.size(); ++i) {
            for (OpId id : std::vector<OpId>(fn_.region(fn_.op(nest_[i]).regions[0]).ops)) {
                if (id != nest_[i + 1] && fn_.op(id).kind != OpKind::yield) cloner.copy(body, id);
            }
        }
        return cloner.contents(body, fn_.op(nest_.back()).regions[0]);
    }

    Function& fn_;
    const std::vector<OpId>& nest_;
    Builder builder_;
    std::vector<Axis> axes_;
    ValueMap outside_;
};

}  // namespace

void spread_sums(Function& kernel, const std::vector<OpId>& nest) { Spreading(kernel, nest).run(); }

}  // namespace tsr::ir
