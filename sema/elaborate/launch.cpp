// Launches of kernels: explicit numbers of groups, the kernel's symbols from the shapes of its arguments, and the
// checks that could not be made at compile time.
#include "sema/elaborate/arithmetic.h"
#include "sema/elaborate/calls.h"
#include "sema/elaborate/expressions.h"
#include "sema/elaborate/host.h"
#include "sema/elaborate/types.h"

namespace tsr::elaborate {

using ir::Attr;
using ir::OpKind;
using ir::ValueId;
using sema::CallInfo;
using sema::Instance;
using sema::Kind;

void check_shapes(Body& b, const CallInfo& info, const std::vector<Val>& arguments) {
    const Instance& callee = b.program.instance(info.callee);
    const std::string& function = b.program.function(callee.function).name;
    for (const sema::DimCheck& check : info.checks) {
        if (check.parameter >= arguments.size()) continue;
        const Val& argument = arguments[check.parameter];
        const ValueId found = argument.is_ssa() && b.type_of(argument.id).kind == ir::TypeKind::tensor
                                  ? b.emit.value(OpKind::shape_of, {argument.id}, ir::Type::scalar(DType::index),
                                                 {{Attr::axis, static_cast<int64_t>(check.axis)}})
                                  : b.index(b.dimension(check.found));
        const ValueId expected = b.index(b.dimension(check.expected));
        Body::OpenIf open = b.open_if(b.emit.inferred(OpKind::ne, {found, expected}));
        b.in_side(open, 0, [&] {
            const std::string origin = check.origin ? callee.parameters[*check.origin].name : std::string();
            // What the other argument gave the header's dimension: of `n * 2` the `n`.
            ValueId bound = expected;
            for (const sema::DimBinding& binding : info.bindings) {
                if (binding.symbol == check.symbol) bound = b.index(b.dimension(binding.value));
            }
            const std::string& symbol = check.symbol.empty() ? check.header : check.symbol;
            host_effect(b, "shape_failed", {found, bound},
                        {{Attr::names, std::vector<std::string>{function, callee.parameters[check.parameter].name,
                                                                check.header, origin, symbol}}});
        });
        b.close_if(open);
    }
}

void check_declared_shape(Body& b, const std::vector<sema::DimCheck>& checks) {
    const sema::Instance& instance = b.instance();
    const std::string function = instance.function.valid() ? b.program.function(instance.function).name : "the module";
    for (const sema::DimCheck& check : checks) {
        const ValueId found = b.index(b.dimension(check.found));
        const ValueId expected = b.index(b.dimension(check.expected));
        Body::OpenIf open = b.open_if(b.emit.inferred(OpKind::ne, {found, expected}));
        b.in_side(open, 0, [&] {
            const std::string given = check.found.text();
            host_effect(
                b, "shape_failed", {found, expected},
                {{Attr::names, std::vector<std::string>{function, "the value", given, "its type", check.header}}});
        });
        b.close_if(open);
    }
}

namespace {

// Which of the kernel's parameters it may write.
std::vector<bool> written_parameters(Body& b, const Instance& kernel) {
    const ir::Function* function = b.kernels ? b.kernels->find(kernel.name) : nullptr;
    std::vector<bool> written;
    size_t next = 0;
    for (const sema::ParameterInfo& parameter : kernel.parameters) {
        const bool mut = parameter.type.is(Kind::tensor) && parameter.type.tensor().mut;
        written.push_back(mut && (!function || function->type(function->params()[next]).mut));
        next += !parameter.value;
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
    for (const ast::Expr* expr : info.groups) {
        const Val value = expression(b, *expr);
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

}  // namespace

Val launch(Body& b, const ast::Expr& e, const CallInfo& info) {
    const Instance& kernel = b.program.instance(info.callee);
    const std::vector<ValueId> groups = explicit_groups(b, info);
    const std::vector<Val> arguments = argument_values(b, info);
    const At at(b.emit, e.span);
    check_shapes(b, info, arguments);
    check_groups(b, info, groups);
    const std::vector<bool> written = written_parameters(b, kernel);
    check_overlaps(b, info, arguments, written);
    std::vector<ValueId> operands;
    for (size_t i = 0; i < arguments.size(); ++i) {
        const sema::ParameterInfo& parameter = kernel.parameters[i];
        if (parameter.value) continue;
        if (parameter.type.is(Kind::tensor)) {
            operands.push_back(kernel_argument(b, kernel, i, arguments[i].id, written[i]));
        } else {
            operands.push_back(b.handle(arguments[i], parameter.type));
        }
    }
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
    const bool scalar = kernel.result.is_scalar() && !kernel.returned_parameter;
    std::vector<ir::Type> results;
    if (scalar) results.push_back(ir_type(kernel.result));
    const ir::OpId op = b.emit.op(OpKind::launch, std::move(operands), results, std::move(attrs));
    if (scalar) return Val::ssa(b.function().op(op).results[0], kernel.result.elem());
    return kernel.returned_parameter ? arguments[*kernel.returned_parameter] : Val::none();
}

}  // namespace tsr::elaborate
