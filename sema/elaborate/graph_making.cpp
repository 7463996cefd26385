#include "sema/elaborate/graph_making.h"

#include "sema/elaborate/arguments.h"
#include "sema/elaborate/complex_values.h"
#include "sema/elaborate/dimensions.h"
#include "sema/elaborate/graph_movements.h"
#include "sema/elaborate/graph_random.h"
#include "sema/elaborate/recursion.h"
#include "sema/types/elements.h"

namespace tsr::elaborate {

using ir::Attr;
using ir::Dim;
using ir::OpKind;
using ir::ValueId;
using sema::Builtin;
using sema::CallInfo;

namespace {

Val filled(Body& b, const Val& value, const sema::Type& type) {
    if (sema::is_complex_number(type)) return complex_number(b, value);
    if (sema::is_complex_tensor(type)) {
        std::vector<Dim> shape = shape_in_function(b, type);
        shape.push_back(Dim::constant(2));
        return Val::ssa(b.tile(Val::ssa(pair_of_parts(b, value)), DType::f32, shape));
    }
    const ValueId element = b.scalar(b.rounded(value), type.elem());
    const std::vector<Dim> shape = shape_in_function(b, type);
    if (shape.empty()) return Val::ssa(element, type.elem());
    return Val::ssa(b.emit.inferred(OpKind::full, {element}, {{Attr::shape, shape}}), type.elem());
}

Val number(int64_t value) { return Val::of(sema::Static::of(value)); }

// start + i * step: floats in f64, rounded once; integers in i64.
Val counted(Body& b, const CallInfo& info, const sema::Type& type) {
    const bool one_bound = argument(b, info, 1) == nullptr;
    const Val start = one_bound ? number(0) : argument_value(b, info, 0);
    const Val step = argument(b, info, 2) ? argument_value(b, info, 2) : number(1);
    const DType in = is_float(type.elem()) ? DType::f64 : DType::i64;
    const std::vector<Dim> shape = shape_in_function(b, type);
    ValueId value =
        b.emit.cast(b.emit.inferred(OpKind::positions, {}, {{Attr::type, DType::i64}, {Attr::shape, shape}}), in);
    const auto with = [&](OpKind op, const Val& other, int64_t neutral) {
        if (other.is_fixed() && other.fixed.integer() == neutral) return;
        const ValueId all = b.emit.inferred(OpKind::full, {b.scalar(b.rounded(other), in)}, {{Attr::shape, shape}});
        value = b.emit.inferred(op, {value, all});
    };
    with(OpKind::mul, step, 1);
    with(OpKind::add, start, 0);
    return Val::ssa(b.emit.cast(value, type.elem()), type.elem());
}

// start + i * (stop - start) / (count - 1) in f64, rounded once; the last is stop.
Val spaced(Body& b, const CallInfo& info, const sema::Type& type) {
    const std::vector<Dim> shape = shape_in_function(b, type);
    const auto all = [&](ValueId value) { return b.emit.inferred(OpKind::full, {value}, {{Attr::shape, shape}}); };
    const auto bound = [&](size_t i) { return b.scalar(b.rounded(argument_value(b, info, i)), DType::f64); };
    const ValueId start = bound(0), stop = bound(1);
    const ValueId zero = b.emit.constant(int64_t{0}, DType::i64), one = b.emit.constant(int64_t{1}, DType::i64);
    const ValueId count = b.emit.cast(dim_value(b, shape[0]), DType::i64);
    const ValueId last = b.emit.inferred(OpKind::sub, {count, one});
    const ValueId intervals = b.emit.cast(b.emit.inferred(OpKind::maximum, {last, one}), DType::f64);
    const ValueId number = b.emit.inferred(OpKind::positions, {}, {{Attr::type, DType::i64}, {Attr::shape, shape}});
    const ValueId length = b.emit.inferred(OpKind::sub, {stop, start});
    ValueId value = b.emit.inferred(OpKind::mul, {b.emit.cast(number, DType::f64), all(length)});
    value = b.emit.inferred(OpKind::div, {value, all(intervals)});
    value = b.emit.inferred(OpKind::add, {all(start), value});
    const ValueId is_last = b.emit.inferred(OpKind::bit_and, {b.emit.inferred(OpKind::eq, {number, all(last)}),
                                                              b.emit.inferred(OpKind::gt, {number, all(zero)})});
    value = b.emit.inferred(OpKind::select, {is_last, all(stop), value});
    return Val::ssa(b.emit.cast(value, type.elem()), type.elem());
}

// The numbers of a list of lists, row by row.
void add_numbers(Body& b, const Val& list, DType type, std::vector<ValueId>& numbers) {
    if (!list.has_elements()) {
        const ValueId number = b.scalar(b.rounded(list), type);
        numbers.push_back(b.emit.inferred(OpKind::full, {number}, {{Attr::shape, std::vector<Dim>{Dim::constant(1)}}}));
        return;
    }
    for (size_t i = 0; i < list.element_count(); ++i) add_numbers(b, list.element(i), type, numbers);
}

Val listed(Body& b, const CallInfo& info, const sema::Type& type) {
    std::vector<ValueId> numbers;
    add_numbers(b, argument_value(b, info, 0), type.elem(), numbers);
    if (numbers.empty()) return filled(b, number(0), type);
    const ValueId all = joined(b, std::move(numbers), 0);
    if (type.rank() == 1) return Val::ssa(all, type.elem());
    return Val::ssa(b.emit.inferred(OpKind::reshape, {all}, {{Attr::shape, shape_in_function(b, type)}}), type.elem());
}

}  // namespace

std::optional<Val> graph_making(Body& b, const ast::Expr& e, const CallInfo& info) {
    const sema::Type& type = b.info(e).type;
    switch (info.builtin) {
        case Builtin::zeros:
        case Builtin::empty:
        case Builtin::zeros_like:
            return filled(b, number(0), type);
        case Builtin::ones:
        case Builtin::ones_like:
            return filled(b, number(1), type);
        case Builtin::full:
        case Builtin::full_like:
            return filled(b, argument_value(b, info, 1), type);
        case Builtin::linspace:
            return spaced(b, info, type);
        case Builtin::from_list:
            return listed(b, info, type);
        case Builtin::arange:
            return counted(b, info, type);
        case Builtin::copy:  // tensors of a graph are values
            return argument_value(b, info, 0);
        default:
            return graph_random(b, e, info);
    }
}

}  // namespace tsr::elaborate
