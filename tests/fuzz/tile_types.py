"""Element types, and what is known of the values of a random program: the bits are the same on every engine, or lie within
a bound."""

from dataclasses import dataclass

FLOATS = ["f64", "f32", "f16", "bf16"]
STORED = ["fp8_e4m3", "fp8_e5m2", "fp6_e3m2", "fp6_e2m3", "fp4_e2m1"]  # floats that are stored, not computed with
INTEGERS = ["i8", "i16", "i32", "i64", "u8", "u16", "u32"]
PACKED = ["fp6_e3m2", "fp6_e2m3", "fp4_e2m1", "i4"]
# Whole numbers up to here are elements of the type.
WHOLE = {"f64": 2.0**53, "f32": 2.0**24, "f16": 2.0**11, "bf16": 2.0**8, "fp8_e4m3": 16.0, "fp8_e5m2": 8.0, "fp6_e3m2": 8.0,
         "fp6_e2m3": 7.0, "fp4_e2m1": 4.0}
# Elements stay below.
LIMIT = {"f64": 1e12, "f32": 1e8, "f16": 2e4, "bf16": 1e8, "fp8_e4m3": 400.0, "fp8_e5m2": 4e4, "fp6_e3m2": 28.0, "fp6_e2m3": 7.0,
         "fp4_e2m1": 6.0}
ROUNDOFF = {"f64": 2.0**-53, "f32": 2.0**-24, "f16": 2.0**-11, "bf16": 2.0**-8}
NARROWER = {"f64": ["f32", "f16", "bf16", "i32", "i8"], "f32": ["f16", "bf16"], "f16": ["fp8_e4m3", "fp8_e5m2"], "bf16": [],
            "i64": ["i32", "i8"], "i32": ["i16", "i8"], "i16": ["i8"], "u32": ["u16", "u8"], "u16": ["u8"], "i8": [], "u8": []}
EXTENTS = [1, 2, 3, 4, 5, 7, 8, 12, 16, 17, 20, 24, 31, 33, 40, 64]


def span(kind):
    """The largest magnitude of an integer type."""
    bits = int(kind[1:])
    return float(2**bits - 1 if kind[0] == "u" else 2 ** (bits - 1))


def is_float(kind):
    return kind in WHOLE


def sum_type(kind):
    """What a sum of elements accumulates in."""
    if is_float(kind):
        return "f64" if kind == "f64" else "f32"
    return "i32" if int(kind[1:]) <= 8 else "i64"


@dataclass(frozen=True)
class Value:
    text: str
    kind: str
    shape: tuple         # () of a scalar
    bound: float = 0.0   # of the magnitude; infinite where an element may be
    whole: bool = True   # whole numbers
    error: float = 0.0   # 0: the same bits everywhere


@dataclass
class Tensor:
    name: str
    kind: str
    shape: tuple
    bound: float
    whole: bool
    left: float = 0.0    # what may be added to it
    dims: tuple = ()     # names of its extents; its own if there are none

    def dim(self, axis):
        return self.dims[axis] if self.dims else f"{self.name.upper()}_{axis}"


def count(shape):
    product = 1
    for extent in shape:
        product *= extent
    return product


def shape_text(shape):
    return f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"
