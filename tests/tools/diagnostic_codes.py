"""Every diagnostic code in the compiler's sources has a page in docs/errors and a test that shows it, and no page is left
behind by a code that went away.

    diagnostic_codes.py ROOT
"""

import os
import re
import subprocess
import sys

CODE = re.compile(r'"([EW]\d{4})"')
SOURCES = ("base/", "frontend/", "sema/", "ir/", "codegen/", "lsp/", "driver/")


def tracked(root, *patterns):
    out = subprocess.run(["git", "-C", root, "ls-files", "-co", "--exclude-standard", "--", *patterns],
                         check=True, capture_output=True, text=True).stdout
    return [name for name in out.splitlines() if os.path.isfile(os.path.join(root, name))]


def read(root, name):
    with open(os.path.join(root, name), encoding="utf-8", errors="replace") as file:
        return file.read()


def main():
    root = sys.argv[1]
    used = {}
    for name in tracked(root, "*.cpp", "*.h"):
        if name.startswith(SOURCES):
            for line in read(root, name).splitlines():
                for code in CODE.findall(line.split("//")[0]):
                    used.setdefault(code, name)
    shown = set()
    for name in tracked(root, "tests"):
        if not name.startswith("tests/tools/"):
            shown.update(re.findall(r"\b[EW]\d{4}\b", read(root, name)))
    pages = {os.path.basename(name)[:-3]: name for name in tracked(root, "docs/errors/*.md") if not name.endswith("README.md")}

    problems = []
    for code in sorted(used):
        if code not in pages:
            problems.append(f"{code} ({used[code]}) has no page docs/errors/{code}.md")
        if code not in shown:
            problems.append(f"{code} ({used[code]}) is shown by no test")
    for code in sorted(pages):
        if code not in used:
            problems.append(f"{pages[code]} explains a diagnostic that nothing gives")
            continue
        text = read(root, pages[code])
        if not text.startswith(f"# {code}"):
            problems.append(f"{pages[code]} does not begin with `# {code}`")
        if "```" not in text:
            problems.append(f"{pages[code]} has no example")
    print(f"{len(used)} codes, {len(pages)} pages, {len(problems)} problems")
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
