// Tangents, forwards through the operations of a function.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "base/diagnostics.h"
#include "ir/passes/autodiff/activity.h"
#include "ir/passes/autodiff/control.h"
#include "ir/passes/autodiff/custom.h"

namespace tsr::ir::autodiff {

class Forward {
public:
    Forward(Function& fn, Activity& active, Diagnostics& said, const Functions& functions)
        : fn_(fn), active_(active), said_(said), functions_(functions) {}

    void set(ValueId value, ValueId tangent) { tangents_[value] = tangent; }
    [[nodiscard]] std::optional<ValueId> of(ValueId value) const;
    // Each operation is followed by what moves its results; a loop or choice becomes one that does both. False after a
    // message.
    bool walk(const std::vector<OpId>& ops);

private:
    bool pass(OpId id);
    std::optional<ValueId> element(Builder& at, OpId id, const std::vector<std::optional<ValueId>>& given);
    bool called(OpId id);
    bool branch(OpId id);
    bool loop(OpId id);
    // The copy of a region, with the tangents of those of its values that are `moving` behind what it yields.
    Values through(Builder& at, RegionId region, const ValueMap& arguments, const std::vector<size_t>& moving);
    // The tangent, or zeros.
    ValueId moved(Builder& at, ValueId value);
    // In place of the operation; the results behind those it had are tangents.
    void replace(OpId id, OpId by, const std::vector<size_t>& moving);

    Function& fn_;
    Activity& active_;
    Diagnostics& said_;
    const Functions& functions_;
    std::map<ValueId, ValueId> tangents_;
    std::map<ValueId, ValueId> replaced_;  // results of loops and choices, by those of what stands in their place
    bool ok_ = true;
};

}  // namespace tsr::ir::autodiff
