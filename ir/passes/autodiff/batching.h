// The walk that writes a batched function; what its rules are given.
#pragma once

#include <optional>
#include <vector>

#include "ir/build/builder.h"
#include "ir/build/clone.h"
#include "ir/passes/autodiff/varying.h"

namespace tsr::ir::autodiff {

class Batching {
public:
    Batching(const Function& from, Function& to, Dim examples, const Varying& varying)
        : from_(from), to_(to), examples_(std::move(examples)), varying_(varying) {}

    // The operations of a region; what it yields.
    Values region(Builder& at, RegionId region);
    void set(ValueId old, ValueId made) { values_[old] = made; }

    // ---- for rules: of values of the function that is batched ----
    [[nodiscard]] const Function& from() const { return from_; }
    [[nodiscard]] const Op& op(OpId id) const { return from_.op(id); }
    [[nodiscard]] bool varies(ValueId value) const { return varying_.has(value); }
    // As it is: with an axis of examples where it varies.
    [[nodiscard]] ValueId of(ValueId value) const { return values_.at(value); }
    // Repeated for all examples where it is the same for all.
    ValueId spread(Builder& at, ValueId value);
    // A value with an axis of examples alone, for each element of the shape.
    ValueId each(Builder& at, ValueId value, const std::vector<Dim>& shape);
    // The shape behind the axis of examples.
    [[nodiscard]] std::vector<Dim> with_examples(const std::vector<Dim>& shape) const;
    [[nodiscard]] Type with_examples(const Type& type) const;
    [[nodiscard]] const Dim& examples() const { return examples_; }

private:
    void operation(Builder& at, OpId id);
    void element(Builder& at, OpId id);
    void stored(Builder& at, OpId id);
    void bind(Builder& at, OpId id);
    void branch(Builder& at, OpId id);
    void both_sides(Builder& at, OpId id);
    void loop(Builder& at, OpId id);
    void one_by_one(Builder& at, OpId id);
    Values wanted(Builder& at, const Values& yields, ValueSpan results);
    Values yields_of(Builder& at, RegionId region, ValueSpan results);

    const Function& from_;
    Function& to_;
    Dim examples_;
    const Varying& varying_;
    ValueMap values_;
};

// What the only result of an operation is with an axis of examples; nothing: it is computed for one example after the
// other.
using BatchRule = std::optional<ValueId> (*)(Batching& batch, Builder& at, OpId op);
BatchRule batch_rule(OpKind kind);  // of an operation on whole tensors; null: one after the other

}  // namespace tsr::ir::autodiff
