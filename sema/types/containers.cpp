#include "sema/types/containers.h"

#include <algorithm>

#include "sema/types/numeric.h"
#include "sema/types/writable_types.h"

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

Type without_extents(const Type& type) {
    if (type.is(Kind::tensor)) return as_item(type);
    if (type.is(Kind::list)) return Type::list(without_extents(type.parts()[0]), type.length());
    if (!type.is(Kind::tuple) && !type.is_keyed_dict()) return type;
    std::vector<Type> parts;
    for (const Type& part : type.parts()) parts.push_back(without_extents(part));
    return type.is(Kind::tuple) ? Type::tuple(std::move(parts))
                                : Type::record_like(type, std::move(parts), type.writable());
}

std::optional<Type> common_item(const std::vector<Type>& items) {
    const auto joined = [&](Type (*as)(const Type&)) {
        std::optional<Type> all;
        for (size_t i = 0; i < items.size() && (i == 0 || all); ++i)
            all = all ? join(*all, as(items[i])) : as(items[i]);
        return all;
    };
    const auto same = joined([](const Type& type) { return type; });
    return same ? same : joined(without_extents);
}

Type any_length(const Type& list) { return Type::list(list.parts()[0], std::nullopt); }

Type without_lengths(const Type& type) {
    if (type.is(Kind::list)) return Type::list(without_lengths(type.parts()[0]), std::nullopt);
    if (type.is(Kind::dict)) return Type::dict(type.parts()[0], without_lengths(type.parts()[1]));
    if (!type.is(Kind::tuple)) return type;
    std::vector<Type> parts;
    for (const Type& part : type.parts()) parts.push_back(without_lengths(part));
    return Type::tuple(std::move(parts));
}

Type stored(const Type& type) {
    if (type.is(Kind::list)) return Type::list(as_item(type.parts()[0]), type.length());
    if (type.is(Kind::dict)) return Type::dict(as_item(type.parts()[0]), as_item(type.parts()[1]));
    const bool keyed = type.is_keyed_dict();
    if (!type.is(Kind::tuple) && !keyed) return type;
    std::vector<Type> parts;
    for (const Type& part : type.parts()) parts.push_back(keyed ? as_item(part) : stored(part));
    return keyed ? Type::record_like(type, std::move(parts), type.writable()) : Type::tuple(std::move(parts));
}

std::optional<Type> with_any_keys(const Type& keyed) {
    std::optional<Type> value;
    for (const Type& part : keyed.parts()) {
        value = value ? join(*value, as_item(part)) : as_item(part);
        if (!value) return std::nullopt;
    }
    return Type::dict(Type::string(), value.value_or(Type::unknown()));
}

std::string parts_form(const Type& keyed, const std::string& method) {
    std::string form = method;
    for (size_t i = 1; i < keyed.names().size(); ++i) form += " " + Static::of(keyed.names()[i]).text();
    return form;
}

Type of_either_extent(const Type& a, const Type& b) {
    if (a.is(Kind::tuple) && b.is(Kind::tuple) && a.parts().size() == b.parts().size()) {
        std::vector<Type> parts;
        for (size_t i = 0; i < b.parts().size(); ++i) parts.push_back(of_either_extent(a.parts()[i], b.parts()[i]));
        return Type::tuple(std::move(parts));
    }
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

bool has_form(const Type& given, const Type& declared) {
    const Type found = without_extents(given.with_mut(false)), wanted = without_extents(declared.with_mut(false));
    const auto all = [&](const auto& fits) {
        for (size_t i = 0; i < found.parts().size(); ++i) {
            if (!has_form(found.parts()[i], fits(i))) return false;
        }
        return true;
    };
    if (found.is_keyed_dict() && wanted.is(Kind::dict)) return all([&](size_t) { return wanted.parts()[1]; });
    if (found.is(Kind::list) && wanted.is(Kind::list)) return has_form(found.parts()[0], wanted.parts()[0]);
    if (found.is(Kind::tuple) && wanted.is(Kind::tuple) && found.parts().size() == wanted.parts().size())
        return all([&](size_t i) { return wanted.parts()[i]; });
    return converts(found, {}, wanted);
}

bool leaves_form(const Type& declared) {
    return declared.is(Kind::list) || declared.is(Kind::dict) ||
           (declared.is(Kind::tuple) && std::ranges::any_of(declared.parts(), leaves_form));
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
