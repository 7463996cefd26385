#include "ir/passes/graph/fused_kernel.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "ir/law/reduction.h"
#include "ir/ops/handle.h"
#include "ir/ops/reduction.h"
#include "ir/ops/register.h"
#include "ir/passes/graph/fused_position.h"

namespace tsr::ir {

namespace {

constexpr int64_t kLongestTile = 2048;  // a static row of no more is one tile

class FusedKernelMaker : FusedPosition {
public:
    FusedKernelMaker(const Function& fused, const FusedAxes& axes, RowWork work, RowTile tile)
        : FusedPosition(fused, axes, out_.kernel, tile_axes(fused, axes, work, tile)), work_(work), tile_(tile) {
        rows_ = tile.rows;
    }

    FusedKernel run() {
        out_.begin(fused_, tiles_);
        add_parameters();
        root_.to_end_of(kernel().body);
        root_.set_place(kernel().place);
        zero_ = builder_->index(0);
        one_ = builder_->index(1);
        width_ = kBlock;
        for (const Dim& extent : axes_.extents) extents_.push_back(builder_->dim(out_.renamed(extent)));
        at_.resize(axes_.extents.size());
        rows(0);
        builder_->yield({});
        return std::move(out_);
    }

private:
    static std::vector<size_t> tile_axes(const Function& fused, const FusedAxes& axes, RowWork work, RowTile tile) {
        if (work == RowWork::block) return block_axes(fused, axes);
        if (work == RowWork::lane || !axes.axis) return {};
        return tile.rows > 1 ? std::vector{axes.outer().back(), *axes.axis} : std::vector{*axes.axis};
    }
    Function& kernel() { return out_.kernel; }

    // ---- parameters ----
    std::vector<Dim> shape_along(const std::vector<size_t>& axes) const {
        std::vector<Dim> shape;
        for (size_t axis : axes) shape.push_back(axes_.extents[axis]);
        if (shape.empty()) shape.push_back(Dim::constant(1));
        return shape;
    }

    ValueId add_tensor(const Type& like, std::vector<Dim> shape, bool mut, const std::string& name) {
        return out_.add_parameter(Type::tensor(like.elem, std::move(shape), mut, like.policy), mut, name);
    }

    void add_parameters() {
        // Along which joined axes each tensor lies: the same in each of its uses. One that is not read whole has its
        // own axes.
        std::map<ValueId, std::vector<Dim>> shapes;
        for (OpId id : computed(fused_)) {
            for (const AxisMap& source : sources_of(fused_, id)) {
                const bool whole = source.takes_all();
                if (whole && shapes.contains(source.base)) continue;
                std::vector<Dim>& shape = shapes[source.base];
                shape = whole ? shape_along(access(source, id).axes) : long_extents(fused_.type(source.base));
                if (shape.empty()) shape.push_back(Dim::constant(1));
            }
        }
        for (ValueId param : fused_.params()) {
            const Value& value = fused_.value(param);
            if (value.role.kind == ParamRole::Kind::dimension) continue;
            if (value.type.is_scalar()) {
                out_.shapes.emplace_back();
                inputs_[param] = kernel().add_arg(kernel().body, value.type, value.name);
            } else {
                inputs_[param] = add_tensor(value.type, shapes[param], false, value.name);
            }
        }
        for (ValueId result : yielded(fused_, fused_.body)) {
            const Type& type = fused_.type(result);
            std::vector<Dim> shape = shape_along(phases_.is_whole(result) ? all_axes() : axes_.outer());
            if (work_ == RowWork::chunks && !phases_.is_whole(result)) shape = {chunks()};
            outputs_.push_back(add_tensor(type, std::move(shape), true, fused_.value(result).name));
        }
    }

    std::vector<size_t> all_axes() const {
        std::vector<size_t> all;
        for (size_t i = 0; i < axes_.extents.size(); ++i) all.push_back(i);
        return all;
    }
    // As many as the axis has chunks.
    Dim chunks() const {
        return Dim::floor_quotient(axes_.extents[*axes_.axis] + Dim::constant(kChunk - 1), Dim::constant(kChunk));
    }

    // ---- loops ----
    static Attrs tile_range(size_t depth) {
        Attrs attrs{{Attr::loop, static_cast<int64_t>(LoopKind::tile_range)}};
        if (depth > 0) attrs.set(Attr::axis, static_cast<int64_t>(depth));
        return attrs;
    }

    void rows(size_t depth) {
        const std::vector<size_t> outer = axes_.outer();
        if (work_ == RowWork::chunks && axes_.axis) return chunk_loop();
        if (depth == outer.size()) return axes_.axis ? row() : element();
        int64_t step = rows_ > 1 && outer[depth] == row_axis() ? rows_ : 1;
        if (work_ == RowWork::block && std::ranges::count(tile_axes_, outer[depth]) > 0) step = kBlock;
        builder_->for_(zero_, extents_[outer[depth]], builder_->index(step), {}, tile_range(depth),
                       [&](Builder& body, ValueId iv, const Values&) {
                           return inside(body, [&] {
                               at_[outer[depth]] = iv;
                               rows(depth + 1);
                               return Values{};
                           });
                       });
    }

    void element() {
        if (axes_.extents.empty()) return single_element();
        const ValueSpan results = yielded(fused_, fused_.body);
        for (size_t i = 0; i < results.size(); ++i) store_in(i, computed_value(results[i]), at_);
    }

    // No axis is long: the group does one element.
    void single_element() {
        builder_->for_(zero_, one_, one_, {}, tile_range(0), [&](Builder& body, ValueId iv, const Values&) {
            return inside(body, [&] {
                const ValueSpan results = yielded(fused_, fused_.body);
                for (size_t i = 0; i < results.size(); ++i)
                    builder_->write(outputs_[i], computed_value(results[i]), {iv});
                return Values{};
            });
        });
    }

    // ---- rows ----
    struct Range {
        ValueId begin, end;
    };

    void chunk_loop() {
        const ValueId extent = extents_[*axes_.axis];
        const ValueId chunk = builder_->index(kChunk);
        builder_->for_(zero_, extent, chunk, {}, tile_range(0), [&](Builder& body, ValueId iv, const Values&) {
            return inside(body, [&] {
                const ValueId end = builder_->minimum(builder_->add(iv, chunk), extent);
                phase(phases_.all.front(), {iv, end});
                write_rows({builder_->floordiv(iv, chunk)});
                return Values{};
            });
        });
    }

    void row() {
        read_row();
        if (tile_.holds) fill_rows();
        if (work_ == RowWork::group && !is_one_tile()) kept_ = kept_values(fused_, phases_);
        for (const RowPhase& each : phases_.all) {
            for (OpId id : each.of_row) (void)computed_value(fused_.op(id).results[0]);
            phase(each, {zero_, extents_[*axes_.axis]});
            ++phase_;
        }
        Values at;
        for (size_t axis : axes_.outer()) at.push_back(at_[axis]);
        if (at.empty()) at.push_back(zero_);
        write_rows(at);
    }

    void write_rows(const Values& at) {
        const ValueSpan results = yielded(fused_, fused_.body);
        for (size_t i = 0; i < results.size(); ++i) {
            if (!phases_.is_whole(results[i])) store_of_row(i, computed_value(results[i]), at);
        }
    }

    bool is_one_tile() const {
        const auto extent = axes_.extents[*axes_.axis].constant_value();
        return tile_.holds || (work_ == RowWork::group && extent && *extent <= kLongestTile);
    }

    void phase(const RowPhase& phase, Range range) {
        if (phase.sums.empty() && phase.stores.empty()) return;
        if (work_ == RowWork::lane) return lane_phase(phase, range);
        if (is_one_tile()) return tile_phase(phase);
        piece_phase(phase, range);
    }

    DType element_type(OpId sum) const { return fused_.type(AlongOp(fused_, sum).value()).elem; }
    ReduceOp what(OpId sum) const { return static_cast<ReduceOp>(fused_.op(sum).attrs.integer(Attr::op)); }

    ValueId start_of(OpId sum) {
        const DType type = element_type(sum);
        return builder_->value(OpKind::constant, {},
                               {{Attr::value, reduction_start(what(sum), type)}, {Attr::type, type}});
    }

    // The element at `at_` of what each sum combines, joined to what was carried.
    Values combined(const RowPhase& phase, const Values& carried, const std::function<ValueId(OpId, ValueId)>& masked) {
        Values next;
        for (size_t i = 0; i < phase.sums.size(); ++i) {
            const OpId sum = phase.sums[i];
            const ValueId value = masked(sum, taken(sum));
            next.push_back(builder_->element(combining(what(sum)), {carried[i], value}));
        }
        return next;
    }

    // A sum of no elements is 0, not the -0 it starts with. Chunks have elements.
    ValueId or_of_nothing(OpId sum, ValueId value) {
        const DType type = element_type(sum);
        const auto extent = axes_.extents[*axes_.axis].constant_value();
        const bool some = work_ == RowWork::chunks || (extent && *extent > 0);
        if (some || !reduces_nothing_otherwise(what(sum), type)) return value;
        const ValueId nothing = of_row(builder_->eq(extents_[*axes_.axis], zero_));
        return builder_->select(nothing, of_row(builder_->constant(0.0, type)), value);
    }

    void finish(const RowPhase& phase, ValueSpan sums) {
        for (size_t i = 0; i < phase.sums.size(); ++i) {
            ValueId sum = sums[i];
            if (tiles_) {
                sum = builder_->value(OpKind::reduce, {sum},
                                      {{Attr::op, static_cast<int64_t>(what(phase.sums[i]))}, {Attr::axis, along()}});
            }
            values_[fused_.op(phase.sums[i]).results[0]] = or_of_nothing(phase.sums[i], sum);
        }
    }

    void lane_phase(const RowPhase& phase, Range range) {
        Values starts;
        for (OpId sum : phase.sums) starts.push_back(start_of(sum));
        const OpId loop = builder_->for_(range.begin, range.end, one_, starts, {},
                                         [&](Builder& body, ValueId iv, const Values& carried) {
                                             return inside(body, [&] {
                                                 at_[*axes_.axis] = iv;
                                                 for (ValueId v : phase.stores) store(v, at_);
                                                 return combined(phase, carried, [](OpId, ValueId v) { return v; });
                                             });
                                         });
        finish(phase, kernel().op(loop).results);
    }

    // The parameter whose elements a sum takes as they are, or in a wider type that has the same start.
    [[nodiscard]] std::optional<ValueId> plain_input(OpId sum) const {
        OpId user = sum;
        AxisMap source = sources_of(fused_, user).front();
        const DType type = fused_.type(source.base).elem;
        if (const auto cast = defined_by(fused_, source.base, OpKind::cast)) {
            user = *cast;
            source = sources_of(fused_, user).front();
        }
        const DType given = fused_.type(source.base).elem;
        const bool same = given == type || (is_float(given) && is_float(type) && 16 <= bits(given));
        if (!same || bits(given) > bits(type) || !inputs_.contains(source.base) || !source.takes_all())
            return std::nullopt;
        const std::vector<size_t> axes = access(source, user).axes;
        if (axes.empty() || axes.back() != *axes_.axis) return std::nullopt;
        return source.base;
    }

    // Loads fill the tile behind the end of a row with what changes nothing in the first sum of a parameter.
    void fill_rows() {
        if (axes_.extents[*axes_.axis].constant_value() == tile_.width) return;
        for (OpId sum : phases_.all.front().sums) {
            const auto input = plain_input(sum);
            if (input && fills_.try_emplace(*input, reduction_start(what(sum), fused_.type(*input).elem)).second)
                filled_.insert(sum);
        }
    }

    // The row is one tile, or ends in it.
    void tile_phase(const RowPhase& phase) {
        const auto extent = axes_.extents[*axes_.axis].constant_value();
        width_ = tile_.holds ? tile_.width : *extent;
        at_[*axes_.axis] = zero_;
        for (ValueId v : phase.stores) store(v, at_);
        Values sums;
        for (OpId sum : phase.sums) {
            ValueId value = taken(sum);
            if (extent != width_ && !filled_.contains(sum))
                value = builder_->select(before(extents_[*axes_.axis]), value, repeated(start_of(sum)));
            sums.push_back(value);
        }
        finish(phase, sums);
    }

    // Which positions of the tile are less than so many from its beginning.
    ValueId before(ValueId length) { return builder_->lt(iota(along()), repeated(builder_->cast(length, DType::i32))); }

    void store_piece(const RowPhase& phase) {
        for (ValueId v : phase.stores) store(v, at_);
        for (const auto& [v, kept] : kept_) {
            if (kept.phase == phase_) store_in(kept.result, computed_value(v), at_, true);
        }
    }

    // The row in pieces of one width; the last may reach over the end.
    void piece_phase(const RowPhase& phase, Range range) {
        width_ = tile_.width;
        const ValueId width = builder_->index(width_);
        Values starts;
        for (OpId sum : phase.sums) starts.push_back(repeated(start_of(sum)));
        const ValueId length = builder_->sub(range.end, range.begin);
        const ValueId whole = builder_->add(range.begin, builder_->mul(builder_->floordiv(length, width), width));
        const OpId loop = builder_->for_(range.begin, whole, width, starts, {},
                                         [&](Builder& body, ValueId iv, const Values& carried) {
                                             return inside(body, [&] {
                                                 at_[*axes_.axis] = iv;
                                                 store_piece(phase);
                                                 return combined(phase, carried, [](OpId, ValueId v) { return v; });
                                             });
                                         });
        Values sums(kernel().op(loop).results.begin(), kernel().op(loop).results.end());
        const auto rest = [&](Builder& body) {
            return inside(body, [&] {
                at_[*axes_.axis] = whole;
                store_piece(phase);
                const ValueId in_row = before(builder_->sub(range.end, whole));
                return combined(phase, sums, [&](OpId sum, ValueId v) {
                    return builder_->select(in_row, v, repeated(start_of(sum)));
                });
            });
        };
        const OpId last = builder_->if_(builder_->lt(whole, range.end), rest, [&](Builder&) { return sums; });
        finish(phase, kernel().op(last).results);
    }

    FusedKernel out_;
    RowWork work_;
    RowTile tile_;
    std::set<OpId> filled_;  // sums whose tiles are filled behind the end of the row
    ValueId one_;
    Values extents_;  // of the joined axes
};

}  // namespace

void FusedKernel::begin(const Function& fused, bool names_group) {
    kernel.level = Level::tile;
    kernel.is_kernel = true;
    kernel.kernel.names_group = names_group;
    kernel.share_places(fused);
    kernel.place = fused.place;
}

Dim FusedKernel::renamed(const Dim& extent) {
    if (extent.constant_value()) return extent;
    const auto found = std::ranges::find(symbols, extent);
    const auto number = static_cast<size_t>(found - symbols.begin());
    if (found == symbols.end()) {
        symbols.push_back(extent);
        kernel.symbols.push_back("d" + std::to_string(number));
    }
    return Dim::symbol(kernel.symbols[number]);
}

ValueId FusedKernel::add_parameter(const Type& type, bool mut, const std::string& name) {
    shapes.push_back(type.shape);
    Type here = type;
    here.mut = mut;
    for (Dim& extent : here.shape) extent = renamed(extent);
    return kernel.add_arg(kernel.body, std::move(here), name);
}

FusedKernel fused_kernel(const Function& fused, const FusedAxes& axes, RowWork work, RowTile tile) {
    return FusedKernelMaker(fused, axes, work, tile).run();
}

RowWork row_work(const Function& fused, const FusedAxes& axes) {
    if (!axes.axis) return block_axes(fused, axes).empty() ? RowWork::lane : RowWork::block;
    const auto extent = axes.extents[*axes.axis].constant_value();
    if (*axes.axis + 1 != axes.extents.size() || (extent && *extent < kShortRow)) return RowWork::lane;
    return divides_into_chunks(fused, axes) ? RowWork::chunks : RowWork::group;
}

std::vector<size_t> block_axes(const Function& fused, const FusedAxes& axes) {
    if (axes.axis) return {};
    const auto is_short = [&](size_t axis) {
        const auto extent = axes.extents[axis].constant_value();
        return extent && *extent < kShortRow;
    };
    // Short axes stand behind it where elements are complex numbers: they are gone through one by one.
    std::optional<size_t> last, other;
    for (size_t axis = 0; axis < axes.extents.size(); ++axis) {
        if (!is_short(axis)) last = axis;
    }
    if (!last) return {};
    for (OpId id : computed(fused)) {
        if (gathers_elements(fused, id) || is_packed(computed_type(fused, id).elem)) return {};
        for (const AxisMap& source : sources_of(fused, id)) {
            const Type& type = fused.type(source.base);
            if (is_packed(type.elem)) return {};
            if (type.kind != TypeKind::tensor || fused.value(source.base).region != fused.body) continue;
            const TensorAccess access = access_of(axes, fused, source, id);
            const auto at = std::ranges::find(access.axes, *last);
            for (auto behind = at; behind != access.axes.end(); ++behind) {
                if (*behind != *last && *behind != AxisMap::kNone && !is_short(*behind)) other = *behind;
            }
        }
    }
    return other ? std::vector{*other, *last} : std::vector<size_t>{};
}

bool divides_into_chunks(const Function& fused, const FusedAxes& axes) {
    if (!axes.axis || !axes.outer().empty()) return false;
    const RowPhases phases = row_phases(fused, axes);
    const bool alone = std::ranges::all_of(phases.all, [](const RowPhase& phase) { return phase.of_row.empty(); });
    return alone && phases.all.size() == 1;
}

}  // namespace tsr::ir
