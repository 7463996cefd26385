#include "ir/passes/tile/form_groups.h"

#include <algorithm>
#include <optional>

#include "ir/passes/tile/pending_lanes.h"
#include "ir/passes/tile/walk.h"

namespace tsr::ir {

namespace {

class Former {
public:
    Former(const Function& kernel, const KernelShape& shape) : old_(kernel), shape_(shape), new_(kernel) {
        new_.body = new_.add_region({});
        for (ValueId param : old_.params()) {
            new_.region(new_.body).args.push_back(param);
            new_.value(param).region = new_.body;
            group_values_[param] = param;
        }
        group_ = new_.body;
        count_uses();
    }

    Function run() {
        group_region(old_.body);
        flush();
        emit_yield(group_, {});
        for (size_t i = 0; i < buffers_.size(); ++i) new_.insert(new_.body, i, buffers_[i]);
        return std::move(new_);
    }

private:
    [[nodiscard]] bool flat() const { return old_.kernel.flat; }
    [[nodiscard]] bool varies(ValueId v) const { return shape_.variability.is_varying(v); }
    [[nodiscard]] const std::vector<ValueId>& yielded(RegionId region) const {
        return old_.op(old_.region(region).ops.back()).operands;
    }

    void count_uses() {
        walk(old_, old_.body, [&](OpId id) {
            const Op& op = old_.op(id);
            for (ValueId v : op.operands) ++uses_[v];
            if (ValueId m = written_memory(op); m.valid()) written_anywhere_.insert(memory_root(old_, m));
            if (ValueId m = written_memory(op); m.valid() && !shape_.variability.is_groups(old_, id)) {
                written_by_tiles_.insert(memory_root(old_, m));
            }
        });
    }

    // ---- emitting ----

    ValueId emit(RegionId region, OpKind kind, PlaceId place, std::vector<ValueId> operands, const Type& type,
                 Attrs attrs = {}) {
        OpId op = new_.add_op(kind, place, std::move(operands), {type}, std::move(attrs));
        new_.append(region, op);
        return new_.op(op).results[0];
    }
    ValueId emit_index(RegionId region, int64_t value, PlaceId place) {
        return emit(region, OpKind::constant, place, {}, Type::scalar(DType::index),
                    {{Attr::value, value}, {Attr::type, DType::index}});
    }
    void emit_yield(RegionId region, std::vector<ValueId> values) {
        new_.append(region, new_.add_op(OpKind::yield, old_.place, std::move(values), {}));
    }

    // ---- values ----

    [[nodiscard]] bool has_group_value(ValueId old) const { return group_values_.contains(old); }

    [[nodiscard]] bool group_ready(const Op& op) const {
        return std::ranges::all_of(op.operands, [&](ValueId v) { return has_group_value(v); });
    }

    // Cheap, and made of uniform values and tile ids alone: made again in each region that needs it.
    [[nodiscard]] bool is_remade(ValueId old) const {
        if (has_group_value(old)) return true;
        OpId id = old_.value(old).op;
        if (!id.valid() || shape_.variability.is_divergent(id)) return false;
        const Op& op = old_.op(id);
        if (op.kind == OpKind::tile_id || op.kind == OpKind::lane_id) return true;
        bool cheap = op.kind <= OpKind::bitcast && op.kind != OpKind::pow && op.kind != OpKind::atan2;
        return cheap && std::ranges::all_of(op.operands, [&](ValueId v) { return is_remade(v); });
    }

    ValueId lane_value(ValueId old) {
        PendingLanes& lanes = open_lanes();
        if (auto found = lanes.values.find(old); found != lanes.values.end()) return found->second;
        if (auto found = group_values_.find(old); found != group_values_.end()) return found->second;
        if (auto found = arrays_.find(old); found != arrays_.end()) {
            const Type& array = new_.type(found->second);
            Type type = array.width ? Type::vector(array.elem, array.width) : Type::scalar(array.elem);
            return lanes.values[old] = emit(lanes.region, OpKind::lane_read, old_.place, {found->second}, type);
        }
        const Op& op = old_.op(old_.value(old).op);
        if (op.kind == OpKind::tile_id || op.kind == OpKind::lane_id) return lanes.values[old] = tile_number(op);
        std::vector<ValueId> operands;
        for (ValueId v : op.operands) operands.push_back(lane_value(v));
        return lanes.values[old] = emit(lanes.region, op.kind, op.place, operands, old_.type(old), op.attrs);
    }

    // tile_id and lane_id out of the region's number of the tile.
    ValueId tile_number(const Op& op) {
        PendingLanes& lanes = *lanes_;
        auto part = [&](ValueId from, OpKind kind, int64_t by) {
            return emit(lanes.region, kind, op.place, {from, emit_index(lanes.region, by, op.place)},
                        Type::scalar(DType::index));
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

    // ---- the pending region ----

    PendingLanes& open_lanes() {
        if (!lanes_) {
            lanes_.emplace();
            lanes_->region = new_.add_region({});
            lanes_->tile = new_.add_arg(lanes_->region, Type::scalar(DType::index), "tile");
        }
        return *lanes_;
    }

    void flush() {
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
        ValueId count = flat() ? emit(group_, OpKind::group_count, old_.place, {}, Type::scalar(DType::index))
                               : emit_index(group_, old_.kernel.group_size(), old_.place);
        append_lanes(lanes.region, {zero, count, one}, types, flat() ? LanesOver::domain : LanesOver::tiles,
                     old_.place);
        const Op& op = new_.op(new_.region(group_).ops.back());
        for (size_t i = 0; i < leaving.size(); ++i) arrays_[leaving[i]] = op.results[i];
    }

    void append_lanes(RegionId region, std::vector<ValueId> bounds, const std::vector<Type>& types, LanesOver over,
                      PlaceId place) {
        OpId op =
            new_.add_op(OpKind::lanes, place, std::move(bounds), types, {{Attr::over, static_cast<int64_t>(over)}});
        new_.op(op).regions.push_back(region);
        new_.region(region).parent = op;
        new_.append(group_, op);
    }

    // Lane arrays of these values, also of uniform ones. Ends the pending region.
    std::vector<ValueId> as_arrays(const std::vector<ValueId>& olds) {
        std::vector<ValueId> missing;
        for (ValueId old : olds) {
            if (arrays_.contains(old) && !(lanes_ && lanes_->values.contains(old) && !has_group_value(old))) continue;
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

    // ---- lane code: copied as it stands ----

    void lane_statement(OpId id) {
        PendingLanes& lanes = open_lanes();
        Touched touched = touched_by(old_, id);
        lanes.touched.read.merge(touched.read);
        lanes.touched.written.merge(touched.written);
        lanes.touched.says |= touched.says;
        copy_into(lanes.region, id);
        for (ValueId result : old_.op(id).results) lanes.defined.push_back(result);
    }

    // `into` may be below the pending region. What the copy needs from outside is made at the pending region's top
    // level.
    void copy_into(RegionId into, OpId id) {
        const Op& op = old_.op(id);
        PendingLanes& lanes = open_lanes();
        if (op.kind == OpKind::tile_id || op.kind == OpKind::lane_id) {
            lane_value(op.results[0]);
            return;
        }
        if (op.kind == OpKind::buffer) return group_buffer(id);
        std::vector<ValueId> operands;
        for (ValueId v : op.operands) {
            ++lanes.consumed[v];
            operands.push_back(lane_value(v));
        }
        std::vector<Type> types;
        for (ValueId result : op.results) types.push_back(old_.type(result));
        OpId copy = new_.add_op(op.kind, op.place, operands, types, op.attrs);
        for (size_t i = 0; i < op.results.size(); ++i) {
            lanes.values[op.results[i]] = new_.op(copy).results[i];
            new_.value(new_.op(copy).results[i]).name = old_.value(op.results[i]).name;
        }
        for (RegionId region : op.regions) copy_region(copy, region);
        new_.append(into, copy);
    }

    void copy_region(OpId parent, RegionId region) {
        RegionId made = new_.add_region(parent);
        for (ValueId arg : old_.region(region).args) {
            lanes_->values[arg] = new_.add_arg(made, old_.type(arg), old_.value(arg).name);
        }
        for (OpId op : old_.region(region).ops) copy_into(made, op);
    }

    // ---- group code ----

    void group_region(RegionId region) {
        for (OpId op : old_.region(region).ops) {
            if (old_.op(op).kind != OpKind::yield) statement(op);
        }
    }

    void statement(OpId id) {
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

    void group_buffer(OpId id) {
        const Op& op = old_.op(id);
        OpId copy = new_.add_op(op.kind, op.place, {}, {old_.type(op.results[0])}, op.attrs);
        buffers_.push_back(copy);
        group_values_[op.results[0]] = new_.op(copy).results[0];
        new_.value(new_.op(copy).results[0]).name = old_.value(op.results[0]).name;
    }

    OpId group_copy(OpId id) {
        const Op& op = old_.op(id);
        std::vector<ValueId> operands;
        for (ValueId v : op.operands) operands.push_back(group_values_.at(v));
        std::vector<Type> types;
        for (ValueId result : op.results) types.push_back(old_.type(result));
        OpId copy = new_.add_op(op.kind, op.place, operands, types, op.attrs);
        new_.append(group_, copy);
        for (size_t i = 0; i < op.results.size(); ++i) {
            group_values_[op.results[i]] = new_.op(copy).results[i];
            new_.value(new_.op(copy).results[i]).name = old_.value(op.results[i]).name;
        }
        return copy;
    }

    // Operands that differ between tiles come as lane arrays; so do results that do.
    void collective(OpId id) {
        const Op& op = old_.op(id);
        bool of_lanes = op.kind == OpKind::group_reduce || op.kind == OpKind::group_scan ||
                        op.kind == OpKind::shuffle || op.kind == OpKind::broadcast || op.kind == OpKind::ballot;
        std::vector<ValueId> operands;
        if (of_lanes) {
            operands = as_arrays(op.operands);
        } else {
            flush();
            for (ValueId v : op.operands) operands.push_back(group_values_.at(v));
        }
        std::vector<Type> types;
        for (ValueId result : op.results) {
            types.push_back(varies(result) ? Type::lane_array(old_.type(result).elem) : old_.type(result));
        }
        OpId copy = new_.add_op(op.kind, op.place, operands, types, op.attrs);
        new_.append(group_, copy);
        for (size_t i = 0; i < op.results.size(); ++i) bind(op.results[i], new_.op(copy).results[i]);
    }

    void bind(ValueId old, ValueId made) { (varies(old) ? arrays_ : group_values_)[old] = made; }

    // ---- control flow ----

    void control(OpId id) {
        LoopRole role = shape_.roles[id.index];
        if (role == LoopRole::element_grid || role == LoopRole::tile_loop) return spread_loop(id, role);
        if (role == LoopRole::grid_loop) return grid(id);
        if (stays_in_lanes(id)) return lane_statement(id);
        if (lanes_ && (holds_lane_code(id) || lanes_->touched.conflicts(touched_by(old_, id)))) flush();
        group_control(id);
    }

    [[nodiscard]] bool holds_lane_code(OpId id) const {
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

    [[nodiscard]] bool diverges(OpId id) const {
        const Op& op = old_.op(id);
        if (op.kind == OpKind::while_) return varies(yielded(op.regions[0])[0]);
        size_t bounds = op.kind == OpKind::for_ ? 3 : 1;
        return std::ranges::any_of(op.operands.begin(), op.operands.begin() + static_cast<std::ptrdiff_t>(bounds),
                                   [&](ValueId v) { return varies(v); });
    }

    // Divergent control is one tile's own. Uniform control stays with the lane code in it, unless a group statement in
    // it, or a value it gives to the group, asks for a split.
    [[nodiscard]] bool stays_in_lanes(OpId id) const {
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

    [[nodiscard]] bool touches_memory(OpId id) const {
        Touched touched = touched_by(old_, id);
        return !touched.written.empty() || touched.says ||
               std::ranges::any_of(touched.read, [&](ValueId m) { return written_anywhere_.contains(m); });
    }

    [[nodiscard]] bool asks_for_split(OpId id) const {
        const Op& op = old_.op(id);
        if ((op.kind != OpKind::yield && is_collective(old_, op)) || shape_.roles[id.index] == LoopRole::tile_loop)
            return true;
        if (op.kind == OpKind::result) return true;
        if (!op.regions.empty() || !shape_.variability.is_groups(old_, id)) return false;
        Touched touched = touched_by(old_, id);
        return !touched.written.empty() || touched.says ||
               std::ranges::any_of(touched.read, [&](ValueId m) { return written_by_tiles_.contains(m); });
    }

    void group_control(OpId id) {
        const Op op = old_.op(id);
        size_t bounds = op.kind == OpKind::for_ ? 3 : op.kind == OpKind::if_ ? 1 : 0;
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
        std::vector<Type> types;
        for (ValueId result : op.results) types.push_back(group_type(result));
        OpId copy = new_.add_op(op.kind, op.place, operands, types, op.attrs);
        for (size_t i = 0; i < op.regions.size(); ++i) group_subregion(copy, op, i);
        new_.append(group_, copy);
        for (size_t i = 0; i < op.results.size(); ++i) bind(op.results[i], new_.op(copy).results[i]);
    }

    [[nodiscard]] Type group_type(ValueId old) const {
        const Type& type = old_.type(old);
        return varies(old) ? Type::lane_array(type.elem, type.is_vector() ? type.width : 0) : type;
    }

    void group_subregion(OpId parent, const Op& op, size_t number) {
        RegionId made = new_.add_region(parent);
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
    }

    // ---- spread loops ----

    void spread_loop(OpId id, LoopRole role) {
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
                typed = emit(lanes_->region, OpKind::cast, old_.op(loop).place, {arg}, old_.type(iv),
                             {{Attr::type, old_.type(iv).elem}});
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

    // A bound as an index, in group code. Pure values between the loops of a nest are made there too.
    ValueId group_bound(ValueId old) {
        if (!has_group_value(old)) {
            const Op op = old_.op(old_.value(old).op);
            for (ValueId v : op.operands) group_bound(v);
            group_copy(old_.value(old).op);
        }
        ValueId value = group_values_.at(old);
        if (new_.type(value).elem == DType::index || !new_.type(value).is_scalar()) return value;
        return emit(group_, OpKind::cast, old_.place, {value}, Type::scalar(DType::index),
                    {{Attr::type, DType::index}});
    }

    // The tile that does a round of a tile loop: the rounds are dealt in turn. Dead code where nobody asks.
    ValueId round_number(const std::vector<ValueId>& bounds, PlaceId place) {
        RegionId region = lanes_->region;
        auto index = [&](OpKind kind, ValueId a, ValueId b) {
            return emit(region, kind, place, {a, b}, Type::scalar(DType::index));
        };
        ValueId number;
        for (size_t axis = 0; axis * 3 < bounds.size(); ++axis) {
            ValueId lower = bounds[axis * 3];
            ValueId upper = bounds[axis * 3 + 1];
            ValueId step = bounds[axis * 3 + 2];
            ValueId at = index(OpKind::floordiv, index(OpKind::sub, new_.region(region).args[axis], lower), step);
            if (number.valid()) {
                ValueId whole =
                    emit(region, OpKind::neg, place, {index(OpKind::floordiv, index(OpKind::sub, lower, upper), step)},
                         Type::scalar(DType::index));
                at = index(OpKind::add, index(OpKind::mul, number, whole), at);
            }
            number = at;
        }
        return index(OpKind::mod, number, emit_index(region, old_.kernel.group_size(), place));
    }

    void grid(OpId id) {
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
                arg = emit(region, OpKind::cast, old_.op(loop).place, {arg}, old_.type(iv),
                           {{Attr::type, old_.type(iv).elem}});
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

    const Function& old_;
    const KernelShape& shape_;
    Function new_;
    RegionId group_;                     // where group statements go
    std::optional<PendingLanes> lanes_;  // what comes after them
    std::vector<OpId> buffers_;
    std::unordered_map<ValueId, ValueId> group_values_;  // old → new
    std::unordered_map<ValueId, ValueId> arrays_;        // old → new lane array
    std::unordered_map<ValueId, size_t> uses_;
    std::unordered_set<ValueId> written_anywhere_;
    std::unordered_set<ValueId> written_by_tiles_;
};

}  // namespace

Function form_groups(const Function& kernel, const KernelShape& shape) { return Former(kernel, shape).run(); }

}  // namespace tsr::ir
