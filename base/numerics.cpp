#include "base/numerics.h"

namespace tsr {

std::optional<DType> join(DType a, DType b) {
    const auto joins_index = [](DType t) { return is_integer(t) && is_signed(t); };
    if (a == b) return a;
    if (a == DType::index && joins_index(b)) return a;
    if (b == DType::index && joins_index(a)) return b;
    if (widens_exactly(a, b)) return b;
    if (widens_exactly(b, a)) return a;
    return std::nullopt;
}

bool may_stand_for(DType from, DType to) {
    const bool index_stored = from == DType::index && is_integer(to) && is_signed(to);
    return index_stored || widens_exactly(from, to);
}

DType compute_type(DType joined, const Policy& policy) {
    if (is_float(joined) && bits(joined) <= 16) return policy.compute.value_or(DType::f32);
    return joined == DType::i4 ? DType::i8 : joined;
}

DType result_type(DType joined, const Policy& policy) {
    return is_storage_only(joined) || joined == DType::i4 ? compute_type(joined, policy) : joined;
}

DType choice_type(DType type, const Policy& policy) {
    return join(type, compute_type(type, policy)).value_or(DType::f32);
}

DType accumulation_type(DType elem, const Policy& policy) {
    if (policy.accum) return *policy.accum;
    if (is_float(elem)) return elem == DType::f64 ? DType::f64 : DType::f32;
    if (elem == DType::index) return DType::index;
    return bits(elem) <= 8 ? DType::i32 : DType::i64;
}

DType accumulated_type(DType elem, const Policy& policy) {
    const bool narrow = is_integer(elem) || bits(elem) < 16;
    return narrow ? accumulation_type(elem, policy) : elem;
}

DType derivative_type(DType elem) { return accumulation_type(elem, {}); }
DType gradient_type(DType elem) { return accumulated_type(elem, {}); }

namespace {

bool is_small_integer(DType type) { return is_integer(type) && bits(type) <= 8; }

}  // namespace

std::optional<DType> product_type(DType a, DType b) {
    if (is_small_integer(a) && is_small_integer(b)) return a;
    if (is_storage_only(a) && is_storage_only(b)) return a;
    return is_float(a) && is_float(b) ? join(a, b) : std::nullopt;
}

bool keeps_factors(DType product) { return is_small_integer(product) || is_storage_only(product); }

bool accumulates_in(DType product, DType accum) {
    return is_float(product) ? is_float(accum) && !is_storage_only(accum) : accum == DType::i32;
}

std::optional<DType> unrounded_type(DType held, DType stored) {
    if (!is_float(held) || !is_float(stored) || held == stored) return std::nullopt;
    const DType wide = held == DType::f64 ? DType::f64 : DType::f32;
    if (bits(stored) >= bits(wide)) return std::nullopt;
    return wide;
}

}  // namespace tsr
