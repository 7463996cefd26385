#include "sema/elaborate/graph_expressions.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/numerics.h"
#include "sema/builtins/elementwise.h"
#include "sema/elaborate/arguments.h"
#include "sema/elaborate/complex_values.h"
#include "sema/elaborate/host.h"
#include "sema/elaborate/prune.h"
#include "sema/elaborate/random.h"
#include "sema/elaborate/recursion.h"
#include "sema/elaborate/shape_checks.h"
#include "sema/elaborate/types.h"
#include "sema/program/indexed.h"
#include "sema/program/reductions.h"
#include "sema/types/containers.h"
#include "sema/types/elements.h"

namespace tsr::elaborate {

using ir::Attr;
using ir::OpKind;
using ir::ValueId;
using sema::Builtin;
using sema::Kind;

namespace {

using Operands = std::vector<const ast::Expr*>;

Operands written_arguments(Body& b, const sema::CallInfo& info) {
    Operands all;
    for (const ast::ExprId argument : info.rest) all.push_back(b.expr(argument));
    for (const sema::PassedArgument& argument : info.arguments) {
        if (argument.expr.valid()) all.push_back(b.expr(argument.expr));
    }
    return all;
}

// What a movement gives the elements of in other places.
Operands moved_tensors(Body& b, const sema::CallInfo& info) {
    const ast::Expr* of = argument(b, info, 0);
    if (const auto* list = std::get_if<ast::List>(&of->node)) return list->elements;
    if (const auto* tuple = std::get_if<ast::Tuple>(&of->node)) return tuple->elements;
    return {of};
}

// Others are views on the host.
bool moves(const sema::CallInfo& info) {
    switch (info.builtin) {
        case Builtin::transpose:
        case Builtin::swapaxes:
        case Builtin::moveaxis:
        case Builtin::broadcast_to:
        case Builtin::flip:
        case Builtin::roll:
        case Builtin::repeat:
        case Builtin::concat:
        case Builtin::stack:
        case Builtin::pad:
            return true;
        default:
            return false;
    }
}

bool computes(const sema::CallInfo& info) {
    switch (info.builtin) {
        case Builtin::min:
        case Builtin::max:
        case Builtin::clip:
        case Builtin::where:
        case Builtin::einsum:
            return true;
        default:
            return sema::elementwise_operation(info.builtin) || sema::reduction_arguments(info).x.valid() ||
                   sema::is_indexed(info.builtin);
    }
}

// What an operator computes with; nothing of other expressions.
struct OperandsOf {
    Body& b;
    const ast::Expr& e;

    template <class Node>
    Operands operator()(const Node&) const {
        return {};
    }
    Operands operator()(const ast::Unary& node) const {
        return node.op == ast::UnaryOp::logical_not ? Operands{} : Operands{node.operand};
    }
    Operands operator()(const ast::Binary& node) const { return {node.lhs, node.rhs}; }
    Operands operator()(const ast::Compare& node) const {
        Operands all{node.first};
        for (const ast::Compare::Link& link : node.links) {
            if (link.op == ast::CompareOp::in || link.op == ast::CompareOp::not_in) return {};
            all.push_back(link.rhs);
        }
        return all;
    }
    Operands operator()(const ast::Attribute& node) const {
        return b.takes_operands() && node.name.text == "T" ? Operands{node.base} : Operands{};
    }
    Operands operator()(const ast::Subscript& node) const {
        return sema::is_rows_by_ids(b.instance(), e) ? Operands{node.base, node.indices[0]} : Operands{};
    }
    Operands operator()(const ast::Call&) const {
        const auto found = b.instance().calls.find(e.id);
        if (found == b.instance().calls.end()) return {};
        const sema::CallInfo& info = found->second;
        if (info.kind == sema::CallKind::function && b.program.is_operator(b.program.instance(info.callee)))
            return written_arguments(b, info);
        if (info.kind != sema::CallKind::builtin) return {};
        // The host converts tensors by itself.
        if (info.builtin == Builtin::cast)
            return b.takes_operands() || is_graph_operator(b, *argument(b, info, 0)) ? Operands{argument(b, info, 0)}
                                                                                     : Operands{};
        if (moves(info)) return moved_tensors(b, info);
        return computes(info) ? written_arguments(b, info) : Operands{};
    }
};

bool is_tensor(Body& b, const ast::Expr* e) { return b.info(*e).type.is(Kind::tensor); }

// The extents that operators of the tree want to be equal, when all that the tree takes is evaluated.
void check_extents(Body& graph, const ast::Expr& e) {
    if (!is_graph_operator(graph, e)) return;
    for (const ast::Expr* operand : std::visit(OperandsOf{graph, e}, e.node)) check_extents(graph, *operand);
    const auto found = graph.instance().extents.find(e.id);
    if (found == graph.instance().extents.end()) return;
    Body& host = graph.operands->host;
    const At at(host.emit, e.span);
    check_declared_shape(host, found->second);
}

void add_symbols(const std::vector<ir::Dim>& shape, std::vector<std::string>& symbols) {
    for (const ir::Dim& dim : shape) {
        for (const std::string& name : dim.symbols()) {
            if (std::ranges::find(symbols, name) == symbols.end()) symbols.push_back(name);
        }
    }
}

// Each symbol that the graph names, once.
std::vector<std::string> named_symbols(const ir::Function& graph) {
    std::vector<std::string> symbols;
    for (const ValueId param : graph.params()) add_symbols(graph.type(param).shape, symbols);
    for (size_t i = 0; i < graph.op_count(); ++i) {
        const ir::Op& op = graph.op(ir::OpId(i));
        if (!op.parent.valid()) continue;
        for (const ValueId result : op.results) add_symbols(graph.type(result).shape, symbols);
        if (op.kind == OpKind::dim) add_symbols({op.attrs.dim(Attr::dim)}, symbols);
    }
    return symbols;
}

// The shapes of parameters bind symbols that are an extent by themselves; others are parameters of their own.
void bind_symbols(Body& graph) {
    ir::Function& fn = graph.function();
    for (const ValueId param : fn.params()) {
        for (const ir::Dim& dim : fn.type(param).shape) {
            const auto name = dim.symbol_name();
            if (name && std::ranges::find(fn.symbols, *name) == fn.symbols.end()) fn.symbols.push_back(*name);
        }
    }
    Body& host = graph.operands->host;
    for (const std::string& name : named_symbols(fn)) {
        if (std::ranges::find(fn.symbols, name) != fn.symbols.end()) continue;
        const ValueId param = fn.add_arg(fn.body, ir::Type::scalar(DType::index), name);
        fn.value(param).role = {.kind = ir::ParamRole::Kind::dimension,
                                .number = static_cast<int64_t>(fn.symbols.size())};
        fn.symbols.push_back(name);
        graph.operands->arguments.push_back(host.index(host.dimension(ir::Dim::symbol(name))));
    }
}

// No function of the program has the name.
std::string graph_name(Body& b) {
    const auto taken = [&](const std::string& name) {
        return std::ranges::any_of(b.program.instances, [&](const sema::Instance& one) { return one.name == name; });
    };
    std::string name;
    do name = fmt::format("{}.graph.{}", b.function().name, b.graph_count++);
    while (taken(name));
    return name;
}

}  // namespace

// `.keys()`, `.values()` or `.items()` of a dictionary whose keys are in its type: the tuple that it is.
static const ast::Expr* parts_of_dict(Body& b, const ast::Expr& e) {
    const auto* call = std::get_if<ast::Call>(&e.node);
    const auto* callee = call ? std::get_if<ast::Attribute>(&call->callee->node) : nullptr;
    if (!callee || !b.info(*callee->base).type.is_keyed_dict()) return nullptr;
    const std::string form = sema::parts_form(b.info(*callee->base).type, callee->name.text);
    const auto made = b.program.made.tree_parts.find({b.key(*callee->base), form});
    return made == b.program.made.tree_parts.end() ? nullptr : b.expr(made->second);
}

const ast::Expr* library_call_of(Body& b, const ast::Expr& e) {
    if (const ast::Expr* parts = parts_of_dict(b, e)) return parts;
    const auto made = b.program.made.library_calls.find(b.key(e));
    if (made == b.program.made.library_calls.end()) return nullptr;
    const sema::Instance& of = b.instance();
    const auto call = std::ranges::find_if(made->second, [&](ast::ExprId id) {
        return std::holds_alternative<ast::Call>(b.expr(id)->node) ? of.calls.contains(id) : of.exprs.contains(id);
    });
    return call != made->second.end() ? b.expr(*call) : nullptr;
}

bool is_graph_operator(Body& b, const ast::Expr& e) {
    if (library_call_of(b, e) != nullptr) return false;
    return std::ranges::any_of(std::visit(OperandsOf{b, e}, e.node),
                               [&](const ast::Expr* operand) { return is_tensor(b, operand); });
}

static Val taken_operand(Body& b, Val value, const sema::Type& type) {
    if (sema::is_complex_number(type) && value.has_elements()) {
        for (Val& part : value.parts) part = taken_operand(b, part, parts_of_complex().parts()[0]);
        return value;
    }
    if (!value.is_ssa()) return value;
    Body& host = b.operands->host;
    const bool tensor = type.is(Kind::tensor) && type.rank() > 0;
    if (sema::is_complex_tensor(type) && !tensor)
        return taken_operand(b, number_of_tensor(host, value.id), sema::Type::scalar(DType::c64));
    if (type.is(Kind::tensor) && !tensor) {
        const ValueId element = elaborate::host(host, "item", {value.id}, ir::Type::scalar(type.elem()));
        value = Val::ssa(element, type.elem());
    }
    const auto [entry, fresh] = b.operands->taken.emplace(value.id, Val{});
    if (fresh) {
        const ir::Type taken =
            tensor ? paired(ir::Type::tensor(type.elem(), type.shape(), false, type.policy())) : host.type_of(value.id);
        const std::string name = host.function().value(value.id).name;
        entry->second = Val::ssa(b.function().add_arg(b.function().body, taken, name));
        b.operands->arguments.push_back(pairs_of(host, value.id));
    }
    Val parameter = entry->second;
    parameter.type = tensor ? type.elem() : value.type;
    parameter.round = value.round;
    return parameter;
}

Val graph_operand(Body& b, const ast::Expr& e) {
    return taken_operand(b, expression(b.operands->host, e), b.info(e).type);
}

Val graph_expression(Body& b, const ast::Expr& e, std::optional<Rounding> declared) {
    const sema::Type& type = b.info(e).type;
    ir::Function fn;
    fn.name = graph_name(b);
    fn.level = ir::Level::graph;
    fn.place = fn.add_place({e.span, {}});
    BufferSites buffers;
    GraphOperands operands{b, {}, {}};
    Body graph(b.program, b.diagnostics, fn, buffers);
    graph.kernels = b.kernels;
    graph.operands = &operands;
    graph.emit.at(e.span);
    graph.push_frame(b.instance(), {});
    Val result = expression(graph, e);
    check_extents(graph, e);
    // Elements stay as they are computed, for the expression that goes on with them.
    const bool tensor = type.is(Kind::tensor);
    result.round = declared ? declared : type.policy().round;
    const DType held = result.is_ssa() ? fn.type(result.id).elem : type.elem();
    // The host rounds by chance.
    const bool chance = tensor && result.round == Rounding::stochastic && unrounded_type(held, type.elem());
    const bool complex = sema::is_complex_tensor(type);
    const ValueId given = complex           ? result.id
                          : chance          ? graph.tile(result, held, type.shape())
                          : tensor          ? graph.tile(graph.rounded(result), type.elem(), type.shape())
                          : result.is_ssa() ? result.id
                                            : graph.handle(result, type);
    fn.results = {ir::Type(fn.type(given))};
    graph.emit.yield({given});
    prune(fn, {});
    bind_symbols(graph);
    const At at(b.emit, e.span);
    ir::Type made = tensor ? paired(ir_type(type)) : fn.results[0];
    made.elem = fn.results[0].elem;
    ValueId value = b.emit.given(OpKind::call, std::move(operands.arguments), made, {{Attr::callee, fn.name}});
    b.graphs->push_back(std::move(fn));
    if (chance) {
        value = host(b, "cast_dither", {value}, ir_type(type),
                     {{Attr::type, type.elem()}, {Attr::count, random_site(b, e)}});
    }
    if (complex) value = of_pairs(b, value, type);
    return tensor ? Val::ssa(value) : Val::ssa(value, type.elem());
}

}  // namespace tsr::elaborate
