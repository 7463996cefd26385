#include "sema/elaborate/emitter.h"

#include <utility>

#include "ir/law/float_format.h"

namespace tsr::elaborate {

using ir::Attr;
using ir::OpKind;
using ir::Type;
using ir::ValueId;

Span Emitter::at(Span span) {
    const Span before = place_.span;
    if (span.valid() && !(span == place_.span)) {
        place_.span = span;
        place_id_ = {};
    }
    return before;
}

void Emitter::push_call(Span call) {
    place_.inlined_at.insert(place_.inlined_at.begin(), call);
    place_id_ = {};
}

void Emitter::pop_call() {
    place_.inlined_at.erase(place_.inlined_at.begin());
    place_id_ = {};
}

ir::PlaceId Emitter::place() {
    if (!place_id_.valid()) place_id_ = function_.add_place(place_);
    return place_id_;
}

ir::OpId Emitter::op(OpKind kind, std::vector<ValueId> operands, const std::vector<Type>& results, ir::Attrs attrs) {
    const ir::OpId id = function_.add_op(kind, place(), std::move(operands), results, std::move(attrs));
    function_.append(region_, id);
    return id;
}

ValueId Emitter::value(OpKind kind, std::vector<ValueId> operands, const Type& type, ir::Attrs attrs) {
    return function_.op(op(kind, std::move(operands), {type}, std::move(attrs))).results[0];
}

ValueId Emitter::inferred(OpKind kind, std::vector<ValueId> operands, ir::Attrs attrs) {
    std::vector<Type> types;
    for (ValueId operand : operands) types.push_back(function_.type(operand));
    const auto results = ir::infer(kind, types, attrs);
    if (!results) {
        // The verifier reports it with the operation in view; the type is of no consequence then.
        return value(kind, std::move(operands), types.empty() ? Type::scalar(DType::index) : types[0],
                     std::move(attrs));
    }
    return value(kind, std::move(operands), results.value().types[0], std::move(attrs));
}

ValueId Emitter::constant(int64_t value, DType type) {
    if (is_float(type)) return constant(static_cast<double>(value), type);
    return this->value(OpKind::constant, {}, Type::scalar(type), {{Attr::value, value}, {Attr::type, type}});
}

ValueId Emitter::constant(double value, DType type) {
    return this->value(OpKind::constant, {}, Type::scalar(type),
                       {{Attr::value, ir::decode_float(type, ir::encode_float(type, value))}, {Attr::type, type}});
}

ValueId Emitter::cast(ValueId value, DType to) {
    const Type& from = function_.type(value);
    if (from.elem == to) return value;
    return this->value(OpKind::cast, {value}, from.with(to), {{Attr::type, to}});
}

void Emitter::yield(std::vector<ValueId> values) { op(OpKind::yield, std::move(values)); }

ValueId Emitter::entry(OpKind kind, const Type& type, ir::Attrs attrs) {
    const ir::OpId id = function_.add_op(kind, place(), {}, {type}, std::move(attrs));
    function_.insert(function_.body, entries_++, id);
    return function_.op(id).results[0];
}

void Emitter::move_to_entry(ir::OpId op) {
    function_.remove(op);
    function_.insert(function_.body, entries_++, op);
}

bool Emitter::may_run_early(ir::RegionId region) const {
    for (ir::OpId id : function_.region(region).ops) {
        const ir::Op& op = function_.op(id);
        if (op.kind == OpKind::yield) continue;
        if (!op.regions.empty() || !ir::record(op.kind).pure()) return false;
        // On the host a division by zero ends the program.
        const bool divides = op.kind == OpKind::floordiv || op.kind == OpKind::mod;
        if (divides && function_.level == ir::Level::host) return false;
    }
    return true;
}

void Emitter::splice(ir::RegionId region) {
    const std::vector<ir::OpId> ops = function_.region(region).ops;
    for (ir::OpId id : ops) {
        function_.remove(id);
        if (function_.op(id).kind != OpKind::yield) function_.append(region_, id);
    }
}

}  // namespace tsr::elaborate
