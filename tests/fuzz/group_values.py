"""Values of the judge of kernels: a type and one Python number for each tile that computes. Literals have the type `literal`."""

import operator
import struct
from dataclasses import dataclass, field

BITS = {"u8": 8, "u32": 32, "i32": 32, "index": 64}
RANK = ["literal", "bool", "u8", "u32", "i32", "index", "f32"]


@dataclass
class Vector:
    kind: str
    items: list


class Undefined(Exception):
    """Something is read that was never written: the program promises nothing."""


class Race(Exception):
    """Two tiles touch an element, one of them writes, and nothing puts them in order."""


@dataclass
class Memory:
    """A tensor or shared buffer. `touched`: element -> (tile, how) since the last barrier, of the tiles' own statements."""

    kind: str
    shape: tuple
    data: list
    touched: dict = field(default_factory=dict)

    def flat(self, indices):
        at = 0
        for index, extent in zip(indices, self.shape):
            if not 0 <= index < extent:
                raise Undefined(f"element {indices} of {self.shape}")
            at = at * extent + index
        return at

    def touch(self, at, tile, how):
        """`how`: read, write, atomic. Two reads and two atomics of different tiles are in any order."""
        before = self.touched.setdefault(at, {})
        for other, hows in before.items():
            if other != tile and any(how != known or how == "write" for known in hows):
                raise Race(f"element {at}: tile {tile} {how}, tile {other} {hows}")
        before.setdefault(tile, set()).add(how)


def rounded(number):
    return struct.unpack("<f", struct.pack("<f", number))[0]


def stored(kind, number):
    """The number in the type: integers wrap, floats are rounded."""
    if kind == "f32":
        return rounded(float(number))
    if kind in BITS:
        number &= (1 << BITS[kind]) - 1
        signed = kind[0] != "u" and number >> (BITS[kind] - 1)
        return number - (1 << BITS[kind]) if signed else number
    return number


def cast(kind, to, number):
    if to == "bool":
        return number != 0
    if to == "f32":
        return rounded(float(number))
    if isinstance(number, float):  # toward zero, saturating
        low = 0 if to[0] == "u" else -(1 << (BITS[to] - 1))
        high = (1 << BITS[to]) - 1 if to[0] == "u" else -low - 1
        return 0 if number != number else max(low, min(high, int(max(-1e30, min(1e30, number)))))
    return stored(to, int(number))


def joined(one, other):
    if one == "literal" or other == "literal":
        return other if one == "literal" else one
    return max(one, other, key=RANK.index)


def shift_right(a, b):
    return a >> b


ARITHMETIC = {"Add": operator.add, "Sub": operator.sub, "Mult": operator.mul,
              "FloorDiv": lambda a, b: 0 if b == 0 else a // b, "Mod": lambda a, b: 0 if b == 0 else a % b,
              "BitAnd": operator.and_, "BitOr": operator.or_, "BitXor": operator.xor, "RShift": shift_right, "LShift": operator.lshift}
COMPARISONS = {"Lt": operator.lt, "LtE": operator.le, "Gt": operator.gt, "GtE": operator.ge, "Eq": operator.eq, "NotEq": operator.ne}


def arithmetic(name, one, other):
    kind = joined(one.kind, other.kind)
    apply = ARITHMETIC[name]
    return Vector(kind, [stored(kind, apply(stored(kind, a), stored(kind, b))) for a, b in zip(one.items, other.items)])


def compared(name, one, other):
    kind = joined(one.kind, other.kind)
    apply = COMPARISONS[name]
    return Vector("bool", [apply(stored(kind, a), stored(kind, b)) for a, b in zip(one.items, other.items)])
