// Operations on whole tensors with an axis of examples in front.
#include <algorithm>

#include "ir/core/total.h"
#include "ir/ops/graph.h"
#include "ir/ops/indexed.h"
#include "ir/ops/movements.h"
#include "ir/ops/register.h"
#include "ir/passes/autodiff/batching.h"

namespace tsr::ir::autodiff {

namespace {

using Made = std::optional<ValueId>;

bool any_varies(const Batching& batch, OpId op, size_t from) {
    const Values& operands = batch.op(op).operands;
    return std::any_of(operands.begin() + static_cast<std::ptrdiff_t>(from), operands.end(),
                       [&](ValueId v) { return batch.varies(v); });
}

Attrs along_next(const Batching& batch, OpId op) {
    Attrs attrs = batch.op(op).attrs;
    attrs.set(Attr::axis, attrs.integer(Attr::axis) + 1);
    return attrs;
}

Attrs with_shape(const Batching& batch, OpId op) {
    Attrs attrs = batch.op(op).attrs;
    attrs.set(Attr::shape, batch.with_examples(attrs.dims(Attr::shape)));
    return attrs;
}

// The other axes are one further.
std::vector<int64_t> moved(const std::vector<int64_t>& axes) {
    std::vector<int64_t> all{0};
    for (const int64_t axis : axes) all.push_back(axis + 1);
    return all;
}

ValueId first_operand(const Batching& batch, OpId op) { return batch.of(batch.op(op).operands.front()); }

Made along(Batching& batch, Builder& at, OpId op) {
    return at.value(batch.op(op).kind, {first_operand(batch, op)}, along_next(batch, op));
}

Made full(Batching& batch, Builder& at, OpId op) {
    return batch.each(at, first_operand(batch, op), batch.op(op).attrs.dims(Attr::shape));
}

Made expand(Batching& batch, Builder& at, OpId op) {
    Attrs attrs = with_shape(batch, op);
    attrs.set(Attr::axes, moved(attrs.integers(Attr::axes)));
    return at.value(OpKind::expand, {first_operand(batch, op)}, std::move(attrs));
}

Made transpose(Batching& batch, Builder& at, OpId op) {
    Attrs attrs = batch.op(op).attrs;
    if (attrs.has(Attr::axes)) attrs.set(Attr::axes, moved(attrs.integers(Attr::axes)));
    return at.value(OpKind::transpose, {first_operand(batch, op)}, std::move(attrs));
}

Made reshape(Batching& batch, Builder& at, OpId op) {
    return at.value(OpKind::reshape, {first_operand(batch, op)}, with_shape(batch, op));
}

Made same(Batching& batch, Builder& at, OpId op) {
    return at.value(batch.op(op).kind, {first_operand(batch, op)}, batch.op(op).attrs);
}

// Of all elements: of those of an example along one axis.
Made reduce_index(Batching& batch, Builder& at, OpId op) {
    if (batch.op(op).attrs.has(Attr::axis)) return along(batch, at, op);
    const Dim count = element_count(batch.from().type(ReduceIndexOp(batch.from(), op).value()).shape);
    const ValueId flat =
        at.value(OpKind::reshape, {first_operand(batch, op)}, {{Attr::shape, batch.with_examples({count})}});
    Attrs attrs = batch.op(op).attrs;
    attrs.set(Attr::axis, int64_t{1});
    return at.value(OpKind::reduce_index, {flat}, std::move(attrs));
}

char free_letter(std::string_view taken) {
    char letter = 'a';
    while (taken.find(letter) != std::string_view::npos) ++letter;
    return letter;
}

Made contract(Batching& batch, Builder& at, OpId id) {
    const ContractOp op(batch.from(), id);
    const auto letters = op.letters();
    const std::string examples(1, free_letter(op.attrs().string(Attr::letters)));
    const auto of = [&](ValueId value, std::string_view own) {
        return (batch.varies(value) ? examples : "") + std::string(own);
    };
    Attrs attrs = op.attrs();
    attrs.set(Attr::letters,
              of(op.a(), letters.a) + "," + of(op.b(), letters.b) + "->" + examples + std::string(letters.result));
    return at.value(OpKind::contract, {batch.of(op.a()), batch.of(op.b())}, std::move(attrs));
}

// The values that follow the first `kept` operands say where a block begins: 0 along the axis of examples.
Values with_starts(Batching& batch, Builder& at, OpId op, Values first, size_t kept) {
    first.push_back(at.index(0));
    const Values& operands = batch.op(op).operands;
    for (size_t i = kept; i < operands.size(); ++i) first.push_back(batch.of(operands[i]));
    return first;
}

void add_step(Attrs& attrs) {
    if (!attrs.has(Attr::steps)) return;
    std::vector<int64_t> steps{1};
    for (const int64_t step : attrs.integers(Attr::steps)) steps.push_back(step);
    attrs.set(Attr::steps, std::move(steps));
}

Made slice(Batching& batch, Builder& at, OpId op) {
    if (any_varies(batch, op, 1)) return std::nullopt;
    Attrs attrs = with_shape(batch, op);
    add_step(attrs);
    return at.value(OpKind::slice, with_starts(batch, at, op, {first_operand(batch, op)}, 1), std::move(attrs));
}

Made pad(Batching& batch, Builder& at, OpId op) {
    if (any_varies(batch, op, 1)) return std::nullopt;
    const ValueId fill = batch.of(PadOp(batch.from(), op).fill());
    return at.value(OpKind::pad, with_starts(batch, at, op, {first_operand(batch, op), fill}, 2),
                    with_shape(batch, op));
}

Made update(Batching& batch, Builder& at, OpId op) {
    if (any_varies(batch, op, 2)) return std::nullopt;
    const BlockOp update(batch.from(), op);
    Attrs attrs = update.attrs();
    add_step(attrs);
    const ValueId value = batch.spread(at, update.value()), block = batch.spread(at, update.block());
    return at.value(OpKind::update, with_starts(batch, at, op, {value, block}, 2), std::move(attrs));
}

Made concat(Batching& batch, Builder& at, OpId op) {
    Values parts;
    for (const ValueId part : batch.op(op).operands) parts.push_back(batch.spread(at, part));
    Attrs attrs = with_shape(batch, op);
    attrs.set(Attr::axis, attrs.integer(Attr::axis) + 1);
    return at.value(OpKind::concat, std::move(parts), std::move(attrs));
}

Attrs indexed_attrs(const IndexedOp& op, bool x, bool ids) {
    const IndexLetters letters = op.letters();
    const std::string examples(1, free_letter(op.attrs().string(Attr::letters)));
    const auto with = [&](bool varies, std::string_view own) { return (varies ? examples : "") + std::string(own); };
    Attrs attrs = op.attrs();
    attrs.set(Attr::letters, with(x, letters.x) + "," + with(ids, letters.ids) + "->" + with(true, letters.positions));
    return attrs;
}

Made gather(Batching& batch, Builder& at, OpId id) {
    const IndexedOp op(batch.from(), id);
    return at.value(OpKind::gather_axis, {batch.of(op.x()), batch.of(op.ids())},
                    indexed_attrs(op, batch.varies(op.x()), batch.varies(op.ids())));
}

Made scatter(Batching& batch, Builder& at, OpId id) {
    const IndexedOp op(batch.from(), id);
    const ValueId x = batch.spread(at, op.x()), values = batch.spread(at, op.values());
    return at.value(OpKind::scatter_axis, {x, batch.of(op.ids()), values},
                    indexed_attrs(op, true, batch.varies(op.ids())));
}

constexpr BatchRule kOneByOne = nullptr;

constexpr Row<BatchRule> kBatchRules[]{
    {OpKind::expand, &expand},
    {OpKind::transpose, &transpose},
    {OpKind::reduce, &along},
    {OpKind::scan, &along},
    {OpKind::full, &full},
    {OpKind::contract, &contract},
    {OpKind::vjp, kOneByOne},
    {OpKind::jvp, kOneByOne},
    {OpKind::batch, kOneByOne},
    {OpKind::stop, &same},
    {OpKind::positions, kOneByOne},
    {OpKind::reshape, &reshape},
    {OpKind::slice, &slice},
    {OpKind::pad, &pad},
    {OpKind::concat, &concat},
    {OpKind::update, &update},
    {OpKind::reduce_index, &reduce_index},
    {OpKind::gather_axis, &gather},
    {OpKind::scatter_axis, &scatter},
    {OpKind::sort, &along},
    {OpKind::sort_index, &along},
};
constexpr Total<kBatchRules, kAxisFamily, kGraphFamily> kRules;

}  // namespace

BatchRule batch_rule(OpKind kind) { return kRules.has(kind) ? kRules[kind].answer : nullptr; }

}  // namespace tsr::ir::autodiff
