"""The server from its start to its end: order of requests, errors, frames that are none, cancellation, texts.

    lifecycle.py SERVER…
"""

import os
import random
import sys
import tempfile

from client import Client, code_of, expect, position, run_cases

URI = "file:///tmp/none/a.tsr"


def test_order_of_the_first_and_last_requests(server):
    c = Client(server, initialize=False)
    expect(code_of(lambda: c.request("textDocument/diagnostic", {})), -32002)
    c.request("initialize", {"capabilities": {}})
    expect(code_of(lambda: c.request("initialize", {"capabilities": {}})), -32600)
    expect(code_of(lambda: c.request("textDocument/noSuchThing", {})), -32601)
    expect(code_of(lambda: c.of("diagnostic", URI)), -32602, "of a document that is not open")
    expect(code_of(lambda: c.request("textDocument/diagnostic", {"textDocument": 3})), -32602)
    expect(code_of(lambda: c.request("textDocument/diagnostic")), -32602)
    c.notify("noSuchNotification", {"a": 1})
    expect(c.request("shutdown"), None)
    expect(code_of(lambda: c.of("diagnostic", URI)), -32600)
    c.notify("exit")
    expect(c.process.wait(timeout=20), 0)


def test_the_end_without_shutdown(server):
    c = Client(server)
    c.notify("exit")
    expect(c.process.wait(timeout=20), 1)
    c = Client(server)
    c.process.stdin.close()
    expect(c.process.wait(timeout=20), 1)


def test_requests_before_the_end_of_the_input_are_answered(server):
    c = Client(server)
    c.open(URI, "x = 1\n")
    ids = [c.begin("textDocument/diagnostic", {"textDocument": {"uri": URI}}) for _ in range(5)]
    c.process.stdin.close()
    for one in ids:
        expect(c.answer(one)["items"], [])


def test_encodings(server):
    def agreed(offered):
        c = Client(server, initialize=False)
        general = {} if offered is None else {"general": {"positionEncodings": offered}}
        return c.request("initialize", {"capabilities": general})["capabilities"]["positionEncoding"]
    expect(agreed(None), "utf-16")
    expect(agreed(["utf-16"]), "utf-16")
    expect(agreed(["utf-32", "utf-16"]), "utf-16")
    expect(agreed(["utf-16", "utf-8"]), "utf-8")


def test_frames_that_are_none(server):
    c = Client(server)
    c.send_bytes(b"Content-Length: 5\r\n\r\n{oops")
    expect(c.receive()["error"]["code"], -32700)
    c.send_bytes(b"Content-Length: 2\r\n\r\n[]")
    expect(c.receive()["error"]["code"], -32600)
    c.send_bytes(b"Content-Length: 14\r\n\r\n{\"method\": 12}")
    expect(c.receive()["error"]["code"], -32600)
    bad = b'{"jsonrpc":"2.0","id":7,"method":"\xff\xfe"}'
    c.send_bytes(b"Content-Length: %d\r\n\r\n" % len(bad) + bad)
    expect(c.receive()["error"]["code"], -32700, "bytes that are no UTF-8")
    # Lengths that are none are skipped up to the empty line.
    c.send_bytes(b"Content-Length: many\r\n\r\nContent-Length: -3\r\n\r\nContent-Length: 99999999999999999999\r\n\r\n")
    c.send_bytes(b"Nothing\r\n\r\n\r\n\r\n" + b"x" * 200000 + b"\r\n\r\n")
    nested = b"[" * 100000
    c.send_bytes(b"content-length:  %d \r\nContent-Type: text\r\n\r\n" % len(nested) + nested)
    expect(c.receive()["error"]["code"], -32700)
    c.open(URI, "x = 1\n")
    expect(c.of("diagnostic", URI)["items"], [])
    expect(c.end(), 0)
    c = Client(server)
    c.send_bytes(b"Content-Length: 1000\r\n\r\n{\"id\": 1")
    c.process.stdin.close()
    expect(c.process.wait(timeout=20), 1, "a frame that ends too early")


def test_cancelled_requests(server):
    c = Client(server)
    text = "".join(f"def sum_{i}(x: f32[n]) -> f32:\n    return sum(x) + {i}.0\n" for i in range(2000))
    c.open(URI, text)
    first = c.begin("textDocument/diagnostic", {"textDocument": {"uri": URI}})
    second = c.begin("textDocument/diagnostic", {"textDocument": {"uri": URI}})
    for one in (second, first, 12345, "no such"):
        c.notify("$/cancelRequest", {"id": one})
    expect(code_of(lambda: c.answer(second)), -32800)
    expect(code_of(lambda: c.answer(first)), -32800)
    # Nothing of the check that was given up is left.
    expect(c.of("diagnostic", URI)["items"], [])
    expect(c.end(), 0)


def test_diagnostics_while_typing(server):
    for encoding in ("utf-16", "utf-8"):
        c = Client(server, encoding)
        text = c.open(URI, 'def main():\n    print("🐙é", «a»y«b»)\n')
        [found] = c.diagnostics(URI, 1)
        expect(found["range"], {"start": text.at("a"), "end": text.at("b")})
        expect((found["code"], found["severity"], found["source"]), ("E0201", 1, "tesserac"))
        c.change(URI, 2, {"range": {"start": text.at("a"), "end": text.at("b")}, "text": "1"})
        expect(c.diagnostics(URI, 2), [])
        # Several changes count one behind the other.
        c.change(URI, 3, {"text": "x = 1\ny = 2\n"}, {"range": {"start": {"line": 1, "character": 0}, "end": {"line": 9, "character": 0}}, "text": "print(🐙)\n"})
        assert c.diagnostics(URI, 3)[0]["code"].startswith("E01")
        c.change(URI, 4, {"text": "def f(x: f32[n]):\n    pass\ndef f(x: f32[n]):\n    pass\n"})
        [found] = c.diagnostics(URI, 4)
        expect(found["code"], "E0205")
        [related] = found["relatedInformation"]
        expect(related, {"location": {"uri": URI, "range": {"start": {"line": 0, "character": 4}, "end": {"line": 0, "character": 5}}}, "message": "the first definition"})
        c.close(URI)
        expect(c.diagnostics(URI), [])
        expect(c.end(), 0)


def test_rules_that_are_checked_on_kernels(server):
    c = Client(server)
    big = "@kernel tile[(128,)]\ndef k(x: mut f32[n]):\n    s = tile.alloc_shared((1000000,), f32)\n    s[0] = 1.0\n    x[0] = s[0]\n"
    c.open(URI, big)
    assert [d["code"] for d in c.diagnostics(URI, 1)] != []
    expect(c.end(), 0)


def test_unsaved_imports(server):
    with tempfile.TemporaryDirectory() as folder:
        main, part = (f"file://{folder}/{name}.tsr" for name in ("main", "part"))
        with open(os.path.join(folder, "part.tsr"), "w") as file:
            file.write("def area(w: i32) -> i32:\n    return w + nothing\n")
        c = Client(server)
        c.open(main, "from part import area\nprint(area(2))\n")
        c.diagnostics(main, 1)
        [found] = c.diagnostics(part)
        expect(found["code"], "E0201", "of a file that nobody has open")
        c.open(part, "def area(w: i32) -> i32:\n    return w\n", version=5)
        expect(c.diagnostics(part, 5), [])
        expect(c.diagnostics(main), [])
        c.change(part, 6, {"text": "def surface(w: i32) -> i32:\n    return w\n"})
        expect(c.diagnostics(part, 6), [])
        [found] = c.diagnostics(main)
        expect(found["code"], "E0202")
        # Behind the end of the buffer the file counts.
        c.close(part)
        codes = {d["code"] for d in c.diagnostics(main)}
        assert "E0202" not in codes, codes
        with open(os.path.join(folder, "part.tsr"), "w") as file:
            file.write("def surface(w: i32) -> i32:\n    return w\n")
        c.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": part, "type": 2}]})
        expect([d["code"] for d in c.diagnostics(main)], ["E0202"])
        c.open("file:///tmp/none/other.tsr", "import missing\n")
        expect([d["code"] for d in c.diagnostics("file:///tmp/none/other.tsr", 1)], ["E0203"])
        expect(c.end(), 0)


def test_a_file_with_a_mistake_is_opened(server):
    with tempfile.TemporaryDirectory() as folder:
        main, part = f"file://{folder}/main.tsr", f"file://{folder}/part.tsr"
        with open(os.path.join(folder, "part.tsr"), "w") as file:
            file.write("WIDTH = nothing\n")
        c = Client(server)
        c.open(main, "import part\nprint(part.WIDTH)\n")
        expect([d["code"] for d in c.diagnostics(part)], ["E0201"])
        c.open(part, "WIDTH = nothing\n")
        # In whichever order the two are checked, nothing wipes out what the open document says.
        c.of("hover", main, position={"line": 0, "character": 8})
        c.open("file:///tmp/none/last.tsr", "x = 1\n")
        c.change(main, 2, {"text": "import part\n"})
        c.diagnostics(main, 2)
        said = [m["params"] for m in c.kept if m.get("method") == "textDocument/publishDiagnostics" and m["params"]["uri"] == part]
        expect([[d["code"] for d in one["diagnostics"]] for one in said if "version" not in one], [])
        expect([d["code"] for d in said[-1]["diagnostics"]] if said else [d["code"] for d in c.diagnostics(part, 1)], ["E0201"])
        expect(c.end(), 0)


def test_clients_that_ask_for_diagnostics(server):
    with tempfile.TemporaryDirectory() as folder:
        main, part = f"file://{folder}/main.tsr", f"file://{folder}/part.tsr"
        c = Client(server, capabilities={"textDocument": {"diagnostic": {}, "publishDiagnostics": {"relatedInformation": True}},
                                         "workspace": {"diagnostics": {"refreshSupport": True}}})
        c.open(part, "WIDTH = 1\n")
        c.open(main, "import part\nprint(part.WIDTH)\n")
        expect(c.of("diagnostic", main), {"kind": "full", "items": []})
        c.change(part, 2, {"text": "HEIGHT = 1\n"})
        c.wait_for(lambda m: m.get("method") == "workspace/diagnostic/refresh")
        expect([d["code"] for d in c.of("diagnostic", main)["items"]], ["E0202"])
        # What is said of open documents is asked for, what is said of closed ones is not.
        expect([m for m in c.kept if m.get("method") == "textDocument/publishDiagnostics"], [])
        c.close(part)
        with open(os.path.join(folder, "part.tsr"), "w") as file:
            file.write("WIDTH = nothing\n")
        c.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": part, "type": 2}]})
        said = c.diagnostics(part)
        expect([d["code"] for d in said or c.diagnostics(part)], ["E0201"])
        c.open(part, "WIDTH = nothing\n", version=3)
        expect(c.diagnostics(part), [])
        expect([d["code"] for d in c.of("diagnostic", part)["items"]], ["E0201"])
        expect(c.end(), 0)


def test_wishes_to_the_client(server):
    c = Client(server, capabilities={"workspace": {"didChangeWatchedFiles": {"dynamicRegistration": True}}})
    wish = c.wait_for(lambda m: m.get("method") == "client/registerCapability")
    [one] = wish["params"]["registrations"]
    expect((one["method"], one["registerOptions"]["watchers"]), ("workspace/didChangeWatchedFiles", [{"globPattern": "**/*.tsr"}]))
    c.send({"id": wish["id"], "result": None})
    expect(c.end(), 0)
    c = Client(server)
    c.open(URI, "x = 1\n")
    c.diagnostics(URI, 1)
    expect([m["method"] for m in c.kept], [])
    expect(c.end(), 0)


def test_folders_that_come_and_go(server):
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "user.tsr"), "w") as file:
            file.write("from part import area\nprint(area(2))\n")
        c = Client(server)
        part = f"file://{folder}/part.tsr"
        text = c.open(part, "def area(w: i32) -> i32:\n    return w\n")

        def uses():
            found = c.at("references", part, text.range_of("area")["start"], context={"includeDeclaration": False})
            return [os.path.basename(one["uri"]) for one in found]
        one = {"uri": f"file://{folder}", "name": "all"}
        expect(uses(), [])
        c.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": [one], "removed": []}})
        expect(uses(), ["user.tsr", "user.tsr"])
        c.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": [], "removed": [one]}})
        expect(uses(), [])
        expect(c.end(), 0)


def test_random_edits(server):
    """After any edits the server has the client's text: what it says is what a fresh one says."""
    pieces = ["x", "é", "🐙", "\n", "\r\n", "\r", "\ufeff", "(", ")", "    ", "y = 1\n", "def f():\n    pass\n", "\t", '"', "#", "\u2028", "\0"]
    for encoding in ("utf-16", "utf-8"):
        chance = random.Random(encoding)
        c = Client(server, encoding)
        fresh = Client(server, encoding)
        c.open(URI, "")
        text = ""
        for version in range(2, 300):
            changes = []
            for _ in range(chance.randint(1, 3)):
                begin, end = sorted(chance.randint(0, len(text)) for _ in range(2))
                end = min(end, begin + chance.randint(0, 6))
                # A client counts no place between the two characters of one end of line.
                begin, end = (i - 1 if text[i - 1:i + 1] == "\r\n" else i for i in (begin, end))
                new = "".join(chance.choice(pieces) for _ in range(chance.randint(0, 4)))
                changes.append({"range": {"start": position(text, begin, encoding), "end": position(text, end, encoding)}, "text": new})
                text = text[:begin] + new + text[end:]
            c.change(URI, version, *changes)
            if version % 10 == 0:
                fresh.open(URI, text)
                expect(c.of("diagnostic", URI), fresh.of("diagnostic", URI), f"{encoding}, version {version}: {text!r}")
                fresh.close(URI)
        expect((c.end(), fresh.end()), (0, 0))


def test_places_outside_of_the_text(server):
    c = Client(server)
    c.open(URI, "x = 1\ny = 2\n")
    far = {"line": 2000000000, "character": 2000000000}
    c.change(URI, 2, {"range": {"start": far, "end": far}, "text": "z = 3\n"})
    c.change(URI, 3, {"range": {"start": {"line": 0, "character": 500}, "end": {"line": 1, "character": 0}}, "text": "; "})
    c.change(URI, 4, {"range": {"start": {"line": -1, "character": 0}, "end": {"line": 0, "character": 0}}, "text": "a"})
    c.change(URI, 5, {"range": {"start": "?", "end": None}, "text": "a"})
    c.change(URI, 6, {"text": 5})
    c.change(URI, 7)
    assert c.of("diagnostic", URI)["kind"] == "full"
    expect(c.end(), 0)


if __name__ == "__main__":
    run_cases(globals(), sys.argv[1:])
