"""Includes point one way: no two folders include each other, a folder and one inside it neither, and no more than four
files go round in a cycle. A file here is NAME.h with its NAME.cpp.

    folders.py ROOT
"""

import collections
import os
import re
import subprocess
import sys

LONGEST_CYCLE = 4


def sources_of(root):
    names = subprocess.run(["git", "-C", root, "ls-files", "-co", "--exclude-standard"], check=True, capture_output=True, text=True).stdout
    return [name for name in names.splitlines()
            if name.endswith((".cpp", ".h")) and not name.startswith(("tests/", "bench/")) and os.path.isfile(os.path.join(root, name))]


def includes_of(root):
    """(file, included file, "file:line: #include …") of each include of a source of the compiler."""
    sources = sources_of(root)
    known = set(sources)
    for name in sources:
        with open(os.path.join(root, name), encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                include = re.match(r'\s*#\s*include "([^"]+)"', line)
                if not include:
                    continue
                # As written from the root, or beside the file.
                beside = os.path.normpath(os.path.join(os.path.dirname(name), include[1]))
                target = include[1] if include[1] in known else beside if beside in known else None
                if target:
                    yield name, target, f"{name}:{number}: {line.strip()}"


def edges_between(includes, place):
    """(place of the file, place of the included file) → the lines, where the places differ."""
    found = collections.defaultdict(list)
    for name, target, line in includes:
        if place(name) != place(target):
            found[place(name), place(target)].append(line)
    return found


def cycles_of(edges):
    """The largest sets of nodes that all reach each other, of two or more, sorted."""
    after = collections.defaultdict(set)
    for one, other in edges:
        after[one].add(other)

    def reached(start):
        seen, open_nodes = set(), [start]
        while open_nodes:
            for node in after.get(open_nodes.pop(), ()):
                if node not in seen:
                    seen.add(node)
                    open_nodes.append(node)
        return seen

    reach = {node: reached(node) for node in list(after)}
    return sorted({tuple(sorted(other for other in reach[node] if node in reach.get(other, ()))) for node in reach if node in reach[node]})


def folder_problems(includes):
    found = edges_between(includes, os.path.dirname)
    pairs = {(one, other) for one, other in found if one < other and (other, one) in found}
    return [f"{one} and {other} include each other:\n    {found[one, other][0]}\n    {found[other, one][0]}" for one, other in sorted(pairs)]


def cycle_problems(includes):
    found = edges_between(includes, lambda name: os.path.splitext(name)[0])
    long = {cycle for cycle in cycles_of(found) if len(cycle) > LONGEST_CYCLE}
    problems = []
    for cycle in sorted(long):
        lines = [found[edge][0] for edge in sorted(found) if edge[0] in cycle and edge[1] in cycle]
        problems.append("\n    ".join([f"{len(cycle)} files include each other in a cycle, at most {LONGEST_CYCLE} may: {' '.join(cycle)}", *lines]))
    return problems


def main():
    includes = list(includes_of(sys.argv[1]))
    problems = folder_problems(includes) + cycle_problems(includes)
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
