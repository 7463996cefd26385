// Decimal digits of floating-point values: the fewest that give the value back, or a fixed number.
#pragma once

#include <cstdint>
#include <string>

namespace tsr::runtime {

// 0.d1 d2 d3 … * 10^point, without trailing zeros; zero has the digits "0" and point 1.
struct Decimal {
    bool negative = false;
    std::string digits;
    int point = 1;
};

// The fewest digits that are read back as `value` in the type; f32, f64, f16 and bf16 have their own, the types of 8
// bits or fewer (which are computed in f32) those of f32. `value` is finite and a value of the type.
Decimal shortest(double value, int32_t dtype);
// Rounded to `places` digits after the decimal point (scientific: after the first digit), a tie to even; trailing zeros
// are dropped.
Decimal rounded(double value, int places, bool scientific);

// "12.5", "3.0", "1e+16": as Python's str() of a float, with the digits of the type. inf, nan.
std::string float_text(double value, int32_t dtype);

}  // namespace tsr::runtime
