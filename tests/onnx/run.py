"""Runs the node cases of ONNX (Debian: libonnx-testdata) as programs of the language.

    run.py TESSERAC [--data FOLDER] [--update] [--only TEXT] [--keep FOLDER] [--verbose]

README.md tells which file has which operators. Many cases are one program. Ends with `N passed, N failed, N not expressible`;
what is not expressible is listed with its reasons. Cases in `passing.txt` must pass, else the exit code is 1; `--update` writes that file anew.
"""

import argparse
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

import cases

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = "/usr/share/libonnx-testdata/data/node"
PASSING = os.path.join(HERE, "passing.txt")
IN_A_PROGRAM = 60
CASES = "cases.tsr"  # the program
OPTIONS = ["-O1", "--cpu=native", "--target=cpu"]


def loaded(case, name):
    tensor = case.inputs[name]
    path = f'"{case.name}.{list(case.inputs).index(name)}.npy"'
    if tensor.shape:
        return f"load({path}, {tensor.type}[{', '.join(map(str, tensor.shape))}])"
    return f"load({path}, {tensor.type}[1])[0]"


def program(chosen):
    """The text of a program that runs cases one after another, and which case each line belongs to."""
    text, owners = "", [None]  # lines count from 1

    def add(piece, case):
        nonlocal text
        text += piece
        owners.extend([case] * piece.count("\n"))

    for case in chosen:
        add(case.text + "\n\n", case)
        results = [f"y{number}" for number in range(len(case.results))]
        add(f"def run_{case.name}():\n    print(\"{case.name}\")\n", case)
        add(f"    {', '.join(results)} = {case.name}({', '.join(loaded(case, name) for name in case.used)})\n", case)
        for number, (result, tensor) in enumerate(zip(results, case.results)):
            value = result if tensor.shape else f"from_list([{result}], {tensor.type})"
            add(f'    save("{case.name}.out{number}.npy", {value})\n', case)
        add("\n\n", case)
    add("def main():\n", None)
    for case in chosen:
        add(f"    run_{case.name}()\n", case)
    return text, owners


def reason_of(message):
    """A short form of a diagnostic, the same for all cases that meet it."""
    name = re.match(r"`(?:tessera\.)?([\w.]+)` .*not compiled yet", message) or re.match(r"there is no `(\w+)`", message)
    return f"not compiled yet: {name[1]}" if name else f"refused: {message}"


def refused(errors, owners):
    """The cases that diagnostics name, with the first message of each."""
    found = {}
    for line in errors.splitlines():
        if not line.startswith("{"):
            continue
        diagnostic = json.loads(line)
        if diagnostic["severity"] != "error":
            continue
        where = diagnostic.get("range")
        place = where["start"]["line"] if where and os.path.basename(where["file"]) == CASES else 0
        owner = owners[place] if place < len(owners) else None
        if owner is not None and owner.name not in found:
            found[owner.name] = (owner, reason_of(diagnostic["message"]))
    return list(found.values())


def call(tesserac, command, folder, timeout=300):
    environment = {**os.environ, "TESSERA_DEVICE": "cpu"}
    return subprocess.run([tesserac, *command], cwd=folder, env=environment, capture_output=True, text=True, timeout=timeout,
                          check=False)


def settle(tesserac, chosen, folder):
    """Checks, compiles and runs cases as one program; each one becomes passed, failed or not expressible."""
    path = os.path.join(folder, CASES)
    left, command = list(chosen), ["check", "--diagnostics=json", path]
    while left:
        text, owners = program(left)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        done = call(tesserac, command, folder)
        out = refused(done.stderr, owners)
        for case, reason in out:
            case.reason = reason
            left.remove(case)
        if out:
            continue
        if command[0] == "check" and done.returncode == 0:
            command = ["run", "--diagnostics=json", *OPTIONS, path]
            continue
        if done.returncode == 0:
            break
        # Died while it ran, or without saying where: the case that was last begun.
        begun = done.stdout.split()
        last = next((case for case in left if begun and case.name == begun[-1]), None)
        if last is None:
            settle_halves(tesserac, left, folder, done)
            return
        last.failure = f"exit code {done.returncode}: {done.stderr.strip()[:200]}"
        left.remove(last)
    for case in left:
        for number in range(len(case.results)):
            case.failure = case.failure or cases.difference(case, number, os.path.join(folder, f"{case.name}.out{number}.npy"))
        case.passed = not case.failure


def settle_halves(tesserac, left, folder, done):
    """The compiler failed without naming a line of a case: half of the cases at a time, until one is alone."""
    if len(left) == 1:
        left[0].failure = f"the compiler ended with {done.returncode}: {done.stderr.splitlines()[:1]}"
        return
    settle(tesserac, left[:len(left) // 2], folder)
    settle(tesserac, left[len(left) // 2:], folder)


def report(found, verbose):
    reasons = collections.Counter(case.reason for case in found if case.reason)
    for reason, count in sorted(reasons.items(), key=lambda item: (-item[1], item[0])):
        print(f"{count:4} not expressible: {reason}")
        if verbose:
            print("      " + " ".join(case.name for case in found if case.reason == reason))
    for case in found:
        if case.failure:
            print(f"FAILED {case.name}: {case.failure}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tesserac")
    parser.add_argument("--data", default=DATA)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--keep")
    parser.add_argument("--verbose", action="store_true")
    asked = parser.parse_args()
    asked.tesserac = os.path.abspath(asked.tesserac)
    if not os.path.isdir(asked.data):
        print(f"no cases in {asked.data}: Debian's package libonnx-testdata has them", file=sys.stderr)
        return 1
    names = sorted(name for name in os.listdir(asked.data) if asked.only in name)
    found = [cases.read_case(asked.data, name) for name in names]
    with tempfile.TemporaryDirectory() as own:
        folder = os.path.abspath(asked.keep or own)
        os.makedirs(folder, exist_ok=True)
        ready = [case for case in found if not case.reason]
        for case in ready:
            for number, (name, tensor) in enumerate(case.inputs.items()):
                if name in case.used:
                    cases.write_npy(os.path.join(folder, f"{case.name}.{number}.npy"), tensor)
        for begin in range(0, len(ready), IN_A_PROGRAM):
            settle(asked.tesserac, ready[begin:begin + IN_A_PROGRAM], folder)
    report(found, asked.verbose)
    return judge(found, asked)


def judge(found, asked):
    """The summary and the exit code."""
    passed = [case.name for case in found if case.passed]
    failed = [case.name for case in found if case.failure]
    if asked.update:
        with open(PASSING, "w", encoding="utf-8") as file:
            file.write("".join(f"{name}\n" for name in passed))
    with open(PASSING, encoding="utf-8") as file:
        must = [name for name in file.read().split() if asked.only in name]
    lost = [name for name in must if name not in passed]
    new = [name for name in passed if name not in must]
    for name in lost:
        print(f"LOST {name}: it passed before")
    if new:
        print(f"{len(new)} cases pass that passing.txt does not have yet (--update): {' '.join(new)}")
    print(f"{len(passed)} passed, {len(failed)} failed, {len(found) - len(passed) - len(failed)} not expressible")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
