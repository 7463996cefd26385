// Comprehensions: on the host a container that grows in a loop, in kernels the elements by name.
#include "sema/elaborate/containers.h"
#include "sema/elaborate/expressions.h"
#include "sema/elaborate/host.h"
#include "sema/elaborate/statements.h"
#include "sema/elaborate/types.h"

namespace tsr::elaborate {

namespace {

using Clause = ast::Comprehension::Clause;

// Runs `body` where all conditions of the clause hold.
void where_all_hold(Body& b, const Clause& clause, size_t condition, const std::function<void()>& body) {
    if (condition == clause.conditions.size()) return body();
    const Val holds = expression(b, *clause.conditions[condition]);
    if (holds.is_fixed_bool(false)) return;
    if (holds.is_fixed_bool(true)) return where_all_hold(b, clause, condition + 1, body);
    Body::OpenIf open = b.open_if(b.truth(holds));
    b.in_side(open, 0, [&] { where_all_hold(b, clause, condition + 1, body); });
    b.close_if(open);
}

Val growing(Body& b, const ast::Expr& e, const ast::Comprehension& node, const std::vector<sema::ForInfo>& infos) {
    const sema::Type& type = b.info(e).type;
    const ir::ValueId made = empty_container(b, ir_type(type), 0);
    const std::function<void(size_t)> clause = [&](size_t k) {
        if (k < infos.size()) {
            return for_each_round(b, e, infos[k],
                                  [&] { where_all_hold(b, node.clauses[k], 0, [&] { clause(k + 1); }); });
        }
        const Val element = expression(b, *node.element);
        if (node.value) {
            set_item(b, made, type, element, expression(b, *node.value));
        } else {
            append_to_list(b, made, element, type.parts()[0]);
        }
    };
    clause(0);
    return Val::ssa(made);
}

}  // namespace

// In kernels each round's allocations are its own.
Val list_comprehension(Body& b, const ast::Expr& e, const ast::Comprehension& node) {
    Val list = Val::list({});
    const auto found = b.instance().comprehensions.find(e.id);
    if (found == b.instance().comprehensions.end()) return list;
    if (!b.in_kernel()) return growing(b, e, node, found->second);
    const std::string path = b.site_path;
    int64_t round = 0;
    for_each_round(b, e, found->second[0], [&] {
        b.site_path = path + "#" + std::to_string(round++);
        for (const ast::Expr* condition : node.clauses[0].conditions) {
            if (expression(b, *condition).is_fixed_bool(false)) return;
        }
        list.parts.push_back(expression(b, *node.element));
    });
    b.site_path = path;
    return list;
}

}  // namespace tsr::elaborate
