#include "ir/passes/target/emit.h"

#include "ir/core/internal.h"
#include "ir/law/scalar.h"
#include "ir/ops/record.h"

namespace tsr::ir {

std::vector<Type> Emit::results(OpKind kind, const std::vector<ValueId>& operands, const Attrs& attrs) const {
    if (record(kind).results != ResultsFrom::infer) internal_error(std::string(name(kind)) + " infers no types");
    std::vector<Type> types;
    types.reserve(operands.size());
    for (ValueId operand : operands) types.push_back(function_.type(operand));
    const Inferred inferred = infer(kind, types, attrs);
    if (!inferred) internal_error(function_.name + ": " + std::string(name(kind)) + ": " + inferred.message());
    return inferred.value().types;
}

OpId Emit::append(OpKind kind, std::vector<ValueId> operands, const std::vector<Type>& types, Attrs attrs) {
    const OpId made = function_.add_op(kind, place, std::move(operands), types, std::move(attrs));
    function_.append(region, made);
    return made;
}

ValueId Emit::op(OpKind kind, std::vector<ValueId> operands, Attrs attrs) {
    return many(kind, std::move(operands), std::move(attrs)).at(0);
}

std::vector<ValueId> Emit::many(OpKind kind, std::vector<ValueId> operands, Attrs attrs) {
    const std::vector<Type> types = results(kind, operands, attrs);
    return function_.op(append(kind, std::move(operands), types, std::move(attrs))).results;
}

ValueId Emit::runtime(const std::string& callee, std::vector<ValueId> operands, const Type& result) {
    return function_.op(append(OpKind::runtime, std::move(operands), {result}, {{Attr::callee, callee}})).results[0];
}

void Emit::statement(OpKind kind, std::vector<ValueId> operands, Attrs attrs) {
    append(kind, std::move(operands), {}, std::move(attrs));
}

ValueId Emit::integer(int64_t value, DType type) { return constant(value, type); }

ValueId Emit::real(double value, DType type) { return constant(value, type); }

ValueId Emit::constant(AttrValue value, DType type) {
    return op(OpKind::constant, {}, {{Attr::value, std::move(value)}, {Attr::type, type}});
}

ValueId Emit::zero(DType type) { return constant(constant_value(type, 0), type); }

ValueId Emit::cast(ValueId value, DType type) {
    if (function_.type(value).elem == type) return value;
    return op(OpKind::cast, {value}, {{Attr::type, type}});
}

ValueId Emit::splat(ValueId value, int64_t width) { return op(OpKind::splat, {value}, {{Attr::width, width}}); }

ValueId Emit::iota(int64_t width, DType type) {
    return op(OpKind::iota, {}, {{Attr::width, width}, {Attr::type, type}});
}

ValueId Emit::add(ValueId a, ValueId b) {
    if (is_integer(a, 0)) return b;
    if (is_integer(b, 0)) return a;
    return binary(OpKind::add, a, b);
}

ValueId Emit::mul(ValueId a, ValueId b) {
    if (is_integer(a, 1)) return b;
    if (is_integer(b, 1)) return a;
    return binary(OpKind::mul, a, b);
}

ValueId Emit::pointer_add(ValueId pointer, ValueId offset) {
    if (is_integer(offset, 0)) return pointer;
    return op(OpKind::pointer_add, {pointer, offset});
}

ValueId Emit::load(ValueId pointer, int64_t width, ValueId mask) {
    Attrs attrs;
    if (width > 0) attrs.set(Attr::width, width);
    std::vector<ValueId> operands{pointer};
    if (mask.valid()) {
        operands.push_back(mask);
        attrs.set(Attr::masked, int64_t{1});
    }
    return op(OpKind::load, std::move(operands), std::move(attrs));
}

ValueId Emit::gather(ValueId pointer, ValueId offsets, ValueId mask) {
    if (!mask.valid()) return op(OpKind::gather, {pointer, offsets});
    return op(OpKind::gather, {pointer, offsets, mask}, {{Attr::masked, int64_t{1}}});
}

void Emit::store(ValueId pointer, ValueId value, ValueId mask) {
    if (!mask.valid()) return statement(OpKind::store, {pointer, value});
    statement(OpKind::store, {pointer, value, mask}, {{Attr::masked, int64_t{1}}});
}

OpId Emit::open(OpKind kind, std::vector<ValueId> operands, Attrs attrs) {
    const std::vector<Type> types = results(kind, operands, attrs);
    return function_.add_op(kind, place, std::move(operands), types, std::move(attrs));
}

OpId Emit::open_if(ValueId condition, const std::vector<Type>& results) {
    return function_.add_op(OpKind::if_, place, {condition}, results);
}

std::optional<int64_t> Emit::integer_value(ValueId value) const {
    const Value& v = function_.value(value);
    if (!v.op.valid() || !v.type.is_scalar()) return std::nullopt;
    const Op& op = function_.op(v.op);
    if (op.kind != OpKind::constant) return std::nullopt;
    const auto* known = std::get_if<int64_t>(op.attrs.find(Attr::value));
    return known ? std::optional(*known) : std::nullopt;
}

}  // namespace tsr::ir
