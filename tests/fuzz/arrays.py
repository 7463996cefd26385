#!/usr/bin/env python3
"""Random programs on whole tensors give what NumPy gives: shapes, types and values, from `@jit` functions and from the
host, by the evaluator and on the CPU. NumPy shares nothing with the compiler, as the engines do among themselves.

    arrays.py TESSERAC [--seed N] [--count N] [--keep FOLDER]

Floats may differ by some thousandths: sums have other orders, and functions other roundings. Extents that only the run
knows do not stretch where they meet others, as those of NumPy do: such programs are left out.
"""

import os
import random
import subprocess

import numpy as np

from array_operations import DTYPES, Operations
from search import search

STRETCHED = ("elements meet", "where its type says")
TOLERANCE = 2e-3


class Program:
    """A text with inputs, and the last values that it computes."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        operations = Operations(self.random)
        self.inputs = []
        for number in range(self.random.randint(1, 3)):
            shape = tuple(self.random.choice([1, 2, 3, 4, 5, 7]) for _ in range(self.random.randint(1, 3)))
            made = np.random.RandomState(self.random.randrange(1 << 30))
            integers = self.random.random() < 0.25
            array = made.randint(-5, 6, shape).astype(np.int32) if integers else (made.randn(*shape) * 2).astype(np.float32)
            self.inputs.append((f"x{number}", array))
        operations.values += self.inputs
        with np.errstate(all="ignore"):
            for _ in range(self.random.randint(4, 14)):
                self.random.choice(operations.all)()
        made = [value for value in operations.values[len(self.inputs):] if value[1].ndim > 0]
        self.results = made[-3:]
        self.text = self.written(operations.lines)

    def written(self, lines):
        symbols = self.random.random() < 0.3

        def type_of(name, array):
            extents = [f"{name}_{axis}" if symbols else str(extent) for axis, extent in enumerate(array.shape)]
            return f"{name}: {DTYPES[str(array.dtype)]}[{', '.join(extents)}]"

        parameters = ", ".join(type_of(name, array) for name, array in self.inputs)
        names = [name for name, _ in self.results]
        if not names:
            return ""
        given = ", ".join(f"r_{name}" for name in names)
        body = [f"    {line}" for line in lines]
        if self.random.random() < 0.3:
            made = [f"    r_{name} = {name}" for name in names]
            return "\n".join([f"def main({parameters}):", *body, *made, f"    return {given}", ""])
        called = ", ".join(name for name, _ in self.inputs)
        return "\n".join(["@jit", f"def f({parameters}):", *body, f"    return {', '.join(names)}", "",
                          f"def main({parameters}):", f"    {given} = f({called})", f"    return {given}", ""])

    def run(self, tesserac, folder, path, engine):
        """What is wrong with what the program gives; None where it is right, or left out."""
        arguments = []
        for name, array in self.inputs:
            np.save(os.path.join(folder, f"{name}.npy"), array)
            arguments += [f"--{name}", os.path.join(folder, f"{name}.npy")]
        out = os.path.join(folder, "out.npz" if len(self.results) > 1 else "out.npy")
        run = subprocess.run([tesserac, "run", *engine, path, *arguments, "--out", out], capture_output=True, text=True)
        if any(words in run.stderr for words in STRETCHED):
            return None
        if run.returncode != 0:
            return f"exit code {run.returncode}\n{run.stderr}"
        found = np.load(out) if len(self.results) > 1 else {f"r_{self.results[0][0]}": np.load(out)}
        for name, wanted in self.results:
            fault = difference(found[f"r_{name}"], wanted)
            if fault:
                return f"{name}: {fault}"
        return None


def difference(found, wanted):
    if found.shape != wanted.shape or found.dtype != wanted.dtype:
        return f"{found.dtype}{list(found.shape)}, NumPy gives {wanted.dtype}{list(wanted.shape)}"
    if wanted.dtype == np.float32:
        scale = max(1.0, float(np.abs(wanted).max(initial=0)))
        same = np.allclose(found, wanted, rtol=TOLERANCE, atol=TOLERANCE * scale, equal_nan=True)
    else:
        same = bool((found == wanted).all())
    return None if same else f"\n{found}\nNumPy gives\n{wanted}"


def program_of(seed):
    program = Program(seed)

    def faults(tesserac, folder, path):
        if not program.results:
            return []
        found = [(name, program.run(tesserac, folder, path, engine)) for name, engine in (("evaluator", ["--interpret"]), ("CPU", []))]
        return [f"{name}: {fault}\n{program.text}" for name, fault in found if fault]

    return program.text, faults


if __name__ == "__main__":
    search("arrays", program_of, "programs give what NumPy gives")
