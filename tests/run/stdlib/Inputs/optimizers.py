"""Reads what optimizers.tsr printed and compares each element with the formula of the optimizer in exact arithmetic.

Every operation is computed with fractions and rounded once to the type that it works in; a product that is added is one
fused multiply-add. f32 and bf16 must be equal to the bit, f64 within 4 units of roundoff: powers of betas may differ there.
"""

import math
import sys
from fractions import Fraction

BITS = {"w": 24, "b": 24, "d": 53}  # of what is computed in


def rounded(x, bits):
    """To the nearest float with so many bits of significand, ties to even."""
    x = Fraction(x)
    if x == 0:
        return x
    exponent = math.floor(math.log2(abs(x)))
    while abs(x) >= Fraction(2) ** (exponent + 1):
        exponent += 1
    while abs(x) < Fraction(2) ** exponent:
        exponent -= 1
    unit = Fraction(2) ** (exponent - bits + 1)
    return round(x / unit) * unit


def number(i, step):
    return ((5 * i + 3 * step) % 13 - 6) * 0.21875


STARTS = {
    "w": [((7 * i) % 11 - 5) * 0.375 for i in range(15)],
    "b": [((3 * i) % 5 - 2) * 0.375 for i in range(5)],
    "d": [((2 * i) % 5 - 2) * 0.375 for i in range(5)],
}


def slopes(leaf, step):
    first = {"w": 0, "b": 1, "d": 2}[leaf]
    return [number(i + first, step) for i in range(len(STARTS[leaf]))]


def root(x, bits):
    scale = Fraction(4) ** 200
    exact = Fraction(math.isqrt(int(x * scale * scale)), 1)  # far more bits than are wanted
    return rounded(exact / scale, bits)


def sgd(rates, momentum=0.0, nesterov=False, decay=0.0):
    def move(p, grads, bits):
        def r(x):
            return rounded(x, bits)

        m = Fraction(0)
        for rate, g in zip(rates, grads):
            h = r(r(decay) * p + Fraction(g))
            ahead = h
            if momentum:
                m = r(r(momentum) * m + h)
                ahead = r(r(momentum) * m + h) if nesterov else m
            p = r(p - r(rate) * ahead)
            yield p

    return move


def adam(rates, betas=(0.9, 0.999), eps=1e-8, decay=0.0, decoupled=False):
    def move(p, grads, bits):
        def r(x):
            return rounded(x, bits)

        m = v = Fraction(0)
        for t, (rate, g) in enumerate(zip(rates, grads), 1):
            h = r(r(0.0 if decoupled else decay) * p + Fraction(g))
            m = r(r(betas[0]) * m + r(r(1.0 - betas[0]) * h))
            v = r(r(betas[1]) * v + r(r(1.0 - betas[1]) * r(h * h)))
            scale = 1.0 / (1.0 - betas[1] ** t)
            ratio = r(m / r(root(r(v * r(scale)), bits) + r(eps)))
            keep = 1.0 - rate * decay if decoupled else 1.0
            p = r(r(keep) * p - r(r(rate / (1.0 - betas[0] ** t)) * ratio))
            yield p

    return move


def lion(rates, betas=(0.9, 0.99), decay=0.0):
    def move(p, grads, bits):
        def r(x):
            return rounded(x, bits)

        m = Fraction(0)
        for rate, g in zip(rates, grads):
            h = Fraction(g)
            way = r(r(betas[0]) * m + r(r(1.0 - betas[0]) * h))
            way = Fraction((way > 0) - (way < 0))
            m = r(r(betas[1]) * m + r(r(1.0 - betas[1]) * h))
            p = r(r(1.0 - rate * decay) * p - r(r(rate) * way))
            yield p

    return move


def falling(rate):
    return [rate, rate, rate * 0.5]


RULES = {
    "sgd": sgd(falling(0.1)),
    "decayed": sgd(falling(0.1), decay=0.25),
    "momentum": sgd(falling(0.1), 0.9, decay=0.25),
    "nesterov": sgd(falling(0.1), 0.9, True),
    "adam": adam(falling(1e-3), decay=0.25),
    "adamw": adam(falling(1e-2), (0.8, 0.95), 1e-6, 0.01, True),
    "lion": lion(falling(1e-2), decay=0.5),
    "without": adam(falling(1e-2), decay=0.01, decoupled=True),
}


def by_rule(rule, leaf, i, every_step):
    """Where there is no master, a parameter of 16 bits is rounded after every step."""
    grads = [slopes(leaf, step)[i] for step in range(3)]
    p = Fraction(STARTS[leaf][i])
    if not every_step:
        return list(RULES[rule](p, grads, BITS[leaf]))[-1]
    moves = without_master(grads, p)
    return moves


def without_master(grads, p):
    m = v = Fraction(0)
    rates = falling(1e-2)

    def r(x):
        return rounded(x, 24)

    for t, (rate, g) in enumerate(zip(rates, grads), 1):
        h = Fraction(g)
        m = r(r(0.9) * m + r(r(1.0 - 0.9) * h))
        v = r(r(0.999) * v + r(r(1.0 - 0.999) * r(h * h)))
        ratio = r(m / r(root(r(v * r(1.0 / (1.0 - 0.999**t))), 24) + r(1e-8)))
        p = rounded(r(r(1.0 - rate * 0.01) * p - r(r(rate / (1.0 - 0.9**t)) * ratio)), 8)
    return p


def norm():
    return math.sqrt(sum(x * x for leaf in "wbd" for x in slopes(leaf, 4)))


def wanted(rule, leaf, i):
    if rule == "norm":
        return Fraction(norm())
    if rule == "clipped":
        factor = rounded(2.5 / norm(), BITS[leaf])
        x = rounded(Fraction(slopes(leaf, 4)[i]) * factor, BITS[leaf])
    else:
        x = by_rule(rule, leaf, i, rule == "without" and leaf == "b")
    return rounded(x, 8) if leaf == "b" else x


count = wrong = 0
for line in sys.stdin:
    rule, leaf, i, value = line.split()
    found, exact = Fraction(float(value)), wanted(rule, leaf, int(i))
    bound = abs(exact) * Fraction(2) ** -51 if leaf in ("d", "norm") else 0
    count += 1
    if abs(found - exact) > bound:
        wrong += 1
        print(f"wrong: {line.strip()}, needs {float(exact)!r}")
print(f"{count} elements, {wrong} wrong")
sys.exit(bool(wrong or count != 9 * 25 + 3))
