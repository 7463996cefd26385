"""What concerns all programs in the folders that an editor has open: their diagnostics, their symbols, names of their files;
and what the server asks its client.

    folders.py SERVER…
"""

import os
import sys
import tempfile
import time

from client import Client, code_of, expect, run_cases


class Folder:
    """A folder of programs with a client that has it open."""

    def __init__(self, server, texts, capabilities=None):
        self.kept = tempfile.TemporaryDirectory()
        for name, text in texts.items():
            self.write(name, text)
        self.client = Client(server, initialize=False)
        self.server = self.client.request("initialize", {"capabilities": capabilities or {}, "workspaceFolders": [{"uri": self.uri(), "name": "all"}]})
        self.client.notify("initialized", {})

    def path(self, name=""):
        return os.path.join(self.kept.name, name).rstrip("/")

    def uri(self, name=""):
        return "file://" + self.path(name)

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def changed(self, *names):
        self.client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": self.uri(name), "type": 2} for name in names]})

    def end(self):
        expect(self.client.end(), 0)
        self.kept.cleanup()


class Pulled:
    """The reports that a client has, as it keeps them."""

    def __init__(self, folder):
        self.folder = folder
        self.ids = {}
        self.codes = {}

    def begin(self):
        known = [{"uri": uri, "value": value} for uri, value in self.ids.items()]
        return self.folder.client.begin("workspace/diagnostic", {"previousResultIds": known})

    def take(self, request):
        """Gives the names of files about which something is said anew."""
        new = []
        for report in self.folder.client.answer(request)["items"]:
            name = os.path.relpath(report["uri"][len("file://"):], self.folder.path())
            if report["kind"] == "unchanged":
                expect(report["resultId"], self.ids[report["uri"]])
                continue
            new.append(name)
            self.ids.pop(report["uri"], None)
            if "resultId" in report:
                self.ids[report["uri"]] = report["resultId"]
            self.codes[name] = [d["code"] for d in report["items"]]
        return sorted(new)


PART = "def area(w: i32) -> i32:\n    return w\n"
USER = "from part import area\nprint(area(2))\n"


def test_diagnostics_of_closed_files(server):
    folder = Folder(server, {"part.tsr": PART, "user.tsr": USER, "inner/wrong.tsr": "print(nothing)\n", "notes.txt": "print("})
    c = folder.client
    pulled = Pulled(folder)
    expect(pulled.take(pulled.begin()), ["inner/wrong.tsr", "part.tsr", "user.tsr"])
    expect(pulled.codes, {"inner/wrong.tsr": ["E0201"], "part.tsr": [], "user.tsr": []})

    # A request stands until something differs; others are answered meanwhile.
    standing = pulled.begin()
    expect(c.request("workspace/symbol", {"query": "nosuchname"}), [])
    time.sleep(0.2)
    expect([m for m in c.kept if m.get("id") == standing], [])
    folder.write("part.tsr", "def surface(w: i32) -> i32:\n    return w\n")
    folder.changed("part.tsr")
    expect(pulled.take(standing), ["user.tsr"])
    expect(pulled.codes["user.tsr"], ["E0202"])

    # An open document is asked for alone, its unsaved text counts for those who import it.
    standing = pulled.begin()
    c.open(folder.uri("part.tsr"), PART)
    expect(pulled.take(standing), ["user.tsr"])
    expect(pulled.codes["user.tsr"], [])
    standing = pulled.begin()
    c.change(folder.uri("part.tsr"), 2, {"text": "def area(w: i32, h: i32) -> i32:\n    return w * h\n"})
    expect(pulled.take(standing), ["user.tsr"])
    assert pulled.codes["user.tsr"] != [], pulled.codes
    standing = pulled.begin()
    c.close(folder.uri("part.tsr"))
    expect(pulled.take(standing), ["part.tsr", "user.tsr"])

    # A file comes, one goes.
    standing = pulled.begin()
    folder.write("fresh.tsr", "x = (\n")
    os.remove(folder.path("inner/wrong.tsr"))
    folder.changed("fresh.tsr", "inner/wrong.tsr")
    expect(pulled.take(standing), ["fresh.tsr", "inner/wrong.tsr"])
    expect((pulled.codes["fresh.tsr"][0][:3], pulled.codes["inner/wrong.tsr"]), ("E01", []))

    # Requests that stand end: by their client, by another one, by the end of the server.
    first = pulled.begin()
    c.notify("$/cancelRequest", {"id": first})
    expect(code_of(lambda: c.answer(first)), -32800)
    first, second = pulled.begin(), pulled.begin()
    expect(code_of(lambda: c.answer(first)), -32802)
    expect(c.request("shutdown"), None)
    expect(code_of(lambda: c.answer(second)), -32800)
    c.notify("exit")
    expect(c.process.wait(timeout=60), 0)


def test_checking_folders_keeps_nobody_waiting(server):
    text = "".join(f"def f{i}(x: i32) -> i32:\n    return x + {i}\n" for i in range(300))
    folder = Folder(server, {f"file{i}.tsr": text + f"print(missing{i})\n" for i in range(40)})
    pulled = Pulled(folder)
    begin = time.monotonic()
    request = pulled.begin()
    slowest = 0
    uri = folder.uri("mine.tsr")
    folder.client.open(uri, "x = 1\nprint(x)\n")
    while not any(m.get("id") == request for m in folder.client.kept) and time.monotonic() - begin < 30:
        at = time.monotonic()
        folder.client.at("hover", uri, {"line": 1, "character": 6})
        slowest = max(slowest, time.monotonic() - at)
        time.sleep(0.03)
    print(f"40 files of 601 lines: {time.monotonic() - begin:.1f} s, the slowest hover meanwhile {slowest * 1000:.0f} ms")
    expect(len(pulled.take(request)), 40)
    expect({name: codes for name, codes in pulled.codes.items() if codes != ["E0201"]}, {})
    folder.end()


def test_symbols_of_closed_files(server):
    folder = Folder(server, {"part.tsr": PART, "inner/shapes.tsr": "class Box:\n    w: f32\n\n    def volume(self) -> f32:\n        return self.w\n",
                             "broken.tsr": "def half(x):\n    return (\n"})
    c = folder.client

    def found(query):
        return sorted((s["name"], s.get("containerName"), os.path.basename(s["location"]["uri"]), s["location"]["range"]["start"]["line"])
                      for s in c.request("workspace/symbol", {"query": query}))
    expect(found("area"), [("area", None, "part.tsr", 0)])
    expect(found("vol"), [("volume", "Box", "shapes.tsr", 3)])
    expect(found("half"), [("half", None, "broken.tsr", 0)])
    c.open(folder.uri("part.tsr"), "\n\ndef area_of(w: i32) -> i32:\n    return w\n")
    expect(found("area"), [("area_of", None, "part.tsr", 2)])
    os.utime(folder.path("inner/shapes.tsr"), (1, 1))
    folder.write("inner/shapes.tsr", "\ndef volume():\n    pass\n")
    expect(found("vol"), [("volume", None, "shapes.tsr", 1)])
    folder.end()


def test_renamed_files(server):
    user = "import part\nimport part as p\nfrom part import area\nprint(part.area(1), p.area(2), area(3), \"part\")\n"
    folder = Folder(server, {"part.tsr": PART, "user.tsr": user, "open.tsr": user, "inner/deep.tsr": PART, "outer.tsr": "import inner.deep\nprint(inner.deep.area(1))\n"})
    c = folder.client
    text = c.open(folder.uri("open.tsr"), "# 🐙\n" + user)

    def renamed(before, after):
        edit = c.request("workspace/willRenameFiles", {"files": [{"oldUri": folder.uri(before), "newUri": folder.uri(after)}]})
        out = {}
        for uri, edits in (edit or {"changes": {}})["changes"].items():
            name = os.path.relpath(uri[len("file://"):], folder.path())
            with open(folder.path(name), encoding="utf-8") as file:
                lines = (text.text if name == "open.tsr" else file.read()).split("\n")
            for one in sorted(edits, key=lambda e: (e["range"]["start"]["line"], e["range"]["start"]["character"]), reverse=True):
                at, to = one["range"]["start"], one["range"]["end"]
                line = lines[at["line"]]
                lines[at["line"]] = line[:at["character"]] + one["newText"] + line[to["character"]:]
            out[name] = "\n".join(lines)
        return out
    wanted = "import shapes\nimport shapes as p\nfrom shapes import area\nprint(shapes.area(1), p.area(2), area(3), \"part\")\n"
    expect(renamed("part.tsr", "shapes.tsr"), {"user.tsr": wanted, "open.tsr": "# 🐙\n" + wanted})
    moved = "import inner.part\nimport inner.part as p\nfrom inner.part import area\nprint(inner.part.area(1), p.area(2), area(3), \"part\")\n"
    expect(renamed("part.tsr", "inner/part.tsr")["user.tsr"], moved)
    expect(renamed("inner", "outside"), {"outer.tsr": "import outside.deep\nprint(outside.deep.area(1))\n"})
    expect(renamed("inner/deep.tsr", "deep.tsr"), {"outer.tsr": "import deep\nprint(deep.area(1))\n"})
    expect(renamed("part.tsr", "no name.tsr"), {}, "no import can say it")
    expect(renamed("part.tsr", "import.tsr"), {}, "a word of the language is no name")
    expect(renamed("user.tsr", "client.tsr"), {}, "nobody imports it")
    folder.end()


def test_questions_to_the_client(server):
    shown = {"refreshSupport": True}
    folder = Folder(server, {}, {"workspace": {"configuration": True, "semanticTokens": shown, "inlayHint": shown, "codeLens": shown},
                                 "textDocument": {"publishDiagnostics": {}}})
    c = folder.client

    def asked(method):
        return c.wait_for(lambda m: m.get("method") == method and "id" in m)
    question = asked("workspace/configuration")
    expect(question["params"], {"items": [{"section": "tessera"}]})
    text = c.open(folder.uri("main.tsr"), "from part import area\nx = area(2)\n")

    def hints():
        return [h["label"] for h in c.of("inlayHint", folder.uri("main.tsr"), range={"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}})]
    c.open(folder.uri("part.tsr"), PART)
    expect(hints(), [": i32"])
    for method in ("semanticTokens", "inlayHint", "codeLens"):
        asked(f"workspace/{method}/refresh")  # of main.tsr: what it imports has come
    for nothing in ([], [None], None, [3]):
        c.send({"id": question["id"], "result": nothing})
    c.send({"id": question["id"], "result": [{"hints": {"types": False}}]})
    asked("workspace/inlayHint/refresh")
    expect(hints(), [])
    c.notify("workspace/didChangeConfiguration", {"settings": None})
    again = asked("workspace/configuration")
    c.send({"id": again["id"], "result": [{"hints": {"types": True}}]})
    asked("workspace/inlayHint/refresh")
    expect(hints(), [": i32"])

    c.notify("$/setTrace", {"value": "messages"})
    c.at("hover", folder.uri("main.tsr"), text.range_of("area")["start"])
    told = c.wait_for(lambda m: m.get("method") == "$/logTrace" and "hover" in m["params"]["message"])
    assert told["params"]["message"].endswith(" ms"), told
    c.notify("$/setTrace", {"value": "off"})

    argument = {"uri": folder.uri("main.tsr"), "level": "tile"}
    shown = c.begin("workspace/executeCommand", {"command": "tessera.show", "arguments": [argument], "workDoneToken": "token"})
    c.answer(shown)
    progress = [m["params"] for m in c.kept if m.get("method") == "$/progress"]
    expect([(p["token"], p["value"]["kind"]) for p in progress], [("token", "begin"), ("token", "end")])
    folder.end()


if __name__ == "__main__":
    run_cases(globals(), sys.argv[1:])
