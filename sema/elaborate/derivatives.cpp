#include "sema/elaborate/derivatives.h"

#include "base/numerics.h"
#include "sema/elaborate/types.h"

namespace tsr::elaborate {

using ir::Attr;
using ir::OpKind;
using ir::ValueId;
using sema::Instance;

namespace {

bool is_active(const ir::Type& type) {
    return (type.is_scalar() || type.kind == ir::TypeKind::tensor) && is_float(type.elem);
}

ir::Type in_caller(ir::Type type, const Substitution& dims) {
    type.mut = false;
    for (ir::Dim& extent : type.shape) extent = extent.substitute(dims);
    return type;
}

// 1 for what is differentiated, 0 for the others.
ValueId seed(Body& b, const ir::Type& of, bool differentiated) {
    const DType type = accumulation_type(of.elem, {});
    const ValueId number = b.scalar(Val::of(sema::Static::of(differentiated ? 1.0 : 0.0)), type);
    return of.is_scalar() ? number : b.emit.inferred(OpKind::full, {number}, {{Attr::shape, of.shape}});
}

// The numbers that parameters of the program have among those of the IR.
std::vector<int64_t> numbers_of(const Instance& made) {
    std::vector<int64_t> first;
    std::vector<ir::Type> all;
    for (const sema::ParameterInfo& parameter : made.parameters) {
        first.push_back(static_cast<int64_t>(all.size()));
        if (!parameter.value && !parameter.type.is(sema::Kind::function)) result_types(parameter.type, all);
    }
    std::vector<int64_t> numbers;
    for (const size_t i : made.derived_in) numbers.push_back(first[i]);
    return numbers;
}

}  // namespace

std::vector<ValueId> derivative(Body& b, const Instance& made, std::vector<ValueId> arguments,
                                const Substitution& dims) {
    const Instance& of = b.program.instance(made.derived_from);
    const sema::Derivation& derivation = *b.program.function(made.function).derived;
    std::vector<ir::Type> results;
    result_types(of.result, results);
    for (ir::Type& type : results) type = in_caller(type, dims);
    const size_t own = results.size();
    for (size_t i = 0; i < own; ++i) {
        if (is_active(results[i])) arguments.push_back(seed(b, results[i], i == 0));
    }
    std::vector<DType> wanted;
    for (const size_t i : made.derived_in) {
        const sema::Type& parameter = made.parameters[i].type;
        ir::Type type = in_caller(ir_type(parameter), dims);
        if (bits(type.elem) < 16) type.elem = accumulation_type(type.elem, {});
        wanted.push_back(derivation.out.value_or(type.elem));
        results.push_back(std::move(type));
    }
    const ir::OpId op = b.emit.op_giving(OpKind::vjp, std::move(arguments), results,
                                         {{Attr::callee, of.name}, {Attr::axes, numbers_of(made)}});
    const std::vector<ValueId> all = b.function().op(op).results;
    std::vector<ValueId> gradients;
    for (size_t i = 0; i < wanted.size(); ++i) gradients.push_back(b.emit.cast(all[own + i], wanted[i]));
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
