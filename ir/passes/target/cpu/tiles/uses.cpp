#include "ir/passes/target/cpu/tiles/uses.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "ir/ops/axes.h"
#include "ir/ops/control.h"
#include "ir/ops/register.h"
#include "ir/passes/tile/walk.h"

namespace tsr::ir {

Uses::Uses(const Function& kernel) {
    walk(kernel, kernel.body, [&](OpId id) {
        for (ValueId operand : kernel.op(id).operands) uses_[operand].push_back(id);
    });
}

std::vector<int64_t> extents(const Type& tile) {
    std::vector<int64_t> out;
    for (const Dim& extent : tile.shape) out.push_back(*extent.constant_value());
    return out;
}

int64_t element_count(const Type& tile) {
    int64_t count = 1;
    for (int64_t extent : extents(tile)) count *= extent;
    return count;
}

Making making(OpKind kind) {
    switch (axis_rule(kind)) {
        case AxisRule::none:
        case AxisRule::each:
        case AxisRule::move:
            return Making::elsewhere;
        case AxisRule::same:
        case AxisRule::repeat:
        case AxisRule::permute:
        case AxisRule::pack:
            return Making::inlined;
        case AxisRule::drop:
            return Making::summed;
        case AxisRule::along:
        case AxisRule::contract:
            return Making::alone;
        case AxisRule::made:
            break;
    }
    const auto accesses = [&](Access access) {
        return std::ranges::any_of(record(kind).operands, [&](const Role& role) { return role.access == access; });
    };
    return accesses(Access::reads_writes) ? Making::alone : accesses(Access::writes) ? Making::stored : Making::inlined;
}

std::optional<int64_t> constant_integer(const Function& kernel, ValueId value) {
    const auto made = defined_by(kernel, value, OpKind::constant);
    if (!made || !ConstantOp(kernel, *made).is_whole()) return std::nullopt;
    return ConstantOp(kernel, *made).integer();
}

bool is_zero(const Function& kernel, ValueId value) {
    const OpId made = kernel.value(value).op;
    if (!made.valid() || kernel.op(made).kind != OpKind::expand) return false;
    const OpId scalar = kernel.value(ExpandOp(kernel, made).value()).op;
    if (!scalar.valid() || kernel.op(scalar).kind != OpKind::constant) return false;
    const AttrValue& known = *kernel.op(scalar).attrs.find(Attr::value);
    if (const auto* real = std::get_if<double>(&known)) return *real == 0.0 && !std::signbit(*real);
    const auto* whole = std::get_if<int64_t>(&known);
    return whole != nullptr && *whole == 0;
}

namespace {

class InlineCost {
public:
    InlineCost(const Function& kernel, int64_t limit) : kernel_(kernel), limit_(limit) {}

    int64_t of(ValueId value) {
        visit(value);
        return sum_;
    }

private:
    void visit(ValueId value) {
        if (sum_ >= limit_ || !is_tile(kernel_, value) || !seen_.insert(value).second) return;
        const OpId id = kernel_.value(value).op;
        if (!id.valid() || !is_inline(kernel_.op(id))) {
            ++sum_;
            return;
        }
        sum_ += instructions(record(kernel_.op(id).kind).cost);
        for (ValueId operand : kernel_.op(id).operands) visit(operand);
    }

    const Function& kernel_;
    int64_t limit_;
    int64_t sum_ = 0;
    std::unordered_set<ValueId> seen_;
};

}  // namespace

int64_t inline_cost(const Function& kernel, ValueId value, int64_t limit) {
    return InlineCost(kernel, limit).of(value);
}

NestAxes through_expand(const Function& kernel, OpId expand, const NestAxes& of_result) {
    const ExpandOp op(kernel, expand);
    NestAxes map;
    if (!is_tile(kernel, op.value())) return map;
    const auto from = extents(kernel.type(op.value()));
    const auto to = extents(kernel.type(op.result()));
    for (size_t axis = 0; axis < from.size(); ++axis) {
        const auto target = static_cast<size_t>(op.axes()[axis]);
        map.push_back(from[axis] == to[target] ? of_result[target] : kZero);
    }
    return map;
}

}  // namespace tsr::ir
