#include "ir/passes/tile/divide_groups.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "ir/build/builder.h"
#include "ir/core/total.h"
#include "ir/ops/axes.h"
#include "ir/ops/control.h"
#include "ir/ops/memory.h"
#include "ir/ops/register.h"
#include "ir/ops/tile.h"
#include "ir/passes/simplify/simplify.h"
#include "ir/passes/tile/tile_axes.h"
#include "ir/passes/tile/walk.h"

namespace tsr::ir {

namespace {

std::optional<OpId> grid_of(const Function& kernel) {
    for (OpId id : kernel.region(kernel.body).ops) {
        if (kernel.op(id).kind == OpKind::grid) return id;
    }
    return std::nullopt;
}

int64_t extent(const Function& kernel, ValueId tile, size_t axis) {
    return kernel.type(tile).shape[axis].constant_value().value_or(0);
}

bool is_view(OpKind kind) {
    return kind == OpKind::load_tile || kind == OpKind::store_tile || kind == OpKind::atomic_tile;
}

ValueId tile_of(const TileViewOp& view) { return view.loads() ? view.results()[0] : view.value(); }

// What a part may do beside its own tiles: it is done for the whole group, as often as there are parts.
constexpr Row<bool> kMayRepeat[]{
    {OpKind::constant, true},
    {OpKind::yield, true},
    {OpKind::for_, true},
    {OpKind::while_, true},
    {OpKind::if_, true},
    {OpKind::call, false},
    {OpKind::dim, true},
    {OpKind::print, false},
    {OpKind::assert_, false},

    {OpKind::read, true},
    {OpKind::write, false},
    {OpKind::read_vector, false},
    {OpKind::write_vector, false},
    {OpKind::vector_extract, true},
    {OpKind::vector_build, true},

    {OpKind::tile_id, false},
    {OpKind::lane_id, false},
    {OpKind::group_id, false},
    {OpKind::group_size, true},
    {OpKind::group_count, false},
    {OpKind::buffer, false},
    {OpKind::stage, true},
    {OpKind::atomic, false},
    {OpKind::copy_async, false},
    {OpKind::commit, false},
    {OpKind::wait_group, false},
    {OpKind::barrier, false},
    {OpKind::acquire, false},
    {OpKind::fill, false},
    {OpKind::take, false},
    {OpKind::release, false},
    {OpKind::group_reduce, false},
    {OpKind::group_scan, false},
    {OpKind::shuffle, false},
    {OpKind::broadcast, false},
    {OpKind::ballot, false},
    {OpKind::buffer_reduce, false},
    {OpKind::grid, false},
    {OpKind::lanes, false},
    {OpKind::lane_read, true},
    {OpKind::result, false},
};
constexpr Total<kMayRepeat, kControlFamily, kMemoryFamily, kTileFamily> kRepeats;

// Element operations may, and of those on register tiles what writes nothing.
bool may_repeat(OpKind kind) {
    if (kRepeats.has(kind)) return kRepeats[kind].answer;
    return std::ranges::none_of(record(kind).operands, [](const Role& role) {
        return role.access == Access::writes || role.access == Access::reads_writes;
    });
}

// One axis of the grid, and the axes of tiles that go along with it.
class Division {
public:
    Division(const Function& kernel, OpId grid, size_t axis)
        : kernel_(kernel),
          axes_(kernel),
          grid_(grid),
          index_(GridOp(kernel, grid).ivs()[axis]),
          step_(grid_steps(kernel)[axis]) {
        walk(kernel, kernel.op(grid).regions[0], [&](OpId id) {
            if (!is_view(kernel.op(id).kind)) return;
            const TileViewOp view(kernel, id);
            for (size_t i = 0; i < view.axes().size(); ++i) {
                const size_t found = axes_.of(tile_of(view), i);
                const bool along = moves(view.starts()[static_cast<size_t>(view.axes()[i])]) &&
                                   extent(kernel, tile_of(view), i) == step_ && !axes_.meet(found);
                if (along) moving_.insert(found);
            }
        });
    }

    [[nodiscard]] std::optional<std::string> fault(int64_t parts) const;

    // The tile's axis that goes along with the grid's.
    [[nodiscard]] std::optional<size_t> axis_of(ValueId tile) const {
        for (size_t axis = 0; is_tile(kernel_, tile) && axis < kernel_.type(tile).rank(); ++axis) {
            if (moving_.contains(axes_.of(tile, axis))) return axis;
        }
        return std::nullopt;
    }
    // The index is a term of the start.
    [[nodiscard]] bool moves(ValueId start) const {
        if (start == index_) return true;
        const OpId made = kernel_.value(start).op;
        if (!made.valid()) return false;
        const Op& op = kernel_.op(made);
        if (op.kind != OpKind::add && op.kind != OpKind::sub) return false;
        const BinaryOp sum(kernel_, made);
        return moves(sum.lhs()) || (op.kind == OpKind::add && moves(sum.rhs()));
    }
    [[nodiscard]] ValueId index() const { return index_; }
    [[nodiscard]] int64_t step() const { return step_; }

private:
    // Along with the grid: the axis of the memory, and where it starts.
    using Along = std::pair<int64_t, ValueId>;
    [[nodiscard]] std::optional<Along> along(const TileViewOp& view) const {
        const auto axis = axis_of(tile_of(view));
        if (!axis) return std::nullopt;
        const int64_t of_memory = view.axes()[*axis];
        return Along(of_memory, view.starts()[static_cast<size_t>(of_memory)]);
    }
    [[nodiscard]] std::optional<std::string> outside_fault() const;
    [[nodiscard]] std::optional<std::string> inside_fault(OpId id) const;
    [[nodiscard]] std::optional<std::string> memory_fault() const;
    [[nodiscard]] std::string name_of(ValueId value) const {
        const std::string& name = kernel_.value(value).name;
        return name.empty() ? kernel_.type(value).text() : fmt::format("`{}`", name);
    }

    const Function& kernel_;
    TileAxes axes_;
    OpId grid_;
    ValueId index_;
    int64_t step_;
    std::set<size_t> moving_;
};

std::optional<std::string> Division::fault(int64_t parts) const {
    if (step_ <= 0 || parts < 1 || step_ % parts != 0)
        return fmt::format("steps of {} have no {} equal parts", step_, parts);
    if (moving_.empty()) return "no tile goes along with this axis alone";
    if (auto fault = outside_fault()) return fault;
    std::optional<std::string> fault;
    walk(kernel_, kernel_.op(grid_).regions[0], [&](OpId id) {
        if (!fault) fault = inside_fault(id);
    });
    return fault ? fault : memory_fault();
}

// Every group does it for itself; tiles that are shortened there are the same at all places.
std::optional<std::string> Division::outside_fault() const {
    for (OpId id : kernel_.region(kernel_.body).ops) {
        const Op& op = kernel_.op(id);
        if (id == grid_ || op.kind == OpKind::yield) continue;
        const bool even = is_pure(op.kind) && op.kind != OpKind::tile_iota;
        const bool shortened = std::ranges::any_of(op.results, [&](ValueId v) { return axis_of(v).has_value(); });
        if (!op.regions.empty() || !may_repeat(op.kind) || (shortened && !even))
            return "what stands before the grid is the whole group's";
    }
    return std::nullopt;
}

std::optional<std::string> Division::inside_fault(OpId id) const {
    const Op& op = kernel_.op(id);
    for (ValueId value : op.results) {
        size_t found = 0;
        for (size_t axis = 0; is_tile(kernel_, value) && axis < kernel_.type(value).rank(); ++axis)
            found += moving_.contains(axes_.of(value, axis)) ? 1 : 0;
        if (found > 1) return fmt::format("both axes of {} go along with it", name_of(value));
    }
    if (op.kind == OpKind::store_tile || op.kind == OpKind::atomic_tile) {
        const TileViewOp view(kernel_, id);
        if (along(view)) return std::nullopt;
        return fmt::format("what is stored to {} does not go along with it", name_of(view.memory()));
    }
    if (may_repeat(op.kind)) return std::nullopt;
    return "the group does more than compute tiles, and load and store them";
}

// All that touches memory that is written does so at the same places, so that every part has places of its own.
std::optional<std::string> Division::memory_fault() const {
    std::map<uint32_t, Along> written;
    bool same = true;
    const auto each_view = [&](auto visit) {
        walk(kernel_, kernel_.body, [&](OpId id) {
            if (is_view(kernel_.op(id).kind)) visit(TileViewOp(kernel_, id));
        });
    };
    each_view([&](const TileViewOp& view) {
        if (!view.loads()) written.emplace(view.memory().index, *along(view));
    });
    each_view([&](const TileViewOp& view) {
        const auto found = written.find(view.memory().index);
        if (found != written.end()) same &= along(view) == found->second;
    });
    same &= !any_below(kernel_, kernel_.body, [&](const Op& op) {
        return op.kind == OpKind::read && written.contains(ReadOp(kernel_, op).memory().index);
    });
    if (same) return std::nullopt;
    return "memory is written and touched at other places along it";
}

// Makes the tiles shorter, and the steps.
class Divider {
public:
    Divider(Function& kernel, OpId grid, size_t axis, int64_t parts)
        : kernel_(kernel),
          source_(kernel),
          division_(source_, grid, axis),
          grid_(grid),
          axis_(axis),
          parts_(parts),
          index_(division_.index()) {}

    void run() {
        shorten();
        begin_parts();
        for (size_t i = 0; i < source_.op_count(); ++i) {
            const OpId id(i);
            if (!source_.op(id).parent.valid()) continue;
            if (is_view(source_.op(id).kind)) move_view(id);
            if (source_.op(id).kind == OpKind::tile_iota) move_iota(id);
        }
        Builder before = Builder::at(kernel_, grid_);
        kernel_.op(grid_).operands[GridOp::step_place(axis_)] = before.index(division_.step() / parts_);
        drop_dead(kernel_);
    }

private:
    [[nodiscard]] Dim length() const { return Dim::constant(division_.step() / parts_); }

    void shorten() {
        for (size_t i = 0; i < source_.value_count(); ++i) {
            if (const auto axis = division_.axis_of(ValueId(i))) kernel_.value(ValueId(i)).type.shape[*axis] = length();
        }
        for (size_t i = 0; i < source_.op_count(); ++i) {
            const Op& op = source_.op(OpId(i));
            if (op.attrs.has(Attr::shape) && op.results.size() == 1 && is_tile(source_, op.results[0]))
                kernel_.op(OpId(i)).attrs.set(Attr::shape, kernel_.type(op.results[0]).shape);
        }
    }

    // `offset_`: of the part in the group that was divided; whose index all else sees.
    void begin_parts() {
        Builder builder(kernel_);
        const RegionId body = kernel_.op(grid_).regions[0];
        builder.before(kernel_.region(body).ops.front());
        builder.take_place(grid_);
        const ValueId distance = builder.sub(index_, GridOp(kernel_, grid_).lower(axis_));
        offset_ = builder.mod(distance, builder.index(division_.step()));
        whole_ = builder.sub(index_, offset_);
        kernel_.replace_uses(index_, whole_);
        for (ValueId made : {distance, whole_}) kernel_.op(kernel_.value(made).op).operands[BinaryOp::kLhs] = index_;
    }

    // The start, but of the part.
    ValueId of_part(Builder& builder, ValueId start) const {
        if (start == index_) return index_;
        if (!division_.moves(start)) return builder.add(start, offset_);
        const BinaryOp sum(source_, source_.value(start).op);
        if (sum.op().kind == OpKind::sub) return builder.sub(of_part(builder, sum.lhs()), now(sum.rhs()));
        if (division_.moves(sum.lhs())) return builder.add(of_part(builder, sum.lhs()), now(sum.rhs()));
        return builder.add(now(sum.lhs()), of_part(builder, sum.rhs()));
    }
    // What stands in the place of an operand as it was.
    [[nodiscard]] ValueId now(ValueId value) const { return value == index_ ? whole_ : value; }

    void move_view(OpId id) {
        const TileViewOp view(source_, id);
        const auto axis = division_.axis_of(tile_of(view));
        if (!axis) return;
        const auto of_memory = static_cast<size_t>(view.axes()[*axis]);
        Builder builder = Builder::at(kernel_, id);
        kernel_.op(id).operands[view.first_start() + of_memory] = of_part(builder, view.starts()[of_memory]);
    }

    void move_iota(OpId id) {
        const ValueId made = source_.op(id).results[0];
        if (division_.axis_of(made) != static_cast<size_t>(source_.op(id).attrs.integer(Attr::axis))) return;
        Builder builder = Builder::at(kernel_, id);
        builder.after(id);
        const ValueId offset =
            builder.value(OpKind::expand, {builder.cast(offset_, DType::i32)},
                          {{Attr::axes, std::vector<int64_t>{}}, {Attr::shape, kernel_.type(made).shape}});
        const ValueId moved = builder.add(made, offset);
        kernel_.replace_uses(made, moved);
        kernel_.op(kernel_.value(moved).op).operands[BinaryOp::kLhs] = made;
    }

    Function& kernel_;
    const Function source_;  // as it was
    Division division_;
    OpId grid_;
    size_t axis_;
    int64_t parts_;
    ValueId index_, offset_, whole_;
};

}  // namespace

std::vector<int64_t> grid_steps(const Function& kernel) {
    std::vector<int64_t> steps;
    const auto grid = grid_of(kernel);
    if (!grid) return steps;
    const GridOp nest(kernel, *grid);
    for (size_t axis = 0; axis < nest.axes(); ++axis) {
        const auto constant = defined_by(kernel, nest.step(axis), OpKind::constant);
        steps.push_back(constant ? ConstantOp(kernel, *constant).integer() : 0);
    }
    return steps;
}

std::optional<std::string> division_fault(const Function& kernel, size_t axis, int64_t parts) {
    const auto grid = grid_of(kernel);
    if (!grid || axis >= GridOp(kernel, *grid).axes()) return "the kernel's grid has no such axis";
    return Division(kernel, *grid, axis).fault(parts);
}

void divide_groups(Function& kernel) {
    const std::vector<int64_t> parts = kernel.plan->gpu().parts;
    for (size_t axis = 0; axis < parts.size(); ++axis) {
        if (parts[axis] > 1) Divider(kernel, *grid_of(kernel), axis, parts[axis]).run();
    }
}

}  // namespace tsr::ir
