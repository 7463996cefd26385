#include "sema/types/containers.h"

#include <algorithm>

#include "sema/types/numeric.h"

namespace tsr::sema {

// A type as an item of a container has it: nothing is known of the extents of tensors, so that all of one rank fit.
Type as_item(const Type& type) {
    if (type.is(Kind::tensor)) {
        std::vector<ir::Dim> shape(type.rank(), ir::Dim::symbol("_"));
        return type.with_shape(std::move(shape));
    }
    if (type == Type::index()) return Type::scalar(DType::i64);
    if (!type.is(Kind::tuple)) return stored(type);
    std::vector<Type> parts;
    for (const Type& part : type.parts()) parts.push_back(as_item(part));
    return Type::tuple(std::move(parts));
}

Type stored(const Type& type) {
    if (type.is(Kind::list)) return Type::list(as_item(type.parts()[0]), std::nullopt);
    if (type.is(Kind::dict)) return Type::dict(as_item(type.parts()[0]), as_item(type.parts()[1]));
    if (!type.is(Kind::tuple)) return type;
    std::vector<Type> parts;
    for (const Type& part : type.parts()) parts.push_back(stored(part));
    return Type::tuple(std::move(parts));
}

Type of_either_extent(const Type& a, const Type& b) {
    if (!a.is(Kind::tensor) || !b.is(Kind::tensor) || a.rank() != b.rank()) return b;
    std::vector<ir::Dim> shape = b.tensor().shape;
    for (size_t axis = 0; axis < shape.size(); ++axis) {
        if (!(shape[axis] == a.tensor().shape[axis])) shape[axis] = ir::Dim::symbol("_");
    }
    return b.with_shape(std::move(shape));
}

bool has_unknown_extents(const Type& type) {
    if (type.is(Kind::tuple)) return std::ranges::any_of(type.parts(), has_unknown_extents);
    return type.is(Kind::tensor) &&
           std::ranges::any_of(type.tensor().shape, [](const ir::Dim& dim) { return dim.symbol_name() == "_"; });
}

// A part of a tuple that has no type has an error.
bool names_no_type(const Type& type) {
    const bool holds_items = type.is(Kind::list) || type.is(Kind::dict);
    return (holds_items || type.is(Kind::tuple)) &&
           std::any_of(type.parts().begin(), type.parts().end(),
                       [&](const Type& part) { return (holds_items && part.is_unknown()) || names_no_type(part); });
}

bool is_item(const Type& type) {
    if (type.is(Kind::tuple)) return std::all_of(type.parts().begin(), type.parts().end(), is_item);
    for (Kind none : {Kind::none, Kind::name_space, Kind::module, Kind::range, Kind::type, Kind::launcher, Kind::dtype,
                      Kind::function, Kind::builtin}) {
        if (type.is(none)) return false;
    }
    return true;
}

bool holds_function_values(const Type& type) {
    if (type.is(Kind::tuple)) return std::any_of(type.parts().begin(), type.parts().end(), holds_function_values);
    return type.is(Kind::function) && !type.parts().empty();
}

bool is_ordered(const Type& type) {
    if (type.is(Kind::tuple) || type.is(Kind::list)) {
        return std::all_of(type.parts().begin(), type.parts().end(), is_ordered);
    }
    return type.is_number() || type.is(Kind::string) || type.is_bool() || type.is_unknown();
}

std::optional<Type> common_container(const Type& a, const Type& b) {
    auto joined = join(stored(a), stored(b));
    if (!joined) return std::nullopt;
    Type type = settled_type(*joined, {});
    return converts(stored(a), {}, type) && converts(stored(b), {}, type) ? std::optional(type) : std::nullopt;
}

}  // namespace tsr::sema
