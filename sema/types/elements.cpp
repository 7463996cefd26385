#include "sema/types/elements.h"

#include <algorithm>

namespace tsr::sema {

bool holds_elements(const Type& type) { return type.is(Kind::vector) || type.is(Kind::tile) || type.is(Kind::tensor); }

bool is_element(const Type& type) { return type.is_number() || type.is_bool() || holds_elements(type); }

Type element_type(const Type& type) {
    return holds_elements(type) ? Type::scalar(type.elem()).carrying(type.policy()) : type;
}

bool has_integers(const Type& type) { return element_type(type).is_integer(); }

bool has_floats(const Type& type) { return element_type(type).is_float(); }

bool has_bools(const Type& type) { return element_type(type).is_bool(); }

Type bool_like(const Type& type) {
    if (type.is(Kind::vector)) return Type::vector(DType::boolean, *type.length());
    if (type.is(Kind::tile)) return Type::tile(DType::boolean, type.tile_shape());
    if (type.is(Kind::tensor)) return new_tensor(Type::boolean(), type.shape());
    return Type::boolean();
}

std::optional<std::vector<int64_t>> broadcast(const std::vector<int64_t>& a, const std::vector<int64_t>& b) {
    std::vector<int64_t> shape(std::max(a.size(), b.size()));
    for (size_t i = 0; i < shape.size(); ++i) {
        const int64_t one = i < a.size() ? a[a.size() - 1 - i] : 1;
        const int64_t other = i < b.size() ? b[b.size() - 1 - i] : 1;
        if (one != other && one != 1 && other != 1) return std::nullopt;
        shape[shape.size() - 1 - i] = one == 1 ? other : one;
    }
    return shape;
}

namespace {

// Of two extents that are equal when the program runs: a number before a name, a name of the program before one that
// the compiler made, else the first.
const ir::Dim& plainer(const ir::Dim& a, const ir::Dim& b) {
    const auto rank = [](const ir::Dim& dim) {
        return dim.constant_value() ? 0 : dim.text().find("__") == std::string::npos ? 1 : 2;
    };
    return rank(b) < rank(a) ? b : a;
}

}  // namespace

std::optional<std::vector<ir::Dim>> broadcast(const std::vector<ir::Dim>& a, const std::vector<ir::Dim>& b) {
    const ir::Dim one = ir::Dim::constant(1);
    std::vector<ir::Dim> shape(std::max(a.size(), b.size()));
    for (size_t i = 0; i < shape.size(); ++i) {
        const ir::Dim& left = i < a.size() ? a[a.size() - 1 - i] : one;
        const ir::Dim& right = i < b.size() ? b[b.size() - 1 - i] : one;
        const bool repeats = left == one || right == one;
        if (!repeats && ir::compare(left, right) == ir::Equality::different) return std::nullopt;
        shape[shape.size() - 1 - i] = left == one ? right : right == one ? left : plainer(left, right);
    }
    return shape;
}

Type new_tensor(const Type& element, std::vector<ir::Dim> shape) {
    if (shape.empty()) return element;
    TensorDetail detail;
    detail.shape = std::move(shape);
    detail.policy = element.policy();
    detail.mut = true;
    return Type::tensor(element.elem(), std::move(detail));
}

bool repeats_to(const std::vector<int64_t>& shape, const std::vector<int64_t>& to) {
    return broadcast(shape, to) == to;
}

bool is_complex(const Type& type) { return is_complex_number(type) || is_complex_tensor(type); }

bool is_complex_number(const Type& type) { return type.is_scalar() && type.elem() == DType::c64; }

bool is_memory_of_kernel(const Type& type) { return type.is(Kind::buffer) || type.is(Kind::local); }

bool is_complex_tensor(const Type& type) { return type.is(Kind::tensor) && type.elem() == DType::c64; }

Type number_result(const Type& joined) {
    if (joined.is_literal()) return joined;
    const DType elem = result_type(joined.elem(), joined.policy());
    if (joined.is(Kind::tensor)) return new_tensor(Type::scalar(elem).carrying(joined.policy()), joined.shape());
    return joined.with_elem(elem);
}

DType number_compute(const Type& joined) {
    if (joined.is_literal()) return settled(joined, {});
    return compute_type(joined.elem(), joined.policy());
}

std::optional<DType> number_choice(const Type& type) {
    if (!type.is_scalar() && !holds_elements(type)) return std::nullopt;
    return choice_type(type.elem(), type.policy());
}

}  // namespace tsr::sema
