#include "sema/builtin_calls/einsum_calls.h"

#include <map>

#include <fmt/format.h>

#include "sema/builtin_calls/axis_calls.h"
#include "sema/expressions/tensor_products.h"
#include "sema/program/einsum.h"
#include "sema/state/recursion.h"
#include "sema/types/elements.h"
#include "sema/values/declared_values.h"
#include "sema/values/requirements.h"

namespace tsr::sema {

namespace {

struct Operand {
    const ast::Expr* at;
    Value value;
};

bool is_one(const ir::Dim& extent) { return extent == ir::Dim::constant(1); }

// The extent of each letter; one element is repeated where another tensor has more.
class LetterExtents {
public:
    LetterExtents(Body& b, const ast::Expr& e, const ast::Expr& text) : b_(b), e_(e), text_(text) {}

    bool add(const Operand& operand, const std::string& letters) {
        for (size_t axis = 0; axis < letters.size(); ++axis) {
            if (!add(operand, letters[axis], axis, letters.find(letters[axis]) != axis)) return false;
        }
        return true;
    }
    std::vector<ir::Dim> of(const std::string& letters) const {
        std::vector<ir::Dim> shape;
        for (char letter : letters) shape.push_back(known_.at(letter).extent);
        return shape;
    }
    void note_checks() {
        if (!checks_.empty()) b_.instance.extents[e_.id] = std::move(checks_);
    }

private:
    struct Known {
        ir::Dim extent;
        const Operand* from;
    };

    // `own`: the operand has the letter twice, and both axes are as long.
    bool add(const Operand& operand, char letter, size_t axis, bool own) {
        const ir::Dim extent = operand.value.type.shape()[axis];
        const auto [known, is_new] = known_.try_emplace(letter, Known{extent, &operand});
        const ir::Dim wanted = known->second.extent;
        const ir::Equality equal = ir::compare(wanted, extent);
        if (is_new || equal == ir::Equality::equal) return true;
        if (equal == ir::Equality::unknown) {
            checks_.push_back({0, axis, extent, wanted, wanted.text(), std::nullopt, {}});
            return true;
        }
        if (!own && is_one(extent)) return true;
        if (!own && is_one(wanted)) {
            known->second = {extent, &operand};
            return true;
        }
        const std::string name = letter >= '0' && letter <= '9' ? "an axis of `...`" : fmt::format("`{}`", letter);
        auto& d =
            b_.error("E0312", text_.span,
                     fmt::format("{} has {} and {} elements", name, readable(wanted.text()), readable(extent.text())));
        d.label(known->second.from->at->span, shown(known->second.from->value.type));
        if (known->second.from != &operand) d.label(operand.at->span, shown(operand.value.type));
        return false;
    }

    Body& b_;
    const ast::Expr& e_;
    const ast::Expr& text_;
    std::map<char, Known> known_;
    std::vector<DimCheck> checks_;
};

// The element type that all have; nothing after a message.
std::optional<Type> joined_elements(Body& b, const ast::Expr& e, const std::vector<Operand>& operands) {
    Value joined = operands.front().value;
    joined.type = element_type(joined.type);
    for (size_t i = 1; i < operands.size(); ++i) {
        Value other = operands[i].value;
        other.type = element_type(other.type);
        const auto both = factors_join(b, *operands[i - 1].at, joined, *operands[i].at, other, e.span, "`einsum`");
        if (!both) return std::nullopt;
        joined.type = *both;
    }
    return joined.type;
}

}  // namespace

Value einsum_call(Body& b, const ast::Expr& e, const BuiltinEntry& row, const Matched& m) {
    const ast::Expr& written = *m.arguments[0];
    const auto text = static_string(b, written, "the text of `einsum`");
    std::vector<Operand> operands;
    for (const ast::Expr* one : m.rest) operands.push_back({one, expression(b, *one)});
    std::vector<size_t> ranks;
    for (const Operand& operand : operands) {
        if (!require_tensor(b, *operand.at, row, operand.value)) return {};
        ranks.push_back(operand.value.type.rank());
    }
    if (!text) return {};
    if (operands.empty()) {
        b.error("E0302", e.span, "`einsum` takes one tensor at least");
        return {};
    }
    EinsumText read;
    if (const auto fault = read_einsum(*text, ranks, read)) {
        b.error("E0312", written.span, *fault);
        return {};
    }
    LetterExtents extents(b, e, written);
    for (size_t i = 0; i < operands.size(); ++i) {
        if (!extents.add(operands[i], read.operands[i])) return {};
    }
    const auto joined = joined_elements(b, e, operands);
    if (!joined) return {};
    const DType elem = joined->elem();
    const bool alone = operands.size() == 1;
    const bool sums = !alone || read.operands.front().find_first_not_of(read.result) != std::string::npos;
    if (sums && !is_float(elem) && !is_integer(elem))
        return b.refuse(Feature::graphs, e.span, fmt::format("`einsum` of {} is", name(elem)));
    extents.note_checks();
    Value result;
    result.compute = accumulation_type(elem, joined->policy());
    const DType given = sums ? accumulated_type(elem, joined->policy()) : elem;
    result.type = new_tensor(Type::scalar(given).carrying(joined->policy()), extents.of(read.result));
    if (sums) choose_declared(b, e, result);
    return result;
}

}  // namespace tsr::sema
