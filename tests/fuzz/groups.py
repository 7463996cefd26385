#!/usr/bin/env python3
"""Random kernels whose tiles part and meet, judged by an interpreter of the text that follows the language reference and shares
nothing with the compiler: what the evaluator and the compiled code write must be what it says.

    groups.py TESSERAC [--seed N] [--count N] [--keep FOLDER] [FILE…]

A GPU is one of the engines where TESSERA_CUDA_DRIVER names its driver. FILEs are judged instead of random programs.
"""

import argparse
import os
import random
import re
import struct
import subprocess
import sys
import tempfile
import zipfile

import group_programs
import group_text
from group_machine import judged
from group_values import Memory, Race, Undefined
from group_who import Divergent
from programs import reduced

ENGINES = {"evaluator": ["--interpret"], "one-tile": ["--interpret=tile"], "-O2": ["-O2"], "-O0": ["-O0"]}
if os.environ.get("TESSERA_CUDA_DRIVER"):
    ENGINES["gpu"] = ["-O2", "--cpu=native", "--target=cpu", "--target=sm_80"]


def write_array(path, items):
    head = f"{{'descr': '<i4', 'fortran_order': False, 'shape': ({len(items)},), }}"
    head += " " * (-(len(head) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + struct.pack(f"<{len(items)}i", *items))


def read_arrays(path):
    found = {}
    with zipfile.ZipFile(path) as file:
        for name in file.namelist():
            data = file.read(name)
            data = data[10 + int.from_bytes(data[8:10], "little"):]
            found[name.removesuffix(".npy")] = list(struct.unpack(f"<{len(data) // 4}i", data))
    return found


def arguments(text, seed):
    """What the program is called with: tensors as the judge holds them, and scalars."""
    draw = random.Random(seed)
    extent = draw.choice([5, 37, 64])
    given = {"x": Memory("i32", (extent,), [draw.choice([draw.randint(-50, 50), draw.randrange(extent)]) for _ in range(extent)])}
    for name, size in re.findall(r"^    (\w+) = zeros\(\((\d+(?: \* \d+)?),\), i32\)", text, re.MULTILINE):
        size = eval(size)  # a number, or a product of two
        given[name] = Memory("i32", (size,), [0] * size)
    for argument in group_text.kernel_of(text).tree.args.args:
        if argument.arg not in given:
            real = argument.annotation.id == "f32"
            given[argument.arg] = ("f32", draw.choice([0.5, 3.0, -7.5])) if real else ("i32", draw.choice([draw.randint(-6, 12), draw.randint(-100, 100)]))
    return given


def outcome(tesserac, text, seed, folder, engines=tuple(ENGINES)):
    """Nothing when every engine wrote what the judge did; else what went wrong, and with which engine. `invalid`: no program."""
    given = arguments(text, seed)
    path, out = os.path.join(folder, "program.tsr"), os.path.join(folder, "out.npz")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    write_array(os.path.join(folder, "x.npy"), given["x"].data)
    options = ["--x", os.path.join(folder, "x.npy")] + [f"--{name}={value[1]}" for name, value in given.items() if isinstance(value, tuple)]
    try:
        judged(text, int(re.search(r"\bk\[(\d+)\]", text)[1]), given)
    except (Race, Undefined, Divergent) as reason:
        return "invalid", f"{type(reason).__name__}: {reason}"
    for name in engines:
        if os.path.exists(out):
            os.remove(out)
        environment = dict(os.environ, TESSERA_CACHE_DIR=os.path.join(folder, "cache"), TESSERA_DEVICE="cuda:0" if name == "gpu" else "cpu")
        command = [tesserac, "run", *ENGINES[name], path, *options, "--out", out]
        try:
            done = subprocess.run(command, capture_output=True, timeout=120, env=environment, check=False)
        except subprocess.TimeoutExpired:
            return f"{name} hangs", f"{name} did not end"
        if done.returncode != 0:
            said = done.stderr.decode(errors="replace")
            code = re.search(r"error\[(\w+)\]", said)
            return f"{name} exit {done.returncode} {code[1] if code else ''}", f"{name} ended with {done.returncode}\n{said[:1500]}"
        for array, wrote in read_arrays(out).items():
            want = given[array].data
            wrong = [at for at, (one, other) in enumerate(zip(wrote, want)) if one != other]
            if wrong:
                at = wrong[0]
                return f"{name} differs", f"{name}: {array}[{at}] is {wrote[at]}, not {want[at]} ({len(wrong)} elements of {len(want)})"
    return None


def smaller(tesserac, text, seed, kind, folder):
    """The program with less in it that fails in the same way."""
    name = kind.split()[0]

    def fails(lines):
        try:
            found = outcome(tesserac, "\n".join(lines) + "\n", seed, folder, (name,))
        except (SyntaxError, KeyError, AttributeError, IndexError, TypeError, ValueError, NotImplementedError, AssertionError):
            return False  # it is no program any more
        return found is not None and found[0] == kind

    return reduced(text.splitlines(), fails)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tesserac")
    parser.add_argument("files", nargs="*")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--keep", help="where failing programs are put")
    parser.add_argument("--whole", action="store_true", help="do not make failing programs smaller")
    parser.add_argument("--engines", help="only these")
    asked = parser.parse_args()
    engines = tuple(asked.engines.split(",")) if asked.engines else tuple(ENGINES)
    tesserac = os.path.abspath(asked.tesserac)
    programs = [(name, seed, open(name, encoding="utf-8").read()) for name in asked.files for seed in range(asked.seed, asked.seed + asked.count)]
    if not asked.files:
        programs = ((f"seed {seed}", seed, group_programs.program(seed)) for seed in range(asked.seed, asked.seed + asked.count))
    failures = invalid = done = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, seed, text in programs:
            found = outcome(tesserac, text, seed, folder, engines)
            done += 1
            if found is None:
                continue
            if found[0] == "invalid":
                invalid += 1
                if asked.files:
                    print(f"{name}, seed {seed}: {found[1]}")
                continue
            failures += 1
            small = text if asked.whole else smaller(tesserac, text, seed, found[0], folder)
            print(f"{name}: {found[1]}\n" + ("" if asked.files and asked.whole else small), flush=True)
            if asked.keep:
                os.makedirs(asked.keep, exist_ok=True)
                with open(os.path.join(asked.keep, f"groups-{seed}.tsr"), "w", encoding="utf-8") as file:
                    file.write(small)
    print(f"{done - failures - invalid} of {done} programs do what the reference says, {invalid} left out, {failures} failed")
    return 1 if failures or invalid == done else 0


if __name__ == "__main__":
    sys.exit(main())
