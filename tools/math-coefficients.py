#!/usr/bin/python3
"""Prints the polynomial coefficients of ir/passes/math/coefficients.h: Chebyshev fits in 60 digits, rounded to double.

Needs mpmath. A fit's error is within a small factor of the best polynomial's of the same degree; it is printed beside.
"""
from mpmath import mp, mpf, chebyfit, exp, log, sin, cos, atan, asin, sqrt, erf, pi, expm1, log1p, tan

mp.dps = 60


def fit(name, f, low, high, count, doc):
    coefficients, error = chebyfit(f, [mpf(low), mpf(high)], count, error=True)
    coefficients = [c for c in reversed(coefficients)]
    print(f"// {doc}; error {mp.nstr(error, 2)}, lowest power first.")
    print(f"inline constexpr std::array {name}{{")
    for c in coefficients:
        print(f"    {float(c)!r},")
    print("};")


half_ln2 = log(2) / 2 * mpf("1.0001")
e2 = lambda x: x + mpf(10) ** -30 if x == 0 else x

print("// Made by tools/math-coefficients.py.")
print("#pragma once\n\n#include <array>\n\nnamespace tsr::ir::math {\n")
fit("kExp64", lambda r: (exp(r) - 1 - r) / r**2 if r else mpf(1) / 2, -half_ln2, half_ln2, 11, "(exp(r) - 1 - r) / r^2, |r| <= ln2/2")
s_max = (sqrt(2) - 1) / (sqrt(2) + 1) * mpf("1.001")
atanh_rest = lambda z: ((log((1 + sqrt(z)) / (1 - sqrt(z))) / sqrt(z) - 2) / z) if z else mpf(2) / 3
fit("kLog64", atanh_rest, 0, s_max**2, 8, "(log((1+s)/(1-s))/s - 2) / s^2 in z = s^2, |s| <= 0.1716")
q = (pi / 4 * mpf("1.0001")) ** 2
fit("kSin64", lambda z: (sin(sqrt(z)) / sqrt(z) - 1) / z if z else -mpf(1) / 6, 0, q, 7, "(sin(r)/r - 1) / r^2 in z = r^2, |r| <= pi/4")
fit("kCos64", lambda z: (cos(sqrt(z)) - 1 + z / 2) / z**2 if z else mpf(1) / 24, 0, q, 7, "(cos(r) - 1 + r^2/2) / r^4 in z = r^2, |r| <= pi/4")
t8 = tan(pi / 8) ** 2 * mpf("1.0001")
fit("kAtan64", lambda z: (atan(sqrt(z)) / sqrt(z) - 1) / z if z else -mpf(1) / 3, 0, t8, 14, "(atan(t)/t - 1) / t^2 in z = t^2, t <= tan(pi/8)")
fit("kAsin64", lambda z: (asin(sqrt(z)) / sqrt(z) - 1) / z if z else mpf(1) / 6, 0, mpf("0.25"), 16, "(asin(s)/s - 1) / s^2 in z = s^2, s <= 1/2")
fit("kErfSmall64", lambda z: erf(sqrt(z)) / sqrt(z) if z else 2 / sqrt(pi), 0, 1, 14, "erf(x)/x in z = x^2, |x| <= 1")
# erfc(x) = exp(-x^2) * g(u), u = (x - 3.5) / (x + 2.5) for x in [1, 27]
from mpmath import erfc
def g(u):
    x = (mpf("3.5") + mpf("2.5") * u) / (1 - u)
    return erfc(x) * exp(x * x) * x
lo = (mpf(1) - mpf("3.5")) / (mpf(1) + mpf("2.5"))
hi = (mpf(28) - mpf("3.5")) / (mpf(28) + mpf("2.5"))
fit("kErfc64", g, lo, hi, 22, "x erfc(x) exp(x^2) in u = (x - 3.5) / (x + 2.5), 1 <= x <= 28")
tz = mpf("0.625") ** 2
from mpmath import tanh
fit("kTanh64", lambda z: (tanh(sqrt(z)) / sqrt(z) - 1) / z if z else -mpf(1) / 3, 0, tz, 14, "(tanh(x)/x - 1) / x^2 in z = x^2, |x| <= 0.625")
print("\n}  // namespace tsr::ir::math")
