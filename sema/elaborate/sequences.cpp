#include "sema/elaborate/sequences.h"

#include "ir/passes/host/entries.h"
#include "sema/elaborate/arguments.h"
#include "sema/elaborate/arithmetic.h"
#include "sema/elaborate/complex_values.h"
#include "sema/elaborate/containers.h"
#include "sema/elaborate/host.h"
#include "sema/elaborate/memory.h"
#include "sema/elaborate/recursion.h"
#include "sema/elaborate/types.h"
#include "sema/types/containers.h"
#include "sema/types/elements.h"
#include "sema/types/numeric.h"

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
    return argument(b, info, at) ? b.coerce(argument_value(b, info, at), DType::index) : Val::index(otherwise);
}

Sequence range_sequence(Body& b, const CallInfo& info) {
    const bool one = !argument(b, info, 1);
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
    for (const ast::ExprId part : info.rest) {
        all.push_back(sequence_of(b, *b.expr(part)));
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
    const Sequence inner = sequence_of(b, *argument(b, info, 0));
    const Val first = index_argument(b, info, 1, 0);
    return {
        inner.length,
        [&b, inner, first](const Val& position) { return Val::tuple({plus(b, first, position), inner.at(position)}); },
        inner.length_now};
}

Sequence reverse(Body& b, const CallInfo& info) {
    const Sequence inner = sequence_of(b, *argument(b, info, 0));
    const Val last = minus(b, inner.length, Val::index(1));
    return {inner.length, [&b, inner, last](const Val& position) { return inner.at(minus(b, last, position)); }};
}

// The elements of a tensor of rank 1, else its rows: views.
Sequence rows(Body& b, const Val& tensor, const sema::Type& type) {
    const ValueId length = b.emit.inferred(OpKind::shape_of, {tensor.id}, {{Attr::axis, int64_t{0}}});
    if (type.rank() == 1) {
        return {Val::ssa(length, DType::index), [&b, tensor, complex = sema::is_complex(type)](const Val& position) {
                    return complex ? read_complex(b, tensor, {position}) : read_element(b, tensor, {position});
                }};
    }
    std::vector<ir::Dim> shape = type.tensor().shape;
    shape.erase(shape.begin());
    const ir::Type row = ir_type(type.with_shape(std::move(shape)));
    return {Val::ssa(length, DType::index), [&b, tensor, row](const Val& position) {
                return Val::ssa(host(b, "view", {tensor.id, b.index(position)}, row,
                                     {{Attr::codes, std::vector<int64_t>{ir::index_integer}}}));
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
        if (type.is(Kind::tuple))
            held = sema::Type::list(sema::common_item(type.parts()).value_or(sema::Type::unknown()), std::nullopt);
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

bool is_sequence(Body& b, const ast::Expr& e) {
    if (!b.rules().host_objects) return false;
    const CallInfo* call = builtin_call(b, e);
    const sema::Type& type = b.info(e).type;
    return (call && makes_sequence(call->builtin)) || type.is(Kind::dict) || type.is(Kind::string) ||
           type.is(Kind::tensor);
}

}  // namespace tsr::elaborate
