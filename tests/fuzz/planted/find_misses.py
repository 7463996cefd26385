#!/usr/bin/env python3
"""Plants one fault in each of many random programs that are right: the checker must refuse it at its line, and accept the
program without it.

    find_misses.py TESSERAC [--seed FIRST] [--count N] [--only FAULT,…] [--keep FOLDER] [--whole]
"""

import argparse
import collections
import difflib
import os
import random
import re
import subprocess
import sys
import tempfile

import faults
import faults_of_kernels  # noqa: F401  (each fills the table)
import faults_of_names    # noqa: F401
import faults_of_types    # noqa: F401
import faults_of_writing  # noqa: F401
from world import World

EACH = 5            # faults planted in one program
BATCH = 60          # programs checked by one process
SECONDS = 20        # for one program alone


class Case:
    """A program, and the lines of which one must be reported; none where it is right."""

    def __init__(self, name, text, lines=(), fault="", loose=False):
        self.name, self.text, self.lines, self.fault, self.loose = name, text, set(lines), fault, loose
        self.said = ""


def lines_of(stmts):
    return {line for stmt in stmts for line in range(stmt.line, stmt.line + stmt.text().count("\n") + 1)}


def ring(site, stmts):
    """The other assignments of variables that pass their values round, or read themselves: a wrong type is found where it
    arrives."""
    passing = [stmt for stmt in stmts if re.match(r"q\d+\b", stmt.text())]
    others = [other for stmt in passing for other in stmt.block or () if re.match(r"q\d+\b", other.text())]
    for stmt in stmts:
        name = re.match(r"([sw]\d+) = .*\b\1\b", stmt.text())
        if name:
            others += site.statements(lambda other, name=name[1]: re.match(rf"{name} = .*\b{name}\b", other.text()))
    return others


def cases(seed, wanted=None):
    """The program of a seed, and the same with faults."""
    world = World(seed)
    yield Case(f"{seed}", world.text())
    draw = random.Random(seed)
    names = [name for name in faults.TABLE if wanted is None or name in wanted]
    draw.shuffle(names)
    planted = 0
    for name in names:
        if planted == EACH:
            return
        site = faults.Site(world, random.Random(f"{seed} {name}"))
        stmts = faults.TABLE[name](site)
        if stmts:
            text = world.text()
            planted += 1
            stmts = [*stmts, *ring(site, stmts)]
            # A variable that starts as a literal has the type of what is added: where that is wrong, what reads it is, too.
            loose = site.loose or any(re.match(r"[sw]\d+ ", stmt.text()) for stmt in stmts)
            yield Case(f"{seed}-{name}", text, lines_of(stmts), name, loose)
        site.undo()


def run(tesserac, names, folder, seconds):
    """What the checker says of the files, and how it ended."""
    try:
        done = subprocess.run([tesserac, "check", *names], cwd=folder, capture_output=True, timeout=seconds, check=False)
        return done.returncode, done.stderr.decode(errors="replace")
    except subprocess.TimeoutExpired:
        return None, ""


def check(tesserac, batch, folder):
    """Fills in what is said of each, or `crash`, `hang`."""
    files = {f"{case.name}.tsr": case for case in batch}
    for file, case in files.items():
        with open(os.path.join(folder, file), "w", encoding="utf-8") as out:
            out.write(case.text)
    code, said = run(tesserac, list(files), folder, SECONDS + len(batch))
    if code not in (0, 1):
        if len(batch) == 1:
            batch[0].said = "hang" if code is None else f"crash\n{said}"
        else:
            half = len(batch) // 2
            check(tesserac, batch[:half], folder)
            check(tesserac, batch[half:], folder)
        return
    at, shown = "", True
    for line in said.splitlines(keepends=True):
        head = re.match(r"(\S+\.tsr):\d+:\d+: (error|warning)", line)
        at = head[1] if head else at
        if head:
            shown = head[2] == "error"
        if at in files and shown:
            files[at].said += line


def reported(case):
    return [int(line) for line in re.findall(r"^\S+\.tsr:(\d+):\d+: error\[E\d+\]", case.said, re.MULTILINE)]


def verdict(case):
    """Nothing where all is well, else what is wrong."""
    if case.said.startswith(("crash", "hang")):
        return case.said.split("\n")[0]
    lines = reported(case)
    if not case.fault:
        return "refused" if lines or "error" in case.said and re.search(r"^tesserac: error", case.said, re.MULTILINE) else None
    if not lines:
        return "missed"
    if not case.lines & set(lines):
        return "elsewhere"
    return "more" if set(lines) - case.lines and not case.loose else None


def block_end(lines, begin):
    depth = len(lines[begin]) - len(lines[begin].lstrip())
    end = begin + 1
    while end < len(lines) and (not lines[end].strip() or len(lines[end]) - len(lines[end].lstrip()) > depth):
        end += 1
    return end


def same_lines(faulty, good):
    """Where the lines of the program with the fault stand in the one without."""
    found = {}
    for tag, low, high, first, last in difflib.SequenceMatcher(None, faulty, good, autojunk=False).get_opcodes():
        if tag == "equal" or high - low == last - first:
            found.update(zip(range(low, high), range(first, last)))
    return found


def reduced(tesserac, good, case, kind, folder, attempts=300):
    """The program without statements that the miss does not need: what is left is right without the fault, and with it
    is judged as before."""
    lines, right = case.text.splitlines(), good.text.splitlines()
    there = same_lines(lines, right)

    def shows(gone):
        kept = [number for number in range(len(lines)) if number not in gone]
        now = Case("smaller", text_without(lines, gone), [kept.index(mark - 1) + 1 for mark in case.lines], case.fault)
        clean = Case("right", text_without(right, {there[number] for number in gone if number in there}))
        check(tesserac, [now, clean] if case.fault else [now], folder)
        return verdict(now) == kind and verdict(clean) is None

    gone = set()
    for at in range(len(lines) - 1, -1, -1):
        more = set(range(at, block_end(lines, at)))
        if attempts <= 0 or more <= gone or lines[at].lstrip().startswith("@") or any(mark - 1 in more for mark in case.lines):
            continue
        attempts -= 1
        if shows(gone | more):
            gone |= more
    return text_without(lines, gone)


def text_without(lines, gone):
    return "\n".join(line for number, line in enumerate(lines) if number not in gone) + "\n"


def batches(seed, count, wanted):
    """Programs from the seed on, with so many faults in all; and for each program the one without its fault."""
    done = 0
    while done < count:
        batch, goods = [], {}
        while len(batch) < BATCH and done < count:
            made = list(cases(seed, wanted))[:count - done + 1]
            goods.update((case.name, made[0]) for case in made)
            done += len(made) - 1
            batch += made
            seed += 1
        yield batch, goods


def show(tesserac, case, good, found, folder, options):
    """Prints what went wrong, and prints or keeps the program."""
    text = case.text if options.whole else reduced(tesserac, good, case, found, folder)
    print(f"{case.name}: {found}; to be reported at a line of {sorted(case.lines)}\n{case.said[:600]}", flush=True)
    if options.keep:
        os.makedirs(options.keep, exist_ok=True)
        with open(os.path.join(options.keep, f"{case.name}.tsr"), "w", encoding="utf-8") as file:
            file.write(text)
    elif not options.whole:
        print(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tesserac")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100, help="programs with a fault")
    parser.add_argument("--only", help="these kinds of faults")
    parser.add_argument("--keep", help="folder for programs that fail")
    parser.add_argument("--whole", action="store_true", help="do not make them smaller")
    parser.add_argument("--list", action="store_true", help="the kinds of faults")
    options = parser.parse_args()
    if options.list:
        print("\n".join(faults.TABLE))
        return 0
    tesserac = os.path.abspath(options.tesserac)
    wanted = options.only and options.only.split(",")
    tally, kinds, programs = collections.Counter(), collections.Counter(), 0
    with tempfile.TemporaryDirectory() as folder:
        for batch, goods in batches(options.seed, options.count, wanted):
            check(tesserac, batch, folder)
            for case in batch:
                kinds[case.fault] += 1
                programs += not case.fault
                found = verdict(case)
                if found is not None and (not case.fault or verdict(goods[case.name]) is None):
                    tally[found, case.fault] += 1
                    show(tesserac, case, goods[case.name], found, folder, options)
    for (found, name), number in sorted(tally.items()):
        print(f"{number:6} {found} {name} of {kinds[name]}" if name else f"{number:6} {found}: programs without a fault")
    planted = sum(kinds.values()) - kinds[""]
    print(f"{planted} faults of {len(kinds) - 1} kinds in {programs} programs, {sum(tally.values())} misses")
    return 1 if tally else 0


if __name__ == "__main__":
    sys.exit(main())
