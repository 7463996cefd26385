// Runs of operations on register tiles: their homes, and the steps that compute them.
#include "ir/passes/target/cpu/tiles/code.h"

#include <algorithm>

#include "ir/ops/register.h"
#include "ir/passes/tile/walk.h"

namespace tsr::ir {

bool TileCode::waits(ValueId value) const {
    const OpId made = s_.tile.value(value).op;
    return made.valid() && std::ranges::find(run_, made) != run_.end();
}

void TileCode::flush() {
    if (run_.empty()) return;
    hold_packed();
    schedule_ = schedule(s_.tile, uses_, run_, held_);
    find_homes();
    for (const Step& step : schedule_.steps) {
        if (step.alone.valid())
            alone(step.alone);
        else
            nest(step.nest);
    }
    run_.clear();
}

Home TileCode::room(DType elem, std::vector<int64_t> strides, int64_t elements, const std::string& name) {
    const int64_t bytes = padded(elements * ((bits(elem) + 7) / 8), kCacheLine);
    Attrs attrs{{Attr::count, s_.scratch_bytes}, {Attr::type, elem}};
    if (!name.empty()) attrs.set(Attr::name, name);
    s_.scratch_bytes += bytes;
    return {s_.at_entry(OpKind::scratch, Type::pointer(elem, Space::shared), attrs), std::move(strides)};
}

Home TileCode::new_home(const Type& tile, const std::string& name) {
    const std::vector<int64_t> strides = home_strides(tile, width_);
    const int64_t elements = tile.rank() == 0 ? 1
                                              : padded(strides[0] * *tile.shape[0].constant_value(),
                                                       std::max(width_, width_ * 32 / bits(tile.elem)));
    return room(tile.elem, strides, elements, name);
}

bool TileCode::is_packed_operand(ValueId memory) const {
    const auto& params = s_.tile.params();
    const auto first = params.end() - static_cast<std::ptrdiff_t>(s_.tile.kernel.packed);
    return std::find(first, params.end(), memory) != params.end();
}

// A block of a packed operand lies as the product wants it.
void TileCode::hold_packed() {
    held_.clear();
    for (OpId id : run_) {
        if (s_.tile.op(id).kind != OpKind::load_tile) continue;
        const TileViewOp view(s_.tile, id);
        if (!is_packed_operand(view.memory())) continue;
        std::vector<ValueId> starts;
        for (ValueId start : view.starts()) starts.push_back(s_.scalars.at(start));
        Home& home = homes_[view.result()];
        home.pointer = s_.address(s_.memories.at(view.memory()), starts);
        home.strides = home_strides(s_.tile.type(view.result()), width_);
        const OpId user = uses_.of(view.result()).front();
        if (is_product(s_.tile.op(user))) {
            const MmaOp product(s_.tile, user);
            if (product.b() == view.result()) home.panel = panel_columns(product, s_.plan);
        }
        if (home.panel > 0) {
            home.panel_stride = extents(s_.tile.type(view.result()))[0] * home.panel;
            home.strides = {home.panel, 1};
        }
        held_.insert(view.result());
    }
}

// The columns of the panels that all who look at the tile read it in: it is the second operand of products. 0: it lies
// in rows.
int64_t TileCode::read_in_panels(ValueId tile) const {
    int64_t columns = 0;
    for (OpId user : uses_.of(tile)) {
        if (!is_product(s_.tile.op(user))) return 0;
        const MmaOp product(s_.tile, user);
        const int64_t of_product = panel_columns(product, s_.plan);
        if (product.b() != tile || product.a() == tile || product.accumulator() == tile) return 0;
        if (columns != 0 && columns != of_product) return 0;
        columns = of_product;
    }
    return columns;
}

// What a panel of the accumulator reads lies together.
Home TileCode::panels_home(ValueId tile, int64_t columns) {
    const Type& type = s_.tile.type(tile);
    const int64_t depth = extents(type)[0];
    const int64_t panels = (extents(type)[1] + columns - 1) / columns;
    Home home = room(type.elem, {columns, 1}, panels * depth * columns, s_.tile.value(tile).name);
    home.panel = columns;
    home.panel_stride = depth * columns;
    return home;
}

void TileCode::find_homes() {
    const Function& kernel = s_.tile;
    auto only_use = [&](ValueId value) { return uses_.of(value).size() == 1; };
    for (OpId id : run_) {
        if (!is_product(kernel.op(id))) continue;
        const MmaOp op(kernel, id);
        const auto start = op.accumulator();
        const OpId from = start ? kernel.value(*start).op : OpId{};
        const bool made_here = from.valid() && kernel.op(from).parent == kernel.op(id).parent && only_use(*start);
        if (!homes_.contains(op.result())) {
            auto before = start ? homes_.find(*start) : homes_.end();
            const bool taken_over = made_here && before != homes_.end();
            homes_[op.result()] =
                taken_over ? before->second : new_home(kernel.type(op.result()), kernel.value(op.result()).name);
        }
        if (made_here && schedule_.homes.contains(*start)) homes_.try_emplace(*start, homes_.at(op.result()));
    }
    for (OpId id : run_) {
        for (ValueId result : kernel.op(id).results) {
            if (!schedule_.homes.contains(result) || homes_.contains(result)) continue;
            const Type& type = kernel.type(result);
            if (const int64_t columns = is_inline(kernel.op(id)) ? read_in_panels(result) : 0; columns != 0) {
                homes_[result] = panels_home(result, columns);
                continue;
            }
            if (!schedule_.row_homes.contains(result)) {
                homes_[result] = new_home(type, kernel.value(result).name);
                continue;
            }
            std::vector<int64_t> strides(type.rank(), 0);
            strides.back() = 1;
            homes_[result] = room(type.elem, strides, padded(extents(type).back(), width_), kernel.value(result).name);
        }
    }
}

void TileCode::copy(const Home& to, const Home& from, const Type& tile) {
    if (to.pointer == from.pointer) return;
    const int64_t bytes = (bits(tile.elem) + 7) / 8;
    if (tile.rank() == 1 || to.strides == from.strides) {
        const int64_t elements =
            tile.rank() == 1 ? *tile.shape[0].constant_value() : to.strides[0] * *tile.shape[0].constant_value();
        emit_.statement(OpKind::memory_copy, {to.pointer, from.pointer, emit_.integer(elements * bytes)});
        return;
    }
    const int64_t columns = extents(tile).back();
    const size_t row = tile.rank() - 2;
    s_.counted_loop(element_count(tile) / columns, 1, [&](ValueId at) {
        emit_.statement(OpKind::memory_copy,
                        {emit_.pointer_add(to.pointer, emit_.mul(at, emit_.integer(to.strides[row]))),
                         emit_.pointer_add(from.pointer, emit_.mul(at, emit_.integer(from.strides[row]))),
                         emit_.integer(columns * bytes)});
    });
}

bool TileCode::gives_up_home(ValueId value, RegionId region) const {
    if (uses_.of(value).size() != 1) return false;
    const OpId made = s_.tile.value(value).op;
    if (made.valid()) return is_zero(s_.tile, value) && s_.tile.op(made).parent == region;
    const OpId around = s_.tile.region(region).parent;
    return s_.tile.value(value).region == region && around.valid() && s_.tile.op(around).kind == OpKind::for_;
}

// Where the carried tile is read only to compute the yielded one, element by element, that may overwrite it.
void TileCode::carry_in_place(ValueId argument, ValueId yielded) {
    const Function& kernel = s_.tile;
    size_t found = 0;
    auto reads = [&](auto&& self, ValueId value, bool root) -> bool {
        if (value == argument) return ++found, true;
        const OpId id = kernel.value(value).op;
        if (!root && uses_.of(value).size() != 1)
            return true;  // it does not lead to the argument, or the count says so
        if (!id.valid()) return true;
        const Op& op = kernel.op(id);
        if (is_product(op)) {
            const auto start = MmaOp(kernel, id).accumulator();
            return root && (!start || self(self, *start, false));
        }
        if (!is_element(op.kind)) return true;
        return std::ranges::all_of(op.operands, [&](ValueId v) { return self(self, v, false); });
    };
    if (homes_.contains(yielded) || !reads(reads, yielded, true) || found == 0) return;
    const auto& users = uses_.of(argument);
    const OpId made = kernel.value(yielded).op;
    const bool local = made.valid() && kernel.op(made).parent == kernel.value(argument).region;
    // Each of the argument's uses was met, and the yielded value is made in the loop's own body.
    if (local && found == users.size()) homes_[yielded] = homes_.at(argument);
}

}  // namespace tsr::ir
