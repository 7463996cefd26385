// Tiles made of tiles, each thread by itself.
#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "ir/core/internal.h"
#include "ir/ops/effects.h"
#include "ir/ops/register.h"
#include "ir/passes/target/cpu/tiles/uses.h"
#include "ir/passes/target/gpu/tiles/code.h"

namespace tsr::ir {

ThreadTiles::ThreadTiles(KernelCode& code, ValueId thread, const GpuMachine& machine)
    : ThreadNumbers(code, thread),
      code_(code),
      emit_(code.emit),
      layouts_(assign_layouts(code.tile, code.plan.gpu().threads, machine)),
      uses_(code.tile) {}

// Of a scalar, or of the position alone; nothing for other operations.
ThreadTiles::Registers ThreadTiles::made_anywhere(const Op& op, const Layout& wanted) {
    const auto count = static_cast<size_t>(wanted.size());
    if (op.kind == OpKind::expand && !is_tile(code_.tile, ExpandOp(code_.tile, op).value())) {
        return Registers(count, code_.scalars.at(ExpandOp(code_.tile, op).value()));
    }
    if (op.kind != OpKind::tile_iota) return {};
    const auto along = static_cast<size_t>(op.attrs.integer(Attr::axis));
    const ThreadPart part = thread_part(wanted.atom, axis(along));
    Registers out;
    std::map<int64_t, ValueId> known;
    for (int64_t r = 0; r < wanted.size(); ++r) {
        const int64_t at = wanted.at(r)[along];
        ValueId& value = known[at];
        const int64_t begin = wanted.atom_begin(r / wanted.atom_size())[along];
        if (!value.valid()) {
            const ValueId in_atom = plus(part, static_cast<Bits>(at - begin));
            value = emit_.cast(emit_.add(in_atom, emit_.integer(begin)), DType::i32);
        }
        out.push_back(value);
    }
    return out;
}

// Which positions are below a number of the group: each register compares a constant with what is left for the thread.
// Nothing for other operations.
ThreadTiles::Registers ThreadTiles::positions_below(const Op& op, const Layout& wanted) {
    if (op.kind != OpKind::lt) return {};
    const auto iota = defined_by(code_.tile, op.operands.front(), OpKind::tile_iota);
    const auto same = defined_by(code_.tile, op.operands.back(), OpKind::expand);
    if (!iota || !same || is_tile(code_.tile, ExpandOp(code_.tile, *same).value())) return {};
    // Beside the fragments of products no register is left for it.
    bool multiplies = false;
    for_each_op(code_.tile, code_.tile.body,
                [&](OpId id) { multiplies = multiplies || code_.tile.op(id).kind == OpKind::mma; });
    if (multiplies) return {};
    const auto along = static_cast<size_t>(code_.tile.op(*iota).attrs.integer(Attr::axis));
    const ThreadPart part = thread_part(wanted.atom, axis(along));
    for (int64_t r = 0; r < wanted.size(); ++r) {
        const int64_t in_atom = wanted.at(r)[along] - wanted.atom_begin(r / wanted.atom_size())[along];
        if ((static_cast<Bits>(in_atom) & part.bits) != 0) return {};
    }
    const ValueId number = code_.scalars.at(ExpandOp(code_.tile, *same).value());
    const ValueId some = emit_.binary(OpKind::maximum, number, emit_.integer(0, DType::i32));
    const ValueId left = emit_.binary(OpKind::sub, some, emit_.cast(part.value, DType::i32));
    Registers out;
    std::map<int64_t, ValueId> known;
    for (int64_t r = 0; r < wanted.size(); ++r) {
        const int64_t at = wanted.at(r)[along];
        ValueId& value = known[at];
        if (!value.valid()) value = emit_.compare(OpKind::lt, emit_.integer(at, DType::i32), left);
        out.push_back(value);
    }
    return out;
}

void ThreadTiles::element(const Op& op) {
    const Layout& wanted = layout(op.results[0]);
    if (Registers below = positions_below(op, wanted); !below.empty()) {
        code_.parts[op.results[0]] = std::move(below);
        return;
    }
    std::vector<Registers> operands;
    for (ValueId v : op.operands) {
        operands.push_back(is_tile(code_.tile, v) ? in(v, wanted)
                                                  : Registers(static_cast<size_t>(wanted.size()), code_.scalars.at(v)));
    }
    Registers out;
    std::map<Registers, ValueId> known;  // repeated along an axis: once
    for (size_t r = 0; r < static_cast<size_t>(wanted.size()); ++r) {
        Registers of_one;
        for (const Registers& all : operands) of_one.push_back(all[r]);
        ValueId& value = known[of_one];
        if (!value.valid()) value = emit_.op(op.kind, of_one, op.attrs);
        out.push_back(value);
    }
    code_.parts[op.results[0]] = out;
}

void ThreadTiles::expand(const Op& op) {
    const ValueId result = op.results[0], value = ExpandOp(code_.tile, op).value();
    if (!is_tile(code_.tile, value)) {
        code_.parts[result] = made_anywhere(op, layout(result));
        return;
    }
    const std::vector<int64_t>& axes = op.attrs.integers(Attr::axes);
    const Coordinates shape = extents(code_.tile.type(value));
    const Registers values = in(value, before_expand(layout(result), axes, shape));
    // Axes that the value has not, or has once, from the last to the first.
    Layout rest = layout(result);
    std::vector<int64_t> from(static_cast<size_t>(rest.size()));
    std::iota(from.begin(), from.end(), 0);
    for (size_t i = rest.rank(); i-- > 0;) {
        const auto found = std::ranges::find(axes, static_cast<int64_t>(i));
        if (found != axes.end() && shape[static_cast<size_t>(found - axes.begin())] != 1) continue;
        const std::vector<int64_t> step = rest.registers_without(i);
        for (int64_t& r : from) r = step[static_cast<size_t>(r)];
        rest = rest.without_axis(i);
        if (found != axes.end()) rest = rest.with_axis(i);
    }
    Registers out;
    for (int64_t r : from) out.push_back(values[static_cast<size_t>(r)]);
    code_.parts[result] = out;
}

void ThreadTiles::transpose(const Op& op) {
    const ValueId result = op.results[0], value = TransposeOp(code_.tile, op).value();
    const Layout& from = layout(value);
    std::vector<size_t> order(from.rank());
    std::iota(order.begin(), order.end(), size_t{0});
    std::swap(order[order.size() - 1], order[order.size() - 2]);
    Registers turned;
    for (int64_t r : from.registers_permuted(order)) turned.push_back(code_.parts.at(value)[static_cast<size_t>(r)]);
    code_.parts[result] = convert(turned, from.permuted(order), layout(result), elem(value));
}

ThreadTiles::Registers ThreadTiles::load_vector(ValueId pointer, int64_t width) {
    const DType type = emit_.element_type(pointer);
    if (width == 1) return {emit_.load(pointer, 0)};
    const ValueId vector = emit_.op(OpKind::load, {pointer},
                                    {{Attr::width, width}, {Attr::alignment, width * std::max(1, bits(type) / 8)}});
    Registers out;
    for (int64_t i = 0; i < width; ++i) {
        out.push_back(emit_.op(OpKind::extract, {vector}, {{Attr::axis, i}}));
    }
    return out;
}

void ThreadTiles::store_vector(ValueId pointer, const Registers& values) {
    if (values.size() == 1) return emit_.store(pointer, values[0]);
    const auto width = static_cast<int64_t>(values.size());
    const DType type = emit_.element_type(pointer);
    emit_.statement(OpKind::store, {pointer, vector(values)}, {{Attr::alignment, width * std::max(1, bits(type) / 8)}});
}

ValueId ThreadTiles::vector(const Registers& values) {
    ValueId out = emit_.splat(values[0], static_cast<int64_t>(values.size()));
    for (size_t i = 1; i < values.size(); ++i) {
        out = emit_.op(OpKind::insert, {out, values[i]}, {{Attr::axis, static_cast<int64_t>(i)}});
    }
    return out;
}

}  // namespace tsr::ir
