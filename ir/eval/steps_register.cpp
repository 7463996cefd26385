// Register tiles made of others: repeated, turned, combined along an axis, multiplied. A tile is a dense array.
#include <algorithm>

#include <fmt/format.h>

#include "ir/eval/machine.h"
#include "ir/eval/steps.h"
#include "ir/eval/watch.h"
#include "ir/ops/record.h"

namespace tsr::ir::eval::steps {

namespace {

// Writes all rounds of the loop at `depth` and of those in it.
void repeat(const LaneOps& ops, const ExpandData& data, size_t depth, uint8_t* to, const uint8_t* from) {
    if (depth == data.loops.size()) {
        std::memcpy(to, from, data.size);
        return;
    }
    const ExpandData::Loop& loop = data.loops[depth];
    const size_t bytes = loop.inner * data.size;
    const bool innermost = depth + 1 == data.loops.size();
    if (innermost && loop.repeats()) return ops.fill(data.size)(to, from, nullptr, nullptr, loop.extent);
    if (innermost && loop.step == 1) {
        std::memcpy(to, from, loop.extent * data.size);
        return;
    }
    for (size_t i = 0; i < loop.extent; ++i) {
        if (i > 0 && loop.repeats())
            std::memcpy(to + i * bytes, to, bytes);
        else
            repeat(ops, data, depth + 1, to + i * bytes, from + i * loop.step * data.size);
    }
}

// [outer, length, inner] to [length, outer, inner], or back where outer and length are given the other way round.
void turn(const LaneOps& ops, uint8_t* to, const uint8_t* from, size_t outer, size_t length, const AlongData& along) {
    if (along.inner == 1) return ops.transpose(to, from, along.size, outer, length);
    const size_t bytes = along.inner * along.size;
    for (size_t o = 0; o < outer; ++o) {
        for (size_t l = 0; l < length; ++l)
            std::memcpy(to + (l * outer + o) * bytes, from + (o * length + l) * bytes, bytes);
    }
}

bool all_finite(const LaneOps& ops, DType type, const uint8_t* from, size_t n, size_t step) {
    for (size_t i = 0; i < n; ++i, from += step * stored_size(type)) {
        uint64_t bits = 0;
        std::memcpy(&bits, from, stored_size(type));
        double value = 0;
        ops.cast(type, DType::f64)(&value, &bits, nullptr, nullptr, 1);
        if (!(value - value == 0)) return false;
    }
    return true;
}

// The first element of the result that is not finite though all that went into it is: `operands_finite` of it.
template <typename Finite>
void check_finite(Machine& machine, const Inst& inst, DType type, Finite&& operands_finite) {
    if (!machine.launch->options->sanitizers.nan || !is_float(type)) return;
    const Function& fn = *machine.program->function;
    const Op& op = fn.op(inst.op);
    const uint8_t* result = machine.bytes(inst.result);
    for (size_t i = 0; i < inst.count; ++i) {
        if (all_finite(*machine.ops, type, result + i * stored_size(type), 1, 1) || !operands_finite(i)) continue;
        const Type& of = fn.type(op.results[0]);
        const std::string at = of.kind == TypeKind::tile ? ", at " + tile_position(of, i) : "";
        machine.report(ReportKind::nan, inst.op,
                       fmt::format("'{}' of {} makes NaN or an infinity from finite operands{}, in {}", name(op.kind),
                                   tsr::name(type), at, machine.who(std::nullopt)));
        return;
    }
}

// An operand as dense elements of the product's factor type, not transposed.
const uint8_t* factor(Machine& machine, const Inst& inst, const FactorData& data, size_t size) {
    const size_t elements = data.rows * data.columns;
    const uint8_t* from = data.buffer ? machine.views[data.view].data : machine.bytes(data.tile);
    if (data.buffer && machine.views[data.view].shadow != nullptr) {
        watch_row(machine, inst, data.view, machine.views[data.view], 0, 1, elements, TouchKind::read);
    }
    if (data.round != nullptr) {
        data.round(machine.bytes(data.rounded), from, nullptr, nullptr, elements);
        from = machine.bytes(data.rounded);
    }
    if (data.wide != 0) {
        data.widen(machine.bytes(data.wide), from, nullptr, nullptr, elements);
        from = machine.bytes(data.wide);
    }
    if (data.transposed) {
        machine.ops->transpose(machine.bytes(data.turned), from, size, data.rows, data.columns);
        from = machine.bytes(data.turned);
    }
    return from;
}

}  // namespace

const Inst* expand(Machine& machine, const Inst& inst) {
    repeat(*machine.ops, machine.program->tiles.expands[inst.data], 0, machine.bytes(inst.result),
           machine.bytes(inst.a));
    return next(inst);
}

const Inst* tile_iota(Machine& machine, const Inst& inst) {
    const AlongData& along = machine.program->tiles.alongs[inst.data];
    auto* result = reinterpret_cast<int32_t*>(machine.bytes(inst.result));
    for (size_t o = 0; o < along.outer; ++o) {
        for (size_t i = 0; i < along.length; ++i, result += along.inner) {
            std::fill_n(result, along.inner, static_cast<int32_t>(i));
        }
    }
    return next(inst);
}

const Inst* transpose(Machine& machine, const Inst& inst) {
    const AlongData& along = machine.program->tiles.alongs[inst.data];
    const size_t elements = along.length * along.inner;
    for (size_t o = 0; o < along.outer; ++o) {
        machine.ops->transpose(machine.bytes(inst.result) + o * elements * along.size,
                               machine.bytes(inst.a) + o * elements * along.size, along.size, along.length,
                               along.inner);
    }
    return next(inst);
}

const Inst* move_tile(Machine& machine, const Inst& inst) {
    const MoveData& move = machine.program->tiles.moves[inst.data];
    uint8_t* result = machine.bytes(inst.result);
    for (const uint32_t source : move.sources) {
        std::memcpy(result, machine.bytes(inst.a) + source * move.size, move.size);
        result += move.size;
    }
    return next(inst);
}

// In the order of the axis.
const Inst* reduce(Machine& machine, const Inst& inst) {
    const AlongData& along = machine.program->tiles.alongs[inst.data];
    const uint8_t* from = machine.bytes(inst.a);
    size_t outer = along.outer;
    size_t inner = along.inner;
    if (along.turned != 0) {
        turn(*machine.ops, machine.bytes(along.turned), from, outer, along.length, along);
        from = machine.bytes(along.turned);
        inner *= outer;
        outer = 1;
    }
    const size_t bytes = inner * along.size;
    uint8_t* result = machine.bytes(inst.result);
    for (size_t o = 0; o < outer; ++o, result += bytes) {
        std::memcpy(result, from, bytes);
        from += bytes;
        for (size_t l = 1; l < along.length; ++l, from += bytes) along.combine(result, result, from, nullptr, inner);
    }
    check_finite(machine, inst, along.elem, [&](size_t i) {
        const size_t first = i / along.inner * along.length * along.inner + i % along.inner;
        return all_finite(*machine.ops, along.elem, machine.bytes(inst.a) + first * along.size, along.length,
                          along.inner);
    });
    return next(inst);
}

const Inst* scan(Machine& machine, const Inst& inst) {
    const AlongData& along = machine.program->tiles.alongs[inst.data];
    uint8_t* result = machine.bytes(inst.result);
    size_t outer = along.outer;
    size_t inner = along.inner;
    if (along.turned != 0) {
        result = machine.bytes(along.turned);
        turn(*machine.ops, result, machine.bytes(inst.a), outer, along.length, along);
        inner *= outer;
        outer = 1;
    } else {
        std::memcpy(result, machine.bytes(inst.a), inst.count * along.size);
    }
    const size_t bytes = inner * along.size;
    for (uint8_t* at = result; outer > 0; --outer, at += bytes) {
        for (size_t l = 1; l < along.length; ++l, at += bytes)
            along.combine(at + bytes, at, at + bytes, nullptr, inner);
    }
    if (along.turned != 0) {
        turn(*machine.ops, machine.bytes(inst.result), result, along.length, along.outer, along);
    }
    check_finite(machine, inst, along.elem, [&](size_t i) {
        const size_t length = i / along.inner % along.length + 1;
        const size_t first = i - (length - 1) * along.inner;
        return all_finite(*machine.ops, along.elem, machine.bytes(inst.a) + first * along.size, length, along.inner);
    });
    return next(inst);
}

const Inst* mma(Machine& machine, const Inst& inst) {
    const ProductData& data = machine.program->tiles.products[inst.data];
    const uint8_t* a = factor(machine, inst, data.a, data.factor_size);
    const uint8_t* b = factor(machine, inst, data.b, data.factor_size);
    const size_t bytes = inst.count * stored_size(data.sum);
    uint8_t* result = machine.bytes(inst.result);
    if (data.accumulator != 0)
        std::memcpy(result, machine.bytes(data.accumulator), bytes);
    else
        std::memset(result, 0, bytes);
    data.run(result, a, b, machine.bytes(data.scratch), data.size);
    check_finite(machine, inst, data.sum, [&](size_t i) {
        const auto [rows, columns, inner] = data.size;
        const DType type = data.factor_size == 8 ? DType::f64 : DType::f32;
        const size_t row = i / columns * inner * data.factor_size;
        const size_t column = i % columns * data.factor_size;
        return (data.accumulator == 0 ||
                all_finite(*machine.ops, data.sum, machine.bytes(data.accumulator) + i * stored_size(data.sum), 1,
                           1)) &&
               all_finite(*machine.ops, type, a + row, inner, 1) &&
               all_finite(*machine.ops, type, b + column, inner, columns);
    });
    return next(inst);
}

}  // namespace tsr::ir::eval::steps
