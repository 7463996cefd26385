#include "sema/elaborate/derivatives.h"

#include "base/numerics.h"
#include "ir/ops/graph.h"
#include "sema/elaborate/trees.h"

namespace tsr::elaborate {

using ir::Attr;
using ir::OpKind;
using ir::ValueId;
using sema::Instance;

namespace {

ir::Type in_caller(ir::Type type, const Substitution& dims) {
    type.mut = false;
    for (ir::Dim& extent : type.shape) extent = extent.substitute(dims);
    return type;
}

// 1 for what is differentiated, 0 for the others.
ValueId seed(Body& b, const ir::Type& of, bool differentiated) {
    const DType type = derivative_type(of.elem);
    const ValueId number = b.scalar(Val::of(sema::Static::of(differentiated ? 1.0 : 0.0)), type);
    return of.is_scalar() ? number : b.emit.inferred(OpKind::full, {number}, {{Attr::shape, of.shape}});
}

// What is differentiated of a call: parameters of the program are trees of those of the IR.
struct Wanted {
    std::vector<int64_t> wrt;                     // numbers of parameters of the IR
    std::vector<ir::Type> types;                  // of their gradients
    std::vector<ValueId> leaves;                  // of what is given: the arguments, in the order of the gradients
    std::vector<std::optional<size_t>> gradient;  // of each leaf: its number in `wrt`; else it is given as it is
};

Wanted wanted_of(Body& b, const Instance& made, const std::vector<ValueId>& arguments) {
    std::vector<size_t> first;
    std::vector<ir::Type> all;
    for (const sema::ParameterInfo& parameter : made.parameters) {
        first.push_back(all.size());
        if (!parameter.value && !parameter.type.is(sema::Kind::function)) tree_types(parameter.type, all);
    }
    first.push_back(all.size());
    Wanted wanted;
    for (const size_t i : made.derived_in) {
        for (size_t k = first[i]; k < first[i + 1]; ++k) {
            ir::Type type = b.type_of(arguments[k]);
            wanted.leaves.push_back(arguments[k]);
            wanted.gradient.push_back(ir::may_differentiate(type) ? std::optional(wanted.wrt.size()) : std::nullopt);
            if (!ir::may_differentiate(type)) continue;
            type.mut = false;
            type.elem = gradient_type(type.elem);
            wanted.wrt.push_back(static_cast<int64_t>(k));
            wanted.types.push_back(std::move(type));
        }
    }
    return wanted;
}

}  // namespace

std::vector<ValueId> derivative(Body& b, const Instance& made, std::vector<ValueId> arguments,
                                const Substitution& dims) {
    const Instance& of = b.program.instance(made.derived_from);
    const sema::Derivation& derivation = *b.program.function(made.function).derived;
    const Wanted wanted = wanted_of(b, made, arguments);
    std::vector<ir::Type> results;
    tree_types(of.result, results);
    for (ir::Type& type : results) type = in_caller(type, dims);
    const size_t own = results.size();
    for (size_t i = 0; i < own; ++i) {
        if (ir::may_differentiate(results[i])) arguments.push_back(seed(b, results[i], i == 0));
    }
    results.insert(results.end(), wanted.types.begin(), wanted.types.end());
    const ir::OpId op = b.emit.op_giving(OpKind::vjp, std::move(arguments), results,
                                         {{Attr::callee, of.name}, {Attr::axes, wanted.wrt}});
    const std::vector<ValueId> all = b.function().op(op).results;
    std::vector<ValueId> gradients;
    for (size_t i = 0; i < wanted.leaves.size(); ++i) {
        if (!wanted.gradient[i]) {
            gradients.push_back(wanted.leaves[i]);
            continue;
        }
        const ValueId gradient = all[own + *wanted.gradient[i]];
        gradients.push_back(b.emit.cast(gradient, derivation.out.value_or(b.type_of(gradient).elem)));
    }
    std::vector<ValueId> given;
    if (derivation.with_value) {
        given.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(own));
        given.insert(given.end(), gradients.begin(), gradients.end());
    } else {
        given = gradients;
        if (derivation.has_aux)
            given.insert(given.end(), all.begin() + 1, all.begin() + static_cast<std::ptrdiff_t>(own));
    }
    return given;
}

}  // namespace tsr::elaborate
