#include "sema/types/numeric.h"

#include <cmath>

#include <fmt/format.h>

#include "sema/types/containers.h"

namespace tsr::sema {

DType settled(const Static& value) {
    if (value.boolean()) return DType::boolean;
    if (!value.is_integer()) return DType::f32;
    if (holds(DType::i32, value)) return DType::i32;
    return holds(DType::i64, value) ? DType::i64 : DType::u64;
}

DType settled(const Type& type, const std::optional<Static>& value) {
    if (type.is(Kind::float_literal)) return DType::f32;
    if (!type.is(Kind::int_literal)) return type.elem();
    return value ? settled(*value) : DType::i32;
}

Type settled_type(const Type& type, const std::optional<Static>& value) {
    if (type.is_literal()) return Type::scalar(settled(type, value));
    if (type.is(Kind::list)) return Type::list(settled_type(type.parts()[0], {}), type.length());
    if (type.is(Kind::dict)) return Type::dict(settled_type(type.parts()[0], {}), settled_type(type.parts()[1], {}));
    if (type.is(Kind::tuple)) {
        std::vector<Type> parts;
        const auto* values = value ? value->tuple() : nullptr;
        for (size_t i = 0; i < type.parts().size(); ++i) {
            std::optional<Static> part;
            if (values && i < values->size()) part = (*values)[i];
            parts.push_back(settled_type(type.parts()[i], part));
        }
        return Type::tuple(std::move(parts));
    }
    return type;
}

namespace {

bool integer_holds(DType type, const Static& number) {
    const auto* large = std::get_if<uint64_t>(&number.value);
    if (large) return type == DType::u64;
    int64_t v = *number.integer();
    if (!is_signed(type)) {
        if (v < 0) return false;
        return type == DType::u64 || v < (int64_t{1} << bits(type));
    }
    if (bits(type) >= 64) return true;
    int64_t limit = int64_t{1} << (bits(type) - 1);
    return v >= -limit && v < limit;
}

}  // namespace

bool holds(DType type, const Static& number) {
    if (!number.is_integer()) return is_float(type);
    if (is_integer(type)) return integer_holds(type, number);
    if (!is_float(type)) return false;
    double v = *number.real();
    int digits = type == DType::f64 ? 53 : 24;
    return std::fabs(v) <= std::ldexp(1.0, digits) ||
           (type != DType::f64 && v == static_cast<double>(static_cast<float>(v)));
}

namespace {

std::optional<Type> join_literal(const Type& literal, const std::optional<Static>& value, const Type& other) {
    if (other.is_literal()) return literal.is(Kind::float_literal) ? literal : other;
    if (!other.is_scalar() || other.is_bool()) return std::nullopt;
    const DType elem = other.elem() == DType::c64 ? DType::f32 : other.elem();  // the real part
    if (literal.is(Kind::float_literal) && !is_float(elem)) return std::nullopt;
    if (!is_integer(elem) && !is_float(elem)) return std::nullopt;
    if (value && !holds(elem, *value)) return std::nullopt;
    return other;
}

std::optional<Type> join_tensor(const Type& a, const Type& b) {
    if (a.elem() != b.elem() || a.rank() != b.rank()) return std::nullopt;
    if (policy_conflict(a.policy(), b.policy())) return std::nullopt;
    for (size_t i = 0; i < a.rank(); ++i) {
        if (a.tensor().shape[i] != b.tensor().shape[i]) return std::nullopt;
    }
    const Scaling scaling = a.tensor().scaling == b.tensor().scaling ? a.tensor().scaling : Scaling{};
    return a.with_mut(a.tensor().mut && b.tensor().mut).with_policy(join_policies(a.policy(), b.policy()), scaling);
}

std::optional<Type> join_parts(const Type& a, const Type& b) {
    if (a.parts().size() != b.parts().size()) return std::nullopt;
    std::vector<Type> parts;
    for (size_t i = 0; i < a.parts().size(); ++i) {
        auto part = join(a.parts()[i], b.parts()[i]);
        if (!part) return std::nullopt;
        // An empty container takes what the other holds.
        if (!a.is(Kind::tuple) && a.parts()[i].is_unknown()) part = b.parts()[i];
        if (!a.is(Kind::tuple) && b.parts()[i].is_unknown()) part = a.parts()[i];
        parts.push_back(*part);
    }
    if (a.is(Kind::tuple)) return Type::tuple(std::move(parts));
    if (a.is(Kind::dict)) return Type::dict(parts[0], parts[1]);
    return Type::list(parts[0], a.length() == b.length() ? a.length() : std::nullopt);
}

bool has_elements_of_its_own(const Type& type) { return type.is(Kind::tensor) || type.is_scalar(); }

// Of dictionaries: one that takes any keys.
std::optional<Type> join_dicts(const Type& a, const Type& b) {
    const auto one = a.is(Kind::dict) ? a : with_any_keys(a);
    const auto other = b.is(Kind::dict) ? b : with_any_keys(b);
    return one && other ? join_parts(*one, *other) : std::nullopt;
}

// Where different tensors of two records may be written, neither is given other tensors through the common type.
std::optional<Type> join_records(const Type& a, const Type& b) {
    if (a.function_id() != b.function_id()) return std::nullopt;
    if (a.names() != b.names()) return join_dicts(a, b);
    std::vector<Type> fields;
    for (size_t i = 0; i < a.parts().size(); ++i) {
        auto field = join(a.parts()[i], b.parts()[i]);
        if (!field) return std::nullopt;
        fields.push_back(*field);
    }
    const bool mut = a.writable() && b.writable() && a.parts() == b.parts();
    return Type::record_like(a, std::move(fields), mut);
}

bool converts_record(const Type& from, const Type& to) {
    if (from.function_id() != to.function_id() || from.names() != to.names() || other_field(from, to)) return false;
    if (to.writable()) return from == to;
    for (size_t i = 0; i < to.parts().size(); ++i) {
        const Type &given = from.parts()[i], &wanted = to.parts()[i];
        if (wanted.is(Kind::record) && !converts_record(given, wanted)) return false;
        if (wanted.is(Kind::tensor) && wanted.writable() && !given.writable()) return false;
    }
    return true;
}

// Whether a container may stand for one of another type: items are not converted, so they are of the same type, or of
// none yet.
bool holds_same(const Type& from, const Type& to) {
    if (from == to || from.is_unknown() || to.is_unknown()) return true;
    if (from.is_literal()) return converts(from, {}, to);
    const bool parted = from.is(Kind::list) || from.is(Kind::dict) || from.is(Kind::tuple);
    if (from.is(Kind::tensor) || from.is(Kind::record)) return join(from, to).has_value();
    if (!parted || from.kind() != to.kind() || from.parts().size() != to.parts().size()) return false;
    for (size_t i = 0; i < from.parts().size(); ++i) {
        if (!holds_same(from.parts()[i], to.parts()[i])) return false;
    }
    return true;
}

}  // namespace

std::string part_text(const Type& tree, size_t i) {
    if (!tree.is(Kind::record)) return fmt::format("[{}]", i);
    const std::string& name = tree.names()[i + 1];
    return tree.is_keyed_dict() ? fmt::format("[{}]", Static::of(name).text()) : "." + name;
}

std::optional<OtherField> other_field(const Type& from, const Type& to) {
    for (size_t i = 0; i < to.parts().size() && i < from.parts().size(); ++i) {
        const Type &given = from.parts()[i], &wanted = to.parts()[i];
        const std::string name = part_text(to, i);
        const bool inner = wanted.is(Kind::record) || wanted.is(Kind::tuple);
        if (inner && given.kind() == wanted.kind()) {
            if (auto found = other_field(given, wanted)) {
                found->path.insert(0, name);
                return found;
            }
        }
        const bool both = has_elements_of_its_own(given) && has_elements_of_its_own(wanted);
        const bool tensors = given.is(Kind::tensor) && wanted.is(Kind::tensor);
        if (both && given.elem() != wanted.elem()) return OtherField{name, given, wanted};
        if (tensors && given.rank() != wanted.rank()) return OtherField{name, given, wanted};
    }
    return std::nullopt;
}

std::optional<Type> join(const Type& a, const Type& b, const std::optional<Static>& a_value,
                         const std::optional<Static>& b_value) {
    if (a.is_unknown()) return b;
    if (b.is_unknown()) return a;
    if (a == b) return a;
    if (a.is_literal()) return join_literal(a, a_value, b);
    if (b.is_literal()) return join_literal(b, b_value, a);
    if (a.is_scalar() && b.is_scalar()) {
        auto elem = join(a.elem(), b.elem());
        if (!elem || policy_conflict(a.policy(), b.policy())) return std::nullopt;
        return Type::scalar(*elem).carrying(join_policies(a.policy(), b.policy()));
    }
    const bool dicts = (a.is(Kind::dict) && b.is_keyed_dict()) || (a.is_keyed_dict() && b.is(Kind::dict));
    if (dicts) return join_dicts(a, b);
    if (a.kind() != b.kind()) return std::nullopt;
    if (a.is(Kind::vector)) {
        auto elem = join(a.elem(), b.elem());
        if (!elem || a.length() != b.length() || policy_conflict(a.policy(), b.policy())) return std::nullopt;
        return Type::vector(*elem, *a.length()).carrying(join_policies(a.policy(), b.policy()));
    }
    if (a.is(Kind::tile)) {
        auto elem = join(a.elem(), b.elem());
        if (!elem || a.tile_shape() != b.tile_shape() || policy_conflict(a.policy(), b.policy())) return std::nullopt;
        return Type::tile(*elem, a.tile_shape()).carrying(join_policies(a.policy(), b.policy()));
    }
    if (a.is(Kind::tensor)) return join_tensor(a, b);
    if (a.is(Kind::record)) return join_records(a, b);
    if (a.is(Kind::list) || a.is(Kind::tuple) || a.is(Kind::dict)) return join_parts(a, b);
    return std::nullopt;
}

bool converts(const Type& from, const std::optional<Static>& value, const Type& to) {
    if (from.is_unknown() || to.is_unknown()) return true;
    if (to.is_literal()) {
        return from.is(Kind::int_literal) || (from.is(Kind::float_literal) && to.is(Kind::float_literal));
    }
    if (from.is_literal()) {
        auto joined = join(from, to, value, {});
        return joined && joined->is_scalar();
    }
    if (from.is_scalar() && to.is_scalar()) {
        return may_stand_for(from.elem(), to.elem()) && !policy_conflict(from.policy(), to.policy());
    }
    // In a container nothing is known of the extents.
    if (from.is(Kind::tensor) && to.is(Kind::tensor) && from.rank() == to.rank()) {
        std::vector<ir::Dim> shape = from.tensor().shape;
        for (size_t axis = 0; axis < shape.size(); ++axis) {
            if (to.tensor().shape[axis].symbol_name() == "_") shape[axis] = to.tensor().shape[axis];
        }
        const Type known = from.with_shape(std::move(shape));
        return join(known, to).has_value() && (from.tensor().mut || !to.tensor().mut);
    }
    if (from.is(Kind::record) && to.is(Kind::record)) return converts_record(from, to);
    if (from.is(Kind::tuple) && to.is(Kind::tuple)) {
        if (from.parts().size() != to.parts().size()) return false;
        for (size_t i = 0; i < to.parts().size(); ++i) {
            if (!converts(from.parts()[i], {}, to.parts()[i])) return false;
        }
        return true;
    }
    // Two objects: what is put into one is not seen in the other.
    if (from.is(Kind::record) || to.is(Kind::record)) return false;
    auto joined = join(from, to, value, {});
    if (!joined) return false;
    if (to.is(Kind::list) && to.length()) return to.length() == from.length();  // registers of a kernel
    if (to.is(Kind::list) || to.is(Kind::dict)) return holds_same(from, to);
    return *joined == to || joined->elem() == to.elem();
}

}  // namespace tsr::sema
