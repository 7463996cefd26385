"""Outside of ir/ops nobody reads operands by their positions: handles of operations name them.

    operand_names.py ROOT
"""

import os
import re
import subprocess
import sys

COUNTED = re.compile(r"\boperands(\)?\.(at|first|subspan)\(|\.begin\(\) \+ |\[)\d|\boperand(_type)?\(\w+, \d+\)")


def main():
    root = os.path.abspath(sys.argv[1])
    names = subprocess.run(
        ["git", "-C", root, "ls-files", "-co", "--exclude-standard", "*.cpp", "*.h"], check=True, capture_output=True, text=True
    ).stdout.splitlines()
    places = []
    read = 0
    for name in names:
        if not name.startswith(("ir/", "codegen/", "sema/", "driver/", "lsp/")) or name.startswith("ir/ops/"):
            continue
        path = os.path.join(root, name)
        if not os.path.isfile(path):
            continue
        read += 1
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if COUNTED.search(line.split("//")[0]):
                    places.append(f"{name}:{number}: {line.strip()}")
    for place in places:
        print(f"{place}\n    an operand by its position: use the handle of the operation (ir/ops/handle.h)")
    if read == 0:
        print(f"no sources below {root}")
    sys.exit(bool(places) or read == 0)


if __name__ == "__main__":
    main()
