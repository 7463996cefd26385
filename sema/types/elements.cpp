#include "sema/types/elements.h"

#include <algorithm>

namespace tsr::sema {

bool holds_elements(const Type& type) { return type.is(Kind::vector) || type.is(Kind::tile); }

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

bool repeats_to(const std::vector<int64_t>& shape, const std::vector<int64_t>& to) {
    return broadcast(shape, to) == to;
}

Type number_result(const Type& joined) {
    if (joined.is_literal()) return joined;
    return joined.with_elem(result_type(joined.elem(), joined.policy()));
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
