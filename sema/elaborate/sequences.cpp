// What is gone through by position: lists, and what enumerate, zip and reversed make of others without a list of it.
#include "ir/passes/host/entries.h"
#include "sema/containers.h"
#include "sema/elaborate/arithmetic.h"
#include "sema/elaborate/calls.h"
#include "sema/elaborate/containers.h"
#include "sema/elaborate/dimensions.h"
#include "sema/elaborate/expressions.h"
#include "sema/elaborate/host.h"
#include "sema/elaborate/memory.h"
#include "sema/elaborate/statements.h"
#include "sema/elaborate/types.h"
#include "sema/numeric.h"

namespace tsr::elaborate {

using ast::BinaryOp;
using ir::Attr;
using ir::OpKind;
using ir::ValueId;
using sema::Builtin;
using sema::CallInfo;
using sema::CallKind;
using sema::Kind;

namespace {

Val plus(Body& b, const Val& x, const Val& y) { return arithmetic(b, BinaryOp::add, x, y, DType::index, DType::index); }
Val minus(Body& b, const Val& x, const Val& y) {
    return arithmetic(b, BinaryOp::sub, x, y, DType::index, DType::index);
}
Val times(Body& b, const Val& x, const Val& y) {
    return arithmetic(b, BinaryOp::mul, x, y, DType::index, DType::index);
}

const CallInfo* builtin_call(Body& b, const ast::Expr& e) {
    const auto found = b.instance().calls.find(e.id);
    const bool builtin = found != b.instance().calls.end() && found->second.kind == CallKind::builtin;
    return builtin && std::holds_alternative<ast::Call>(e.node) ? &found->second : nullptr;
}

Val index_argument(Body& b, const CallInfo& info, size_t at, int64_t otherwise) {
    return argument(info, at) ? b.coerce(argument_value(b, info, at), DType::index) : Val::index(otherwise);
}

Sequence range_sequence(Body& b, const CallInfo& info) {
    const bool one = !argument(info, 1);
    const Val start = one ? Val::index(0) : index_argument(b, info, 0, 0);
    const Val stop = index_argument(b, info, one ? 0 : 1, 0);
    const Val step = index_argument(b, info, 2, 1);
    require_nonzero(b, step, DType::index, "the step of a loop is zero");
    // ceil(a / s) is -floor(-a / s), for either sign of s.
    const Val way = minus(b, start, stop);
    const Val down = arithmetic(b, BinaryOp::floordiv, way, step, DType::index, DType::index);
    const ValueId count = b.index(minus(b, Val::index(0), down));
    const ValueId length = b.emit.inferred(OpKind::maximum, {count, b.emit.constant(int64_t{0}, DType::index)});
    return {Val::ssa(length, DType::index),
            [&b, start, step](const Val& position) { return plus(b, start, times(b, position, step)); }};
}

Sequence zipped(Body& b, const CallInfo& info) {
    std::vector<Sequence> all;
    ValueId length;
    for (const ast::Expr* part : info.rest) {
        all.push_back(sequence_of(b, *part));
        const ValueId count = b.index(all.back().length);
        length = length.valid() ? b.emit.inferred(OpKind::minimum, {length, count}) : count;
    }
    return {Val::ssa(length, DType::index), [all](const Val& position) {
                Val tuple = Val::tuple({});
                for (const Sequence& one : all) tuple.parts.push_back(one.at(position));
                return tuple;
            }};
}

Sequence enumerated(Body& b, const CallInfo& info) {
    const Sequence inner = sequence_of(b, *argument(info, 0));
    const Val first = index_argument(b, info, 1, 0);
    return {
        inner.length,
        [&b, inner, first](const Val& position) { return Val::tuple({plus(b, first, position), inner.at(position)}); },
        inner.length_now};
}

Sequence reverse(Body& b, const CallInfo& info) {
    const Sequence inner = sequence_of(b, *argument(info, 0));
    const Val last = minus(b, inner.length, Val::index(1));
    return {inner.length, [&b, inner, last](const Val& position) { return inner.at(minus(b, last, position)); }};
}

// The elements of a tensor of rank 1, else its rows: views.
Sequence rows(Body& b, const Val& tensor, const sema::Type& type) {
    const ValueId length =
        b.emit.value(OpKind::shape_of, {tensor.id}, ir::Type::scalar(DType::index), {{Attr::axis, int64_t{0}}});
    if (type.rank() == 1) {
        return {Val::ssa(length, DType::index),
                [&b, tensor](const Val& position) { return read_element(b, tensor, {position}); }};
    }
    std::vector<ir::Dim> shape = type.tensor().shape;
    shape.erase(shape.begin());
    const ir::Type row = ir_type(type.with_shape(std::move(shape)));
    return {Val::ssa(length, DType::index), [&b, tensor, row](const Val& position) {
                return Val::ssa(host(b, "view", {tensor.id, b.index(position)}, row,
                                     {{Attr::axes, std::vector<int64_t>{ir::index_integer}}}));
            }};
}

bool makes_sequence(Builtin function) {
    return function == Builtin::range || function == Builtin::zip || function == Builtin::enumerate ||
           function == Builtin::reversed;
}

}  // namespace

Sequence sequence_of(Body& b, const Val& value, const sema::Type& type) {
    if (type.is(Kind::tensor)) return rows(b, value, type);
    ValueId list;
    sema::Type item = sema::Type::string();
    if (type.is(Kind::string)) {
        list = host(b, "string_characters", {b.handle(value, type)}, ir::Type::list(ir::Type::string()));
    } else if (type.is(Kind::dict)) {
        item = container_type(type).parts()[0];
        list = host(b, "dict_keys", {container(b, value, type)}, ir::Type::list(item_ir_type(item)));
    } else {
        sema::Type held = type;
        if (type.is(Kind::tuple)) {
            std::optional<sema::Type> joined;
            for (const sema::Type& part : type.parts()) joined = joined ? sema::join(*joined, part) : part;
            held = sema::Type::list(joined.value_or(sema::Type::unknown()), std::nullopt);
        }
        held = container_type(held);
        item = held.parts()[0];
        list = container(b, value, held);
    }
    Sequence items{Val::ssa(list_length(b, list), DType::index),
                   [&b, list, item](const Val& position) { return list_element(b, list, position, item); },
                   {}};
    if (type.is(Kind::list)) items.length_now = [&b, list] { return Val::ssa(list_length(b, list), DType::index); };
    return items;
}

Sequence sequence_of(Body& b, const ast::Expr& e) {
    if (const CallInfo* call = builtin_call(b, e)) {
        if (call->builtin == Builtin::range) return range_sequence(b, *call);
        if (call->builtin == Builtin::zip) return zipped(b, *call);
        if (call->builtin == Builtin::enumerate) return enumerated(b, *call);
        if (call->builtin == Builtin::reversed) return reverse(b, *call);
    }
    const Val value = expression(b, e);
    return sequence_of(b, value, b.info(e).type);
}

void bind_target(Body& b, const ast::Expr& target, const Val& element) {
    assign_to(b, target, element);
    const auto* tuple = std::get_if<ast::Tuple>(&target.node);
    if (!tuple) return bind_symbols_of(b, target, element);
    for (size_t i = 0; element.has_elements() && i < tuple->elements.size(); ++i) {
        if (std::holds_alternative<ast::Tuple>(tuple->elements[i]->node)) {
            bind_target(b, *tuple->elements[i], element.element(i));
        } else {
            bind_symbols_of(b, *tuple->elements[i], element.element(i));
        }
    }
}

bool is_sequence(Body& b, const ast::Expr& e) {
    if (b.in_kernel()) return false;
    const CallInfo* call = builtin_call(b, e);
    const sema::Type& type = b.info(e).type;
    return (call && makes_sequence(call->builtin)) || type.is(Kind::dict) || type.is(Kind::string) ||
           type.is(Kind::tensor);
}

// sum, any, all, min, max of a sequence, item by item from the first.
Val reduction(Body& b, const ast::Expr& e, Builtin function, const ast::Expr& iterable) {
    const auto* generator = std::get_if<ast::Comprehension>(&iterable.node);
    if (generator && generator->generator) return generator_reduction(b, e, function, iterable);
    const DType type = b.info(e).type.elem();
    const DType compute = computing(type);
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

// The keys are made once, in the order of the items.
void sort(Body& b, ValueId list, const sema::Type& item, const ast::Expr* key, ValueId descending) {
    if (!key) return host_effect(b, "list_sort", {list, descending});
    const sema::SortKey& made = b.program.sort_keys.at(key);
    const sema::Type keys_type = container_type(sema::Type::list(b.info(made.call).type, std::nullopt));
    const ValueId keys = empty_container(b, ir_type(keys_type), 0);
    for_each_position(b, key->span, Val::ssa(list_length(b, list), DType::index), {}, [&](const Val& position) {
        bind_target(b, made.item, list_element(b, list, position, item));
        append_to_list(b, keys, expression(b, made.call), keys_type.parts()[0]);
        const auto* variable = std::get_if<sema::VariableId>(&b.info(made.item).referent);
        if (variable) b.env.erase(b.slot(*variable));
    });
    host_effect(b, "list_sort_by", {list, keys, descending});
}

}  // namespace

std::optional<Val> sequence_builtin(Body& b, const ast::Expr& e, const CallInfo& info) {
    const sema::Type& type = b.info(e).type;
    const auto descending = [&](size_t at) {
        return argument(info, at) ? b.index(Val::ssa(b.truth(argument_value(b, info, at)), DType::boolean))
                                  : b.emit.constant(int64_t{0}, DType::index);
    };
    switch (info.builtin) {
        case Builtin::sort_list: {
            const sema::Type& whole = b.info(*argument(info, 0)).type;
            const ValueId list = container(b, argument_value(b, info, 0), whole);
            sort(b, list, container_type(whole).parts()[0], argument(info, 1), descending(2));
            return Val::none();
        }
        case Builtin::sum:
        case Builtin::any:
        case Builtin::all:
            return reduction(b, e, info.builtin, *argument(info, 0));
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
    const Sequence items = through ? sequence_of(b, *argument(info, 0)) : sequence_of(b, e);
    const sema::Type held = container_type(type);
    const ValueId list = empty_container(b, ir_type(held), 0);
    for_each_position(b, e.span, items.length, {},
                      [&](const Val& position) { append_to_list(b, list, items.at(position), held.parts()[0]); });
    if (info.builtin == Builtin::sorted) sort(b, list, held.parts()[0], argument(info, 1), descending(2));
    return Val::ssa(list);
}

}  // namespace tsr::elaborate
