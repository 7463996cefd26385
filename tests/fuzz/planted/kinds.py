"""Types of Tessera as the generator knows them, and which of them go together (language, section 3, numerics rule 1)."""

from collections import namedtuple

Tensor = namedtuple("Tensor", "elem dims")       # dims: names and numbers
ListOf = namedtuple("ListOf", "item")
DictOf = namedtuple("DictOf", "key value")
TupleOf = namedtuple("TupleOf", "items")
Record = namedtuple("Record", "name")
Buffer = namedtuple("Buffer", "elem shape")      # shared memory
Tile = namedtuple("Tile", "elem shape")          # a register tile
Vector = namedtuple("Vector", "elem width")

# Bits of the significand, exponent's range as the power of two of the largest number.
FLOATS = {"f64": (53, 1023), "f32": (24, 127), "f16": (11, 15), "bf16": (8, 127)}
SIGNED = ["i8", "i16", "i32", "i64"]
UNSIGNED = ["u8", "u16", "u32", "u64"]
INTEGERS = SIGNED + UNSIGNED
NUMBERS = [*FLOATS, *INTEGERS]
SCALARS = [*NUMBERS, "bool"]
COMMON = ["f32", "f32", "f64", "i32", "i32", "i64", "f16", "bf16", "i8", "u8", "u32", "i16"]  # the first ones oftener


def is_float(kind):
    return kind in FLOATS


def is_integer(kind):
    return kind in INTEGERS or kind == "index"


def bits(kind):
    return 64 if kind == "index" else int(kind.lstrip("fbiu"))


def widens(one, other):
    """Whether every number of the one is a number of the other."""
    if one == other:
        return True
    if one in ("bool", "str", "index") or other in ("bool", "str", "index"):
        return False
    if is_float(one):
        return is_float(other) and all(a <= b for a, b in zip(FLOATS[one], FLOATS[other]))
    digits = bits(one) - (one in SIGNED)
    if is_float(other):
        return digits <= FLOATS[other][0] and digits <= FLOATS[other][1]
    if one in SIGNED:
        return other in SIGNED and bits(other) > bits(one)
    return bits(other) > bits(one)


def join(one, other):
    """The scalar type that both become beside each other; nothing where neither widens."""
    if "index" in (one, other) and {one, other} <= {"index", *SIGNED}:
        return "index"
    return other if widens(one, other) else one if widens(other, one) else None


def fits(given, wanted):
    """Whether a value of the one scalar type may be stored in, passed to or returned as the other."""
    return widens(given, wanted) or (given == "index" and wanted in SIGNED)


def is_scalar(type):
    return isinstance(type, str) and type != "str"


def written(type):
    """As an annotation."""
    if isinstance(type, Tensor):
        return f"{type.elem}[{', '.join(map(str, type.dims))}]"
    if isinstance(type, ListOf):
        return f"list[{written(type.item)}]"
    if isinstance(type, DictOf):
        return f"dict[{written(type.key)}, {written(type.value)}]"
    if isinstance(type, TupleOf):
        return f"tuple[{', '.join(written(item) for item in type.items)}]"
    return type.name if isinstance(type, Record) else type
