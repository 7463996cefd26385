#include "sema/statements/narrow_sums.h"

#include <fmt/format.h>

#include "sema/types/elements.h"

namespace tsr::sema {

const ast::Expr* added_to(const ast::Expr& target, const ast::Expr& value) {
    const auto* sum = std::get_if<ast::Binary>(&value.node);
    const auto* n = std::get_if<ast::Name>(&target.node);
    const auto names = [&](const ast::Expr& e) {
        const auto* read = std::get_if<ast::Name>(&e.node);
        return read && read->text == n->text;
    };
    if (!sum || !n) return nullptr;
    if (names(*sum->lhs)) return sum->rhs;
    return sum->op == ast::BinaryOp::add && names(*sum->rhs) ? sum->lhs : nullptr;
}

// `stmt` assigns the sum of the target and another value.
void warn_of_narrow_sum(Body& b, const ast::Stmt& stmt, const ast::Expr& target, ast::BinaryOp op, const Type& sum,
                        const ast::Expr& added) {
    const auto* n = std::get_if<ast::Name>(&target.node);
    const Slot* slot = n ? b.find_slot(n->text) : nullptr;
    if (!slot || b.loops.empty() || (op != ast::BinaryOp::add && op != ast::BinaryOp::sub)) return;
    if (sum.is_literal() || (!has_floats(sum) && !has_integers(sum)) || bits(sum.elem()) > 16) return;
    // What is set anew in each round is no sum of many values.
    if (slot->first_at.begin >= b.loops.back().stmt->span.begin) return;
    const std::string_view elem = tsr::name(sum.elem());
    if (has_floats(sum)) {
        b.warning("W0101", stmt.span,
                  fmt::format("`{}` is summed as `{}` in a loop: it is rounded in every round", slot->name, elem))
            .note(fmt::format("sum in f32: `{} = cast(0.0, f32)` before the loop", slot->name));
        return;
    }
    const ExprInfo& term = b.instance.info(added);
    if (term.value || term.by_round()) return;  // a count
    b.warning("W0101", stmt.span, fmt::format("`{}` is summed as `{}` in a loop: it wraps around", slot->name, elem))
        .note(fmt::format("sum in i32: `{} = cast(0, i32)` before the loop, and `cast(…, i32)` of what is added",
                          slot->name));
}

}  // namespace tsr::sema
