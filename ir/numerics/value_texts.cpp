#include <fmt/format.h>

#include "ir/core/lines.h"
#include "ir/numerics/function_bounds.h"
#include "ir/ops/control.h"
#include "ir/ops/graph.h"
#include "ir/ops/record.h"

namespace tsr::ir {

namespace {

constexpr size_t kLongestText = 32;  // of a value's formula in magnitudes

}  // namespace

void FunctionBounds::give_names(RegionId id) {
    const auto& ops = fn_.region(id).ops;
    for (auto at = ops.rbegin(); at != ops.rend(); ++at) {
        const Op& op = fn_.op(*at);
        for (const RegionId inner : op.regions) give_names(inner);
        if (!moves(op.kind) || op.kind == OpKind::gather_axis || op.kind == OpKind::slice) continue;
        const Value& from = fn_.value(op.operands.front());
        const ValueId v = op.results[0];
        const bool named = !fn_.value(v).name.empty() || !texts_[v.index].empty();
        if (named && from.name.empty() && from.op.valid() && fn_.op(from.op).kind != OpKind::constant)
            texts_[op.operands.front().index] = text_of(v);
    }
}

bool FunctionBounds::moves(OpKind kind) {
    switch (kind) {
        case OpKind::expand:
        case OpKind::transpose:
        case OpKind::reshape:
        case OpKind::slice:
        case OpKind::flip:
        case OpKind::full:
        case OpKind::stop:
        case OpKind::cast:
        case OpKind::shuffle:
        case OpKind::broadcast:
        case OpKind::vector_extract:
        case OpKind::gather_axis:
            return true;
        default:
            return false;
    }
}

const std::string& FunctionBounds::text_of(ValueId v) {
    std::string& text = texts_[v.index];
    if (text.empty()) text = made_text(v);
    return text;
}

std::string FunctionBounds::part_text(ValueId v) {
    const std::string& text = text_of(v);
    const bool whole = text.find(' ') == std::string::npos || (text.ends_with(')') && text.find('(') < text.find(' '));
    return whole ? text : "(" + text + ")";
}

std::string FunctionBounds::made_text(ValueId v) {
    const Value& value = fn_.value(v);
    if (!value.name.empty()) return names_.of(v).substr(1);
    if (!value.op.valid()) return names_.of(v);
    const Op& op = fn_.op(value.op);
    const ValueSpan given = op.operands;
    std::string text;
    switch (op.kind) {
        case OpKind::constant:
            return constant_text(op.attrs);
        case OpKind::dim:
            return DimOp(fn_, op).dim().text();
        case OpKind::add:
            text = text_of(given[0]) + " + " + text_of(given[1]);
            break;
        case OpKind::sub:
            text = text_of(given[0]) + " - " + part_text(given[1]);
            break;
        case OpKind::mul:
            text = part_text(given[0]) + " * " + part_text(given[1]);
            break;
        case OpKind::div:
            text = part_text(given[0]) + " / " + part_text(given[1]);
            break;
        case OpKind::fma:
            text = fmt::format("{} * {} + {}", part_text(given[0]), part_text(given[1]), text_of(given[2]));
            break;
        case OpKind::contract:
            text = product_text(ContractOp(fn_, op), part_text(given[0]), part_text(given[1]));
            break;
        case OpKind::reduce:
        case OpKind::scan:
        case OpKind::group_reduce: {
            const auto what = static_cast<ReduceOp>(op.attrs.integer(Attr::op));
            const std::string_view called = what == ReduceOp::add ? "sum" : name(what);
            text = fmt::format("{}({})", called, text_of(given[0]));
            break;
        }
        case OpKind::read:
        case OpKind::read_vector:
        case OpKind::load_tile:
            return text_of(given[0]);
        default:
            if (moves(op.kind)) return text_of(given[0]);
            if (is_element(op.kind) && op.operands.size() == 1)
                text = fmt::format("{}({})", name(op.kind), text_of(given[0]));
    }
    if (!text.empty() && text.size() <= kLongestText) return text;
    tell_where(v);
    return names_.of(v);
}

void FunctionBounds::tell_where(ValueId v) {
    const OpId op = fn_.value(v).op;
    if (!op.valid()) {
        where_.insert(names_.of(v) + " is what a loop carries");
        return;
    }
    where_.insert(fmt::format("{} is what `{}` of {} gives", names_.of(v), name(fn_.op(op).kind), line_of(op)));
}

std::string FunctionBounds::product_text(const ContractOp& product, const std::string& a, const std::string& b) {
    const bool matrices = ContractOp::multiplies_matrices(product.letters());
    return matrices ? a + " @ " + b : fmt::format("contract({}, {})", a, b);
}

std::string FunctionBounds::called(OpId id) const {
    const PlaceId place = fn_.op(id).place;
    const Span at = place.valid() ? users_span(fn_.place_of(place), &sources_) : Span{};
    std::string_view text = at.valid() ? sources_.text(at) : "";
    text = text.substr(0, text.find('('));
    if (!text.empty() && text.find_first_of(" \n+-*/@=,") == std::string_view::npos) return std::string(text);
    const std::string& callee = fn_.op(id).attrs.string(Attr::callee);
    return callee.find('.') == std::string::npos ? callee : name_in_file(callee);
}

}  // namespace tsr::ir
