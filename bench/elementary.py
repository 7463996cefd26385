"""Rows of bench/run.py for the elementary functions: over arrays in cache, beside gcc with libmvec."""

import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))

# Where each function is measured: what programs ask for most.
RANGES = {
    "sin": (-100, 100), "cos": (-100, 100), "tan": (-100, 100), "asin": (-1, 1), "acos": (-1, 1), "atan": (-10, 10),
    "log": (0.001, 1000), "log2": (0.001, 1000), "log10": (0.001, 1000), "log1p": (-0.9, 100),
    "exp": (-50, 50), "exp2": (-50, 50), "expm1": (-10, 10), "sinh": (-10, 10), "cosh": (-10, 10), "tanh": (-5, 5),
    "erf": (-4, 4), "cbrt": (-100, 100), "pow": (0.001, 10), "atan2": (-10, 10),
}
BARS = {"f32": 0.7, "f64": 0.8}


def measured(b, name, type):
    low, high = RANGES[name]
    operands = "a, b" if name in ("pow", "atan2") else "a"
    text = open(os.path.join(HERE, "math.tsr")).read().replace("sin(a)", f"math.{name}({operands})")
    source = os.path.join(b.folder, f"{name}_{type}.tsr")
    with open(source, "w") as out:
        out.write(re.sub(r"\bf32\b", type, text))
    command = [b.compile(f"{name}_{type}", source), f"--low={low}", f"--high={high}"]
    real, suffix = ("float", "f") if type == "f32" else ("double", "")
    # -Ofast lets gcc call the vector functions of glibc.
    peer = [b.peer("math", "gcc", level="-Ofast", options=(f"-DREAL={real}", f"-DFUNCTION={name}{suffix}({operands})"),
                   out=f"{name}_{type}.gcc"), str(low), str(high)]
    ours, theirs = 1e9, 1e9
    for _ in range(2):  # in turn
        ours = min(ours, b.best(command, 1)[0])
        theirs = min(theirs, b.best(peer, 1)[0])
    b.row(f"math {name} {type} (one core)", "ns/element", ours * 1e9, "gcc -Ofast, libmvec (ns)", theirs * 1e9,
          theirs / ours, f">= {BARS[type]}")


def rows(b):
    for type in BARS:
        for name in RANGES:
            measured(b, name, type)


def options(b):
    ours, theirs = 1e9, 1e9
    for _ in range(2):  # in turn
        ours = min(ours, b.best([b.compile("blackscholes")], 1)[0])
        theirs = min(theirs, b.best([b.peer("blackscholes", "gcc", level="-Ofast")], 1)[0])
    b.row("Black-Scholes f32 (one core)", "ns/option", ours * 1e9, "gcc -Ofast, libmvec (ns)", theirs * 1e9, theirs / ours, ">= 0.9")


WORKS = {"math": rows, "blackscholes": options}
