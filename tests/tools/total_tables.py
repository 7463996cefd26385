"""An operation that is added to ir/core/opkind.h and nowhere else does not compile: each table over its family says so.

    total_tables.py ROOT BUILD

Compiles the sources that hold tables (ir/core/total.h) against a list of operations with one more in each family. Each
table has to be named in an error together with such an operation.
"""

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

TABLE = re.compile(r"\b(?:ir::)?Total<\s*([\w:]+),")
RECORDS = re.compile(r"\bcomplete<\s*(\w+),")
MISSING = re.compile(r"NoRowFor<(.+?), tsr::ir::OpKind::forgotten_\w+>")
MADE_OF_LISTS = {"kFormulas"}  # rows are made of the list, by the name of each operation: without the function it does not compile
LIST = re.compile(r"^(#define TSR_(ARITHMETIC|COMPARISON|ROUNDING|CONTROL|MEMORY|COPY|RING|GROUP|REGISTER|GRAPH|HOST|TARGET|GPU|BOX)_OPS\(X\))", re.MULTILINE)


def sources_with_tables(root):
    """By library: the tables that each of its sources names."""
    names = subprocess.run(["git", "-C", root, "ls-files", "-co", "--exclude-standard", "*.cpp"], check=True, capture_output=True, text=True).stdout
    found = {}
    for name in names.splitlines():
        library = name.split("/")[0]
        if library == "tests" or not os.path.isfile(os.path.join(root, name)):
            continue
        with open(os.path.join(root, name), encoding="utf-8") as file:
            text = file.read()
        tables = [table for table in TABLE.findall(text) + RECORDS.findall(text) if table not in MADE_OF_LISTS]
        if tables:
            found.setdefault(library, {})[name] = tables
    return found


def flags_of(build, library):
    """The flags that say where headers are, as the build has them."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        commands = json.load(file)
    command = next(c["command"] for c in commands if f"lib{library}.a.p" in c["command"])
    words = shlex.split(command)
    flags = [word for word in words if word.startswith(("-I", "-isystem/", "-D", "-std="))]
    return flags + [word for i, before in enumerate(words[:-1]) if before == "-isystem" for word in (before, words[i + 1])]


def errors_of(root, build, library, sources, folder):
    """What the compiler says of all sources as one; names in unnamed namespaces differ within a library."""
    lines = "".join(f'#include "{os.path.join(root, name)}"\n' for name in sources)
    command = ["g++", *flags_of(build, library), "-w", "-fsyntax-only", "-fdiagnostics-plain-output", "-x", "c++", "-"]
    command.insert(1, f"-I{folder}")
    run = subprocess.run(command, cwd=build, input=lines, capture_output=True, text=True, env=dict(os.environ, LC_ALL="C"))
    return run.returncode, run.stderr


def main():
    root, build = (os.path.abspath(path) for path in sys.argv[1:])
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        os.makedirs(os.path.join(folder, "ir/core"))
        with open(os.path.join(root, "ir/core/opkind.h"), encoding="utf-8") as file:
            longer, families = LIST.subn(lambda m: f"{m[1]} X(forgotten_{m[2].lower()})", file.read())
        if families != 14:
            problems.append(f"ir/core/opkind.h: {families} families were found")
        with open(os.path.join(folder, "ir/core/opkind.h"), "w", encoding="utf-8") as file:
            file.write(longer)
        for library, sources in sources_with_tables(root).items():
            status, errors = errors_of(root, build, library, sources, folder)
            named = MISSING.findall(errors)
            for name, tables in sources.items():
                for table in tables:
                    short = table.split("::")[-1]
                    if status == 0 or not any(found.split("::")[-1] == short for found in named):
                        problems.append(f"{name}: `{table}` compiles without a row for a new operation")
            expected = sum(len(tables) for tables in sources.values())
            if len(set(named)) < expected:
                problems.append(f"{library}: {expected} tables, but errors name {len(set(named))}:\n" + "\n".join(sorted(set(named))))
            print(f"{library}: {len(set(named))} tables miss the new operation")
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
