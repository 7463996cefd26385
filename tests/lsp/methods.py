"""Each request that the server announces, in each circumstance.

    methods.py SERVER…
"""

import sys

from circumstances import MAIN, PART, circumstances
from client import Client, expect, position, run_cases

# What is announced, and the case that tests it.
TESTED = {
    "positionEncoding": "lifecycle.py",
    "textDocumentSync": "lifecycle.py",
    "diagnosticProvider": "test_diagnostic",
    "codeActionProvider": "test_code_action",
    "documentFormattingProvider": "test_formatting",
    "documentSymbolProvider": "test_document_symbol",
    "foldingRangeProvider": "test_folding_range",
}


def applied(text, edits):
    """A text (Marked) behind the edits of the protocol."""
    out = text.text
    for edit in sorted(edits, key=lambda e: (e["range"]["start"]["line"], e["range"]["start"]["character"]), reverse=True):
        out = out[: text.index(edit["range"]["start"])] + edit["newText"] + out[text.index(edit["range"]["end"]):]
    return out


def test_what_is_announced(server):
    c = Client(server)
    expect(sorted(c.server["capabilities"]), sorted(TESTED))
    for name in TESTED.values():
        assert name.endswith(".py") or name in globals(), name
    expect(c.server["serverInfo"]["name"], "tesserac")
    expect(c.end(), 0)


def test_diagnostic(server):
    for one in circumstances(server):
        found = one.client.of("diagnostic", MAIN)
        expect(found["kind"], "full")
        if not one.broken:
            expect(found["items"], [])
            continue
        line = one.at("layer", 2)["line"]
        expect([(d["code"][:3], d["range"]["start"]["line"]) for d in found["items"]], [("E01", line)])


def test_document_symbol(server):
    def shown(symbols):
        return [(s["name"], s["kind"]) + ((shown(s["children"]),) if "children" in s else ()) for s in symbols]
    for one in circumstances(server, {"textDocument": {"documentSymbol": {"hierarchicalDocumentSymbolSupport": True}}}):
        symbols = one.client.of("documentSymbol", MAIN)
        expect(shown(symbols), [("SIZE", 13), ("Layer", 5, [("w", 8), ("scale", 8), ("size", 6)]), ("fill", 12), ("twice", 12), ("main", 12)])
        expect(symbols[2]["detail"], "@kernel")
        for symbol in symbols:
            expect(symbol["selectionRange"], one.text.range_of(symbol["name"]))
            assert symbol["name"] in one.text.cut(symbol["range"])
    for one in circumstances(server):
        flat = one.client.of("documentSymbol", MAIN)
        expect([(s["name"], s.get("containerName")) for s in flat][:4], [("SIZE", None), ("Layer", None), ("w", "Layer"), ("scale", "Layer")])


def test_folding_range(server):
    for one in circumstances(server):
        folds = {(f["startLine"], f["endLine"], f.get("kind")) for f in one.client.of("foldingRange", MAIN)}
        header = one.at("Layer")["line"]
        wanted = {(0, 1, "imports"), (header, header + 5, None), (header + 4, header + 5, None)}
        assert wanted <= folds, (wanted, folds)
        main = one.at("main")["line"]
        assert any(f[0] == main and f[1] >= main + 5 for f in folds), folds


def test_formatting(server):
    for one in circumstances(server):
        expect(one.client.of("formatting", MAIN, options={"tabSize": 4, "insertSpaces": True}), [])
    for encoding in ("utf-16", "utf-8"):
        c = Client(server, encoding)
        text = c.open(MAIN, '# one\nx  =  "🐙"\ny = [1,2]   # 🐙\ndef f(  ) :\n  print( x )\n\n\n\n\nf( )\n')
        edits = c.of("formatting", MAIN, options={})
        expect(applied(text, edits), '# one\nx = "🐙"\ny = [1, 2]  # 🐙\n\n\ndef f():\n    print(x)\n\n\nf()\n')
        expect(edits[0]["range"]["start"]["line"], 1, "the first line stays")
        c.change(MAIN, 2, {"text": "x  =  (\n"})
        expect(c.of("formatting", MAIN, options={}), [], "a text with a mistake is left alone")
        c.change(MAIN, 3, {"text": "x  =  1\r\ny = 2\r\n"})
        expect(c.of("formatting", MAIN, options={}) != [], True)
        expect(c.end(), 0)


def test_code_action(server):
    for one in circumstances(server):
        expect(one.client.of("codeAction", MAIN, range=one.text.range_of("layer", 2), context={"diagnostics": []}), [])
    for encoding in ("utf-16", "utf-8"):
        c = Client(server, encoding)
        c.open(PART, "def area(w: i32) -> i32:\n    return w\n")
        text = c.open(MAIN, 'from shapes import arae\nprint("🐙é", «»zeroes((2,), f32))\n')
        place = {"start": text.at(), "end": text.at()}
        [action] = c.of("codeAction", MAIN, range=place, context={"diagnostics": []})
        expect((action["title"], action["kind"], action["isPreferred"]), ("Replace with `zeros`", "quickfix", True))
        expect(action["diagnostics"][0]["code"], "E0201")
        expect(applied(text, action["edit"]["changes"][MAIN]), text.text.replace("zeroes", "zeros"))
        [action] = c.of("codeAction", MAIN, range=text.range_of("arae"), context={"diagnostics": [], "only": ["quickfix"]})
        expect(applied(text, action["edit"]["changes"][MAIN]), text.text.replace("arae", "area"))
        expect(c.of("codeAction", MAIN, range=place, context={"diagnostics": [], "only": ["refactor"]}), [])
        expect(len(c.of("codeAction", MAIN, range={"start": position(text.text, 0, encoding), "end": position(text.text, len(text.text), encoding)},
                        context={"diagnostics": []})), 2)
        expect(c.end(), 0)


if __name__ == "__main__":
    run_cases(globals(), sys.argv[1:])
