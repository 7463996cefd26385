// Expressions by kind.
#include <string>
#include <utility>

#include <fmt/format.h>

#include "ir/core/internal.h"
#include "sema/elaborate/arithmetic.h"
#include "sema/elaborate/calls.h"
#include "sema/elaborate/choices.h"
#include "sema/elaborate/complex_values.h"
#include "sema/elaborate/comprehensions.h"
#include "sema/elaborate/containers.h"
#include "sema/elaborate/dimensions.h"
#include "sema/elaborate/graph_expressions.h"
#include "sema/elaborate/host.h"
#include "sema/elaborate/host_tensors.h"
#include "sema/elaborate/memory.h"
#include "sema/elaborate/operators.h"
#include "sema/elaborate/recursion.h"
#include "sema/elaborate/shape_checks.h"
#include "sema/elaborate/static_values.h"
#include "sema/elaborate/text.h"
#include "sema/elaborate/tiles.h"
#include "sema/types/elements.h"

namespace tsr::elaborate {

using ir::Attr;
using ir::OpKind;
using sema::Kind;
using sema::Static;

namespace {

Val builtin_value(Body& b, sema::Builtin name, const sema::Type& type) {
    if (name == sema::Builtin::grid_groups && b.rules().in_group) {
        return Val::ssa(b.emit.inferred(OpKind::group_count, {}), DType::index);
    }
    if (name == sema::Builtin::args && b.rules().host_objects) return host_args(b, type);
    return Val::none();
}

// What a name or a dotted name stands for.
Val named(Body& b, const ast::Expr& e) {
    const sema::ExprInfo& info = b.info(e);
    if (const auto* variable = std::get_if<sema::VariableId>(&info.referent)) return b.get(b.slot(*variable));
    if (const auto* symbol = std::get_if<sema::DimensionSymbol>(&info.referent)) {
        if (symbol->name == "grid_groups" && b.rules().in_group) {
            return builtin_value(b, sema::Builtin::grid_groups, info.type);
        }
        return b.dimension(ir::Dim::symbol(symbol->name));
    }
    if (const auto* builtin = std::get_if<sema::BuiltinName>(&info.referent)) {
        return builtin_value(b, builtin->name, info.type);
    }
    const auto extent = b.program.made.field_extents.find(b.key(e));
    if (extent != b.program.made.field_extents.end()) return expression(b, *b.expr(extent->second));
    return Val::none();
}

Val shape_of(Body& b, const ast::Expr& base) {
    const sema::Type& type = b.info(base).type;
    Val shape = Val::tuple({});
    if (b.rules().new_values && type.is(Kind::tensor)) {  // of what it is: not all extents of the type are bound
        const Val tensor = expression(b, base);
        const std::vector<ir::Dim> extents = b.type_of(tensor.id).shape;
        for (const ir::Dim& extent : extents) shape.parts.push_back(b.function_dimension(extent));
        return shape;
    }
    if (b.function().level != ir::Level::host || !type.is(Kind::tensor)) {
        for (const ir::Dim& extent : type.shape()) shape.parts.push_back(b.dimension(extent));
        return shape;
    }
    const Val tensor = expression(b, base);
    for (size_t axis = 0; axis < type.rank(); ++axis) {
        shape.parts.push_back(Val::ssa(
            b.emit.inferred(OpKind::shape_of, {tensor.id}, {{Attr::axis, static_cast<int64_t>(axis)}}), DType::index));
    }
    return shape;
}

// The tensor of a record's field, of which the class declares some extents as numbers: compared where it is read.
static Val in_class_shape(Body& b, const Val& field, const sema::Type& type) {
    if (!type.is(sema::Kind::tensor) || !field.is_ssa() || b.takes_operands()) return field;
    const bool graph = b.function().level == ir::Level::graph;
    if (!graph && b.function().level != ir::Level::host) return field;
    std::vector<ir::Dim> shape = graph ? b.type_of(field.id).shape : type.shape();
    if (shape.size() != type.rank()) return field;
    const sema::Instance& instance = b.instance();
    const std::string function = instance.function.valid() ? b.program.function(instance.function).name : "the module";
    bool changed = false;
    for (size_t axis = 0; axis < shape.size(); ++axis) {
        const auto number = type.shape()[axis].constant_value();
        if (!number || (graph && shape[axis] == type.shape()[axis])) continue;
        const ir::ValueId found =
            graph ? b.index(b.function_dimension(shape[axis]))
                  : b.emit.inferred(OpKind::shape_of, {field.id}, {{Attr::axis, static_cast<int64_t>(axis)}});
        const ir::ValueId expected = b.emit.constant(*number, DType::index);
        if (graph) {
            require_in_graph(b, b.emit.inferred(OpKind::eq, {found, expected}), {found, expected},
                             fmt::format("{}: the field has size {{}} where its class says {{}}", function));
            shape[axis] = type.shape()[axis];
            changed = true;
            continue;
        }
        Body::OpenIf open = b.open_if(b.emit.inferred(OpKind::ne, {found, expected}));
        b.in_side(open, 0, [&] {
            host_effect(b, "shape_failed", {found, expected},
                        {{Attr::names, std::vector<std::string>{function, "", std::to_string(*number), "", ""}}});
        });
        b.close_if(open);
    }
    if (!changed) return field;
    Val result = field;
    result.id = b.emit.inferred(OpKind::reshape, {field.id}, {{Attr::shape, shape}});
    return result;
}

Val attribute(Body& b, const ast::Expr& e, const ast::Attribute& node) {
    const sema::ExprInfo& info = b.info(e);
    const bool field = std::holds_alternative<sema::FieldName>(info.referent);
    if (!field && !std::holds_alternative<std::monostate>(info.referent)) return named(b, e);
    const sema::Type& base = b.info(*node.base).type;
    if (info.type.is(Kind::function)) return Val::none();  // a method
    if (base.is(Kind::record))
        return in_class_shape(b, record_field(b, expression(b, *node.base), base, node.name.text), info.type);
    if (node.name.text == "shape") return shape_of(b, *node.base);
    if (node.name.text == "dtype") return Val::of(*b.info(e).value);
    if (node.name.text == "size") {
        const Val shape = shape_of(b, *node.base);
        Val size = Val::index(1);
        for (size_t axis = 0; axis < shape.element_count(); ++axis) {
            size = arithmetic(b, ast::BinaryOp::mul, size, shape.element(axis), DType::index, DType::index);
        }
        return size;
    }
    if (node.name.text == "ndim") return Val::index(static_cast<int64_t>(base.rank()));
    if (node.name.text == "T" && base.is(Kind::tensor) && b.function().level == ir::Level::graph) {
        if (sema::is_complex(base)) return Val::ssa(transposed_pairs(b, expression(b, *node.base).id));
        return tile_transpose(b, expression(b, *node.base));
    }
    if (node.name.text == "T" && base.is(Kind::tensor) && b.rules().tensor_values) {
        return host_transpose(b, expression(b, *node.base), info.type);
    }
    if (node.name.text == "T" && base.is(Kind::tile)) return tile_transpose(b, expression(b, *node.base));
    return expression(b, *node.base);  // the `.T` of a buffer is told by its type
}

struct Evaluate {
    Body& b;
    const ast::Expr& e;

    Val operator()(const ast::Hole&) { return Val::none(); }
    Val operator()(const ast::Name&) { return named(b, e); }
    Val operator()(const ast::IntLiteral& node) { return Val::of(Static::of_unsigned(node.value)); }
    Val operator()(const ast::FloatLiteral& node) { return Val::of(Static::of(node.value)); }
    Val operator()(const ast::StringLiteral& node) { return Val::of(Static::of(node.value)); }
    Val operator()(const ast::BoolLiteral& node) { return Val::truth(node.value); }
    Val operator()(const ast::NoneLiteral&) { return Val::none(); }
    Val operator()(const ast::EllipsisLiteral&) { return Val::none(); }
    Val operator()(const ast::FString& node) { return format_string(b, node); }
    Val operator()(const ast::Unary& node) { return unary(b, e, node); }
    Val operator()(const ast::Binary& node) { return binary(b, e, node); }
    Val operator()(const ast::Compare& node) { return compare(b, e, node); }
    Val operator()(const ast::Logical& node) { return logical(b, e, node); }
    Val operator()(const ast::Conditional& node) { return conditional(b, e, node); }
    Val operator()(const ast::Lambda&) { return Val::none(); }
    Val operator()(const ast::Call& node) { return call(b, e, node); }
    Val operator()(const ast::Subscript& node) { return subscript(b, e, node); }
    Val operator()(const ast::Slice&) { return Val::none(); }
    Val operator()(const ast::Attribute& node) { return attribute(b, e, node); }
    Val operator()(const ast::Tuple& node) { return Val::tuple(all(node.elements)); }
    Val operator()(const ast::List& node) { return Val::list(all(node.elements)); }
    // Keys and values in turn, until they are stored.
    Val operator()(const ast::Dict& node) {
        if (b.info(e).type.is(Kind::record)) return keyed_dict(node);
        Val entries = Val::list({});
        for (const auto& [key, value] : node.entries) {
            entries.parts.push_back(expression(b, *key));
            entries.parts.push_back(expression(b, *value));
        }
        return entries;
    }
    Val operator()(const ast::Comprehension& node) { return list_comprehension(b, e, node); }
    Val operator()(const ast::Qualified&) { return Val::none(); }
    Val operator()(const ast::WithPolicy&) { return Val::none(); }

    Val keyed_dict(const ast::Dict& node) {
        Val items = Val::tuple({});
        for (size_t i = 0; i < node.entries.size(); ++i) {
            const Val item = expression(b, *node.entries[i].second);
            items.parts.push_back(b.coerce(b.rounded(item), b.info(e).type.parts()[i]));
        }
        return record_of(b, std::move(items), b.info(e).type);
    }

    std::vector<Val> all(const std::vector<const ast::Expr*>& elements) {
        std::vector<Val> values;
        for (const ast::Expr* element : elements) values.push_back(expression(b, *element));
        return values;
    }
};

// The symbols that an expression of static value binds, and those that parts of it do, which are not elaborated one by
// one: `n + 2` of `zeros((n + 2,))`.
void bind_symbols_within(Body& b, const ast::Expr& e, const Val& value) {
    bind_symbols_of(b, e, value);
    if (!b.rules().tensor_values) return;
    for (const sema::SymbolInfo& symbol : b.instance().symbols) {
        const ast::Expr* source = b.expr(symbol.expr);
        if (symbol.source != sema::SymbolInfo::Source::expression || !source || source == &e) continue;
        const Span part = source->span;
        if (part.file != e.span.file || part.begin < e.span.begin || part.end > e.span.end) continue;
        if (const auto known = static_in_round(b, *source)) bind_symbols_of(b, *source, Val::of(*known));
    }
}

}  // namespace

Val expression(Body& b, const ast::Expr& e) {
    const At at(b.emit, e.span);
    const sema::ExprInfo& info = b.info(e);
    b.require_type(info.type, "an expression", e.span);
    const auto rounding = std::exchange(b.rounding, std::nullopt);
    if (b.takes_operands() && !is_graph_operator(b, e)) return graph_operand(b, e);
    if (const ast::Expr* made = library_call_of(b, e)) {
        const auto* part = std::get_if<ast::Subscript>(&e.node);  // of a tensor beside its scales
        if (part && b.info(*part->base).type.is(Kind::record)) bind_made_name(b, *part->base);
        return expression(b, *made);
    }
    const bool by_round = info.by_round() && !std::holds_alternative<ast::Name>(e.node);
    if (const auto known = by_round ? static_in_round(b, e) : info.value) {
        Val value = Val::of(*known);
        if (info.type.is_scalar()) value = b.coerce(value, info.type.elem());
        if (by_round) bind_symbols_within(b, e, value);
        return value;
    }
    const bool graph = b.rules().host_objects && is_graph_operator(b, e);
    Val value;
    try {
        value = graph ? graph_expression(b, e, rounding) : std::visit(Evaluate{b, e}, e.node);
    } catch (const ir::InternalError&) {
        // The function was checked with symbols; where it is called, they are numbers.
        if (refuse_extents(b, e)) throw ExtentsDiffer();
        throw;
    }
    bind_symbols_of(b, e, value);
    assert_extents(b, e.id);
    if (value.is_ssa() && value.type) value.round_by(info.type.policy().round, b.is_graph_function() ? &e : nullptr);
    return value;
}

}  // namespace tsr::elaborate
