#include "sema/functions/bind_dimensions.h"

#include <algorithm>

#include <fmt/format.h>

#include "sema/types/nested_elements.h"
#include "sema/types/solve.h"

namespace tsr::sema {

namespace {

// An axis of a tensor that is a parameter, or stands in a tuple that is one.
struct Place {
    size_t parameter, axis;
    int element;  // `nested_element`; -1: the parameter itself
    ir::Dim dim;
};

void add_places(const Type& type, size_t parameter, int element, std::vector<Place>& places) {
    for (size_t axis = 0; type.is(Kind::tensor) && axis < type.rank(); ++axis) {
        const ir::Dim& dim = type.tensor().shape[axis];
        const bool is_item = element >= 0 && dim.symbol_name() == "_";  // of which nothing is known
        if (!is_item) places.push_back({parameter, axis, element, dim});
    }
    for (size_t i = 0; type.is(Kind::tuple) && i < type.parts().size(); ++i) {
        if (has_nested_element(element, i)) add_places(type.parts()[i], parameter, nested_element(element, i), places);
    }
}

std::vector<Place> places_of(const Instance& instance) {
    std::vector<Place> places;
    for (size_t p = 0; p < instance.parameters.size(); ++p) add_places(instance.parameters[p].type, p, -1, places);
    return places;
}

std::vector<std::string> unknown_in(const Body& b, const ir::Dim& dim) {
    std::vector<std::string> unknown;
    for (const std::string& name : dim.symbols()) {
        if (!b.find_symbol(name)) unknown.push_back(name);
    }
    return unknown;
}

void add_symbol(Instance& instance, std::string name, SymbolInfo::Source source, const Place& place) {
    SymbolInfo symbol;
    symbol.name = std::move(name);
    symbol.source = source;
    symbol.parameter = place.parameter;
    symbol.axis = place.axis;
    symbol.element = place.element;
    symbol.extent = place.dim;
    instance.symbols.push_back(std::move(symbol));
}

// Whether a shape in the type names it.
bool has_extent_of(const Type& type, const std::string& name) {
    if (type.is(Kind::tensor))
        return std::ranges::any_of(type.tensor().shape, [&](const ir::Dim& dim) { return mentions(dim, name); });
    return type.is(Kind::tuple) &&
           std::ranges::any_of(type.parts(), [&](const Type& part) { return has_extent_of(part, name); });
}

Type renamed(const Type& type, const ir::Dim& from, const ir::Dim& to) {
    if (!type.is(Kind::tensor)) return type;
    std::vector<ir::Dim> shape = type.tensor().shape;
    std::ranges::replace(shape, from, to);
    return type.with_shape(std::move(shape));
}

void set_type(Body& b, size_t parameter, const Type& type) {
    b.instance.parameters[parameter].type = b.instance.variables[parameter].type = b.slots[parameter].settled = type;
    b.slots[parameter].joined = b.slots[parameter].given = type;
    b.slots[parameter].once->type = type;
}

// Of tensors in a tuple: extents that nothing else of the header binds are known where an element is read, as in
// containers.
Type with_bound_extents(const Body& b, const Type& type) {
    if (type.is(Kind::tuple)) {
        std::vector<Type> parts;
        for (const Type& part : type.parts()) parts.push_back(with_bound_extents(b, part));
        return Type::tuple(std::move(parts));
    }
    if (!type.is(Kind::tensor)) return type;
    std::vector<ir::Dim> shape = type.tensor().shape;
    for (ir::Dim& dim : shape) {
        if (!unknown_in(b, dim).empty()) dim = ir::Dim::symbol("_");
    }
    return type.with_shape(std::move(shape));
}

}  // namespace

// An integer parameter with a dimension's name is that dimension.
static void bind_integer_parameters(Body& b) {
    std::vector<Place> places = places_of(b.instance);
    for (size_t p = 0; p < b.instance.parameters.size(); ++p) {
        ParameterInfo& info = b.instance.parameters[p];
        bool named = std::ranges::any_of(places, [&](const Place& place) { return mentions(place.dim, info.name); });
        named |= b.result_type && has_extent_of(*b.result_type, info.name);
        const auto names_it = [&](const ir::Dim& dim) { return mentions(dim, info.name); };
        for (const ParameterInfo& other : b.instance.parameters)
            named |= std::ranges::any_of(other.values_shape, names_it);
        info.is_dimension = info.is_dimension && named && !info.is_static;
        if (!info.is_dimension) continue;
        add_symbol(b.instance, info.name, SymbolInfo::Source::parameter, {p, 0, -1, ir::Dim::symbol(info.name)});
        if (b.slots[p].once) b.slots[p].once->dim = ir::Dim::symbol(info.name);
    }
}

// A dimension with unknowns that nothing determines: one symbol of its own, or a mistake.
static void bind_opaque(Body& b, size_t parameter, size_t axis, const ir::Dim& dim) {
    std::vector<std::string> unknown = unknown_in(b, dim);
    if (unknown.empty()) return;
    for (const std::string& name : unknown) b.opaque_names[name] = dim.text();
    if (unknown.size() == 1) {
        const ast::Expr& written = *b.expr(b.instance.parameters[parameter].annotation);
        b.opaque_names[unknown[0]].clear();  // nothing more is said of it
        b.error("E0313", written.span, fmt::format("`{}` does not determine `{}`", dim.text(), unknown[0]))
            .note("a name is bound where it stands alone, or in `K/tp`, `n+1`, `2*n`");
        return;
    }
    const std::string name = dim.text();  // `B*H` is a name
    const ir::Dim symbol = ir::Dim::symbol(name);
    if (!b.find_symbol(name)) add_symbol(b.instance, name, SymbolInfo::Source::axis, {parameter, axis, -1, symbol});
    for (size_t p = 0; p < b.instance.parameters.size(); ++p) {
        set_type(b, p, renamed(b.slots[p].settled, dim, symbol));
    }
    if (b.result_type) b.instance.result = *(b.result_type = renamed(*b.result_type, dim, symbol));
}

// Extents of tensors beside their scales: the values are read where the function begins, and the others compared there.
static void bind_values_shapes(Body& b) {
    for (size_t p = 0; p < b.instance.parameters.size(); ++p) {
        const std::vector<ir::Dim>& shape = b.instance.parameters[p].values_shape;
        for (size_t axis = 0; axis < shape.size(); ++axis) {
            const std::vector<std::string> unknown = unknown_in(b, shape[axis]);
            if (unknown.empty()) continue;
            if (shape[axis].symbol_name()) {
                add_symbol(b.instance, unknown[0], SymbolInfo::Source::expression, {p, axis, -1, shape[axis]});
                continue;
            }
            b.error("E0313", b.expr(b.instance.parameters[p].annotation)->span,
                    fmt::format("`{}` does not determine `{}`", shape[axis].text(), unknown[0]))
                .note("of a tensor beside its scales a name is bound where it stands alone");
            return;
        }
    }
}

void bind_dimensions(Body& b) {
    bind_integer_parameters(b);
    const std::vector<Place> places = places_of(b.instance);
    for (const Place& place : places) {
        const auto name = place.dim.symbol_name();
        if (name && !b.find_symbol(*name)) add_symbol(b.instance, *name, SymbolInfo::Source::axis, place);
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (const Place& place : places) {
            std::vector<std::string> unknown = unknown_in(b, place.dim);
            if (unknown.size() != 1 || !solve(place.dim, unknown[0], ir::Dim::constant(1))) continue;
            add_symbol(b.instance, unknown[0], SymbolInfo::Source::axis, place);
            changed = true;
        }
    }
    for (const Place& place : places) {
        if (place.element < 0) bind_opaque(b, place.parameter, place.axis, place.dim);
    }
    bind_values_shapes(b);
    for (size_t p = 0; b.rules().host_objects && p < b.instance.parameters.size(); ++p) {
        const Type& type = b.instance.parameters[p].type;
        if (type.is(Kind::tuple)) set_type(b, p, with_bound_extents(b, type));
    }
}

}  // namespace tsr::sema
