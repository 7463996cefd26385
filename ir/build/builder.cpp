#include "ir/build/builder.h"

#include <algorithm>
#include <bit>

#include "ir/core/internal.h"
#include "ir/law/scalar.h"
#include "ir/ops/record.h"

namespace tsr::ir {

namespace {

std::vector<Type> types_of(const Function& function, const Values& values) {
    std::vector<Type> types;
    types.reserve(values.size());
    for (ValueId v : values) types.push_back(function.type(v));
    return types;
}

Values concat(Values first, const Values& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
}

}  // namespace

Builder Builder::at(Function& function, OpId op) {
    Builder builder(function);
    builder.before(op);
    builder.take_place(op);
    return builder;
}

Builder Builder::at_end(Function& function, RegionId region) {
    Builder builder(function);
    builder.to_end_of(region);
    return builder;
}

void Builder::to_end_of(RegionId region) {
    const std::vector<OpId>& ops = fn_.region(region).ops;
    region_ = region;
    anchor_ = !ops.empty() && fn_.op(ops.back()).kind == OpKind::yield ? ops.back() : OpId();
    hint_ = ops.empty() ? 0 : ops.size() - 1;
}

void Builder::before(OpId op) {
    region_ = fn_.op(op).parent;
    anchor_ = op;
    const std::vector<OpId>& ops = fn_.region(region_).ops;
    hint_ = static_cast<size_t>(std::find(ops.begin(), ops.end(), op) - ops.begin());
}

void Builder::after(OpId op) {
    before(op);
    const std::vector<OpId>& ops = fn_.region(region_).ops;
    ++hint_;
    anchor_ = hint_ < ops.size() ? ops[hint_] : OpId();
}

OpId Builder::insert(OpId op) {
    if (!region_.valid()) internal_error("a builder stands nowhere");
    if (!anchor_.valid()) {
        fn_.append(region_, op);
        return op;
    }
    const std::vector<OpId>& ops = fn_.region(region_).ops;
    if (hint_ >= ops.size() || ops[hint_] != anchor_) {
        hint_ = static_cast<size_t>(std::find(ops.begin(), ops.end(), anchor_) - ops.begin());
    }
    if (hint_ == ops.size()) internal_error("the operation that a builder stands before was removed");
    fn_.insert(region_, hint_++, op);
    return op;
}

OpId Builder::emit(OpKind kind, Values operands, Attrs attrs) {
    if (record(kind).results != ResultsFrom::infer) return emit(kind, std::move(operands), std::move(attrs), {});
    const Inferred inferred = infer(kind, types_of(fn_, operands), attrs);
    if (!inferred) internal_error(fn_.name + ": " + std::string(name(kind)) + ": " + inferred.message());
    return insert(fn_.add_op(kind, place_, std::move(operands), inferred.value().types, std::move(attrs)));
}

OpId Builder::emit(OpKind kind, Values operands, Attrs attrs, const std::vector<Type>& results) {
    if (record(kind).results == ResultsFrom::infer) internal_error("types are given for what infers them");
    const Inferred fine = infer(kind, types_of(fn_, operands), attrs);
    if (!fine) internal_error(fn_.name + ": " + std::string(name(kind)) + ": " + fine.message());
    return insert(fn_.add_op(kind, place_, std::move(operands), results, std::move(attrs)));
}

ValueId Builder::value(OpKind kind, Values operands, Attrs attrs) {
    return fn_.op(emit(kind, std::move(operands), std::move(attrs))).results.at(0);
}

ValueId Builder::constant(int64_t value, DType type) {
    const Bits bits = cast_scalar(DType::i64, type, static_cast<Bits>(value));
    return this->value(OpKind::constant, {}, {{Attr::value, constant_value(type, bits)}, {Attr::type, type}});
}

ValueId Builder::constant(double value, DType type) {
    if (is_integer(type) || type == DType::boolean) internal_error("a float constant of " + std::string(name(type)));
    const Bits bits = cast_scalar(DType::f64, type, std::bit_cast<Bits>(value));
    return this->value(OpKind::constant, {}, {{Attr::value, constant_value(type, bits)}, {Attr::type, type}});
}

ValueId Builder::dim(const Dim& dim) {
    if (auto constant = dim.constant_value()) return index(*constant);
    return value(OpKind::dim, {}, {{Attr::dim, dim}});
}

ValueId Builder::cast(ValueId v, DType to) {
    return fn_.type(v).elem == to ? v : value(OpKind::cast, {v}, {{Attr::type, to}});
}
ValueId Builder::bitcast(ValueId v, DType to) {
    return fn_.type(v).elem == to ? v : value(OpKind::bitcast, {v}, {{Attr::type, to}});
}

void Builder::fill(RegionId region, const PlainBody& body) {
    Builder inner = at_end(fn_, region);
    inner.place_ = place_;
    Values yielded = body(inner);
    inner.yield(std::move(yielded));
}

OpId Builder::open_for(ValueId lower, ValueId upper, ValueId step, const Values& initial, Attrs attrs) {
    OpId op = emit(OpKind::for_, concat({lower, upper, step}, initial), std::move(attrs));
    RegionId body = fn_.add_region(op);
    fn_.add_arg(body, fn_.type(lower));
    for (ValueId v : initial) fn_.add_arg(body, fn_.type(v), fn_.value(v).name);
    return op;
}

OpId Builder::for_(ValueId lower, ValueId upper, ValueId step, const Values& initial, Attrs attrs,
                   const LoopBody& body) {
    OpId op = open_for(lower, upper, step, initial, std::move(attrs));
    const RegionId region = fn_.op(op).regions[0];
    const Values args = fn_.region(region).args;
    fill(region, [&](Builder& b) { return body(b, args[0], Values(args.begin() + 1, args.end())); });
    return op;
}

OpId Builder::open_while(const Values& initial, Attrs attrs) {
    OpId op = emit(OpKind::while_, initial, std::move(attrs));
    for (int i = 0; i < 2; ++i) {
        RegionId region = fn_.add_region(op);
        for (ValueId v : initial) fn_.add_arg(region, fn_.type(v), fn_.value(v).name);
    }
    return op;
}

OpId Builder::while_(const Values& initial, const CarriedTest& test, const CarriedBody& body, Attrs attrs) {
    OpId op = open_while(initial, std::move(attrs));
    const std::vector<RegionId> regions = fn_.op(op).regions;
    fill(regions[0], [&](Builder& b) { return Values{test(b, fn_.region(regions[0]).args)}; });
    fill(regions[1], [&](Builder& b) { return body(b, fn_.region(regions[1]).args); });
    return op;
}

OpId Builder::open_if(ValueId condition) {
    OpId op = emit(OpKind::if_, {condition});
    fn_.add_region(op);
    fn_.add_region(op);
    return op;
}

OpId Builder::if_(ValueId condition, const PlainBody& then, const PlainBody& otherwise) {
    OpId op = open_if(condition);
    const std::vector<RegionId> regions = fn_.op(op).regions;
    fill(regions[0], then);
    fill(regions[1], otherwise);
    for (ValueId v : Values(fn_.op(fn_.region(regions[0]).ops.back()).operands)) {
        fn_.add_result(op, fn_.type(v));
    }
    return op;
}

OpId Builder::if_(ValueId condition, const PlainBody& then) {
    return if_(condition, then, [](Builder&) { return Values{}; });
}

OpId Builder::print(std::string text, Values values) {
    return emit(OpKind::print, std::move(values), {{Attr::text, std::move(text)}});
}

OpId Builder::assert_(ValueId condition, std::string text) {
    return emit(OpKind::assert_, {condition}, {{Attr::text, std::move(text)}});
}

ValueId Builder::read(ValueId memory, const Values& indices) { return value(OpKind::read, concat({memory}, indices)); }
OpId Builder::write(ValueId memory, ValueId value, const Values& indices) {
    return emit(OpKind::write, concat({memory, value}, indices));
}
ValueId Builder::read_vector(ValueId memory, const Values& indices, int64_t width) {
    return value(OpKind::read_vector, concat({memory}, indices), {{Attr::width, width}});
}
OpId Builder::write_vector(ValueId memory, ValueId value, const Values& indices) {
    return emit(OpKind::write_vector, concat({memory, value}, indices));
}

ValueId Builder::along(OpKind kind, int64_t axis) {
    return value(kind, {}, axis < 0 ? Attrs() : Attrs{{Attr::axis, axis}});
}

ValueId Builder::buffer(DType type, std::vector<Dim> shape, Attrs more) {
    more.set(Attr::type, type);
    more.set(Attr::shape, std::move(shape));
    return value(OpKind::buffer, {}, std::move(more));
}

ValueId Builder::atomic(AtomicOp op, ValueId memory, ValueId value, const Values& indices, ValueId compare) {
    Values operands{memory, value};
    if (compare.valid()) operands.push_back(compare);
    return this->value(OpKind::atomic, concat(std::move(operands), indices), {{Attr::op, static_cast<int64_t>(op)}});
}

OpId Builder::copy_async(ValueId to, ValueId from, const Values& starts) {
    return emit(OpKind::copy_async, concat({to, from}, starts));
}

ValueId Builder::group_reduce(ReduceOp op, ValueId v) {
    return value(OpKind::group_reduce, {v}, {{Attr::op, static_cast<int64_t>(op)}});
}

OpId Builder::grid(const std::vector<Axis>& axes, Attrs attrs, const AxesBody& body) {
    Values bounds;
    for (const Axis& axis : axes) bounds.insert(bounds.end(), {axis.lower, axis.upper, axis.step});
    OpId op = emit(OpKind::grid, bounds, std::move(attrs));
    RegionId region = fn_.add_region(op);
    for (const Axis& axis : axes) fn_.add_arg(region, fn_.type(axis.lower));
    fill(region, [&](Builder& b) { return body(b, fn_.region(region).args); });
    return op;
}

OpId Builder::lanes(LanesOver over, const std::vector<Axis>& axes, Attrs attrs, const AxesBody& body) {
    Values bounds;
    for (const Axis& axis : axes) bounds.insert(bounds.end(), {axis.lower, axis.upper, axis.step});
    attrs.set(Attr::over, static_cast<int64_t>(over));
    OpId op = emit(OpKind::lanes, bounds, std::move(attrs));
    RegionId region = fn_.add_region(op);
    for (const Axis& axis : axes) fn_.add_arg(region, fn_.type(axis.lower));
    fill(region, [&](Builder& b) { return body(b, fn_.region(region).args); });
    for (ValueId v : Values(fn_.op(fn_.region(region).ops.back()).operands)) {
        fn_.add_result(op, Type::lane_array(fn_.type(v).elem, fn_.type(v).width));
    }
    return op;
}

OpId Builder::host(std::string callee, Values arguments, const std::vector<Type>& results, Attrs more) {
    more.set(Attr::callee, std::move(callee));
    return emit(OpKind::host, std::move(arguments), std::move(more), results);
}

ValueId Builder::shape_of(ValueId tensor, int64_t axis) {
    return value(OpKind::shape_of, {tensor}, {{Attr::axis, axis}});
}

ValueId Builder::string(std::string text) { return value(OpKind::string, {}, {{Attr::value, std::move(text)}}); }

}  // namespace tsr::ir
