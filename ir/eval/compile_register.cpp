// Operations on register tiles: views of memory, tiles made of tiles, reductions, products.
#include <algorithm>

#include <fmt/format.h>

#include "ir/core/total.h"
#include "ir/eval/compile.h"
#include "ir/eval/steps.h"
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

// What goes along one axis; of a transpose the last but one. `what` combines along it.
void Compiler::along(OpId id, const Op& op, Step step, size_t axis, std::optional<ReduceOp> what) {
    constexpr size_t kShort = 16;  // loops over fewer elements cost more than turning the tile
    const size_t temporaries = temporaries_.size();
    const ValueId result = op.results[0];
    take_home(result);
    const Type& type = fn_.type(op.operands.empty() ? result : op.operands[0]);
    AlongData data = split(type, axis);
    if (what) {
        data.combine = ops_.element(combining(*what), type.elem);
        if (data.inner < kShort && data.outer > 1 && data.length > 1) {
            data.turned = temporary(data.outer * data.length * data.inner * data.size);
        }
    }
    Inst& inst = emit(step, id);
    inst.result = home(result).one;
    if (!op.operands.empty()) inst.a = home(op.operands[0]).one;
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

struct Compiler::TileRuns {
    using Run = void (*)(Compiler&, OpId, const Op&);

    static size_t axis(const Op& op) { return static_cast<size_t>(op.attrs.integer(Attr::axis)); }

    static void view(Compiler& c, OpId id, const Op& op) { c.tile_view(id, op); }
    static void expand(Compiler& c, OpId id, const Op& op) { c.expand(id, op); }
    static void product(Compiler& c, OpId id, const Op& op) { c.product(id, op); }
    static void iota(Compiler& c, OpId id, const Op& op) { c.along(id, op, &steps::tile_iota, axis(op), {}); }
    static void transpose(Compiler& c, OpId id, const Op& op) {
        c.along(id, op, &steps::transpose, c.fn_.type(op.operands[0]).rank() - 2, {});
    }
    static void reduce(Compiler& c, OpId id, const Op& op) {
        c.along(id, op, &steps::reduce, axis(op), AlongOp(c.fn_, id).what());
    }
    static void scan(Compiler& c, OpId id, const Op& op) {
        c.along(id, op, &steps::scan, axis(op), AlongOp(c.fn_, id).what());
    }
    static void not_run(Compiler& c, OpId id, const Op& op) { c.not_run(id, op); }

    static constexpr Row<Run> kTileRows[]{
        {OpKind::load_tile, view},    {OpKind::store_tile, view},   {OpKind::atomic_tile, view},
        {OpKind::expand, expand},     {OpKind::tile_iota, iota},    {OpKind::transpose, transpose},
        {OpKind::reduce, reduce},     {OpKind::scan, scan},         {OpKind::mma, product},
        {OpKind::pack_rows, not_run}, {OpKind::mma_words, not_run},  // made for machines after the evaluator's form
    };
    static constexpr Total<kTileRows, kRegisterFamily> kTable{};
};

bool Compiler::tile_operation(OpId id, const Op& op) {
    if (!TileRuns::kTable.has(op.kind)) return false;
    TileRuns::kTable[op.kind].answer(*this, id, op);
    return true;
}

}  // namespace tsr::ir::eval
