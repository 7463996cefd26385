#include "sema/elaborate/shape_checks.h"

#include <algorithm>

#include <fmt/format.h>

#include "sema/elaborate/dimensions.h"
#include "sema/elaborate/host.h"
#include "sema/types/nested_elements.h"

namespace tsr::elaborate {

using ir::Attr;
using ir::OpKind;
using ir::ValueId;
using sema::CallInfo;
using sema::Instance;

void require_in_graph(Body& b, ValueId holds, const std::vector<ValueId>& values, std::string text) {
    std::vector<ValueId> operands{holds};
    operands.insert(operands.end(), values.begin(), values.end());
    b.emit.op(OpKind::assert_, std::move(operands), {{Attr::text, std::move(text)}});
}

ValueId in_one_shape(Body& b, ValueId value, const ir::Type& wanted, const std::string& name) {
    const ir::Type found = b.type_of(value);
    if (b.function().level != ir::Level::graph || b.failed) return value;
    if (wanted.kind != ir::TypeKind::tensor || wanted.shape == found.shape) return value;
    const std::string what = name.empty() ? std::string("a value") : "`" + name + "`";
    bool one = found.kind == ir::TypeKind::tensor && found.shape.size() == wanted.shape.size();
    for (size_t axis = 0; one && axis < wanted.shape.size(); ++axis)
        one = ir::compare(found.shape[axis], wanted.shape[axis]) != ir::Equality::different;
    if (!one) {
        b.error("E0601", b.emit.span(),
                fmt::format("{} has other extents on another way through this, which is not compiled yet in a graph "
                            "function: {} and {}",
                            what, sema::readable(wanted.text()), sema::readable(found.text())))
            .note("where only the run chooses, a variable keeps its extents");
        return value;
    }
    for (size_t axis = 0; axis < wanted.shape.size(); ++axis) {
        if (ir::compare(found.shape[axis], wanted.shape[axis]) == ir::Equality::equal) continue;
        const ValueId here = b.index(b.function_dimension(found.shape[axis]));
        const ValueId there = b.index(b.function_dimension(wanted.shape[axis]));
        require_in_graph(b, b.emit.inferred(OpKind::eq, {here, there}), {here, there},
                         fmt::format("{} has size {{}} along axis {} here and {{}} on another way through this, where "
                                     "only the run chooses the way",
                                     what, axis));
    }
    return b.emit.inferred(OpKind::reshape, {value}, {{Attr::shape, wanted.shape}});
}

namespace {

// What another argument gave the header's dimension: of `n * 2` the `n`.
ValueId bound_by(Body& b, const CallInfo& info, const sema::DimCheck& check, ValueId otherwise) {
    for (const sema::DimBinding& binding : info.bindings) {
        if (binding.symbol == check.symbol) otherwise = b.index(b.dimension(binding.value));
    }
    return otherwise;
}

// Of one extent, in the words of the runtime.
void check_shape_in_graph(Body& b, const sema::DimCheck& check, const std::string& function,
                          const std::string& parameter, const std::string& origin) {
    const ValueId found = b.index(b.dimension(check.found));
    const ValueId expected = b.index(b.dimension(check.expected));
    const std::string text =
        origin.empty()
            ? fmt::format("{}: argument `{}` has size {{}} along axis {}, needs {{}}", function, parameter, check.axis)
            : fmt::format("{}: argument `{}` has `{}` = {{}}, but argument `{}` has `{}` = {{}}", function, parameter,
                          check.header, origin, check.symbol);
    require_in_graph(b, b.emit.inferred(OpKind::eq, {found, expected}), {found, expected}, text);
}

}  // namespace

void check_shapes(Body& b, const CallInfo& info, const std::vector<Val>& arguments) {
    const Instance& callee = b.program.instance(info.callee);
    const std::string& function = b.program.function(callee.function).name;
    for (const sema::DimCheck& check : info.checks) {
        if (check.parameter >= arguments.size()) continue;
        const Val argument = arguments[check.parameter].nested(check.element);
        const auto name = [&](size_t p, int element) {
            return callee.parameters[p].name + sema::text_of_element(element);
        };
        const std::string parameter = name(check.parameter, check.element);
        const std::string origin = check.origin ? name(*check.origin, check.origin_element) : std::string();
        if (b.rules().new_values) {
            check_shape_in_graph(b, check, function, parameter, origin);
            continue;
        }
        const ValueId found =
            argument.is_ssa() && b.type_of(argument.id).kind == ir::TypeKind::tensor
                ? b.emit.inferred(OpKind::shape_of, {argument.id}, {{Attr::axis, static_cast<int64_t>(check.axis)}})
                : b.index(b.dimension(check.found));
        const ValueId expected = checked_dimension(b, check.expected, [&] {
            host_effect(
                b, "quotient_failed", {bound_by(b, info, check, found)},
                {{Attr::names, std::vector<std::string>{function, parameter, check.header, origin, check.symbol}}});
        });
        Body::OpenIf open = b.open_if(b.emit.inferred(OpKind::ne, {found, expected}));
        b.in_side(open, 0, [&] {
            const std::string& symbol = check.symbol.empty() ? check.header : check.symbol;
            host_effect(b, "shape_failed", {found, bound_by(b, info, check, expected)},
                        {{Attr::names, std::vector<std::string>{function, parameter, check.header, origin, symbol}}});
        });
        b.close_if(open);
    }
}

void check_declared_shape(Body& b, const std::vector<sema::DimCheck>& checks) {
    const sema::Instance& instance = b.instance();
    const std::string function = instance.function.valid() ? b.program.function(instance.function).name : "the module";
    for (const sema::DimCheck& check : checks) {
        if (b.function().level == ir::Level::graph) {
            assert_extent(b, check);
            continue;
        }
        const ValueId found = b.index(b.dimension(check.found));
        const ValueId expected = checked_dimension(b, check.expected, [&] {
            host_effect(b, "quotient_failed", {found},
                        {{Attr::names, std::vector<std::string>{function, "", sema::readable(check.header), "", ""}}});
        });
        Body::OpenIf open = b.open_if(b.emit.inferred(OpKind::ne, {found, expected}));
        b.in_side(open, 0, [&] {
            host_effect(b, "shape_failed", {found, expected},
                        {{Attr::names, std::vector<std::string>{function, "", sema::readable(check.header), "", ""}}});
        });
        b.close_if(open);
    }
}

Val in_declared_shape(Body& b, const Val& value, const sema::Type& type) {
    if (b.function().level != ir::Level::graph || b.takes_operands()) return value;
    if (type.is(sema::Kind::tuple) && value.parts.size() == type.parts().size()) {
        Val parts = value;
        for (size_t i = 0; i < parts.parts.size(); ++i)
            parts.parts[i] = in_declared_shape(b, parts.parts[i], type.parts()[i]);
        return parts;
    }
    if (!type.is(sema::Kind::tensor) || !value.is_ssa()) return value;
    const std::vector<ir::Dim> shape = b.type_of(value.id).shape;
    if (shape.size() != type.rank()) return value;
    std::vector<ir::Dim> declared;
    const std::vector<std::string>& symbols = b.function().symbols;
    for (const ir::Dim& extent : type.shape()) {
        declared.push_back(dim_in_function(b, extent));
        const auto is_known = [&](const std::string& name) {
            return std::ranges::find(symbols, name) != symbols.end();
        };
        if (!std::ranges::all_of(declared.back().symbols(), is_known)) return value;
    }
    if (declared == shape) return value;
    Val result = value;
    result.id = b.emit.inferred(OpKind::reshape, {value.id}, {{Attr::shape, declared}});
    return result;
}

}  // namespace tsr::elaborate
