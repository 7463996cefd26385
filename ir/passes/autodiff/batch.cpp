#include "ir/passes/autodiff/batch.h"

#include <algorithm>

#include <fmt/format.h>

#include "ir/core/internal.h"
#include "ir/ops/bound_dim.h"
#include "ir/ops/control.h"
#include "ir/ops/effects.h"
#include "ir/ops/graph.h"
#include "ir/passes/autodiff/batching.h"
#include "ir/passes/autodiff/control.h"

namespace tsr::ir::autodiff {

namespace {

// An `index` is held as i64 where each example has its own.
DType held(DType type) { return type == DType::index ? DType::i64 : type; }

bool is_tensor(const Type& type) { return type.kind == TypeKind::tensor; }

// The axes 1 … of what has an axis of examples first.
std::vector<int64_t> own_axes(size_t rank) {
    std::vector<int64_t> axes(rank);
    for (size_t i = 0; i < rank; ++i) axes[i] = static_cast<int64_t>(i) + 1;
    return axes;
}

Attrs in_order() { return {{Attr::loop, static_cast<int64_t>(LoopKind::in_order)}}; }

}  // namespace

std::vector<Dim> Batching::with_examples(const std::vector<Dim>& shape) const {
    std::vector<Dim> all{examples_};
    all.insert(all.end(), shape.begin(), shape.end());
    return all;
}

Type Batching::with_examples(const Type& type) const {
    return Type::tensor(held(type.elem), with_examples(type.shape), false, type.policy);
}

ValueId Batching::spread(Builder& at, ValueId value) {
    const ValueId made = of(value);
    if (varies(value)) return made;
    const Type type = to_.type(made);
    const ValueId elements = at.cast(made, held(type.elem));
    const Attrs shape{{Attr::shape, with_examples(type.shape)}};
    if (!is_tensor(type)) return at.value(OpKind::full, {elements}, shape);
    return at.value(OpKind::expand, {elements},
                    {{Attr::shape, with_examples(type.shape)}, {Attr::axes, own_axes(type.rank())}});
}

ValueId Batching::each(Builder& at, ValueId value, const std::vector<Dim>& shape) {
    if (shape.empty()) return value;
    return at.value(OpKind::expand, {value},
                    {{Attr::shape, with_examples(shape)}, {Attr::axes, std::vector<int64_t>{0}}});
}

Values Batching::region(Builder& at, RegionId id) {
    std::vector<OpId> ops = from_.region(id).ops;
    ops.pop_back();  // the yield
    for (const OpId op : ops) operation(at, op);
    Values yields;
    for (const ValueId value : yielded(from_, id)) yields.push_back(of(value));
    return yields;
}

// What is yielded for results: repeated where the result varies.
Values Batching::yields_of(Builder& at, RegionId id, ValueSpan results) {
    region(at, id);
    Values given;
    const Values yields(yielded(from_, id).begin(), yielded(from_, id).end());
    for (size_t i = 0; i < results.size(); ++i)
        given.push_back(varies(results[i]) ? spread(at, yields[i]) : of(yields[i]));
    return given;
}

void Batching::operation(Builder& at, OpId id) {
    const Op& op = from_.op(id);
    at.set_place(op.place);
    if (!varying_.touches(id)) {
        Cloner(from_, to_, values_).copy(at, id);
        return;
    }
    if (CustomCallOp::is_stored(op)) return stored(at, id);
    switch (op.kind) {
        case OpKind::if_:
            return branch(at, id);
        case OpKind::for_:
        case OpKind::while_:
            return varying_.steers(id) ? one_by_one(at, id) : loop(at, id);
        case OpKind::dim:
            return bind(at, id);
        case OpKind::constant:
        case OpKind::yield:
        case OpKind::call:
        case OpKind::launch:
        case OpKind::print:
        case OpKind::assert_:
            return one_by_one(at, id);
        default:
            break;
    }
    if (is_element(op.kind)) return element(at, id);
    const BatchRule rule = batch_rule(op.kind);
    const std::optional<ValueId> made = rule ? rule(*this, at, id) : std::nullopt;
    if (!made) return one_by_one(at, id);
    set(op.results[0], *made);
}

// The cotangents of all examples are stored alike.
void Batching::stored(Builder& at, OpId id) {
    const CustomCallOp call(from_, id);
    const ValueId value = of(call.value());
    const OpId made = at.emit(OpKind::call, {value, of(call.scale())}, from_.op(id).attrs, {to_.type(value)});
    set(call.results()[0], to_.op(made).results[0]);
}

// All examples have room for what the greatest takes.
void Batching::bind(Builder& at, OpId id) {
    const ValueId values = of(BoundDimOp(from_, id).value());
    const ValueId greatest =
        at.value(OpKind::reduce, {values}, {{Attr::axis, int64_t{0}}, {Attr::op, static_cast<int64_t>(ReduceOp::max)}});
    const ValueId room = at.maximum(at.cast(greatest, DType::index), at.index(0));
    at.emit(OpKind::dim, {room}, from_.op(id).attrs);
    set(from_.op(id).results[0], values);
}

void Batching::element(Builder& at, OpId id) {
    const Op& op = from_.op(id);
    Values operands;
    for (const ValueId operand : op.operands) operands.push_back(spread(at, operand));
    // A scalar condition of tensors holds for all elements of an example.
    const std::vector<Dim>& shape = from_.type(op.results[0]).shape;
    for (size_t i = 0; i < operands.size(); ++i) {
        if (from_.type(op.operands[i]).shape.empty()) operands[i] = each(at, operands[i], shape);
    }
    Attrs attrs = op.attrs;
    if (attrs.has(Attr::type)) attrs.set(Attr::type, held(attrs.dtype(Attr::type)));
    const OpId made = at.emit(op.kind, std::move(operands), std::move(attrs));
    for (size_t i = 0; i < op.results.size(); ++i) set(op.results[i], to_.op(made).results[i]);
}

void Batching::branch(Builder& at, OpId id) {
    const IfOp one(from_, id);
    if (varies(one.condition())) {
        const bool pure = touches(from_, one.then()).pure() && touches(from_, one.otherwise()).pure();
        return pure ? both_sides(at, id) : one_by_one(at, id);
    }
    const Values results(one.results().begin(), one.results().end());
    const RegionId then = one.then(), otherwise = one.otherwise();
    const OpId made = at.if_(
        of(one.condition()), [&](Builder& in) { return yields_of(in, then, results); },
        [&](Builder& in) { return yields_of(in, otherwise, results); });
    for (size_t i = 0; i < results.size(); ++i) set(results[i], to_.op(made).results[i]);
}

// Each example takes what its side gives.
void Batching::both_sides(Builder& at, OpId id) {
    const IfOp one(from_, id);
    const Values results(one.results().begin(), one.results().end());
    const ValueId condition = of(one.condition());
    const Values then = yields_of(at, one.then(), results), otherwise = yields_of(at, one.otherwise(), results);
    for (size_t i = 0; i < results.size(); ++i) {
        const ValueId choice = each(at, condition, from_.type(results[i]).shape);
        set(results[i], at.select(choice, then[i], otherwise[i]));
    }
}

// All examples go through the rounds together.
void Batching::loop(Builder& at, OpId id) {
    const Op& op = from_.op(id);
    const auto list = [](ValueSpan values) { return Values(values.begin(), values.end()); };
    const bool counted = op.kind == OpKind::for_;
    const Values inits = list(counted ? ForOp(from_, id).inits() : WhileOp(from_, id).inits());
    const Values carried = list(counted ? ForOp(from_, id).carried() : WhileOp(from_, id).carried());
    Values initial;
    for (size_t i = 0; i < inits.size(); ++i)
        initial.push_back(varies(carried[i]) ? spread(at, inits[i]) : of(inits[i]));
    const auto enter = [&](const Values& names, const Values& now) {
        for (size_t i = 0; i < names.size(); ++i) set(names[i], now[i]);
    };
    OpId made;
    if (counted) {
        const ForOp one(from_, id);
        made = at.for_(of(one.lower()), of(one.upper()), of(one.step()), initial, op.attrs,
                       [&](Builder& in, ValueId round, const Values& now) {
                           set(one.iv(), round);
                           enter(carried, now);
                           return yields_of(in, one.body(), carried);
                       });
    } else {
        const WhileOp one(from_, id);
        made = at.while_(
            initial,
            [&](Builder& in, const Values& now) {
                enter(list(one.tested()), now);
                return region(in, one.test())[0];
            },
            [&](Builder& in, const Values& now) {
                enter(carried, now);
                return yields_of(in, one.body(), carried);
            },
            op.attrs);
    }
    for (size_t i = 0; i < op.results.size(); ++i) set(op.results[i], to_.op(made).results[i]);
}

// For one example after the other.
void Batching::one_by_one(Builder& at, OpId id) {
    const Op& op = from_.op(id);
    std::vector<ValueId> varying;
    for (const ValueId value : taken_values(from_, id)) {
        if (varies(value)) varying.push_back(value);
    }
    // Types are those of one example; extents of the function are those of the batched one.
    std::vector<Stack> stacks;
    Values empty;
    for (const ValueId result : op.results) {
        stacks.emplace_back(at, from_.type(result), examples_);
        empty.push_back(stacks.back().empty());
    }
    const OpId made = at.for_(at.index(0), at.dim(examples_), at.index(1), empty, in_order(),
                              [&](Builder& in, ValueId example, const Values& now) {
                                  ValueMap inner = values_;
                                  for (const ValueId value : varying) {
                                      inner[value] = Stack(from_.type(value)).get(in, of(value), example);
                                  }
                                  in.set_place(op.place);
                                  Cloner(from_, to_, inner).copy(in, id);
                                  Values next;
                                  for (size_t i = 0; i < op.results.size(); ++i)
                                      next.push_back(stacks[i].put(in, now[i], example, inner.at(op.results[i])));
                                  return next;
                              });
    for (size_t i = 0; i < op.results.size(); ++i) set(op.results[i], to_.op(made).results[i]);
}

namespace {

std::string free_symbol(const Function& of) {
    std::string name = "examples";
    for (int i = 1; std::ranges::find(of.symbols, name) != of.symbols.end(); ++i) name = fmt::format("examples_{}", i);
    return name;
}

}  // namespace

Function batched_function(const Function& of, const std::vector<bool>& batched, const std::vector<bool>& wanted) {
    const Varying varying(of, batched);
    Function made;
    made.name = of.name;
    made.level = of.level;
    made.share_places(of);
    made.place = of.place;
    made.symbols = of.symbols;
    made.symbols.push_back(free_symbol(of));
    Batching batch(of, made, Dim::symbol(made.symbols.back()), varying);
    for (size_t i = 0; i < batched.size(); ++i) {
        const ValueId param = of.params()[i];
        const Type& type = of.type(param);
        const ValueId argument =
            made.add_arg(made.body, batched[i] ? batch.with_examples(type) : type, of.value(param).name);
        made.value(argument).role = of.value(param).role;
        batch.set(param, argument);
    }
    Builder at = Builder::at_end(made, made.body);
    batch.region(at, of.body);
    Values given;
    const ValueSpan results = yielded(of, of.body);
    for (size_t i = 0; i < results.size(); ++i) {
        if (!wanted[i] && batch.varies(results[i])) internal_error(of.name + ": a result varies that must not");
        given.push_back(wanted[i] ? batch.spread(at, results[i]) : batch.of(results[i]));
        made.results.push_back(made.type(given.back()));
    }
    at.yield(std::move(given));
    return made;
}

}  // namespace tsr::ir::autodiff
