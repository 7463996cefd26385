"""Each folder of the compiler with more than eight sources has a README.md that names every source in it.

    rooms.py ROOT
"""

import collections
import os
import re
import subprocess
import sys

MOST_WITHOUT = 8
LONGEST_README = 80
LONGEST_LINE = 120


def problems_of(root, folder, sources):
    path = os.path.join(root, folder, "README.md")
    if not os.path.isfile(path):
        units = [name for name in sources if name.endswith(".cpp")]
        return [f"{folder}: {len(units)} sources and no README.md"] if len(units) > MOST_WITHOUT else []
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    named = set(re.findall(r"[\w.]+\.(?:cpp|h)\b", "\n".join(lines)))
    found = [f"{folder}/README.md does not name {name}" for name in sources if name not in named]
    if len(lines) > LONGEST_README:
        found.append(f"{folder}/README.md has {len(lines)} lines")
    found += [f"{folder}/README.md:{number}: {len(line)} columns" for number, line in enumerate(lines, 1) if len(line) > LONGEST_LINE and "|" not in line]
    return found


def main():
    root = sys.argv[1]
    names = subprocess.run(["git", "-C", root, "ls-files", "-co", "--exclude-standard"], check=True, capture_output=True, text=True).stdout
    folders = collections.defaultdict(list)
    for name in names.splitlines():
        if name.endswith((".cpp", ".h")) and not name.startswith(("tests/", "bench/")) and os.path.isfile(os.path.join(root, name)):
            folders[os.path.dirname(name)].append(os.path.basename(name))
    problems = [problem for folder, sources in sorted(folders.items()) for problem in problems_of(root, folder, sources)]
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
