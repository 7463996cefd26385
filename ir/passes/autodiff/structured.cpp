#include "ir/passes/autodiff/structured.h"

#include <algorithm>
#include <numeric>

#include "base/numerics.h"
#include "ir/build/products.h"
#include "ir/core/total.h"
#include "ir/ops/graph.h"
#include "ir/ops/indexed.h"
#include "ir/ops/register.h"
#include "ir/passes/autodiff/along_axis.h"
#include "ir/passes/autodiff/movements.h"
#include "ir/passes/autodiff/types.h"

namespace tsr::ir::autodiff {

namespace {

const Type& type_of(const Builder& at, ValueId value) { return at.function().type(value); }

const Op& op_at(const Builder& at, OpId op) { return at.function().op(op); }

bool spreads_to(const Type& type) { return type.kind == TypeKind::tensor; }

// A scalar or tensor repeated to the shape: its axis i is axis `axes`[i] there.
ValueId repeated(Builder& at, ValueId value, const std::vector<int64_t>& axes, const std::vector<Dim>& shape) {
    if (!spreads_to(type_of(at, value))) return at.value(OpKind::full, {value}, {{Attr::shape, shape}});
    return at.value(OpKind::expand, {value}, {{Attr::axes, axes}, {Attr::shape, shape}});
}

ValueId summed(Builder& at, ValueId value, size_t axis) {
    return at.value(OpKind::reduce, {value},
                    {{Attr::op, static_cast<int64_t>(ReduceOp::add)}, {Attr::axis, static_cast<int64_t>(axis)}});
}

// ---- repeating: the adjoint adds what was repeated ----

ValueId expand_adjoint(Builder& at, OpId op, size_t, ValueId g) {
    const ExpandOp expand(at.function(), op);
    const Type from = type_of(at, expand.value());
    const std::vector<int64_t>& axes = expand.axes();
    const std::vector<Dim> to = type_of(at, g).shape;
    std::vector<int64_t> kept;  // axes of the operand that are not repeated
    std::vector<bool> stays(to.size());
    for (size_t i = 0; i < axes.size(); ++i) {
        const auto axis = static_cast<size_t>(axes[i]);
        const bool repeats = from.shape[i].constant_value() == 1 && to[axis].constant_value() != 1;
        if (repeats) continue;
        kept.push_back(static_cast<int64_t>(i));
        stays[axis] = true;
    }
    for (size_t axis = to.size(); axis-- > 0;) {
        if (!stays[axis]) g = summed(at, g, axis);
    }
    if (!spreads_to(from) || kept.size() == from.rank()) return g;
    return repeated(at, g, kept, from.shape);
}

ValueId full_adjoint(Builder& at, OpId, size_t, ValueId g) {
    for (size_t axis = type_of(at, g).rank(); axis-- > 0;) g = summed(at, g, axis);
    return g;
}

// Each axis back to where it was.
ValueId transpose_adjoint(Builder& at, OpId op, size_t, ValueId g) {
    Attrs attrs = op_at(at, op).attrs;
    if (attrs.has(Attr::axes)) {
        const std::vector<int64_t> from = attrs.integers(Attr::axes);
        std::vector<int64_t> back(from.size());
        for (size_t i = 0; i < from.size(); ++i) back[static_cast<size_t>(from[i])] = static_cast<int64_t>(i);
        attrs.set(Attr::axes, std::move(back));
    }
    return at.value(OpKind::transpose, {g}, std::move(attrs));
}

// The same operation on the tangent of its only operand.
ValueId linear_tangent(Builder& at, OpId op, const Tangents& tangents) {
    const OpKind kind = op_at(at, op).kind;
    return at.value(kind, {*tangents[0]}, op_at(at, op).attrs);
}

// ---- combining along an axis ----

// Its value again at each position of the axis.
ValueId along_axis(Builder& at, const AlongOp& reduce, ValueId value) {
    const std::vector<Dim> shape = type_of(at, reduce.value()).shape;
    std::vector<int64_t> axes(shape.size());
    std::iota(axes.begin(), axes.end(), 0);
    axes.erase(axes.begin() + reduce.axis());
    return repeated(at, value, axes, shape);
}

bool is_extreme(const AlongOp& reduce) { return reduce.what() == ReduceOp::min || reduce.what() == ReduceOp::max; }

// Of the smallest or greatest: where the first of the equals stands. NaN is what a NaN gives.
ValueId taken_place(Builder& at, const AlongOp& reduce) {
    const ValueId x = reduce.value();
    const std::vector<Dim> shape = type_of(at, x).shape;
    const Dim& extent = shape[static_cast<size_t>(reduce.axis())];
    const ValueId is_it = at.bit_or(at.eq(x, along_axis(at, reduce, reduce.result())), at.ne(x, x));
    const ValueId numbers =
        at.value(OpKind::positions, {}, {{Attr::shape, std::vector<Dim>{extent}}, {Attr::type, DType::i64}});
    const ValueId number = repeated(at, numbers, {reduce.axis()}, shape);
    const ValueId none = at.value(OpKind::full, {at.cast(at.dim(extent), DType::i64)}, {{Attr::shape, shape}});
    const ValueId first = at.value(OpKind::reduce, {at.select(is_it, number, none)},
                                   {{Attr::op, static_cast<int64_t>(ReduceOp::min)}, {Attr::axis, reduce.axis()}});
    return at.eq(number, along_axis(at, reduce, first));
}

ValueId reduce_adjoint(Builder& at, OpId op, size_t, ValueId g) {
    const AlongOp reduce(at.function(), op);
    if (reduce.what() == ReduceOp::mul) return product_adjoint(at, op, g);
    const ValueId spread = along_axis(at, reduce, g);
    if (!is_extreme(reduce)) return spread;
    return at.select(taken_place(at, reduce), spread, zeros_of(at, type_of(at, spread)));
}

ValueId reduce_tangent(Builder& at, OpId op, const Tangents& tangents) {
    const AlongOp reduce(at.function(), op);
    ValueId moved = *tangents[0];
    if (reduce.what() == ReduceOp::mul) return product_tangent(at, op, moved);
    if (is_extreme(reduce)) moved = at.select(taken_place(at, reduce), moved, zeros_of(at, type_of(at, moved)));
    return summed(at, moved, static_cast<size_t>(reduce.axis()));
}

// ---- products ----

// The operand whose own letter stands first in the result is the first.
ValueId contracted(Builder& at, ValueId a, std::string a_letters, ValueId b, std::string b_letters,
                   const std::string& letters) {
    const auto only_in_b = [&](char letter) { return a_letters.find(letter) == std::string::npos; };
    const auto only_in_a = [&](char letter) { return b_letters.find(letter) == std::string::npos; };
    if (std::ranges::find_if(letters, only_in_b) < std::ranges::find_if(letters, only_in_a)) {
        std::swap(a, b);
        std::swap(a_letters, b_letters);
    }
    const DType type = accumulation_type(type_of(at, a).elem, {});
    const MakeOperation make = [&](OpKind kind, Values operands, Attrs attrs) {
        return at.value(kind, std::move(operands), std::move(attrs));
    };
    return sum_of_products(
        at.function(), make,
        {at.cast(a, type), at.cast(b, type), std::move(a_letters), std::move(b_letters), letters, type});
}

// A letter that the product does not name.
char free_letter(const std::string& taken) {
    char letter = 'a';
    while (taken.find(letter) != std::string::npos) ++letter;
    return letter;
}

// The cotangent times the other operand, summed along what this operand lacks; repeated along letters that only it has.
ValueId contract_adjoint(Builder& at, OpId op, size_t operand, ValueId g) {
    const ContractOp contract(at.function(), op);
    const std::string own(operand == 0 ? contract.letters().a : contract.letters().b);
    const std::string others(operand == 0 ? contract.letters().b : contract.letters().a);
    std::string result(contract.letters().result);
    const ValueId other = operand == 0 ? contract.b() : contract.a();
    const std::vector<Dim> shape = type_of(at, operand == 0 ? contract.a() : contract.b()).shape;
    if (result.empty()) {
        result = free_letter(own + others);
        g = at.value(OpKind::full, {g}, {{Attr::shape, std::vector<Dim>{Dim::constant(1)}}});
    }
    std::string met;
    std::vector<int64_t> axes;
    for (size_t i = 0; i < own.size(); ++i) {
        if (result.find(own[i]) == std::string::npos && others.find(own[i]) == std::string::npos) continue;
        met += own[i];
        axes.push_back(static_cast<int64_t>(i));
    }
    const ValueId made = contracted(at, g, result, other, others, met);
    return met.size() == own.size() ? made : repeated(at, made, axes, shape);
}

ValueId contract_tangent(Builder& at, OpId op, const Tangents& tangents) {
    const ContractOp contract(at.function(), op);
    const std::string a(contract.letters().a), b(contract.letters().b), result(contract.letters().result);
    const ValueId left = contract.a(), right = contract.b();
    std::optional<ValueId> made;
    if (tangents[0]) made = contracted(at, *tangents[0], a, right, b, result);
    if (!tangents[1]) return *made;
    const ValueId other = contracted(at, *tangents[1], b, left, a, result);
    return made ? at.add(*made, other) : other;
}

// ---- elements by their number: reading and adding are each other's adjoint ----

// Where an element was read several times its parts are added, in the order of the places that read it.
ValueId gather_adjoint(Builder& at, OpId op, size_t, ValueId g) {
    const IndexedOp gather(at.function(), op);
    const ValueId zeros = zeros_of(at, type_of(at, gather.x()).with(type_of(at, g).elem));
    Attrs attrs = gather.attrs();
    attrs.set(Attr::op, static_cast<int64_t>(ReduceOp::add));
    return at.value(OpKind::scatter_axis, {zeros, gather.ids(), g}, std::move(attrs));
}

ValueId gather_tangent(Builder& at, OpId op, const Tangents& tangents) {
    const IndexedOp gather(at.function(), op);
    return at.value(OpKind::gather_axis, {*tangents[0], gather.ids()}, gather.attrs());
}

// Whether a value of a scatter that replaces is the last one at its place: the number of each is put there, too.
ValueId is_last_there(Builder& at, const IndexedOp& scatter, const Attrs& gathers) {
    const std::vector<Dim> shape = type_of(at, scatter.values()).shape;
    const Dim count = element_count(shape);
    const ValueId line =
        at.value(OpKind::positions, {}, {{Attr::shape, std::vector<Dim>{count}}, {Attr::type, DType::i64}});
    const ValueId numbers = at.value(OpKind::reshape, {line}, {{Attr::shape, shape}});
    const ValueId none =
        at.value(OpKind::full, {at.constant(-1, DType::i64)}, {{Attr::shape, type_of(at, scatter.x()).shape}});
    const ValueId last = at.value(OpKind::scatter_axis, {none, scatter.ids(), numbers}, scatter.attrs());
    return at.eq(numbers, at.value(OpKind::gather_axis, {last, scatter.ids()}, gathers));
}

// Of what is added to: the cotangent; of what is replaced none. Of the values: what stands where they were put.
ValueId scatter_adjoint(Builder& at, OpId op, size_t operand, ValueId g) {
    const IndexedOp scatter(at.function(), op);
    const bool adds = scatter.what().has_value();
    if (operand == 0) {
        if (adds) return g;
        const ValueId zeros = zeros_of(at, type_of(at, scatter.values()).with(type_of(at, g).elem));
        return at.value(OpKind::scatter_axis, {g, scatter.ids(), zeros}, scatter.attrs());
    }
    Attrs attrs = scatter.attrs();
    attrs.erase(Attr::op);
    const ValueId there = at.value(OpKind::gather_axis, {g, scatter.ids()}, attrs);
    return adds ? there : at.select(is_last_there(at, scatter, attrs), there, zeros_of(at, type_of(at, there)));
}

ValueId scatter_tangent(Builder& at, OpId op, const Tangents& tangents) {
    const IndexedOp scatter(at.function(), op);
    const DType type = accumulation_type(type_of(at, scatter.x()).elem, {});
    const auto moved = [&](size_t i, ValueId of) {
        return tangents[i] ? *tangents[i] : zeros_of(at, type_of(at, of).with(type));
    };
    return at.value(OpKind::scatter_axis, {moved(0, scatter.x()), scatter.ids(), moved(2, scatter.values())},
                    scatter.attrs());
}

std::string_view scatter_refusal(const Function& fn, OpId op) {
    const auto what = IndexedOp(fn, op).what();
    return !what || what == ReduceOp::add ? std::string_view{}
                                          : "the derivative of a scatter that multiplies or compares";
}

// ---- what has none ----

std::string_view of_control(const Function&, OpId) {
    return "a loop that the run ends: it is differentiated forwards alone";
}
std::string_view of_calls(const Function&, OpId) { return "a function that runs on the host has none here"; }
// They give no floats.
std::string_view never(const Function&, OpId) { return {}; }

constexpr StructuredRule none(OpKind kind, Refusal why) { return {kind, nullptr, nullptr, why}; }

constexpr StructuredRule kStructured[]{
    none(OpKind::constant, never),
    none(OpKind::yield, never),
    none(OpKind::for_, of_control),
    none(OpKind::while_, of_control),
    none(OpKind::if_, of_control),
    none(OpKind::call, of_calls),
    none(OpKind::dim, never),
    none(OpKind::print, never),
    none(OpKind::assert_, never),
    {OpKind::expand, expand_adjoint, linear_tangent},
    {OpKind::transpose, transpose_adjoint, linear_tangent},
    {OpKind::reduce, reduce_adjoint, reduce_tangent},
    {OpKind::scan, scan_adjoint, scan_tangent},
    {OpKind::full, full_adjoint, linear_tangent},
    {OpKind::contract, contract_adjoint, contract_tangent},
    none(OpKind::vjp, of_calls),
    none(OpKind::jvp, of_calls),
    none(OpKind::batch, of_calls),
    none(OpKind::stop, never),
    none(OpKind::positions, never),
    {OpKind::reshape, reshape_adjoint, linear_tangent},
    {OpKind::slice, slice_adjoint, slice_tangent},
    {OpKind::pad, pad_adjoint, pad_tangent},
    {OpKind::concat, concat_adjoint, concat_tangent},
    {OpKind::update, update_adjoint, update_tangent},
    none(OpKind::reduce_index, never),
    {OpKind::gather_axis, gather_adjoint, gather_tangent},
    {OpKind::scatter_axis, scatter_adjoint, scatter_tangent, scatter_refusal},
    {OpKind::sort, sort_adjoint, sort_tangent},
    none(OpKind::sort_index, never),
};
constexpr Total<kStructured, kControlFamily, kAxisFamily, kGraphFamily> kOfTensors;

std::string_view of_launches(const Function&, OpId) { return "the derivative of a kernel"; }
constexpr StructuredRule kLaunch{OpKind::launch, nullptr, nullptr, of_launches};
constexpr StructuredRule kNever = none(OpKind::shape_of, never);

}  // namespace

const StructuredRule& structured_rule(OpKind kind) {
    if (kind == OpKind::launch) return kLaunch;
    return kind == OpKind::shape_of || kind == OpKind::string ? kNever : kOfTensors[kind];
}

}  // namespace tsr::ir::autodiff
