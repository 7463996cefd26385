#include "ir/passes/target/gpu/index_forms.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "ir/core/total.h"
#include "ir/ops/control.h"
#include "ir/ops/effects.h"
#include "ir/ops/element.h"
#include "ir/ops/target.h"

namespace tsr::ir {

namespace {

constexpr int64_t kShortStep = int64_t{1} << 28;  // elements

// What an operation gives in 32 bits instead of 64.
enum class NarrowRule : uint8_t {
    low_bits,  // the low bits of its result follow from those of its operands
    number,    // the same number, where operands and result fit
    other,     // it is left as it is, or has a rule of its own (`cast`, comparisons)
};
constexpr Row<NarrowRule> kNarrowIndices[]{
    {OpKind::add, NarrowRule::low_bits},    {OpKind::sub, NarrowRule::low_bits},
    {OpKind::mul, NarrowRule::low_bits},    {OpKind::div, NarrowRule::other},
    {OpKind::floordiv, NarrowRule::number}, {OpKind::mod, NarrowRule::number},
    {OpKind::neg, NarrowRule::low_bits},    {OpKind::fma, NarrowRule::other},
    {OpKind::minimum, NarrowRule::number},  {OpKind::maximum, NarrowRule::number},
    {OpKind::bit_and, NarrowRule::number},  {OpKind::bit_or, NarrowRule::number},
    {OpKind::bit_xor, NarrowRule::number},  {OpKind::bit_not, NarrowRule::other},
    {OpKind::shl, NarrowRule::low_bits},    {OpKind::shr, NarrowRule::number},
    {OpKind::eq, NarrowRule::other},        {OpKind::ne, NarrowRule::other},
    {OpKind::lt, NarrowRule::other},        {OpKind::le, NarrowRule::other},
    {OpKind::gt, NarrowRule::other},        {OpKind::ge, NarrowRule::other},
    {OpKind::select, NarrowRule::number},   {OpKind::cast, NarrowRule::other},
    {OpKind::bitcast, NarrowRule::other},
};
constexpr Total<kNarrowIndices, kArithmeticFamily> kNarrow;

NarrowRule how_narrow(OpKind kind) { return is_arithmetic(kind) ? kNarrow[kind].answer : NarrowRule::other; }
bool keeps_low_bits(OpKind kind) { return how_narrow(kind) == NarrowRule::low_bits; }
bool keeps_numbers(OpKind kind) { return how_narrow(kind) != NarrowRule::other; }

}  // namespace

bool is_index(const Function& function, ValueId value) {
    const Type& type = function.type(value);
    return type.is_scalar() && type.elem == DType::index;
}

IndexForms::IndexForms(const Function& function, const IndexRanges::Promises& guard)
    : fn_(function),
      ranges_(function, guard),
      forms_(function.value_count(), Form::same),
      fits_(function.value_count(), false),
      users_(function.value_count()) {
    for_each_op(fn_, fn_.body, [&](OpId id) {
        ops_.push_back(id);
        for (ValueId v : fn_.op(id).operands) users_[v.index].push_back(id);
    });
    for (OpId id : ops_) decide(id);
    for (size_t i = ops_.size(); i-- > 0;) decide_offset(ops_[i]);
    decide_bounds();
}

std::optional<int64_t> IndexForms::step(OpId pointer_add) const {
    const auto found = steps_.find(pointer_add);
    return found == steps_.end() ? std::nullopt : std::optional(found->second);
}

bool IndexForms::has_root(ValueId pointer) const {
    const OpId made = fn_.value(pointer).op;
    if (!made.valid()) return false;
    const Op& op = fn_.op(made);
    if (op.kind == OpKind::pointer_add) {
        const PointerAddOp sum(fn_, op);
        return !sum.changes_type() && has_root(sum.pointer());
    }
    return op.kind == OpKind::slot || op.kind == OpKind::scratch || op.kind == OpKind::stack;
}

bool IndexForms::narrows_counter(OpId loop) const { return of(ForOp(fn_, loop).iv()) == Form::narrow; }

void IndexForms::decide(OpId id) {
    const Op& op = fn_.op(id);
    for (ValueId v : op.results) note_range(v);
    for (RegionId region : op.regions) {
        for (ValueId v : fn_.region(region).args) note_range(v);
    }
    if (op.kind == OpKind::pointer_add) note_step(id);
    if (op.kind == OpKind::for_) decide_counter(id);
    if (op.kind == OpKind::lt) decide_comparison(id);
    decide_order(id);
    if (op.kind == OpKind::maximum || op.kind == OpKind::minimum) decide_extreme(id);
    for (ValueId v : op.results) {
        if (fits(v) && narrows(op)) forms_[v.index] = Form::narrow;
    }
    const auto not_negative = [&](ValueId v) { return is_index(fn_, v) && ranges_.range(v).low >= 0; };
    const bool divides = op.kind == OpKind::floordiv || op.kind == OpKind::mod;
    if (divides && of(op.results[0]) == Form::narrow && std::ranges::all_of(op.operands, not_negative))
        unsigned_.insert(id);
    if (op.kind != OpKind::add || !is_index(fn_, op.results[0])) return;
    if (std::ranges::any_of(op.operands, [&](ValueId v) { return is_wide(v); })) wide_.insert(op.results[0]);
}

void IndexForms::note_range(ValueId v) {
    if (is_index(fn_, v)) fits_[v.index] = ranges_.fits_32_bits(v);
}

void IndexForms::note_step(OpId id) {
    const IndexRanges::Range range = ranges_.range(PointerAddOp(fn_, id).offset());
    const int64_t most = std::max(std::abs(range.low), std::abs(range.high));
    if (most <= kShortStep) steps_[id] = most;
}

bool IndexForms::narrows(const Op& op) const {
    if (op.kind == OpKind::if_ || op.kind == OpKind::cast) return true;
    if (!keeps_numbers(op.kind)) return false;
    const auto known = [&](ValueId v) { return !is_index(fn_, v) || fits(v); };
    if (op.kind == OpKind::shl) return known(BinaryOp(fn_, op).rhs());
    return keeps_low_bits(op.kind) || std::ranges::all_of(op.operands, known);
}

// Neither the counter nor what ends the loop passes 32 bits.
void IndexForms::decide_counter(OpId id) {
    const ForOp loop(fn_, id);
    counters_.emplace(loop.iv(), id);
    if (is_index(fn_, loop.iv())) wide_.insert(loop.iv());
    const auto fit = [&](ValueId v) { return is_index(fn_, v) && fits(v); };
    if (!fit(loop.lower()) || !fit(loop.upper()) || !fit(loop.step()) || !fits(loop.iv())) return;
    const auto upper = ranges_.range(loop.upper()), lower = ranges_.range(loop.lower()),
               step = ranges_.range(loop.step());
    // It steps from a number that is before the end.
    const int64_t high = std::max(lower.high, upper.high - 1 + std::max<int64_t>(step.high, 0));
    const int64_t low = std::min(lower.low, upper.low + 1 + std::min<int64_t>(step.low, 0));
    if (!IndexRanges::Range{low, high}.fits_32_bits()) return;
    wide_.erase(loop.iv());
    forms_[loop.iv().index] = Form::narrow;
}

// `lt (cast %counter), (cast %end)` of u64, in a loop up to %end that begins at 0 or above: whether an element that the
// loop counts is inside of its tensor.
void IndexForms::decide_comparison(OpId id) {
    const auto cast_from = [&](ValueId v) {
        const OpId made = fn_.value(v).op;
        const bool cast = made.valid() && fn_.op(made).kind == OpKind::cast && fn_.type(v).is_scalar() &&
                          fn_.type(v).elem == DType::u64 && is_index(fn_, CastOp(fn_, made).from());
        return cast ? CastOp(fn_, made).from() : ValueId{};
    };
    const BinaryOp compared(fn_, id);
    const ValueId counter = cast_from(compared.lhs()), end = cast_from(compared.rhs());
    if (!counter.valid() || !end.valid() || ranges_.range(end).low < 0) return;
    const auto found = counters_.find(counter);
    if (found == counters_.end()) return;
    const ForOp loop(fn_, found->second);
    if (ranges_.range(loop.lower()).low < 0 || ranges_.range(loop.step()).low < 1) return;
    ValueId upper = loop.upper();
    if (const OpId made = fn_.value(upper).op; made.valid() && always_.contains(made)) upper = always_.at(made);
    if (upper == end) true_.insert(id);
}

// What the ranges of both sides tell: `ge %row, 0` of a row that is counted up from 0.
void IndexForms::decide_order(OpId id) {
    const Op& op = fn_.op(id);
    if (!is_comparison(op.kind)) return;
    const BinaryOp compared(fn_, id);
    if (!is_index(fn_, compared.lhs()) || !is_index(fn_, compared.rhs())) return;
    const auto a = ranges_.range(compared.lhs()), b = ranges_.range(compared.rhs());
    const bool holds = op.kind == OpKind::lt   ? a.high < b.low
                       : op.kind == OpKind::le ? a.high <= b.low
                       : op.kind == OpKind::gt ? a.low > b.high
                                               : op.kind == OpKind::ge && a.low >= b.high;
    if (holds) true_.insert(id);
}

void IndexForms::decide_extreme(OpId id) {
    const BinaryOp op(fn_, id);
    if (!is_index(fn_, op.result())) return;
    const auto a = ranges_.range(op.lhs()), b = ranges_.range(op.rhs());
    const bool largest = fn_.op(id).kind == OpKind::maximum;
    if (largest ? a.low >= b.high : a.high <= b.low) always_.emplace(id, op.lhs());
    if (largest ? b.low >= a.high : b.high <= a.low) always_.emplace(id, op.rhs());
}

ValueId IndexForms::always(OpId op) const {
    const auto found = always_.find(op);
    return found == always_.end() ? ValueId{} : found->second;
}

// Those who use an offset come behind it.
void IndexForms::decide_offset(OpId id) {
    const Op& op = fn_.op(id);
    if (!keeps_low_bits(op.kind) || !is_index(fn_, op.results[0]) || of(op.results[0]) != Form::same) return;
    if (is_wide(op.results[0])) return;
    if (op.kind == OpKind::shl && !fits(BinaryOp(fn_, op).rhs())) return;
    const ValueId result = op.results[0];
    const bool offset = std::ranges::all_of(users_[result.index], [&](OpId user) {
        const Op& by = fn_.op(user);
        if (by.kind == OpKind::pointer_add) return has_root(PointerAddOp(fn_, by).pointer());
        if (by.results.size() != 1 || of(by.results[0]) != Form::low) return false;
        return by.kind != OpKind::shl || BinaryOp(fn_, by).rhs() != result;
    });
    if (offset) forms_[result.index] = Form::low;
}

// Whether an index is inside of bounds is asked by one comparison of numbers without sign.
void IndexForms::decide_bounds() {
    std::vector<ValueId> candidates;
    for (OpId id : ops_) {
        const Op& op = fn_.op(id);
        if (op.kind != OpKind::cast || op.attrs.dtype(Attr::type) != DType::u64) continue;
        const ValueId from = CastOp(fn_, id).from();
        if (!fn_.type(op.results[0]).is_scalar() || !is_index(fn_, from) || !fits(from)) continue;
        forms_[op.results[0].index] = Form::bounds;
        candidates.push_back(op.results[0]);
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (ValueId v : candidates) {
            if (of(v) != Form::bounds || std::ranges::all_of(users_[v.index], [&](OpId by) { return bounds(by); }))
                continue;
            forms_[v.index] = Form::same;
            changed = true;
        }
    }
}

bool IndexForms::bounds(OpId id) const {
    const Op& op = fn_.op(id);
    return is_comparison(op.kind) && std::ranges::all_of(op.operands, [&](ValueId v) {
               if (of(v) == Form::bounds) return true;
               const OpId made = fn_.value(v).op;
               if (!made.valid() || fn_.op(made).kind != OpKind::constant) return false;
               const int64_t number = fn_.op(made).attrs.integer(Attr::value);
               return number >= 0 && number <= std::numeric_limits<int32_t>::max();
           });
}

}  // namespace tsr::ir
