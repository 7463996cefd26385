"""What `tesserac play` answers, and what it refuses.

    protocol.py TESSERAC
"""

import json
import os
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lsp"))
from client import expect, run_cases  # noqa: E402
from web import Page, Refused, text_of  # noqa: E402

HELLO = """
def main(n: i32 = 3):
    print("sum", sum(arange(n)))
    plot("line.svg", {"y": arange(n).astype(f32)})
    save("numbers.npy", arange(n))
"""

ENDLESS = """
def main():
    x = 0
    while x < 10:
        x = (x * 3 + 1) % 7
    print(x)
"""


def running(folder):
    """Processes that work in this folder."""
    found = []
    for name in os.listdir("/proc"):
        try:
            if name.isdigit() and os.path.samefile(f"/proc/{name}/cwd", folder):
                found.append(int(name))
        except OSError:
            pass
    return found


def refusal(page, **more):
    """The status that a WebSocket is refused with."""
    try:
        page.socket(more.pop("name", "jobs"), **more)
    except Refused as error:
        return error.args[0]
    return 101


def test_the_page_is_served_to_who_knows_the_address(tesserac):
    page = Page([*tesserac, "play"])
    status, headers, body = page.get(page.below(""))
    expect((status, headers["Content-Type"]), (200, "text/html; charset=utf-8"))
    assert b"<title>Tessera</title>" in body
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    for name in ("page.js", "page.css", "editor.js", "language.js", "highlight.js", "results.js"):
        expect(page.get(page.below(name))[0], 200, name)
    status, headers, body = page.get(page.below("start.json"))
    start = json.loads(body)
    assert "samples/saxpy.tsr" in start["samples"], start
    assert b"def saxpy" in page.get(page.below("samples/saxpy.tsr"))[2]
    for wrong in ("/", "/page.js", "/" + "0" * 32 + "/", page.below("")[:-1], "/" + page.token[:-1] + "/",
                  page.below("../etc/passwd"), page.below("samples/../page.js"), page.below("samples/data/digits.npz"),
                  page.below("results/0"), page.below("results/-1"), page.below("results/x")):
        expect(page.get(wrong)[0], 404, wrong)
    # Nothing of another place is named.
    for name in ("", "page.js", "page.css", "editor.js", "language.js", "highlight.js", "results.js"):
        assert b"http:" not in page.get(page.below(name))[2], name
    expect(page.end(), 0)


def test_other_pages_and_names_are_refused(tesserac):
    page = Page([*tesserac, "play"])
    expect(page.get(page.below(""), host=f"localhost:{page.port}")[0], 200)
    for host in ("evil.example", f"evil.example:{page.port}", "127.0.0.1", "127.0.0.1:1", f"127.0.0.1:{page.port}.evil"):
        expect(page.get(page.below(""), host=host)[0], 403, host)
    expect(page.get(page.below(""), more=["Origin: http://evil.example"])[0], 403)
    expect(page.get(page.below(""), more=["Origin: null"])[0], 403)
    expect(page.get(page.below(""), more=[f"Origin: http://127.0.0.1:{page.port}"])[0], 200)
    expect(refusal(page), 101)
    expect(refusal(page, origin=None), 403)
    expect(refusal(page, origin="http://evil.example"), 403)
    expect(refusal(page, origin=f"https://127.0.0.1:{page.port}"), 403)
    expect(refusal(page, origin=f"http://127.0.0.1:{page.port}.evil.example"), 403)
    expect(refusal(page, version="8"), 400)
    expect(refusal(page, key="short"), 400)
    expect(refusal(page, name="other"), 404)
    page.token = "0" * 32
    expect(refusal(page), 404)
    page.end()


def test_other_pages_that_are_named_get_the_language_server_alone(tesserac):
    page = Page([*tesserac, "play", "--origin=https://editor.example", "--origin=http://editor.example:8080"])
    for origin in ("https://editor.example", "http://editor.example:8080", True):
        expect(refusal(page, name="language", origin=origin), 101, origin)
    for origin in ("http://editor.example", "https://editor.example:8080", "https://editor.example.evil", "https://evil.editor.example", None):
        expect(refusal(page, name="language", origin=origin), 403, origin)
    expect(refusal(page, origin="https://editor.example"), 403)
    expect(page.get(page.below("start.json"), more=["Origin: https://editor.example"])[0], 403)
    language = page.socket("language", origin="https://editor.example")
    language.send({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}})
    assert "hoverProvider" in language.receive()["result"]["capabilities"]
    page.token = "0" * 32
    expect(refusal(page, name="language", origin="https://editor.example"), 403)
    page.end()


def test_broken_requests(tesserac):
    page = Page([*tesserac, "play"])
    host = f"Host: 127.0.0.1:{page.port}\r\n"
    path = page.below("")
    for request, wanted in ((f"GET {path} HTTP/1.1\r\n{host}{'X' * 20000}: y\r\n\r\n", 431),
                            (f"GET /{'a' * 40000} HTTP/1.1\r\n\r\n", 431),
                            (f"GET {path} HTTP/2\r\n{host}\r\n", 400), (f"GET {path}\r\n{host}\r\n", 400),
                            ("\r\n\r\n", 400), (f"GET {path} HTTP/1.1\r\nno colon\r\n\r\n", 400),
                            (f"GET {path} HTTP/1.1\r\n{host}{host}\r\n", 400), (f"GET {path} HTTP/1.1\r\n{host}A: \0\r\n\r\n", 400),
                            (f"GET {path} HTTP/1.1\r\n{host} folded\r\n\r\n", 400), (f"GET http://x/ HTTP/1.1\r\n{host}\r\n", 400),
                            (f"GET {path} HTTP/1.1\r\n{host}Content-Length: 3\r\n\r\nabc", 400),
                            (f"GET {path} HTTP/1.1\r\n{host}Transfer-Encoding: chunked\r\n\r\n", 400),
                            (f"GET {path} HTTP/1.1\r\n\r\n", 403),
                            (f"POST {path} HTTP/1.1\r\n{host}\r\n", 405), (f"HEAD {path} HTTP/1.1\r\n{host}\r\n", 405)):
        expect(page.send(request.encode())[0], wanted, request[:60])
    with page.connect() as connection:  # one that says nothing and goes
        connection.sendall(b"GET /")
    waiting = [page.connect() for _ in range(70)]  # more than are served at once
    time.sleep(0.3)
    for connection in waiting:
        connection.close()
    time.sleep(0.3)
    expect(page.get(path)[0], 200)
    page.end()


def test_broken_frames(tesserac):
    page = Page([*tesserac, "play"])

    def ends_with(code, *frames):
        connection = page.socket("jobs")
        for opcode, content, more in frames:
            connection.send_frame(opcode, content, **more)
        expect(connection.close_code(), code, str(frames)[:100])
    ends_with(1002, (1, b"{}", {"mask": None}))
    ends_with(1002, (1, b"{}", {"first": 0xC1}))  # a bit of an extension
    ends_with(1002, (3, b"", {}))
    ends_with(1002, (2, b"bytes", {}))
    ends_with(1002, (9, b"", {"first": 0x09}))  # a ping in parts
    ends_with(1002, (9, b"x" * 126, {}))
    ends_with(1002, (0, b"continues nothing", {}))
    ends_with(1002, (1, b"{", {"first": 0x01}), (1, b"}", {}))  # another one begins before the end
    ends_with(1007, (1, b"\xff", {}))
    ends_with(1007, (1, b"\xed\xa0\x80", {}))
    ends_with(1009, (1, b"", {"length": 1 << 40}))
    ends_with(1009, (1, b"x" * (5 << 20), {"first": 0x01}), (0, b"x" * (5 << 20), {}))
    ends_with(1000, (8, b"\x03\xe8", {}))

    connection = page.socket("jobs")
    connection.send_frame(9, b"are you there")
    expect(connection.frame(), (10, b"are you there"))
    order = json.dumps({"do": "run", "text": "def main():\n    print('🐙')\n", "arguments": []}, ensure_ascii=False).encode()
    cut = order.index("🐙".encode()) + 2  # within a character
    connection.send_frame(1, order[:cut], first=0x01)
    connection.send_frame(9, b"")  # may come between
    connection.send_frame(0, order[cut:])
    expect(text_of(connection.until_end(), "out"), "🐙\n")
    for byte in b"\x89\x83\x00\x00\x00\x00abc":  # a ping that comes in pieces
        connection.connection.sendall(bytes([byte]))
        time.sleep(0.005)
    expect(connection.frame(), (10, b"abc"))
    for wrong in ([], 1, {}, {"do": "run"}, {"do": "fly", "text": ""}, {"do": "run", "text": "", "arguments": "x"},
                  {"do": "run", "text": "", "arguments": [1]}, {"do": "show", "text": "", "level": "exe"},
                  {"do": "show", "text": "", "level": "-o/tmp/x"}, {"do": "save", "text": ""}, {"do": "run", "text": 3}):
        expect(connection.order(**wrong)[-1]["is"] if isinstance(wrong, dict) else (connection.send(wrong), connection.until_end()[-1]["is"])[1],
               "refused", str(wrong))
    page.end()


def test_a_run(tesserac):
    page = Page([*tesserac, "play"])
    jobs = page.socket("jobs")
    for engine in ("run", "interpret", "sanitize"):
        got = jobs.order(do=engine, text=HELLO, arguments=["--n", "4"])
        expect(text_of(got, "out"), "sum 6\n", text_of(got, "err"))
        results = {one["name"]: one for one in got if one["is"] == "result"}
        expect(sorted(results), ["line.svg", "numbers.npy"])
        status, headers, body = page.get(page.below(f"results/{results['line.svg']['id']}"))
        expect((status, headers["Content-Type"], body[:4]), (200, "image/svg+xml", b"<svg"))
        expect((got[-1]["code"], got[-1]["why"]), (0, ""))
    got = jobs.order(do="run", text="def main():\n    print(x)\n", arguments=[])
    assert "error[E0201]" in text_of(got, "err"), got
    expect(got[-1]["code"], 1)
    got = jobs.order(do="run", text="def main():\n    assert 1 > 2, \"no\"\n", arguments=[])
    expect(got[-1]["code"], 1)
    page.end()


def test_levels(tesserac):
    page = Page([*tesserac, "play"])
    jobs = page.socket("jobs")
    saxpy = page.get(page.below("samples/saxpy.tsr"))[2].decode()
    graph = "@jit\ndef f(x: f32[n]) -> f32[n]:\n    return exp(x) + 1.0\n\ndef main(x: f32[n]) -> f32[n]:\n    return f(x)\n"
    for level, text, wanted in (("graph", graph, "exp"), ("tile", saxpy, "lanes"), ("ptx", saxpy, ".visible .entry"),
                                ("llvm", saxpy, "define"), ("schedule", saxpy, "saxpy"), ("target", saxpy, "pointer_add"),
                                ("explain", graph, "operations")):
        got = jobs.order(do="show", level=level, text=text)
        assert wanted in text_of(got, "out"), (level, text_of(got, "out")[:300], text_of(got, "err")[:300])
        expect([one for one in got if one["is"] == "result"], [], level)
    page.end()


def test_what_does_not_end_is_ended(tesserac):
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "endless.tsr")
        with open(program, "w", encoding="utf-8") as file:
            file.write(ENDLESS)
        page = Page([*tesserac, "play", program, "--time-limit=3"])
        jobs = page.socket("jobs")
        before = time.monotonic()
        got = jobs.order(do="interpret", text=ENDLESS, arguments=[])
        expect(got[-1]["why"], "time")
        assert time.monotonic() - before < 20
        expect(running(folder), [])
        # Stopped, and replaced by another order.
        for stop in ({"do": "stop"}, {"do": "save", "text": ENDLESS}):
            jobs.send({"do": "run", "text": ENDLESS, "arguments": []})
            expect(jobs.receive()["is"], "begun")
            jobs.send(stop)
            expect(jobs.until_end()[-1]["why"], "stopped")
            if stop["do"] == "save":
                expect(jobs.until_end()[-1]["is"], "saved")
            expect(running(folder), [])
        # It ends with its connection, and with the server.
        jobs.send({"do": "run", "text": ENDLESS, "arguments": []})
        expect(jobs.receive()["is"], "begun")
        jobs.connection.close()
        for _ in range(100):
            if not running(folder):
                break
            time.sleep(0.1)
        expect(running(folder), [])
        jobs = page.socket("jobs")
        jobs.send({"do": "run", "text": ENDLESS, "arguments": []})
        expect(jobs.receive()["is"], "begun")
        expect(page.end(2), 0)
        expect(running(folder), [])


def test_a_file(tesserac):
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "one.tsr")
        with open(program, "w", encoding="utf-8") as file:
            file.write("def main():\n    print(1)\n")
        with open(os.path.join(folder, "part.tsr"), "w", encoding="utf-8") as file:
            file.write("def two() -> i32:\n    return 2\n")
        page = Page([*tesserac, "play", program])
        start = json.loads(page.get(page.below("start.json"))[2])
        expect((start["text"], start["path"], start["saves"]), ("def main():\n    print(1)\n", program, True))
        jobs = page.socket("jobs")
        text = "import part\ndef main():\n    print(part.two())\n"
        expect(text_of(jobs.order(do="run", text=text, arguments=[]), "out"), "2\n")
        with open(program, encoding="utf-8") as file:
            expect(file.read(), start["text"])  # running does not save
        expect(jobs.order(do="save", text=text)[-1], {"is": "saved"})
        with open(program, encoding="utf-8") as file:
            expect(file.read(), text)
        expect(sorted(os.listdir(folder)), ["one.tsr", "part.tsr"])
        page.end()


def test_the_language_server(tesserac):
    page = Page([*tesserac, "play"])
    connection = page.socket("language")
    connection.send({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"processId": None, "rootUri": None, "capabilities": {}}})
    expect(connection.receive()["result"]["serverInfo"]["name"], "tesserac")
    connection.send({"jsonrpc": "2.0", "method": "initialized", "params": {}})
    uri = "file:///tmp/of-the-page.tsr"
    for version, text in ((1, "def main():\n    print(y)\n"), (2, "def main():\n    print('🐙', 1)\n")):
        if version == 1:
            connection.send({"jsonrpc": "2.0", "method": "textDocument/didOpen",
                             "params": {"textDocument": {"uri": uri, "languageId": "tessera", "version": version, "text": text}}})
        else:
            connection.send({"jsonrpc": "2.0", "method": "textDocument/didChange",
                             "params": {"textDocument": {"uri": uri, "version": version}, "contentChanges": [{"text": text}]}})
        message = connection.receive()
        expect((message["params"]["version"], [one["code"] for one in message["params"]["diagnostics"]]), (version, ["E0201"] if version == 1 else []))
    connection.send({"jsonrpc": "2.0", "method": "exit"})
    expect(connection.close_code(), 1011)
    page.end()


if __name__ == "__main__":
    run_cases(globals(), sys.argv[1:])
