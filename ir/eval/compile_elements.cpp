// Element operations: on values that are one for all, on arrays over lanes, on register tiles.
#include <fmt/format.h>

#include "ir/eval/compile.h"
#include "ir/eval/steps.h"
#include "ir/ops/element.h"
#include "ir/ops/record.h"

namespace tsr::ir::eval {

namespace {

// Operations that can make NaN or an infinity of finite floats.
bool may_leave_the_numbers(OpKind kind) {
    for (OpKind k : {OpKind::add, OpKind::sub, OpKind::mul, OpKind::div, OpKind::floordiv, OpKind::mod, OpKind::fma,
                     OpKind::sqrt, OpKind::cast}) {
        if (k == kind) return true;
    }
    return false;
}

}  // namespace

LaneFn Compiler::loop_of(const Op& op) const {
    const DType from = ElementwiseOp(fn_, op).computes_in().elem;
    if (op.kind == OpKind::cast) return ops_.cast(from, op.attrs.dtype(Attr::type));
    if (op.kind == OpKind::bitcast) return ops_.cast(from, from);
    const bool rounds = op.kind == OpKind::cut || op.kind == OpKind::dither;
    if (rounds) return ops_.rounding(op.kind, from, op.attrs.dtype(Attr::type));
    if (op.kind == OpKind::table) return ops_.table(stored_size(from), stored_size(op.attrs.dtype(Attr::type)));
    if (op.kind == OpKind::select) return ops_.blend(stored_size(from));
    return ops_.element(op.kind, from);
}

void Compiler::set_operands(Inst& inst, const Op& op, std::array<Slot, 3> slots) {
    if (op.kind == OpKind::select) slots = {slots[1], slots[2], slots[0]};
    inst.a = slots[0];
    inst.b = slots[1];
    inst.c = slots[2];
}

void Compiler::element(OpId id, const Op& op) {
    const ValueId result = op.results[0];
    const Type& type = fn_.type(result);
    const LaneFn loop = loop_of(op);
    if (loop == nullptr) {
        refuse(id, fmt::format("the evaluator has no '{}' of {}: it is to be expanded into other operations first",
                               name(op.kind), tsr::name(ElementwiseOp(fn_, op).computes_in().elem)));
        return;
    }
    if (op.kind == OpKind::select && !type.is_scalar() && fn_.type(SelectOp(fn_, id).condition()).is_scalar()) {
        return select_by_one(id, op);
    }
    take_home(result);
    const bool many = varies(result);
    std::array<Slot, 3> slots{};
    for (size_t k = 0; k < op.operands.size(); ++k) {
        slots[k] = many ? home(op.operands[k]).many : home(op.operands[k]).one;
    }
    if (op.kind == OpKind::table) {
        slots[1] = table_slot(op);
        slots[2] = constant_slot(DType::u64, op.attrs.integers(Attr::elements).size() - 1);
    }
    const bool checked =
        options_.sanitizers.nan && id.index < written_ops_ && is_float(type.elem) && may_leave_the_numbers(op.kind);
    const auto emit_over_all = [&](Step step) {
        Inst& inst = emit(step, id);
        inst.loop = loop;
        inst.result = many ? home(result).many : home(result).one;
        inst.count = many ? (width_of(result) - 1) * program_.lanes : width_of(result);
        set_operands(inst, op, slots);
    };
    emit_over_all(many ? &steps::lanes : &steps::one);
    if (checked) emit_over_all(many ? &steps::check_lanes : &steps::check_one);
    spread(result);
}

// One condition for a whole vector or tile.
void Compiler::select_by_one(OpId id, const Op& op) {
    const ValueId result = op.results[0];
    take_home(result);
    const bool many = varies(result);
    const SelectOp select(fn_, id);
    const Home &condition = home(select.condition()), &then = home(select.then()),
               &otherwise = home(select.otherwise());
    if (!many) {
        Inst& inst = emit(&steps::copy_chosen, id);
        set_operands(inst, op, {condition.one, then.one, otherwise.one});
        inst.result = home(result).one;
        inst.count = size_of(result) * width_of(result);
        return spread(result);
    }
    const uint32_t stride = size_of(result) * program_.lanes;
    for (uint32_t k = 0; k < width_of(result); ++k) {
        Inst& inst = emit(&steps::lanes, id);
        inst.loop = ops_.blend(size_of(result));
        inst.a = then.many + k * stride;
        inst.b = otherwise.many + k * stride;
        inst.c = condition.many;
        inst.result = home(result).many + k * stride;
    }
}

}  // namespace tsr::ir::eval
