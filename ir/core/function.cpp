#include "ir/core/function.h"

#include <algorithm>

#include <fmt/format.h>

#include "ir/core/internal.h"

namespace tsr::ir {

int64_t KernelInfo::group_size() const {
    if (group_shape.empty()) return 128;
    int64_t size = 1;
    for (int64_t extent : group_shape) size *= extent;
    return size;
}

std::string TuningPoint::text() const {
    std::string text;
    for (const auto& [name, value] : values) {
        const auto* number = std::get_if<int64_t>(&value);
        text += fmt::format("{}{}={}", text.empty() ? "" : ", ", name,
                            number ? std::to_string(*number) : std::get<std::string>(value));
    }
    return text;
}

std::optional<int64_t> TuningPoint::integer(std::string_view name) const {
    const auto found = std::ranges::find(values, name, [](const auto& entry) { return entry.first; });
    const auto* number = found == values.end() ? nullptr : std::get_if<int64_t>(&found->second);
    return number ? std::optional(*number) : std::nullopt;
}

const Places::Shared& Places::all_shared() const {
    if (own_.empty()) return shared_;
    std::vector<Place> all;
    all.reserve(size());
    if (shared_ != nullptr) all = *shared_;
    all.insert(all.end(), std::make_move_iterator(own_.begin()), std::make_move_iterator(own_.end()));
    shared_ = std::make_shared<const std::vector<Place>>(std::move(all));
    own_.clear();
    return shared_;
}

Function::Function() { body = add_region({}); }

Span Function::span_of(OpId id) const {
    const PlaceId at = op(id).place;
    return at.valid() ? place_of(at).span : Span{};
}

PlaceId Function::add_place(Place place) {
    // Operations made from one expression share a place: looking at the last one catches most.
    if (places_.size() > 0 && places_[places_.size() - 1] == place) return PlaceId(places_.size() - 1);
    places_.add(std::move(place));
    return PlaceId(places_.size() - 1);
}

RegionId Function::add_region(OpId parent) {
    RegionId id(regions_.size());
    regions_.emplace_back();
    regions_.back().parent = parent;
    if (parent.valid()) op(parent).regions.push_back(id);
    return id;
}

ValueId Function::add_arg(RegionId region_id, Type type, std::string name) {
    ValueId id(values_.size());
    Value& value = values_.emplace_back();
    value.type = std::move(type);
    value.region = region_id;
    value.number = static_cast<uint32_t>(region(region_id).args.size());
    value.name = std::move(name);
    region(region_id).args.push_back(id);
    return id;
}

OpId Function::add_op(OpKind kind, PlaceId place, std::vector<ValueId> operands, const std::vector<Type>& results,
                      Attrs attrs) {
    OpId id(ops_.size());
    Op& op = ops_.emplace_back();
    op.kind = kind;
    op.place = place;
    op.operands = std::move(operands);
    op.attrs = std::move(attrs);
    for (const Type& type : results) add_result(id, type);
    return id;
}

ValueId Function::add_result(OpId op_id, Type type) {
    ValueId id(values_.size());
    Value& value = values_.emplace_back();
    value.type = std::move(type);
    value.op = op_id;
    value.number = static_cast<uint32_t>(op(op_id).results.size());
    op(op_id).results.push_back(id);
    return id;
}

void Function::append(RegionId region_id, OpId id) { insert(region_id, region(region_id).ops.size(), id); }

void Function::insert(RegionId region_id, size_t at, OpId id) {
    if (op(id).parent.valid()) internal_error("an operation is inserted that stands somewhere already");
    std::vector<OpId>& ops = region(region_id).ops;
    ops.insert(ops.begin() + static_cast<std::ptrdiff_t>(at), id);
    op(id).parent = region_id;
}

void Function::remove(OpId id) {
    if (!op(id).parent.valid()) return;
    std::vector<OpId>& ops = region(op(id).parent).ops;
    ops.erase(std::find(ops.begin(), ops.end(), id));
    op(id).parent = {};
}

void Function::replace_uses(ValueId from, ValueId to) {
    for (Op& op : ops_) {
        if (op.parent.valid()) std::replace(op.operands.begin(), op.operands.end(), from, to);
    }
}

void Function::replace_uses(const std::vector<ValueId>& to) {
    auto last = [&](ValueId v) {
        while (v.index < to.size() && to[v.index].valid()) v = to[v.index];
        return v;
    };
    for (Op& op : ops_) {
        if (!op.parent.valid()) continue;
        for (ValueId& operand : op.operands) operand = last(operand);
    }
}

Function* Module::find(const std::string& name) {
    for (Function& function : functions) {
        if (function.name == name) return &function;
    }
    return nullptr;
}

const Function* Module::find(const std::string& name) const { return const_cast<Module*>(this)->find(name); }

}  // namespace tsr::ir
