#include "driver/deterministic.h"

#include <set>

#include "ir/ops/register.h"
#include "ir/ops/tile.h"

namespace tsr::driver {

namespace {

// The operations of a region and of all regions in them, in the order of the text.
void collect(const ir::Function& function, ir::RegionId region, std::vector<ir::OpId>& out) {
    for (ir::OpId id : function.region(region).ops) {
        out.push_back(id);
        for (ir::RegionId inner : function.op(id).regions) collect(function, inner, out);
    }
}

}  // namespace

std::optional<Span> nondeterministic_place(const ir::Function& function) {
    std::vector<ir::OpId> all;
    collect(function, function.body, all);
    std::set<ir::ValueId> used;
    for (ir::OpId id : all) {
        for (ir::ValueId operand : function.op(id).operands) used.insert(operand);
    }
    for (ir::OpId id : all) {
        const ir::Op& op = function.op(id);
        if (op.kind != ir::OpKind::atomic && op.kind != ir::OpKind::atomic_tile) continue;
        bool result_used = !op.results.empty() && used.contains(op.results[0]);
        const ir::ValueId memory = op.kind == ir::OpKind::atomic ? ir::AtomicUpdateOp(function, op).memory()
                                                                 : ir::TileViewOp(function, op).memory();
        bool on_floats = is_float(function.type(memory).elem);
        if (result_used || on_floats) return function.span_of(id);
    }
    return std::nullopt;
}

}  // namespace tsr::driver
