#include "sema/functions/derivatives.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/numerics.h"
#include "sema/types/numeric.h"

namespace tsr::sema {

namespace {

bool is_of_floats(const Type& type) { return (type.is(Kind::tensor) || type.is_scalar()) && is_float(type.elem()); }

// Also in a tuple or record.
bool holds_floats(const Type& type) {
    if (type.is(Kind::tuple) || type.is(Kind::record)) return std::ranges::any_of(type.parts(), holds_floats);
    return is_of_floats(type);
}

// Rounded once; of fewer than 16 bits: the type that sums of it are accumulated in. Of a tree a tree of the same form,
// in which what holds no floats is as it was given.
Type gradient_type(const Type& of, std::optional<DType> out) {
    if (of.is(Kind::tuple) || of.is(Kind::record)) {
        std::vector<Type> parts;
        for (const Type& part : of.parts()) parts.push_back(gradient_type(part, out));
        return of.is(Kind::tuple) ? Type::tuple(std::move(parts))
                                  : Type::record(of.function_id(), of.names(), std::move(parts), false);
    }
    if (!is_of_floats(of)) return of;
    return of.with_elem(out.value_or(tsr::gradient_type(of.elem()))).with_mut(false);
}

// `w: param f32[n]`, or a record with a field that is declared so.
bool is_declared_parameter(Body& b, const ParameterInfo& parameter) {
    const auto declares = [](const ast::Parameter& declared) {
        const auto* qualified = declared.annotation ? std::get_if<ast::Qualified>(&declared.annotation->node) : nullptr;
        return qualified && qualified->qualifier == ast::Qualified::Qualifier::param;
    };
    for (const ast::Parameter& declared : b.def().parameters) {
        if (declared.name.text == parameter.name && declares(declared)) return true;
    }
    if (!parameter.type.is(Kind::record)) return false;
    const Function& record = b.checker.program.function(parameter.type.function_id());
    return std::ranges::any_of(b.checker.program.def(record).parameters, declares);
}

// The parameters in which derivatives are taken; false after a message.
bool choose_parameters(Body& b, const Derivation& derivation) {
    const auto& parameters = b.instance.parameters;
    const bool declared =
        derivation.wrt.empty() && std::ranges::any_of(parameters, [&](const ParameterInfo& parameter) {
            return is_declared_parameter(b, parameter);
        });
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
        const bool asked = derivation.wrt.empty() ? !declared || is_declared_parameter(b, parameters[i]) : named;
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
            .label(b.def().name.span, "defined here");
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

Type one_or_tuple(std::vector<Type> types) { return types.size() == 1 ? types[0] : Type::tuple(std::move(types)); }

}  // namespace

void check_derivative(Body& b, const Request& request) {
    const Derivation derivation = *b.function->derived;
    b.state().declared_result = true;
    Request wanted = request;
    wanted.function = derivation.of;
    wanted.context = Context::graph;
    const InstanceId id = b.checker.instantiate(wanted);
    if (!id.valid()) return;
    b.state().callees.insert(id);
    const Instance& of = b.checker.program.instance(id);
    if (b.checker.states[id.index].progress == InstanceState::Progress::busy) {
        b.error("E0404", derivation.place,
                fmt::format("`{}` asks for its own derivative", b.checker.program.function(derivation.of).name));
        return;
    }
    b.instance.derived_from = id;
    std::vector<Type> others;
    if (!of.captures.empty()) {
        b.refuse(Feature::autodiff, derivation.place, "the derivative of a function that uses variables around it is");
    } else if (split_result(b, derivation, of.result, others) && choose_parameters(b, derivation)) {
        std::vector<Type> gradients;
        for (const size_t i : b.instance.derived_in)
            gradients.push_back(gradient_type(b.instance.parameters[i].type, derivation.out));
        std::vector<Type> given;
        if (derivation.with_value) {
            given = {of.result, one_or_tuple(std::move(gradients))};
        } else {
            given = {one_or_tuple(std::move(gradients))};
            given.insert(given.end(), others.begin(), others.end());
        }
        b.instance.result = one_or_tuple(std::move(given));
    }
    b.instance.complete = !b.state().found.has_errors();
}

}  // namespace tsr::sema
