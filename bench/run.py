#!/usr/bin/env python3
"""Measures tesserac's programs beside their peers, in one run, and prints ratios.

    bench/run.py TESSERAC [--json FILE] [--quick] [--only NAME]

A ratio is how many times better ours is than the peer's; for a limit, which share of it is reached.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

import elementary
import graphs
import register_tiles
import training

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)


class Bench:
    def __init__(self, tesserac, folder, repeats):
        self.tesserac = os.path.abspath(tesserac)
        self.folder = folder
        self.repeats = repeats
        self.rows = []

    def compile(self, name, source=None):
        out = os.path.join(self.folder, name)
        if os.path.exists(out):
            return out
        source = source or os.path.join(HERE, name + ".tsr")
        subprocess.run([self.tesserac, source, "--cpu=native", "-o", out], check=True)
        return out

    def compile_seconds(self, source, options, changed):
        """How long a program takes to become an executable: with nothing kept from before, and when a part of its text is replaced by
        another while the cache has the code of the rest. `changed` is that part and what replaces it."""
        with open(source, encoding="utf-8") as file:
            text = file.read()
        if changed[0] not in text:
            raise ValueError(f"{source} has no {changed[0]}")
        edited = os.path.join(self.folder, os.path.basename(source))
        seconds = {"new": [], "changed": []}
        for repeat in range(self.repeats):
            environment = dict(os.environ, TESSERA_CACHE_DIR=os.path.join(self.folder, f"code.{repeat}"))
            for which, now in (("new", text), ("changed", text.replace(*changed))):
                with open(edited, "w", encoding="utf-8") as file:
                    file.write(now)
                start = time.perf_counter()
                subprocess.run([self.tesserac, edited, *options, "-o", edited + ".exe"], check=True, env=environment)
                seconds[which].append(time.perf_counter() - start)
        return min(seconds["new"]), min(seconds["changed"])

    def peer(self, name, compiler, libraries=(), level="-O3", options=(), out=None):
        out = os.path.join(self.folder, out or f"{name}.{os.path.basename(compiler)}")
        if os.path.exists(out):
            return out
        source = os.path.join(HERE, "peers", name + (".cpp" if compiler.endswith("++") else ".c"))
        subprocess.run([compiler, level, "-march=native", *options, "-o", out, source, *libraries, "-lm"], check=True)
        return out

    def best(self, command, threads, pick=min):
        """The best first number that the program prints over some runs, taken in turn with others by the caller."""
        environment = dict(os.environ, TESSERA_DEVICE="cpu", TESSERA_CACHE_DIR=os.path.join(self.folder, "cache"),
                           **{f"{who}_THREADS": str(threads) for who in ("TESSERA", "OPENBLAS_NUM", "OMP_NUM")})
        for pinned in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"):  # the peer chooses its fastest kernel
            environment.pop(pinned, None)
        texts = [subprocess.run(command, check=True, env=environment, capture_output=True, text=True).stdout
                 for _ in range(self.repeats)]
        return pick(float(text.split()[0]) for text in texts), texts[0].split()[1:]

    def row(self, work, unit, ours, peer, peer_value, ratio, bar):
        self.rows.append(dict(work=work, unit=unit, ours=ours, peer=peer, peer_value=peer_value, ratio=ratio))
        shown = "-" if ratio is None else f"{ratio:.2f}"
        other = "-" if peer_value is None else f"{peer_value:.4g}"
        print(f"{work:<44} {ours:>10.4g} {unit:<14} {other:>10} {peer:<28} {shown:>7}  ({bar})", flush=True)


def compilers():
    found = [c for c in ("gcc", "clang-22", "clang") if shutil.which(c)]
    return found[:2] if "clang-22" in found else found


def divergent(b):
    ours, total = b.best([b.compile("mandelbrot")], 1)
    theirs, other = b.best([b.peer("mandelbrot", "gcc")], 1)
    # The peer contracts other products than the language does: a few points near the edge differ by rounds.
    assert abs(int(total[0]) - int(other[0])) < int(other[0]) * 1e-3, (total, other)
    b.row("mandelbrot (divergent loop, one core)", "ms", ours * 1e3, "scalar C, gcc -O3 (ms)", theirs * 1e3, theirs / ours,
          ">= 10")


def exponential(b):
    ours, _ = b.best([b.compile("exp")], 1)
    theirs, _ = b.best([b.peer("exp", "gcc")], 1)
    b.row("exp (over lanes, one core)", "ns/element", ours * 1e9, "scalar expf (ns/element)", theirs * 1e9, theirs / ours, ">= 10")


def against_vectorizers(b, name, work, level="-O3", bar=">= 0.95"):
    ours, shown = b.best([b.compile(name)], 1)
    measured = [(*b.best([b.peer(name, c, level=level)], 1), c) for c in compilers()]
    for _, theirs, who in measured:  # the last number: both have computed the same
        assert abs(float(theirs[0]) - float(shown[0])) <= 1e-3 * abs(float(shown[0])), (who, theirs, shown)
    best, _, who = min(measured)
    ours = min(ours, b.best([os.path.join(b.folder, name)], 1)[0])
    b.row(work, "ms", ours * 1e3, f"{who} {level} (ms)", best * 1e3, best / ours, bar)


def bodies(b):
    seconds, _ = b.best([b.compile("nbody")], 2)
    rate = 8192.0 * 8192.0 / seconds
    limit, _ = b.best([b.peer("nbody", "gcc")], 1, max)
    cores = min(2, os.cpu_count() or 1)
    b.row("nbody (shared tiles, 2 cores)", "G/s", rate / 1e9, "17 instructions each (G/s)", cores * limit / 1e9,
          rate / (cores * limit), ">= 0.6")


def evaluator(b):
    """Lanes times operations of the mandelbrot loop: 12 operations a round."""
    source = os.path.join(HERE, "mandelbrot.tsr")
    command = [b.tesserac, "run", "--interpret", source, "--width", "256", "--height", "192", "--repeats", "3"]
    seconds, rest = b.best(command, 1)
    rate = int(rest[0]) * 12 / seconds
    b.row("evaluator (mandelbrot, one core)", "M operations/s", rate / 1e6, "50 M/s", 50, rate / 50e6, ">= 50 M/s")


def wall(command, count=15, **options):
    times = []
    for _ in range(count):
        start = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, **options)
        times.append(time.perf_counter() - start)
    times.sort()
    return times[len(times) // 2]


def start_times(commands, count=40):
    """Medians of whole processes, in turn, started without the machinery of subprocess."""
    quiet = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    times = [[] for _ in commands]
    for _ in range(count):
        for command, own in zip(commands, times):
            start = time.perf_counter()
            process = os.posix_spawn(command[0], command, os.environ, file_actions=quiet)
            assert os.waitpid(process, 0)[1] == 0, command
            own.append(time.perf_counter() - start)
    return [sorted(own)[count // 2] for own in times]


def start_up(b):
    nothing_kept = dict(os.environ, TESSERA_CACHE_DIR="/proc/none")
    out = os.path.join(b.folder, "saxpy")
    sample = os.path.join(ROOT, "samples", "saxpy.tsr")
    ours, empty = start_times([[b.tesserac, "--version"], [b.peer("empty", "gcc")]])
    b.row("start of tesserac (--version)", "ms", ours * 1e3, "empty C program (ms)", empty * 1e3, empty / ours, ">= 0.33")
    subprocess.run([b.tesserac, sample, "-o", out], check=True)
    seconds = wall([out, "--help"])
    b.row("start-up of an executable", "ms", seconds * 1e3, "", None, None, "< 5 ms")
    b.row("size of saxpy", "MB", os.path.getsize(out) / 1e6, "", None, None, "< 4 MB")
    seconds = wall([b.tesserac, sample, "-o", out], env=nothing_kept)
    b.row("saxpy to executable", "ms", seconds * 1e3, "", None, None, "< 100 ms")
    tuned = os.path.join(ROOT, "samples", "gemm.tsr")
    seconds = wall([b.tesserac, tuned, "-o", os.path.join(b.folder, "tuned")], count=3, env=nothing_kept)
    b.row("gemm with 8 tuning points to executable", "s", seconds, "", None, None, "< 2 s")
    scale = os.path.join(ROOT, "samples", "scale.tsr")
    seconds = wall([b.tesserac, "run", scale], env=nothing_kept)
    b.row("tesserac run of a new program", "ms", seconds * 1e3, "", None, None, "< 100 ms")
    environment = dict(os.environ, TESSERA_CACHE_DIR=os.path.join(b.folder, "cache"))
    subprocess.run([b.tesserac, "run", scale], check=True, env=environment, stdout=subprocess.DEVNULL)
    seconds = wall([b.tesserac, "run", scale], env=environment)
    b.row("tesserac run of a cached program", "ms", seconds * 1e3, "", None, None, "< 60 ms")


def checking(b):
    text = ""
    sources = [os.path.join(HERE, f) for f in sorted(os.listdir(HERE)) if f.endswith(".tsr")]
    number = 0
    while text.count("\n") < 500:
        for source in sources:
            part = open(source).read()
            for name in re.findall(r"^(?:def )?(\w+)(?=\(| = )", part, re.M):
                part = re.sub(rf"\b{name}\b", f"{name}_{number}", part)
            text += re.sub(r'^""".*?"""', "", part, flags=re.S)
            number += 1
            if text.count("\n") >= 500:
                break
    path = os.path.join(b.folder, "lines.tsr")
    open(path, "w").write(text)
    seconds = wall([b.tesserac, "check", path])
    b.row(f"tesserac check on {text.count(chr(10))} lines", "ms", seconds * 1e3, "", None, None, "< 40 ms")
    parser = os.path.join(os.path.dirname(b.tesserac), "bench", "parse")
    seconds, _ = b.best([parser, path], 1)
    b.row(f"parse of {text.count(chr(10))} lines again in one process", "ms", seconds * 1e3, "", None, None, "< 10 ms")


def built(b):
    stamp = os.path.join(os.path.dirname(b.tesserac), "clean-build-seconds")
    if os.path.exists(stamp):
        b.row("clean build of the project", "s", float(open(stamp).read()), "", None, None, "< 600 s")


WORKS = {
    "mandelbrot": divergent,
    "exp": exponential,
    "stream": lambda b: against_vectorizers(b, "stream", "stream saxpy (64 MB, one core)"),
    "stencil": lambda b: against_vectorizers(b, "stencil", "stencil (5 points, one core)"),
    "gather": lambda b: against_vectorizers(b, "gather", "gather (with branch, one core)"),
    "life": lambda b: against_vectorizers(b, "life", "game of life (u8, torus, one core)"),
    "csr": lambda b: against_vectorizers(b, "csr", "sparse rows times a vector (one core)"),
    "kmeans": lambda b: against_vectorizers(b, "kmeans", "nearest centers (32 of 32, one core)", "-Ofast", ">= 0.8"),
    "nbody": bodies,
    **register_tiles.WORKS,
    **graphs.WORKS,
    **training.WORKS,
    **elementary.WORKS,
    "evaluator": evaluator,
    "start": start_up,
    "check": checking,
    "build": built,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tesserac")
    parser.add_argument("--json", help="write the rows to this file")
    parser.add_argument("--quick", action="store_true", help="one run of each instead of three")
    parser.add_argument("--only", choices=sorted(WORKS))
    options = parser.parse_args()
    print(f"{'work':<44} {'ours':>10} {'':<14} {'peer':>10} {'':<28} {'ratio':>7}  (bar)")
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        b = Bench(options.tesserac, folder, 1 if options.quick else 3)
        for name, work in WORKS.items():
            if options.only not in (None, name):
                continue
            try:
                work(b)
            except (subprocess.CalledProcessError, OSError, ValueError) as error:
                failed = True
                print(f"{name}: could not be measured: {error}", file=sys.stderr)
                if isinstance(error, subprocess.CalledProcessError) and error.stderr:
                    print(error.stderr, file=sys.stderr)
    if options.json:
        with open(options.json, "w") as out:
            json.dump(b.rows, out, indent=1)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
