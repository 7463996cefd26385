#include "ir/passes/autodiff/control.h"

#include <set>

#include "ir/ops/control.h"

namespace tsr::ir::autodiff {

CopiedRegion copied(Builder& at, RegionId region, ValueMap values, Activity& active) {
    Function& fn = at.function();
    for (const auto& [old, made] : values) active.take_over(made, old);
    const size_t before = fn.region(at.region()).ops.size();
    Cloner cloner(fn, fn, values);
    cloner.own_symbols = true;
    CopiedRegion copy;
    copy.yields = cloner.contents(at, region);
    const std::vector<OpId>& all = fn.region(at.region()).ops;
    copy.ops.assign(all.begin() + static_cast<std::ptrdiff_t>(before), all.end());
    for (const auto& [old, made] : values) active.take_over(made, old);
    return copy;
}

namespace {

void visit(const Function& fn, OpId id, std::set<ValueId>& inside, Values& used) {
    for (const RegionId region : fn.op(id).regions) {
        for (const ValueId argument : fn.region(region).args) inside.insert(argument);
        for (const OpId op : fn.region(region).ops) {
            for (const ValueId operand : fn.op(op).operands) used.push_back(operand);
            for (const ValueId result : fn.op(op).results) inside.insert(result);
            visit(fn, op, inside, used);
        }
    }
}

}  // namespace

Values outside_values(const Function& fn, OpId op, const Activity& active) {
    std::set<ValueId> inside;
    Values used;
    visit(fn, op, inside, used);
    Values outside;
    for (const ValueId value : used) {
        if (active.has(value) && inside.insert(value).second) outside.push_back(value);
    }
    return outside;
}

Stack::Stack(const Type& of) : of_(of), held_(of.elem == DType::index ? DType::i64 : of.elem) {}

Stack::Stack(Builder& at, const Type& of, const Dim& rounds) : Stack(of) {
    std::vector<Dim> shape{rounds};
    shape.insert(shape.end(), of.shape.begin(), of.shape.end());
    const ValueId zero = is_float(held_) ? at.constant(0.0, held_) : at.constant(int64_t{0}, held_);
    empty_ = at.value(OpKind::full, {zero}, {{Attr::shape, shape}});
}

Values Stack::starts(Builder& at, ValueId round) const {
    Values starts{round};
    for (size_t i = 0; i < of_.rank(); ++i) starts.push_back(at.index(0));
    return starts;
}

ValueId Stack::put(Builder& at, ValueId stack, ValueId round, ValueId value) const {
    std::vector<Dim> shape{Dim::constant(1)};
    shape.insert(shape.end(), of_.shape.begin(), of_.shape.end());
    const bool tensor = of_.kind == TypeKind::tensor;
    const ValueId block =
        at.value(tensor ? OpKind::reshape : OpKind::full, {at.cast(value, held_)}, {{Attr::shape, shape}});
    Values operands{stack, block};
    for (const ValueId start : starts(at, round)) operands.push_back(start);
    return at.value(OpKind::update, std::move(operands));
}

ValueId Stack::get(Builder& at, ValueId stack, ValueId round) const {
    std::vector<Dim> shape{Dim::constant(1)};
    shape.insert(shape.end(), of_.shape.begin(), of_.shape.end());
    Values operands{stack};
    for (const ValueId start : starts(at, round)) operands.push_back(start);
    const ValueId block = at.value(OpKind::slice, std::move(operands), {{Attr::shape, shape}});
    return at.cast(at.value(OpKind::reshape, {block}, {{Attr::shape, of_.shape}}), of_.elem);
}

}  // namespace tsr::ir::autodiff
