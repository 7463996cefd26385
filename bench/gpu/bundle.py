#!/usr/bin/env python3
"""Makes a folder that checks and measures tesserac's code on a machine that has a GPU and its driver, and python3.

    bench/gpu/bundle.py TESSERAC FOLDER [--target sm_90a ...] [--only NAME ...]

Programs, their data and what they print on a processor go in; `FOLDER/run.py` does the rest. Code is made for the
targets named, as cubins where ptxas is found, and as PTX for all others.
"""

import argparse
import json
import os
import shutil
import struct
import subprocess
import sys

import works

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
TARGETS = ["sm_75", "sm_80", "sm_90a"]
LIMIT = 40e6


def compile_program(options, source, name):
    out = os.path.join(options.folder, "bin", name)
    targets = [f"--target={target}" for target in options.target]
    subprocess.run([options.tesserac, source, "--target=cpu", *targets, "-o", out], check=True)
    return out


def expected(program, arguments, folder):
    """What it prints on this processor."""
    environment = dict(os.environ, TESSERA_DEVICE="cpu", TESSERA_CACHE_DIR=os.path.join(folder, "cache"))
    environment.pop("TESSERA_TRACE", None)
    return subprocess.run([program, *arguments], check=True, env=environment, cwd=os.path.join(folder, "files"), capture_output=True,
                          text=True).stdout


def write_vector(path, numbers):
    """As a .npy file of f32: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html, version 1.0."""
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({len(numbers)},), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        file.write(struct.pack(f"<{len(numbers)}f", *numbers))


def write_files(folder):
    shutil.copytree(os.path.join(ROOT, "samples", "data"), os.path.join(folder, "samples", "data"))
    os.makedirs(os.path.join(folder, "inputs"))
    for name, numbers in works.INPUTS.items():
        write_vector(os.path.join(folder, "inputs", name), numbers)


def entry(options, kind, name, source, small, **more):
    print(f"{kind} {name}", flush=True)
    program = compile_program(options, source, name)
    arguments = [str(word) for word in small]
    return dict(kind=kind, name=name, arguments=arguments, expected=expected(program, arguments, options.folder), **more)


def samples():
    folder = os.path.join(ROOT, "samples")
    return [(name[:-4], os.path.join(folder, name)) for name in sorted(os.listdir(folder)) if name.endswith(".tsr")]


def bytes_in(folder):
    return sum(os.path.getsize(os.path.join(at, name)) for at, _, names in os.walk(folder) for name in names)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tesserac")
    parser.add_argument("folder")
    parser.add_argument("--target", action="append", help="as of tesserac; " + ", ".join(TARGETS) + " without it")
    parser.add_argument("--only", action="append", help="a sample or a work; all without it")
    options = parser.parse_args()
    options.tesserac = os.path.abspath(options.tesserac)
    options.folder = os.path.abspath(options.folder)
    options.target = options.target or TARGETS
    if os.path.exists(options.folder):
        sys.exit(f"{options.folder} is there already: remove it or name another folder")
    wanted = lambda name: not options.only or name in options.only
    os.makedirs(os.path.join(options.folder, "bin"))
    write_files(os.path.join(options.folder, "files"))
    entries = [entry(options, "sample", name, source, works.SAMPLE_ARGUMENTS.get(name, [])) for name, source in samples() if wanted(name)]
    for work in works.WORKS:
        if not wanted(work["name"]):
            continue
        source = os.path.join(ROOT, "bench", work["source"])
        rest = {key: work[key] for key in work if key not in ("name", "source", "small", "large")}
        program = "bench_" + work["name"]
        made = entry(options, "bench", program, source, work["small"], large=[str(word) for word in work["large"]], **rest)
        entries.append(dict(made, work=work["name"]))
    if not entries:
        sys.exit("there is no such sample or work: " + ", ".join(options.only))
    shutil.rmtree(os.path.join(options.folder, "cache"), ignore_errors=True)
    with open(os.path.join(options.folder, "works.json"), "w") as file:
        json.dump(dict(entries=entries, peaks=works.PEAKS), file, indent=1)
    for name in ("run.py", "peers.py"):
        shutil.copy(os.path.join(HERE, name), options.folder)
    size = bytes_in(options.folder)
    print(f"{options.folder}: {len(entries)} programs, {size / 1e6:.1f} MB; copy it to a machine with a GPU and call its run.py")
    if size > LIMIT:
        sys.exit(f"that is more than {LIMIT / 1e6:.0f} MB")


if __name__ == "__main__":
    main()
