"""Makes and shows .npy files without NumPy.

    npy.py make FILE TYPE EXPRESSION [SHAPE]     TYPE f32, f64, i32, …; EXPRESSION a Python expression, e.g. 'range(10)'; SHAPE 2,5
    npy.py show FILE                             type, shape, and one line of values per row
"""

import ast
import math
import random
import struct
import sys

CODES = {"f32": ("<f4", "f"), "f64": ("<f8", "d"), "f16": ("<f2", "e"), "i8": ("|i1", "b"), "i16": ("<i2", "h"), "i32": ("<i4", "i"),
         "i64": ("<i8", "q"), "u8": ("|u1", "B"), "u16": ("<u2", "H"), "u32": ("<u4", "I"), "u64": ("<u8", "Q"), "bool": ("|b1", "?")}


def make(path, name, expression, shape=None):
    values = list(eval(expression, {"math": math, "random": random.Random(1)}))  # the tests' own expressions
    extents = tuple(int(extent) for extent in shape.split(",")) if shape else (len(values),)
    if math.prod(extents) != len(values):
        sys.exit(f"{len(values)} values do not fill the shape {extents}")
    descr, code = CODES[name]
    header = repr({"descr": descr, "fortran_order": False, "shape": extents})
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(values)}{code}", *values))


def show(path):
    with open(path, "rb") as file:
        data = file.read()
    size = struct.unpack("<H", data[8:10])[0]
    header = ast.literal_eval(data[10:10 + size].decode())
    name, code = next((name, code) for name, (descr, code) in CODES.items() if descr == header["descr"])
    shape = header["shape"]
    count = math.prod(shape)
    values = struct.unpack(f"<{count}{code}", data[10 + size:])
    print(name, list(shape))
    row = shape[-1] if shape else 1
    for begin in range(0, count, row or 1):
        print(*(f"{value:.7g}" if isinstance(value, float) else value for value in values[begin:begin + row]))


if __name__ == "__main__":
    {"make": make, "show": show}[sys.argv[1]](*sys.argv[2:])
