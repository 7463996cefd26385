"""A client of the language server, for tests: speaks the protocol over pipes and keeps what the server sends.

A text may hold marks: `«name»` is taken out of it, and its place is then `text.at("name")` in the encoding that was agreed on.
"""

import json
import os
import queue
import re
import subprocess
import sys
import threading
import traceback

MARK = re.compile("«(\\w*)»")


def units(text, encoding):
    return len(text.encode("utf-8")) if encoding == "utf-8" else len(text.encode("utf-16-le")) // 2


def position(text, index, encoding):
    """Where the character with this index stands."""
    lines = re.split("\r\n|\r|\n", text[:index])
    return {"line": len(lines) - 1, "character": units(lines[-1], encoding)}


class Marked:
    """A text whose marks were taken out."""

    def __init__(self, marked, encoding):
        self.encoding = encoding
        self.marks = {}
        self.text = ""
        end = 0
        for mark in MARK.finditer(marked):
            self.text += marked[end:mark.start()]
            self.marks[mark[1]] = len(self.text)
            end = mark.end()
        self.text += marked[end:]

    def at(self, name=""):
        return position(self.text, self.marks[name], self.encoding)

    def range_of(self, word, nth=1):
        """Of the nth occurrence of a word that is no part of a longer one."""
        found = [m for m in re.finditer(rf"(?<!\w){re.escape(word)}(?!\w)", self.text)][nth - 1]
        return {"start": position(self.text, found.start(), self.encoding), "end": position(self.text, found.end(), self.encoding)}

    def cut(self, range_):
        """The text in a range of the protocol."""
        return self.text[self.index(range_["start"]):self.index(range_["end"])]

    def index(self, at):
        lines = re.split("(\r\n|\r|\n)", self.text)
        if at["line"] * 2 >= len(lines):
            return len(self.text)
        start = sum(len(piece) for piece in lines[: at["line"] * 2])
        line = lines[at["line"] * 2]
        for i in range(len(line) + 1):
            if units(line[:i], self.encoding) >= at["character"]:
                return start + i
        return start + len(line)


class Failed(Exception):
    """The server answered a request with an error."""

    def __init__(self, error):
        super().__init__(f"{error['code']} {error['message']}")
        self.code = error["code"]


def code_of(action):
    """The code of the error that a request gets; None where it is answered."""
    try:
        action()
    except Failed as error:
        return error.code
    return None


class Client:
    def __init__(self, command, encoding="utf-16", capabilities=None, initialize=True, folder=None):
        self.encoding = encoding
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder)
        self.incoming = queue.Queue()
        self.kept = []
        self.ids = 0
        threading.Thread(target=self._read, daemon=True).start()
        if initialize:
            all_capabilities = {
                "general": {"positionEncodings": ["utf-16"] if encoding == "utf-16" else ["utf-8", "utf-16"]},
                "textDocument": {"publishDiagnostics": {"relatedInformation": True}},
            }
            for name, value in (capabilities or {}).items():
                all_capabilities.setdefault(name, {}).update(value)
            self.server = self.request("initialize", {"processId": os.getpid(), "rootUri": None, "capabilities": all_capabilities})
            assert self.server["capabilities"]["positionEncoding"] == encoding, self.server
            self.notify("initialized", {})

    def _read(self):
        out = self.process.stdout
        while True:
            length = None
            while True:
                line = out.readline()
                if not line:
                    self.incoming.put(None)
                    return
                if line == b"\r\n":
                    break
                name, value = line.decode("ascii").split(":")
                if name == "Content-Length":
                    length = int(value)
            self.incoming.put(json.loads(out.read(length).decode("utf-8")))

    def send_bytes(self, content):
        self.process.stdin.write(content)
        self.process.stdin.flush()

    def send(self, message):
        content = json.dumps({"jsonrpc": "2.0", **message}).encode("utf-8")
        self.send_bytes(b"Content-Length: %d\r\n\r\n" % len(content) + content)

    def receive(self, timeout=60):
        message = self.incoming.get(timeout=timeout)
        if message is None:
            raise EOFError(f"the server ended with {self.process.wait()}")
        return message

    def wait_for(self, wanted, timeout=60):
        """The first message for which `wanted` is true; others are kept for later."""
        for i, message in enumerate(self.kept):
            if wanted(message):
                return self.kept.pop(i)
        while True:
            message = self.receive(timeout)
            if wanted(message):
                return message
            self.kept.append(message)

    def begin(self, method, params=None):
        self.ids += 1
        self.send({"id": self.ids, "method": method, "params": params})
        return self.ids

    def answer(self, id_):
        message = self.wait_for(lambda m: m.get("id") == id_ and "method" not in m)
        if "error" in message:
            raise Failed(message["error"])
        return message["result"]

    def request(self, method, params=None):
        return self.answer(self.begin(method, params))

    def notify(self, method, params=None):
        self.send({"method": method, "params": params})

    # ---- documents ----

    def open(self, uri, marked, version=1):
        text = Marked(marked, self.encoding)
        self.notify("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "tessera", "version": version, "text": text.text}})
        return text

    def change(self, uri, version, *changes):
        self.notify("textDocument/didChange", {"textDocument": {"uri": uri, "version": version}, "contentChanges": list(changes)})

    def close(self, uri):
        self.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    def diagnostics(self, uri, version=None):
        """What the server says of a document, of this version if one is given."""
        def wanted(message):
            params = message.get("params") or {}
            return message.get("method") == "textDocument/publishDiagnostics" and params["uri"] == uri and version in (None, params.get("version"))
        return self.wait_for(wanted)["params"]["diagnostics"]

    def at(self, method, uri, place, **more):
        """The answer to a request about a place of a document."""
        return self.request("textDocument/" + method, {"textDocument": {"uri": uri}, "position": place, **more})

    def of(self, method, uri, **more):
        return self.request("textDocument/" + method, {"textDocument": {"uri": uri}, **more})

    def end(self):
        """Ends the server in order. Gives its exit code."""
        self.request("shutdown")
        self.notify("exit")
        self.process.stdin.close()
        return self.process.wait(timeout=60)


def expect(got, wanted, what=""):
    if got != wanted:
        got, wanted = (json.dumps(one, ensure_ascii=False, sort_keys=True) for one in (got, wanted))
        same = len(os.path.commonprefix([got, wanted]))
        start = max(0, same - 200)
        raise AssertionError(f"{what[:2000]}\n  got:    {got[start:start + 600]}\n  wanted: {wanted[start:start + 600]}")


def run_cases(names, server):
    """Runs the functions whose names begin with `test_`; each gets the server's command."""
    failed = 0
    for name, case in list(names.items()):
        if not name.startswith("test_"):
            continue
        try:
            case(server)
            print(f"passed {name}")
        except Exception as error:  # of each case one line, and its place
            failed += 1
            traceback.print_exc()
            print(f"failed {name}: {type(error).__name__} {error}")
    sys.exit(1 if failed else 0)
