#include "ir/passes/target/cpu/tiles/inside.h"

#include <algorithm>
#include <optional>

#include "ir/build/dim_code.h"
#include "ir/ops/control.h"
#include "ir/ops/tile.h"

namespace tsr::ir {

namespace {

// Whether it is computed in 64 bits all through: narrower numbers may wrap.
bool is_wide(const Function& kernel, ValueId value) {
    const DType elem = kernel.type(value).elem;
    if (elem != DType::index && elem != DType::i64) return false;
    const OpId made = kernel.value(value).op;
    return !made.valid() ||
           std::ranges::all_of(kernel.op(made).operands, [&](ValueId v) { return is_wide(kernel, v); });
}

std::optional<Dim> formula(const Function& kernel, ValueId value) {
    return is_wide(kernel, value) ? dimension_of(kernel, value) : std::nullopt;
}

std::optional<int64_t> constant_of(const Function& kernel, ValueId value) {
    const auto dim = formula(kernel, value);
    return dim ? dim->constant_value() : std::nullopt;
}

bool is_multiple(const Dim& dim, int64_t of) {
    return std::ranges::all_of(dim.terms(), [&](const Dim::Term& term) { return term.coefficient % of == 0; });
}

// The last number that a counter reaches, where it counts up: `upper` less a whole step where both bounds are
// multiples of the step.
std::optional<Dim> last(const Function& kernel, const CounterBounds& by) {
    const auto upper = formula(kernel, by.upper);
    const auto step = constant_of(kernel, by.step);
    if (!upper || !step || *step <= 0) return std::nullopt;
    const auto lower = formula(kernel, by.lower);
    const bool whole = lower && is_multiple(*lower, *step) && is_multiple(*upper, *step);
    return *upper - Dim::constant(whole ? *step : 1);
}

// No value of `value` is above.
std::optional<Dim> most(const Function& kernel, ValueId value) {
    if (auto dim = formula(kernel, value)) return dim;
    if (const auto by = bounds_of_counter(kernel, kernel.value(value))) return last(kernel, *by);
    const OpId made = kernel.value(value).op;
    if (!made.valid()) return std::nullopt;
    const Op& op = kernel.op(made);
    if (op.kind != OpKind::add && op.kind != OpKind::sub && op.kind != OpKind::mul) return std::nullopt;
    const BinaryOp both(kernel, made);
    const auto a = most(kernel, both.lhs());
    if (!a) return std::nullopt;
    if (op.kind == OpKind::add) {
        const auto b = most(kernel, both.rhs());
        return b ? std::optional(*a + *b) : std::nullopt;
    }
    const auto b = formula(kernel, both.rhs());
    if (!b) return std::nullopt;
    if (op.kind == OpKind::sub) return *a - *b;
    return is_never_negative(*b) ? std::optional(*a * *b) : std::nullopt;
}

}  // namespace

bool ends_inside(const Function& kernel, ValueId start, int64_t extent, const Dim& end) {
    if (kernel.type(start).elem != DType::index) return false;  // narrower ones may wrap
    const auto greatest = most(kernel, start);
    return greatest && is_never_negative(end - *greatest - Dim::constant(extent));
}

}  // namespace tsr::ir
