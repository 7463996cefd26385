"""Writes the C++ source that carries the pages of docs/errors.

    embed-pages.py FOLDER OUTPUT DEPFILE

The dependency file names the folder too: a page that is added changes it, so the build notices new pages.
"""

import os
import re
import sys


def main():
    folder, output, depfile = sys.argv[1:]
    names = sorted(name for name in os.listdir(folder) if re.fullmatch(r"[EW]\d{4}\.md", name))
    with open(output, "w", encoding="utf-8") as out:
        out.write('#include <array>\n\n#include "driver/pages.h"\n\nnamespace tsr::driver {\n\nnamespace {\n\n')
        out.write(f"constexpr std::array<Page, {len(names)}> kPages{{{{\n")
        for name in names:
            with open(os.path.join(folder, name), encoding="utf-8") as page:
                out.write(f'    {{"{name[:-3]}", R"PAGE({page.read()})PAGE"}},\n')
        out.write("}};\n\n}  // namespace\n\nstd::span<const Page> error_pages() { return kPages; }\n\n}  // namespace tsr::driver\n")
    with open(depfile, "w", encoding="utf-8") as out:
        inputs = [folder] + [os.path.join(folder, name) for name in names]
        out.write(f"{output}: {' '.join(inputs)}\n")


if __name__ == "__main__":
    main()
