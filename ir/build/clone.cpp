#include "ir/build/clone.h"

#include "ir/core/internal.h"
#include "ir/ops/bound_dim.h"
#include "ir/ops/record.h"

namespace tsr::ir {

Function empty_host_of(const Function& graph) {
    Function host;
    host.name = graph.name;
    host.level = Level::host;
    host.share_places(graph);
    host.place = graph.place;
    host.symbols = graph.symbols;
    host.results = graph.results;
    for (const ValueId param : graph.params()) {
        const Value& value = graph.value(param);
        const ValueId made = host.add_arg(host.body, value.type, value.name);
        host.value(made).role = value.role;
    }
    return host;
}

ValueId Cloner::known(ValueId value) const {
    if (const auto found = values_.find(value); found != values_.end()) return found->second;
    if (outside) return outside(value);
    return &from_ == &to_ ? value : ValueId();
}

ValueId Cloner::needed(ValueId value) const {
    const ValueId found = known(value);
    if (!found.valid()) internal_error(from_.name + ": a copy needs a value that has none");
    return found;
}

Dim Cloner::dim_of(const Dim& of) const {
    if (!dim && own_.empty()) return of;
    return of.substitute([&](const std::string& name) -> std::optional<Dim> {
        if (const auto found = own_.find(name); found != own_.end()) return found->second;
        return dim ? dim(name) : std::nullopt;
    });
}

Type Cloner::type_of(const Type& type) const {
    Type out = type;
    for (Dim& extent : out.shape) extent = dim_of(extent);
    for (Type& part : out.parts) part = type_of(part);
    return out;
}

Attrs Cloner::attrs_of(const Attrs& attrs) const {
    if (!dim && own_.empty()) return attrs;
    Attrs out = attrs;
    for (const auto& [key, value] : attrs) {
        if (const Dim* one = std::get_if<Dim>(&value)) out.set(key, dim_of(*one));
        const auto* several = std::get_if<std::vector<Dim>>(&value);
        if (several == nullptr) continue;
        std::vector<Dim> dims;
        for (const Dim& each : *several) dims.push_back(dim_of(each));
        out.set(key, std::move(dims));
    }
    return out;
}

std::vector<Type> Cloner::result_types(const Op& op, const Values& operands, const Attrs& attrs) const {
    std::vector<Type> types;
    if (record(op.kind).results == ResultsFrom::infer) {
        for (ValueId operand : operands) types.push_back(to_.type(operand));
        Inferred inferred = infer(op.kind, types, attrs);
        if (!inferred)
            internal_error(from_.name + ": a copy of " + std::string(name(op.kind)) + ": " + inferred.message());
        return std::move(inferred).value().types;
    }
    for (ValueId result : op.results) types.push_back(type_of(from_.type(result)));
    return types;
}

void Cloner::name_like(ValueId made, ValueId old) {
    if (names) to_.value(made).name = from_.value(old).name;
}

OpId Cloner::make(OpId id, Attrs attrs) {
    const Op& op = from_.op(id);
    Values operands;
    for (ValueId operand : op.operands) operands.push_back(needed(operand));
    if (own_symbols && BoundDimOp::is_one(op)) {
        const std::string symbol = BoundDimOp(from_, op).symbol();
        own_.insert_or_assign(symbol, make_symbol(to_, symbol));
    }
    attrs = attrs_of(attrs);
    const std::vector<Type> types = result_types(op, operands, attrs);
    const PlaceId at = place ? place(op.place) : op.place;
    const OpId made = to_.add_op(op.kind, at, std::move(operands), types, std::move(attrs));
    for (size_t i = 0; i < op.results.size(); ++i) {
        const ValueId result = to_.op(made).results[i];
        values_[op.results[i]] = result;
        name_like(result, op.results[i]);
    }
    for (RegionId region : op.regions) copy_region(made, op, region);
    return made;
}

void Cloner::copy_region(OpId parent, const Op& op, RegionId region) {
    const RegionId made = to_.add_region(parent);
    const Values args = from_.region(region).args;
    // What a loop carries has the types that it gives.
    const size_t first = op.kind == OpKind::for_ ? 1 : 0;
    const bool carries = op.kind == OpKind::for_ || op.kind == OpKind::while_;
    for (size_t i = 0; i < args.size(); ++i) {
        const bool carried = carries && i >= first;
        const ValueId arg =
            to_.add_arg(made, carried ? to_.type(to_.op(parent).results[i - first]) : type_of(from_.type(args[i])));
        values_[args[i]] = arg;
        name_like(arg, args[i]);
    }
    Builder inside = Builder::at_end(to_, made);
    for (OpId inner : std::vector<OpId>(from_.region(region).ops)) copy(inside, inner);
}

// What stands in its regions may need operations before it: it takes its place when they are made.
void Cloner::copy(Builder& at, OpId id) {
    if (replaces && replaces(at, id)) return;
    at.insert(make(id));
}

Values Cloner::contents(Builder& at, RegionId region) {
    for (OpId id : std::vector<OpId>(from_.region(region).ops)) {
        const Op& op = from_.op(id);
        if (op.kind != OpKind::yield) {
            copy(at, id);
            continue;
        }
        Values yields;
        for (ValueId operand : op.operands) yields.push_back(needed(operand));
        return yields;
    }
    internal_error(from_.name + ": a region that is copied has no end");
}

ValueId Cloner::value(Builder& at, ValueId old) {
    if (const ValueId found = known(old); found.valid()) return found;
    const OpId id = from_.value(old).op;
    if (!id.valid()) return needed(old);
    for (ValueId operand : Values(from_.op(id).operands)) value(at, operand);
    copy(at, id);
    return values_.at(old);
}

}  // namespace tsr::ir
