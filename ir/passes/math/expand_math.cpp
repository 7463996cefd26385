#include "ir/passes/math/expand_math.h"

#include <type_traits>

#include "ir/core/total.h"
#include "ir/ops/element.h"
#include "ir/ops/gpu_functions.h"
#include "ir/ops/record.h"
#include "ir/passes/math/functions.h"
#include "ir/passes/tile/walk.h"

namespace tsr::ir {

namespace {

using math::Term;

using MakeFormula = Term (*)(const std::vector<Term>& x);

template <auto function>
Term apply(const std::vector<Term>& x) {
    if constexpr (std::is_invocable_v<decltype(function), Term, Term>) {
        return function(x[0], x[1]);
    } else {
        return function(x[0]);
    }
}

// An operation of these lists that has no function of its name does not compile.
#define TSR_FORMULA(op) {OpKind::op, &apply<&math::op>},
constexpr Row<MakeFormula> kFormulas[]{TSR_LIBRARY_OPS(TSR_FORMULA) TSR_FORMULA_OPS(TSR_FORMULA)};
#undef TSR_FORMULA
constexpr Total<kFormulas, kFormulaFamily> kFormulaOf;

enum class For : uint8_t { every_machine, gpus };

ValueId scalar_formula(Builder& builder, OpKind kind, const std::vector<ValueId>& operands, DType result,
                       For machines) {
    std::vector<Term> terms;
    for (ValueId v : operands) {
        Term term{&builder, v};
        bool half = term.type() == DType::f16 || term.type() == DType::bf16;
        terms.push_back(half ? term.cast(DType::f32) : term);
    }
    const bool stays = machines == For::gpus && is_gpu_function(kind, terms[0].type());
    Term out = stays ? terms[0].apply(kind) : kFormulaOf[kind].answer(terms);
    return out.type() == result ? out.id : out.cast(result).id;
}

// A small vector of one tile: element by element.
ValueId vector_formula(Builder& builder, OpKind kind, const std::vector<ValueId>& operands, const Type& result,
                       For machines) {
    Values parts;
    for (uint32_t i = 0; i < result.width; ++i) {
        Values elements;
        for (ValueId v : operands) {
            elements.push_back(builder.value(OpKind::vector_extract, {v}, {{Attr::axis, static_cast<int64_t>(i)}}));
        }
        parts.push_back(scalar_formula(builder, kind, elements, result.elem, machines));
    }
    return builder.value(OpKind::vector_build, parts);
}

bool becomes_formula(const Function& function, const Op& op) {
    return record(op.kind).formula == Formula::of_floats && is_float(ElementwiseOp(function, op).computes_in().elem);
}

bool stays_for_gpus(const Function& function, const Op& op) {
    return UnaryOp::suits(op) && is_gpu_function(op.kind, ElementwiseOp(function, op).computes_in().elem);
}

void expand(Function& function, For machines) {
    std::vector<OpId> found;
    walk(function, function.body, [&](OpId id) {
        const Op& op = function.op(id);
        if (!becomes_formula(function, op) || (machines == For::gpus && stays_for_gpus(function, op))) return;
        found.push_back(id);
    });
    const size_t of_body = found.size();
    if (function.kernel.launch.valid()) {
        walk(function, function.kernel.launch, [&](OpId id) {
            if (becomes_formula(function, function.op(id))) found.push_back(id);
        });
    }
    std::vector<std::pair<ValueId, ValueId>> replaced;
    for (size_t i = 0; i < found.size(); ++i) {
        const OpId id = found[i];
        const For own = i < of_body ? machines : For::every_machine;  // the host computes the size of a launch
        Builder builder = Builder::at(function, id);
        const Op op = function.op(id);
        const Type type = function.type(op.results[0]);
        ValueId value = type.is_vector() ? vector_formula(builder, op.kind, op.operands, type, own)
                                         : scalar_formula(builder, op.kind, op.operands, type.elem, own);
        replaced.emplace_back(op.results[0], value);
    }
    std::vector<ValueId> to(function.value_count());
    for (auto [from, value] : replaced) to[from.index] = value;
    function.replace_uses(to);
    for (OpId id : found) function.remove(id);
}

}  // namespace

void expand_math(Function& function) { expand(function, For::every_machine); }

void expand_math_for_gpus(Function& kernel) { expand(kernel, For::gpus); }

bool has_gpu_functions(const Function& kernel) {
    bool found = false;
    walk(kernel, kernel.body, [&](OpId id) { found = found || stays_for_gpus(kernel, kernel.op(id)); });
    return found;
}

}  // namespace tsr::ir
