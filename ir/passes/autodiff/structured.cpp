#include "ir/passes/autodiff/structured.h"

#include <algorithm>
#include <numeric>

#include "base/numerics.h"
#include "ir/build/products.h"
#include "ir/core/total.h"
#include "ir/ops/graph.h"
#include "ir/ops/host.h"
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

// A scatter that multiplies, or keeps the smallest or greatest: what it does to numbers of the type that derivatives
// have.
class Combining {
public:
    Combining(Builder& at, OpId op)
        : at_(at), scatter_(at.function(), op), what_(*scatter_.what()), gathers_(scatter_.attrs()) {
        gathers_.erase(Attr::op);
        x_ = wide(scatter_.x());
        values_ = wide(scatter_.values());
    }

    // The seed times how the result changes with each element of the operand; either way.
    ValueId along_x(ValueId seed) {
        if (what_ != ReduceOp::mul) return where(x_is_it(), seed);
        return at_.mul(seed, put(filled(x_, 1.0), values_, ReduceOp::mul));
    }
    ValueId along_values(ValueId seed) {
        return what_ == ReduceOp::mul ? at_.mul(seed, product_of_others()) : where(value_is_it(), seed);
    }

    ValueId there(ValueId tensor) { return at_.value(OpKind::gather_axis, {tensor, scatter_.ids()}, gathers_); }
    ValueId put(ValueId into, ValueId values, ReduceOp how) {
        Attrs attrs = gathers_;
        attrs.set(Attr::op, static_cast<int64_t>(how));
        return at_.value(OpKind::scatter_axis, {into, scatter_.ids(), values}, std::move(attrs));
    }

private:
    ValueId wide(ValueId value) { return at_.cast(value, accumulation_type(type_of(at_, value).elem, {})); }
    ValueId filled(ValueId like, double number) {
        return at_.value(OpKind::full, {at_.constant(number, type_of(at_, like).elem)},
                         {{Attr::shape, type_of(at_, like).shape}});
    }
    ValueId where(ValueId condition, ValueId seed) {
        return at_.select(condition, seed, zeros_of(at_, type_of(at_, seed)));
    }

    // Of equal ones the first is it: what was there, then the values in their order. NaN is what a NaN gives.
    ValueId is_it(ValueId value, ValueId result) { return at_.bit_or(at_.eq(value, result), at_.ne(value, value)); }
    ValueId x_is_it() { return is_it(x_, wide(scatter_.result())); }
    ValueId value_is_it() {
        const ValueId result = there(wide(scatter_.result()));
        const ValueId behind = at_.element(OpKind::bit_not, {is_it(there(x_), result)});
        const ValueId equal = at_.bit_and(is_it(values_, result), behind);
        const std::vector<Dim> shape = type_of(at_, values_).shape;
        const Dim count = element_count(shape);
        const ValueId line =
            at_.value(OpKind::positions, {}, {{Attr::shape, std::vector<Dim>{count}}, {Attr::type, DType::i64}});
        const ValueId numbers = at_.value(OpKind::reshape, {line}, {{Attr::shape, shape}});
        const ValueId end = at_.cast(at_.dim(count), DType::i64);
        const auto ends = [&](const std::vector<Dim>& of) {
            return at_.value(OpKind::full, {end}, {{Attr::shape, of}});
        };
        const ValueId first = put(ends(type_of(at_, x_).shape), at_.select(equal, numbers, ends(shape)), ReduceOp::min);
        return at_.bit_and(equal, at_.eq(numbers, there(first)));
    }

    // What a value is multiplied with: what was there and the other values of its place. Zeros are counted and left
    // out of the quotient. Those that are 0 stay factors, so that this has the right derivative, too.
    ValueId product_of_others() {
        const ValueId zero = at_.eq(values_, filled(values_, 0.0));
        const ValueId ones = filled(x_, 1.0), none = filled(x_, 0.0);
        const ValueId nothing = filled(values_, 0.0);
        const ValueId others = at_.select(zero, filled(values_, 1.0), values_);
        const ValueId product = there(put(ones, others, ReduceOp::mul));
        const ValueId zeros = there(put(none, at_.select(zero, filled(values_, 1.0), nothing), ReduceOp::add));
        const ValueId their_sum = there(put(none, at_.select(zero, values_, nothing), ReduceOp::add));
        const auto are = [&](double count) { return at_.eq(zeros, filled(values_, count)); };
        const ValueId quotient = at_.div(product, others);
        const ValueId of_zero =
            at_.select(are(1.0), product, at_.select(are(2.0), at_.mul(product, at_.sub(their_sum, values_)), nothing));
        const ValueId of_other =
            at_.select(are(0.0), quotient, at_.select(are(1.0), at_.mul(quotient, their_sum), nothing));
        return at_.mul(there(x_), at_.select(zero, of_zero, of_other));
    }

    Builder& at_;
    IndexedOp scatter_;
    ReduceOp what_;
    Attrs gathers_;
    ValueId x_, values_;
};

bool replaces_or_adds(const IndexedOp& scatter) { return !scatter.what() || scatter.what() == ReduceOp::add; }

// Of what is added to: the cotangent; of what is replaced none. Of the values: what stands where they were put.
ValueId scatter_adjoint(Builder& at, OpId op, size_t operand, ValueId g) {
    const IndexedOp scatter(at.function(), op);
    if (!replaces_or_adds(scatter)) {
        Combining combining(at, op);
        return operand == 0 ? combining.along_x(g) : combining.along_values(combining.there(g));
    }
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
    if (!replaces_or_adds(scatter)) {
        Combining combining(at, op);
        std::optional<ValueId> moved;
        if (tangents[0]) moved = combining.along_x(*tangents[0]);
        if (!tangents[2]) return *moved;
        if (!moved) moved = zeros_of(at, type_of(at, scatter.x()).with(type_of(at, *tangents[2]).elem));
        return combining.put(*moved, combining.along_values(*tangents[2]), ReduceOp::add);
    }
    const DType type = accumulation_type(type_of(at, scatter.x()).elem, {});
    const auto moved = [&](size_t i, ValueId of) {
        return tangents[i] ? *tangents[i] : zeros_of(at, type_of(at, of).with(type));
    };
    return at.value(OpKind::scatter_axis, {moved(0, scatter.x()), scatter.ids(), moved(2, scatter.values())},
                    scatter.attrs());
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
    {OpKind::scatter_axis, scatter_adjoint, scatter_tangent},
    {OpKind::sort, sort_adjoint, sort_tangent},
    none(OpKind::sort_index, never),
};
constexpr Total<kStructured, kControlFamily, kAxisFamily, kGraphFamily> kOfTensors;

// It has those of its kernel as a graph (custom.h).
std::string_view of_launches(const Function& fn, OpId op) {
    const LaunchOp launch(fn, op);
    if (launch.group_operands() != 0) return "a launch that says how many groups there are";
    if (fn.op(op).results.size() != launch.written().size()) return "a kernel that gives a number";
    return {};
}
constexpr StructuredRule kLaunch{OpKind::launch, nullptr, nullptr, of_launches};
constexpr StructuredRule kNever = none(OpKind::shape_of, never);

}  // namespace

const StructuredRule& structured_rule(OpKind kind) {
    if (kind == OpKind::launch) return kLaunch;
    return kind == OpKind::shape_of || kind == OpKind::string ? kNever : kOfTensors[kind];
}

}  // namespace tsr::ir::autodiff
