"""Looks at what the loader does before main of an executable: initializers and relocations.

    start.py EXECUTABLE
"""

import re
import subprocess
import sys


def main():
    text = subprocess.run(["readelf", "-SW", sys.argv[1]], check=True, capture_output=True, text=True).stdout
    sizes = {name: int(size, 16) for name, size in re.findall(r"\] (\.\S+)\s+\S+\s+[0-9a-f]+ [0-9a-f]+ ([0-9a-f]+)", text)}
    late = sizes.get(".late_initializers", 0) // 8
    early = sizes[".init_array"] // 8
    moved = sizes.get(".rela.dyn", 0) // 24
    print(f"{early} initializers before main, {late} later, {moved} relocations")
    return 0 if early < 100 and late > 100 and moved < 1000 else 1


if __name__ == "__main__":
    sys.exit(main())
