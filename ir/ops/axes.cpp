#include "ir/ops/axes.h"

#include "ir/ops/register.h"

namespace tsr::ir {

namespace {

void link_all(const Function& function, ValueId operand, AxisLinks& out) {
    for (size_t axis = 0; axis < function.type(operand).rank(); ++axis) out.links.push_back({operand, axis, axis});
}

void link_product(const Function& function, OpId id, AxisLinks& out) {
    const MmaOp op(function, id);
    const bool packed = function.op(id).kind == OpKind::mma_words;
    const bool a = is_tile(function, op.a());
    const bool b = is_tile(function, op.b());
    const size_t a_inner = op.a_transposed() ? 0 : 1;
    const size_t b_inner = op.b_transposed() ? 1 : 0;
    if (op.accumulator()) link_all(function, *op.accumulator(), out);
    if (a) out.links.push_back({op.a(), 1 - a_inner, 0});
    if (b) out.links.push_back({op.b(), 1 - b_inner, 1});
    if (a) out.meet.push_back({op.a(), a_inner});
    if (b) out.meet.push_back({op.b(), b_inner});
    if (a && b && !packed) out.inner = out.meet;
}

}  // namespace

AxisRule axis_rule(OpKind kind) { return is_element(kind) ? AxisRule::same : record(kind).axes; }

AxisLinks axis_links(const Function& function, OpId id) {
    const Op& op = function.op(id);
    AxisLinks out;
    const auto rank = [&](ValueId value) { return function.type(value).rank(); };
    switch (axis_rule(op.kind)) {
        case AxisRule::none:
        case AxisRule::made:
        case AxisRule::each:
        case AxisRule::move:
            break;
        case AxisRule::same:
            if (!is_tile(function, op.results[0])) break;
            for (ValueId operand : op.operands) {
                if (is_tile(function, operand)) link_all(function, operand, out);
            }
            break;
        case AxisRule::repeat: {
            const ExpandOp expand(function, id);
            for (size_t i = 0; is_tile(function, expand.value()) && i < expand.axes().size(); ++i) {
                const auto to = static_cast<size_t>(expand.axes()[i]);
                if (function.type(expand.value()).shape[i] == function.type(expand.result()).shape[to])
                    out.links.push_back({expand.value(), i, to});
            }
            break;
        }
        case AxisRule::permute: {
            const size_t last = rank(op.results[0]) - 1;
            for (size_t axis = 0; axis <= last; ++axis) {
                const size_t from = axis == last ? last - 1 : axis + 1 == last ? last : axis;
                out.links.push_back({op.operands[0], from, axis});
            }
            break;
        }
        case AxisRule::drop: {
            const auto gone = static_cast<size_t>(AlongOp(function, id).axis());
            out.meet.push_back({op.operands[0], gone});
            for (size_t axis = 0; axis < rank(op.operands[0]); ++axis) {
                if (axis != gone) out.links.push_back({op.operands[0], axis, axis - (axis > gone ? 1 : 0)});
            }
            break;
        }
        case AxisRule::along:
            out.meet.push_back({op.operands[0], static_cast<size_t>(AlongOp(function, id).axis())});
            link_all(function, op.operands[0], out);
            break;
        case AxisRule::contract:
            link_product(function, id, out);
            break;
        case AxisRule::pack:
            out.links.push_back({op.operands[0], 1, 1});
            break;
    }
    return out;
}

}  // namespace tsr::ir
