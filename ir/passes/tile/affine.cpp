#include "ir/passes/tile/affine.h"

#include <algorithm>

#include "ir/ops/control.h"
#include "ir/ops/element.h"
#include "ir/passes/tile/walk.h"

namespace tsr::ir {

namespace {

// Nothing on overflow.
std::optional<Affine> sum(const Affine& a, const Affine& b, int64_t factor) {
    Affine result = a;
    for (const auto& [value, coefficient] : b.terms) {
        int64_t part = 0;
        int64_t& into = result.terms[value];
        if (__builtin_mul_overflow(coefficient, factor, &part) || __builtin_add_overflow(into, part, &into)) return {};
        if (into == 0) result.terms.erase(value);
    }
    int64_t part = 0;
    if (__builtin_mul_overflow(b.constant, factor, &part) ||
        __builtin_add_overflow(result.constant, part, &result.constant)) {
        return {};
    }
    return result;
}

std::optional<Affine> product(const Affine& a, const Affine& b) {
    if (a.terms.empty()) return sum({}, b, a.constant);
    if (b.terms.empty()) return sum({}, a, b.constant);
    return {};
}

}  // namespace

AffineIndices::AffineIndices(const Function& kernel, std::vector<OpId> nest, bool tiles_differ)
    : kernel_(kernel), nest_(std::move(nest)), tiles_differ_(tiles_differ) {}

ValueId AffineIndices::induction(size_t axis) const {
    return kernel_.region(kernel_.op(nest_[axis]).regions[0]).args[0];
}

std::optional<Affine> AffineIndices::index(ValueId value) const {
    const OpId id = kernel_.value(value).op;
    if (id.valid()) {
        const Op& op = kernel_.op(id);
        if (op.kind == OpKind::constant) return Affine{{}, op.attrs.integer(Attr::value)};
        if (op.kind == OpKind::cast) {
            const ValueId from = CastOp(kernel_, id).from();
            if (is_integer(kernel_.type(from).elem)) return index(from);
        }
        if (op.kind == OpKind::neg) {
            const auto a = index(UnaryOp(kernel_, id).operand());
            return a ? sum({}, *a, -1) : std::nullopt;
        }
        if (op.kind == OpKind::add || op.kind == OpKind::sub || op.kind == OpKind::mul) {
            const BinaryOp both(kernel_, id);
            const auto a = index(both.lhs()), b = index(both.rhs());
            if (!a || !b) return std::nullopt;
            const auto made = op.kind == OpKind::mul ? product(*a, *b) : sum(*a, *b, op.kind == OpKind::add ? 1 : -1);
            if (made) return made;
        }
    }
    for (size_t axis = 0; axis < nest_.size(); ++axis) {
        if (induction(axis) == value) return Affine{{{value.index, 1}}, 0};
    }
    if (depends(value)) return std::nullopt;
    return Affine{{{value.index, 1}}, 0};
}

bool AffineIndices::depends(ValueId value) const {
    const Value& v = kernel_.value(value);
    const OpId from = defining_op(kernel_, value);
    if (!from.valid() || !stands_below(kernel_, from, nest_.front())) return false;
    if (v.op.valid()) return op_depends(v.op);
    if (std::ranges::find(nest_, from) != nest_.end()) return true;
    // The index of a loop inside: what it runs through is the same where its bounds are.
    if (kernel_.op(from).kind != OpKind::for_ || v.number != 0) return true;
    return std::ranges::any_of(ForOp(kernel_, from).bounds(), [&](ValueId bound) { return depends(bound); });
}

bool AffineIndices::op_depends(OpId id) const {
    const Op& op = kernel_.op(id);
    if (op.kind == OpKind::tile_id || op.kind == OpKind::lane_id) return tiles_differ_;
    if (!is_pure(op.kind)) return true;  // what memory holds may be anything
    return std::ranges::any_of(op.operands, [&](ValueId v) { return depends(v); });
}

}  // namespace tsr::ir
