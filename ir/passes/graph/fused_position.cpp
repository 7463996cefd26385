#include "ir/passes/graph/fused_position.h"

#include <algorithm>

#include "ir/ops/handle.h"

namespace tsr::ir {

std::vector<size_t> FusedPosition::joined_along(const AxisMap& source, OpId user) const {
    const Op& op = fused_.op(user);
    const Type& type = fused_.type(op.kind == OpKind::reduce ? op.operands[0] : op.results[0]);
    const std::vector<size_t> stands = axes_.long_axes(long_extents(type).size());
    std::vector<size_t> places;
    for (size_t axis : source.axes) places.push_back(stands[axis]);
    return joined_axes(axes_, places);
}

bool FusedPosition::runs_along_row(const std::vector<size_t>& joined) const {
    return axes_.axis && std::ranges::find(joined, *axes_.axis) != joined.end();
}

ValueId FusedPosition::repeated(ValueId scalar) {
    return builder_->value(OpKind::expand, {scalar},
                           {{Attr::shape, tile_shape()}, {Attr::axes, std::vector<int64_t>{}}});
}

void FusedPosition::store(ValueId v, const Values& at) {
    const ValueSpan results = yielded(fused_, fused_.body);
    for (size_t i = 0; i < results.size(); ++i) {
        if (results[i] == v) store_in(i, computed_value(v), at);
    }
}

void FusedPosition::store_in(size_t result, ValueId value, const Values& at) {
    if (!tiles_) {
        builder_->write(outputs_[result], value, at);
        return;
    }
    Values operands{outputs_[result], value};
    operands.insert(operands.end(), at.begin(), at.end());
    builder_->emit(OpKind::store_tile, std::move(operands),
                   {{Attr::axes, std::vector<int64_t>{static_cast<int64_t>(*axes_.axis)}}});
}

ValueId FusedPosition::load_piece(ValueId memory, const Values& at, int64_t axis) {
    Values operands{memory};
    operands.insert(operands.end(), at.begin(), at.end());
    return builder_->value(OpKind::load_tile, std::move(operands),
                           {{Attr::shape, tile_shape()}, {Attr::axes, std::vector<int64_t>{axis}}});
}

ValueId FusedPosition::element_of(ValueId input, const std::vector<size_t>& joined) {
    if (const auto known = reads_.find({input, joined}); known != reads_.end()) return known->second;
    Values at;
    for (size_t axis : joined) at.push_back(at_[axis]);
    if (at.empty()) at.push_back(zero_);
    const auto along = std::ranges::find(joined, axes_.axis.value_or(SIZE_MAX));
    const bool piece = tiles_ && along != joined.end();
    const ValueId value =
        piece ? load_piece(inputs_.at(input), at, along - joined.begin()) : builder_->read(inputs_.at(input), at);
    return reads_[{input, joined}] = value;
}

void FusedPosition::read_row() {
    for (OpId id : computed(fused_)) {
        for (const AxisMap& source : sources_of(fused_, id)) {
            const bool tensor = fused_.type(source.base).kind == TypeKind::tensor;
            if (!tensor || !inputs_.contains(source.base) || runs_along_row(joined_along(source, id))) continue;
            (void)element_of(source.base, joined_along(source, id));
        }
    }
}

ValueId FusedPosition::operand(OpId user, size_t number) { return source(sources_of(fused_, user)[number], user); }

ValueId FusedPosition::source(const AxisMap& from, OpId user) {
    const bool whole = phases_.is_whole(user);
    ValueId value;
    bool of_row = true;
    if (fused_.type(from.base).is_scalar() && !phases_.is_computed(from.base)) {
        value = scalar(from.base);
    } else if (inputs_.contains(from.base)) {
        const std::vector<size_t> joined = joined_along(from, user);
        value = element_of(from.base, joined);
        of_row = !runs_along_row(joined);
    } else {
        value = computed_value(from.base);
        of_row = !phases_.is_whole(from.base);
    }
    return tiles_ && whole && of_row ? repeated(value) : value;
}

// A parameter or constant.
ValueId FusedPosition::scalar(ValueId v) {
    if (const auto input = inputs_.find(v); input != inputs_.end()) return input->second;
    return builder_->value(OpKind::constant, {}, fused_.op(fused_.value(v).op).attrs);
}

ValueId FusedPosition::computed_value(ValueId v) {
    if (const auto known = values_.find(v); known != values_.end()) return known->second;
    const OpId id = fused_.value(v).op;
    if (!id.valid()) internal_error("a fused function gives what it was given");
    const Op& op = fused_.op(id);
    const auto kept = kept_.find(v);
    ValueId value;
    if (kept != kept_.end() && kept->second.phase < phase_) {
        value = load_piece(outputs_[kept->second.result], at_, static_cast<int64_t>(*axes_.axis));
    } else if (moves_elements(fused_, id) || op.kind == OpKind::reduce) {
        value = operand(id, 0);  // a `reduce` over one element
    } else {
        Values operands;
        for (size_t i = 0; i < op.operands.size(); ++i) operands.push_back(operand(id, i));
        builder_->set_place(op.place);
        value = builder_->value(op.kind, std::move(operands), op.attrs);
    }
    return values_[v] = value;
}

}  // namespace tsr::ir
