"""Runs a program on every engine and demands that they agree; prints what they printed, once.

    engines.py TESSERAC [--levels-together] [--tolerance T] [--engines NAME,…] [--exit CODE] [-I FOLDER] PROGRAM ARGUMENTS…

Engines: the evaluator with its sanitizers, the evaluator on kernels before every pass, the CPU at -O2 with all its levels, at -O0, each CPU level that this
machine has alone (by name also those whose products differ), and the GPU behind the driver that TESSERA_TEST_DRIVER names, where it names one. `{out}` in an argument becomes a file of each engine's own; those files must be equal to the byte too.
--levels-together leaves out the CPU levels alone, of which the compiler makes nothing that it does not make for all: for a compiler whose
own code is instrumented.
With --tolerance numbers in the printed text may differ by so much, relative to the larger of them and 1, and files are
not compared. With --exit all must end with that code, and what they said on standard error must be the same.
"""

import argparse
import math
import os
import re
import subprocess
import sys
import tempfile

NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|nan|inf)")
LEVELS = {
    "x86-64-v3": {"avx2", "fma", "bmi2", "f16c"},
    "x86-64-v4": {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"},
}
# Only where they are asked for by name: levels whose products alone differ.
LEVELS_OF_PRODUCTS = {
    "x86-64-v3-vnni": {"avx2", "fma", "bmi2", "f16c", "avx_vnni"},
    "x86-64-v4-vnni": {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl", "avx512_vnni"},
    "x86-64-v4-bf16": {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl", "avx512_vnni", "avx512_bf16"},
    "x86-64-v4-amx": {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl", "avx512_vnni", "amx_int8"},
}


def engines(wanted, levels_together):
    """Name, options of the compiler, environment; `wanted`: names, or None for the usual ones."""
    cpu = {"TESSERA_DEVICE": "cpu"}
    yield "evaluator", ["--interpret", "--sanitize=race,bounds"], cpu
    yield "one-tile", ["--interpret=tile"], cpu
    yield "cpu", [], cpu
    yield "cpu-O0", ["-O0"], cpu
    with open("/proc/cpuinfo", encoding="utf-8") as info:
        flags = set(re.search(r"^flags\s*:(.*)$", info.read(), re.MULTILINE)[1].split())
    levels = {**LEVELS, **{name: flags for name, flags in LEVELS_OF_PRODUCTS.items() if name in (wanted or [])}}
    for level, needed in levels.items():
        if needed <= flags and (wanted or not levels_together):
            yield level, [f"--cpu={level}"], cpu
    driver = os.environ.get("TESSERA_TEST_DRIVER")
    if driver:
        yield "gpu", [], {"TESSERA_DEVICE": "cuda:0", "TESSERA_CUDA_DRIVER": driver}


def close(left, right, tolerance):
    """Texts that are equal, apart from numbers that are near."""
    if NUMBER.sub("#", left) != NUMBER.sub("#", right):
        return False
    for a, b in zip(map(float, NUMBER.findall(left)), map(float, NUMBER.findall(right))):
        if math.isnan(a) != math.isnan(b) or abs(a - b) > tolerance * max(1.0, abs(a), abs(b)):
            return False
    return True


# What the simulated GPU says of errors, beside what the program says.
SIMULATOR = re.compile(r"^cudasim:.*\n(?:[ \t].*\n)*", re.MULTILINE)


def run(tesserac, engine, program, arguments, folder, modules):
    """Exit code, printed text, text of errors, contents of files."""
    name, options, environment = engine
    files = []

    def own(argument):
        if "{out}" not in argument:
            return argument
        files.append(argument.replace("{out}", os.path.join(folder, name)))
        return files[-1]

    words = [own(argument) for argument in arguments]
    done = subprocess.run([tesserac, "run", *options, *modules, program, *words], capture_output=True, timeout=1200, check=False,
                          env={**os.environ, **environment})
    contents = []
    for path in files:
        path = path.split("=", 1)[-1]
        with open(path, "rb") as file:
            contents.append(file.read())
    return done.returncode, done.stdout.decode(), SIMULATOR.sub("", done.stderr.decode()), contents


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tesserac")
    parser.add_argument("--levels-together", action="store_true")
    parser.add_argument("--tolerance", type=float)
    parser.add_argument("--engines")
    parser.add_argument("--exit", type=int, default=0)
    parser.add_argument("-I", dest="modules", action="append", default=[])
    parser.add_argument("program")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    asked = parser.parse_args()
    wanted = asked.engines.split(",") if asked.engines else None
    first = None
    with tempfile.TemporaryDirectory() as folder:
        for engine in engines(wanted, asked.levels_together):
            name = engine[0]
            if wanted and name not in wanted:
                continue
            code, text, errors, contents = run(asked.tesserac, engine, asked.program, asked.arguments, folder,
                                              [word for module in asked.modules for word in ("-I", module)])
            if code != asked.exit:
                print(f"{name} ended with exit code {code}\n{errors}\n{text}", file=sys.stderr)
                return 1
            said = text + (errors if asked.exit else "")
            if first is None:
                first = (name, said, contents)
                continue
            same = said == first[1] if asked.tolerance is None else close(said, first[1], asked.tolerance)
            if not same:
                print(f"{name} and {first[0]} differ\n--- {first[0]}\n{first[1]}--- {name}\n{said}", file=sys.stderr)
                return 1
            if asked.tolerance is None and contents != first[2]:
                print(f"{name} and {first[0]} wrote different files", file=sys.stderr)
                return 1
    if first is None:
        print(f"no engine of {asked.engines} is here", file=sys.stderr)
        return 1
    print(first[1], end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
