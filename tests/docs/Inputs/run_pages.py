"""Runs the examples of pages, and compares what they print with what the page says.

    run_pages.py TESSERAC [--evaluator] [--update] PAGE…

An example is a block of `tessera`, the word `prints`, and a block of `text`, all as far indented: in docstrings, too.
Examples run compiled, or in the evaluator. --update writes what they printed into the pages.
"""

import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile
import textwrap

EXAMPLE = re.compile(r"^( *)```tessera\n((?: *(?!```).*\n)*?)\1```\n\n\1prints\n\n\1```text\n((?: *(?!```).*\n)*?)\1```\n", re.MULTILINE)


def run(tesserac, options, program):
    """What a program prints: standard output, then standard error where it ends with another code than 0."""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "example.tsr"), "w", encoding="utf-8") as file:
            file.write(program)
        done = subprocess.run([tesserac, "run", *options, "example.tsr"], cwd=folder, capture_output=True, text=True, timeout=120)
        return done.stdout + (done.stderr if done.returncode else "")


def without(indentation, text):
    return re.sub("^" + indentation, "", text, flags=re.MULTILINE)


def main():
    arguments = sys.argv[1:]
    tesserac = os.path.abspath(arguments.pop(0))
    evaluator = "--evaluator" in arguments
    update = "--update" in arguments
    pages = [a for a in arguments if not a.startswith("--")]
    options = ["--interpret", "--sanitize=race,bounds"] if evaluator else []
    examples = []
    for page in pages:
        with open(page, encoding="utf-8") as file:
            examples += [(page, match) for match in EXAMPLE.finditer(file.read())]
    wrong = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        printed = list(pool.map(lambda e: run(tesserac, options, without(e[1][1], e[1][2])), examples))
    for (page, match), text in zip(examples, printed):
        if text == without(match[1], match[3]):
            continue
        wrong += 1
        print(f"{page}: the example prints\n{text}the page says\n{without(match[1], match[3])}")
    if update:
        for page in pages:
            mine = [text for (name, _), text in zip(examples, printed) if name == page]
            with open(page, encoding="utf-8") as file:
                old = file.read()
            texts = iter(mine)
            new = EXAMPLE.sub(lambda m: m[0][:m.start(3) - m.start(0)] + textwrap.indent(next(texts), m[1]) + m[0][m.end(3) - m.start(0):], old)
            with open(page, "w", encoding="utf-8") as file:
                file.write(new)
    print(f"{len(examples)} examples, {wrong} wrong")
    return 1 if wrong and not update else 0


if __name__ == "__main__":
    sys.exit(main())
