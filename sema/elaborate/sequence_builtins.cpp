// enumerate, zip, reversed, sorted and list as lists; reductions.
#include "sema/elaborate/arguments.h"
#include "sema/elaborate/arithmetic.h"
#include "sema/elaborate/assignments.h"
#include "sema/elaborate/builtins.h"
#include "sema/elaborate/comprehensions.h"
#include "sema/elaborate/containers.h"
#include "sema/elaborate/effects.h"
#include "sema/elaborate/host.h"
#include "sema/elaborate/loops.h"
#include "sema/elaborate/recursion.h"
#include "sema/elaborate/sequences.h"
#include "sema/elaborate/shape_checks.h"
#include "sema/elaborate/types.h"

namespace tsr::elaborate {

using ir::Attr;
using ir::OpKind;
using ir::ValueId;
using sema::Builtin;
using sema::CallInfo;

// sum, any, all, min, max of a sequence, item by item from the first.
Val reduction(Body& b, const ast::Expr& e, Builtin function, const ast::Expr& iterable) {
    const auto* generator = std::get_if<ast::Comprehension>(&iterable.node);
    if (generator && generator->generator) return generator_reduction(b, e, function, iterable);
    const DType type = b.info(e).type.elem();
    const DType compute = compute_of(b, e);
    const Sequence items = sequence_of(b, iterable);
    const bool extreme = function == Builtin::min || function == Builtin::max;
    const Slot held = b.fresh_slot();
    Val from = Val::index(0);
    if (extreme) {
        const ValueId some =
            b.emit.inferred(OpKind::gt, {b.index(items.length), b.emit.constant(int64_t{0}, DType::index)});
        Body::OpenIf open = b.open_if(some);
        b.in_side(open, 1, [&] {
            const std::string name = function == Builtin::min ? "min" : "max";
            host_effect(b, "fail", {}, {{Attr::text, name + " of no items"}});
        });
        b.close_if(open);
        b.set(held, Val::ssa(b.scalar(items.at(from), compute), type));
    } else {
        b.set(held, Val::ssa(b.emit.constant(int64_t{function == Builtin::all}, compute), type));
    }
    const OpKind op = function == Builtin::sum   ? OpKind::add
                      : function == Builtin::any ? OpKind::bit_or
                      : function == Builtin::all ? OpKind::bit_and
                      : function == Builtin::min ? OpKind::minimum
                                                 : OpKind::maximum;
    LoopEffects effects;
    effects.assigned.insert(held);
    for_each_position(b, e.span, items.length, std::move(effects), [&](const Val& position) {
        const Val found = items.at(position);
        const ValueId item = type == DType::boolean ? b.truth(found) : b.scalar(found, compute);
        b.set(held, Val::ssa(b.emit.inferred(op, {b.scalar(b.get(held), compute), item}), type));
    });
    const Val result = b.get(held);
    b.env.erase(held);
    return result;
}

namespace {

OpKind operation_on_items(Builtin function) {
    if (function == Builtin::any) return OpKind::bit_or;
    if (function == Builtin::all) return OpKind::bit_and;
    return function == Builtin::min ? OpKind::minimum : OpKind::maximum;
}

// An item in the shape of those before it: extents that were not compared are when the graph runs.
Val in_shape_of(Body& b, const Val& item, const Val& before) {
    if (!item.is_ssa() || b.type_of(item.id).kind != ir::TypeKind::tensor || b.failed) return item;
    const ir::Type wanted = b.type_of(before.id), found = b.type_of(item.id);
    if (wanted.shape == found.shape) return item;
    for (size_t axis = 0; axis < wanted.shape.size(); ++axis) {
        if (ir::compare(found.shape[axis], wanted.shape[axis]) == ir::Equality::equal) continue;
        const ValueId here = b.index(b.function_dimension(found.shape[axis]));
        const ValueId there = b.index(b.function_dimension(wanted.shape[axis]));
        require_in_graph(b, b.emit.inferred(OpKind::eq, {here, there}), {here, there},
                         "the items have {} and {} elements along axis " + std::to_string(axis));
    }
    return Val::ssa(b.emit.inferred(OpKind::reshape, {item.id}, {{Attr::shape, wanted.shape}}), item.type);
}

}  // namespace

Val reduction_of_items(Body& b, const ast::Expr& e, Builtin function, const ast::Expr& list) {
    const Val items = expression(b, list);
    const DType type = b.info(e).type.elem(), compute = compute_of(b, e);
    const At at(b.emit, e.span);
    Val total = items.element(0);
    for (size_t i = 1; i < items.element_count(); ++i) {
        const Val item = in_shape_of(b, items.element(i), total);
        total = function == Builtin::sum
                    ? arithmetic(b, ast::BinaryOp::add, total, item, compute, type)
                    : element_operation(b, operation_on_items(function), {total, item}, compute, type);
    }
    return total;
}

std::optional<Val> unrolled_sequence(Body& b, const CallInfo& info) {
    const bool zips = info.builtin == Builtin::zip;
    if (!zips && info.builtin != Builtin::enumerate && info.builtin != Builtin::reversed) return std::nullopt;
    std::vector<Val> given;
    if (!zips) given.push_back(argument_value(b, info, 0));
    for (const ast::ExprId part : info.rest) given.push_back(expression(b, *b.expr(part)));
    size_t count = given[0].element_count();
    for (const Val& one : given) count = std::min(count, one.element_count());
    Val items = Val::list({});
    for (size_t i = 0; i < count; ++i) {
        Val item = Val::tuple({});
        if (info.builtin == Builtin::enumerate) item.parts.push_back(Val::index(static_cast<int64_t>(i)));
        for (const Val& one : given)
            item.parts.push_back(one.element(info.builtin == Builtin::reversed ? count - 1 - i : i));
        items.parts.push_back(info.builtin == Builtin::reversed ? item.parts[0] : item);
    }
    return items;
}

namespace {

// The keys are made once, in the order of the items.
void sort(Body& b, ValueId list, const sema::Type& item, const ast::Expr* key, ValueId descending) {
    if (!key) return host_effect(b, "list_sort", {list, descending});
    const sema::SortKey& made = b.program.made.sort_keys.at(b.key(*key));
    const sema::Type keys_type = container_type(sema::Type::list(b.info(made.call).type, std::nullopt));
    const ValueId keys = empty_container(b, ir_type(keys_type), 0);
    for_each_position(b, key->span, Val::ssa(list_length(b, list), DType::index), {}, [&](const Val& position) {
        bind_target(b, *b.expr(made.item), list_element(b, list, position, item));
        append_to_list(b, keys, expression(b, *b.expr(made.call)), keys_type.parts()[0]);
        const auto* variable = std::get_if<sema::VariableId>(&b.info(made.item).referent);
        if (variable) b.env.erase(b.slot(*variable));
    });
    host_effect(b, "list_sort_by", {list, keys, descending});
}

}  // namespace

std::optional<Val> sequence_builtin(Body& b, const ast::Expr& e, const CallInfo& info) {
    const sema::Type& type = b.info(e).type;
    const auto descending = [&](size_t at) {
        return argument(b, info, at) ? b.index(Val::ssa(b.truth(argument_value(b, info, at)), DType::boolean))
                                     : b.emit.constant(int64_t{0}, DType::index);
    };
    switch (info.builtin) {
        case Builtin::sort_list: {
            const sema::Type& whole = b.info(*argument(b, info, 0)).type;
            const ValueId list = container(b, argument_value(b, info, 0), whole);
            sort(b, list, container_type(whole).parts()[0], argument(b, info, 1), descending(2));
            return Val::none();
        }
        case Builtin::sum:
        case Builtin::any:
        case Builtin::all:
            return reduction(b, e, info.builtin, *argument(b, info, 0));
        case Builtin::enumerate:
        case Builtin::zip:
        case Builtin::reversed:
        case Builtin::sorted:
        case Builtin::list_:
            break;
        default:
            return std::nullopt;
    }
    const bool through = info.builtin == Builtin::sorted || info.builtin == Builtin::list_;
    const Sequence items = through ? sequence_of(b, *argument(b, info, 0)) : sequence_of(b, e);
    const sema::Type held = container_type(type);
    const ValueId list = empty_container(b, ir_type(held), 0);
    for_each_position(b, e.span, items.length, {},
                      [&](const Val& position) { append_to_list(b, list, items.at(position), held.parts()[0]); });
    if (info.builtin == Builtin::sorted) sort(b, list, held.parts()[0], argument(b, info, 1), descending(2));
    return Val::ssa(list);
}

}  // namespace tsr::elaborate
