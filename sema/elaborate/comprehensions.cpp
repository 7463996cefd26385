#include "sema/elaborate/comprehensions.h"

#include "sema/elaborate/arithmetic.h"
#include "sema/elaborate/choices.h"
#include "sema/elaborate/containers.h"
#include "sema/elaborate/effects.h"
#include "sema/elaborate/host.h"
#include "sema/elaborate/loops.h"
#include "sema/elaborate/recursion.h"
#include "sema/elaborate/types.h"

namespace tsr::elaborate {

namespace {

using Clause = ast::Comprehension::Clause;
using ir::OpKind;
using ir::ValueId;

// Runs `body` where all conditions of the clause hold.
void where_all_hold(Body& b, const Clause& clause, size_t which, const std::function<void()>& body) {
    if (which == clause.conditions.size()) return body();
    const Val holds = elaborate::condition(b, *clause.conditions[which]);
    if (holds.is_fixed_bool(false)) return;
    if (holds.is_fixed_bool(true)) return where_all_hold(b, clause, which + 1, body);
    Body::OpenIf open = b.open_if(holds.id);
    b.in_side(open, 0, [&] { where_all_hold(b, clause, which + 1, body); });
    b.close_if(open);
}

Val growing(Body& b, const ast::Expr& e, const ast::Comprehension& node, const std::vector<sema::ForInfo>& infos) {
    const sema::Type& type = b.info(e).type;
    const ir::ValueId made = empty_container(b, ir_type(type), 0);
    const std::function<void(size_t)> clause = [&](size_t k) {
        if (k < infos.size()) {
            return for_each_round(b, e, infos[k], {},
                                  [&](LoopFlags) { where_all_hold(b, node.clauses[k], 0, [&] { clause(k + 1); }); });
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
    if (const sema::Type& type = b.info(e).type; type.is_keyed_dict()) {
        Val items = Val::tuple({});
        for_each_round(b, e, found->second[0], {}, [&](LoopFlags) {
            const Val item = b.rounded(expression(b, *node.value));
            items.parts.push_back(b.coerce(item, type.parts()[items.parts.size()]));
        });
        return record_of(b, std::move(items), type);
    }
    if (b.rules().host_objects) return growing(b, e, node, found->second);
    const std::string path = b.site_path;
    int64_t round = 0;
    for_each_round(b, e, found->second[0], {}, [&](LoopFlags) {
        b.site_path = path + "#" + std::to_string(round++);
        for (const ast::Expr* condition : node.clauses[0].conditions) {
            if (elaborate::condition(b, *condition).is_fixed_bool(false)) return;
        }
        list.parts.push_back(expression(b, *node.element));
    });
    b.site_path = path;
    return list;
}

namespace {

// What a reduction holds between the items of a generator.
struct Reduced {
    Body& b;
    sema::Builtin function;
    DType type;
    DType compute;  // what it accumulates in
    Slot held;
    Slot some;  // whether there was an item yet

    [[nodiscard]] bool is_truth() const { return function == sema::Builtin::any || function == sema::Builtin::all; }
    [[nodiscard]] bool is_extreme() const { return function == sema::Builtin::min || function == sema::Builtin::max; }
    void begin() {
        const int64_t first = function == sema::Builtin::all ? 1 : 0;
        b.set(held, Val::ssa(b.emit.constant(first, compute), type));
        b.set(some, Val::ssa(b.emit.constant(int64_t{0}, DType::boolean), DType::boolean));
    }
    void add(const ast::Expr& element) {
        if (is_truth()) {  // the items before did not decide
            const Val item = condition(b, element);
            return b.set(held, Val::ssa(b.truth(item), DType::boolean));
        }
        const ValueId before = b.get(held).id;
        const ValueId item = b.scalar(b.rounded(expression(b, element)), compute);
        ValueId next;
        if (is_extreme()) {
            const OpKind op = function == sema::Builtin::min ? OpKind::minimum : OpKind::maximum;
            const ValueId both = b.emit.inferred(op, {before, item});
            next = b.emit.inferred(OpKind::select, {b.get(some).id, both, item});
            b.set(some, Val::ssa(b.emit.constant(int64_t{1}, DType::boolean), DType::boolean));
        } else {
            next = b.emit.inferred(OpKind::add, {before, item});
        }
        b.set(held, Val::ssa(next, type));
    }
    // `any` goes on until an item holds, `all` until one does not.
    Val goes_on() {
        const ValueId holds = b.get(held).id;
        if (function == sema::Builtin::all) return Val::ssa(holds, DType::boolean);
        return Val::ssa(b.emit.inferred(OpKind::bit_not, {holds}), DType::boolean);
    }
    Val end() {
        if (is_extreme()) {
            const std::string name = function == sema::Builtin::min ? "min" : "max";
            Body::OpenIf open = b.open_if(b.get(some).id);
            b.in_side(open, 1, [&] { host_effect(b, "fail", {}, {{ir::Attr::text, name + " of no items"}}); });
            b.close_if(open);
        }
        const Val result = b.get(held);
        b.env.erase(held);
        b.env.erase(some);
        return result;
    }
};

}  // namespace

Val generator_reduction(Body& b, const ast::Expr& e, sema::Builtin function, const ast::Expr& generator) {
    const auto& node = std::get<ast::Comprehension>(generator.node);
    const std::vector<sema::ForInfo>& infos = b.instance().comprehensions.at(generator.id);
    Reduced reduced{b, function, b.info(e).type.elem(), compute_of(b, e), b.fresh_slot(), b.fresh_slot()};
    reduced.begin();
    LoopEffects effects;
    effects.assigned = {reduced.held, reduced.some};
    effects.leaves = reduced.is_truth();
    add_given_locals(b, generator.span, effects);
    const std::function<void(size_t)> clause = [&](size_t k) {
        if (k == infos.size()) return reduced.add(*node.element);
        for_each_round(b, generator, infos[k], effects, [&](LoopFlags flags) {
            where_all_hold(b, node.clauses[k], 0, [&] { clause(k + 1); });
            if (reduced.is_truth()) b.set(flags.loop_live, reduced.goes_on());
        });
    };
    clause(0);
    return reduced.end();
}

}  // namespace tsr::elaborate
