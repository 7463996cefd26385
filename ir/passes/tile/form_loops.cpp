// Loops and branches of a kernel: the group's, spread over its tiles, or spread over the groups.
#include <algorithm>

#include "ir/ops/control.h"
#include "ir/ops/effects.h"
#include "ir/passes/tile/former.h"
#include "ir/passes/tile/walk.h"

namespace tsr::ir {

void Former::control(OpId id) {
    LoopRole role = shape_.roles[id.index];
    if (role == LoopRole::element_grid || role == LoopRole::tile_loop) return spread_loop(id, role);
    if (role == LoopRole::grid_loop) return grid(id);
    if (stays_in_lanes(id)) return lane_statement(id);
    if (lanes_ && (holds_lane_code(id) || lanes_->touched.conflicts(touched_by(old_, id)))) flush();
    group_control(id);
}

bool Former::holds_lane_code(OpId id) const {
    bool found = false;
    for (RegionId region : old_.op(id).regions) {
        walk(old_, region, [&](OpId inner) {
            const Op& op = old_.op(inner);
            found |=
                op.kind != OpKind::yield && op.kind != OpKind::buffer && !shape_.variability.is_groups(old_, inner);
        });
    }
    return found || std::ranges::any_of(old_.op(id).results, [&](ValueId v) { return varies(v); });
}

bool Former::diverges(OpId id) const {
    const Op& op = old_.op(id);
    if (op.kind == OpKind::while_) return varies(yielded(op.regions[0])[0]);
    size_t bounds = op.kind == OpKind::for_ ? 3 : 1;
    return std::ranges::any_of(op.operands.begin(), op.operands.begin() + static_cast<std::ptrdiff_t>(bounds),
                               [&](ValueId v) { return varies(v); });
}

bool Former::stays_in_lanes(OpId id) const {
    if (diverges(id)) return true;
    const Op& op = old_.op(id);
    if (flat()) return holds_lane_code(id) || !group_ready(op) || touches_memory(id);
    if (!holds_lane_code(id)) return false;
    for (ValueId result : op.results) {
        auto used = uses_.find(result);
        if (!varies(result) && used != uses_.end() && used->second > 0) return false;
    }
    bool splits = false;
    for (RegionId region : op.regions) {
        walk(old_, region, [&](OpId inner) { splits |= asks_for_split(inner); });
    }
    return !splits;
}

bool Former::touches_memory(OpId id) const {
    Touched touched = touched_by(old_, id);
    return !touched.written.empty() || touched.says ||
           std::ranges::any_of(touched.read, [&](ValueId m) { return written_anywhere_.contains(m); });
}

bool Former::asks_for_split(OpId id) const {
    const Op& op = old_.op(id);
    if ((op.kind != OpKind::yield && is_collective(old_, op)) || shape_.roles[id.index] == LoopRole::tile_loop)
        return true;
    if (op.kind == OpKind::result) return true;
    if (!op.regions.empty() || !shape_.variability.is_groups(old_, id)) return false;
    Touched touched = touched_by(old_, id);
    return !touched.written.empty() || touched.says ||
           std::ranges::any_of(touched.read, [&](ValueId m) { return written_by_tiles_.contains(m); });
}

Type Former::group_type(ValueId old) const {
    const Type& type = old_.type(old);
    return varies(old) ? Type::lane_array(type.elem, type.is_vector() ? type.width : 0) : type;
}

// Not a copy: what differs between tiles it carries and gives as arrays, and its regions are formed anew.
void Former::group_control(OpId id) {
    const Op op = old_.op(id);
    const size_t bounds = op.kind == OpKind::if_ ? op.operands.size() : LoopOp(old_, op).bounds();
    std::vector<ValueId> varying_inits;
    for (size_t i = bounds; i < op.operands.size(); ++i) {
        if (varies(op.results[i - bounds])) varying_inits.push_back(op.operands[i]);
    }
    std::vector<ValueId> arrays = as_arrays(varying_inits);
    std::vector<ValueId> operands;
    for (size_t i = 0, next = 0; i < op.operands.size(); ++i) {
        bool array = i >= bounds && varies(op.results[i - bounds]);
        operands.push_back(array ? arrays[next++] : group_values_.at(op.operands[i]));
    }
    Builder at = Builder::at_end(new_, group_);
    at.set_place(op.place);
    const OpId copy = at.emit(op.kind, operands, op.attrs);
    if (op.kind == OpKind::if_) {
        for (ValueId result : op.results) new_.add_result(copy, group_type(result));
    }
    for (size_t i = 0; i < op.regions.size(); ++i) group_subregion(copy, op, i);
    for (size_t i = 0; i < op.results.size(); ++i) bind(op.results[i], new_.op(copy).results[i]);
}

void Former::group_subregion(OpId parent, const Op& op, size_t number) {
    RegionId made = new_.add_region(parent);
    const auto outer_arrays = arrays_;  // an array that is made in the region is not visible behind it
    for (ValueId arg : old_.region(op.regions[number]).args) {
        bind(arg, new_.add_arg(made, group_type(arg), old_.value(arg).name));
    }
    RegionId outside = group_;
    group_ = made;
    group_region(op.regions[number]);
    bool condition = op.kind == OpKind::while_ && number == 0;
    const auto& values = yielded(op.regions[number]);
    std::vector<ValueId> varying;
    for (size_t i = 0; i < values.size(); ++i) {
        if (!condition && varies(op.results[i])) varying.push_back(values[i]);
    }
    std::vector<ValueId> arrays = as_arrays(varying);
    std::vector<ValueId> out;
    for (size_t i = 0, next = 0; i < values.size(); ++i) {
        bool array = !condition && varies(op.results[i]);
        out.push_back(array ? arrays[next++] : group_values_.at(values[i]));
    }
    emit_yield(made, out);
    group_ = outside;
    arrays_ = outer_arrays;
}

void Former::spread_loop(OpId id, LoopRole role) {
    flush();
    auto nest = loop_nest(old_, id, shape_.roles);
    std::vector<ValueId> bounds;
    for (OpId loop : nest) {
        for (size_t i = 0; i < 3; ++i) bounds.push_back(group_bound(old_.op(loop).operands[i]));
    }
    lanes_.emplace();
    lanes_->region = new_.add_region({});
    for (OpId loop : nest) {
        ValueId iv = old_.region(old_.op(loop).regions[0]).args[0];
        ValueId arg = new_.add_arg(lanes_->region, Type::scalar(DType::index), old_.value(iv).name);
        ValueId typed = arg;
        if (old_.type(iv).elem != DType::index) {
            typed = emit(lanes_->region, OpKind::cast, old_.op(loop).place, {arg}, {{Attr::type, old_.type(iv).elem}});
        }
        lanes_->values[iv] = typed;
    }
    lanes_->tile = round_number(bounds, old_.op(id).place);
    for (size_t level = 0; level < nest.size(); ++level) {
        for (OpId inner : old_.region(old_.op(nest[level]).regions[0]).ops) {
            bool next = level + 1 < nest.size() && inner == nest[level + 1];
            if (!next && old_.op(inner).kind != OpKind::yield) copy_into(lanes_->region, inner);
        }
    }
    emit_yield(lanes_->region, {});
    RegionId region = lanes_->region;
    lanes_.reset();
    append_lanes(region, bounds, {}, role == LoopRole::tile_loop ? LanesOver::loop : LanesOver::domain,
                 old_.op(id).place);
}

ValueId Former::group_bound(ValueId old) {
    if (!has_group_value(old)) {
        const Op op = old_.op(old_.value(old).op);
        for (ValueId v : op.operands) group_bound(v);
        group_copy(old_.value(old).op);
    }
    ValueId value = group_values_.at(old);
    if (new_.type(value).elem == DType::index || !new_.type(value).is_scalar()) return value;
    return emit(group_, OpKind::cast, old_.place, {value}, {{Attr::type, DType::index}});
}

ValueId Former::round_number(const std::vector<ValueId>& bounds, PlaceId place) {
    RegionId region = lanes_->region;
    auto index = [&](OpKind kind, ValueId a, ValueId b) { return emit(region, kind, place, {a, b}); };
    ValueId number;
    for (size_t axis = 0; axis * 3 < bounds.size(); ++axis) {
        ValueId lower = bounds[axis * 3];
        ValueId upper = bounds[axis * 3 + 1];
        ValueId step = bounds[axis * 3 + 2];
        ValueId at = index(OpKind::floordiv, index(OpKind::sub, new_.region(region).args[axis], lower), step);
        if (number.valid()) {
            ValueId whole =
                emit(region, OpKind::neg, place, {index(OpKind::floordiv, index(OpKind::sub, lower, upper), step)});
            at = index(OpKind::add, index(OpKind::mul, number, whole), at);
        }
        number = at;
    }
    return index(OpKind::mod, number, emit_index(region, old_.kernel.group_size(), place));
}

void Former::grid(OpId id) {
    flush();
    auto nest = loop_nest(old_, id, shape_.roles);
    std::vector<ValueId> bounds;
    for (OpId loop : nest) {
        for (size_t i = 0; i < 3; ++i) bounds.push_back(group_bound(old_.op(loop).operands[i]));
    }
    OpId op = new_.add_op(OpKind::grid, old_.op(id).place, bounds, {});
    RegionId region = new_.add_region(op);
    RegionId outside = group_;
    group_ = region;
    for (OpId loop : nest) {
        ValueId iv = old_.region(old_.op(loop).regions[0]).args[0];
        ValueId arg = new_.add_arg(region, Type::scalar(DType::index), old_.value(iv).name);
        if (old_.type(iv).elem != DType::index) {
            arg = emit(region, OpKind::cast, old_.op(loop).place, {arg}, {{Attr::type, old_.type(iv).elem}});
        }
        group_values_[iv] = arg;
    }
    for (size_t level = 0; level < nest.size(); ++level) {
        for (OpId inner : old_.region(old_.op(nest[level]).regions[0]).ops) {
            bool next = level + 1 < nest.size() && inner == nest[level + 1];
            if (!next && old_.op(inner).kind != OpKind::yield) statement(inner);
        }
    }
    flush();
    emit_yield(region, {});
    group_ = outside;
    new_.append(group_, op);
}

}  // namespace tsr::ir
