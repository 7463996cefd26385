"""Writes blocks of numbers and what they are in each block format, computed from the definition with exact fractions.

    block_formats.py OUTPUT.npz

Source: OCP Microscaling Formats (MX) Specification 1.0, sections 5.2, 5.3 and 6.3; the law of NaN and infinities, the
rule "up" and NVFP4 as `docs/ops/quantize.md` states them. Nothing of the compiler is used. Of a format F there are
F.x, F.values, F.scale, F.read, and F.tensor of NVFP4, all as f32.
"""

import math
import random
import struct
import sys
import zipfile
from fractions import Fraction


class Float:
    """A binary float: bits of the fraction, exponent of the least normal number, largest number."""

    def __init__(self, fraction, least, largest):
        self.fraction, self.least, self.largest = fraction, least, Fraction(largest)

    def nearest(self, x):
        """To nearest, ties to even, saturated; x is a Fraction."""
        if x == 0:
            return Fraction(0)
        size = abs(x)
        unit = Fraction(2) ** (max(exponent(size), self.least) - self.fraction)
        rounded = min(round(size / unit) * unit, self.largest)  # `round` of a Fraction takes ties to even
        return rounded if x > 0 else -rounded


def exponent(x):
    """floor(log2(x)) of a positive Fraction."""
    e = x.numerator.bit_length() - x.denominator.bit_length()
    return e if Fraction(2) ** e <= x else e - 1


F32 = Float(23, -126, Fraction(2) ** 128 - Fraction(2) ** 104)
ELEMENTS = {
    "e4m3": (Float(3, -6, 448), 8, True),
    "e5m2": (Float(2, -14, 57344), 15, True),
    "e3m2": (Float(2, -2, 28), 4, False),
    "e2m3": (Float(3, 0, Fraction(15, 2)), 2, False),
    "e2m1": (Float(1, 0, 6), 2, False),
}


def sign_of(x):
    return math.copysign(1.0, x)


def element(kind, x, by):
    """x / by in f32, then the nearest element; x is a float of f32, `by` a Fraction."""
    form, _, has_nan = ELEMENTS[kind]
    if math.isnan(x):
        return math.nan if has_nan else None
    if math.isinf(x):
        return sign_of(x) * float(form.largest)
    return math.copysign(float(abs(form.nearest(F32.nearest(Fraction(x) / by)))), x)


def most(block):
    return max((Fraction(abs(x)) for x in block if math.isfinite(x)), default=Fraction(0))


def mx(kind, block, up):
    form, largest_exponent, has_nan = ELEMENTS[kind]
    top = most(block)
    power = -127 if top == 0 else min(max(exponent(top) - largest_exponent, -127), 127)
    if up and top / Fraction(2) ** power > form.largest:
        power += 1
    X = Fraction(2) ** power
    values = [element(kind, x, X) for x in block]
    broken = not has_nan and any(math.isnan(x) for x in block)
    return values, math.nan if broken else float(X)


def nvfp4(block, S):
    e4m3 = ELEMENTS["e4m3"][0]
    quotient = F32.nearest(most(block) / F32.nearest(6 * S))
    s = e4m3.nearest(min(max(quotient, Fraction(1, 512)), Fraction(448)))
    factor = F32.nearest(s * S)
    values = [element("e2m1", x, factor) for x in block]
    return values, math.nan if any(math.isnan(x) for x in block) else float(s)


def product(*factors):
    """Products in f32, from the left."""
    result = factors[0]
    for factor in factors[1:]:
        if math.isnan(result) or math.isnan(factor):
            return math.nan
        exact = Fraction(result) * Fraction(factor)
        rounded = float(F32.nearest(exact))
        if abs(exact) >= Fraction(2) ** 128 - Fraction(2) ** 103:
            rounded = math.inf
        result = math.copysign(abs(rounded), sign_of(result) * sign_of(factor))
    return result


def single(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


def rows(count, length, seed):
    """Rows of f32: usual numbers, mixed sizes, zeros, ties, subnormals, the largest, infinities and NaN."""
    random.seed(seed)
    made = []
    for r in range(count):
        row = []
        for _ in range(length):
            size = [0, 0, 0, 0][r % 4] if r % 8 == 3 else random.gauss(0, 1)
            power = [0, random.randint(-60, 60), random.randint(-3, 3), 0, -140, 125, 0, -20][r % 8]
            row.append(single(size * 2.0**power))
        made.append(row)
    for k, odd in enumerate([0.0, -0.0, 1.75, 7.0, 480.0, 464.0, -61440.0, 30.0, 7.75, 5.0, 2.5]):
        made[k % count][(5 * k + 1) % length] = odd
    made[6][2], made[6][length - 1] = math.inf, -math.inf
    made[7][3] = math.nan
    made[2][0] = math.nan
    return made


def npy(shape, numbers):
    head = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {tuple(shape)}, }}"
    head += " " * (-(len(head) + 11) % 64) + "\n"
    body = b"".join(struct.pack("<f", x) for x in numbers)
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + body


def blocks_of(row, n):
    return [row[i : i + n] for i in range(0, len(row), n)]


def main():
    formats = {
        "mxfp8": (32, lambda b: mx("e4m3", b, False)),
        "mxfp8_e5m2": (32, lambda b: mx("e5m2", b, False)),
        "mxfp6": (32, lambda b: mx("e3m2", b, False)),
        "mxfp6_e2m3": (32, lambda b: mx("e2m3", b, False)),
        "mxfp4": (32, lambda b: mx("e2m1", b, False)),
        "mxfp8_up": (32, lambda b: mx("e4m3", b, True)),
        "mxfp4_up": (32, lambda b: mx("e2m1", b, True)),
        "nvfp4": (16, None),
    }
    with zipfile.ZipFile(sys.argv[1], "w") as out:
        for number, (name, (n, make)) in enumerate(formats.items()):
            table = rows(9, 70, number)
            tensor = None
            if name == "nvfp4":
                table = [[x if abs(x) < 1e6 or not math.isfinite(x) else single(x * 1e-30) for x in row] for row in table]
                top = most([x for row in table for x in row])
                tensor = F32.nearest(top / 2688)
                make = lambda block: nvfp4(block, tensor)
            values, scales, read = [], [], []
            for row in table:
                for block in blocks_of(row, n):
                    elements, scale = make(block)
                    scales.append(scale)
                    for e in elements:
                        values.append(0.0 if e is None else e)
                        factors = [scale] if tensor is None else [scale, float(tensor)]
                        read.append(math.nan if e is None else product(e, *factors))
            count = len(blocks_of(table[0], n))
            shape = (len(table), len(table[0]))
            out.writestr(f"{name}.x.npy", npy(shape, [x for row in table for x in row]))
            out.writestr(f"{name}.values.npy", npy(shape, values))
            out.writestr(f"{name}.scale.npy", npy((len(table), count), scales))
            out.writestr(f"{name}.read.npy", npy(shape, read))
            if tensor is not None:
                out.writestr(f"{name}.tensor.npy", npy((1,), [float(tensor)]))


main()
