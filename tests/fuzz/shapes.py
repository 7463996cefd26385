#!/usr/bin/env python3
"""Random chains of movements of one tensor give what NumPy gives: each is done here, too, on a list of numbers.

    shapes.py TESSERAC [--seed N] [--count N] [--engine OPTION] [--keep FOLDER]

The shape of the tensor is known to the compiler, or symbols of the header are bound to it.
"""

import argparse
import itertools
import os
import random
import re
import subprocess
import sys
import tempfile


class Array:
    """Numbers in row-major order."""

    def __init__(self, shape, numbers):
        self.shape, self.numbers = tuple(shape), list(numbers)

    def at(self, index):
        place = 0
        for i, extent in zip(index, self.shape):
            place = place * extent + i
        return self.numbers[place]

    def made(self, shape, source):
        """An array whose element at an index is that of this one at `source(index)`."""
        return Array(shape, [self.at(source(index)) for index in itertools.product(*map(range, shape))])

    def sliced(self, slices):
        ranges = [range(extent)[s] for extent, s in zip(self.shape, slices)]
        return self.made([len(r) for r in ranges], lambda index: [r[i] for r, i in zip(ranges, index)])


def joined(axis, parts):
    shape = list(parts[0].shape)
    shape[axis] = sum(part.shape[axis] for part in parts)

    def element(index):
        index = list(index)
        for part in parts:
            if index[axis] < part.shape[axis]:
                return part.at(index)
            index[axis] -= part.shape[axis]

    return Array(shape, [element(index) for index in itertools.product(*map(range, shape))])


def text_of(s):
    return ":".join("" if part is None else str(part) for part in (s.start, s.stop)) + ("" if s.step is None else f":{s.step}")


class Chain:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def slice(self):
        bound = lambda: self.random.choice([None, None, self.random.randint(-6, 6)])
        return slice(bound(), bound(), self.random.choice([None, None, 1, 2, 3, -1, -2]))

    def step(self, x):
        """The text of a movement of `x`, and what it gives."""
        rank = len(x.shape)
        axis = self.random.randrange(rank)
        kind = self.random.choice(["slice", "slice", "slice", "transpose", "swap", "reshape", "flip", "roll", "concat", "pad", "repeat",
                                   "stack", "new", "index", "update"])
        if kind == "slice":
            slices = [self.slice() for _ in range(rank)]
            return f"x[{', '.join(map(text_of, slices))}]", x.sliced(slices)
        if kind in ("transpose", "swap"):
            order = list(range(rank))
            self.random.shuffle(order)
            shape = [x.shape[i] for i in order]
            moved = x.made(shape, lambda index: [index[order.index(i)] for i in range(rank)])
            return f"transpose(x, ({', '.join(map(str, order))},))", moved
        if kind == "reshape":
            count = len(x.numbers)
            sizes = [size for size in range(1, count + 1) if count % size == 0] or [0]
            first = self.random.choice(sizes)
            shape = [first, count // first if first else 3]
            written = ["-1" if first and i == 1 else str(extent) for i, extent in enumerate(shape)]
            return f"x.reshape(({', '.join(written)}))", Array(shape, x.numbers)
        if kind == "flip":
            return f"flip(x, {axis})", x.sliced([slice(None, None, -1) if i == axis else slice(None) for i in range(rank)])
        if kind == "roll":
            by = self.random.randint(-7, 7)
            extent = x.shape[axis]
            rolled = x.made(x.shape, lambda index: [(v - by) % extent if i == axis else v for i, v in enumerate(index)])
            return f"roll(x, {by}, axis={axis - rank})", rolled
        if kind == "concat":
            other = x.sliced([slice(1, None) if i == axis else slice(None) for i in range(rank)])
            part = f"x[{', '.join(['1:' if i == axis else ':' for i in range(rank)])}]"
            return f"concat([x, {part}, x], axis={axis})", joined(axis, [x, other, x])
        if kind == "pad":
            widths = [(self.random.randint(0, 2), self.random.randint(0, 2)) for _ in range(rank)]
            for i, (before, behind) in enumerate(widths):
                fill = lambda n: Array([n if k == i else extent for k, extent in enumerate(x.shape)], [9] * 10000)
                x = joined(i, [fill(before), x, fill(behind)])
            return f"pad(x, ({', '.join(map(str, widths))},), value=9)", x
        if kind == "repeat":
            shape = [2 * extent if i == axis else extent for i, extent in enumerate(x.shape)]
            return f"repeat(x, 2, {axis})", x.made(shape, lambda index: [v // 2 if i == axis else v for i, v in enumerate(index)])
        if kind == "stack" and rank < 4:
            shape = [*x.shape[:axis], 2, *x.shape[axis:]]
            return f"stack([x, x], {axis})", x.made(shape, lambda index: [*index[:axis], *index[axis + 1:]])
        if kind == "new" and rank < 4:
            return f"x[{', '.join([':'] * axis + ['None'])}]", Array([*x.shape[:axis], 1, *x.shape[axis:]], x.numbers)
        if kind == "index" and rank > 1 and x.shape[axis] > 0:
            at = self.random.randrange(-x.shape[axis], x.shape[axis])
            written = f"x[{', '.join([':'] * axis + [str(at)])}]"
            place = at % x.shape[axis]
            return written, x.made([*x.shape[:axis], *x.shape[axis + 1:]], lambda index: [*index[:axis], place, *index[axis:]])
        # x + x at the block, by an update.
        slices = [self.slice() if i == axis else slice(None) for i in range(rank)]
        ranges = [range(extent)[s] for extent, s in zip(x.shape, slices)]
        numbers = [2 * x.at(index) if all(v in r for v, r in zip(index, ranges)) else x.at(index)
                   for index in itertools.product(*map(range, x.shape))]
        place = f"x[{', '.join(map(text_of, slices))}]"
        return f"{place} = {place} * 2", Array(x.shape, numbers)

    def program(self, steps):
        shape = [self.random.choice([0, 1, 2, 3, 5]) for _ in range(self.random.randint(1, 3))]
        count = 1
        for extent in shape:
            count *= extent
        x = Array(shape, range(count))
        name, body = "x", []  # each name has one shape
        for number in range(steps):
            text, moved = self.step(x)
            if len(moved.numbers) > 400 or len(moved.shape) > 4:
                continue
            x, before, name = moved, name, f"y{number}"
            if text.startswith("x[") and " = " in text:
                body += [f"    {name} = {before}", "    " + replaced(text, name)]
            else:
                body.append(f"    {name} = {replaced(text, before)}")
        symbolic = self.random.random() < 0.5
        header = ", ".join("abc"[i] if symbolic and extent != 1 else str(extent) for i, extent in enumerate(shape))
        return "\n".join([
            "@jit", f"def f(x: i64[{header}]):", *body, f"    return {name} + 0", "",
            "def main():", f"    y = f(arange(0, {count}, 1, i64).reshape(({', '.join(map(str, shape))},)))",
            "    print(y.shape, y.flatten())", ""]), x


def replaced(text, name):
    """`x` as a word becomes the name."""
    return re.sub(r"\bx\b", name, text)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tesserac")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--engine", default="--interpret=tile")
    parser.add_argument("--keep")
    options = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(options.seed, options.seed + options.count):
            text, expected = Chain(seed).program(random.Random(seed).randint(1, 5))
            path = os.path.join(options.keep or folder, f"shapes{seed}.tsr")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            run = subprocess.run([options.tesserac, "run", options.engine, path], capture_output=True, text=True)
            shape = "(" + ", ".join(map(str, expected.shape)) + ("," if len(expected.shape) == 1 else "") + ")"
            wanted = shape + " [" + " ".join(map(str, expected.numbers)) + "]"
            if run.returncode != 0 or " ".join(run.stdout.split()).replace("[ ", "[") != wanted:
                failed += 1
                print(f"seed {seed}:\n{text}\nwanted {wanted}\n{run.stdout}{run.stderr}")
    print(f"{options.count - failed} of {options.count} chains give what NumPy gives, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
