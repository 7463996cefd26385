#include "ir/passes/target/emit.h"

namespace tsr::ir {

ValueId Emit::op(OpKind kind, std::vector<ValueId> operands, const Type& type, Attrs attrs) {
    OpId made = function_.add_op(kind, place, std::move(operands), {type}, std::move(attrs));
    function_.append(region, made);
    return function_.op(made).results[0];
}

std::vector<ValueId> Emit::many(OpKind kind, std::vector<ValueId> operands, const std::vector<Type>& types,
                                Attrs attrs) {
    OpId made = function_.add_op(kind, place, std::move(operands), types, std::move(attrs));
    function_.append(region, made);
    return function_.op(made).results;
}

void Emit::statement(OpKind kind, std::vector<ValueId> operands, Attrs attrs) {
    function_.append(region, function_.add_op(kind, place, std::move(operands), {}, std::move(attrs)));
}

ValueId Emit::integer(int64_t value, DType type) { return constant(value, type); }

ValueId Emit::real(double value, DType type) { return constant(value, type); }

ValueId Emit::constant(AttrValue value, DType type) {
    return op(OpKind::constant, {}, Type::scalar(type), {{Attr::value, std::move(value)}, {Attr::type, type}});
}

ValueId Emit::cast(ValueId value, DType type) {
    if (function_.type(value).elem == type) return value;
    return op(OpKind::cast, {value}, function_.type(value).with(type), {{Attr::type, type}});
}

ValueId Emit::splat(ValueId value, int64_t width) {
    return op(OpKind::splat, {value}, Type::vector(function_.type(value).elem, static_cast<uint32_t>(width)),
              {{Attr::width, width}});
}

ValueId Emit::iota(int64_t width, DType type) {
    return op(OpKind::iota, {}, Type::vector(type, static_cast<uint32_t>(width)),
              {{Attr::width, width}, {Attr::type, type}});
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
    return op(OpKind::pointer_add, {pointer, offset}, function_.type(pointer));
}

ValueId Emit::load(ValueId pointer, int64_t width, ValueId mask) {
    DType elem = function_.type(pointer).elem;
    Attrs attrs;
    if (width > 0) attrs.set(Attr::width, width);
    std::vector<ValueId> operands{pointer};
    if (mask.valid()) {
        operands.push_back(mask);
        attrs.set(Attr::masked, int64_t{1});
    }
    return op(OpKind::load, operands, width > 0 ? Type::vector(elem, static_cast<uint32_t>(width)) : Type::scalar(elem),
              attrs);
}

void Emit::store(ValueId pointer, ValueId value, ValueId mask) {
    if (!mask.valid()) return statement(OpKind::store, {pointer, value});
    statement(OpKind::store, {pointer, value, mask}, {{Attr::masked, int64_t{1}}});
}

OpId Emit::open(OpKind kind, std::vector<ValueId> operands, const std::vector<Type>& results, Attrs attrs) {
    return function_.add_op(kind, place, std::move(operands), results, std::move(attrs));
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
