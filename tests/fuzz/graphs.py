#!/usr/bin/env python3
"""Random functions of whole tensors write the same on every engine: graphs as they were written, fused into kernels, on
the CPU and, where there is one, a GPU. All numbers are small integers, in i32 or f32: sums are exact in any order.

    graphs.py TESSERAC [--seed N] [--count N] [--keep FOLDER]
"""

import os
import random
import subprocess
import sys

from search import search

SIZES = [(0, 3), (3, 0), (1, 1), (1, 7), (5, 1), (3, 4), (40, 33), (9, 700), (300, 5)]
ENGINES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "run", "Inputs", "engines.py")


def joint(a, b):
    """The shape of an operation on both, or None; extents are "n", "m" or "1"."""
    rank = max(len(a), len(b))
    a, b = ("1",) * (rank - len(a)) + a, ("1",) * (rank - len(b)) + b
    if any(x != y and "1" not in (x, y) for x, y in zip(a, b)):
        return None
    return tuple(y if x == "1" else x for x, y in zip(a, b))


class Writer:
    """The text of one function f of tensors a[n, m], b[m], c[n] and a number s."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.elem = self.random.choice(["i32", "f32"])
        self.values = {"a": ("n", "m"), "b": ("m",), "c": ("n",), "s": ()}
        self.lines = []

    def number(self):
        return str(self.random.randint(-3, 5)) + (".0" if self.elem == "f32" else "")

    def pick(self):
        return self.random.choice(list(self.values.items()))

    def pick_tensor(self):
        return self.random.choice([(name, shape) for name, shape in self.values.items() if shape])

    def pair(self):
        """Two values that meet, and their joint shape, which has an axis."""
        while True:
            (x, x_shape), (y, y_shape) = self.pick(), self.pick()
            shape = joint(x_shape, y_shape)
            if shape:
                return x, y, shape

    def small(self, text):
        """Keeps numbers where sums and products of them are exact."""
        return f"({text}) % " + ("13.0" if self.elem == "f32" else "13")

    def cast(self, text):
        return f"cast({text}, {self.elem})"

    def expression(self):
        kind = self.random.choice(["pair", "pair", "pair", "extreme", "where", "unary", "reduce", "reduce", "reduce", "ask",
                                   "transpose", "product", "move", "move", "move", "along", "along", "indexed"])
        if kind == "pair":
            x, y, shape = self.pair()
            op = self.random.choice(["+", "-", "*"])
            extra = self.random.choice(["", f" + {self.number()}", f" * {x}"])
            return self.small(f"{x} {op} {y}{extra}"), shape
        if kind == "extreme":
            x, y, shape = self.pair()
            return f"{self.random.choice(['minimum', 'maximum'])}({x}, {y})", shape
        if kind == "where":
            x, y, shape = self.pair()
            z, z_shape = self.pick()
            whole = joint(shape, z_shape)
            test = f"{x} {self.random.choice(['<', '>=', '==', '!='])} {y}"
            if not whole:
                return f"where({test}, {x}, {self.number()})", shape
            return f"where({test}, {z}, {x})", whole
        if kind == "unary":
            x, shape = self.pick_tensor()
            return self.random.choice([f"-{x}", f"abs({x})", f"clip({x}, {self.number()}, 7{'.0' if self.elem == 'f32' else ''})"]), shape
        if kind == "transpose":
            x, shape = self.pick_tensor()
            return (f"{x}.T", shape[::-1]) if len(shape) == 2 else (f"{x} + {x}", shape)
        if kind == "product":
            return self.product()
        if kind == "move":
            return self.move()
        if kind == "along":
            return self.along()
        if kind == "indexed":
            return self.indexed()
        x, shape = self.pick_tensor()
        axes = sorted(self.random.sample(range(len(shape)), self.random.randint(1, len(shape))))
        keep = self.random.random() < 0.4
        kept = tuple("1" if i in axes else s for i, s in enumerate(shape) if keep or i not in axes)
        axis = "" if len(axes) == len(shape) and self.random.random() < 0.5 else f", axis={axes[0] if len(axes) == 1 else tuple(axes)}"
        rest = axis + (", keepdims=True" if keep else "")
        if kind == "ask":
            return self.cast(f"count_nonzero({x} > {self.number()}{rest}) % 13"), kept
        function = self.random.choice(["sum", "max", "min"])
        if function != "sum":
            # Of nothing they are no small number.
            return self.small(f"clip({function}({x}{rest}), {self.number()}, {'99.0' if self.elem == 'f32' else '99'})"), kept
        total = f"sum({x}{rest})"
        return (self.small(total), kept) if self.elem == "f32" else (self.cast(f"{total} % 13"), kept)

    def move(self):
        """Elements in other places; most leave the shape as it is, so that others meet it."""
        x, shape = self.pick_tensor()
        axis = self.random.randrange(len(shape))
        extent = shape[axis]
        zero = "0.0" if self.elem == "f32" else "0"
        at = lambda slice: f"[{', '.join([':'] * axis + [slice])}]"
        moves = [
            (f"{x}{at('::-1')}", shape),
            (f"flip({x})", shape),
            (f"roll({x}, {self.random.randint(-5, 5)}, axis={axis})", shape),
            (f"concat([{x}, {x}], axis={axis}){at(f':{extent}')}", shape),
            (f"concat([{x}{at('1:')}, {x}], axis={axis}){at(f':{extent}')}", shape),
            (f"pad({x}, 1, value={self.number()})[{', '.join(['1:-1'] * len(shape))}]", shape),
            (f"pad({x}, {self.random.randint(1, 3)}){at(f':{extent}')}[{', '.join(':' + s for s in shape)}]", shape),
            (f"repeat({x}, 2, axis={axis}){at(self.random.choice(['::2', '1::2']))}", shape),
            (f"stack([{x}, {x} * 2], axis={axis}){at(self.random.choice(['0', '-1']))}".replace("* 2", "* " + zero), shape),
            (f"{x}.reshape(-1).reshape(({', '.join(shape)},))", shape),
            (f"({x} + {x}).flatten()[::-1].reshape(({', '.join(shape)},))", shape),
            (f"where((arange({extent}) >= {self.random.randint(0, 4)}){'[:, None]' if axis + 1 < len(shape) else ''}, {x}, {zero})", shape),
            (self.changed(x, at), shape),
        ]
        if len(shape) == 1:
            moves += [(f"{x}[:, None]", (extent, "1")), (f"expand_dims({x}, 0)", ("1", extent))]
        else:
            moves += [(f"transpose({x})", shape[::-1]), (f"{x}.swapaxes(0, 1)[::-1]", shape[::-1])]
            moves += [(f"{x}.squeeze({i})", shape[:i] + shape[i + 1:]) for i in (0, 1) if shape[i] == "1"]
        text, moved = self.random.choice(moves)
        return self.small(text), moved

    def changed(self, x, at):
        """A name whose value is x but for a block."""
        name = f"w{len(self.lines)}"
        begin, end = self.random.choice([("1:", ":-1"), (":-1", "1:"), ("::2", "::2"), (":", "::-1")])
        self.lines += [f"    {name} = {x}", f"    {name}{at(begin)} = {x}{at(end)}"]
        return name

    def along(self):
        """A scan or a sort along an axis."""
        x, shape = self.pick_tensor()
        axis = self.random.randrange(len(shape))
        turned = self.random.choice(["", "True"])
        if self.random.random() < 0.5:
            function = self.random.choice(["sort", "argsort"])
            text = f"{function}({x}, axis={axis}{turned and ', descending=True'})"
            return (text if function == "sort" else self.cast(f"{text} % 7")), shape
        function = self.random.choice(["cumsum", "cummax"])
        text = f"{function}({x}, axis={axis}{turned and ', reverse=True'})"
        return (self.cast(f"{text} % 13") if self.elem == "i32" and function == "cumsum" else self.small(text)), shape

    def indexed(self):
        """Rows by ids, some of which are outside; values put or added where ids say."""
        x, shape = self.pick_tensor()
        axis = self.random.randrange(len(shape))
        along = [(name, other) for name, other in self.values.items() if len(other) == 1]
        ids, by = self.random.choice(along)
        if self.random.random() < 0.5:
            return f"take({x}, cast({ids}, i32), axis={axis}, mode=\"fill\")", shape[:axis] + by + shape[axis + 1:]
        same = [name for name, other in along if other == shape[axis:axis + 1]]
        if not same:
            return f"{x} + {x}", shape
        op = self.random.choice(["set", "add", "max"])
        return self.small(f"scatter({x}, cast({self.random.choice(same)}, i32), {x}, axis={axis}, op=\"{op}\", mode=\"fill\")"), shape

    def product(self):
        if self.elem == "i32":
            return self.small("a * b"), ("n", "m")
        x, shape = self.random.choice([(name, shape) for name, shape in self.values.items() if len(shape) == 2])
        y = next((name for name, other in sorted(self.values.items(), key=lambda _: self.random.random())
                  if len(other) == 2 and other[0] == shape[1] and name != x), f"{x}.T")
        other = self.values.get(y, shape[::-1])
        if "1" in shape + other:
            return self.small(f"{x} + {x}"), shape
        return self.small(f"{x} @ {y}"), (shape[0], other[1])

    def text(self, statements):
        for i in range(statements):
            expression, shape = self.expression()
            name = f"v{i}"
            self.lines.append(f"    {name} = {expression}")
            self.values[name] = shape
        tensors = [name for name, shape in self.values.items() if shape and name.startswith("v")] or ["a"]
        given = self.random.sample(tensors, min(3, len(tensors)))
        scalars = [name for name, shape in self.values.items() if not shape and name.startswith("v")]
        results = given + scalars[:1]
        e = self.elem
        types = ", ".join(f"{e}[{', '.join(self.values[name])}]" if self.values[name] else e for name in results)
        types = f"({types})" if len(results) > 1 else types
        numbers = {"i32": ("0", "", "7", "3"), "f32": ("0.0", ".0", "7.0", "3.0")}[e]
        arange = f"cast(arange(0, n * m) % 7, {e}).reshape((n, m)) - {numbers[3]}"
        return "\n".join([
            "@jit",
            f"def f(a: {e}[n, m], b: {e}[m], c: {e}[n], s: {e}) -> {types}:",
            *self.lines,
            f"    return {', '.join(results)}",
            "",
            "def main(n: i32, m: i32):",
            f"    a = {arange}",
            f"    b = cast(arange(0, m) % 5, {e}) - {self.number()}",
            f"    c = cast(arange(0, n) % 3, {e}) * {self.number()}",
            f"    {', '.join('r_' + name for name in results)} = f(a, b, c, {self.number()})",
            *[f"    print('{name}', r_{name}{', (r_' + name + ' * (r_' + name + ' + ' + numbers[3] + ')).sum()' if self.values[name] else ''})"
              for name in results],
            "",
        ])


def program_of(seed):
    def faults(tesserac, _, path):
        found = []
        for n, m in random.Random(seed).sample(SIZES, 3):
            names = "evaluator,one-tile,cpu" + (",gpu" if os.environ.get("TESSERA_TEST_DRIVER") else "")
            run = subprocess.run([sys.executable, ENGINES, tesserac, "--engines", names, path, "--n", str(n), "--m", str(m)],
                                 capture_output=True, text=True)
            if run.returncode != 0:
                found.append(f"n {n} m {m}:\n{run.stdout}{run.stderr}")
        return found

    return Writer(seed).text(random.Random(seed).randint(3, 12)), faults


if __name__ == "__main__":
    search("graph", program_of, "graphs are the same on every engine")
