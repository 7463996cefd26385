// Operations on register tiles: views of memory, tiles made of tiles, reductions, products.
#include <algorithm>

#include <fmt/format.h>

#include "ir/eval/compile.h"
#include "ir/eval/steps.h"
#include "ir/eval/tile_operations.h"
#include "ir/ops/record.h"
#include "ir/ops/reduction.h"
#include "ir/ops/register.h"

namespace tsr::ir::eval {

namespace {

size_t extent(const Type& type, size_t axis) { return static_cast<size_t>(*type.shape[axis].constant_value()); }

// Axes before, along and behind `axis`.
AlongData split(const Type& type, size_t axis) {
    AlongData along;
    along.size = stored_size(type.elem);
    along.elem = type.elem;
    along.length = extent(type, axis);
    for (size_t k = 0; k < axis; ++k) along.outer *= extent(type, k);
    for (size_t k = axis + 1; k < type.rank(); ++k) along.inner *= extent(type, k);
    return along;
}

// The loops of an `expand`, neighbours that step alike made one.
std::vector<ExpandData::Loop> loops_of(const Type& result, const Type& value, const std::vector<int64_t>& axes) {
    std::vector<size_t> steps(result.rank(), 0);
    size_t step = 1;
    for (size_t i = axes.size(); i-- > 0;) {
        const size_t own = extent(value, i);
        if (own > 1) steps[static_cast<size_t>(axes[i])] = step;
        step *= own;
    }
    std::vector<ExpandData::Loop> loops;  // the innermost first
    size_t inner = 1;
    for (size_t k = result.rank(); k-- > 0; inner *= extent(result, k)) {
        const size_t count = extent(result, k);
        if (count == 1) continue;
        const bool repeats = steps[k] == 0;
        if (!loops.empty() && repeats == loops.back().repeats() &&
            (repeats || steps[k] == loops.back().step * loops.back().extent)) {
            loops.back().extent *= count;
        } else {
            loops.push_back({count, inner, steps[k]});
        }
    }
    std::ranges::reverse(loops);
    return loops;
}

// Every element of the operands is one of it.
DType factor_type(DType a, DType b, DType sum) {
    if (sum == DType::i32 || sum == DType::f64) return sum;
    return a == DType::f64 || b == DType::f64 ? DType::f64 : DType::f32;
}

}  // namespace

// A start as 64 bits with sign; an unsigned one past them is outside of every memory, as they are.
Slot Compiler::tile_start(ValueId v) {
    const Slot wide = wide_one(v);
    if (fn_.type(v).elem != DType::u64) return wide;
    const Slot highest = constant_slot(DType::u64, INT64_MAX);
    Inst& inst = emit(&steps::one, {});
    inst.loop = ops_.element(OpKind::minimum, DType::u64);
    inst.a = wide;
    inst.b = highest;
    inst.count = 1;
    return inst.result = frame_.take(8);
}

void Compiler::tile_view(OpId id, const Op& op) {
    const TileViewOp view(fn_, id);
    const Type& memory = fn_.type(view.memory());
    TileViewData data;
    data.view = view_of_[view.memory().index];
    data.elem = memory.elem;
    data.size = stored_size(memory.elem);
    data.axes = view.axes();
    for (ValueId start : view.starts()) data.starts.push_back(tile_start(start));
    Step step = &steps::load_tile;
    const ValueId tile = view.loads() ? view.result() : view.value();
    if (view.loads()) {
        take_home(tile);
        data.fill = view.fill() ? home(*view.fill()).one : constant_slot(memory.elem, 0);
    } else {
        step = op.kind == OpKind::store_tile ? &steps::store_tile : &steps::atomic_tile;
    }
    if (op.kind == OpKind::atomic_tile) {
        data.atomic = view.what();
        data.combine = combine_of(ops_, data.atomic, memory.elem);
        const bool packed = memory.kind == TypeKind::tensor && is_packed(memory.elem);
        if (packed || (data.atomic != AtomicOp::exchange && data.combine == nullptr)) {
            refuse(id, fmt::format("there is no such atomic on {}", name(memory.elem)));
            return;
        }
    }
    data.tile = home(tile).one;
    data.elements = width_of(tile);
    for (size_t k = 0; k < fn_.type(tile).rank(); ++k) {
        data.shape.push_back(static_cast<int64_t>(extent(fn_.type(tile), k)));
    }
    emit(step, id).data = static_cast<uint32_t>(program_.tiles.views.size());
    program_.tiles.views.push_back(std::move(data));
}

void Compiler::expand(OpId id, const Op& op) {
    const ExpandOp expand(fn_, id);
    take_home(expand.result());
    ExpandData data;
    data.size = size_of(expand.result());
    data.loops = loops_of(fn_.type(expand.result()), fn_.type(expand.value()), expand.axes());
    Inst& inst = emit(&steps::expand, id);
    inst.result = home(op.results[0]).one;
    inst.a = home(expand.value()).one;
    inst.data = static_cast<uint32_t>(program_.tiles.expands.size());
    program_.tiles.expands.push_back(std::move(data));
}

void Compiler::move_elements(OpId id, const Op& op) {
    const ValueId result = op.results[0];
    take_home(result);
    Inst& inst = emit(&steps::move_tile, id);
    inst.result = home(result).one;
    inst.a = home(op.operands.front()).one;
    inst.count = width_of(result);
    inst.data = static_cast<uint32_t>(program_.tiles.moves.size());
    program_.tiles.moves.push_back({sources(fn_, op), stored_size(fn_.type(result).elem)});
}

// What goes along one axis; of a transpose the last but one. `what` combines along it.
void Compiler::along(OpId id, const Op& op, Step step, size_t axis, std::optional<ReduceOp> what) {
    constexpr size_t kShort = 16;  // loops over fewer elements cost more than turning the tile
    const size_t temporaries = temporaries_.size();
    const ValueId result = op.results[0];
    take_home(result);
    const Type& type = fn_.type(op.operands.empty() ? result : op.operands.front());
    AlongData data = split(type, axis);
    if (what) {
        data.combine = ops_.element(combining(*what), type.elem);
        if (data.inner < kShort && data.outer > 1 && data.length > 1) {
            data.turned = temporary(data.outer * data.length * data.inner * data.size);
        }
    }
    Inst& inst = emit(step, id);
    inst.result = home(result).one;
    if (!op.operands.empty()) inst.a = home(op.operands.front()).one;
    inst.count = width_of(result);
    inst.data = static_cast<uint32_t>(program_.tiles.alongs.size());
    program_.tiles.alongs.push_back(data);
    drop_temporaries(temporaries);
    spread(result);  // of a tile of one axis a number that tiles may compute with
}

FactorData Compiler::factor(ValueId v, bool transposed, DType to) {
    const Type& type = fn_.type(v);
    FactorData data;
    data.buffer = type.kind == TypeKind::buffer;
    data.view = view_of_[v.index];
    data.tile = data.buffer ? 0 : home(v).one;
    data.rows = extent(type, 0);
    data.columns = extent(type, 1);
    data.transposed = transposed;
    data.elem = type.elem;
    data.widen = ops_.cast(type.elem, to);
    const uint64_t bytes = data.rows * data.columns * stored_size(to);
    if (type.elem != to) data.wide = temporary(bytes);
    if (transposed) data.turned = temporary(bytes);
    return data;
}

void Compiler::product(OpId id, const Op& op) {
    const size_t temporaries = temporaries_.size();
    const MmaOp mma(fn_, id);
    take_home(mma.result());
    ProductData data;
    data.sum = mma.accumulates();
    const DType type = factor_type(fn_.type(mma.a()).elem, fn_.type(mma.b()).elem, data.sum);
    data.factor_size = stored_size(type);
    data.run = ops_.product(type, data.sum);
    data.a = factor(mma.a(), mma.a_transposed(), type);
    data.b = factor(mma.b(), mma.b_transposed(), type);
    if (mma.in_tf32()) {
        for (FactorData* factor : {&data.a, &data.b}) {
            factor->round = ops_.nearest_tf32;
            factor->rounded = temporary(factor->rows * factor->columns * stored_size(DType::f32));
        }
    }
    const Type& result = fn_.type(mma.result());
    data.size.rows = extent(result, 0);
    data.size.columns = extent(result, 1);
    data.size.inner = mma.a_transposed() ? data.a.rows : data.a.columns;
    if (mma.accumulator()) data.accumulator = home(*mma.accumulator()).one;
    data.scratch = temporary(data.size.inner * kPanelBytes);
    Inst& inst = emit(&steps::mma, id);
    inst.result = home(op.results[0]).one;
    inst.count = width_of(mma.result());
    inst.data = static_cast<uint32_t>(program_.tiles.products.size());
    program_.tiles.products.push_back(data);
    drop_temporaries(temporaries);
}

bool Compiler::tile_operation(OpId id, const Op& op) {
    if (!kTileWayOf.has(op.kind)) return false;
    const auto axis = [&] { return static_cast<size_t>(op.attrs.integer(Attr::axis)); };
    switch (kTileWayOf[op.kind].way) {
        case TileWay::view:
            tile_view(id, op);
            break;
        case TileWay::expand:
            expand(id, op);
            break;
        case TileWay::iota:
            along(id, op, &steps::tile_iota, axis(), {});
            break;
        case TileWay::transpose:
            along(id, op, &steps::transpose, fn_.type(TransposeOp(fn_, id).value()).rank() - 2, {});
            break;
        case TileWay::move:
            move_elements(id, op);
            break;
        case TileWay::reduce:
            along(id, op, &steps::reduce, axis(), AlongOp(fn_, id).what());
            break;
        case TileWay::scan:
            along(id, op, &steps::scan, axis(), AlongOp(fn_, id).what());
            break;
        case TileWay::product:
            product(id, op);
            break;
        case TileWay::made_later:
            not_run(id, op);
            break;
    }
    return true;
}

}  // namespace tsr::ir::eval
