#include "runtime/text/float_column.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "runtime/text/digits.h"

namespace tsr::runtime {

namespace {

constexpr int kPrecision = 8;

std::string zeros(int count) { return std::string(static_cast<size_t>(count > 0 ? count : 0), '0'); }

}  // namespace

bool FloatColumn::wants_exponents(const std::vector<double>& finite, int32_t dtype) {
    double largest = 0, smallest = 0;
    for (double value : finite) {
        double magnitude = std::fabs(value);
        if (magnitude == 0) continue;
        largest = std::max(largest, magnitude);
        smallest = smallest == 0 ? magnitude : std::min(smallest, magnitude);
    }
    if (largest == 0) return false;
    // The quotient is rounded to the type before it is compared, as NumPy's is.
    double ratio = dtype == TSR_F64 ? largest / smallest : static_cast<float>(largest) / static_cast<float>(smallest);
    return largest >= 1e8 || smallest < 1e-4 || ratio > 1000;
}

FloatColumn::Parts FloatColumn::parts(double value, bool full) const {
    Decimal d = shortest(value, dtype_);
    auto count = static_cast<int>(d.digits.size());
    int places = exponents_ ? count - 1 : count - d.point;
    // Where the shortest form ends before the decimal point, or before the other fractions do, the digits that the
    // value really has fill it up, not zeros.
    int least = exponents_ ? static_cast<int>(fraction_) : 0;
    if (places > kPrecision || (full && places < least)) {
        d = rounded(value, places > kPrecision ? kPrecision : least, exponents_);
        count = static_cast<int>(d.digits.size());
    }
    Parts result;
    if (d.negative) result.whole = "-";
    if (!d.negative && plus_) result.whole = "+";
    if (exponents_) {
        result.whole += d.digits[0];
        result.fraction = d.digits.substr(1);
        int exponent = d.digits == "0" ? 0 : d.point - 1;
        char text[16];
        std::snprintf(text, sizeof text, "%+03d", exponent);
        result.exponent = text;
        return result;
    }
    if (d.point <= 0) {
        result.whole += "0";
        result.fraction = zeros(-d.point) + d.digits;
    } else if (count <= d.point) {
        result.whole += d.digits + zeros(d.point - count);
    } else {
        result.whole += d.digits.substr(0, static_cast<size_t>(d.point));
        result.fraction = d.digits.substr(static_cast<size_t>(d.point));
    }
    return result;
}

FloatColumn::FloatColumn(const std::vector<double>& values, int32_t dtype, bool plus) : dtype_(dtype), plus_(plus) {
    std::vector<double> finite;
    bool negative_infinity = false;
    for (double value : values) {
        if (std::isfinite(value)) finite.push_back(value);
        negative_infinity |= std::isinf(value) && value < 0;
    }
    exponents_ = wants_exponents(finite, dtype);
    size_t exponent = 0;
    for (double value : finite) {
        Parts p = parts(value, false);
        left_ = std::max(left_, p.whole.size());
        fraction_ = std::max(fraction_, p.fraction.size());
        exponent = std::max(exponent, p.exponent.size());
    }
    right_ = exponents_ ? fraction_ + 1 + exponent : fraction_;
    if (finite.size() != values.size()) {
        bool sign = plus || negative_infinity;
        size_t widest = sign ? 4 : 3;  // "-inf", "nan"
        size_t room = right_ + 1;
        if (widest > room) left_ = std::max(left_, widest - room);
    }
}

std::string FloatColumn::text(double value) const {
    if (!std::isfinite(value)) {
        std::string word = std::isnan(value) ? (plus_ ? "+nan" : "nan") : value < 0 ? "-inf" : plus_ ? "+inf" : "inf";
        size_t width = left_ + right_ + 1;
        return std::string(width > word.size() ? width - word.size() : 0, ' ') + word;
    }
    Parts p = parts(value, true);
    std::string result(left_ - p.whole.size(), ' ');
    result += p.whole + '.' + p.fraction;
    if (exponents_) return result + zeros(static_cast<int>(fraction_ - p.fraction.size())) + 'e' + p.exponent;
    return result + std::string(right_ - p.fraction.size(), ' ');
}

}  // namespace tsr::runtime
