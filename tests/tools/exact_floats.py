"""Arithmetic on floats is neither contracted nor made inexact: no fast-math flag in what the compiler emits, in how it is
compiled, or in how the runtime is.

    exact_floats.py ROOT BUILD
"""

import json
import os
import re
import subprocess
import sys

FLAGS = re.compile(r"FastMathFlag|setFast\b|setHas(Allow|No|Approx)|FPOpFusion::(Fast|Standard)|UnsafeFPMath")
OPTIONS = re.compile(r"-(Ofast|ffast-math|funsafe-math-optimizations|fassociative-math|freciprocal-math|ffinite-math-only)\b|-ffp-contract=(fast|on)\b")
# What computes in place of generated code: not even a compiler whose default is to contract may do so there.
EXACT = ("ir/eval/", "runtime/")


def faults_in_sources(root):
    names = subprocess.run(
        ["git", "-C", root, "ls-files", "-co", "--exclude-standard", "*.cpp", "*.h"], check=True, capture_output=True, text=True
    ).stdout.splitlines()
    for name in names:
        path = os.path.join(root, name)
        if name.startswith(("tests/", "bench/")) or not os.path.isfile(path):
            continue
        with open(path, encoding="utf-8") as file:
            lines = [line.split("//")[0] for line in file]
        for number, line in enumerate(lines, 1):
            if FLAGS.search(line):
                yield f"{name}:{number}: {line.strip()}"
        text = "".join(lines)
        if text.count("llvm::TargetOptions ") > text.count("FPOpFusion::Strict"):
            yield f"{name}: LLVM's options without `AllowFPOpFusion = llvm::FPOpFusion::Strict`"


def faults_in_commands(root, build):
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        commands = json.load(file)
    exact = 0
    for each in commands:
        name = os.path.relpath(os.path.join(each["directory"], each["file"]), root)
        if OPTIONS.search(each["command"]):
            yield f"{name}: {OPTIONS.search(each['command'])[0]}"
        if each["output"].startswith(EXACT):
            exact += "-ffp-contract=off" in each["command"]
    if exact == 0:
        yield "nothing of the evaluator and the runtime is compiled by -ffp-contract=off"


def main():
    root = os.path.abspath(sys.argv[1])
    faults = list(faults_in_sources(root))
    if len(sys.argv) > 2:
        faults += faults_in_commands(root, os.path.abspath(sys.argv[2]))
    for fault in faults:
        print(f"{fault}\n    floats are computed as the program says (ARCHITECTURE.md, Laws)")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
