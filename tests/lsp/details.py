"""Requests about one text that follow another request, or that few editors make: parts and changes of semantic tokens, edits
of hints and of all diagnostics together, formatting of several ranges and of the line that ends, links, linked places.

    details.py SERVER…
"""

import os
import sys

from circumstances import MAIN, PART, circumstances
from client import Client, code_of, expect, run_cases
from methods import applied

WHOLE = {"start": {"line": 0, "character": 0}, "end": {"line": 1000, "character": 0}}


def test_changes_of_semantic_tokens(server):
    for one in circumstances(server):
        c = one.client
        before = c.of("semanticTokens/full", MAIN)
        same = c.of("semanticTokens/full/delta", MAIN, previousResultId=before["resultId"])
        expect(same["edits"], [])
        for version, (word, nth, new) in enumerate((("total", 1, "a\n    b"), ("SIZE", 1, "size = 1\nSIZE"), ("twice", 1, "")), 2):
            c.change(MAIN, version, {"range": one.text.range_of(word, nth), "text": new})
            after = c.of("semanticTokens/full/delta", MAIN, previousResultId=same["resultId"])
            data = list(before["data"])
            assert len(after["edits"]) <= 1, after
            for edit in after["edits"]:
                data[edit["start"]:edit["start"] + edit["deleteCount"]] = edit["data"]
            before = c.of("semanticTokens/full", MAIN)
            expect(data, before["data"], f"{word} became {new!r}")
            same = before
        outdated = c.of("semanticTokens/full/delta", MAIN, previousResultId="nothing")
        expect(outdated["data"], before["data"], "all of them where the client has others")


def test_semantic_tokens_of_a_range(server):
    for one in circumstances(server):
        line = one.at("layer")["line"]
        part = one.client.of("semanticTokens/range", MAIN, range={"start": {"line": line, "character": 0}, "end": {"line": line + 1, "character": 0}})["data"]
        expect((part[0], len(part) // 5), (line, 4), "layer, Layer, y, scale")
        whole = one.client.of("semanticTokens/range", MAIN, range=WHOLE)["data"]
        expect(whole, one.client.of("semanticTokens/full", MAIN)["data"])


def test_edits_of_hints(server):
    for one in circumstances(server):
        c = one.client
        hints = {h["label"]: h for h in c.of("inlayHint", MAIN, range=WHOLE)}
        written = c.request("inlayHint/resolve", hints[": Layer"])
        if not one.broken:
            expect(applied(one.text, written["textEdits"]), one.text.text.replace("layer = Layer", "layer: Layer = Layer"))
        # Of a function that is called with several types there is none to write.
        several = next(h for label, h in hints.items() if label.startswith(": i32 or "))
        expect(c.request("inlayHint/resolve", several), several)
        # A type where none can be written.
        c.change(MAIN, 2, {"text": "def main():\n    a, b = 1, 2.5\n    print(a, b)\n"})
        for hint in c.of("inlayHint", MAIN, range=WHOLE):
            assert "textEdits" not in c.request("inlayHint/resolve", hint), hint
        c.change(MAIN, 3, {"text": "x = 1\n"})
        expect(c.request("inlayHint/resolve", hints[": Layer"]), hints[": Layer"], "of a text that is gone")


def test_all_fixes_together(server):
    for encoding in ("utf-16", "utf-8"):
        for resolves in (False, True):
            support = {"dataSupport": True, "resolveSupport": {"properties": ["edit"]}} if resolves else {}
            c = Client(server, encoding, {"textDocument": {"codeAction": support}})
            text = c.open(MAIN, 'x = zeroes((2,), f32)\nprint("🐙é", onse((2,), f32), x)\ny = 1\n')
            action = next(a for a in c.of("codeAction", MAIN, range=text.range_of("onse"), context={"diagnostics": []}) if a["kind"] == "source.fixAll.tessera")
            expect("edit" in action, not resolves)
            if resolves:
                action = c.request("codeAction/resolve", action)
            expect(action["title"], "Apply all 2 suggested changes")
            expect(applied(text, action["edit"]["changes"][MAIN]), text.text.replace("zeroes", "zeros").replace("onse", "ones"))
            kinds = [a["kind"] for a in c.of("codeAction", MAIN, range=text.range_of("y"), context={"diagnostics": []})]
            expect(kinds, [], "none beside a line without a mistake")
            [asked] = c.of("codeAction", MAIN, range=text.range_of("y"), context={"diagnostics": [], "only": ["source.fixAll"]})
            c.change(MAIN, 2, {"text": "x = 1\n"})
            expect(c.of("codeAction", MAIN, range=WHOLE, context={"diagnostics": [], "only": ["source.fixAll"]}), [])
            if resolves:
                expect(code_of(lambda: c.request("codeAction/resolve", asked)), -32801)
            expect(c.end(), 0)


def test_formatting_of_several_ranges(server):
    for encoding in ("utf-16", "utf-8"):
        c = Client(server, encoding)
        text = c.open(MAIN, 'a  =  "🐙"\nb = 1\nc  =  2\nd = 3\ne  =  4\n')
        def line(number):
            return {"start": {"line": number, "character": 0}, "end": {"line": number, "character": 3}}
        edits = c.of("rangesFormatting", MAIN, options={}, ranges=[line(0), line(4)])
        expect(applied(text, edits), 'a = "🐙"\nb = 1\nc  =  2\nd = 3\ne = 4\n')
        expect(c.of("rangesFormatting", MAIN, options={}, ranges=[]), [])
        expect(c.end(), 0)


def test_formatting_of_the_line_that_ends(server):
    def typed(c, text, at="cursor"):
        return applied(text, c.at("onTypeFormatting", MAIN, text.at(at), ch="\n", options={}))
    for encoding in ("utf-16", "utf-8"):
        c = Client(server, encoding)
        text = c.open(MAIN, 'def f(x):\n    print( "🐙",x )\n    «cursor»\nf(  1 )\n')
        expect(typed(c, text), text.text.replace('print( "🐙",x )', 'print("🐙", x)'), "neither the line of the cursor nor others")
        c.close(MAIN)
        text = c.open(MAIN, "x  =  1\n«cursor»")
        expect(typed(c, text), "x = 1\n")
        c.close(MAIN)
        text = c.open(MAIN, "def f(  ):\n    «cursor»")
        expect(typed(c, text), text.text, "a text with a mistake is left alone")
        c.close(MAIN)
        text = c.open(MAIN, "def f():\n    pass\ndef g():\n    pass\n\n\n\n\n«cursor»\n")
        expect(typed(c, text), text.text, "blank lines are still being written")
        c.close(MAIN)
        text = c.open(MAIN, "«cursor»x  =  1\n")
        expect(typed(c, text), text.text)
        expect(c.end(), 0)


def test_links(server):
    for one in circumstances(server):
        c = one.client
        links = {one.text.cut(link["range"]): link for link in c.of("documentLink", MAIN)}
        expect(sorted(links), ["shapes"])
        expect(links["shapes"]["target"], PART)
        text = c.open(MAIN.replace("main", "coded"), '# 🐙 E0201, E9999, XE0201; W0101\nimport softmax_none\nfrom shapes import area\nprint(area(1))  # E0203.\n')
        links = [(text.cut(link["range"]), link) for link in c.of("documentLink", MAIN.replace("main", "coded"))]
        expect([word for word, _ in links], ["shapes", "E0201", "W0101", "E0203"])
        for word, link in links[1:]:
            with open(c.request("documentLink/resolve", link)["target"][len("file://"):], encoding="utf-8") as page:
                assert page.read().startswith("# " + word)
        expect(code_of(lambda: c.request("documentLink/resolve", {"range": WHOLE, "data": "E9999"})), -32602)


def test_linked_places(server):
    for one in circumstances(server):
        found = one.client.at("linkedEditingRange", MAIN, one.at("total", 2))
        expect(found["ranges"], [one.text.range_of("total", nth) for nth in (1, 2, 3)])
        for word, nth in (("area", 2), ("Layer", 1), ("scale", 1), ("fill", 1), ("print", 1)):
            expect(one.client.at("linkedEditingRange", MAIN, one.at(word, nth)), None, word)
        kernel = one.client.at("linkedEditingRange", MAIN, one.at("n"))
        expect([one.text.cut(r) for r in kernel["ranges"]], ["n", "n"])


RULES = """@custom_vjp
def area(x: f32[n]) -> f32:
    return sum(x * x)


def forward(x: f32[n]) -> (f32, f32[n]):
    return sum(x * x), x


def backward(saved: f32[n], cotangent: f32) -> f32[n]:
    return saved * (2.0 * cotangent)


area.defvjp(forward, backward)


def plain(x: f32[n]) -> f32:
    return area(x)


def main():
    print(grad(plain)(ones((2,), f32)), "🐙", area(ones((2,), f32)))
"""


def test_implementation(server):
    for encoding in ("utf-16", "utf-8"):
        c = Client(server, encoding)
        text = c.open(MAIN, RULES)
        expect(c.diagnostics(MAIN, 1), [])
        rules = c.at("implementation", MAIN, text.range_of("area", 4)["start"])
        expect([text.cut(r["range"]) for r in rules], ["forward", "backward"])
        expect(c.at("implementation", MAIN, text.range_of("plain", 2)["start"])["range"], text.range_of("plain"))
        expect(c.at("implementation", MAIN, text.range_of("grad")["start"]), c.at("definition", MAIN, text.range_of("grad")["start"]))
        expect(c.end(), 0)


def test_texts_of_the_library(server):
    for known in (False, True):
        c = Client(server, capabilities={"workspace": {"textDocumentContent": {}}} if known else {})
        text = c.open(MAIN, "print(softmax(ones((2,), f32)))\n")
        found = c.at("definition", MAIN, text.range_of("softmax")["start"])
        if not known:
            assert found["uri"].startswith("file:///"), found
            continue
        expect(found["uri"].split(":")[0], "tessera")
        said = c.request("workspace/textDocumentContent", {"uri": found["uri"]})["text"]
        assert "def softmax(" in said.splitlines()[found["range"]["start"]["line"]], said[:200]
        # An editor opens it as a document.
        c.open(found["uri"], said)
        expect(c.diagnostics(found["uri"], 1), [])
        expect([s["name"] for s in c.of("documentSymbol", found["uri"])].count("softmax"), 1)
        for other in ("tessera:/stdlib/none.tsr", "tessera:/etc/passwd", "file:///etc/passwd", ""):
            expect(code_of(lambda: c.request("workspace/textDocumentContent", {"uri": other})), -32602)
        expect(c.end(), 0)


if __name__ == "__main__":
    run_cases(globals(), sys.argv[1:])
