#include "sema/elaborate/emitter.h"

#include <utility>

#include <fmt/format.h>

#include "ir/core/internal.h"
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

ir::OpId Emitter::append(ir::OpId op) {
    function_.append(region_, op);
    return op;
}

std::vector<Type> Emitter::results(OpKind kind, const std::vector<ValueId>& operands, const ir::Attrs& attrs) const {
    if (ir::record(kind).results == ir::ResultsFrom::regions) return {};
    std::vector<Type> types;
    for (ValueId operand : operands) types.push_back(function_.type(operand));
    const ir::Inferred inferred = ir::infer(kind, types, attrs);
    if (!inferred) {
        ir::internal_error(fmt::format("{}: {}: {}", function_.name, ir::name(kind), inferred.message()));
    }
    return inferred.value().types;
}

ir::OpId Emitter::op(OpKind kind, std::vector<ValueId> operands, ir::Attrs attrs) {
    const std::vector<Type> types = results(kind, operands, attrs);
    return append(function_.add_op(kind, place(), std::move(operands), types, std::move(attrs)));
}

ValueId Emitter::inferred(OpKind kind, std::vector<ValueId> operands, ir::Attrs attrs) {
    return function_.op(op(kind, std::move(operands), std::move(attrs))).results.at(0);
}

ir::OpId Emitter::op_giving(OpKind kind, std::vector<ValueId> operands, const std::vector<Type>& results,
                            ir::Attrs attrs) {
    if (ir::record(kind).results != ir::ResultsFrom::given) {
        ir::internal_error(
            fmt::format("{}: types are given for {}, which infers them", function_.name, ir::name(kind)));
    }
    return append(function_.add_op(kind, place(), std::move(operands), results, std::move(attrs)));
}

ValueId Emitter::given(OpKind kind, std::vector<ValueId> operands, const Type& type, ir::Attrs attrs) {
    return function_.op(op_giving(kind, std::move(operands), {type}, std::move(attrs))).results[0];
}

ValueId Emitter::constant(int64_t value, DType type) {
    if (is_float(type)) return constant(static_cast<double>(value), type);
    return inferred(OpKind::constant, {}, {{Attr::value, value}, {Attr::type, type}});
}

ValueId Emitter::constant(double value, DType type) {
    return inferred(OpKind::constant, {},
                    {{Attr::value, ir::decode_float(type, ir::encode_float(type, value))}, {Attr::type, type}});
}

ValueId Emitter::cast(ValueId value, DType to) {
    if (function_.type(value).elem == to) return value;
    return inferred(OpKind::cast, {value}, {{Attr::type, to}});
}

void Emitter::yield(std::vector<ValueId> values) { op(OpKind::yield, std::move(values)); }

ValueId Emitter::entry(OpKind kind, ir::Attrs attrs) {
    const std::vector<Type> types = results(kind, {}, attrs);
    const ir::OpId id = function_.add_op(kind, place(), {}, types, std::move(attrs));
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
