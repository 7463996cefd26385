#include "ir/numerics/roundings.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "ir/core/enumerations.h"
#include "ir/core/lines.h"
#include "ir/ops/effects.h"
#include "ir/ops/element.h"
#include "ir/ops/graph.h"
#include "ir/ops/record.h"
#include "ir/ops/register.h"
#include "ir/ops/tile.h"

namespace tsr::ir {

namespace {

// Bits of significand, the first one with them.
int significand(DType type) {
    switch (type) {
        case DType::f64:
            return 53;
        case DType::f32:
            return 24;
        case DType::f16:
            return 11;
        case DType::bf16:
            return 8;
        case DType::fp8_e4m3:
        case DType::fp6_e2m3:
            return 4;
        case DType::fp8_e5m2:
        case DType::fp6_e3m2:
            return 3;
        case DType::fp4_e2m1:
            return 2;
        default:
            return 1;
    }
}

bool holds_each(DType type, DType integer) {
    if (integer == DType::boolean) return true;
    const int magnitude = integer == DType::index ? 63 : bits(integer) - (is_signed(integer) ? 1 : 0);
    return magnitude <= significand(type);
}

bool may_move(DType from, DType to) {
    if (!is_float(to)) return false;
    return is_float(from) ? !widens_exactly(from, to) : !holds_each(to, from);
}

// Whether the operation combines many values, and rounds each time that it joins one to the others.
bool accumulates(const Function& function, const Op& op) {
    const auto joins = [&] {
        const auto what = static_cast<ReduceOp>(op.attrs.integer(Attr::op));
        return (what == ReduceOp::add || what == ReduceOp::mul) && is_float(function.type(op.operands.front()).elem);
    };
    const auto adds = [&](ValueId value) {
        return static_cast<AtomicOp>(op.attrs.integer(Attr::op)) == AtomicOp::add &&
               is_float(function.type(value).elem);
    };
    switch (op.kind) {
        case OpKind::contract:
            return is_float(ContractOp(function, op).accumulates());
        case OpKind::mma:
            return is_float(MmaOp(function, op).accumulates());
        case OpKind::reduce:
        case OpKind::scan:
        case OpKind::group_reduce:
        case OpKind::group_scan:
        case OpKind::buffer_reduce:
            return joins();
        case OpKind::scatter_axis:
            return op.attrs.has(Attr::op) && joins();
        case OpKind::atomic:
            return adds(AtomicUpdateOp(function, op).value());
        case OpKind::atomic_tile:
            return adds(TileViewOp(function, op).value());
        default:
            return false;
    }
}

DType accumulated_in(const Function& function, const Op& op) {
    if (op.kind == OpKind::contract) return ContractOp(function, op).accumulates();
    if (op.kind == OpKind::mma) return MmaOp(function, op).accumulates();
    return function.type(op.operands.front()).elem;
}

bool in_tf32(const Function& function, const Op& op) {
    if (op.kind == OpKind::contract) return ContractOp(function, op).in_tf32();
    return op.kind == OpKind::mma && MmaOp(function, op).in_tf32();
}

std::string words(const RoundingPoint& point, bool written_cast) {
    switch (point.by) {
        case RoundedBy::arithmetic: {
            const ErrorBound& error = record(point.function->op(point.op).kind).error;
            if (error.exactness != Exactness::bounded) return "arithmetic";
            return fmt::format("arithmetic, within {} ulp", point.to == DType::f64 ? error.f64 : error.f32);
        }
        case RoundedBy::narrowing:
            if (!is_float(*point.from)) return "a whole number as a float";
            return written_cast ? "a cast" : "kept in a narrower type";
        case RoundedBy::toward_zero:
            return "policy: @round(rz)";
        case RoundedBy::chance:
            return "policy: @stochastic_round";
        case RoundedBy::accumulator:
            return "accumulator: each partial result";
        case RoundedBy::tf32:
            return "policy: @compute(tf32), each operand";
    }
    return "";
}

// Whether the program's text at the place asks for the cast itself.
bool is_written_cast(const Function& function, PlaceId place, const Sources& sources) {
    if (!place.valid()) return false;
    const Span at = function.place_of(place).span;
    if (!at.valid()) return false;
    const std::string_view text = sources.text(at);
    const std::string_view called = text.substr(0, text.find('('));
    return text.ends_with(")") && (called == "cast" || called.ends_with(".cast") || called.ends_with(".astype"));
}

}  // namespace

double unit_roundoff(DType type) { return std::ldexp(1.0, -significand(type)); }

double RoundingPoint::most() const {
    const double unit = unit_roundoff(to);
    switch (by) {
        case RoundedBy::tf32:
            return kTf32Roundoff;
        case RoundedBy::toward_zero:
        case RoundedBy::chance:
            return 2 * unit;
        case RoundedBy::arithmetic: {
            const ErrorBound& error = record(function->op(op).kind).error;
            // A unit in the last place of a number is at most twice the unit roundoff of it.
            if (error.exactness == Exactness::bounded) return 2 * unit * (to == DType::f64 ? error.f64 : error.f32);
            return unit;
        }
        case RoundedBy::narrowing:
        case RoundedBy::accumulator:
            return unit;
    }
    return unit;
}

bool is_rounded_before(const Function& function, OpId cast) {
    const OpId before = function.value(function.op(cast).operands.front()).op;
    if (!before.valid()) return false;
    const Op& op = function.op(before);
    return (op.kind == OpKind::cut || op.kind == OpKind::dither) &&
           op.attrs.dtype(Attr::type) == CastOp(function, cast).to();
}

std::vector<RoundingPoint> roundings_of(const Function& function, OpId id) {
    const Op& op = function.op(id);
    if (op.results.empty() && op.kind != OpKind::atomic_tile) return {};
    if (accumulates(function, op)) {
        std::vector<RoundingPoint> both;
        if (in_tf32(function, op)) both.push_back({&function, id, RoundedBy::tf32, DType::f32, DType::f32});
        both.push_back({&function, id, RoundedBy::accumulator, std::nullopt, accumulated_in(function, op)});
        return both;
    }
    if (!is_element(op.kind)) return {};
    const DType from = function.type(op.operands.front()).elem, to = function.type(op.results[0]).elem;
    if (op.kind == OpKind::cast) {
        if (!may_move(from, to) || is_rounded_before(function, id)) return {};
        return {{&function, id, RoundedBy::narrowing, from, to}};
    }
    if (op.kind == OpKind::cut || op.kind == OpKind::dither) {
        const RoundedBy by = op.kind == OpKind::cut ? RoundedBy::toward_zero : RoundedBy::chance;
        return {{&function, id, by, from, op.attrs.dtype(Attr::type)}};
    }
    if (!is_float(to) || record(op.kind).error.exactness == Exactness::exact) return {};
    return {{&function, id, RoundedBy::arithmetic, std::nullopt, to}};
}

std::string explain_roundings(const Module& module, const Sources& sources, FileId root) {
    std::set<std::tuple<uint32_t, uint32_t, std::string>> lines;  // by the place in the text
    for (const Function& function : module.functions) {
        for_each_op(function, function.body, [&](OpId id) {
            for (const RoundingPoint& rounding : roundings_of(function, id)) {
                const PlaceId place = function.op(id).place;
                if (!place.valid()) continue;
                const Span at = users_span(function.place_of(place), &sources);
                if (!at.valid() || at.file != root) continue;
                const LineColumn position = sources.position(at.file, at.begin);
                const bool cast = rounding.by == RoundedBy::narrowing && is_written_cast(function, place, sources);
                const std::string_view to = rounding.by == RoundedBy::tf32 ? "tf32" : name(rounding.to);
                const std::string_view from = rounding.from ? name(*rounding.from) : "exact result";
                lines.emplace(position.line, position.column,
                              fmt::format("{}: {} to {}, at most {:.3g} of it ({})", name(function.op(id).kind), from,
                                          to, rounding.most(), words(rounding, cast)));
            }
        });
    }
    std::string all;
    for (const auto& [line, column, what] : lines) all += fmt::format("{}:{}: {}\n", line, column, what);
    return all;
}

}  // namespace tsr::ir
