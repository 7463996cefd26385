#include "ir/passes/target/gpu/tiles/widen_operands.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "ir/machine/fragments.h"
#include "ir/ops/register.h"
#include "ir/passes/target/cpu/tiles/uses.h"
#include "ir/passes/target/gpu/tiles/layouts.h"
#include "ir/passes/tile/walk.h"

namespace tsr::ir {

namespace {

std::optional<DType> product_type(const Function& kernel, const MmaOp& op, int capability) {
    const DType a = kernel.type(op.a()).elem, b = kernel.type(op.b()).elem;
    for (DType wide : {DType::f16, DType::bf16}) {
        const bool holds = is_float(a) && is_float(b) && widens_exactly(a, wide) && widens_exactly(b, wide);
        if (holds && warp_product(wide, op.accumulates(), capability)) return wide;
    }
    return std::nullopt;
}

class OperandWidener {
public:
    explicit OperandWidener(Function& kernel) : kernel_(kernel) {}

    void widen(OpId id, DType type) {
        for (size_t i : {0, 1}) {
            const ValueId value = kernel_.op(id).operands[i];
            if (kernel_.type(value).elem != type) kernel_.op(id).operands[i] = converted(value, type);
        }
    }

private:
    // Right behind where the value is made, once for all its products.
    ValueId converted(ValueId value, DType type) {
        auto [known, added] = made_.try_emplace({value, type});
        if (!added) return known->second;
        const Value from = kernel_.value(value);
        const RegionId region = from.op.valid() ? kernel_.op(from.op).parent : from.region;
        const PlaceId place = from.op.valid() ? kernel_.op(from.op).place : kernel_.place;
        const auto& ops = kernel_.region(region).ops;
        const auto at = from.op.valid() ? static_cast<size_t>(std::ranges::find(ops, from.op) - ops.begin()) + 1 : 0;
        const OpId cast = kernel_.add_op(OpKind::cast, place, {value}, {from.type.with(type)}, {{Attr::type, type}});
        kernel_.insert(region, at, cast);
        return known->second = kernel_.op(cast).results[0];
    }

    Function& kernel_;
    std::map<std::pair<ValueId, DType>, ValueId> made_;
};

}  // namespace

void widen_operands(Function& kernel, const GpuMachine& machine) {
    std::vector<OpId> products;
    walk(kernel, kernel.body, [&](OpId id) {
        if (kernel.op(id).kind == OpKind::mma) products.push_back(id);
    });
    OperandWidener widener(kernel);
    for (OpId id : products) {
        const MmaOp op(kernel, id);
        const bool tiles = is_tile(kernel, op.a()) && is_tile(kernel, op.b());
        if (!tiles || product_of(kernel, op, machine.capability)) continue;
        if (const auto type = product_type(kernel, op, machine.capability)) widener.widen(id, *type);
    }
}

}  // namespace tsr::ir
