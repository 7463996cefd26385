#include "sema/expressions/launchers.h"

#include <fmt/format.h>

#include "sema/state/recursion.h"
#include "sema/values/requirements.h"

namespace tsr::sema {

Value launch_groups(Body& b, const ast::Expr& e, const ast::Subscript& s, FunctionId kernel) {
    const Function& f = b.checker.program.function(kernel);
    std::vector<const ast::Expr*> groups = s.indices;
    if (groups.size() == 1 && std::holds_alternative<ast::Tuple>(groups[0]->node)) {
        expression(b, *groups[0]);
        groups = std::get<ast::Tuple>(groups[0]->node).elements;
    }
    if (f.refused != Feature::none) return {};
    if (!rules_of(f.kind).launched) {
        b.error("E0310", e.span,
                fmt::format("`{}` is not a kernel: only a launch names its groups in brackets", f.name));
        return {};
    }
    if (groups.empty() || groups.size() > 3) {
        b.error("E0408", e.span,
                fmt::format("a launch has one to three numbers of groups, here are {}", groups.size()));
        return {};
    }
    bool broken = false;
    for (const ast::Expr* group : groups) {
        Value v = expression(b, *group);
        require_integer(b, *group, v, "a number of groups");
        broken |= !v.type.is_integer();
    }
    if (broken) return {};
    Value value;
    value.type = Type::launcher(kernel, static_cast<int>(groups.size()));
    return value;
}

}  // namespace tsr::sema
