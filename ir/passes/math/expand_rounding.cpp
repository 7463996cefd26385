#include "ir/passes/math/expand_rounding.h"

#include "ir/core/total.h"
#include "ir/ops/record.h"
#include "ir/passes/math/rounding.h"
#include "ir/passes/tile/walk.h"

namespace tsr::ir {

namespace {

using math::Term;

using MakeRounding = Term (*)(const std::vector<Term>& x, const Attrs& attrs);
using Terms = std::vector<Term>;

constexpr Row<MakeRounding> kRoundings[]{
    {OpKind::cut, [](const Terms& x, const Attrs& attrs) { return math::cut(x[0], attrs.dtype(Attr::type)); }},
    {OpKind::dither,
     [](const Terms& x, const Attrs& attrs) { return math::dither(x[0], x[1], attrs.dtype(Attr::type)); }},
    {OpKind::philox, [](const Terms& x, const Attrs&) { return math::random_word(x[0], x[1], x[2]); }},
};
constexpr Total<kRoundings, kRoundingFamily> kRoundingOf;

ValueId formula(Builder& builder, const Op& op, const Values& operands) {
    Terms terms;
    for (ValueId v : operands) terms.push_back({&builder, v});
    return kRoundingOf[op.kind].answer(terms, op.attrs).id;
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
        if (record(function.op(id).kind).formula == Formula::always) found.push_back(id);
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
