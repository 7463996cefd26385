#include "sema/functions/derivatives.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/numerics.h"
#include "sema/calls/transform_calls.h"
#include "sema/program/param_fields.h"
#include "sema/types/derivative_types.h"
#include "sema/types/elements.h"
#include "sema/types/numeric.h"
#include "sema/values/examples.h"

namespace tsr::sema {

namespace {

// `w: param f32[n]`, or a tree with a field that is declared so.
bool is_declared_parameter(const Body& b, const ast::FunctionDef& def, const ParameterInfo& parameter) {
    for (const ast::Parameter& declared : def.parameters) {
        if (declared.name.text == parameter.name && declares_param(declared)) return true;
    }
    return holds_param_fields(b.checker.program, parameter.type);
}

// The parameters in which derivatives are taken; false after a message. `parameters`: the function's, with the types
// that they have here.
bool choose_parameters(Body& b, const Derivation& derivation, const std::vector<ParameterInfo>& parameters) {
    const ast::FunctionDef& def = b.checker.program.def(b.checker.program.function(derivation.of));
    b.instance.derived_in.clear();
    const auto is_declared = [&](const ParameterInfo& parameter) { return is_declared_parameter(b, def, parameter); };
    const bool declared = derivation.wrt.empty() && std::ranges::any_of(parameters, is_declared);
    for (size_t i = 0; i < parameters.size(); ++i) {
        const bool named = std::ranges::find(derivation.wrt, parameters[i].name) != derivation.wrt.end();
        if (parameters[i].type.is_unknown()) return false;
        const bool may = holds_floats(parameters[i].type) && !parameters[i].value;
        if (named && !may) {
            b.error(
                 "E0612", derivation.place,
                 fmt::format("no derivative is taken in `{}`: it is {}", parameters[i].name, shown(parameters[i].type)))
                .label(parameters[i].declared, "declared here");
            return false;
        }
        const bool asked = derivation.wrt.empty() ? !declared || is_declared(parameters[i]) : named;
        if (may && asked) b.instance.derived_in.push_back(i);
    }
    if (!derivation.wrt.empty()) {
        // In the order in which they are named.
        std::vector<size_t> ordered;
        for (const std::string& name : derivation.wrt) {
            for (const size_t i : b.instance.derived_in) {
                if (parameters[i].name == name) ordered.push_back(i);
            }
        }
        b.instance.derived_in = std::move(ordered);
    }
    if (b.instance.derived_in.empty()) {
        b.error("E0612", derivation.place,
                fmt::format("`{}` has no parameter of floats", b.checker.program.function(derivation.of).name))
            .label(def.name.span, "defined here");
        return false;
    }
    return true;
}

// The result that is differentiated and the others; false after a message.
bool split_result(Body& b, const Derivation& derivation, const Type& result, std::vector<Type>& others) {
    const bool aux = derivation.has_aux && result.is(Kind::tuple) && !result.parts().empty();
    const Type& first = aux ? result.parts()[0] : result;
    if (first.is_unknown()) return false;
    const bool scalar =
        first.is_scalar() || (first.is(Kind::tensor) && first.rank() == 0) || first.is(Kind::float_literal);
    if ((derivation.has_aux && !aux) || !scalar || !(first.is_float() || is_of_floats(first))) {
        const std::string_view wanted =
            derivation.has_aux ? "the first of several results, which is one float" : "a function that gives one float";
        b.error("E0612", derivation.place,
                fmt::format("a gradient is of {}, `{}` gives {}", wanted,
                            b.checker.program.function(derivation.of).name, shown(result)))
            .label(b.def().name.span, "defined here");
        return false;
    }
    if (aux) others.assign(result.parts().begin() + 1, result.parts().end());
    return true;
}

// ---- what derivatives take and give ----

// Literals as the numbers that they are alone.
Type value_type(const Type& type) { return settled_type(type, {}); }

std::string name_of(const Body& b, FunctionId function) { return b.checker.program.function(function).name; }

// Of `jvp`: a tangent for each parameter that the derivative is taken in.
bool check_tangents(Body& b, const Derivation& derivation, const std::vector<ParameterInfo>& parameters) {
    const Type given = value_type(b.instance.parameters[1].type);
    const std::vector<size_t>& in = b.instance.derived_in;
    if (given.is_unknown()) return false;
    if (!given.is(Kind::tuple) || given.parts().size() != in.size()) {
        std::vector<std::string> names;
        for (const size_t i : in) names.push_back(fmt::format("`{}`", parameters[i].name));
        b.error("E0612", derivation.given,
                fmt::format("the tangents are a tuple of {}, for {}, this is {}", in.size(), fmt::join(names, ", "),
                            shown(given)));
        return false;
    }
    for (size_t k = 0; k < in.size(); ++k) {
        const Type wanted = gradient_type(parameters[in[k]].type, std::nullopt);
        if (stands_for(given.parts()[k], wanted)) continue;
        b.error("E0612", derivation.given,
                fmt::format("the tangent of `{}` is {}, needs {}", parameters[in[k]].name, shown(given.parts()[k]),
                            shown(wanted)));
        return false;
    }
    return true;
}

bool check_cotangent(Body& b, const Derivation& derivation, const Type& result) {
    const Type given = value_type(b.instance.parameters[1].type), wanted = gradient_type(result, std::nullopt);
    if (given.is_unknown()) return false;
    if (stands_for(given, wanted)) return true;
    b.error("E0612", derivation.given,
            fmt::format("the cotangent is {}, needs {}: `{}` gives {}", shown(given), shown(wanted),
                        name_of(b, derivation.of), shown(result)));
    return false;
}

bool gives_floats(Body& b, const Derivation& derivation, const Type& result) {
    if (result.is_unknown()) return false;
    if (holds_floats(result)) return true;
    b.error("E0612", derivation.place,
            fmt::format("a derivative is of floats, `{}` gives {}", name_of(b, derivation.of), shown(result)));
    return false;
}

std::vector<Type> gradients_of(const Body& b, const std::vector<ParameterInfo>& parameters, std::optional<DType> out) {
    std::vector<Type> gradients;
    for (const size_t i : b.instance.derived_in) gradients.push_back(read_gradient_type(parameters[i].type, out));
    return gradients;
}

// Of a result and a parameter, each a number or tensor: first the axes of the result, then those of the parameter.
Type jacobian_type(const Type& result, const Type& parameter) {
    std::vector<ir::Dim> shape = result.shape();
    for (const ir::Dim& extent : parameter.shape()) shape.push_back(extent);
    const DType elem = tsr::gradient_type(result.elem());
    return shape.empty() ? Type::scalar(elem) : Type::tensor(elem, {.shape = std::move(shape)});
}

bool is_tree_of_floats(const Type& type) {
    const bool parted = type.is(Kind::tuple) || type.is(Kind::record) || type.is(Kind::list);
    return parted ? !type.parts().empty() && std::ranges::all_of(type.parts(), is_tree_of_floats) : is_of_floats(type);
}

// The tree of what its leaves become.
template <class OfLeaf>
Type tree_of_leaves(const Type& of, const OfLeaf& of_leaf) {
    if (of.is(Kind::list)) return Type::list(tree_of_leaves(of.parts()[0], of_leaf), of.length());
    if (!of.is(Kind::tuple) && !of.is(Kind::record)) return of_leaf(of);
    std::vector<Type> parts;
    for (const Type& part : of.parts()) parts.push_back(tree_of_leaves(part, of_leaf));
    return of.is(Kind::tuple) ? Type::tuple(std::move(parts)) : Type::record_like(of, std::move(parts), false);
}

bool check_jacobian(Body& b, const Derivation& derivation, const Type& result) {
    const std::vector<Type> results = result.is(Kind::tuple) ? result.parts() : std::vector{result};
    for (const Type& one : results) {
        if (is_tree_of_floats(one)) continue;
        b.error("E0612", derivation.place,
                fmt::format("a Jacobian is of floats, `{}` gives {}", name_of(b, derivation.of), shown(result)));
        return false;
    }
    for (const size_t i : b.instance.derived_in) {
        const ParameterInfo& parameter = b.instance.parameters[i];
        if (is_tree_of_floats(parameter.type)) continue;
        b.refuse(Feature::autodiff, derivation.place,
                 fmt::format("the Jacobian in `{}`, which is {}, is", parameter.name, shown(parameter.type)));
        return false;
    }
    // Of each leaf of the result the trees of the parameters.
    const auto row_of = [&](const Type& leaf) {
        std::vector<Type> row;
        for (const size_t i : b.instance.derived_in) {
            row.push_back(tree_of_leaves(b.instance.parameters[i].type,
                                         [&](const Type& parameter) { return jacobian_type(leaf, parameter); }));
        }
        return one_or_tuple(std::move(row));
    };
    std::vector<Type> rows;
    for (const Type& one : results) rows.push_back(tree_of_leaves(one, row_of));
    b.instance.result = one_or_tuple(std::move(rows));
    return true;
}

// The instance of the function that is differentiated, or nothing after a message.
const Instance* differentiated(Body& b, const Derivation& derivation, InstanceId id) {
    const Instance& of = b.checker.program.instance(id);
    if (b.checker.states[id.index].progress == InstanceState::Progress::busy) {
        b.error("E0404", derivation.place, fmt::format("`{}` asks for its own derivative", name_of(b, derivation.of)));
        return nullptr;
    }
    b.instance.derived_from = id;
    return &of;
}

void check_gradient(Body& b, const Derivation& derivation, const Instance& of) {
    std::vector<Type> others;
    if (!split_result(b, derivation, of.result, others) || !choose_parameters(b, derivation, b.instance.parameters))
        return;
    std::vector<Type> gradients = gradients_of(b, b.instance.parameters, derivation.out);
    std::vector<Type> given;
    if (derivation.with_value) {
        given = {of.result, one_or_tuple(std::move(gradients))};
    } else {
        given = {one_or_tuple(std::move(gradients))};
        given.insert(given.end(), others.begin(), others.end());
    }
    b.instance.result = one_or_tuple(std::move(given));
}

// ---- batches ----

// The number of examples; nothing after a message.
std::optional<ir::Dim> number_of_examples(Body& b, const Derivation& derivation) {
    std::optional<ir::Dim> examples;
    std::string first;
    for (size_t i = 0; i < b.instance.parameters.size(); ++i) {
        const ParameterInfo& parameter = b.instance.parameters[i];
        if (parameter.type.is_unknown()) return std::nullopt;
        if (!derivation.in_axes[i] || parameter.value) continue;
        if (!example_type(parameter.type, *derivation.in_axes[i])) {
            b.error("E0612", derivation.place,
                    fmt::format("`{}` is {}, it has no axis {} of examples", parameter.name, shown(parameter.type),
                                *derivation.in_axes[i]))
                .note("`in_axes` says which axis it is for each parameter, `None` where there is none");
            return std::nullopt;
        }
        std::vector<ir::Dim> extents;
        add_examples(parameter.type, *derivation.in_axes[i], extents);
        for (const ir::Dim& extent : extents) {
            if (!examples) {
                examples = extent;
                first = parameter.name;
            } else if (compare(*examples, extent) == ir::Equality::different) {
                b.error("E0612", derivation.place,
                        fmt::format("`{}` has {} examples, `{}` has {}", first, examples->text(), parameter.name,
                                    extent.text()));
                return std::nullopt;
            }
        }
    }
    if (!examples) b.error("E0612", derivation.place, "no parameter has an axis of examples");
    return examples;
}

}  // namespace

// What a launch gives as a value: what stands in the `mut` tensors behind it, then the number that the kernel returns.
static void check_launch(Body& b, const Derivation& derivation, const ast::Expr& call) {
    const Value value = transformed_call(b, call, derivation.of);
    const auto made = b.instance.calls.find(call.id);
    if (value.broken() || made == b.instance.calls.end()) return;
    const Instance& kernel = b.checker.program.instance(made->second.callee);
    std::vector<Type> given;
    for (size_t i = 0; i < kernel.parameters.size(); ++i) {
        if (kernel.parameters[i].type.writable()) given.push_back(b.instance.parameters[derivation.groups + i].type);
    }
    if (kernel.result.is_scalar() && !kernel.returned_parameter) given.push_back(kernel.result);
    b.instance.result = one_or_tuple(std::move(given));
}

void check_transform(Body& b) {
    const Derivation derivation = *b.function->derived;
    b.state().declared_result = true;
    b.instance.result = {};
    std::optional<ir::Dim> examples;
    if (derivation.kind == DerivationKind::batch) {
        examples = number_of_examples(b, derivation);
        if (!examples) return;
    }
    const ast::Expr& call = *b.expr(derivation.call);
    if (derivation.kind == DerivationKind::launch) return check_launch(b, derivation, call);
    const Value value = transformed_call(b, call, derivation.of);
    const auto made = b.instance.calls.find(call.id);
    if (value.broken() || made == b.instance.calls.end() || !made->second.callee.valid()) return;
    const InstanceId id = made->second.callee;
    b.state().callees.insert(id);
    const Instance* of = differentiated(b, derivation, id);
    if (!of) return;
    const Type result = value_type(value.type.with_mut(false));
    if (derivation.kind == DerivationKind::batch) {
        const auto all = batched_type(result, derivation.out_axis, *examples);
        if (all) {
            b.instance.result = *all;
        } else {
            b.error("E0612", derivation.place,
                    fmt::format("`{}` gives {}, which has no place for an axis {} of examples",
                                name_of(b, derivation.of), shown(result), derivation.out_axis));
        }
        return;
    }
    if (!gives_floats(b, derivation, result)) return;
    // With the types of what is given: the first parameter is the tuple of the arguments.
    std::vector<ParameterInfo> parameters = of->parameters;
    const Type arguments = value_type(b.instance.parameters[0].type);
    for (size_t i = 0; i < parameters.size() && i < arguments.parts().size(); ++i)
        parameters[i].type = arguments.parts()[i].with_mut(false);
    parameters.resize(std::min(parameters.size(), arguments.parts().size()));
    if (!choose_parameters(b, derivation, parameters)) return;
    if (derivation.kind == DerivationKind::pushforward) {
        if (!check_tangents(b, derivation, parameters)) return;
        const Type tangent = gradient_type(result, std::nullopt);
        b.instance.result = derivation.with_value ? Type::tuple({result, tangent}) : tangent;
    } else if (check_cotangent(b, derivation, result)) {
        b.instance.result = one_or_tuple(gradients_of(b, parameters, std::nullopt));
    }
}

void check_derivative(Body& b, const Request& request) {
    const Derivation derivation = *b.function->derived;
    b.state().declared_result = true;
    b.instance.result = Type::unknown();  // until the derivative is known
    Request wanted = request;
    wanted.function = derivation.of;
    wanted.context = Context::graph;
    const InstanceId id = b.checker.instantiate(wanted);
    if (!id.valid()) return;
    b.state().callees.insert(id);
    const Instance* of = differentiated(b, derivation, id);
    if (of && derivation.kind == DerivationKind::gradient) {
        check_gradient(b, derivation, *of);
    } else if (of && derivation.kind == DerivationKind::recomputed) {
        b.instance.result = value_type(of->result);
    } else if (of && gives_floats(b, derivation, of->result) &&
               choose_parameters(b, derivation, b.instance.parameters)) {
        check_jacobian(b, derivation, value_type(of->result));
    }
    b.instance.complete = !b.state().found.has_errors();
}

}  // namespace tsr::sema
