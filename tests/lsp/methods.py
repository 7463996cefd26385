"""Each request that the server announces, in each circumstance.

    methods.py SERVER…
"""

import os
import sys
import tempfile
import time

from circumstances import MAIN, PART, circumstances
from client import Client, Failed, code_of, expect, position, run_cases

# What is announced, and the case that tests it.
TESTED = {
    "positionEncoding": "lifecycle.py",
    "textDocumentSync": "lifecycle.py",
    "workspace": "lifecycle.py",
    "diagnosticProvider": "test_diagnostic",
    "codeActionProvider": "test_code_action",
    "documentFormattingProvider": "test_formatting",
    "documentSymbolProvider": "test_document_symbol",
    "foldingRangeProvider": "test_folding_range",
    "hoverProvider": "test_hover",
    "definitionProvider": "test_definition",
    "declarationProvider": "test_definition",
    "typeDefinitionProvider": "test_definition",
    "callHierarchyProvider": "test_call_hierarchy",
    "documentRangeFormattingProvider": "test_formatting",
    "selectionRangeProvider": "test_selection_range",
    "workspaceSymbolProvider": "test_workspace_symbol",
    "referencesProvider": "test_references",
    "documentHighlightProvider": "test_document_highlight",
    "renameProvider": "test_rename",
    "completionProvider": "test_completion",
    "signatureHelpProvider": "test_signature_help",
    "semanticTokensProvider": "test_semantic_tokens",
    "inlayHintProvider": "test_inlay_hint",
    "documentOnTypeFormattingProvider": "details.py",
    "documentLinkProvider": "details.py",
    "implementationProvider": "details.py",
    "linkedEditingRangeProvider": "details.py",
    "codeLensProvider": "commands.py",
    "executeCommandProvider": "commands.py",
}


AREA = "The area of a rectangle.\n\nBoth sides are whole numbers.\n    for example 2 and 3"


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
        third = {"start": {"line": 2, "character": 0}, "end": {"line": 2, "character": 3}}
        assert "y = [1, 2]  # 🐙" in applied(text, c.of("rangeFormatting", MAIN, options={}, range=third))
        last = {"start": {"line": 9, "character": 0}, "end": {"line": 9, "character": 0}}
        expect(applied(text, c.of("rangeFormatting", MAIN, options={}, range=last)).splitlines()[:3], text.text.splitlines()[:3])
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
        [action, _] = c.of("codeAction", MAIN, range=place, context={"diagnostics": []})
        expect((action["title"], action["kind"], action["isPreferred"]), ("Replace with `zeros`", "quickfix", True))
        expect(action["diagnostics"][0]["code"], "E0201")
        expect(applied(text, action["edit"]["changes"][MAIN]), text.text.replace("zeroes", "zeros"))
        [action] = c.of("codeAction", MAIN, range=text.range_of("arae"), context={"diagnostics": [], "only": ["quickfix"]})
        expect(applied(text, action["edit"]["changes"][MAIN]), text.text.replace("arae", "area"))
        expect(c.of("codeAction", MAIN, range=place, context={"diagnostics": [], "only": ["refactor"]}), [])
        expect(len(c.of("codeAction", MAIN, range={"start": position(text.text, 0, encoding), "end": position(text.text, len(text.text), encoding)},
                        context={"diagnostics": [], "only": ["quickfix"]})), 2)
        expect(c.end(), 0)


def test_hover(server):
    def value(one, word, nth=1):
        found = one.client.at("hover", MAIN, one.at(word, nth))
        expect(found["contents"]["kind"], "markdown")
        expect(found["range"], one.text.range_of(word, nth))
        return found["contents"]["value"]
    for one in circumstances(server):
        expect(value(one, "layer", 2), "```tessera\n(variable) layer: Layer\n```")
        expect(value(one, "total", 2), "```tessera\n(variable) total: i32\n```")
        expect(value(one, "area", 3), "```tessera\ndef area(w: i32, h: i32 = 2) -> i32\n```\n\n" + AREA)
        expect(value(one, "fill", 2).split("\n\nfill on sm_75")[0], "```tessera\n@kernel\ndef fill(x: mut f32[n], value: f32)\n```")
        expect(value(one, "Layer", 2).split("\n")[:4], ["```tessera", "class Layer:", "    w: f32[m]", "    scale: f32 = 1.0"])
        expect(value(one, "linear_id").split("\n")[:5], ["```tessera", "tile.linear_id() -> index", "```", "", "This tile's index: in the launch in a flat kernel, else in its group."])
        expect(value(one, "twice", 2).split("\n")[:3], ["```tessera", "def twice(x)", "# gives i32"])
        assert "softmax(x" in value(one, "softmax"), value(one, "softmax")
        expect(value(one, "n", 2), "```tessera\n(dimension) n: index\n```")
        expect(value(one, "f32", 2), "```tessera\n(element type) f32\n```")
        expect(value(one, "value", 3), "```tessera\n(parameter) value: f32\n```")
        expect(one.client.at("hover", MAIN, {"line": 3, "character": 0})["contents"]["value"], "```tessera\n(variable) SIZE = 3\n```")
        expect(value(one, "SIZE", 2), "```tessera\n(variable) SIZE = 3\n```")
        expect(one.client.at("hover", MAIN, {"line": 2, "character": 0}), None)
        expect(value(one, "x", 4), "```tessera\n(parameter) x: i32 or f32\n```")
    plain = Client(server, capabilities={"textDocument": {"hover": {"contentFormat": ["plaintext"]}}})
    text = plain.open(MAIN, "«»x = ones((2,), f32)\n")
    expect(plain.at("hover", MAIN, text.at())["contents"], {"kind": "plaintext", "value": "(variable) x: f32[2]"})
    expect(plain.at("hover", MAIN, {"line": 0, "character": 10})["contents"]["value"], "an integer literal")
    text = plain.open(MAIN, """@kernel.autotune(space=dict(BM=[32, 64]))
def k(x: mut f32[n]):
    i = tile.linear_id()
    if i < n:
        x[i] = cast(B«tuned»M *«twice» 2, f32)
def f(n: static i32, x: f32) -> f32:
    return x * «static»n
k(ones((3,), f32))
print(f(2, 1.5), f(4, 1.5))
""", version=2)

    def said(mark):
        return plain.at("hover", MAIN, text.at(mark))["contents"]["value"]
    expect(said("tuned"), "(tuning parameter) BM = 32 or 64")
    assert said("twice").endswith(" = 64 or 128"), said("twice")
    expect(said("static"), "(parameter) n: i32 = 2 or 4")
    text = plain.open(MAIN, "def g(x: f32[n, «extent»4, n «sum»+ 1]) -> f32:\n    y: f32[n] = x[:, 0, 0]\n    return y[0]\n", version=3)
    expect(said("extent"), "index")
    expect(said("sum"), "index")
    expect(plain.end(), 0)


def test_definition(server):
    for one in circumstances(server):
        def target(word, nth=1, one=one):
            return one.client.at("definition", MAIN, one.at(word, nth))
        here = {"uri": MAIN}
        expect(target("layer", 2), {**here, "range": one.text.range_of("layer")})
        expect(one.client.at("declaration", MAIN, one.at("layer", 2)), target("layer", 2))
        expect(one.client.at("typeDefinition", MAIN, one.at("layer", 2)), [{**here, "range": one.text.range_of("Layer")}])
        expect(one.client.at("typeDefinition", MAIN, one.at("total", 2)), [])
        expect(target("area", 3), {"uri": PART, "range": one.part.range_of("area")})
        expect(target("h"), {"uri": PART, "range": one.part.range_of("h")})
        expect(target("shapes", 2), {"uri": PART, "range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}})
        expect(target("fill", 2), {**here, "range": one.text.range_of("fill")})
        expect(target("scale", 2), {**here, "range": one.text.range_of("scale")})
        expect(target("size", 2), {**here, "range": one.text.range_of("size")})
        expect(target("n", 2), {**here, "range": one.text.range_of("n")})
        expect(target("tile"), None)
        expect(target("f32"), None)
        library = target("softmax")
        path = library["uri"][len("file://"):]
        with open(path, encoding="utf-8") as file:
            line = file.read().splitlines()[library["range"]["start"]["line"]]
        assert line.startswith("def softmax("), line
        with open(path, encoding="utf-8") as file:
            one.client.open(library["uri"], file.read())
        expect(one.client.of("diagnostic", library["uri"])["items"], [], "of a file of the library")
        expect(os.access(path, os.W_OK) and os.getuid() != 0, False)


def test_references(server):
    for one in circumstances(server):
        def found(word, nth=1, declaration=True, one=one):
            all_ = one.client.at("references", MAIN, one.at(word, nth), context={"includeDeclaration": declaration})
            return [(r["uri"], r["range"]["start"]["line"], r["range"]["start"]["character"]) for r in all_]

        def places(uri, text, word, *numbers):
            return [(uri, *text.range_of(word, n)["start"].values()) for n in numbers]
        expect(sorted(found("area", 2)), sorted(places(MAIN, one.text, "area", 1, 2, 3) + places(PART, one.part, "area", 1)))
        expect(sorted(found("area", 2, False)), sorted(places(MAIN, one.text, "area", 1, 2, 3)))
        expect(found("layer", 2), places(MAIN, one.text, "layer", 1, 2))
        expect(sorted(found("h")), sorted(places(MAIN, one.text, "h", 1) + places(PART, one.part, "h", 1, 2)))
        # From the module, also where only others import it.
        from_part = one.client.at("references", PART, one.part.range_of("area")["start"], context={"includeDeclaration": False})
        expect(sorted(r["range"]["start"]["line"] for r in from_part), sorted(one.at("area", n)["line"] for n in (1, 2, 3)))


def test_references_in_closed_files(server):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("user", "from part import area as surface\nprint(surface(2))\n"), ("other", "# part area\nprint(1)\n"), (".hidden", "")):
            with open(os.path.join(folder, name + ".tsr"), "w") as file:
                file.write(text)
        c = Client(server, initialize=False)
        c.request("initialize", {"capabilities": {}, "workspaceFolders": [{"uri": f"file://{folder}", "name": "all"}]})
        part = f"file://{folder}/part.tsr"
        text = c.open(part, "def area(w: i32) -> i32:\n    return w\n")
        found = c.at("references", part, text.range_of("area")["start"], context={"includeDeclaration": False})
        expect([(os.path.basename(r["uri"]), r["range"]["start"]) for r in found],
               [("user.tsr", {"line": 0, "character": 17}), ("user.tsr", {"line": 0, "character": 25}), ("user.tsr", {"line": 1, "character": 6})])
        edit = c.at("rename", part, text.range_of("area")["start"], newName="size_of")
        expect({os.path.basename(uri): [e["range"]["start"]["line"] for e in edits] for uri, edits in edit["changes"].items()},
               {"part.tsr": [0], "user.tsr": [0]})
        expect(c.end(), 0)


def test_document_highlight(server):
    for one in circumstances(server):
        found = one.client.at("documentHighlight", MAIN, one.at("y", 1))
        numbers = (1, 2, 3, 4, 5)
        expect([h["range"] for h in found if one.text.cut(h["range"]) == "y"], [h["range"] for h in found])
        expect(found[0], {"range": one.text.range_of("y"), "kind": 3})
        expect([h["range"] for h in found], [one.text.range_of("y", n) for n in numbers])
        expect({h["kind"] for h in found[1:]}, {2})


def test_rename(server):
    for one in circumstances(server):
        def renamed(word, nth, name, one=one):
            return one.client.at("rename", MAIN, one.at(word, nth), newName=name)["changes"]
        prepared = one.client.at("prepareRename", MAIN, one.at("layer", 2))
        expect(prepared, {"range": one.text.range_of("layer", 2), "placeholder": "layer"})
        changes = renamed("layer", 2, "schicht")
        expect(list(changes), [MAIN])
        expect(applied(one.text, changes[MAIN]), one.text.text.replace("layer", "schicht"))
        changes = renamed("area", 3, "fläche")
        expect(sorted(changes), sorted([MAIN, PART]))
        expect(applied(one.text, changes[MAIN]), one.text.text.replace("area", "fläche"))
        expect(applied(one.part, changes[PART]), one.part.text.replace("def area", "def fläche"))
        changes = renamed("scale", 2, "factor")
        expect(applied(one.text, changes[MAIN]), one.text.text.replace("scale", "factor"))
        changes = renamed("n", 2, "count")
        expect([one.text.cut(e["range"]) for e in changes[MAIN]], ["n", "n"])
        for word, nth, name in (("layer", 2, "total"), ("layer", 2, "if"), ("layer", 2, "1x"), ("layer", 2, ""), ("layer", 2, "a b"), ("layer", 2, "y"),
                                ("fill", 2, "twice"), ("tile", 1, "block"), ("softmax", 1, "hardmax"), ("f32", 1, "real"), ("shapes", 1, "forms")):
            expect(code_of(lambda: renamed(word, nth, name)), -32803, f"{word} to {name}")
        expect(code_of(lambda: one.client.at("prepareRename", MAIN, one.at("tile"))), -32803)
        expect(one.client.at("prepareRename", MAIN, {"line": 2, "character": 0}), None)
    c = Client(server, capabilities={"workspace": {"workspaceEdit": {"documentChanges": True}}})
    text = c.open(MAIN, "x = 1\nprint(x)\n", version=7)
    edit = c.at("rename", MAIN, text.range_of("x")["start"], newName="y")
    expect([(d["textDocument"], len(d["edits"])) for d in edit["documentChanges"]], [({"uri": MAIN, "version": 7}, 2)])
    expect(c.end(), 0)


def labels(answer):
    return [item["label"] for item in answer["items"]]


def test_completion(server):
    for one in circumstances(server):
        # At the place of the mistake: behind `layer.` of the last line but one.
        at = one.at("size", 2)
        names = labels(one.client.at("completion", MAIN, at))
        expect(sorted(names), ["copy", "scale", "size", "w"])
        names = labels(one.client.at("completion", MAIN, one.at("linear_id")))
        assert {"linear_id", "load", "range"} <= set(names) and "print" not in names, names
        items = one.client.at("completion", MAIN, one.at("total", 2))["items"]
        found = {item["label"]: item for item in items}
        for name in ("total", "layer", "y", "area", "shapes", "fill", "Layer", "SIZE", "print", "softmax", "tile", "f32", "return"):
            assert name in found, name
        assert "x" not in found and "value" not in found, "of another function"
        expect(found["total"]["detail"], "i32")
        expect(found["area"]["detail"], "area(w: i32, h: i32 = 2) -> i32")
        assert found["total"]["sortText"] < found["print"]["sortText"] < found["return"]["sortText"]
        resolved = one.client.request("completionItem/resolve", found["softmax"])
        assert "softmax(x" in resolved["documentation"]["value"]
        expect(one.client.request("completionItem/resolve", found["total"]), found["total"])
        # The name of a parameter at the begin of an argument.
        names = labels(one.client.at("completion", MAIN, one.at("SIZE", 2)))
        assert "w=" in names and "h=" not in names or "h=" in names, names
        names = labels(one.client.at("completion", MAIN, one.at("h", 1)))
        assert "h=" in names and "w=" in names, names


# What is typed, and what has to be offered.
TYPED = (
    ("x = tile.", {"load", "linear_id"}, {"print"}),
    ("x = ts.tile.lo", {"load"}, {"print"}),
    ("y = f(a, ", {"b=", "a", "print"}, set()),
    ("y = f(b=1.0, ", {"a=", "a"}, {"b="}),
    ("y = v.", {"shape", "sum", "reshape"}, {"append"}),
    ("y = f(a, v.sh", {"shape"}, {"print"}),
    ("y = names.", {"append"}, {"shape"}),
    ("y = 'a'.", {"upper"}, {"append"}),
    ("y = v[", {"a", "v"}, set()),
    ("y = v[0] + ", {"a", "v"}, set()),
    ("if a == 1:\n        y = v.", {"shape"}, set()),
    ("shapes.", {"area", "WIDTH"}, {"print"}),
    ("print(\"🐙\", shapes.", {"area", "WIDTH"}, {"print"}),
    ("@", {"kernel", "jit"}, set()),
    ("math.", {"sqrt", "pi"}, {"print"}),
    ("zeros((2,), ", {"f32", "dtype="}, set()),
    ("x = 3.", set(), {"print", "shape"}),
)


def test_completion_while_typing(server):
    for encoding in ("utf-16", "utf-8"):
        c = Client(server, encoding)
        c.open(PART, "WIDTH = 4\ndef area(w: i32) -> i32:\n    return w\n")
        for number, (typed, wanted, unwanted) in enumerate(TYPED):
            head = "import shapes\nimport math\nimport tessera as ts\ndef f(a: i32, b: f32 = 1.0) -> i32:\n    return a\n\n"
            for tail in ("", "\n\ndef g(c: i32) -> i32:\n    return c\n"):
                text = c.open(f"{MAIN}{number}{len(tail)}.tsr", head + f"def main(a: i32, v: f32[n]):\n    names = [1]\n    {typed}«»{tail}")
                answer = c.at("completion", f"{MAIN}{number}{len(tail)}.tsr", text.at())
                names = set(labels(answer))
                assert wanted <= names and not unwanted & names, (typed, tail, "misses", wanted - names, "has", unwanted & names)
        text = c.open(MAIN, "from shapes import «»\n")
        expect(labels(c.at("completion", MAIN, text.at())), [])
        text = c.open(MAIN, "from shapes import area\nfrom math import «»\n# co«c»\nx = \"te«s»xt\"\n")
        assert "sqrt" in labels(c.at("completion", MAIN, text.at()))
        expect((c.at("completion", MAIN, text.at("c")), c.at("completion", MAIN, text.at("s"))), (None, None))
        for typed in ("import «»", "import sh«»", "from «»\n\ndef f():\n    pass\n", "import math, «»"):
            text = c.open(MAIN, typed)
            names = labels(c.at("completion", MAIN, text.at()))
            assert {"shapes", "losses", "math", "tessera"} <= set(names) and "print" not in names, (typed, names)
        expect(c.end(), 0)


def test_signature_help(server):
    def shown(answer):
        [signature] = answer["signatures"]
        for parameter in signature["parameters"]:
            assert parameter["label"] in signature["label"], signature
        return signature["label"], answer.get("activeParameter")
    area = "area(w: i32, h: i32 = 2) -> i32"
    for one in circumstances(server):
        expect(shown(one.client.at("signatureHelp", MAIN, one.at("SIZE", 2))), (area, 0))
        expect(shown(one.client.at("signatureHelp", MAIN, one.at("h", 1))), (area, 1))
        expect(shown(one.client.at("signatureHelp", MAIN, one.at("SIZE", 3))), (area, 0))
        expect(shown(one.client.at("signatureHelp", MAIN, one.at("value", 3))), ("fill(x: mut f32[n], value: f32)", 1))
        expect(one.client.at("signatureHelp", MAIN, one.at("SIZE", 1)), None)
        assert shown(one.client.at("signatureHelp", MAIN, one.at("y", 5)))[0].startswith("softmax(x")
        documentation = one.client.at("signatureHelp", MAIN, one.at("SIZE", 3))["signatures"][0]["documentation"]
        expect(documentation["value"], AREA)
        page = one.client.at("signatureHelp", MAIN, one.at("y", 5))["signatures"][0]["documentation"]["value"]
        assert not page.startswith("#") and "softmax" not in page.split("\n")[0], page
    c = Client(server)
    c.open(PART, "def area(w: i32, h: i32 = 2) -> i32:\n    return w * h\n")
    for number, (typed, label, parameter) in enumerate((
            ("y = area(", area, 0), ("y = area(1, ", area, 1), ("y = area(h=", area, 1), ("y = area(h=2, w=", area, 0), ("y = [area((1, 2), ", area, 1),
            ("y = area(\"a, (\", ", area, 1), ("y = shapes.area(1,", area, 1), ("if area(1, ", area, 1), ("area(1,\n         ", area, 1), ("y = area(1) + (", None, None),
            ("y = area(area(1, 2), ", area, 1), ("print(1, 2, 3, ", "print(*values", 0))):
        text = c.open(f"{MAIN}{number}", f"import shapes\nfrom shapes import area\ndef main():\n    {typed}«»\n\ndef g():\n    pass\n")
        answer = c.at("signatureHelp", f"{MAIN}{number}", text.at())
        if label is None:
            expect(answer, None, typed)
        else:
            got = shown(answer)
            assert got[0].startswith(label) and got[1] == parameter, (typed, got)
    expect(c.end(), 0)


def test_semantic_tokens(server):
    for one in circumstances(server):
        legend = one.client.server["capabilities"]["semanticTokensProvider"]["legend"]
        data = one.client.of("semanticTokens/full", MAIN)["data"]
        tokens = []
        line = start = 0
        for i in range(0, len(data), 5):
            line, start = line + data[i], data[i + 1] + (start if data[i] == 0 else 0)
            place = {"start": {"line": line, "character": start}, "end": {"line": line, "character": start + data[i + 2]}}
            modifiers = [name for bit, name in enumerate(legend["tokenModifiers"]) if data[i + 4] & 1 << bit]
            tokens.append((one.text.cut(place), legend["tokenTypes"][data[i + 3]], *modifiers))
        for token in (("shapes", "namespace"), ("SIZE", "variable", "declaration"), ("Layer", "class", "declaration"), ("w", "property", "declaration"),
                      ("f32", "type", "defaultLibrary"), ("m", "typeParameter"), ("size", "method", "declaration"), ("fill", "function", "declaration"),
                      ("x", "parameter", "declaration"), ("tile", "namespace", "defaultLibrary"), ("linear_id", "function", "defaultLibrary"), ("area", "function"),
                      ("layer", "variable"), ("size", "method"), ("softmax", "function", "defaultLibrary"), ("h", "parameter"), ("kernel", "decorator", "defaultLibrary")):
            assert token in tokens, (token, tokens)
        expect(all(word.replace("_", "a").isalnum() for word, *_ in tokens), True)


def test_inlay_hint(server):
    def hints(one, text, uri):
        whole = {"start": {"line": 0, "character": 0}, "end": {"line": 1000, "character": 0}}
        out = []
        for hint in one.of("inlayHint", uri, range=whole):
            index = text.index(hint["position"])
            out.append(text.text[:index].splitlines()[-1].split(" ")[-1] + hint["label"])
        return out
    for one in circumstances(server):
        found = hints(one.client, one.text, MAIN)
        for hint in ("total: i32", "i: index", "y: f32[5]", "layer: Layer"):
            assert hint in found, (hint, found)
        assert not any(h.startswith(("w:", "SIZE", "scale")) for h in found), found
        assert any(h.startswith("twice(x: ") for h in found), found
        assert any(h.startswith("twice(x) -> ") for h in found), found
        line = one.at("layer")["line"]
        part = one.client.of("inlayHint", MAIN, range={"start": {"line": line, "character": 0}, "end": {"line": line, "character": 50}})
        expect([h["label"] for h in part], [": Layer"])


def test_requests_that_an_edit_outdates(server):
    """They are answered so; those that wait at once, the one that is worked on soon. Others are answered for the text before."""
    client = Client(server)
    # Its costs take a second or so.
    functions = "".join(f"@jit\ndef g{i}(x: f32[n, m], w: f32[m, m], v: f32[m]) -> f32[n, m]:\n    return softmax(layernorm(x @ w) + v)\n\n\n" for i in range(60))
    text = client.open(MAIN, functions + "«»# end\n")
    client.diagnostics(MAIN, 1)
    place = {"line": 1, "character": 5}
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 1000, "character": 0}}
    slowest = 0
    for version in range(2, 12):
        ids = [client.begin("textDocument/inlayHint", {"textDocument": {"uri": MAIN}, "range": whole}),
               client.begin("textDocument/hover", {"textDocument": {"uri": MAIN}, "position": place}),
               client.begin("textDocument/definition", {"textDocument": {"uri": MAIN}, "position": place})]
        time.sleep(0.004 * version)
        begin = time.monotonic()
        client.change(MAIN, version, {"range": {"start": text.at(), "end": text.at()}, "text": " "})
        for id_ in ids[:2]:
            try:
                client.answer(id_)
            except Failed as error:
                expect(error.code, -32801)
        slowest = max(slowest, time.monotonic() - begin)
        assert client.answer(ids[2]) is not None
    print(f"given up {1000 * slowest:.0f} ms behind the edit at the latest")
    expect(client.diagnostics(MAIN, 11), [])
    expect(client.end(), 0)


POLICY = """@precision_policy
class Fours:
    storage = int8
    block = 4

    def quantize(self, x: f32[n]) -> (int8[n], f32):
        scale = self.step(x)
        return round(x / scale).astype(int8), scale

    def step(self, values, most=4.0):
        return max(abs(values)) / most

    def dequantize(self, x: int8[n], scale: f32) -> f32[n]:
        return x.astype(f32) * scale


def main():
    q = quantize(ones((8,), f32), Fours)
    print(dequantize(q))
"""


def test_methods_of_precision_policies(server):
    """They take no record: their first parameter is one as any other."""
    for encoding in ("utf-16", "utf-8"):
        client = Client(server, encoding)
        text = client.open(MAIN, POLICY.replace("self.step(x)", "self.step(«»x)"))
        expect(client.diagnostics(MAIN, 1), [])
        told = client.at("hover", MAIN, text.range_of("step")["start"])["contents"]["value"]
        assert "step(values, most=4.0)" in told.replace(" = ", "="), told
        [signature] = client.at("signatureHelp", MAIN, text.at())["signatures"]
        expect([p["label"] for p in signature["parameters"]], ["values", "most=4.0"], str(signature))
        whole = {"start": {"line": 0, "character": 0}, "end": {"line": 1000, "character": 0}}
        lines = [h["position"]["line"] for h in client.of("inlayHint", MAIN, range=whole)]
        assert text.range_of("values")["end"]["line"] in lines, lines
        client.end()


def test_call_hierarchy(server):
    def shown(calls, role, texts):
        out = []
        for call in calls:
            item = call[role]
            text = texts.get(item["uri"] if role == "from" else MAIN)
            out.append((item["name"], os.path.basename(item["uri"]), [text.cut(r) for r in call["fromRanges"]]))
        return sorted(out)
    for one in circumstances(server):
        texts = {MAIN: one.text, PART: one.part}
        [item] = one.client.at("prepareCallHierarchy", MAIN, one.at("area", 2))
        expect((item["name"], item["uri"], item["selectionRange"]), ("area", PART, one.part.range_of("area")))
        found = shown(one.client.request("callHierarchy/incomingCalls", {"item": item}), "from", texts)
        expect([call for call in found if call[0] == "main"], [("main", "main.tsr", ["area", "area"])])
        [main] = one.client.at("prepareCallHierarchy", MAIN, one.at("main"))
        called = shown(one.client.request("callHierarchy/outgoingCalls", {"item": main}), "to", texts)
        names = [name for name, _, _ in called]
        assert {"area", "fill", "twice", "softmax", "Layer.size"} <= set(names), called
        expect(one.client.at("prepareCallHierarchy", MAIN, one.at("total", 2)), None)
        expect(one.client.at("prepareCallHierarchy", MAIN, one.at("tile")), None)


def test_selection_range(server):
    for one in circumstances(server):
        [found] = one.client.of("selectionRange", MAIN, positions=[one.at("layer", 2)])
        texts = []
        while found:
            texts.append(one.text.cut(found["range"]))
            found = found.get("parent")
        expect(texts[0], "layer")
        assert any(text.startswith("def main") for text in texts) and texts[-1] == one.text.text, texts
        for inner, outer in zip(texts, texts[1:]):
            assert inner in outer, (inner, outer)
        if not one.broken:
            expect(texts[1:3], ["layer.size", "layer.size()"])


def test_workspace_symbol(server):
    for one in circumstances(server):
        def names(query, one=one):
            return sorted(s["name"] for s in one.client.request("workspace/symbol", {"query": query}))
        expect(names("fill"), ["fill"])
        expect(names("ara"), ["area"])
        expect(names("LY"), ["Layer"])
        expect({"area", "WIDTH", "main", "Layer", "size"} <= set(names("")), True)
        [area] = one.client.request("workspace/symbol", {"query": "area"})
        expect(area["location"]["uri"], PART)


def test_pages_of_diagnostics(server):
    c = Client(server, capabilities={"textDocument": {"publishDiagnostics": {"codeDescriptionSupport": True}}})
    c.open(MAIN, "print(y)\n")
    [found] = c.diagnostics(MAIN, 1)
    with open(found["codeDescription"]["href"][len("file://"):], encoding="utf-8") as file:
        assert file.read().startswith("# E0201")
    expect(c.end(), 0)


def test_places_without_anything(server):
    """Each request at each place of a text with mistakes is answered; nothing fails."""
    for encoding in ("utf-16", "utf-8"):
        c = Client(server, encoding)
        for text in ("", "\n", "🐙", "def", "def f(", "x.", ".", "(", '"', "f(a, \"", "import", "from x import", "@", "class A:\n  x", "a = b.c(d[e:", "\ufeffx = 1\r\n\r\ny = x.\r",
                     "for i in range(3):\n    print(i.", "def f(x, *, y=3):\n    return f(x, y=\n", "@kernel\ndef k(x: f32[n", 'f"{x', "lambda x: x.", "[a for a in"):
            c.open(MAIN, text)
            for index in range(len(text) + 1):
                place = position(text, index, encoding)
                for method in ("hover", "definition", "documentHighlight", "completion", "signatureHelp"):
                    c.at(method, MAIN, place)
                c.at("references", MAIN, place, context={"includeDeclaration": True})
            for method in ("documentSymbol", "foldingRange", "semanticTokens/full"):
                c.of(method, MAIN)
            c.of("inlayHint", MAIN, range={"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 9}})
        expect(c.end(), 0)


if __name__ == "__main__":
    run_cases(globals(), sys.argv[1:])
