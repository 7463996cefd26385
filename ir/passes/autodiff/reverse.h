// Cotangents, backwards through the operations of a function.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "base/diagnostics.h"
#include "ir/passes/autodiff/activity.h"
#include "ir/passes/autodiff/control.h"
#include "ir/passes/autodiff/custom.h"

namespace tsr::ir::autodiff {

// `chosen`: it came here through a choice, by element operations and what moves elements alone. `scale`: the value is
// the cotangent times this (`@loss_scale`). What is linear passes it on as it is, so that narrow floats hold it.
struct Cotangent {
    ValueId value;
    bool chosen = false;
    std::optional<ValueId> scale;
};

class Reverse {
public:
    Reverse(Function& fn, Activity& active, Diagnostics& said, const Functions& functions)
        : fn_(fn), active_(active), said_(said), functions_(functions) {}

    // One more part of a value's cotangent; of what derivatives do not pass through nothing is kept.
    void add(Builder& at, ValueId to, const Cotangent& more);
    // The cotangent of a value, divided by what it was multiplied with.
    [[nodiscard]] std::optional<Cotangent> read(Builder& at, ValueId value);
    // The operations from the last on; what the builder makes stands behind them. False after a message.
    bool walk(Builder& at, const std::vector<OpId>& ops);

private:
    [[nodiscard]] std::optional<Cotangent> of(ValueId value) const;  // as it is stored
    static Cotangent unscaled(Builder& at, const Cotangent& g);
    void stored(Builder& at, OpId id);
    bool pass(Builder& at, OpId id);
    void element(Builder& at, OpId id, size_t operand, const Cotangent& g);
    bool called(Builder& at, OpId id);
    bool branch(Builder& at, OpId id);
    bool loop(Builder& at, OpId id);
    struct Rounds;
    struct KeptLoop;
    Rounds rounds_of(OpId id);
    KeptLoop keep(OpId id, const Rounds& rounds);
    std::optional<Values> through(Builder& at, RegionId region, const ValueMap& arguments,
                                  const std::vector<std::optional<Cotangent>>& yields, const Values& wanted);

    Function& fn_;
    Activity& active_;
    Diagnostics& said_;
    const Functions& functions_;
    std::map<ValueId, Cotangent> cotangents_;
};

}  // namespace tsr::ir::autodiff
