#include "ir/law/scalar.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "ir/law/float_arithmetic.h"
#include "ir/law/float_format.h"

namespace tsr::ir {

namespace {

// ---- integers ----

int width_of(DType type) { return type == DType::boolean ? 1 : bits(type); }

uint64_t divide_down(DType type, Bits a, Bits b) {
    if (b == 0) return 0;
    if (!is_signed(type)) return a / b;
    const auto x = static_cast<int64_t>(a);
    const auto y = static_cast<int64_t>(b);
    if (y == -1) return 0 - a;
    const int64_t quotient = x / y;
    return static_cast<uint64_t>(quotient * y != x && (x < 0) != (y < 0) ? quotient - 1 : quotient);
}

// A negative power is the reciprocal rounded toward zero.
uint64_t integer_power(DType type, Bits base, Bits power) {
    if (is_signed(type) && static_cast<int64_t>(power) < 0) {
        if (base == 1) return 1;
        if (static_cast<int64_t>(base) == -1) return (power & 1) != 0 ? base : 1;
        return 0;
    }
    uint64_t result = 1;
    for (; power != 0; power >>= 1) {
        if ((power & 1) != 0) result *= base;
        base *= base;
    }
    return result;
}

bool out_of_shift(DType type, Bits by) {
    const bool negative = is_signed(type) && static_cast<int64_t>(by) < 0;
    return negative || by >= static_cast<uint64_t>(width_of(type));
}

uint64_t shift_right(DType type, Bits value, Bits by) {
    const bool negative = is_signed(type) && static_cast<int64_t>(value) < 0;
    if (out_of_shift(type, by)) return negative ? ~uint64_t{0} : 0;
    return negative ? ~(~value >> by) : value >> by;
}

bool less(DType type, Bits a, Bits b) {
    return is_signed(type) ? static_cast<int64_t>(a) < static_cast<int64_t>(b) : a < b;
}

// Integers and bool: on 64 bits, brought back into the type.
template <OpKind kind>
Bits integer_op(const Bits* v, DType type, DType) {
    using enum OpKind;
    if constexpr (kind == eq) return v[0] == v[1];
    if constexpr (kind == ne) return v[0] != v[1];
    if constexpr (kind == lt) return less(type, v[0], v[1]);
    if constexpr (kind == le) return !less(type, v[1], v[0]);
    if constexpr (kind == gt) return less(type, v[1], v[0]);
    if constexpr (kind == ge) return !less(type, v[0], v[1]);
    const bool negative = is_signed(type) && static_cast<int64_t>(v[0]) < 0;
    uint64_t raw = 0;
    if constexpr (kind == add) raw = v[0] + v[1];
    if constexpr (kind == sub) raw = v[0] - v[1];
    if constexpr (kind == mul) raw = v[0] * v[1];
    if constexpr (kind == floordiv) raw = divide_down(type, v[0], v[1]);
    if constexpr (kind == mod) raw = v[1] == 0 ? 0 : v[0] - divide_down(type, v[0], v[1]) * v[1];
    if constexpr (kind == neg) raw = 0 - v[0];
    if constexpr (kind == minimum) raw = less(type, v[1], v[0]) ? v[1] : v[0];
    if constexpr (kind == maximum) raw = less(type, v[0], v[1]) ? v[1] : v[0];
    if constexpr (kind == pow) raw = integer_power(type, v[0], v[1]);
    if constexpr (kind == bit_and) raw = v[0] & v[1];
    if constexpr (kind == bit_or) raw = v[0] | v[1];
    if constexpr (kind == bit_xor) raw = v[0] ^ v[1];
    if constexpr (kind == bit_not) raw = ~v[0];
    if constexpr (kind == shl) raw = out_of_shift(type, v[1]) ? 0 : v[0] << v[1];
    if constexpr (kind == shr) raw = shift_right(type, v[0], v[1]);
    if constexpr (kind == abs) raw = negative ? 0 - v[0] : v[0];
    if constexpr (kind == sign) raw = negative ? ~uint64_t{0} : v[0] != 0;
    return canonical(type, raw);
}

constexpr std::array kOfIntegers{OpKind::add, OpKind::sub,     OpKind::mul,     OpKind::floordiv, OpKind::mod,
                                 OpKind::neg, OpKind::minimum, OpKind::maximum, OpKind::pow,      OpKind::shl,
                                 OpKind::shr, OpKind::abs,     OpKind::sign};
constexpr std::array kOfBool{OpKind::bit_and, OpKind::bit_or, OpKind::bit_xor, OpKind::bit_not, OpKind::eq,
                             OpKind::ne,      OpKind::lt,     OpKind::le,      OpKind::gt,      OpKind::ge};

template <OpKind kind, bool logical>
constexpr ScalarFn pick() {
    if constexpr (std::find(kOfBool.begin(), kOfBool.end(), kind) != kOfBool.end()) return &integer_op<kind>;
    if constexpr (!logical && std::find(kOfIntegers.begin(), kOfIntegers.end(), kind) != kOfIntegers.end()) {
        return &integer_op<kind>;
    }
    return nullptr;  // refused by the operation's record
}

#define TSR_PICK(op) pick<OpKind::op, logical>(),
template <bool logical>
constexpr std::array kIntegerFunctions{TSR_ELEMENT_OPS(TSR_PICK)};
#undef TSR_PICK

Bits select_op(const Bits* v, DType, DType) { return v[0] != 0 ? v[1] : v[2]; }
Bits cast_op(const Bits* v, DType type, DType to) { return cast_scalar(type, to, v[0]); }
// The same low bits; an integer's form may change above them.
Bits bitcast_op(const Bits* v, DType, DType to) { return canonical(to, v[0]); }

// ---- casts ----

// Toward zero, saturating, NaN is 0.
Bits float_to_integer(DType to, double value) {
    if (std::isnan(value)) return 0;
    const double whole = std::trunc(value);
    const int digits = bits(to) - (is_signed(to) ? 1 : 0);
    const double limit = std::ldexp(1.0, digits);
    if (whole >= limit) return digits == 64 ? ~uint64_t{0} : (uint64_t{1} << digits) - 1;
    if (!is_signed(to)) return whole <= 0 ? 0 : static_cast<uint64_t>(whole);
    if (whole <= -limit) return canonical(to, uint64_t{1} << digits);
    return static_cast<uint64_t>(static_cast<int64_t>(whole));
}

bool is_fractional(DType type) { return is_float(type) || type == DType::e8m0; }

}  // namespace

Bits canonical(DType type, uint64_t raw) {
    const int width = width_of(type);
    if (width == 64) return raw;
    const uint64_t low = raw & ((uint64_t{1} << width) - 1);
    const bool extend = is_integer(type) && is_signed(type) && (low >> (width - 1)) != 0;
    return extend ? low | (~uint64_t{0} << width) : low;
}

Bits constant_bits(const Attrs& attrs) {
    const DType type = attrs.dtype(Attr::type);
    if (is_fractional(type)) return encode_float(type, attrs.real(Attr::value));
    return canonical(type, static_cast<uint64_t>(attrs.integer(Attr::value)));
}

AttrValue constant_value(DType type, Bits value) {
    if (is_fractional(type)) return decode_float(type, value);
    return static_cast<int64_t>(value);
}

Bits table_element(const Attrs& attrs, Bits index) {
    const std::vector<int64_t>& elements = attrs.integers(Attr::elements);
    return canonical(attrs.dtype(Attr::type), static_cast<uint64_t>(elements[index & (elements.size() - 1)]));
}

Bits cast_scalar(DType from, DType to, Bits value) {
    if (from == to) return value;
    if (is_fractional(from)) {
        const double number = decode_float(from, value);
        if (to == DType::boolean) return number != 0;
        return is_fractional(to) ? encode_float(to, number) : float_to_integer(to, number);
    }
    if (to == DType::boolean) return value != 0;
    if (!is_fractional(to)) return canonical(to, value);
    const bool negative = from != DType::boolean && is_signed(from) && static_cast<int64_t>(value) < 0;
    return encode_integer(to, negative, negative ? 0 - value : value);
}

ScalarFn scalar_function(OpKind kind, DType type) {
    if (kind == OpKind::select) return &select_op;
    if (kind == OpKind::cast) return type == DType::c64 ? nullptr : &cast_op;
    if (kind == OpKind::bitcast) return type == DType::boolean ? nullptr : &bitcast_op;
    if (is_float(type)) return float_function(kind, type);
    const auto at = static_cast<size_t>(kind);
    if (at >= kIntegerFunctions<true>.size()) return nullptr;
    if (type == DType::boolean) return kIntegerFunctions<true>[at];
    return is_integer(type) && type != DType::i4 ? kIntegerFunctions<false>[at] : nullptr;
}

std::optional<Bits> fold(OpKind kind, DType type, DType to, std::span<const Bits> operands) {
    const ScalarFn function = scalar_function(kind, type);
    if (function == nullptr || (kind == OpKind::cast && to == DType::c64)) return std::nullopt;
    return function(operands.data(), type, to);
}

bool is_exact(OpKind kind, DType type) {
    return !is_float(type) || kind == OpKind::cast || kind == OpKind::select || kind == OpKind::bitcast ||
           is_exact_on_floats(kind);
}

}  // namespace tsr::ir
