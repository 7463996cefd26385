#include "ir/passes/target/cpu/hoist_gathers.h"

#include <algorithm>
#include <unordered_map>

#include "ir/build/clone.h"
#include "ir/ops/effects.h"
#include "ir/ops/element.h"
#include "ir/ops/memory.h"
#include "ir/passes/target/cpu/lanes/uniformity.h"
#include "ir/passes/tile/walk.h"

namespace tsr::ir {

namespace {

// A gather in a loop is moved when its indices are the same in every iteration and the loop does not write its memory.
// Other memories are different ones: a tensor that a kernel writes overlaps no other tensor of the launch. Nobody else
// writes it meanwhile either: that would be a race.
//
// Where it stands in the loop it may be reached under a condition, or never: its index may then be anything. Before the
// loop it is therefore done only where the index is inside of the memory, and gives 0 elsewhere. A lane that reaches
// the gather in the loop has an index inside (an element outside of its memory is undefined), so that it uses what was
// read; what the other lanes have is not used.
class Hoister {
public:
    explicit Hoister(Function& kernel) : kernel_(kernel), differs_(find_differing(kernel)) {}

    bool run() {
        std::vector<OpId> regions;
        walk(kernel_, kernel_.body, [&](OpId id) {
            if (kernel_.op(id).kind == OpKind::lanes) regions.push_back(id);
        });
        for (OpId lanes : regions) {
            lanes_ = lanes;
            loops_in(kernel_.op(lanes).regions[0]);
        }
        return moved_any_;
    }

private:
    // Outer loops first: what is the same in all iterations of both is moved at once before the outer one.
    void loops_in(RegionId region) {
        for (OpId id : std::vector<OpId>(kernel_.region(region).ops)) {
            const OpKind kind = kernel_.op(id).kind;
            if (kind == OpKind::for_ || kind == OpKind::while_) hoist_from(id);
            for (RegionId inner : std::vector<RegionId>(kernel_.op(id).regions)) loops_in(inner);
        }
    }

    void hoist_from(OpId loop) {
        loop_ = loop;
        written_.clear();
        same_.clear();
        moved_.clear();
        for (ValueId memory : touches(kernel_, loop).writes) written_.push_back(memory_root(kernel_, memory));
        std::vector<OpId> gathers;
        for (RegionId region : kernel_.op(loop).regions) {
            walk(kernel_, region, [&](OpId id) {
                if (is_gather(kernel_.op(id)) && is_same(kernel_.op(id).results[0])) gathers.push_back(id);
            });
        }
        if (gathers.empty()) return;
        moved_any_ = true;
        std::vector<ValueId> replacement(kernel_.value_count());
        for (OpId gather : gathers) {
            const ValueId old = kernel_.op(gather).results[0];
            replacement[old.index] = before_loop(old);
        }
        for (OpId gather : gathers) kernel_.remove(gather);
        replacement.resize(kernel_.value_count());
        kernel_.replace_uses(replacement);
    }

    [[nodiscard]] bool differs(ValueId v) const { return v.index < differs_.size() && differs_[v.index]; }

    // The lanes' own number, and what is a constant away from it: such elements are neighbours in memory.
    [[nodiscard]] bool is_consecutive(ValueId v) const {
        if (!kernel_.value(v).op.valid()) return v == kernel_.region(kernel_.op(lanes_).regions[0]).args.back();
        const Op& op = kernel_.op(kernel_.value(v).op);
        if (op.kind == OpKind::cast) return is_consecutive(CastOp(kernel_, op).from());
        if (op.kind != OpKind::add && op.kind != OpKind::sub) return false;
        const BinaryOp sum(kernel_, op);
        if (op.kind == OpKind::add && !differs(sum.lhs())) return is_consecutive(sum.rhs());
        return !differs(sum.rhs()) && is_consecutive(sum.lhs());
    }

    [[nodiscard]] bool is_gather(const Op& op) const {
        if (op.kind != OpKind::read) return false;
        const ValueSpan indices = ReadOp(kernel_, op).indices();
        if (indices.empty()) return false;
        const bool rows = std::ranges::any_of(indices.first(indices.size() - 1), [&](ValueId v) { return differs(v); });
        return rows || (differs(indices.back()) && !is_consecutive(indices.back()));
    }

    [[nodiscard]] bool is_outside(ValueId v) const {
        const OpId from = defining_op(kernel_, v);
        return !from.valid() || !stands_below(kernel_, from, loop_);
    }

    // True where the value is the same in every iteration, and can be computed before the first.
    bool is_same(ValueId v) {
        if (is_outside(v)) return true;
        if (auto known = same_.find(v); known != same_.end()) return known->second;
        return same_[v] = is_made_of_same(v);
    }

    // From outside of the loop, which does not write it.
    bool is_same_memory(ValueId memory) {
        return is_outside(memory) && std::ranges::find(written_, memory_root(kernel_, memory)) == written_.end();
    }

    bool is_made_of_same(ValueId v) {
        const OpId from = kernel_.value(v).op;
        if (!from.valid()) return false;
        const Op& op = kernel_.op(from);
        const bool element = is_element(op.kind) || op.kind == OpKind::constant || op.kind == OpKind::dim;
        return (element || (op.kind == OpKind::read && is_same_memory(ReadOp(kernel_, op).memory()))) &&
               std::ranges::all_of(op.operands, [&](ValueId operand) { return is_same(operand); });
    }

    // The value, computed before the loop.
    ValueId before_loop(ValueId v) {
        Cloner cloner(kernel_, kernel_, moved_);
        cloner.names = false;
        cloner.outside = [&](ValueId value) { return is_outside(value) ? value : ValueId(); };
        cloner.replaces = [&](Builder& at, OpId id) {
            if (kernel_.op(id).kind != OpKind::read) return false;
            const ReadOp read(kernel_, id);
            const ValueId memory = before_loop(read.memory());
            Values indices;
            for (ValueId index : read.indices()) indices.push_back(before_loop(index));
            at.take_place(id);
            moved_[read.result()] = guarded(at, memory, indices);
            return true;
        };
        Builder at = Builder::at(kernel_, loop_);
        return cloner.value(at, v);
    }

    ValueId guarded(Builder& builder, ValueId memory, const Values& indices) {
        const Type type = kernel_.type(memory);
        ValueId inside = builder.boolean(true);
        for (size_t axis = 0; axis < indices.size(); ++axis) {
            const ValueId index = builder.cast(indices[axis], DType::index);
            inside = builder.bit_and(inside, builder.ge(index, builder.index(0)));
            inside = builder.bit_and(inside, builder.lt(index, builder.dim(type.shape[axis])));
        }
        const OpId made = builder.if_(
            inside, [&](Builder& then) { return Values{then.read(memory, indices)}; },
            [&](Builder& otherwise) { return Values{otherwise.constant(0, type.elem)}; });
        return kernel_.op(made).results[0];
    }

    Function& kernel_;
    std::vector<bool> differs_;
    OpId lanes_, loop_;
    std::vector<ValueId> written_;            // the memories that the loop writes
    std::unordered_map<ValueId, bool> same_;  // of the loop, as far as asked
    ValueMap moved_;                          // what stands before the loop for a value of it
    bool moved_any_ = false;
};

}  // namespace

bool hoist_gathers(Function& kernel) { return Hoister(kernel).run(); }

}  // namespace tsr::ir
