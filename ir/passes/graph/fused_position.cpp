#include "ir/passes/graph/fused_position.h"

#include <algorithm>
#include <numeric>

#include "ir/ops/handle.h"

namespace tsr::ir {

bool FusedPosition::runs_along_row(const TensorAccess& access) const {
    return axes_.axis && std::ranges::find(access.axes, *axes_.axis) != access.axes.end();
}

bool FusedPosition::runs_along_tile(const TensorAccess& access) const {
    return std::ranges::find_first_of(access.axes, tile_axes_) != access.axes.end();
}

bool FusedPosition::gives_tile(const TensorAccess& access) const {
    return tiles_ && (axes_.axis ? runs_along_row(access) : runs_along_tile(access));
}

ValueId FusedPosition::expanded(ValueId tile, const std::vector<int64_t>& places) {
    return builder_->value(OpKind::expand, {tile}, {{Attr::shape, tile_shape()}, {Attr::axes, places}});
}

ValueId FusedPosition::repeated(ValueId of_row) {
    if (builder_->function().type(of_row).kind == TypeKind::tile) return expanded(of_row, {0});
    return expanded(of_row, {});
}

ValueId FusedPosition::of_row(ValueId value) {
    if (rows_ == 1 || builder_->function().type(value).kind == TypeKind::tile) return value;
    return builder_->value(
        OpKind::expand, {value},
        {{Attr::shape, std::vector<Dim>{Dim::constant(rows_)}}, {Attr::axes, std::vector<int64_t>{}}});
}

ValueId FusedPosition::iota(int64_t axis) {
    return builder_->value(OpKind::tile_iota, {}, {{Attr::shape, tile_shape()}, {Attr::axis, axis}});
}

void FusedPosition::store(ValueId v, const Values& at) {
    const ValueSpan results = yielded(fused_, fused_.body);
    for (size_t i = 0; i < results.size(); ++i) {
        if (results[i] == v) store_in(i, computed_value(v), at);
    }
}

void FusedPosition::store_in(size_t result, ValueId value, const Values& at, bool waits) {
    if (!tiles_) {
        builder_->write(outputs_[result], value, at);
        return;
    }
    Values operands{outputs_[result], value};
    operands.insert(operands.end(), at.begin(), at.end());
    Attrs attrs{{Attr::axes, std::vector<int64_t>(tile_axes_.begin(), tile_axes_.end())}};
    if (waits) attrs.set_flag(Attr::waits);
    builder_->emit(OpKind::store_tile, std::move(operands), std::move(attrs));
}

void FusedPosition::store_of_row(size_t result, ValueId value, const Values& at) {
    if (rows_ == 1) {
        builder_->write(outputs_[result], value, at);
        return;
    }
    Values operands{outputs_[result], of_row(value)};
    operands.insert(operands.end(), at.begin(), at.end());
    builder_->emit(OpKind::store_tile, std::move(operands),
                   {{Attr::axes, std::vector<int64_t>{static_cast<int64_t>(at.size()) - 1}}});
}

ValueId FusedPosition::load_piece(ValueId memory, const Values& at, const std::vector<size_t>& axes, ValueId fill,
                                  bool waits) {
    Values operands{memory};
    operands.insert(operands.end(), at.begin(), at.end());
    if (fill.valid()) operands.push_back(fill);
    const std::vector<Dim> whole = tile_shape();
    std::vector<int64_t> taken, places;
    std::vector<Dim> shape;
    for (size_t axis = 0; axis < axes.size(); ++axis) {
        const auto place = std::ranges::find(tile_axes_, axes[axis]);
        if (place == tile_axes_.end()) continue;
        taken.push_back(static_cast<int64_t>(axis));
        places.push_back(place - tile_axes_.begin());
        shape.push_back(whole[static_cast<size_t>(places.back())]);
    }
    Attrs attrs{{Attr::shape, std::move(shape)}, {Attr::axes, std::move(taken)}};
    if (waits) attrs.set_flag(Attr::waits);
    const ValueId tile = builder_->value(OpKind::load_tile, std::move(operands), std::move(attrs));
    const bool of_rows = rows_ > 1 && places == std::vector<int64_t>{0};
    if (of_rows) return tile;
    if (places.size() < tile_axes_.size()) return expanded(tile, places);
    return std::ranges::is_sorted(places) ? tile : builder_->value(OpKind::transpose, {tile});
}

ValueId FusedPosition::index_along(const TensorAccess& access, size_t axis) {
    const Start& start = access.starts[axis];
    ValueId index;
    const auto add = [&](ValueId more) { index = index.valid() ? builder_->add(index, more) : more; };
    if (access.axes[axis] != AxisMap::kNone) add(at_[access.axes[axis]]);
    for (ValueId v : start.scalars) add(scalar(v));
    if (start.offset != 0) add(builder_->index(start.offset));
    return index.valid() ? index : zero_;
}

ValueId FusedPosition::element_of(ValueId input, const TensorAccess& access) {
    if (const auto known = reads_.find({input, access}); known != reads_.end()) return known->second;
    Values at;
    for (size_t axis = 0; axis < access.axes.size(); ++axis) at.push_back(index_along(access, axis));
    if (at.empty()) at.push_back(zero_);
    const ValueId memory = inputs_.at(input);
    ValueId fill;
    if (const auto given = fills_.find(input); given != fills_.end() && gives_tile(access)) {
        const DType type = fused_.type(input).elem;
        fill = builder_->value(OpKind::constant, {}, {{Attr::value, given->second}, {Attr::type, type}});
    }
    const ValueId value =
        runs_along_tile(access) ? load_piece(memory, at, access.axes, fill) : builder_->read(memory, at);
    return reads_[{input, access}] = value;
}

ValueId FusedPosition::number_of(ValueId positions, const TensorAccess& access) {
    const DType type = fused_.type(positions).elem;
    // An axis of one element is left out.
    const ValueId first = builder_->cast(access.axes.empty() ? zero_ : index_along(access, 0), type);
    if (!runs_along_tile(access)) return first;
    const int64_t place = std::ranges::find(tile_axes_, access.axes[0]) - tile_axes_.begin();
    if (gives_tile(access)) return builder_->add(repeated(first), builder_->cast(iota(place), type));
    const ValueId row = builder_->value(
        OpKind::tile_iota, {}, {{Attr::shape, std::vector<Dim>{Dim::constant(rows_)}}, {Attr::axis, int64_t{0}}});
    return builder_->add(of_row(first), builder_->cast(row, type));
}

void FusedPosition::read_row() {
    for (OpId id : computed(fused_)) {
        for (const AxisMap& source : sources_of(fused_, id)) {
            const bool tensor = fused_.type(source.base).kind == TypeKind::tensor;
            if (!tensor || !inputs_.contains(source.base) || runs_along_row(access(source, id))) continue;
            (void)element_of(source.base, access(source, id));
        }
    }
}

ValueId FusedPosition::taken(OpId user) { return source(sources_of(fused_, user).front(), user); }

ValueId FusedPosition::operand(OpId user, size_t number) { return source(sources_of(fused_, user)[number], user); }

ValueId FusedPosition::source(const AxisMap& from, OpId user) {
    ValueId value;
    bool is_of_row = true;  // or one
    if (fused_.type(from.base).is_scalar() && !phases_.is_computed(from.base)) {
        value = scalar(from.base);
    } else if (inputs_.contains(from.base) || defined_by(fused_, from.base, OpKind::positions)) {
        const TensorAccess read = access(from, user);
        value = inputs_.contains(from.base) ? element_of(from.base, read) : number_of(from.base, read);
        is_of_row = !gives_tile(read);
    } else {
        value = computed_value(from.base);
        is_of_row = !is_whole(from.base);
    }
    if (!tiles_ || !is_of_row) return value;
    return is_whole(user) ? repeated(value) : of_row(value);
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
        std::vector<size_t> all(at_.size());
        std::iota(all.begin(), all.end(), size_t{0});
        value = load_piece(outputs_[kept->second.result], at_, all, {}, true);
    } else if (moves_elements(fused_, id) || op.kind == OpKind::reduce) {
        value = taken(id);  // a `reduce` over one element
    } else {
        Values operands;
        for (size_t i = 0; i < op.operands.size(); ++i) operands.push_back(operand(id, i));
        builder_->set_place(op.place);
        value = builder_->value(op.kind, std::move(operands), op.attrs);
    }
    return values_[v] = value;
}

}  // namespace tsr::ir
