"""Random programs in the evaluator, at -O0 and at -O3: the same bits, or a failure with its seed and a smaller program.

    programs.py TESSERAC [--tiles] [--engines NAME,…] [--count N] [--seed FIRST] [--keep FOLDER]

A GPU is one of the engines where TESSERA_CUDA_DRIVER names its driver.
With --tiles kernels of register tiles, else of elements. What a program calls `a0 within 0.5` may differ by so much.
"""

import argparse
import os
import re
import struct
import subprocess
import sys
import tempfile
import zipfile

import generate
import tiles

ENGINES = {
    "evaluator": ["--interpret", "--sanitize=race,bounds"],
    "one-tile": ["--interpret=tile"],
    "-O0": ["-O0", "--cpu=native"],
    "-O3": ["-O3", "--cpu=native"],
    "baseline": ["-O2", "--cpu=x86-64"],
}
with open("/proc/cpuinfo") as cpu:
    FLAGS = set(next((line for line in cpu if line.startswith("flags")), "").split())
if {"avx2", "fma", "f16c", "bmi2"} <= FLAGS:
    ENGINES["v3"] = ["-O2", "--cpu=x86-64-v3"]  # masks as vectors
if {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"} <= FLAGS:
    ENGINES["v4"] = ["-O2", "--cpu=x86-64-v4"]  # no matrix unit
if {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl", "avx512_vnni"} <= FLAGS:
    ENGINES["v4-vnni"] = ["-O2", "--cpu=x86-64-v4-vnni"]
if os.environ.get("TESSERA_CUDA_DRIVER"):
    ENGINES["gpu"] = ["-O2", "--cpu=native", "--target=cpu", "--target=sm_90"]


# Bits of exponent and mantissa.
FORMATS = {"f64": (11, 52), "f32": (8, 23), "f16": (5, 10), "bf16": (8, 7)}


def bit_patterns(data, kind, zeros):
    """Which NaN an operation gives is not promised: each becomes the same. Nor is the sign of a sum that is 0, where
    `zeros` says so."""
    exponent, mantissa = FORMATS[kind]
    size = (1 + exponent + mantissa) // 8
    infinity = ((1 << exponent) - 1) << mantissa
    sign = 1 << (exponent + mantissa)
    for at in range(0, len(data), size):
        value = int.from_bytes(data[at:at + size], "little")
        yield -1 if value & (sign - 1) > infinity else 0 if zeros and value == sign else value


def number(pattern, kind):
    """The float with these bits, which is no NaN."""
    if kind == "f64":
        return struct.unpack("<d", pattern.to_bytes(8, "little"))[0]
    if kind == "f16":
        return struct.unpack("<e", pattern.to_bytes(2, "little"))[0]
    return struct.unpack("<f", (pattern << 16 if kind == "bf16" else pattern).to_bytes(4, "little"))[0]


def arrays(path, text):
    """The results in a file, with the difference that each may have; bits where it may have none."""
    kinds = re.findall(r"\b([rauw]\d): mut (\w+)", text)
    bounds = {name: float(bound) for name, bound in re.findall(r"^# (a\d) within (\S+)", text, re.MULTILINE)}
    out = {}
    with zipfile.ZipFile(path) as file:
        for name, kind in kinds:
            if f"{name}_wide.npy" in file.namelist():
                name, kind = f"{name}_wide", "f32"
            data = file.read(f"{name}.npy")
            data = data[10 + int.from_bytes(data[8:10], "little"):]
            bound = bounds.get(name, 0.0)
            if kind in FORMATS:
                data = list(bit_patterns(data, kind, "tile.load(" in text))
                if bound > 0.0:
                    data = [float("nan") if pattern < 0 else number(pattern, kind) for pattern in data]
            out[name] = (data, bound)
    return out


def agree(one, other):
    """Whether the arrays of two engines do."""
    for name, (data, bound) in one.items():
        if bound == 0.0:
            if data != other[name][0]:
                return False
        elif not all(a == b or abs(a - b) <= bound or (a != a and b != b) for a, b in zip(data, other[name][0])):
            return False
    return True


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
        environment = dict(os.environ, TESSERA_CACHE_DIR=os.path.join(folder, "cache"),
                           TESSERA_DEVICE="cuda:0" if name == "gpu" else "cpu")
        try:
            done = subprocess.run([tesserac, "run", *ENGINES[name], path, "--out", out], capture_output=True, timeout=120, env=environment,
                                  check=False)
        except subprocess.TimeoutExpired:
            return f"{name} hangs", f"{name} did not end"
        if done.returncode != 0:
            said = done.stderr.decode(errors="replace")
            code = re.search(r"error\[(\w+)\]", said)
            if name == "gpu" and code and code[1] == "E0610":  # says that it has no code there
                continue
            return f"{name} exit {done.returncode} {code[1] if code else ''}", f"{name} ended with {done.returncode}\n{said[:1500]}"
        content = arrays(out, text)
        if first is None:
            first = (name, content)
        elif not agree(content, first[1]):
            return f"{name} differs", f"{name} and {first[0]} wrote different bits"
    return None


def block_end(lines, begin):
    """Behind the line and what is indented under it."""
    depth = len(lines[begin]) - len(lines[begin].lstrip())
    end = begin + 1
    while end < len(lines) and lines[end].strip() and len(lines[end]) - len(lines[end].lstrip()) > depth:
        end += 1
    return end


def simpler_lines(lines, at):
    """The lines without one and what stands under it, or without the line that stands over others."""
    end = block_end(lines, at)
    yield lines[:at] + lines[end:]
    if end > at + 1:
        yield lines[:at] + [line[4:] for line in lines[at + 1:end]] + lines[end:]


def arguments_of(line, begin):
    """Where the parts of a bracket that opens there lie, and its end."""
    parts, depth, start = [], 0, begin + 1
    for at in range(begin, len(line)):
        if line[at] in "([":
            depth += 1
        elif line[at] in ")]":
            depth -= 1
        if depth == 0 or (depth == 1 and line[at] == ","):
            parts.append((start, at))
            start = at + 1
        if depth == 0:
            return parts, at + 1
    return [], len(line)


def simpler_texts(line):
    """The line with a call or a sum in brackets replaced by one of its parts."""
    for bracket in re.finditer(r"[\w.]*\(", line):
        if line.lstrip().startswith(("def ", "@", "#")):
            return
        parts, end = arguments_of(line, bracket.end() - 1)
        inner = [line[start:stop].strip() for start, stop in parts]
        if bracket.group() == "(" and len(inner) == 1:
            terms = re.split(r" [-+*/%&|^<>=!]+ ", inner[0])
            inner += [term for term in terms if term.count("(") == term.count(")") and term.count("[") == term.count("]")]
        for part in inner:
            yield line[:bracket.start()] + part + line[end:]


def reduced(lines, fails, attempts=250):
    """The program without the lines, and then the parts of lines, that the failure does not need."""

    def asked(shorter):
        nonlocal attempts
        attempts -= 1
        return fails(shorter)

    at = len(lines) - 1
    while at >= 0 and attempts > 0:
        lines = next((shorter for shorter in simpler_lines(lines, at) if attempts > 0 and asked(shorter)), lines)
        at -= 1
    at = len(lines) - 1
    while at >= 0 and attempts > 0:
        texts = (text for text in simpler_texts(lines[at]) if len(text) < len(lines[at]))
        found = next((text for text in texts if attempts > 0 and asked([*lines[:at], text, *lines[at + 1:]])), None)
        if found is None:
            at -= 1
        else:
            lines[at] = found
    return "\n".join(lines) + "\n"


def smaller(tesserac, text, kind, folder):
    """The program with less in it that fails in the same way."""
    engines = list(dict.fromkeys([*list(ENGINES)[:1], next(name for name in ENGINES if kind.startswith(name))]))

    def fails(lines):
        found = outcome(tesserac, "\n".join(lines) + "\n", folder, engines)
        return found is not None and found[0] == kind

    return reduced(text.splitlines(), fails)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tesserac")
    parser.add_argument("--tiles", action="store_true", help="kernels of register tiles")
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", help="where failing programs are put")
    parser.add_argument("--whole", action="store_true", help="do not make failing programs smaller")
    parser.add_argument("--engines", help="these beside the evaluator, else all")
    asked = parser.parse_args()
    for name in list(ENGINES)[1:] if asked.engines else []:
        if name not in asked.engines.split(","):
            del ENGINES[name]
    tesserac = os.path.abspath(asked.tesserac)
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(asked.seed, asked.seed + asked.count):
            text = (tiles if asked.tiles else generate).program(seed)
            found = outcome(tesserac, text, folder)
            if found is None:
                continue
            failures += 1
            small = text if asked.whole else smaller(tesserac, text, found[0], folder)
            print(f"seed {seed}: {found[1]}\n{small}", flush=True)
            if asked.keep:
                os.makedirs(asked.keep, exist_ok=True)
                with open(os.path.join(asked.keep, f"{'tiles' if asked.tiles else 'elements'}-{seed}.tsr"), "w", encoding="utf-8") as file:
                    file.write(small)
    print(f"{asked.count} programs from seed {asked.seed}, {failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
