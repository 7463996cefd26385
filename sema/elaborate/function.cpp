#include "sema/elaborate/function.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "ir/ops/graph.h"
#include "ir/ops/record.h"
#include "ir/ops/register.h"
#include "sema/elaborate/body.h"
#include "sema/elaborate/complex_values.h"
#include "sema/elaborate/containers.h"
#include "sema/elaborate/derivatives.h"
#include "sema/elaborate/dimensions.h"
#include "sema/elaborate/elaborate.h"
#include "sema/elaborate/instances.h"
#include "sema/elaborate/prune.h"
#include "sema/elaborate/recursion.h"
#include "sema/elaborate/trees.h"
#include "sema/elaborate/types.h"
#include "sema/types/elements.h"

namespace tsr::elaborate {

using ir::ValueId;
using sema::Instance;
using sema::SymbolInfo;

namespace {

// New parameters for a value of the type; of a tuple one per part.
Val parameter(Body& b, const sema::Type& type, const std::string& name) {
    ir::Function& fn = b.function();
    if (type.is(sema::Kind::tuple)) {
        Val parts = Val::tuple({});
        for (size_t i = 0; i < type.parts().size(); ++i) {
            parts.parts.push_back(parameter(b, type.parts()[i], name + "." + std::to_string(i)));
        }
        return parts;
    }
    if (sema::is_complex_number(type)) return parameter(b, parts_of_complex(), name);
    if (type.is(sema::Kind::record) && !b.rules().host_objects) {
        Val fields = Val::tuple({});
        for (size_t i = 0; i < type.parts().size(); ++i)
            fields.parts.push_back(parameter(b, type.parts()[i], name + "." + type.names()[i + 1]));
        return fields;
    }
    ir::Type held = held_type(b, type);
    if (held.kind == ir::TypeKind::none) return Val::none();
    if (fn.level == ir::Level::graph) held.mut = false;
    for (size_t axis = 0; axis < held.rank(); ++axis) {
        if (held.shape[axis].symbol_name() != "_") continue;
        fn.symbols.push_back(fmt::format("{}.{}", name, axis));
        held.shape[axis] = ir::Dim::symbol(fn.symbols.back());
    }
    const ValueId id = fn.add_arg(fn.body, held, name);
    return Val::ssa(id, held.is_scalar() ? std::optional(held.elem) : std::nullopt);
}

ir::ParamRole role_of(const sema::ParameterInfo& parameter, const ir::Function& fn) {
    const auto symbol = std::ranges::find(fn.symbols, parameter.name);
    if (!parameter.is_dimension || symbol == fn.symbols.end()) return {};
    return {.kind = ir::ParamRole::Kind::dimension, .number = symbol - fn.symbols.begin()};
}

void bind_parameters(Body& b, const Instance& instance) {
    for (size_t i = 0; i < instance.parameters.size(); ++i) {
        const sema::ParameterInfo& known = instance.parameters[i];
        const bool tree = b.function().level == ir::Level::graph && !known.type.is(sema::Kind::tensor);
        const Val value = known.value ? b.coerce(Val::of(*known.value), known.type)
                          : tree      ? tree_parameter(b, known.type, known.name)
                                      : parameter(b, known.type, known.name);
        if (value.is_ssa()) b.function().value(value.id).role = role_of(known, b.function());
        b.set_parameter(i, value);
    }
}

// What a nested function takes from the ones around it: variables, then dimensions.
void bind_hidden_parameters(Body& b, const Instance& instance) {
    for (const sema::VariableId variable : instance.captures) {
        const sema::Variable& captured = instance.variables[variable.index];
        const bool tree = b.function().level == ir::Level::graph && !captured.type.is(sema::Kind::tensor);
        b.set(b.slot(variable),
              tree ? tree_parameter(b, captured.type, captured.name) : parameter(b, captured.type, captured.name));
    }
    for (size_t i = 0; i < instance.symbols.size(); ++i) {
        if (instance.symbols[i].source != SymbolInfo::Source::enclosing) continue;
        const Val extent = parameter(b, sema::Type::index(), instance.symbols[i].name);
        b.set(b.symbol_slot(i), extent);
        if (b.function().level != ir::Level::graph) continue;
        const auto symbol = std::ranges::find(b.function().symbols, instance.symbols[i].name);
        b.function().value(extent.id).role = {.kind = ir::ParamRole::Kind::dimension,
                                              .number = symbol - b.function().symbols.begin()};
    }
}

Span place_of(const ast::FunctionDef& def) { return def.header.valid() ? def.header : def.name.span; }

std::vector<std::string> bound_symbols(const Instance& instance) {
    std::vector<std::string> names;
    for (const SymbolInfo& symbol : instance.symbols) {
        switch (symbol.source) {
            case SymbolInfo::Source::axis:
            case SymbolInfo::Source::parameter:
            case SymbolInfo::Source::launch:
            case SymbolInfo::Source::enclosing:
                names.push_back(symbol.name);
                break;
            case SymbolInfo::Source::expression:
            case SymbolInfo::Source::variable:
                break;
        }
    }
    return names;
}

ir::Function begin_function(const std::string& name, ir::Level level, Span place) {
    ir::Function fn;
    fn.name = name;
    fn.level = level;
    fn.place = fn.add_place({place, {}});
    return fn;
}

void fill_header(ir::Function& fn, const Instance& kernel) {
    fn.is_kernel = true;
    ir::KernelInfo& info = fn.kernel;
    info.group_shape = kernel.kernel.group_shape.value_or(std::vector<int64_t>{});
    info.header_tiles = kernel.kernel.flat;
    info.shared_limit = kernel.kernel.shared_limit;
    for (const SymbolInfo& symbol : kernel.symbols) {
        if (symbol.name == "grid_groups") info.names_group = true;
    }
}

// Sums of floats in an order that varies, and old values, make the results differ between runs.
bool nondeterministic(const ir::Function& fn) {
    std::vector<bool> used(fn.value_count());
    for (size_t i = 0; i < fn.op_count(); ++i) {
        const ir::Op& op = fn.op(ir::OpId(i));
        if (!op.parent.valid()) continue;
        for (const ValueId operand : op.operands) used[operand.index] = true;
    }
    for (size_t i = 0; i < fn.op_count(); ++i) {
        const ir::Op& op = fn.op(ir::OpId(i));
        if (!op.parent.valid()) continue;
        if (op.kind == ir::OpKind::atomic_tile && is_float(fn.type(ir::TileViewOp(fn, op).value()).elem)) return true;
        if (op.kind != ir::OpKind::atomic) continue;
        if (is_float(fn.type(op.results[0]).elem) || used[op.results[0].index]) return true;
    }
    return false;
}

// Without a clause and names of the group such a kernel is flat, also where nothing needs the number in the end.
bool names_tile(const ir::Function& fn) {
    for (size_t i = 0; i < fn.op_count(); ++i) {
        const ir::Op& op = fn.op(ir::OpId(i));
        if (op.parent.valid() && op.kind == ir::OpKind::tile_id) return true;
    }
    return false;
}

// A parameter of a generic kernel that was given a tensor that may be written, and does not write it.
void note_unwritten(ir::Function& fn) {
    std::vector<bool> written(fn.value_count());
    for (size_t i = 0; i < fn.op_count(); ++i) {
        const ir::Op& op = fn.op(ir::OpId(i));
        if (!op.parent.valid()) continue;
        for (size_t k = 0; k < op.operands.size(); ++k) {
            const ir::Role* role = ir::role_of(ir::record(op.kind), k, op.operands.size());
            const bool writes =
                role && (role->access == ir::Access::writes || role->access == ir::Access::reads_writes);
            if (writes) written[op.operands[k].index] = true;
        }
    }
    for (const ValueId id : fn.params()) {
        if (!written[id.index]) fn.value(id).type.mut = false;
    }
}

ir::TuningPoint tuning_point(const std::string& kernel, const sema::TuningPoint& values) {
    ir::TuningPoint point{.kernel = kernel};
    for (const auto& [name, value] : values) {
        const auto number = value.integer();
        point.values.emplace_back(name, number ? ir::TuningPoint::Value(*number) : value.text());
    }
    return point;
}

ir::Function kernel_once(const sema::Program& program, const Instance& kernel, BufferSites& buffers,
                         std::set<ir::OpId>& placeholders, Diagnostics& diagnostics) {
    const sema::Function& function = program.function(kernel.function);
    ir::Function fn = begin_function(kernel.name, ir::Level::tile, place_of(program.def(function)));
    fn.symbols = bound_symbols(kernel);
    fill_header(fn, kernel);
    if (!kernel.kernel.tuning.empty()) fn.kernel.point = tuning_point(function.name, kernel.kernel.tuning);
    Body b(program, diagnostics, fn, buffers);
    b.emit.at(place_of(b.program.def(function)));
    b.push_frame(kernel, {});
    bind_parameters(b, kernel);
    run_function(b, function);
    if (kernel.result.is_scalar() && !kernel.returned_parameter) {
        const Val result = b.get(b.frame().result);
        fn.results = {ir_type(kernel.result)};
        const ast::Block& body = b.program.def(function).body;
        if (!body.empty() && std::holds_alternative<ast::Return>(body.back()->node)) b.emit.at(body.back()->span);
        b.emit.op(ir::OpKind::result, {b.scalar(result, kernel.result.elem())});
    }
    b.emit.yield({});
    fn.kernel.names_group = fn.kernel.names_group || b.names_group;
    placeholders = std::move(b.placeholders);
    return fn;
}

}  // namespace

ir::Function kernel_function(const sema::Program& program, const Instance& kernel, Diagnostics& diagnostics) {
    BufferSites buffers;
    std::set<ir::OpId> placeholders;
    ir::Function fn = kernel_once(program, kernel, buffers, placeholders, diagnostics);
    while (buffers.begin_again()) fn = kernel_once(program, kernel, buffers, placeholders, diagnostics);
    const bool flat = names_tile(fn) && fn.kernel.group_shape.empty() && !fn.kernel.names_group;
    prune(fn, placeholders);
    fn.kernel.flat = flat && !names_tile(fn);
    fn.kernel.nondeterministic = nondeterministic(fn);
    if (program.function(kernel.function).generic) note_unwritten(fn);
    return fn;
}

// Runs module-level statements; what they assign stays in their frames.
void run_statements(Body& b, const std::vector<const Instance*>& modules) {
    for (const Instance* instance : modules) {
        b.push_frame(*instance, {});
        block(b, b.program.modules[instance->module.index].tree->body);
    }
}

// What `main` uses of the module-level statements that ran before it, in frames of the same function.
void take_captures(Body& b, const Instance& main) {
    for (const sema::VariableId variable : main.captures) {
        const auto& [owner, outer] = *main.variables[variable.index].captured;
        for (const Frame& frame : b.frames) {
            if (frame.instance->id == owner) b.set(b.slot(variable), b.get({frame.number, outer.index}));
        }
    }
}

// What `main` gives: a complex number is a tensor without axes, as its file has it.
static bool is_main(const sema::Program& program, const Instance& instance) {
    return program.main && *program.main == instance.id;
}

static std::vector<sema::Type> results_of(const sema::Type& type) {
    if (type.is(sema::Kind::tuple)) return type.parts();
    return {type};
}

static void main_result_types(const sema::Type& result, std::vector<ir::Type>& types) {
    for (const sema::Type& part : results_of(result)) {
        if (sema::is_complex_number(part)) {
            types.push_back(ir::Type::tensor(DType::c64, {}, true));
        } else {
            result_types(part, types);
        }
    }
}

static void add_main_results(Body& b, const Val& value, const sema::Type& result, std::vector<ValueId>& given) {
    const std::vector<sema::Type> parts = results_of(result);
    for (size_t i = 0; i < parts.size(); ++i) {
        const Val part = result.is(sema::Kind::tuple) ? value.element(i) : value;
        if (sema::is_complex_number(parts[i])) {
            given.push_back(tensor_of_number(b, part));
        } else {
            b.flatten(part, &parts[i], given);
        }
    }
}

ir::Function host_function(const Context& context, const Instance& instance,
                           const std::vector<const Instance*>& before) {
    const sema::Function& function = context.program.function(instance.function);
    ir::Function fn = begin_function(instance.name, ir::Level::host, place_of(context.program.def(function)));
    fn.symbols = bound_symbols(instance);
    const bool main = is_main(context.program, instance);
    main ? main_result_types(instance.result, fn.results) : result_types(instance.result, fn.results);
    BufferSites buffers;
    Body b(context.program, context.diagnostics, fn, buffers);
    b.kernels = &context.kernels;
    b.graphs = &context.graphs;
    b.emit.at(place_of(b.program.def(function)));
    if (!before.empty()) run_statements(b, before);
    b.push_frame(instance, {});
    bind_parameters(b, instance);
    before.empty() ? bind_hidden_parameters(b, instance) : take_captures(b, instance);
    bind_entry_symbols(b);
    if (function.makes) b.set(b.frame().result, new_record(b, instance));
    run_function(b, function);
    std::vector<ValueId> results;
    if (!fn.results.empty()) {
        Val result = b.get(b.frame().result);
        if (result.is(Val::Kind::undefined)) result = b.undefined(instance.result);
        main ? add_main_results(b, result, instance.result, results) : b.flatten(result, &instance.result, results);
    }
    b.emit.yield(std::move(results));
    prune(fn, b.placeholders);
    return fn;
}

// What a graph leaves in its `mut` parameters are results behind its own.
void add_written_parameters(Body& b, const Instance& instance, std::vector<ValueId>& results) {
    for (size_t i = 0; i < instance.parameters.size(); ++i) {
        const sema::Type& type = instance.parameters[i].type;
        if (type.is(sema::Kind::tensor) && type.tensor().mut)
            results.push_back(b.get(b.slot(variable_of_parameter(instance, i))).id);
    }
}

namespace {

// A Graph function with the instance's parameters; `results_of` fills it.
template <class ResultsOf>
ir::Function made_graph(const Context& context, const Instance& instance, const std::string& name, Span place,
                        const ResultsOf& results_of) {
    ir::Function fn = begin_function(name, ir::Level::graph, place);
    fn.symbols = bound_symbols(instance);
    BufferSites buffers;
    Body b(context.program, context.diagnostics, fn, buffers);
    b.kernels = &context.kernels;
    b.emit.at(place);
    b.push_frame(instance, {});
    bind_parameters(b, instance);
    bind_hidden_parameters(b, instance);
    std::vector<ValueId> results = results_of(b);
    for (const ValueId result : results) fn.results.push_back(fn.type(result));
    for (ir::Type& type : fn.results) type.mut = false;
    b.emit.yield(std::move(results));
    prune(fn, b.placeholders);
    return fn;
}

}  // namespace

ir::Function graph_function(const Context& context, const Instance& instance) {
    const sema::Function& function = context.program.function(instance.function);
    return made_graph(context, instance, instance.name, place_of(context.program.def(function)), [&](Body& b) {
        for (size_t i = 0; i < instance.parameters.size(); ++i) {
            const sema::VariableId variable = variable_of_parameter(instance, i);
            if (!variable.valid() || instance.parameters[i].value) continue;
            const Slot slot = b.slot(variable);
            b.set(slot, with_stored_cotangents(b, b.get(slot), instance.parameters[i].type));
        }
        run_function(b, function);
        std::vector<ValueId> results;
        if (!instance.result.is(sema::Kind::none)) b.flatten(b.get(b.frame().result), &instance.result, results);
        add_written_parameters(b, instance, results);
        return results;
    });
}

ir::Function derivative_function(const Context& context, const Instance& instance) {
    const sema::Derivation& derivation = *context.program.function(instance.function).derived;
    return made_graph(context, instance, instance.name, derivation.place, [&](Body& b) {
        return derivation.call.valid() ? transformed(b, instance) : derivative(b, instance, b.function().params(), {});
    });
}

ir::Function function_with_rule(const Context& context, const Instance& instance) {
    const Span place = context.program.function(instance.function).rule->declared;
    return made_graph(context, instance, name_with_rule(instance), place,
                      [&](Body& b) { return call_with_rule(b, instance, b.function().params(), {}); });
}

ir::Function differentiability_check(const Context& context, const Instance& instance) {
    const Span place = *context.program.function(instance.function).differentiable;
    ir::Function fn = begin_function(instance.name + std::string(ir::kDifferentiabilityCheck), ir::Level::graph, place);
    fn.symbols = bound_symbols(instance);
    BufferSites buffers;
    Body b(context.program, context.diagnostics, fn, buffers);
    b.emit.at(place);
    b.push_frame(instance, {});
    bind_parameters(b, instance);
    bind_hidden_parameters(b, instance);
    differentiate_both_ways(b, instance, fn.params());
    b.emit.yield({});
    return fn;
}

ir::Function module_function(const Context& context, const std::vector<const Instance*>& modules) {
    ir::Function fn = begin_function(sema::kModuleStatements, ir::Level::host, {});
    BufferSites buffers;
    Body b(context.program, context.diagnostics, fn, buffers);
    b.kernels = &context.kernels;
    b.graphs = &context.graphs;
    run_statements(b, modules);
    b.emit.yield({});
    prune(fn, b.placeholders);
    return fn;
}

}  // namespace tsr::elaborate
