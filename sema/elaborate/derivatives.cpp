#include "sema/elaborate/derivatives.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/numerics.h"
#include "ir/core/internal.h"
#include "ir/ops/graph.h"
#include "sema/elaborate/arguments.h"
#include "sema/elaborate/complex_values.h"
#include "sema/elaborate/dimensions.h"
#include "sema/elaborate/graph_movements.h"
#include "sema/elaborate/host_calls.h"
#include "sema/elaborate/instances.h"
#include "sema/elaborate/launch.h"
#include "sema/elaborate/shape_checks.h"
#include "sema/elaborate/trees.h"
#include "sema/program/param_fields.h"
#include "sema/types/elements.h"

namespace tsr::elaborate {

using ir::Attr;
using ir::OpKind;
using ir::ValueId;
using sema::Instance;

namespace {

constexpr std::string_view kRuled = ".ruled";  // behind the name of a function: a call of it, with its rule

// Results of what is differentiated: an extent that no symbol of this function says has a name of its own, until the
// derivative is made (`differentiate`).
std::vector<ir::Type> named_results(Body& b, const Instance& of, const Dims& dims) {
    std::vector<ir::Type> results = results_in_caller(of, dims);
    std::vector<std::string>& symbols = b.function().symbols;
    const auto is_known = [&](const std::string& name) { return std::ranges::find(symbols, name) != symbols.end(); };
    std::map<std::string, ir::Dim> named;
    for (ir::Type& type : results) {
        for (ir::Dim& extent : type.shape) {
            const std::vector<std::string> within = extent.symbols();
            if (std::ranges::all_of(within, is_known)) continue;
            // Two extents of which nothing is known are not one.
            const bool unknown = std::ranges::find(within, "_") != within.end();
            const std::string text = unknown ? fmt::format("_ {}", named.size()) : extent.text();
            const auto [known, fresh] = named.try_emplace(text);
            if (fresh) {
                symbols.push_back(fmt::format("extent_{}_of_{}", named.size(), b.function().op_count()));
                known->second = ir::Dim::symbol(symbols.back());
            }
            extent = known->second;
        }
    }
    return results;
}

ValueId filled(Body& b, ValueId number, const std::vector<ir::Dim>& shape) {
    return shape.empty() ? number : b.emit.inferred(OpKind::full, {number}, {{Attr::shape, shape}});
}

ValueId number(Body& b, double value, DType type) { return b.scalar(Val::of(sema::Static::of(value)), type); }

// 1 for what is differentiated, 0 for the others.
ValueId seed(Body& b, const ir::Type& of, bool differentiated) {
    return filled(b, number(b, differentiated ? 1.0 : 0.0, derivative_type(of.elem)), of.shape);
}

ir::Type gradient_of(ir::Type type) {
    type.mut = false;
    type.elem = gradient_type(type.elem);
    return type;
}

// What is differentiated of a call: parameters of the program are trees of those of the IR.
struct Wanted {
    std::vector<int64_t> wrt;                     // numbers of parameters of the IR
    std::vector<ir::Type> types;                  // of their gradients
    std::vector<ValueId> leaves;                  // of what is given: the arguments, in the order of the gradients
    std::vector<std::optional<size_t>> gradient;  // of each leaf: its number in `wrt`; else it is given as it is
    std::vector<std::optional<ir::Type>> frozen;  // of a leaf of floats that is not trained: the type of its zeros
    // The gradient in a complex number is the conjugate of the pair of derivatives: the convention of JAX.
    std::vector<ComplexLeaf> complex;
};

// Of each leaf of the IR whether it is trained: in records with `param` fields these alone.
void trained_leaves(Body& b, const sema::Type& type, bool trained, std::vector<bool>& leaves) {
    const auto count = sema::is_complex_number(type) || sema::is_complex_tensor(type) ? std::nullopt : part_count(type);
    for (size_t i = 0; count && i < *count; ++i)
        trained_leaves(b, part_type(type, i), sema::is_trained_part(b.program, type, i, trained), leaves);
    if (!count) leaves.resize(leaves.size() + complex_leaves(type).size(), trained);
}

// `out`: gradients are rounded to this type, once. `fields`: derivatives are taken in `param` fields alone, where there
// are such.
Wanted wanted_of(Body& b, const Instance& made, const std::vector<ValueId>& arguments,
                 std::optional<DType> out = std::nullopt, bool fields = false) {
    std::vector<size_t> first;
    std::vector<ir::Type> all;
    std::vector<ComplexLeaf> complex;
    std::vector<bool> stored, trained;
    for (const sema::ParameterInfo& parameter : b.program.instance(made.derived_from).parameters) {
        first.push_back(all.size());
        if (parameter.value || parameter.type.is(sema::Kind::function)) continue;
        tree_types(parameter.type, all);
        trained_leaves(b, parameter.type, true, trained);
        for (const ComplexLeaf leaf : complex_leaves(parameter.type)) complex.push_back(leaf);
        for (const bool leaf : leaves_with_stored_cotangents(parameter.type)) stored.push_back(leaf);
    }
    first.push_back(all.size());
    Wanted wanted;
    for (const size_t i : made.derived_in) {
        for (size_t k = first[i]; k < first[i + 1]; ++k) {
            ir::Type type = gradient_of(b.type_of(arguments[k]));
            if (stored[k] || out) type.elem = derivative_type(b.type_of(arguments[k]).elem);
            wanted.leaves.push_back(arguments[k]);
            wanted.complex.push_back(complex[k]);
            const bool differentiated = ir::may_differentiate(type) && (trained[k] || !fields);
            wanted.gradient.push_back(differentiated ? std::optional(wanted.wrt.size()) : std::nullopt);
            const bool frozen = ir::may_differentiate(type) && !differentiated;
            wanted.frozen.push_back(frozen ? std::optional(type) : std::nullopt);
            if (!differentiated) continue;
            wanted.wrt.push_back(static_cast<int64_t>(k));
            wanted.types.push_back(type);
        }
    }
    return wanted;
}

// The operation on a function, and its results.
std::vector<ValueId> applied(Body& b, OpKind kind, const Instance& of, std::vector<ValueId> operands,
                             const std::vector<ir::Type>& results, ir::Attrs attrs) {
    // What a derivative is taken of is the call with the rule, not the function's operations.
    attrs.set(Attr::callee, of.rules.empty() || attrs.has(Attr::names) ? of.name : of.name + std::string(kRuled));
    const ir::OpId op = b.emit.op_giving(kind, std::move(operands), results, std::move(attrs));
    return b.function().op(op).results;
}

std::vector<ValueId> tail(const std::vector<ValueId>& all, size_t from) {
    return {all.begin() + static_cast<std::ptrdiff_t>(from), all.end()};
}

// What is given for the leaves: the gradient where there is one, else the argument.
std::vector<ValueId> gradients(Body& b, const Wanted& wanted, const std::vector<ValueId>& found,
                               std::optional<DType> out) {
    std::vector<ValueId> given;
    for (size_t i = 0; i < wanted.leaves.size(); ++i) {
        if (!wanted.gradient[i]) {
            const auto& zeros = wanted.frozen[i];
            const auto elem = [&] { return out && wanted.complex[i] == ComplexLeaf::none ? *out : zeros->elem; };
            given.push_back(zeros ? filled(b, number(b, 0.0, elem()), zeros->shape) : wanted.leaves[i]);
            continue;
        }
        const ValueId gradient = found[*wanted.gradient[i]];
        const bool real = wanted.complex[i] == ComplexLeaf::none;
        const ValueId cast = b.emit.cast(gradient, real && out ? *out : b.type_of(gradient).elem);
        given.push_back(conjugated(b, cast, wanted.complex[i]));
    }
    return given;
}

std::vector<ValueId> gradient(Body& b, const Instance& made, std::vector<ValueId> arguments, const Dims& dims) {
    const Instance& of = b.program.instance(made.derived_from);
    const sema::Derivation& derivation = *b.program.function(made.function).derived;
    const Wanted wanted = wanted_of(b, made, arguments, derivation.out, derivation.wrt.empty());
    std::vector<ir::Type> results = named_results(b, of, dims);
    const size_t own = results.size();
    for (size_t i = 0; i < own; ++i) {
        if (ir::may_differentiate(results[i])) arguments.push_back(seed(b, results[i], i == 0));
    }
    results.insert(results.end(), wanted.types.begin(), wanted.types.end());
    const std::vector<ValueId> all =
        applied(b, OpKind::vjp, of, std::move(arguments), results, {{Attr::axes, wanted.wrt}});
    const std::vector<ValueId> found = gradients(b, wanted, tail(all, own), derivation.out);
    std::vector<ValueId> given;
    if (derivation.with_value) {
        given.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(own));
        given.insert(given.end(), found.begin(), found.end());
    } else {
        given = found;
        if (derivation.has_aux)
            given.insert(given.end(), all.begin() + 1, all.begin() + static_cast<std::ptrdiff_t>(own));
    }
    return given;
}

// ---- Jacobians ----

std::vector<ir::Dim> with_first(const ir::Dim& first, const std::vector<ir::Dim>& shape) {
    std::vector<ir::Dim> all{first};
    all.insert(all.end(), shape.begin(), shape.end());
    return all;
}

ValueId in_shape(Body& b, ValueId value, const std::vector<ir::Dim>& shape) {
    return b.emit.inferred(OpKind::reshape, {value}, {{Attr::shape, shape}});
}

// All directions of a value: in each one element is 1, the others 0.
ValueId directions(Body& b, const ir::Type& of) {
    const ir::Dim size = ir::element_count(of.shape);
    const DType type = derivative_type(of.elem);
    const std::vector<ir::Dim> square{size, size};
    const ValueId places =
        b.emit.inferred(OpKind::positions, {}, {{Attr::shape, std::vector<ir::Dim>{size}}, {Attr::type, DType::i64}});
    const auto along = [&](int64_t axis) {
        return b.emit.inferred(OpKind::expand, {places},
                               {{Attr::shape, square}, {Attr::axes, std::vector<int64_t>{axis}}});
    };
    const ValueId same = b.emit.inferred(OpKind::eq, {along(0), along(1)});
    const ValueId units = b.emit.inferred(
        OpKind::select, {same, filled(b, number(b, 1.0, type), square), filled(b, number(b, 0.0, type), square)});
    return in_shape(b, units, with_first(size, of.shape));
}

ValueId no_directions(Body& b, const ir::Type& of, const ir::Dim& count) {
    return filled(b, number(b, 0.0, derivative_type(of.elem)), with_first(count, of.shape));
}

ir::Type many(const ir::Type& of, const ir::Dim& count) {
    return ir::Type::tensor(of.elem, with_first(count, of.shape), false);
}

// One axis of the value at another place.
ValueId moved_axis(Body& b, ValueId value, int64_t from, int64_t to) {
    const auto rank = static_cast<int64_t>(b.type_of(value).rank());
    if (from < 0) from += rank;
    if (to < 0) to += rank;
    if (from == to) return value;
    std::vector<int64_t> axes;
    for (int64_t axis = 0; axis < rank; ++axis) {
        if (axis != from) axes.push_back(axis);
    }
    axes.insert(axes.begin() + to, from);
    return b.emit.inferred(OpKind::transpose, {value}, {{Attr::axes, axes}});
}

// For each result, then for each parameter: the axes of the result, then those of the parameter.
std::vector<ValueId> jacobians(Body& b, const Instance& made, const std::vector<ValueId>& arguments, const Dims& dims) {
    const Instance& of = b.program.instance(made.derived_from);
    const bool in_reverse = b.program.function(made.function).derived->kind == sema::DerivationKind::jacobian_reverse;
    const Wanted wanted = wanted_of(b, made, arguments);
    const std::vector<ir::Type> results = named_results(b, of, dims);
    const size_t own = results.size(), count = wanted.wrt.size();
    std::vector<ValueId> entries(own * count);
    const auto put = [&](size_t result, size_t parameter, ValueId entry) {
        std::vector<ir::Dim> shape = results[result].shape;
        const std::vector<ir::Dim> behind = wanted.types[parameter].shape;
        shape.insert(shape.end(), behind.begin(), behind.end());
        entries[result * count + parameter] =
            b.emit.cast(in_shape(b, entry, shape), gradient_type(results[result].elem));
    };
    for (size_t k = 0; !in_reverse && k < count; ++k) {
        const ir::Type in = wanted.types[k];
        const ir::Dim size = ir::element_count(in.shape);
        std::vector<ValueId> operands = arguments;
        operands.push_back(directions(b, in));
        std::vector<ir::Type> types = results;
        for (const ir::Type& result : results) types.push_back(many(gradient_of(result), size));
        const std::vector<ValueId> columns = tail(
            applied(b, OpKind::jvp, of, std::move(operands), types,
                    {{Attr::axes, std::vector<int64_t>{wanted.wrt[k]}}, {Attr::shape, std::vector<ir::Dim>{size}}}),
            own);
        for (size_t i = 0; i < own; ++i) put(i, k, moved_axis(b, columns[i], 0, -1));  // the directions last
    }
    for (size_t i = 0; in_reverse && i < own; ++i) {
        const ir::Dim size = ir::element_count(results[i].shape);
        std::vector<ValueId> operands = arguments;
        for (size_t other = 0; other < own; ++other)
            operands.push_back(other == i ? directions(b, results[i]) : no_directions(b, results[other], size));
        std::vector<ir::Type> types = results;
        for (const ir::Type& type : wanted.types) types.push_back(many(type, size));
        const std::vector<ValueId> rows =
            tail(applied(b, OpKind::vjp, of, std::move(operands), types,
                         {{Attr::axes, wanted.wrt}, {Attr::shape, std::vector<ir::Dim>{size}}}),
                 own);
        for (size_t k = 0; k < count; ++k) put(i, k, rows[k]);
    }
    return entries;
}

// ---- functions with parameters of their own ----

Val parameter(Body& b, const Instance& made, size_t i) { return b.get(b.slot(variable_of_parameter(made, i))); }

// The call of what is differentiated, which is the body of the frame's function.
struct CallInBody {
    const Instance& of;
    CallLeaves leaves;
};

CallInBody call_in_body(Body& b, const Instance& made) {
    const sema::CallInfo& info = made.calls.at(b.program.function(made.function).derived->call);
    for (const sema::DimCheck& check : info.checks) assert_extent(b, check);
    return {b.program.instance(info.callee), leaves_of_call(b, info, argument_values(b, info))};
}

// The extents of what stands for a value are those of the value.
void require_shape(Body& b, ValueId given, const std::vector<ir::Dim>& wanted, const std::string& what) {
    const std::vector<ir::Dim> found = b.type_of(given).shape;
    for (size_t axis = 0; axis < found.size() && axis < wanted.size(); ++axis) {
        if (found[axis] == wanted[axis]) continue;
        const ValueId one = b.index(b.function_dimension(found[axis]));
        const ValueId other = b.index(b.function_dimension(wanted[axis]));
        require_in_graph(b, b.emit.inferred(OpKind::eq, {one, other}), {one, other},
                         fmt::format("the {} has {{}} along axis {}, needs {{}}", what, axis));
    }
}

// The leaves that are floats, in the type that derivatives are computed in.
ValueId seed_given(Body& b, ValueId given, const ir::Type& of, const std::string& what) {
    ValueId value = given;
    if (of.shape.empty() && b.type_of(value).kind == ir::TypeKind::tensor) value = in_shape(b, value, {});
    require_shape(b, value, of.shape, what);
    return b.emit.cast(value, derivative_type(of.elem));
}

std::vector<ValueId> leaves_of_parameter(Body& b, const Instance& made, size_t i) {
    std::vector<ValueId> leaves;
    b.flatten(parameter(b, made, i), &made.parameters[i].type, leaves);
    return leaves;
}

std::vector<ValueId> pushforward(Body& b, const Instance& made) {
    const CallInBody body = call_in_body(b, made);
    const Wanted wanted = wanted_of(b, made, body.leaves.arguments);
    const std::vector<ValueId> tangents = leaves_of_parameter(b, made, 1);
    std::vector<ir::Type> types = named_results(b, body.of, body.leaves.dims);
    const size_t own = types.size();
    std::vector<ValueId> operands = body.leaves.arguments;
    for (size_t i = 0; i < wanted.leaves.size(); ++i) {
        if (!wanted.gradient[i]) continue;
        operands.push_back(seed_given(b, tangents[i], b.type_of(wanted.leaves[i]), "tangent"));
    }
    for (size_t i = 0; i < own; ++i) {
        const ir::Type type = types[i];
        if (ir::may_differentiate(type)) types.push_back(gradient_of(type));
    }
    const std::vector<ValueId> all =
        applied(b, OpKind::jvp, body.of, std::move(operands), types, {{Attr::axes, wanted.wrt}});
    std::vector<ValueId> given;
    if (b.program.function(made.function).derived->with_value)
        given.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(own));
    size_t next = own;
    for (size_t i = 0; i < own; ++i) given.push_back(ir::may_differentiate(types[i]) ? all[next++] : all[i]);
    return given;
}

std::vector<ValueId> pullback(Body& b, const Instance& made) {
    const CallInBody body = call_in_body(b, made);
    const Wanted wanted = wanted_of(b, made, body.leaves.arguments);
    const std::vector<ValueId> cotangents = leaves_of_parameter(b, made, 1);
    std::vector<ir::Type> types = named_results(b, body.of, body.leaves.dims);
    const size_t own = types.size();
    std::vector<ValueId> operands = body.leaves.arguments;
    const std::vector<ComplexLeaf> complex = complex_leaves(body.of.result);
    for (size_t i = 0; i < own; ++i) {
        if (!ir::may_differentiate(types[i])) continue;
        operands.push_back(conjugated(b, seed_given(b, cotangents[i], types[i], "cotangent"), complex[i]));
    }
    types.insert(types.end(), wanted.types.begin(), wanted.types.end());
    const std::vector<ValueId> all =
        applied(b, OpKind::vjp, body.of, std::move(operands), types, {{Attr::axes, wanted.wrt}});
    return gradients(b, wanted, tail(all, own), std::nullopt);
}

// Axes of the program's tensor: that of the parts of complex numbers is none.
int64_t own_axis(Body& b, ValueId leaf, int64_t axis, ComplexLeaf is) {
    const auto rank = static_cast<int64_t>(b.type_of(leaf).rank()) - (is == ComplexLeaf::pairs ? 1 : 0);
    return axis < 0 ? axis + rank : axis;
}

// Of pairs along one axis: one of the two parts of each.
ValueId part_of_pairs(Body& b, ValueId pairs, int64_t part) {
    const ir::Dim count = b.type_of(pairs).shape[0];
    const auto at = [&](int64_t value) { return b.emit.constant(value, DType::index); };
    const std::vector<ir::Dim> column{count, ir::Dim::constant(1)};
    return in_shape(b, b.emit.inferred(OpKind::slice, {pairs, at(0), at(part)}, {{Attr::shape, column}}), {count});
}

ValueId pairs_of_parts(Body& b, ValueId real, ValueId imaginary) {
    const std::vector<ir::Dim> column{b.type_of(real).shape[0], ir::Dim::constant(1)};
    return joined(b, {in_shape(b, real, column), in_shape(b, imaginary, column)}, 1);
}

// The results of a batch: of a complex number for each example the parts become pairs.
std::vector<ValueId> batched_results(Body& b, const sema::Type& result, const std::vector<ValueId>& found,
                                     int64_t axis) {
    const std::vector<ComplexLeaf> complex = complex_leaves(result);
    std::vector<ValueId> given;
    for (size_t i = 0; i < found.size(); ++i) {
        const bool number = i + 1 < found.size() && complex[i + 1] == ComplexLeaf::imaginary;
        if (number) {
            given.push_back(pairs_of_parts(b, found[i], found[i + 1]));
            ++i;
        } else {
            given.push_back(moved_axis(b, found[i], 0, own_axis(b, found[i], axis, complex[i])));
        }
    }
    return given;
}

std::vector<ValueId> batched(Body& b, const Instance& made) {
    const sema::Derivation& derivation = *b.program.function(made.function).derived;
    const sema::CallInfo& info = made.calls.at(derivation.call);
    const Instance& of = b.program.instance(info.callee);
    std::vector<ValueId> operands;
    std::vector<int64_t> varies;
    std::optional<ir::Dim> examples;
    for (size_t i = 0; i < made.parameters.size(); ++i) {
        if (made.parameters[i].value) continue;
        std::vector<ValueId> leaves = leaves_of_parameter(b, made, i);
        const std::vector<ComplexLeaf> complex = complex_leaves(made.parameters[i].type);
        for (size_t k = 0; k < leaves.size(); ++k) {
            ValueId leaf = leaves[k];
            varies.push_back(derivation.in_axes[i] ? 1 : 0);
            if (derivation.in_axes[i]) {
                leaf = moved_axis(b, leaf, own_axis(b, leaf, *derivation.in_axes[i], complex[k]), 0);
                const ir::Dim first = b.type_of(leaf).shape[0];
                if (examples) require_shape(b, leaf, {*examples}, "batch");
                if (!examples) examples = first;
                if (complex[k] == ComplexLeaf::pairs && b.type_of(leaf).rank() == 2) {  // each example is a number
                    operands.push_back(part_of_pairs(b, leaf, 0));
                    varies.push_back(1);
                    leaf = part_of_pairs(b, leaf, 1);
                }
            }
            operands.push_back(leaf);
        }
    }
    add_hidden_arguments(b, of, operands);
    varies.resize(operands.size());
    std::vector<ir::Type> types;
    for (ir::Type type : named_results(b, of, dims_in_function(b, info))) {
        if (type.elem == DType::index) type.elem = DType::i64;
        types.push_back(many(type, *examples));
    }
    std::vector<ValueId> given = applied(b, OpKind::batch, of, std::move(operands), types,
                                         {{Attr::axes, varies}, {Attr::shape, std::vector<ir::Dim>{*examples}}});
    return batched_results(b, of.result, given, derivation.out_axis);
}

}  // namespace

CallLeaves leaves_of_call(Body& b, const sema::CallInfo& info, const std::vector<Val>& values) {
    const Instance& callee = b.program.instance(info.callee);
    CallLeaves leaves{{}, dims_in_function(b, info)};
    for (size_t i = 0; i < values.size(); ++i) {
        const sema::ParameterInfo& to = callee.parameters[i];
        if (!to.value) b.flatten(values[i], &to.type, leaves.arguments);
        bind_tree_symbols(b, values[i], to.type, leaves.dims);
    }
    add_hidden_arguments(b, callee, leaves.arguments);
    return leaves;
}

std::vector<ValueId> derivative(Body& b, const Instance& made, std::vector<ValueId> arguments, const Dims& dims) {
    const Instance& of = b.program.instance(made.derived_from);
    switch (b.program.function(made.function).derived->kind) {
        case sema::DerivationKind::gradient:
            return gradient(b, made, std::move(arguments), dims);
        case sema::DerivationKind::jacobian_forward:
        case sema::DerivationKind::jacobian_reverse:
            return jacobians(b, made, arguments, dims);
        case sema::DerivationKind::recomputed:
            if (!of.rules.empty()) return call_with_rule(b, of, std::move(arguments), dims);
            return applied(b, OpKind::call, of, std::move(arguments), results_in_caller(of, dims),
                           {{Attr::names, std::vector<std::string>{"recomputed"}}});
        case sema::DerivationKind::pushforward:
        case sema::DerivationKind::pullback:
        case sema::DerivationKind::batch:
        case sema::DerivationKind::launch:
            break;
    }
    ir::internal_error(made.name + ": a derivative without parameters of its own was to be made");
}

std::vector<ValueId> transformed(Body& b, const Instance& made) {
    switch (b.program.function(made.function).derived->kind) {
        case sema::DerivationKind::pushforward:
            return pushforward(b, made);
        case sema::DerivationKind::pullback:
            return pullback(b, made);
        case sema::DerivationKind::batch:
            return batched(b, made);
        case sema::DerivationKind::launch:
            return values_of_launch(b, made);
        case sema::DerivationKind::gradient:
        case sema::DerivationKind::jacobian_forward:
        case sema::DerivationKind::jacobian_reverse:
        case sema::DerivationKind::recomputed:
            break;
    }
    ir::internal_error(made.name + ": a derivative with parameters of its own was to be made");
}

std::vector<ValueId> call_with_rule(Body& b, const Instance& callee, std::vector<ValueId> arguments, const Dims& dims) {
    const sema::Function& function = b.program.function(callee.function);
    std::vector<std::string> names{function.rule->in_reverse ? "vjp" : "jvp"};
    for (const sema::InstanceId rule : callee.rules) names.push_back(b.program.instance(rule).name);
    ir::Attrs attrs{{Attr::names, names}};
    if (function.derived && function.derived->groups != 0)
        attrs.set(Attr::count, static_cast<int64_t>(function.derived->groups));
    const std::vector<ir::Type> results = results_in_caller(callee, dims);
    for (const ir::Type& type : results) {
        for (const ir::Dim& extent : type.shape) {
            if (is_known_extent(b, extent)) continue;
            b.error(
                "E0601", b.emit.span(),
                fmt::format("`{}`, which has a rule for its derivative and gives an extent that only the run knows, is "
                            "not compiled in graph functions yet",
                            function.name));
            return applied(b, OpKind::call, callee, std::move(arguments), named_results(b, callee, dims),
                           std::move(attrs));
        }
    }
    return applied(b, OpKind::call, callee, std::move(arguments), results, std::move(attrs));
}

std::string name_with_rule(const Instance& function) { return function.name + std::string(kRuled); }

void differentiate_both_ways(Body& b, const Instance& of, const std::vector<ValueId>& arguments) {
    const std::vector<ir::Type> results = results_in_caller(of, {});
    std::vector<int64_t> wrt;
    std::vector<ValueId> cotangents, tangents;
    std::vector<ir::Type> gradients, moved;
    for (size_t i = 0; i < arguments.size(); ++i) {
        const ir::Type type = b.type_of(arguments[i]);
        if (!ir::may_differentiate(type)) continue;
        wrt.push_back(static_cast<int64_t>(i));
        gradients.push_back(gradient_of(type));
        tangents.push_back(seed(b, type, true));
    }
    for (const ir::Type& type : results) {
        if (!ir::may_differentiate(type)) continue;
        moved.push_back(gradient_of(type));
        cotangents.push_back(seed(b, type, true));
    }
    const auto joined = [](auto first, const auto& more) {
        first.insert(first.end(), more.begin(), more.end());
        return first;
    };
    applied(b, OpKind::vjp, of, joined(arguments, cotangents), joined(results, gradients), {{Attr::axes, wrt}});
    applied(b, OpKind::jvp, of, joined(arguments, tangents), joined(results, moved), {{Attr::axes, wrt}});
}

Val with_stored_cotangents(Body& b, const Val& value, const sema::Type& type) {
    if (b.function().level != ir::Level::graph || b.takes_operands()) return value;
    const auto count = sema::is_complex(type) ? std::nullopt : part_count(type);
    if (count && value.has_elements()) {
        Val parts = value;
        for (size_t i = 0; i < *count && i < parts.parts.size(); ++i)
            parts.parts[i] = with_stored_cotangents(b, value.parts[i], part_type(type, i));
        return parts;
    }
    if (!type.is(sema::Kind::tensor) || !type.tensor().scaling.stores_cotangents() || !value.is_ssa()) return value;
    const ir::Type held = b.type_of(value.id);
    if (!ir::may_differentiate(held)) return value;
    const DType computed = derivative_type(held.elem);
    const ir::Attrs entry{{Attr::callee, std::string("loss_scale")}};
    const auto& fixed = type.tensor().scaling.loss;
    const ValueId scale =
        fixed ? number(b, *fixed, computed) : b.emit.given(OpKind::host, {}, ir::Type::scalar(DType::f64), entry);
    const ir::OpId call =
        b.emit.op_giving(OpKind::call, {value.id, b.emit.cast(scale, computed)}, {held},
                         {{Attr::callee, std::string("stored")}, {Attr::names, std::vector<std::string>{"stored"}}});
    return Val::ssa(b.function().op(call).results[0], value.type);
}

Val stop(Body& b, const Val& value) {
    if (value.is_ssa() && ir::may_differentiate(b.type_of(value.id)))
        return Val::ssa(b.emit.inferred(OpKind::stop, {value.id}), value.type);
    Val stopped = value;
    for (Val& part : stopped.parts) part = stop(b, part);
    return stopped;
}

}  // namespace tsr::elaborate
