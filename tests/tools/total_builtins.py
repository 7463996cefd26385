"""A built-in name that is added to sema/builtins/builtin_list.h and nowhere else does not compile: each table or switch
over its family says so.

    total_builtins.py ROOT BUILD

Compiles the sources that hold the rules and the code of built-in functions against a list with one more row in each
family. Each of them has to be named in an error together with the row of its family.
"""

import os
import re
import subprocess
import sys
import tempfile

from total_tables import flags_of

# By library: the families that each source has a rule or code for.
RULES = {
    "sema": {
        "sema/builtin_calls/tile_calls.cpp": ["TILE", "GROUP"],
        "sema/builtin_calls/register_tile_calls.cpp": ["REGISTER_TILE"],
        "sema/builtin_calls/math_calls.cpp": ["MATH"],
        "sema/builtin_calls/host_calls.cpp": ["HOST"],
        "sema/builtin_calls/indexed_calls.cpp": ["INDEXED"],
        "sema/builtin_calls/axis_calls.cpp": ["AXES"],
        "sema/builtin_calls/joining_calls.cpp": ["JOINING"],
    },
    "elaborate": {
        "sema/elaborate/kernel_builtins.cpp": ["TILE", "GROUP"],
        "sema/elaborate/tile_builtins.cpp": ["REGISTER_TILE"],
        "sema/elaborate/shared_builtins.cpp": ["MATH"],
        "sema/elaborate/host_builtins.cpp": ["HOST", "AXES", "JOINING"],
        "sema/elaborate/indexed_builtins.cpp": ["INDEXED"],
    },
}
LIST = re.compile(r"^(#define TSR_BUILTINS_(TILE|GROUP|REGISTER_TILE|MATH|HOST|INDEXED|AXES|JOINING)\(X\))", re.MULTILINE)
ERROR = re.compile(r"^(?:\S*/)?(sema/[\w/]+\.cpp):.*?error: .*?forgotten_(\w+)", re.MULTILINE)


def errors_of(root, build, library, sources, folder):
    lines = "".join(f'#include "{os.path.join(root, name)}"\n' for name in sources)
    command = ["g++", f"-I{folder}", *flags_of(build, library), "-Werror=switch", "-fsyntax-only", "-fdiagnostics-plain-output", "-x", "c++", "-"]
    return subprocess.run(command, cwd=build, input=lines, capture_output=True, text=True, env=dict(os.environ, LC_ALL="C")).stderr


def main():
    root, build = (os.path.abspath(path) for path in sys.argv[1:])
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        os.makedirs(os.path.join(folder, "sema/builtins"))
        with open(os.path.join(root, "sema/builtins/builtin_list.h"), encoding="utf-8") as file:
            longer, families = LIST.subn(lambda m: f'{m[1]} X(forgotten_{m[2].lower()}, "forgotten.{m[2].lower()}", KHG, none, "x", "")', file.read())
        if families != 8:
            problems.append(f"sema/builtins/builtin_list.h: {families} families were found")
        with open(os.path.join(folder, "sema/builtins/builtin_list.h"), "w", encoding="utf-8") as file:
            file.write(longer)
        for library, sources in RULES.items():
            errors = errors_of(root, build, library, sources, folder)
            named = set(ERROR.findall(errors))
            for source, expected in sources.items():
                for family in expected:
                    if (source, family.lower()) not in named:
                        problems.append(f"{source}: compiles without a rule for a new name of {family}")
            print(f"{library}: {len(named)} rules miss the new name")
            if problems:
                problems.append(errors[:4000])
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
