"""Writes the C++ source that carries the standard library, stdlib/*.tsr, and the index of its functions.

    embed-stdlib.py FOLDER OUTPUT DEPFILE

The index has each function at module level whose name does not begin with `_`: its file, signature and docstring. Each
file has the places of its functions' bodies, which the compiler reads when they are needed.
FOLDER/methods.txt lists, one a line, those that tensors have as methods. Ends with a message where a name stands in two
files, a function has no docstring, or a method is no function.
"""

import os
import re
import sys
import textwrap

HEAD = re.compile(r"^def (\w+)\(", re.MULTILINE)
BODY = re.compile(r'(?: *->[^\n]*)?:\n(?:    """.*?"""\n)?', re.DOTALL)
DOC = re.compile(r'(?: *->[^\n]*)?:\n    """(.*?)"""', re.DOTALL)


def closing(text, at):
    """The place of the bracket that closes the one before `at`."""
    depth = 1
    while depth:
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(text[at], 0)
        at += 1
    return at - 1


def parts(text):
    """The parameters, each without the spaces around it."""
    found, depth, begin = [], 0, 0
    for i, c in enumerate(text):
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(c, 0)
        if c == "," and depth == 0:
            found.append(text[begin:i])
            begin = i + 1
    return [" ".join(part.split()) for part in found + [text[begin:]] if part.strip()]


def shown(parameter):
    """`axis: static i32 = -1` is shown as `axis=-1`."""
    name, colon, rest = parameter.partition(":")
    if not colon:
        return parameter.replace(" = ", "=")
    default = rest.partition("=")[2].strip()
    return f"{name}={default}" if default else name


def functions(file, text):
    for head in HEAD.finditer(text):
        end = closing(text, head.end())
        if head[1].startswith("_"):
            continue
        doc = DOC.match(text, end + 1)
        if not doc:
            sys.exit(f"stdlib/{file}.tsr: `{head[1]}` has no docstring")
        first, _, rest = doc[1].partition("\n")
        signature = f"{head[1]}({', '.join(shown(p) for p in parts(text[head.end():end]))})"
        yield head[1], (file, signature, f"{first}\n{textwrap.dedent(rest)}".strip() + "\n")


def later_bodies(text):
    """Of each function at module level the places of its `def`, and of the begin and end of what stands behind its docstring, in bytes."""
    for head in HEAD.finditer(text):
        opened = BODY.match(text, closing(text, head.end()) + 1)
        if not opened:
            continue  # on the line of the header
        begin = at = opened.end()
        end = None
        for line in text[at:].splitlines(keepends=True):
            if line.strip() and not line.startswith(" "):
                break
            code = line.rstrip()
            if code and not code.lstrip().startswith("#"):
                end = at + len(code)
                last = code
            at += len(line)
        if end is None or '"""' in text[begin:end]:
            continue
        if " #" in last:
            sys.exit(f"`{head[1]}`: the last line of a function has a comment behind it")
        yield [len(text[:place].encode()) for place in (head.start(), begin, end)]


def main():
    folder, output, depfile = sys.argv[1:]
    paths = {name[:-4]: os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.endswith(".tsr")}
    texts, index = {}, {}
    for file, path in paths.items():
        with open(path, encoding="utf-8") as source:
            texts[file] = source.read()
        for name, row in functions(file, texts[file]):
            if name in index:
                sys.exit(f"stdlib: `{name}` stands in {index[name][0]}.tsr and in {file}.tsr")
            index[name] = row
    methods_path = os.path.join(folder, "methods.txt")
    with open(methods_path, encoding="utf-8") as lines:
        methods = lines.read().split()
    for name in methods:
        if name not in index:
            sys.exit(f"stdlib/methods.txt: there is no function `{name}`")
    with open(output, "w", encoding="utf-8") as out:
        out.write('#include <array>\n\n#include "sema/builtins/library.h"\n\nnamespace tsr::sema {\n\nnamespace {\n\n')
        out.write(f"constexpr std::array<LibraryFunction, {len(index)}> kLibraryFunctions{{{{\n")
        for name, (file, signature, doc) in sorted(index.items()):
            method = "true" if name in methods else "false"
            out.write(f'    {{"{name}", "{file}", R"TSR({signature})TSR", R"TSR({doc})TSR", {method}}},\n')
        out.write("}};\n\n")
        for file, text in texts.items():
            rows = ["{" + ", ".join(map(str, row)) + "}" for row in later_bodies(text)]
            out.write(f"constexpr std::array<LaterBody, {len(rows)}> kBodies_{file} = {{{{{', '.join(rows)}}}}};\n")
        out.write(f"\nconstexpr std::array<LibraryFile, {len(texts)}> kLibraryFiles{{{{\n")
        for file, text in texts.items():
            out.write(f'    {{"{file}", R"TSR({text})TSR", kBodies_{file}}},\n')
        out.write("}};\n\n}  // namespace\n\n")
        out.write("std::span<const LibraryFunction> library_functions() { return kLibraryFunctions; }\n")
        out.write("std::span<const LibraryFile> library_files() { return kLibraryFiles; }\n\n}  // namespace tsr::sema\n")
    with open(depfile, "w", encoding="utf-8") as out:
        out.write(f"{output}: {' '.join([folder, methods_path, *paths.values()])}\n")


if __name__ == "__main__":
    main()
