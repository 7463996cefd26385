#include "ir/passes/math/expand_rounding.h"

#include "ir/passes/math/rounding.h"
#include "ir/passes/tile/walk.h"

namespace tsr::ir {

namespace {

using math::Term;

bool is_rounding(OpKind kind) { return kind == OpKind::cut || kind == OpKind::dither || kind == OpKind::philox; }

ValueId formula(Builder& builder, const Op& op, const Values& operands) {
    const auto term = [&](size_t i) { return Term{&builder, operands[i]}; };
    if (op.kind == OpKind::philox) return math::random_word(term(0), term(1), term(2)).id;
    const DType to = op.attrs.dtype(Attr::type);
    return op.kind == OpKind::cut ? math::cut(term(0), to).id : math::dither(term(0), term(1), to).id;
}

// A small vector of one tile: element by element.
ValueId vector_formula(Builder& builder, const Op& op, uint32_t width) {
    Values parts;
    for (uint32_t i = 0; i < width; ++i) {
        Values elements;
        for (ValueId v : op.operands) {
            elements.push_back(builder.value(OpKind::vector_extract, {v}, {{Attr::axis, static_cast<int64_t>(i)}}));
        }
        parts.push_back(formula(builder, op, elements));
    }
    return builder.value(OpKind::vector_build, parts);
}

}  // namespace

void expand_rounding(Function& function) {
    std::vector<OpId> found;
    walk(function, function.body, [&](OpId id) {
        if (is_rounding(function.op(id).kind)) found.push_back(id);
    });
    std::vector<std::pair<ValueId, ValueId>> replaced;
    for (OpId id : found) {
        Builder builder = Builder::at(function, id);
        const Op op = function.op(id);
        const Type type = function.type(op.results[0]);
        replaced.emplace_back(op.results[0], type.is_vector() ? vector_formula(builder, op, type.width)
                                                              : formula(builder, op, op.operands));
    }
    std::vector<ValueId> to(function.value_count());
    for (auto [from, value] : replaced) to[from.index] = value;
    function.replace_uses(to);
    for (OpId id : found) function.remove(id);
}

}  // namespace tsr::ir
