#include "ir/eval/numbers.h"

#include <array>

#include <fmt/format.h>

#include "ir/core/internal.h"
#include "ir/ops/control.h"
#include "ir/ops/record.h"
#include "ir/passes/math/expand_math.h"

namespace tsr::ir::eval {

Formula::Formula(OpKind kind, DType type, size_t operands) {
    function_.level = Level::host;
    std::vector<ValueId> params;
    for (size_t i = 0; i < operands; ++i) params.push_back(function_.add_arg(function_.body, Type::scalar(type)));
    const bool tests = kind == OpKind::isnan || kind == OpKind::isinf || kind == OpKind::isfinite;
    const OpId op = function_.add_op(kind, {}, params, {Type::scalar(tests ? DType::boolean : type)});
    function_.append(function_.body, op);
    function_.append(function_.body, function_.add_op(OpKind::yield, {}, {function_.op(op).results[0]}, {}));
    expand_math(function_);
    values_.resize(function_.value_count());
}

Bits Formula::operator()(const Bits* operands) {
    for (size_t i = 0; i < function_.params().size(); ++i) values_[function_.params()[i].index] = operands[i];
    region(function_.body);
    return values_[yielded(function_.body)[0].index];
}

const std::vector<ValueId>& Formula::yielded(RegionId region) const {
    return function_.op(yield_of(function_, region)).operands;
}

std::vector<Bits> Formula::all(const std::vector<ValueId>& values) const {
    std::vector<Bits> bits;
    for (ValueId v : values) bits.push_back(values_[v.index]);
    return bits;
}

void Formula::take(const std::vector<ValueId>& to, size_t first, const std::vector<Bits>& values) {
    for (size_t i = 0; i < values.size(); ++i) values_[to[first + i].index] = values[i];
}

void Formula::region(RegionId id) {
    for (OpId at : function_.region(id).ops) {
        if (function_.op(at).kind != OpKind::yield) op(at);
    }
}

void Formula::loop(const Op& op) {
    const RegionId body = op.regions.back();
    if (op.kind == OpKind::for_) {
        const ForOp counted(function_, op);
        const DType type = function_.type(counted.lower()).elem;
        Bits at = values_[counted.lower().index];
        const Bits upper = values_[counted.upper().index];
        const Bits step = values_[counted.step().index];
        std::vector<Bits> carried = all({counted.inits().begin(), counted.inits().end()});
        const bool down = exactly(OpKind::lt, type, step, 0) != 0;
        while (step != 0 && exactly(down ? OpKind::gt : OpKind::lt, type, at, upper) != 0) {
            values_[function_.region(body).args[0].index] = at;
            take(function_.region(body).args, 1, carried);
            region(body);
            carried = all(yielded(body));
            at = exactly(OpKind::add, type, at, step);
        }
        return take(op.results, 0, carried);
    }
    std::vector<Bits> carried = all(op.operands);
    while (true) {
        take(function_.region(op.regions[0]).args, 0, carried);
        region(op.regions[0]);
        if (values_[yielded(op.regions[0])[0].index] == 0) break;
        take(function_.region(body).args, 0, carried);
        region(body);
        carried = all(yielded(body));
    }
    take(op.results, 0, carried);
}

void Formula::op(OpId id) {
    const Op& op = function_.op(id);
    if (op.kind == OpKind::for_ || op.kind == OpKind::while_) return loop(op);
    if (op.kind == OpKind::if_) {
        const RegionId taken = op.regions[values_[IfOp(function_, id).condition().index] != 0 ? 0 : 1];
        region(taken);
        return take(op.results, 0, all(yielded(taken)));
    }
    if (op.kind == OpKind::constant) {
        values_[op.results[0].index] = constant_bits(op.attrs);
        return;
    }
    if (op.kind == OpKind::table) {
        values_[op.results[0].index] = table_element(op.attrs, values_[UnaryOp(function_, id).operand().index]);
        return;
    }
    std::array<Bits, 3> operands{};
    for (size_t i = 0; i < op.operands.size(); ++i) operands[i] = values_[op.operands[i].index];
    const DType type = ElementwiseOp(function_, id).computes_in().elem;
    const ScalarFn law = scalar_function(op.kind, type);
    if (law == nullptr || !is_exact(op.kind, type)) {
        internal_error(fmt::format("a formula has the operation '{}'", name(op.kind)));
    }
    values_[op.results[0].index] = law(operands.data(), type, function_.type(op.results[0]).elem);
}

Bits Element::operator()(const Bits* operands) const {
    if (law != nullptr) return law(operands, type, to);
    if (formula != nullptr) return (*formula)(operands);
    if (is_table()) return table_element(op->attrs, *operands);
    Bits result = 0;
    lane(&result, operands, operands + 1, operands + 2, 1);
    return canonical(to, result);
}

Element Elements::find(const Function& function, const Op& op) {
    Element found;
    found.op = &op;
    found.type = ElementwiseOp(function, op).computes_in().elem;
    found.to = function.type(op.results[0]).elem;
    if (op.kind == OpKind::table || found.type == DType::c64 || found.to == DType::c64) return found;
    if (op.kind == OpKind::cut || op.kind == OpKind::dither) {
        found.lane = lane_ops().rounding(op.kind, found.type, op.attrs.dtype(Attr::type));
    } else if (op.kind == OpKind::philox) {
        found.lane = lane_ops().element(op.kind, found.type);
    } else if (is_exact(op.kind, found.type)) {
        found.law = scalar_function(op.kind, found.type);
    } else if (record(op.kind).formula == ir::Formula::of_floats) {
        std::unique_ptr<Formula>& formula = formulas_[{op.kind, found.type}];
        if (formula == nullptr) formula = std::make_unique<Formula>(op.kind, found.type, op.operands.size());
        found.formula = formula.get();
    }
    return found;
}

Bits exactly(OpKind kind, DType type, Bits a, Bits b) {
    const Bits operands[] = {a, b};
    const bool compares = kind == OpKind::lt || kind == OpKind::gt;
    return scalar_function(kind, type)(operands, type, compares ? DType::boolean : type);
}

}  // namespace tsr::ir::eval
