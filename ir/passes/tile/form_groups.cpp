#include "ir/passes/tile/form_groups.h"

#include <algorithm>

#include "ir/ops/effects.h"
#include "ir/passes/tile/former.h"
#include "ir/passes/tile/walk.h"

namespace tsr::ir {

Function Former::run() {
    group_region(old_.body);
    flush();
    emit_yield(group_, {});
    for (size_t i = 0; i < buffers_.size(); ++i) new_.insert(new_.body, i, buffers_[i]);
    return std::move(new_);
}

const std::vector<ValueId>& Former::yielded(RegionId region) const {
    return old_.op(old_.region(region).ops.back()).operands;
}

void Former::count_uses() {
    walk(old_, old_.body, [&](OpId id) {
        const Op& op = old_.op(id);
        for (ValueId v : op.operands) ++uses_[v];
        for (ValueId m : written_memories(old_, op)) {
            written_anywhere_.insert(memory_root(old_, m));
            if (!shape_.variability.is_groups(old_, id)) written_by_tiles_.insert(memory_root(old_, m));
        }
    });
}

ValueId Former::emit(RegionId region, OpKind kind, PlaceId place, std::vector<ValueId> operands, Attrs attrs) {
    Builder at = Builder::at_end(new_, region);
    at.set_place(place);
    return at.value(kind, std::move(operands), std::move(attrs));
}

ValueId Former::emit_index(RegionId region, int64_t value, PlaceId place) {
    return emit(region, OpKind::constant, place, {}, {{Attr::value, value}, {Attr::type, DType::index}});
}

void Former::emit_yield(RegionId region, std::vector<ValueId> values) {
    new_.append(region, new_.add_op(OpKind::yield, old_.place, std::move(values), {}));
}

bool Former::group_ready(const Op& op) const {
    return std::ranges::all_of(op.operands, [&](ValueId v) { return has_group_value(v); });
}

bool Former::is_remade(ValueId old) const {
    if (has_group_value(old)) return true;
    OpId id = old_.value(old).op;
    if (!id.valid() || shape_.variability.is_divergent(id)) return false;
    const Op& op = old_.op(id);
    if (op.kind == OpKind::tile_id || op.kind == OpKind::lane_id) return true;
    return is_element(op.kind) && record(op.kind).cost < Cost::formula &&
           std::ranges::all_of(op.operands, [&](ValueId v) { return is_remade(v); });
}

ValueId Former::lane_value(ValueId old) {
    PendingLanes& lanes = open_lanes();
    Cloner cloner(old_, new_, lanes.values);
    cloner.names = false;
    cloner.outside = [&](ValueId v) { return from_outside(v); };
    cloner.replaces = [&](Builder&, OpId id) {
        const Op& op = old_.op(id);
        if (op.kind != OpKind::tile_id && op.kind != OpKind::lane_id) return false;
        lanes.values[op.results[0]] = tile_number(op);
        return true;
    };
    Builder at = Builder::at_end(new_, lanes.region);
    return cloner.value(at, old);
}

ValueId Former::from_outside(ValueId old) {
    if (auto found = group_values_.find(old); found != group_values_.end()) return found->second;
    auto found = arrays_.find(old);
    if (found == arrays_.end()) return {};
    PendingLanes& lanes = *lanes_;
    return lanes.values[old] = emit(lanes.region, OpKind::lane_read, old_.place, {found->second});
}

ValueId Former::tile_number(const Op& op) {
    PendingLanes& lanes = *lanes_;
    auto part = [&](ValueId from, OpKind kind, int64_t by) {
        return emit(lanes.region, kind, op.place, {from, emit_index(lanes.region, by, op.place)});
    };
    if (op.kind == OpKind::lane_id) return part(lanes.tile, OpKind::mod, 32);
    if (!op.attrs.has(Attr::axis)) return lanes.tile;
    auto axis = static_cast<size_t>(op.attrs.integer(Attr::axis));
    const auto& shape = old_.kernel.group_shape;
    int64_t below = 1;
    for (size_t i = 0; i < axis && i < shape.size(); ++i) below *= shape[i];
    ValueId number = below == 1 ? lanes.tile : part(lanes.tile, OpKind::floordiv, below);
    if (axis + 1 >= shape.size()) return number;
    return part(number, OpKind::mod, shape[axis]);
}

PendingLanes& Former::open_lanes() {
    if (!lanes_) {
        lanes_.emplace();
        lanes_->region = new_.add_region({});
        lanes_->tile = new_.add_arg(lanes_->region, Type::scalar(DType::index), "tile");
    }
    return *lanes_;
}

void Former::flush() {
    if (!lanes_) return;
    PendingLanes lanes = std::move(*lanes_);
    lanes_.reset();
    std::vector<ValueId> leaving;
    for (ValueId old : lanes.defined) {
        if (lanes.consumed[old] < uses_[old]) leaving.push_back(old);
    }
    for (ValueId old : lanes.forced) {
        if (std::ranges::find(leaving, old) == leaving.end()) leaving.push_back(old);
    }
    std::vector<ValueId> values;
    std::vector<Type> types;
    for (ValueId old : leaving) {
        auto local = lanes.values.find(old);
        values.push_back(local != lanes.values.end() ? local->second : group_values_.at(old));
        const Type& type = old_.type(old);
        types.push_back(Type::lane_array(type.elem, type.is_vector() ? type.width : 0));
    }
    if (leaving.empty() && new_.region(lanes.region).ops.empty()) return;
    emit_yield(lanes.region, values);
    ValueId zero = emit_index(group_, 0, old_.place);
    ValueId one = emit_index(group_, 1, old_.place);
    ValueId count = flat() ? emit(group_, OpKind::group_count, old_.place, {})
                           : emit_index(group_, old_.kernel.group_size(), old_.place);
    append_lanes(lanes.region, {zero, count, one}, types, flat() ? LanesOver::domain : LanesOver::tiles, old_.place);
    const Op& op = new_.op(new_.region(group_).ops.back());
    for (size_t i = 0; i < leaving.size(); ++i) arrays_[leaving[i]] = op.results[i];
}

void Former::append_lanes(RegionId region, std::vector<ValueId> bounds, const std::vector<Type>& types, LanesOver over,
                          PlaceId place) {
    OpId op = new_.add_op(OpKind::lanes, place, std::move(bounds), types, {{Attr::over, static_cast<int64_t>(over)}});
    new_.op(op).regions.push_back(region);
    new_.region(region).parent = op;
    new_.append(group_, op);
}

std::vector<ValueId> Former::as_arrays(const std::vector<ValueId>& olds) {
    std::vector<ValueId> missing;
    for (ValueId old : olds) {
        if (arrays_.contains(old)) continue;
        lane_value(old);
        open_lanes().forced.push_back(old);
        missing.push_back(old);
    }
    flush();
    std::vector<ValueId> out;
    for (ValueId old : olds) out.push_back(arrays_.at(old));
    for (ValueId old : missing) {
        if (has_group_value(old) || is_remade(old)) arrays_.erase(old);  // others go on reading the cheap form
    }
    return out;
}

void Former::lane_statement(OpId id) {
    PendingLanes& lanes = open_lanes();
    Touched touched = touched_by(old_, id);
    lanes.touched.read.merge(touched.read);
    lanes.touched.written.merge(touched.written);
    lanes.touched.says |= touched.says;
    copy_into(lanes.region, id);
    for (ValueId result : old_.op(id).results) lanes.defined.push_back(result);
}

void Former::copy_into(RegionId into, OpId id) {
    Cloner cloner(old_, new_, open_lanes().values);
    cloner.outside = [&](ValueId v) { return lane_value(v); };
    cloner.replaces = [&](Builder&, OpId inner) { return lane_replaces(inner); };
    Builder at = Builder::at_end(new_, into);
    cloner.copy(at, id);
}

bool Former::lane_replaces(OpId id) {
    const Op& op = old_.op(id);
    if (op.kind == OpKind::tile_id || op.kind == OpKind::lane_id) return lane_value(op.results[0]).valid();
    if (op.kind == OpKind::buffer) {
        group_buffer(id);
        return true;
    }
    for (ValueId v : op.operands) ++lanes_->consumed[v];
    return false;
}

void Former::group_region(RegionId region) {
    for (OpId op : old_.region(region).ops) {
        if (old_.op(op).kind != OpKind::yield) statement(op);
    }
}

void Former::statement(OpId id) {
    const Op& op = old_.op(id);
    if (op.kind == OpKind::buffer) return group_buffer(id);
    if (!op.regions.empty()) return control(id);
    if (is_collective(old_, op)) return collective(id);
    bool groups = shape_.variability.is_groups(old_, id) && group_ready(op);
    if (is_pure(op.kind)) {
        if (groups) {
            group_copy(id);
            return;
        }
        if (is_remade(op.results[0])) return;
        return lane_statement(id);
    }
    if (flat() && groups && op.kind != OpKind::result) {
        Touched touched = touched_by(old_, id);
        bool fixed = touched.written.empty() && !touched.says &&
                     std::ranges::none_of(touched.read, [&](ValueId m) { return written_anywhere_.contains(m); });
        if (!fixed) return lane_statement(id);
        group_copy(id);
        return;
    }
    if (!groups) return lane_statement(id);
    if (lanes_ && lanes_->touched.conflicts(touched_by(old_, id))) flush();
    group_copy(id);
}

void Former::group_buffer(OpId id) { buffers_.push_back(Cloner(old_, new_, group_values_).make(id)); }

void Former::group_copy(OpId id) {
    Builder at = Builder::at_end(new_, group_);
    Cloner(old_, new_, group_values_).copy(at, id);
}

void Former::collective(OpId id) {
    const Op& op = old_.op(id);
    bool of_lanes = op.kind == OpKind::group_reduce || op.kind == OpKind::group_scan || op.kind == OpKind::shuffle ||
                    op.kind == OpKind::broadcast || op.kind == OpKind::ballot;
    // What tiles exchange are arrays with an element of each.
    ValueMap arrays;
    if (of_lanes) {
        const std::vector<ValueId> made = as_arrays(op.operands);
        for (size_t i = 0; i < made.size(); ++i) arrays[op.operands[i]] = made[i];
    } else {
        flush();
    }
    Builder at = Builder::at_end(new_, group_);
    Cloner cloner(old_, new_, of_lanes ? arrays : group_values_);
    cloner.names = false;
    cloner.copy(at, id);
    if (!of_lanes) return;
    for (ValueId result : op.results) bind(result, arrays.at(result));
}

Function form_groups(const Function& kernel, const KernelShape& shape) { return Former(kernel, shape).run(); }

}  // namespace tsr::ir
