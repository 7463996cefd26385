// Launches of kernels: explicit numbers of groups, the kernel's symbols from the shapes of its arguments; in graphs the
// new values that they give.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "ir/ops/host.h"
#include "sema/elaborate/arguments.h"
#include "sema/elaborate/complex_values.h"
#include "sema/elaborate/containers.h"
#include "sema/elaborate/derivatives.h"
#include "sema/elaborate/dimensions.h"
#include "sema/elaborate/host.h"
#include "sema/elaborate/instances.h"
#include "sema/elaborate/random.h"
#include "sema/elaborate/recursion.h"
#include "sema/elaborate/shape_checks.h"
#include "sema/elaborate/types.h"
#include "sema/elaborate/written_values.h"
#include "sema/program/tuning_points.h"
#include "sema/types/elements.h"

namespace tsr::elaborate {

using ir::Attr;
using ir::OpKind;
using ir::ValueId;
using sema::CallInfo;
using sema::Instance;
using sema::Kind;

namespace {

bool gives_number(const Instance& kernel) { return kernel.result.is_scalar() && !kernel.returned_parameter; }

// How many values a kernel takes for a parameter.
size_t value_count(const sema::Type& type) {
    if (sema::is_complex_number(type)) return 2;
    if (!type.is(Kind::record)) return 1;
    size_t count = 0;
    for (const sema::Type& field : type.parts()) count += value_count(field);
    return count;
}

// The values of a number, or of the fields of a record.
void add_values(Body& b, const Val& given, const sema::Type& type, std::vector<ValueId>& values) {
    if (sema::is_complex_number(type)) return b.flatten(given, &type, values);
    if (!type.is(Kind::record)) return values.push_back(b.handle(given, type));
    for (size_t i = 0; i < type.parts().size(); ++i)
        add_values(b, record_item(b, given, type, Val::index(static_cast<int64_t>(i))), type.parts()[i], values);
}

// Which of the header's parameters a kernel may write, which is the header's or a point of it.
std::vector<bool> written_parameters(Body& b, const Instance& header, const Instance& kernel) {
    const ir::Function* function = b.kernels ? b.kernels->find(kernel.name) : nullptr;
    std::vector<bool> written;
    size_t next = 0;
    for (const sema::ParameterInfo& parameter : header.parameters) {
        const bool mut = parameter.type.is(Kind::tensor) && parameter.type.tensor().mut;
        written.push_back(mut && (!function || function->type(function->params()[next]).mut));
        if (!parameter.value) next += value_count(parameter.type);
    }
    return written;
}

// Kernels take dense tensors: another view is copied, which for `mut` is an error when the program runs.
ValueId kernel_argument(Body& b, const Instance& kernel, size_t parameter, ValueId tensor, bool written) {
    const std::string& function = b.program.function(kernel.function).name;
    return host(b, "kernel_argument", {tensor}, b.type_of(tensor),
                {{Attr::count, static_cast<int64_t>(written)},
                 {Attr::names, std::vector<std::string>{function, kernel.parameters[parameter].name}}});
}

void check_overlaps(Body& b, const CallInfo& info, const std::vector<Val>& arguments,
                    const std::vector<bool>& written) {
    const Instance& kernel = b.program.instance(info.callee);
    const std::string& function = b.program.function(kernel.function).name;
    for (auto [first, other] : info.overlap) {
        if (!written[first]) std::swap(first, other);
        if (!written[first]) continue;
        host_effect(b, "check_overlap", {arguments[first].id, arguments[other].id},
                    {{Attr::names, std::vector<std::string>{function, kernel.parameters[first].name,
                                                            kernel.parameters[other].name}}});
    }
}

// k[(gx, gy)](…): one tuple or one to three numbers.
std::vector<ValueId> explicit_groups(Body& b, const CallInfo& info) {
    std::vector<ValueId> groups;
    for (const ast::ExprId given : info.groups) {
        const Val value = expression(b, *b.expr(given));
        if (!value.has_elements()) {
            groups.push_back(b.index(value));
            continue;
        }
        for (size_t i = 0; i < value.element_count(); ++i) groups.push_back(b.index(value.element(i)));
    }
    return groups;
}

// `o: f32[grid_groups]` and `k[g](…)`: two numbers of groups, which must be one.
void check_groups(Body& b, const CallInfo& info, const std::vector<ValueId>& groups) {
    if (groups.empty()) return;
    const Instance& kernel = b.program.instance(info.callee);
    for (const sema::DimBinding& binding : info.bindings) {
        if (binding.symbol != "grid_groups") continue;
        const auto whole = [&](ValueId group) {
            const ValueId zero = b.emit.constant(int64_t{0}, DType::index);
            return b.emit.inferred(OpKind::maximum, {b.emit.cast(group, DType::index), zero});
        };
        ValueId total = whole(groups[0]);
        for (size_t i = 1; i < groups.size(); ++i) {
            total = b.emit.inferred(OpKind::mul, {total, whole(groups[i])});
        }
        const ValueId wanted = b.index(b.dimension(binding.value));
        if (b.rules().new_values) {
            const std::string& name = b.program.function(kernel.function).name;
            require_in_graph(b, b.emit.inferred(OpKind::eq, {total, wanted}), {wanted, total},
                             name + ": `grid_groups` is {} by an argument, but the launch has {} groups");
            continue;
        }
        Body::OpenIf open = b.open_if(b.emit.inferred(OpKind::ne, {total, wanted}));
        b.in_side(open, 0, [&] {
            std::string argument;
            for (const sema::SymbolInfo& symbol : kernel.symbols) {
                if (symbol.name == binding.symbol) argument = kernel.parameters[symbol.parameter].name;
            }
            host_effect(b, "shape_failed", {wanted, total},
                        {{Attr::names, std::vector<std::string>{b.program.function(kernel.function).name, argument,
                                                                binding.symbol, "", binding.symbol}}});
        });
        b.close_if(open);
    }
}

// Points of a tuned kernel to choose from by measuring; of another kernel itself.
struct Choice {
    std::vector<int64_t> extents;  // of the header's tuned dimensions
    std::vector<const Instance*> kernels;
};

std::vector<Choice> choices_of(Body& b, const Instance& header) {
    if (!header.tuned) return {{{}, {&header}}};
    std::vector<Choice> choices;
    for (const sema::PointGroup& group : sema::points_by_extents(b.program, header)) {
        Choice& choice = choices.emplace_back(Choice{group.extents, {}});
        for (const sema::InstanceId id : group.points) choice.kernels.push_back(&b.program.instance(id));
    }
    return choices;
}

// One launch, with everything that is the same for all choices.
struct Launcher {
    Body& b;
    const CallInfo& info;
    const Instance& header;
    std::vector<Choice> choices;
    std::vector<ValueId> arguments;
    const std::vector<ValueId>& groups;
    Slot result;  // of a kernel that returns a scalar
    // In a graph: the arguments that are written, by number, and what holds their new values.
    std::vector<int64_t> written;
    std::vector<Slot> values;

    [[nodiscard]] bool gives_scalar() const { return gives_number(header); }

    // The choice's kernel, or one of its points.
    void emit(const Choice& choice) {
        const Instance& kernel = *choice.kernels[0];
        std::vector<ValueId> operands = arguments;
        std::vector<ir::Type> results;
        for (const int64_t number : written) {
            ir::Type& type = results.emplace_back(b.type_of(arguments[static_cast<size_t>(number)]));
            type.mut = false;
        }
        const std::vector<ValueId> keys = random_arguments(b, *b.kernels->find(kernel.name));
        operands.insert(operands.end(), keys.begin(), keys.end());
        std::vector<std::string> names;
        for (const sema::SymbolInfo& symbol : kernel.symbols) {
            for (const sema::DimBinding& binding : info.bindings) {
                if (binding.symbol != symbol.name) continue;
                names.push_back(symbol.name);
                operands.push_back(b.index(b.dimension(binding.value)));
            }
        }
        operands.insert(operands.end(), groups.begin(), groups.end());
        ir::Attrs attrs{{Attr::callee, kernel.name}, {Attr::count, static_cast<int64_t>(groups.size())}};
        if (!names.empty()) attrs.set(Attr::names, names);
        std::vector<std::string> points;
        for (const Instance* point : choice.kernels) points.push_back(point->name);
        if (!written.empty()) attrs.set(Attr::written, written);
        if (gives_scalar()) results.push_back(ir_type(header.result));
        const ir::OpId op = b.emit.op_giving(OpKind::launch, std::move(operands), results, std::move(attrs));
        ir::LaunchOp::set_points(b.function().op(op), points);
        const std::vector<ValueId>& given = b.function().op(op).results;
        for (size_t i = 0; i < values.size(); ++i) b.set(values[i], Val::ssa(given[i], b.type_of(given[i]).elem));
        if (gives_scalar()) b.set(result, Val::ssa(given.back(), header.result.elem()));
    }

    // The choices from `first` on: the tensors' own extents choose, one that none has ends the program.
    void choose(size_t first) {
        if (first == choices.size()) return refuse();
        const Choice& choice = choices[first];
        ValueId holds;
        for (size_t i = 0; i < choice.extents.size(); ++i) {
            const ValueId wanted = b.emit.constant(choice.extents[i], DType::index);
            const ValueId same = b.emit.inferred(OpKind::eq, {extent(i), wanted});
            holds = holds.valid() ? b.emit.inferred(OpKind::bit_and, {holds, same}) : same;
        }
        if (!holds.valid()) return emit(choice);
        Body::OpenIf open = b.open_if(holds);
        b.in_side(open, 0, [&] { emit(choice); });
        b.in_side(open, 1, [&] { choose(first + 1); });
        b.close_if(open);
    }

    // The parameter that gives a dimension its value.
    [[nodiscard]] std::string binder(const std::string& dimension) const {
        for (const sema::SymbolInfo& symbol : header.symbols) {
            if (symbol.name == dimension) return header.parameters[symbol.parameter].name;
        }
        return dimension;
    }

    [[nodiscard]] ValueId extent(size_t dimension) const {
        for (const sema::DimBinding& binding : info.bindings) {
            if (binding.symbol == header.kernel.tuned_dimensions[dimension]) return b.index(b.dimension(binding.value));
        }
        return b.emit.constant(int64_t{0}, DType::index);
    }

    // Each extent is listed, but what they choose together does not fit.
    void refuse() {
        const std::string text = "kernel " + b.program.function(header.function).name +
                                 ": no point of its tuning space fits these dimensions";
        if (b.rules().new_values) return require_in_graph(b, b.emit.constant(int64_t{0}, DType::boolean), {}, text);
        host_effect(b, "fail", {}, {{Attr::text, text}});
    }
};

// The tensors' own extents, where the tuning space has them too, must be among its values.
void check_tuned_dimensions(Body& b, const Launcher& launcher) {
    const auto& dimensions = launcher.header.kernel.tuned_dimensions;
    for (size_t i = 0; i < dimensions.size(); ++i) {
        ValueId listed;
        std::string values;
        std::set<int64_t> seen;
        for (const Choice& choice : launcher.choices) {
            if (!seen.insert(choice.extents[i]).second) continue;
            values += (values.empty() ? "" : ", ") + std::to_string(choice.extents[i]);
            const ValueId value = b.emit.constant(choice.extents[i], DType::index);
            const ValueId same = b.emit.inferred(OpKind::eq, {launcher.extent(i), value});
            listed = listed.valid() ? b.emit.inferred(OpKind::bit_or, {listed, same}) : same;
        }
        const std::string& function = b.program.function(launcher.header.function).name;
        const std::string wanted = "one of " + dimensions[i] + " = " + values;
        if (b.rules().new_values) {
            require_in_graph(b, listed, {launcher.extent(i)},
                             fmt::format("{}: argument `{}` has size {{}} where {} is needed", function,
                                         launcher.binder(dimensions[i]), wanted));
            continue;
        }
        Body::OpenIf open = b.open_if(listed);
        b.in_side(open, 1, [&] {
            const ValueId none = b.emit.constant(int64_t{0}, DType::index);
            host_effect(
                b, "shape_failed", {launcher.extent(i), none},
                {{Attr::names, std::vector<std::string>{function, launcher.binder(dimensions[i]), wanted, "", ""}}});
        });
        b.close_if(open);
    }
}

// Which parameters one of the kernels that may be chosen writes.
std::vector<bool> written_by_some(Body& b, const Instance& header, const Launcher& launcher) {
    std::vector<bool> written(header.parameters.size());
    for (const Choice& choice : launcher.choices) {
        for (const Instance* kernel : choice.kernels) {
            const std::vector<bool> one = written_parameters(b, header, *kernel);
            for (size_t i = 0; i < one.size(); ++i) written[i] = written[i] || one[i];
        }
    }
    return written;
}

// Behind a launch in a graph: the variables that its arguments name hold what it wrote. Gives the value of the
// parameter that the kernel returns.
Val new_values(Body& b, const CallInfo& info, const Launcher& launcher, const std::vector<bool>& written,
               const std::vector<Val>& arguments) {
    const auto& returns = launcher.header.returned_parameter;
    Val returned = returns ? arguments[*returns] : Val{};
    size_t next = 0;
    for (size_t i = 0; i < written.size(); ++i) {
        if (!written[i]) continue;
        const Slot slot = launcher.values[next++];
        const Val value = b.get(slot);
        b.env.erase(slot);
        if (returns == i) returned = value;
        write_value(b, argument(b, info, i), value);
    }
    return returned;
}

// In a graph, of a kernel whose rule says what its derivative is.
Val call_as_values(Body& b, const ast::Expr& e, const CallInfo& info) {
    const Instance& kernel = b.program.instance(info.callee);
    std::vector<ValueId> operands = explicit_groups(b, info);
    const std::vector<Val> arguments = argument_values(b, info);
    const At at(b.emit, e.span);
    check_shapes(b, info, arguments);
    check_groups(b, info, operands);
    const CallLeaves leaves = leaves_of_call(b, info, arguments);
    operands.insert(operands.end(), leaves.arguments.begin(), leaves.arguments.end());
    const std::vector<ValueId> given =
        call_with_rule(b, b.program.instance(info.as_values), std::move(operands), leaves.dims);
    Val result = Val::none();
    size_t next = 0;
    for (size_t i = 0; i < kernel.parameters.size(); ++i) {
        if (!kernel.parameters[i].type.writable()) continue;
        const Val value = Val::ssa(given[next++]);
        write_value(b, argument(b, info, i), value);
        if (kernel.returned_parameter == i) result = value;
    }
    return gives_number(kernel) ? Val::ssa(given[next], kernel.result.elem()) : result;
}

}  // namespace

std::vector<ValueId> values_of_launch(Body& b, const Instance& made) {
    const sema::Derivation& derivation = *b.program.function(made.function).derived;
    const CallInfo& info = made.calls.at(derivation.call);
    const Instance& kernel = b.program.instance(info.callee);
    const Val number = launch(b, *b.expr(derivation.call), info);
    std::vector<ValueId> given;
    for (size_t i = 0; i < kernel.parameters.size(); ++i) {
        if (!kernel.parameters[i].type.writable()) continue;
        given.push_back(b.get(b.slot(variable_of_parameter(made, derivation.groups + i))).id);
    }
    if (gives_number(kernel)) given.push_back(b.scalar(number, kernel.result.elem()));
    return given;
}

Val launch(Body& b, const ast::Expr& e, const CallInfo& info) {
    if (info.as_values.valid()) return call_as_values(b, e, info);
    const Instance& kernel = b.program.instance(info.callee);
    const std::vector<ValueId> groups = explicit_groups(b, info);
    const std::vector<Val> arguments = argument_values(b, info);
    const At at(b.emit, e.span);
    check_shapes(b, info, arguments);
    check_groups(b, info, groups);
    Launcher launcher{b, info, kernel, choices_of(b, kernel), {}, groups, b.fresh_slot(), {}, {}};
    const bool values = b.rules().new_values;
    const std::vector<bool> written =
        values ? written_by_some(b, kernel, launcher) : written_parameters(b, kernel, *launcher.choices[0].kernels[0]);
    if (!values) check_overlaps(b, info, arguments, written);
    for (size_t i = 0; i < arguments.size(); ++i) {
        const sema::ParameterInfo& parameter = kernel.parameters[i];
        // What the kernel knows when it is compiled.
        if (parameter.value || parameter.type.is(Kind::none) || parameter.type.is(Kind::function)) continue;
        if (parameter.type.is(Kind::tensor) && values) {
            if (written[i]) launcher.written.push_back(static_cast<int64_t>(launcher.arguments.size()));
            if (written[i]) launcher.values.push_back(b.fresh_slot());
            launcher.arguments.push_back(arguments[i].id);
        } else if (parameter.type.is(Kind::tensor)) {
            launcher.arguments.push_back(kernel_argument(b, kernel, i, pairs_of(b, arguments[i].id), written[i]));
        } else {
            add_values(b, arguments[i], parameter.type, launcher.arguments);
        }
    }
    check_tuned_dimensions(b, launcher);
    launcher.choose(0);
    const Val returned = values ? new_values(b, info, launcher, written, arguments) : Val{};
    if (launcher.gives_scalar()) {
        const Val result = b.get(launcher.result);
        b.env.erase(launcher.result);
        return result;
    }
    if (!kernel.returned_parameter) return Val::none();
    return values ? returned : arguments[*kernel.returned_parameter];
}

}  // namespace tsr::elaborate
