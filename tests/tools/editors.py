"""The words and element types that the editors' files name are those of the lexer and of base/dtype.cpp.

    editors.py ROOT
"""

import json
import os
import re
import sys

# Words that are names elsewhere, and stand at the head of an annotation.
QUALIFIERS = {"static", "param"}


def read(root, name):
    with open(os.path.join(root, name), encoding="utf-8") as file:
        return file.read()


def words_of(patterns):
    """The alternatives of `\\b(a|b)\\b` in TextMate patterns."""
    return [word for pattern in patterns for word in re.fullmatch(r"\\b\((.*)\)\\b", pattern["match"])[1].split("|")]


def main():
    root = sys.argv[1]
    words = set(re.findall(r"^[A-Z]+ : '([A-Za-z]+)';", read(root, "grammar/TesseraLexer.g4"), re.MULTILINE)) | QUALIFIERS
    types = set(re.findall(r'\{DType::\w+, "(\w+)"', read(root, "base/dtype.cpp"), re.MULTILINE))
    textmate = json.loads(read(root, "editors/vscode/syntaxes/tessera.tmLanguage.json"))["repository"]
    emacs = read(root, "editors/emacs/tessera-mode.el")
    completion = read(root, "lsp/completion.cpp")
    problems = []

    def compare(what, got, wanted):
        problems.extend(f"{what}: misses `{word}`" for word in sorted(wanted - got))
        problems.extend(f"{what}: has `{word}`, which is none" for word in sorted(got - wanted))

    compare("words of the TextMate grammar", set(words_of(textmate["word"]["patterns"])), words)
    compare("types of the TextMate grammar", set(words_of([textmate["type"]])), types)
    quoted = set(re.findall(r'"(\w+)"', emacs[emacs.index("regexp-opt"):emacs.index(";; ---- commands")]))
    compare("words and types of tessera-mode.el", quoted - {"Tessera"}, words | types)
    listed = set(re.findall(r'"(\w+)"', re.search(r"kKeywords\{(.*?)\}", completion, re.DOTALL)[1]))
    compare("words of lsp/completion.cpp", listed, words)
    page = read(root, "play/page/highlight.js")
    for what, wanted in (("keywords", words), ("types", types)):
        listed = set(re.findall(r"'(\w+)'", re.search(what + r" = new Set\(\[(.*?)\]\)", page, re.DOTALL)[1]))
        compare(f"{what} of play/page/highlight.js", listed, wanted)
    print("\n".join(problems))
    return 1 if problems or len(types) != 22 else 0


if __name__ == "__main__":
    sys.exit(main())
