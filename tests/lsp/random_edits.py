"""Random edits of real programs, requests that are cancelled, messages that are nonsense: the server goes on, and answers
what one answers that was given the text at once.

    random_edits.py SAMPLES SERVER…
"""

import glob
import json
import os
import random
import re
import sys
import tempfile

from client import Client, Failed, expect, position, run_cases

SAMPLES = sys.argv[1]
URI = "file:///tmp/none/edited.tsr"
PLACES = ("hover", "definition", "typeDefinition", "documentHighlight", "completion", "signatureHelp", "prepareRename", "prepareCallHierarchy", "implementation", "linkedEditingRange")
WHOLE = {"start": {"line": 0, "character": 0}, "end": {"line": 100000, "character": 0}}
DOCUMENT = ("documentSymbol", "documentLink", "foldingRange", "codeLens", "diagnostic")
TOKENS = ("semanticTokens/range",)
FRAGMENTS = ("(", ")", "[", "]", ":", ".", ",", " ", "\n", "\r\n", "    ", "x", "tile.", "def f(", "f32", '"', "'''", "#", "🐙", "é", "=", "@", "\t", "return ", "0", "\ufeff")


def answer(client, id_):
    try:
        return client.answer(id_)
    except Failed as error:
        return str(error)


def answers(client, text, places, encoding):
    ids = []
    for index in places:
        at = position(text, index, encoding)
        ids += [client.begin("textDocument/" + method, {"textDocument": {"uri": URI}, "position": at}) for method in PLACES]
        ids.append(client.begin("textDocument/references", {"textDocument": {"uri": URI}, "position": at, "context": {"includeDeclaration": True}}))
    ids += [client.begin("textDocument/" + method, {"textDocument": {"uri": URI}}) for method in DOCUMENT]
    ids += [client.begin("textDocument/" + method, {"textDocument": {"uri": URI}, "range": WHOLE}) for method in TOKENS]
    ids.append(client.begin("textDocument/onTypeFormatting", {"textDocument": {"uri": URI}, "position": {"line": text.count("\n", 0, places[0]), "character": 0}, "ch": "\n", "options": {}}))
    ids.append(client.begin("textDocument/selectionRange", {"textDocument": {"uri": URI}, "positions": [position(text, index, encoding) for index in places]}))
    ids.append(client.begin("textDocument/formatting", {"textDocument": {"uri": URI}, "options": {}}))
    ids.append(client.begin("textDocument/inlayHint", {"textDocument": {"uri": URI}, "range": WHOLE}))
    ids.append(client.begin("textDocument/codeAction", {"textDocument": {"uri": URI}, "range": WHOLE, "context": {"diagnostics": []}}))
    return [answer(client, one) for one in ids]


def edit_of(chance, text):
    """A range and what replaces it: a word or line goes away, a fragment comes."""
    words = list(re.finditer(r"\w+|[^\w\s]|\n", text))
    kind = chance.random()
    if words and kind < 0.35:
        word = chance.choice(words)
        return word.start(), word.end(), ""
    begin = chance.randint(0, len(text))
    if kind < 0.45:
        end = text.find("\n", begin)
        return begin, len(text) if end < 0 else end, ""
    if words and kind < 0.6:
        return begin, begin, chance.choice(words)[0]
    return begin, begin, chance.choice(FRAGMENTS)


def test_equal_to_a_fresh_server(server):
    chance = random.Random(4)
    samples = sorted(glob.glob(os.path.join(SAMPLES, "*.tsr")))
    for number, sample in enumerate(chance.sample(samples, 8)):
        encoding = ("utf-16", "utf-8")[number % 2]
        edited, other = Client(server, encoding), Client(server, encoding)
        with open(sample, encoding="utf-8") as file:
            text = original = file.read()
        edited.open(URI, text)
        version = 1
        for _ in range(8):
            cancelled = []
            for _ in range(chance.randint(1, 4)):
                begin, end, new = edit_of(chance, text)
                # An editor has no place between the two characters of an end of line.
                begin, end = (i - 1 if text[i - 1:i + 1] == "\r\n" else i for i in (begin, end))
                version += 1
                edited.change(URI, version, {"range": {"start": position(text, begin, encoding), "end": position(text, end, encoding)}, "text": new})
                text = text[:begin] + new + text[end:]
                if chance.random() < 0.5:
                    method = chance.choice(PLACES)
                    cancelled.append(edited.begin("textDocument/" + method, {"textDocument": {"uri": URI}, "position": position(text, begin, encoding)}))
                    edited.notify("$/cancelRequest", {"id": cancelled[-1]})
            for one in cancelled:
                answer(edited, one)
            places = [chance.randint(0, len(text)) for _ in range(5)]
            other.open(URI, text, version)
            what = f"{os.path.basename(sample)}, {encoding}:\n{text}"
            try:
                pairs = zip(answers(edited, text, places, encoding), answers(other, text, places, encoding))
            except (OSError, EOFError) as error:
                raise AssertionError(f"{error}: {what}") from error
            for got, wanted in pairs:
                assert "-32603" not in str(got), (got, what)
                expect(got, wanted, what)
            other.close(URI)
            if chance.random() < 0.3:  # and back
                version += 1
                text = original
                edited.change(URI, version, {"text": text})
        expect((edited.end(), other.end()), (0, 0))


def test_nonsense_for_parameters(server):
    chance = random.Random(5)

    def nonsense(depth=0):
        kind = chance.randint(0, 8 if depth < 3 else 5)
        if kind > 6:
            names = ("textDocument", "uri", "position", "line", "character", "range", "start", "end", "context", "newName", "command", "arguments", "contentChanges", "text", "version", "data", "page")
            return {name: nonsense(depth + 1) for name in chance.sample(names, chance.randint(0, 6))}
        return (None, True, -1, 2 ** 40, 1.5, URI, [nonsense(depth + 1) for _ in range(2)] if depth < 3 else "")[kind]

    c = Client(server)
    c.open(URI, "def f(x: f32[n]):\n    return x.sum()\n")
    methods = ["textDocument/" + m for m in (*PLACES, *DOCUMENT, "references", "rename", *TOKENS, "semanticTokens/full", "semanticTokens/full/delta", "formatting", "rangeFormatting", "rangesFormatting", "onTypeFormatting", "selectionRange", "inlayHint", "codeAction", "didOpen", "didChange", "didClose", "didSave")]
    methods += ["completionItem/resolve", "codeAction/resolve", "documentLink/resolve", "inlayHint/resolve", "workspace/diagnostic", "workspace/willRenameFiles", "workspace/textDocumentContent", "workspace/executeCommand", "tessera/code", "workspace/symbol", "callHierarchy/incomingCalls", "callHierarchy/outgoingCalls", "workspace/didChangeWatchedFiles", "$/cancelRequest", "$/setTrace"]
    for round_ in range(600):
        method = chance.choice(methods)
        params = nonsense()
        if "did" in method or method.startswith("$/"):
            c.notify(method, params)
            continue
        if chance.random() < 0.5:
            params = {"textDocument": {"uri": URI}, "position": {"line": chance.randint(0, 3), "character": chance.randint(0, 30)}, **(params if isinstance(params, dict) else {})}
        got = answer(c, c.begin(method, params))
        assert "-32603" not in str(got), (method, params, got)
    c.open(URI, "x = 1\n", version=9)
    expect(c.of("diagnostic", URI)["items"], [])
    expect(c.end(), 0)


def test_texts_that_are_none(server):
    c = Client(server, "utf-8")
    for text in ("(" * 3000, "[" * 3000 + "]" * 3000, "x = " + "-" * 3000 + "1\n", "if 1:\n" + "".join(" " * (i + 1) + "if 1:\n" for i in range(200)),
                 "a" * 200000, "x = 1\n" * 20000, '"' * 5001, "f(" * 500, "x." * 2000, "\0" * 1000, "\r" * 1000, "#" + "🐙" * 50000, "def f():\n" * 500,
                 "".join(f"def f{i}(x):\n    return f{i + 1}(x)\n" for i in range(300))):
        c.open(URI, text)
        for index in (0, len(text) // 2, len(text)):
            place = position(text, index, "utf-8")
            for method in PLACES:
                got = answer(c, c.begin("textDocument/" + method, {"textDocument": {"uri": URI}, "position": place}))
                assert "-32603" not in str(got), (text[:50], got)
        for method in DOCUMENT:
            c.of(method, URI)
        c.of("formatting", URI, options={})
        c.of("inlayHint", URI, range=WHOLE)
    expect(c.end(), 0)


def test_imported_files_that_are_no_text(server):
    with tempfile.TemporaryDirectory() as folder:
        main = f"file://{folder}/main.tsr"
        for name, content in (("bytes", b"x = '\xff\xfe'\nWIDTH = 3\n"), ("mark", b"\xef\xbb\xbfdef area(w: i32) -> i32:\r\n    return w\r\n"), ("empty", b""), ("nul", b"\0\0\0")):
            with open(os.path.join(folder, name + ".tsr"), "wb") as file:
                file.write(content)
        os.mkdir(os.path.join(folder, "folder.tsr"))
        c = Client(server)
        text = c.open(main, "import bytes\nimport mark\nimport empty\nimport nul\nimport folder\nprint(mark.area(2), bytes.WIDTH)\n")
        codes = {d["code"] for d in c.diagnostics(main, 1)}
        assert "E0203" in codes, codes
        [found] = c.diagnostics(f"file://{folder}/bytes.tsr")
        expect(found["range"]["start"], {"line": 0, "character": 5})
        # A mark of the byte order is no column.
        expect(c.at("definition", main, text.range_of("area")["start"]),
               {"uri": f"file://{folder}/mark.tsr", "range": {"start": {"line": 0, "character": 4}, "end": {"line": 0, "character": 8}}})
        for index in range(0, len(text.text), 3):
            c.at("hover", main, position(text.text, index, "utf-16"))
        expect(c.end(), 0)


def test_damage_stays_where_it_is(server):
    """A word or sign that is missing in a function changes what is said of others in few cases: where it says what they are."""
    c = Client(server)
    tried = harmed = 0
    for sample in sorted(glob.glob(os.path.join(SAMPLES, "*.tsr"))):
        with open(sample, encoding="utf-8") as file:
            text = file.read()
        lines = text.split("\n")
        heads = [i for i, line in enumerate(lines) if re.match("(def|class)", line)]

        def function_of(line):
            return max((head for head in heads if head <= line), default=-1)
        c.open(URI, text)
        c.diagnostics(URI, 1)
        for version, word in enumerate(list(re.finditer(r"\w+|[^\w\s]", re.sub("#.*", lambda m: " " * len(m[0]), text)))[::11], 2):
            line = text.count("\n", 0, word.start())
            if function_of(line) < 0 or re.match("def|class|@", lines[line]):
                continue
            c.change(URI, version, {"text": text[: word.start()] + text[word.end():]})
            foreign = [d for d in c.diagnostics(URI, version) if d["severity"] == 1 and function_of(d["range"]["start"]["line"]) != function_of(line)]
            tried += 1
            harmed += bool(foreign)
        c.close(URI)
        c.diagnostics(URI)
    assert tried > 400 and harmed <= tried * 0.05, (tried, harmed)
    print(f"{tried} damages, {harmed} of them are seen in other functions")
    expect(c.end(), 0)


def test_memory_of_many_edits(server):
    def resident():
        with open(f"/proc/{c.process.pid}/status") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("VmRSS"))
    with open(os.path.join(SAMPLES, "flash_attention.tsr"), encoding="utf-8") as file:
        text = file.read()
    c = Client(server)
    c.open(URI, text)
    c.diagnostics(URI, 1)
    sizes = []
    for version in range(2, 402):
        c.change(URI, version, {"range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}, "text": "#" if version % 2 else "\n"})
        c.diagnostics(URI, version)
        if version in (201, 401):
            sizes.append(resident())
    assert sizes[1] - sizes[0] < 4000, f"kilobytes behind 200 and 400 edits: {sizes}"
    expect(c.end(), 0)


if __name__ == "__main__":
    run_cases(globals(), sys.argv[2:])
