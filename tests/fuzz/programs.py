"""Random programs in the evaluator, at -O0 and at -O3: the same bits, or a failure with its seed and a smaller program.

    programs.py TESSERAC [--count N] [--seed FIRST] [--keep FOLDER]
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import zipfile

from generate import program

ENGINES = {
    "evaluator": ["--interpret", "--sanitize=race,bounds"],
    "-O0": ["-O0", "--cpu=native"],
    "-O3": ["-O3", "--cpu=native"],
    "baseline": ["-O2", "--cpu=x86-64"],
}
with open("/proc/cpuinfo") as cpu:
    if {"avx2", "fma", "f16c", "bmi2"} <= set(next((line for line in cpu if line.startswith("flags")), "").split()):
        ENGINES["v3"] = ["-O2", "--cpu=x86-64-v3"]  # masks as vectors


# Bits of exponent and mantissa.
FORMATS = {"f64": (11, 52), "f32": (8, 23), "f16": (5, 10), "bf16": (8, 7)}


def arrays(path, text):
    """The results in a file. Which NaN an operation gives is not promised: each becomes the same."""
    kinds = dict(re.findall(r"\b(r\d): mut (\w+)", text))
    out = {}
    with zipfile.ZipFile(path) as file:
        for name, kind in kinds.items():
            data = file.read(f"{name}.npy")
            data = data[10 + int.from_bytes(data[8:10], "little"):]
            if kind in FORMATS:
                exponent, mantissa = FORMATS[kind]
                size = (1 + exponent + mantissa) // 8
                infinity = ((1 << exponent) - 1) << mantissa
                values = (int.from_bytes(data[at:at + size], "little") for at in range(0, len(data), size))
                data = [-1 if value & ((2 << (exponent + mantissa - 1)) - 1) > infinity else value for value in values]
            out[name] = data
    return out


def outcome(tesserac, text, folder, engines=None):
    """Nothing when all engines agree, else a kind of failure and its description."""
    path = os.path.join(folder, "program.tsr")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    first = None
    for name in engines or ENGINES:
        out = os.path.join(folder, "out.npz")
        if os.path.exists(out):
            os.remove(out)
        environment = dict(os.environ, TESSERA_CACHE_DIR=os.path.join(folder, "cache"))
        try:
            done = subprocess.run([tesserac, "run", *ENGINES[name], path, "--out", out], capture_output=True, timeout=120, env=environment,
                                  check=False)
        except subprocess.TimeoutExpired:
            return "hang", f"{name} did not end"
        if done.returncode != 0:
            return f"{name} exit {done.returncode}", f"{name} ended with {done.returncode}\n{done.stderr.decode(errors='replace')[:1500]}"
        content = arrays(out, text)
        if first is None:
            first = (name, content)
        elif content != first[1]:
            return f"{name} differs", f"{name} and {first[0]} wrote different bits"
    return None


def block_end(lines, begin):
    """Behind the line and what is indented under it."""
    depth = len(lines[begin]) - len(lines[begin].lstrip())
    end = begin + 1
    while end < len(lines) and lines[end].strip() and len(lines[end]) - len(lines[end].lstrip()) > depth:
        end += 1
    return end


def reduced(tesserac, text, kind, folder, attempts=150):
    """The program without the lines that the failure does not need."""
    lines = text.splitlines()
    at = len(lines) - 1
    while at >= 0 and attempts > 0:
        shorter = lines[:at] + lines[block_end(lines, at):]
        attempts -= 1
        found = outcome(tesserac, "\n".join(shorter) + "\n", folder)
        if found is not None and found[0] == kind:
            lines = shorter
        at -= 1
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tesserac")
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", help="where failing programs are put")
    parser.add_argument("--whole", action="store_true", help="do not make failing programs smaller")
    asked = parser.parse_args()
    tesserac = os.path.abspath(asked.tesserac)
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(asked.seed, asked.seed + asked.count):
            text = program(seed)
            found = outcome(tesserac, text, folder)
            if found is None:
                continue
            failures += 1
            small = text if asked.whole else reduced(tesserac, text, found[0], folder)
            print(f"seed {seed}: {found[1]}\n{small}", flush=True)
            if asked.keep:
                os.makedirs(asked.keep, exist_ok=True)
                with open(os.path.join(asked.keep, f"{seed}.tsr"), "w", encoding="utf-8") as file:
                    file.write(small)
    print(f"{asked.count} programs from seed {asked.seed}, {failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
