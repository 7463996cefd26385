// Element operations on one number at a time, by the law of scalars.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "ir/core/function.h"
#include "ir/eval/lane_ops.h"
#include "ir/law/scalar.h"

namespace tsr::ir::eval {

// The formula of one elementary function of one type, run operation by operation. Its bits are what every engine gives:
// the law of scalars fixes those functions only within a bound.
class Formula {
public:
    Formula(OpKind kind, DType type, size_t operands);
    Bits operator()(const Bits* operands);

private:
    void region(RegionId id);
    void op(OpId id);
    void loop(const Op& op);
    void take(const std::vector<ValueId>& to, size_t first, const std::vector<Bits>& values);
    [[nodiscard]] std::vector<Bits> all(const std::vector<ValueId>& values) const;
    [[nodiscard]] const std::vector<ValueId>& yielded(RegionId region) const;

    Function function_;
    std::vector<Bits> values_;
};

// How an element operation of a kernel is computed.
struct Element {
    const Op* op = nullptr;
    DType type = DType::f32, to = DType::f32;
    ScalarFn law = nullptr;  // exact
    Formula* formula = nullptr;
    LaneFn lane = nullptr;  // of `cut`, `dither`, `philox`
    [[nodiscard]] bool known() const { return law != nullptr || formula != nullptr || lane != nullptr || is_table(); }
    [[nodiscard]] bool is_table() const { return op->kind == OpKind::table; }

    Bits operator()(const Bits* operands) const;
};

class Elements {
public:
    // Not `known` where there is no such operation.
    Element find(const Function& function, const Op& op);

private:
    std::map<std::pair<OpKind, DType>, std::unique_ptr<Formula>> formulas_;
};

// Exact operations that the evaluator makes itself: adding, comparing.
Bits exactly(OpKind kind, DType type, Bits a, Bits b);

}  // namespace tsr::ir::eval
