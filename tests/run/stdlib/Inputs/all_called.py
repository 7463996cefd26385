"""Demands that programs of tests/run/stdlib call each function of the standard library.

    all_called.py ROOT
"""

import glob
import os
import re
import sys

root = sys.argv[1]
names = []
for path in sorted(glob.glob(os.path.join(root, "stdlib", "*.tsr"))):
    with open(path, encoding="utf-8") as file:
        names += re.findall(r"^def ([a-z]\w*)\(", file.read(), re.MULTILINE)
programs = ""
for path in sorted(glob.glob(os.path.join(root, "tests", "run", "stdlib", "*.tsr"))):
    with open(path, encoding="utf-8") as file:
        programs += file.read()
missing = [name for name in names if not re.search(rf"\b{name}\(", programs)]
print(f"{len(names)} functions, {len(missing)} without a test: {' '.join(missing)}".rstrip(": "))
sys.exit(bool(missing or not names))
