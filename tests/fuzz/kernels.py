#!/usr/bin/env python3
"""Random well-typed kernels, each run in the evaluator and as code for several processors and levels of optimization:
every result must be the same to the bit (any NaN counts as any other).

    kernels.py TESSERAC [--seed N] [--count N] [--keep FOLDER]

The seed is printed; a failure keeps its program and says how to run it again.
"""

import argparse
import os
import random
import struct
import subprocess
import sys
import tempfile

FLOATS = ["f32", "f64", "f16", "bf16"]
INTEGERS = ["i32", "i64", "u32", "i16", "u8", "i8"]
WIDTH = {"f32": 4, "f64": 8, "f16": 2, "bf16": 2, "i32": 4, "i64": 8, "u32": 4, "i16": 2, "u8": 1, "i8": 1}
ENGINES = [("x86-64", "0"), ("x86-64", "3"), ("x86-64-v3", "2"), ("x86-64-v4", "0"), ("x86-64-v4", "3")]
SIZE = 203  # no multiple of any vector


class Kernel:
    """Text of a flat kernel over i: reads a and b (one element type each), writes out."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.float = self.random.choice(FLOATS)
        self.integer = self.random.choice(INTEGERS)
        self.lines = []
        self.floats = ["x"]      # names of variables
        self.integers = ["k"]
        self.fixed = set()       # loop variables, not assigned
        self.count = 0

    def pick(self, *choices):
        return self.random.choice(choices)

    # Every value in an expression is made of the kernel's own type, so nothing needs to join.
    def real(self, depth):
        if depth == 0 or self.random.random() < 0.15:
            literal = self.pick("0.5", "1.5", "-2.0", "3.25", "0.001953125", "100.0")
            return self.pick(self.random.choice(self.floats), self.random.choice(self.floats), f"cast({literal}, {self.float})")
        a, b = self.real(depth - 1), self.real(depth - 1)
        kind = self.random.randrange(12)
        if kind < 6:
            return f"({a} {self.pick('+', '-', '*', '*')} {b})"
        if kind == 6:
            return f"({a} * {b} {self.pick('+', '-')} {self.real(depth - 1)})"
        if kind == 7:
            return f"({a} / {b})"
        if kind == 8:
            return f"{self.pick('min', 'max')}({a}, {b})"
        if kind == 9:
            return f"where({self.truth(depth - 1)}, {a}, {b})"
        if kind == 10:
            return f"({a} if {self.truth(depth - 1)} else {b})"
        return f"cast({self.whole(depth - 1)}, {self.float})"

    def unary(self, depth):
        name = self.pick("sqrt", "abs", "floor", "exp", "tanh", "sin", "rsqrt", "log")
        return f"cast({name}({self.real(depth)}), {self.float})"

    def whole(self, depth):
        if depth == 0 or self.random.random() < 0.2:
            literal = self.pick("1", "2", "3", "7", "100")
            return self.pick(self.random.choice(self.integers), f"cast({literal}, {self.integer})")
        a, b = self.whole(depth - 1), self.whole(depth - 1)
        kind = self.random.randrange(9)
        if kind < 4:
            return f"({a} {self.pick('+', '-', '*')} {b})"
        if kind == 4:
            return f"({a} {self.pick('//', '%')} {b})"
        if kind == 5:
            return f"({a} {self.pick('&', '|', '^')} {b})"
        if kind == 6:
            return f"({a} {self.pick('<<', '>>')} ({b} & cast(15, {self.integer})))"
        if kind == 7:
            return f"{self.pick('min', 'max')}({a}, {b})"
        return f"cast({self.real(depth - 1)}, {self.integer})"

    def truth(self, depth):
        kind = self.random.randrange(5)
        compare = self.pick("<", "<=", ">", ">=", "==", "!=")
        if kind < 2 or depth <= 0:
            return f"({self.real(max(depth - 1, 0))} {compare} {self.real(0)})"
        if kind == 2:
            return f"({self.whole(depth - 1)} {compare} {self.whole(0)})"
        if kind == 3:
            return f"({self.truth(depth - 1)} {self.pick('and', 'or')} {self.truth(depth - 1)})"
        return f"(not {self.truth(depth - 1)})"

    def fresh(self, prefix):
        self.count += 1
        return f"{prefix}{self.count}"

    def statement(self, indent, depth):
        pad = "    " * indent
        kind = self.random.randrange(10)
        if kind < 3:
            name = self.fresh("r")
            value = self.unary(2) if self.random.random() < 0.3 else self.real(3)
            self.lines.append(f"{pad}{name} = {value}")
            self.floats.append(name)
        elif kind == 3:
            name = self.fresh("n")
            self.lines.append(f"{pad}{name} = {self.whole(3)}")
            self.integers.append(name)
        elif kind < 6:
            name = self.random.choice(self.floats)
            self.lines.append(f"{pad}{name} {self.pick('=', '+=', '-=', '*=')} {self.real(2)}")
        elif kind == 6:
            free = [n for n in self.integers if n not in self.fixed]
            name = self.random.choice(free)
            self.lines.append(f"{pad}{name} {self.pick('=', '+=', '-=')} {self.whole(2)}")
        elif depth > 0:
            self.block(indent, depth)
        else:
            self.lines.append(f"{pad}x = {self.real(2)}")

    def block(self, indent, depth):
        pad = "    " * indent
        floats, integers = list(self.floats), list(self.integers)

        def body(more=()):
            self.lines.extend(pad + "    " + line for line in more)
            for _ in range(self.random.randrange(1, 4)):
                self.statement(indent + 1, depth - 1)
            self.floats, self.integers = list(floats), list(integers)  # names made inside end there

        kind = self.random.randrange(4)
        if kind == 0:
            self.lines.append(f"{pad}if {self.truth(2)}:")
            body()
            if self.random.random() < 0.5:
                self.lines.append(f"{pad}else:")
                body()
        elif kind == 1:
            name = self.fresh("j")
            self.lines.append(f"{pad}for {name} in range({self.pick('3', '5', 'i % 7')}):")
            jumps = [f"if {self.truth(1)}:", f"    {self.pick('break', 'continue')}"] if self.random.random() < 0.4 else []
            body(jumps)
        elif kind == 2:
            name = self.fresh("w")
            self.lines.append(f"{pad}{name} = 0")
            self.lines.append(f"{pad}while {name} < 6 and {self.truth(1)}:")
            body([f"{name} += 1"])
        else:
            self.lines.append(f"{pad}if i % 3 == {self.pick('0', '1')}:")
            body()

    def text(self):
        self.lines = []
        for _ in range(self.random.randrange(3, 9)):
            self.statement(2, 2)
        body = "\n".join(self.lines)
        return f'''@kernel
def k(a: {self.float}[n], b: {self.integer}[n], out: mut {self.float}[n], whole: mut {self.integer}[n]):
    i = tile.linear_id()
    if i < n:
        x = a[i]
        k = b[i]
{body}
        out[i] = x
        whole[i] = k


def main(n: i32 = {SIZE}):
    a = zeros((n,), {self.float})
    b = zeros((n,), {self.integer})
    for i in range(n):
        a[i] = cast(cast(i * 37 % 101 - 50, f64) * 0.125, {self.float})
        b[i] = cast(i * 53 % 97 - 40, {self.integer})
    out = zeros((n,), {self.float})
    whole = zeros((n,), {self.integer})
    k(a, b, out, whole)
    return out, whole
'''


def elements(path, dtype):
    """The elements' bits; every NaN is None."""
    data = open(path, "rb").read()
    start = 8 + struct.unpack("<Q", data[:8])[0]
    import json
    header = json.loads(data[8:start])
    out = {}
    for name, tensor in header.items():
        if name == "__metadata__":
            continue
        begin, end = tensor["data_offsets"]
        width = (end - begin) // SIZE
        raw = data[start + begin:start + end]
        values = [int.from_bytes(raw[i:i + width], "little") for i in range(0, len(raw), width)]
        if tensor["dtype"] in NAN:
            exponent, mantissa = NAN[tensor["dtype"]]
            values = [None if v & exponent == exponent and v & mantissa else v for v in values]
        out[name] = values
    return out


NAN = {"F64": (0x7FF << 52, (1 << 52) - 1), "F32": (0xFF << 23, (1 << 23) - 1), "F16": (0x1F << 10, (1 << 10) - 1),
       "BF16": (0xFF << 7, (1 << 7) - 1)}


class Failure(Exception):
    pass


def run(command, timeout=60):
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout)
    if done.returncode != 0:
        raise Failure(f"{' '.join(command)}\nended with {done.returncode}\n{done.stdout}{done.stderr}")


def judge(tesserac, seed, folder):
    kernel = Kernel(seed)
    source = os.path.join(folder, f"kernel-{seed}.tsr")
    with open(source, "w") as file:
        file.write(kernel.text())
    results = {}
    out = os.path.join(folder, "out.safetensors")
    run([tesserac, "run", "--interpret", source, "--out", out])
    results["evaluator"] = elements(out, kernel.float)
    levels = set(run_levels())
    for machine, level in ENGINES:
        if machine not in levels:
            continue
        program = os.path.join(folder, "program")
        run([tesserac, source, f"--cpu={machine}", f"-O{level}", "-o", program])
        run([program, "--out", out])
        results[f"{machine} -O{level}"] = elements(out, kernel.float)
    first = results["evaluator"]
    for engine, values in results.items():
        for name in first:
            for i, (want, got) in enumerate(zip(first[name], values[name])):
                if want != got:
                    raise Failure(f"{name}[{i}]: the evaluator has {want:#x}, {engine} {got:#x}" if None not in (want, got)
                                  else f"{name}[{i}]: one of the evaluator and {engine} has a NaN")


def run_levels():
    flags = next((line for line in open("/proc/cpuinfo") if line.startswith("flags")), "").split()
    yield "x86-64"
    if {"avx2", "fma", "f16c", "bmi2"} <= set(flags):
        yield "x86-64-v3"
    if {"avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512cd"} <= set(flags):
        yield "x86-64-v4"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tesserac")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--keep", help="folder for the programs that fail")
    options = parser.parse_args()
    failures = 0
    print(f"seeds {options.seed} to {options.seed + options.count - 1}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(options.seed, options.seed + options.count):
            try:
                judge(options.tesserac, seed, folder)
            except (Failure, subprocess.TimeoutExpired, OSError) as failure:
                failures += 1
                print(f"seed {seed}: {failure}", flush=True)
                if options.keep:
                    os.makedirs(options.keep, exist_ok=True)
                    name = f"kernel-{seed}.tsr"
                    os.replace(os.path.join(folder, name), os.path.join(options.keep, name))
                    print(f"  its program: {os.path.join(options.keep, name)}")
    print(f"{options.count - failures} of {options.count} kernels agree")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
