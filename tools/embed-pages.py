"""Writes the C++ source that carries the pages of a folder of docs.

    embed-pages.py FOLDER FUNCTION OUTPUT DEPFILE

FUNCTION() gives the pages in the order of their names. README.md is not a page. The dependency file names the folder too:
a page that is added changes it, so the build notices new pages.
"""

import os
import sys


def main():
    folder, function, output, depfile = sys.argv[1:]
    table = "k" + function.title().replace("_", "")
    names = sorted(name for name in os.listdir(folder) if name.endswith(".md") and name != "README.md")
    with open(output, "w", encoding="utf-8") as out:
        out.write('#include <array>\n\n#include "driver/pages.h"\n\nnamespace tsr::driver {\n\nnamespace {\n\n')
        out.write(f"constexpr std::array<Page, {len(names)}> {table}{{{{\n")
        for name in names:
            with open(os.path.join(folder, name), encoding="utf-8") as page:
                out.write(f'    {{"{name[:-3]}", R"PAGE({page.read()})PAGE"}},\n')
        out.write(f"}}}};\n\n}}  // namespace\n\nstd::span<const Page> {function}() {{ return {table}; }}\n\n}}  // namespace tsr::driver\n")
    with open(depfile, "w", encoding="utf-8") as out:
        inputs = [folder] + [os.path.join(folder, name) for name in names]
        out.write(f"{output}: {' '.join(inputs)}\n")


if __name__ == "__main__":
    main()
