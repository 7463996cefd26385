#!/usr/bin/env python3
"""Random functions of integers, nested loops with `break`, `continue` and early `return`, judged by Python itself: the
same text runs here, as a host function, inlined in a kernel of a tile loop and in a flat kernel.

    control_flow.py TESSERAC [--seed N] [--count N] [--keep FOLDER]
"""

import argparse
import os
import random
import re
import subprocess
import sys
import tempfile

NAMES = ["x", "y", "z", "w"]
COUNT = 120
ARGUMENTS = [(i % 20 - 5, i // 20 - 3) for i in range(COUNT)]

PROGRAM = """
@kernel
def looped(o: mut i32[n]):
    for i in tile.range(n):
        o[i] = f(cast(i, i32) % 20 - 5, cast(i, i32) // 20 - 3)

@kernel
def flat(o: mut i32[n]):
    i = tile.linear_id()
    if i >= n:
        return
    o[i] = f(cast(i, i32) % 20 - 5, cast(i, i32) // 20 - 3)

def main():
    a = zeros(120, i32)
    b = zeros(120, i32)
    looped(a)
    flat(b)
    for i in range(120):
        print(a[i], b[i], f(cast(i, i32) % 20 - 5, cast(i, i32) // 20 - 3))
"""


class Writer:
    """Text of the functions g and f; f calls g."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.count = 0
        self.calls = False

    def fresh(self, letter):
        self.count += 1
        return f"{letter}{self.count}"

    def value(self, depth, scope):
        choice = self.random.random()
        if depth <= 0 or choice < 0.35:
            return self.random.choice(scope + [str(self.random.randint(-5, 9))])
        if choice < 0.75:
            op = self.random.choice(["+", "-", "*", "//", "%", "+", "-"])
            right = self.random.choice(["2", "3", "5", "-3", "7"]) if op in ("//", "%") else self.value(depth - 1, scope)
            return f"({self.value(depth - 1, scope)} {op} {right})"
        if choice < 0.85:
            condition = self.truth(depth - 1, scope)
            return f"({self.value(depth - 1, scope)} if {condition} else {self.value(depth - 1, scope)})"
        if choice < 0.93:
            return f"min({self.value(depth - 1, scope)}, {self.value(depth - 1, scope)})"
        return f"(-{self.value(depth - 1, scope)})"

    def truth(self, depth, scope):
        choice = self.random.random()
        if depth <= 0 or choice < 0.5:
            op = self.random.choice(["<", "<=", ">", ">=", "==", "!="])
            return f"{self.value(depth, scope)} {op} {self.value(depth, scope)}"
        if choice < 0.6:
            return f"{self.value(0, scope)} < {self.value(depth, scope)} <= {self.value(0, scope)}"
        if choice < 0.75:
            return f"({self.truth(depth - 1, scope)} and {self.truth(depth - 1, scope)})"
        if choice < 0.9:
            return f"({self.truth(depth - 1, scope)} or {self.truth(depth - 1, scope)})"
        return f"(not {self.truth(depth - 1, scope)})"

    def assignment(self, scope):
        choice = self.random.random()
        name = self.random.choice(NAMES)
        if choice < 0.15:
            one, other = self.random.sample(NAMES, 2)
            return f"{one}, {other} = {other}, {one}"
        if choice < 0.25 and self.calls:
            return f"{name} = g({self.value(1, scope)} % 50, {self.value(1, scope)} % 50)"
        if choice < 0.6:
            return f"{name} {self.random.choice(['+', '-'])}= {self.value(1, scope)}"
        return f"{name} = ({self.value(2, scope)}) % 1009"

    def block(self, indent, depth, in_loop, scope):
        for _ in range(self.random.randint(1, 4)):
            yield from self.statement(indent, depth, in_loop, scope)

    def statement(self, indent, depth, in_loop, scope):
        space = "    " * indent
        choice = self.random.random()
        if depth == 0 or choice < 0.4:
            yield space + self.assignment(scope)
        elif choice < 0.62:
            yield f"{space}if {self.truth(2, scope)}:"
            yield from self.block(indent + 1, depth - 1, in_loop, scope)
            while self.random.random() < 0.3:
                yield f"{space}elif {self.truth(1, scope)}:"
                yield from self.block(indent + 1, depth - 1, in_loop, scope)
            if self.random.random() < 0.5:
                yield f"{space}else:"
                yield from self.block(indent + 1, depth - 1, in_loop, scope)
        elif choice < 0.76:
            index = self.fresh("k")
            bounds = self.random.choice(
                [str(self.random.randint(0, 5)), f"{self.value(0, scope)} % 6",
                 f"{self.random.randint(3, 6)}, 0, -1", f"{self.value(0, scope)} % 5, 7, 2"])
            yield f"{space}for {index} in range({bounds}):"
            yield from self.block(indent + 1, depth - 1, True, scope + [index])
        elif choice < 0.86:
            counter = self.fresh("c")
            yield f"{space}{counter} = 0"
            condition = f"{counter} < {self.random.randint(1, 6)} and {self.truth(1, scope)}"
            yield f"{space}while {self.random.choice([condition, 'True'])}:"
            yield f"{space}    {counter} += 1"
            yield f"{space}    if {counter} > 6:"
            yield f"{space}        break"
            yield from self.block(indent + 1, depth - 1, True, scope + [counter])
        elif choice < 0.95 and in_loop:
            yield f"{space}if {self.truth(1, scope)}:"
            yield f"{space}    {self.random.choice(['break', 'continue'])}"
        else:
            yield f"{space}if {self.truth(1, scope)}:"
            yield f"{space}    return ({self.value(2, scope)}) % 1009"

    def function(self, name, depth, blocks):
        lines = [f"def {name}(x: i32, y: i32) -> i32:", "    z = x", "    w = 3"]
        for _ in range(blocks):
            lines += self.block(1, depth, False, NAMES)
        return "\n".join(lines + ["    return (x + 3 * y - z + 7 * w) % 1009"])

    def text(self):
        first = self.function("g", 2, 1)
        self.calls = True
        return first + "\n\n" + self.function("f", 3, 2) + "\n"


class Overflow(Exception):
    pass


class Number(int):
    """An integer that refuses what 32 bits do not hold."""


def checked(name):
    plain = getattr(int, name)

    def operation(*operands):
        result = plain(*operands)
        if result is NotImplemented:
            return result
        if not -(2**31) <= result < 2**31:
            raise Overflow
        return Number(result)

    return operation


for operator in "add sub mul floordiv mod radd rsub rmul rfloordiv rmod neg".split():
    setattr(Number, f"__{operator}__", checked(f"__{operator}__"))


def expected(text):
    """What Python makes of it; nothing where a number does not fit."""
    numbers = re.sub(r"(?<![\w.])\d+", lambda match: f"Number({match.group()})", text)
    space = {"i32": int, "Number": Number, "min": min, "range": range}
    exec(numbers, space)
    try:
        return [space["f"](Number(x), Number(y)) for x, y in ARGUMENTS]
    except Overflow:
        return None


def judge(tesserac, text, want, path):
    with open(path, "w") as file:
        file.write(text + PROGRAM)
    for mode in ([], ["--interpret"], ["--interpret=tile"]):
        done = subprocess.run([tesserac, "run", *mode, path], capture_output=True, text=True, timeout=300)
        engine = mode[0] if mode else "code"
        if done.returncode != 0:
            return f"{engine}: exit code {done.returncode}\n{done.stdout[-500:]}{done.stderr[-2000:]}"
        for number, (line, value) in enumerate(zip(done.stdout.splitlines() + [""] * COUNT, want)):
            if line != f"{value} {value} {value}":
                return f"{engine}: f{ARGUMENTS[number]} is {value}; the kernels and the host function gave {line!r}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tesserac")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--keep", help="folder for the programs that fail")
    options = parser.parse_args()
    seed, done, failures = options.seed, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        while done < options.count:
            text = Writer(seed).text()
            want = expected(text)
            if want is not None:
                done += 1
                path = os.path.join(folder, f"control-flow-{seed}.tsr")
                fault = judge(options.tesserac, text, want, path)
                if fault:
                    failures += 1
                    print(f"seed {seed}: {fault}", flush=True)
                    if options.keep:
                        os.makedirs(options.keep, exist_ok=True)
                        os.replace(path, os.path.join(options.keep, os.path.basename(path)))
            seed += 1
    print(f"{done - failures} of {done} programs do what Python does")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
