"""Writes the C++ source that carries files.

    embed-files.py HEADER TYPE FUNCTION OUTPUT DEPFILE ROOT PATTERN…

FUNCTION, with its namespaces, gives a span of TYPE {name, content}, which HEADER declares: the files below ROOT that the
patterns name (`page/*.js`), in the order of their names. The dependency file names their folders too: a file that is
added changes them.
"""

import glob
import os
import sys

PLAIN = {ord(c): c for c in map(chr, range(32, 127)) if c not in '"\\?'} | {10: "\\n", 9: "\\t", 34: '\\"', 92: "\\\\"}


def literal(content):
    """Pieces of a string, a line each: of digits none stands behind an escape, which would take it."""
    pieces = []
    for line in content.split(b"\n") if b"\0" not in content else [content[i:i + 64] for i in range(0, len(content), 64)]:
        end = b"\n" if b"\0" not in content else b""
        pieces.append('"' + "".join(PLAIN.get(byte, f"\\{byte:03o}") for byte in line + end) + '"')
    if b"\0" not in content:
        pieces[-1] = pieces[-1][:-3] + '"'  # behind the last line stands no line's end
    return "\n        ".join(pieces)


def main():
    header, kind, function, output, depfile, root, *patterns = sys.argv[1:]
    paths = sorted(path for pattern in patterns for path in glob.glob(os.path.join(root, pattern)))
    space, name = function.rsplit("::", 1)
    with open(output, "w", encoding="ascii") as out:
        out.write(f"#include <array>\n\n#include \"{header}\"\n\nnamespace {space} {{\n\nnamespace {{\n\n")
        out.write("using namespace std::string_view_literals;\n\n")
        out.write(f"constexpr std::array<{kind}, {len(paths)}> k_{name}{{{{\n")
        for path in paths:
            with open(path, "rb") as file:
                content = file.read()
            out.write(f'    {{"{os.path.relpath(path, root)}"sv,\n        {literal(content)}sv}},\n')
        out.write(f"}}}};\n\n}}  // namespace\n\nstd::span<const {kind}> {name}() {{ return k_{name}; }}\n\n}}  // namespace {space}\n")
    with open(depfile, "w", encoding="utf-8") as out:
        folders = sorted({os.path.dirname(os.path.join(root, pattern)) for pattern in patterns})
        out.write(f"{output}: {' '.join(folders + paths)}\n")


if __name__ == "__main__":
    main()
