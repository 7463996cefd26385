"""Includes between folders point one way: no two folders include each other, a folder and one inside it neither.

    folders.py ROOT
"""

import collections
import os
import re
import subprocess
import sys

# Pairs that still do. An entry leaves the list with the last include that it stands for.
KNOWN = {
    ("ir/core", "ir/eval"),
    ("ir/core", "ir/ops"),
    ("ir/eval", "ir/ops"),
}


def sources_of(root):
    names = subprocess.run(["git", "-C", root, "ls-files", "-co", "--exclude-standard"], check=True, capture_output=True, text=True).stdout
    return [name for name in names.splitlines()
            if name.endswith((".cpp", ".h")) and not name.startswith(("tests/", "bench/")) and os.path.isfile(os.path.join(root, name))]


def includes_between_folders(root):
    """(folder, included folder) → "file:line: #include …" of each such line."""
    sources = sources_of(root)
    known = set(sources)
    found = collections.defaultdict(list)
    for name in sources:
        folder = os.path.dirname(name)
        with open(os.path.join(root, name), encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                include = re.match(r'\s*#\s*include "([^"]+)"', line)
                if not include:
                    continue
                # As written from the root, or beside the file.
                beside = os.path.normpath(os.path.join(folder, include[1]))
                target = include[1] if include[1] in known else beside if beside in known else None
                if target and os.path.dirname(target) != folder:
                    found[folder, os.path.dirname(target)].append(f"{name}:{number}: {line.strip()}")
    return found


def main():
    found = includes_between_folders(sys.argv[1])
    pairs = {(one, other) for one, other in found if one < other and (other, one) in found}
    problems = []
    for one, other in sorted(pairs - KNOWN):
        problems.append(f"{one} and {other} include each other:\n    {found[one, other][0]}\n    {found[other, one][0]}")
    problems += [f"{one} and {other} no longer include each other: take them off the list in tests/tools/folders.py" for one, other in sorted(KNOWN - pairs)]
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
