"""Nothing in the project says of itself that it is unfinished, and links between documents lead somewhere.

    words.py ROOT
"""

import os
import re
import subprocess
import sys

# Spelled in pieces, so that this file does not find itself.
WORDS = re.compile("|".join(["TO" + "DO", "FIX" + "ME", r"\bX" + r"XX\b", "not impl" + "emented", "unimpl" + "emented", r"\bst" + r"ub\b"]))
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")


def main():
    root = sys.argv[1]
    names = subprocess.run(["git", "-C", root, "ls-files", "-co", "--exclude-standard"], check=True, capture_output=True, text=True).stdout
    problems = []
    for name in names.splitlines():
        path = os.path.join(root, name)
        if not os.path.isfile(path) or not name.endswith((".cpp", ".h", ".c", ".py", ".md", ".tsr", ".g4", ".build", ".sh", "x")):
            continue
        with open(path, encoding="utf-8", errors="replace") as file:
            fenced = False
            for number, line in enumerate(file, 1):
                fenced ^= line.startswith("```")
                if WORDS.search(line):
                    problems.append(f"{name}:{number}: {line.strip()}")
                if name.endswith(".md") and not fenced:
                    for target in LINK.findall(re.sub(r"`[^`]*`", "", line)):
                        if not os.path.exists(os.path.join(os.path.dirname(path), target)):
                            problems.append(f"{name}:{number}: leads nowhere: {target}")
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
