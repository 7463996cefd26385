// Values of dimension expressions, and what symbols are bound to.
#include "sema/elaborate/dimensions.h"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "ir/build/dim_code.h"
#include "sema/elaborate/body.h"
#include "sema/elaborate/containers.h"
#include "sema/elaborate/graph_expressions.h"
#include "sema/elaborate/instances.h"
#include "sema/elaborate/recursion.h"

namespace tsr::elaborate {

using ir::Dim;
using ir::OpKind;
using ir::ValueId;
using sema::SymbolInfo;

namespace {

using SymbolValue = std::function<ValueId(const std::string&)>;

ir::DimMaker maker_of(Emitter& emit, const SymbolValue& symbol) {
    ir::DimMaker maker;
    maker.constant = [&emit](int64_t value) { return emit.constant(value, DType::index); };
    maker.binary = [&emit](OpKind kind, ValueId a, ValueId b) { return emit.inferred(kind, {a, b}); };
    maker.symbol = symbol;
    return maker;
}

ValueId evaluate(Emitter& emit, const Dim& dim, const SymbolValue& symbol) {
    return dim_code(dim, maker_of(emit, symbol));
}

// Of a host function.
SymbolValue value_of_symbol(Body& b) {
    return [&b](const std::string& name) { return b.index(b.dimension(Dim::symbol(name))); };
}

Dim dim_of(const Dim::Atom& atom) {
    switch (atom.kind) {
        case Dim::Atom::Kind::symbol:
            return Dim::symbol(atom.name);
        case Dim::Atom::Kind::exact_quotient:
            return Dim::exact_quotient(*atom.numerator, *atom.denominator);
        case Dim::Atom::Kind::floor_quotient:
            return Dim::floor_quotient(*atom.numerator, *atom.denominator);
        case Dim::Atom::Kind::maximum:
            return Dim::maximum(*atom.numerator, *atom.denominator);
    }
    return {};
}

Dim dim_of(const Dim::Term& term) {
    Dim product = Dim::constant(term.coefficient);
    for (const Dim::Atom& factor : term.factors) product = product * dim_of(factor);
    return product;
}

bool mentions(const Dim& dim, const std::string& name) {
    const std::vector<std::string> symbols = dim.symbols();
    return std::find(symbols.begin(), symbols.end(), name) != symbols.end();
}

// The symbol's value, where `dim` has the value `total`. It stands in one term, as a factor or in the numerator or
// denominator of a quotient; where that does not hold the checker bound it elsewhere.
ValueId solve(Body& b, const Dim& dim, const std::string& name, ValueId total) {
    Emitter& emit = b.emit;
    const auto value_of = [&](const Dim& of) { return evaluate(emit, of, value_of_symbol(b)); };
    const Dim::Term* holder = nullptr;
    for (const Dim::Term& term : dim.terms()) {
        if (mentions(dim_of(term), name)) holder = &term;
    }
    if (!holder) return total;
    const Dim rest = dim - dim_of(*holder);
    if (!(rest == Dim())) total = emit.inferred(OpKind::sub, {total, value_of(rest)});
    if (holder->coefficient != 1) {
        total = emit.inferred(OpKind::floordiv, {total, emit.constant(holder->coefficient, DType::index)});
    }
    const Dim::Atom* unknown = nullptr;
    for (const Dim::Atom& factor : holder->factors) {
        if (mentions(dim_of(factor), name)) {
            unknown = &factor;
        } else {
            total = emit.inferred(OpKind::floordiv, {total, value_of(dim_of(factor))});
        }
    }
    if (unknown->kind == Dim::Atom::Kind::symbol) return total;
    if (mentions(*unknown->numerator, name)) {
        total = emit.inferred(OpKind::mul, {total, value_of(*unknown->denominator)});
        return solve(b, *unknown->numerator, name, total);
    }
    total = emit.inferred(OpKind::floordiv, {value_of(*unknown->numerator), total});
    return solve(b, *unknown->denominator, name, total);
}

ValueId extent_of(Body& b, ValueId tensor, size_t axis) {
    if (b.function().level == ir::Level::graph) return b.index(b.function_dimension(b.type_of(tensor).shape[axis]));
    return b.emit.inferred(OpKind::shape_of, {tensor}, {{ir::Attr::axis, static_cast<int64_t>(axis)}});
}

}  // namespace

Val Body::symbol(const std::string& name) {
    const std::vector<SymbolInfo>& symbols = instance().symbols;
    for (size_t i = 0; i < symbols.size(); ++i) {
        if (symbols[i].name != name) continue;
        if (symbols[i].source == SymbolInfo::Source::parameter) {
            const sema::VariableId variable = variable_of_parameter(instance(), symbols[i].parameter);
            if (variable.valid()) return coerce(get(slot(variable)), DType::index);
        }
        if (symbols[i].source == SymbolInfo::Source::variable) {
            return coerce(get(slot(symbols[i].variable)), DType::index);
        }
        if (const Val bound = get(symbol_slot(i)); !bound.is(Val::Kind::undefined)) return bound;
    }
    return Val::index(0);
}

// Of an inlined function: what one of its expressions gave, which no dimension of its caller is.
static bool names_inlined_expression(Body& b, const std::string& name) {
    const sema::Instance& instance = b.instance();
    if (&instance == &b.operands->host.instance()) return false;
    const auto found = std::ranges::find(instance.symbols, name, &SymbolInfo::name);
    return found != instance.symbols.end() && found->source == SymbolInfo::Source::expression;
}

// Kernels and graphs name dimensions over the symbols that are bound where they begin, in one operation each at the
// start.
Val Body::kernel_dimension(const Dim& dim) { return function_dimension(dim_in_function(*this, dim), dim); }

Val Body::function_dimension(const Dim& known) { return function_dimension(known, known); }

Val Body::function_dimension(const Dim& known, const Dim& dim) {
    if (const auto value = known.constant_value()) return Val::index(*value);
    const std::vector<std::string>& bound = function().symbols;
    bool of_launch = true;
    for (const std::string& name : known.symbols()) {
        // The graph of an expression is given those of the host function that it names.
        if (operands && !names_inlined_expression(*this, name)) continue;
        of_launch = of_launch && std::find(bound.begin(), bound.end(), name) != bound.end();
    }
    const auto late = [this](const std::string& name) { return late_symbols.contains(name); };
    if (of_launch && std::ranges::any_of(known.symbols(), late)) {
        const auto value_of = [&](const std::string& name) {
            return late(name) ? late_symbols.at(name) : index(function_dimension(Dim::symbol(name)));
        };
        return Val::ssa(evaluate(emit, known, value_of), DType::index);
    }
    if (!of_launch) {
        return Val::ssa(evaluate(emit, dim, [&](const std::string& name) { return index(symbol(name)); }),
                        DType::index);
    }
    const auto [entry, fresh] = dims_.emplace(known.text(), ValueId{});
    if (fresh) {
        entry->second = emit.entry(OpKind::dim, {{ir::Attr::dim, known}});
        function().value(entry->second).name = known.symbol_name().value_or("");
    }
    return Val::ssa(entry->second, DType::index);
}

Val Body::dimension(const Dim& dim) {
    if (const auto value = dim.constant_value()) return Val::index(*value);
    if (function().level != ir::Level::host) return kernel_dimension(dim);
    if (const auto name = dim.symbol_name()) return symbol(*name);
    return Val::ssa(evaluate(emit, dim, [&](const std::string& name) { return index(symbol(name)); }), DType::index);
}

ValueId checked_dimension(Body& b, const Dim& dim, const std::function<void()>& failed) {
    ir::DimMaker maker = maker_of(b.emit, value_of_symbol(b));
    maker.divides = [&](const Dim::Atom& quotient, ValueId numerator, ValueId denominator) {
        if (quotient.kind != Dim::Atom::Kind::exact_quotient) return;
        const ValueId rest = b.emit.inferred(OpKind::mod, {numerator, denominator});
        Body::OpenIf open = b.open_if(b.emit.inferred(OpKind::ne, {rest, b.index(Val::index(0))}));
        b.in_side(open, 0, failed);
        b.close_if(open);
    };
    return dim_code(dim, maker);
}

void bind_entry_symbols(Body& b) {
    const std::vector<SymbolInfo>& symbols = b.instance().symbols;
    for (size_t i = 0; i < symbols.size(); ++i) {
        if (symbols[i].source != SymbolInfo::Source::axis) continue;
        const sema::VariableId variable = variable_of_parameter(b.instance(), symbols[i].parameter);
        if (!variable.valid()) continue;
        const Val tensor = b.get(b.slot(variable)).nested(symbols[i].element);
        if (!tensor.is_ssa()) continue;
        const ValueId extent = extent_of(b, tensor.id, symbols[i].axis);
        const ValueId value = solve(b, symbols[i].extent, symbols[i].name, extent);
        b.function().value(value).name = symbols[i].name;
        b.set(b.symbol_slot(i), Val::ssa(value, DType::index));
    }
}

void bind_values_shapes(Body& b) {
    const std::vector<SymbolInfo>& symbols = b.instance().symbols;
    for (size_t p = 0; p < b.instance().parameters.size(); ++p) {
        const sema::ParameterInfo& parameter = b.instance().parameters[p];
        const sema::VariableId variable = variable_of_parameter(b.instance(), p);
        if (parameter.values_shape.empty() || !parameter.type.is(sema::Kind::record) || !variable.valid()) continue;
        const Val values = record_field(b, b.get(b.slot(variable)), parameter.type, "values");
        if (!values.is_ssa()) continue;
        for (size_t i = 0; i < symbols.size(); ++i) {
            const bool own = symbols[i].source == SymbolInfo::Source::expression && !symbols[i].expr.valid();
            if (!own || symbols[i].parameter != p) continue;
            if (b.function().level == ir::Level::graph) {
                b.frame().dims.insert_or_assign(symbols[i].name, b.type_of(values.id).shape[symbols[i].axis]);
            } else {
                b.set(b.symbol_slot(i), Val::ssa(extent_of(b, values.id, symbols[i].axis), DType::index));
            }
        }
    }
    for (size_t p = 0; p < b.instance().parameters.size(); ++p) {
        const sema::ParameterInfo& parameter = b.instance().parameters[p];
        const sema::VariableId variable = variable_of_parameter(b.instance(), p);
        if (!parameter.type.is(sema::Kind::record) || !variable.valid()) continue;
        check_values_shape(b, b.get(b.slot(variable)), parameter.type, parameter.values_shape);
    }
}

// What a number of a graph is as an extent.
static Dim dimension_of_number(Body& b, const ast::Expr& e, const Val& value) {
    if (value.is_fixed() && value.fixed.integer()) return Dim::constant(*value.fixed.integer());
    const auto known = value.is_ssa() ? ir::dimension_given(b.function(), value.id) : std::nullopt;
    if (known) return *known;
    b.error("E0601", e.span, "an extent that only the run knows, in a graph function, is not compiled yet");
    return Dim::constant(1);
}

void bind_symbols_of(Body& b, const ast::Expr& e, const Val& value) {
    const bool graph = b.function().level == ir::Level::graph;
    if ((!b.rules().tensor_values && !graph) || b.takes_operands()) return;
    const std::vector<SymbolInfo>& symbols = b.instance().symbols;
    for (size_t i = 0; i < symbols.size(); ++i) {
        if (symbols[i].source != SymbolInfo::Source::expression || symbols[i].expr != e.id) continue;
        const Val bound = value.nested(symbols[i].element);
        if (graph) {
            // The IR says what the extent is: `model.w.shape[1]`.
            if (bound.is_ssa() && b.type_of(bound.id).kind == ir::TypeKind::tensor)
                b.frame().dims.insert_or_assign(symbols[i].name, b.type_of(bound.id).shape[symbols[i].axis]);
            else if (bound.is_ssa() || (bound.is_fixed() && bound.fixed.integer()))
                b.frame().dims.insert_or_assign(symbols[i].name, dimension_of_number(b, e, bound));
            continue;
        }
        if (bound.is_ssa() && b.type_of(bound.id).kind == ir::TypeKind::tensor) {
            const Val extent = Val::ssa(extent_of(b, bound.id, symbols[i].axis), DType::index);
            b.set(b.symbol_slot(i), b.coerce(extent, DType::index));
        } else if (bound.is_ssa() || bound.is_fixed()) {
            b.set(b.symbol_slot(i), b.coerce(bound, DType::index));
        }
    }
}

// A name, or a part of what it names: evaluated again it gives the same.
static bool is_steady(const ast::Expr& e) {
    if (const auto* member = std::get_if<ast::Attribute>(&e.node)) return is_steady(*member->base);
    if (const auto* part = std::get_if<ast::Subscript>(&e.node)) {
        const auto is_literal = [](const ast::Expr* index) {
            return std::holds_alternative<ast::StringLiteral>(index->node) ||
                   std::holds_alternative<ast::IntLiteral>(index->node);
        };
        return is_steady(*part->base) && std::ranges::all_of(part->indices, is_literal);
    }
    return std::holds_alternative<ast::Name>(e.node);
}

// The parts of trees that a shape names and that stand nowhere else: `zeros((n, model.w.shape[1]))`.
static void bind_fields_in(Body& b, const ir::Dim& dim) {
    const std::vector<std::string>& bound = b.function().symbols;
    for (const std::string& name : dim.symbols()) {
        if (b.frame().dims.contains(name) || std::ranges::find(bound, name) != bound.end()) continue;
        const auto symbol = std::ranges::find(b.instance().symbols, name, &SymbolInfo::name);
        if (symbol == b.instance().symbols.end() || symbol->source != SymbolInfo::Source::expression) continue;
        const ast::Expr* source = b.expr(symbol->expr);
        if (source && is_steady(*source)) expression(b, *source);
    }
}

ir::Dim dim_in_function(Body& b, const ir::Dim& dim) {
    if (b.function().level == ir::Level::graph && !b.takes_operands()) bind_fields_in(b, dim);
    return dim.substitute(b.frame().dims);
}

std::map<std::string, ir::Dim> dims_in_function(Body& b, const sema::CallInfo& info) {
    std::map<std::string, ir::Dim> dims;
    for (const sema::DimBinding& binding : info.bindings)
        dims.emplace(binding.symbol, dim_in_function(b, binding.value));
    // Those of functions around both have the same names in both.
    for (const SymbolInfo& symbol : b.program.instance(info.callee).symbols) {
        if (symbol.source == SymbolInfo::Source::enclosing)
            dims.emplace(symbol.name, dim_in_function(b, Dim::symbol(symbol.name)));
    }
    return dims;
}

namespace {

// "`n` = {}", or of a number "{}".
std::string shown_extent(const Dim& dim) {
    return dim.constant_value() ? "{}" : fmt::format("`{}` = {{}}", sema::readable(dim.text()));
}

}  // namespace

// Before all that relies on it, where the extents are known there.
void assert_extent(Body& b, const sema::DimCheck& check, bool declared) {
    bool known = true;
    const auto extent = [&](const Dim& dim) {
        const ir::Type index = ir::Type::scalar(DType::index);
        if (const auto number = dim.constant_value())
            return b.emit.entry(OpKind::constant, {{ir::Attr::value, *number}, {ir::Attr::type, DType::index}});
        const ValueId value = b.index(b.dimension(dim));
        const ir::OpId op = b.function().value(value).op;
        known = known && (!op.valid() || b.function().op(op).kind == OpKind::dim);
        return value;
    };
    const ValueId found = extent(check.found);
    const ValueId expected = extent(check.expected);
    const sema::Instance& instance = b.instance();
    const std::string function = instance.function.valid() ? b.program.function(instance.function).name : "the module";
    const std::string text = declared ? fmt::format("{}: the value has size {{}} where its type says `{}` = {{}}",
                                                    function, sema::readable(check.header))
                                      : fmt::format("{}: axes of {} and {} elements meet", function,
                                                    shown_extent(check.found), shown_extent(check.expected));
    const ValueId same = b.emit.inferred(OpKind::eq, {found, expected});
    const ir::OpId assertion = b.emit.op(OpKind::assert_, {same, found, expected}, {{ir::Attr::text, text}});
    if (!known) return;
    b.emit.move_to_entry(b.function().value(same).op);
    b.emit.move_to_entry(assertion);
}

void check_values_shape(Body& b, const Val& record, const sema::Type& type, const std::vector<Dim>& shape) {
    if (shape.empty() || !type.is(sema::Kind::record)) return;
    const Val values = record_field(b, record, type, "values");
    if (!values.is_ssa()) return;
    const std::vector<SymbolInfo>& symbols = b.instance().symbols;
    for (size_t axis = 0; axis < shape.size(); ++axis) {
        const auto is_known = [&](const std::string& name) {
            return b.frame().dims.contains(name) ||
                   std::ranges::find(symbols, name, &SymbolInfo::name) != symbols.end();
        };
        if (!std::ranges::all_of(shape[axis].symbols(), is_known)) continue;  // bound by the result itself
        const ValueId found = extent_of(b, values.id, axis);
        const ValueId expected = b.index(b.dimension(shape[axis]));
        const sema::Instance& instance = b.instance();
        const std::string function =
            instance.function.valid() ? b.program.function(instance.function).name : "the module";
        const std::string text = fmt::format("{}: the value has size {{}} where its type says `{}` = {{}}", function,
                                             sema::readable(shape[axis].text()));
        const ValueId same = b.emit.inferred(OpKind::eq, {found, expected});
        b.emit.op(OpKind::assert_, {same, found, expected}, {{ir::Attr::text, text}});
    }
}

void assert_extents(Body& b, ast::ExprId e) {
    if (b.function().level != ir::Level::graph || b.takes_operands()) return;
    const auto found = b.instance().extents.find(e);
    if (found == b.instance().extents.end()) return;
    for (const sema::DimCheck& check : found->second) assert_extent(b, check, false);
}

bool refuse_extents(Body& b, const ast::Expr& e) {
    const auto checks = b.instance().extents.find(e.id);
    if (b.function().level != ir::Level::graph || checks == b.instance().extents.end()) return false;
    for (const sema::DimCheck& check : checks->second) {
        const Dim found = dim_in_function(b, check.found), expected = dim_in_function(b, check.expected);
        if (ir::compare(found, expected) != ir::Equality::different) continue;
        b.error("E0312", e.span,
                fmt::format("axes of {} and {} elements meet here, with the extents that this is called with",
                            sema::readable(found.text()), sema::readable(expected.text())));
        return true;
    }
    return false;
}

}  // namespace tsr::elaborate
