"""The page of `tesserac play` in a browser: a mistake gets its squiggle, is mended, the program runs and its plot is seen.

    page.py CHROMIUM FOLDER TESSERAC

FOLDER gets pictures of the page.
"""

import atexit
import base64
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lsp"))
from client import expect, run_cases  # noqa: E402
from web import Page, WebSocket  # noqa: E402


class Browser:
    """Chromium, driven over its protocol for tools."""

    def __init__(self, program):
        self.folder = tempfile.mkdtemp()
        self.process = subprocess.Popen([program, "--no-sandbox", "--remote-debugging-port=0", "--window-size=1280,800",
                                         f"--user-data-dir={self.folder}", "--disable-gpu", "about:blank"],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        atexit.register(self.kill)  # where a test fails
        # Where it listens it writes into a file.
        said = os.path.join(self.folder, "DevToolsActivePort")
        end = time.monotonic() + 60
        lines = []
        while len(lines) < 2:
            assert time.monotonic() < end, "the browser does not start"
            time.sleep(0.05)
            if os.path.exists(said):
                with open(said, encoding="ascii") as file:
                    lines = file.read().split("\n")
        port, path = lines[:2]
        self.socket = WebSocket(socket.create_connection(("127.0.0.1", int(port)), timeout=60), f"127.0.0.1:{port}", path, origin=None)
        self.ids = 0
        self.session = None
        self.said = []
        target = self.do("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.do("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.do(domain + ".enable")

    def do(self, method, **params):
        self.ids += 1
        message = {"id": self.ids, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        self.socket.send(message)
        while True:
            got = self.socket.receive()
            if got.get("id") == self.ids:
                assert "error" not in got, (method, got)
                return got["result"]
            self.said.append(got)

    def value(self, expression):
        got = self.do("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in got, got
        return got["result"].get("value")

    def wait(self, expression, what, seconds=60):
        """Until the page says that it is so. Gives what it says."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            value = self.value(expression)
            if value:
                return value
            time.sleep(0.05)
        raise AssertionError(f"{what}: {expression}; the page: {self.value('document.body.innerText')[:2000]}")

    def type(self, text):
        for part in re.split("(\n)", text):
            if part == "\n":
                self.key("Enter", 13)
            elif part:
                for letter in part:
                    self.do("Input.insertText", text=letter)

    def key(self, name, code, modifiers=0):
        for kind in ("keyDown", "keyUp"):
            self.do("Input.dispatchKeyEvent", type=kind, key=name, code=name, windowsVirtualKeyCode=code, modifiers=modifiers,
                    **({"text": "\r"} if name == "Enter" and kind == "keyDown" and not modifiers else {}))

    def click(self, selector):
        x, y = self.value(f"(() => {{ const box = document.querySelector({json.dumps(selector)}).getBoundingClientRect(); "
                          "return [box.left + box.width / 2, box.top + box.height / 2]; })()")
        for kind in ("mousePressed", "mouseReleased"):
            self.do("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def picture(self, path):
        content = base64.b64decode(self.do("Page.captureScreenshot", format="png")["data"])
        with open(path, "wb") as file:
            file.write(content)

    def complaints(self):
        """Errors of the page, and requests that went anywhere but to the server."""
        found = []
        for one in self.said:
            if one.get("method") == "Runtime.exceptionThrown":
                found.append(one["params"]["exceptionDetails"])
            if one.get("method") == "Log.entryAdded" and one["params"]["entry"]["level"] == "error":
                found.append(one["params"]["entry"])
            if one.get("method") == "Network.requestWillBeSent":
                url = one["params"]["request"]["url"]
                if not url.startswith(("http://127.0.0.1:", "data:", "blob:", "about:")):
                    found.append(url)
        return found

    def kill(self):
        """Ends it with all its processes."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait(timeout=20)

    def end(self):
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)


def open_page(arguments):
    program, folder, *tesserac = arguments
    os.makedirs(folder, exist_ok=True)
    page = Page([*tesserac, "play"])
    browser = Browser(program)
    browser.do("Page.navigate", url=page.url)
    browser.wait("document.body?.dataset.ready", "the page is ready")
    return page, browser, folder


def empty(browser):
    browser.click("textarea")
    browser.key("a", 65, modifiers=2)
    browser.key("Delete", 46)


OUTPUT = "document.getElementById('output').innerText"
MARKED = "[...document.querySelectorAll('.squiggle')].map(one => one.textContent).join('')"


def test_a_program_from_its_mistake_to_its_plot(arguments):
    page, browser, folder = open_page(arguments)
    empty(browser)
    browser.type("def main():\nx = arange(5).astype(f32)\nprint(\"sum\", sum(xs))\nplot(\"line.svg\", {\"x\": x}, title=\"a line\")")
    browser.key("Escape", 27)
    expect(browser.value("document.querySelector('textarea').value.split('\\n')[2]"), "    print(\"sum\", sum(xs))")
    expect(browser.wait(MARKED, "the mistake is marked"), "xs")
    expect(browser.wait("document.querySelector('#problems li')?.innerText", "it is listed")[:6], "line 3")
    # Its message, at the place.
    x, y = browser.value("(() => { const box = document.querySelector('.squiggle').getBoundingClientRect(); return [box.left + 5, box.top + 8]; })()")
    browser.do("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
    browser.wait("!document.querySelector('.hover').hidden && document.querySelector('.hover').innerText.includes('xs')", "the message is shown")
    browser.picture(os.path.join(folder, "mistake.png"))
    # Mended by hand: behind `xs`.
    browser.value("(() => { const area = document.querySelector('textarea'); const at = area.value.indexOf('xs') + 2; area.focus(); area.setSelectionRange(at, at); })()")
    browser.key("Backspace", 8)
    browser.key("Escape", 27)
    browser.wait("document.querySelectorAll('.squiggle').length === 0 && document.querySelectorAll('#problems li').length === 0", "it is mended")
    browser.key("Enter", 13, modifiers=2)
    browser.wait(f"document.getElementById('state').dataset.code === '0' && {OUTPUT}.includes('sum 10')", "the program runs")
    browser.wait("document.querySelector('#output img')?.naturalWidth > 100", "the plot is seen")
    browser.picture(os.path.join(folder, "plot.png"))
    expect(browser.complaints(), [])
    browser.end()
    page.end()


def test_completion_and_documentation(arguments):
    page, browser, folder = open_page(arguments)
    empty(browser)
    browser.type("def main():\nprint(math.sq")
    browser.wait("!document.querySelector('.completion').hidden", "names are offered")
    browser.wait("document.querySelector('.completion [aria-selected=true]').innerText.startsWith('sqrt')", "sqrt is the first")
    browser.picture(os.path.join(folder, "completion.png"))
    browser.key("Enter", 13)
    browser.type("(2.0))")
    browser.key("Escape", 27)
    expect(browser.value("document.querySelector('textarea').value"), "def main():\n    print(math.sqrt(2.0))")
    x, y = browser.value("(() => { const text = document.querySelector('.layers pre'); const range = document.createRange(); "
                         "const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT); let node; "
                         "while ((node = walker.nextNode()) && !node.data.includes('sqrt')); range.setStart(node, node.data.indexOf('sqrt') + 1); "
                         "range.setEnd(node, node.data.indexOf('sqrt') + 3); const box = range.getBoundingClientRect(); return [box.left, box.top + 8]; })()")
    browser.do("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
    browser.wait("!document.querySelector('.hover').hidden && document.querySelector('.hover').innerText.includes('Square root')", "the page of sqrt is shown")
    browser.picture(os.path.join(folder, "hover.png"))
    browser.key("Enter", 13, modifiers=2)
    browser.wait(f"{OUTPUT}.includes('1.41421')", "it runs")
    expect(browser.complaints(), [])
    browser.end()
    page.end()


def test_samples_levels_tables_and_errors(arguments):
    page, browser, folder = open_page(arguments)
    assert browser.value("document.querySelectorAll('#samples option').length") > 30
    browser.value("(() => { const list = document.getElementById('samples'); list.value = 'samples/saxpy.tsr'; list.dispatchEvent(new Event('change')); })()")
    browser.wait("document.querySelector('textarea').value.includes('def saxpy')", "the sample is open")
    for tab, wanted in (("ptx", ".visible .entry"), ("tile", "lanes")):
        browser.click(f"#tab-{tab}")
        browser.wait(f"document.getElementById('level').innerText.includes({json.dumps(wanted)})", tab)
    browser.picture(os.path.join(folder, "level.png"))
    empty(browser)
    browser.type("def main(n: i32 = 2):\ny = arange(n * 3).reshape((n, 3))\nsave(\"y.npz\", {\"y\": y})\nsave(\"picture.png\", cast(y * 20, u8))\nassert n > 5, \"too few\"")
    browser.key("Escape", 27)
    browser.value("document.getElementById('arguments').value = '--n 4'")
    browser.click("#run")
    browser.wait(f"{OUTPUT}.includes('too few') && document.querySelectorAll('#output figure').length === 2", "the error and the results are shown")
    browser.wait("document.querySelector('#output img')?.naturalWidth === 3", "the picture is shown")
    browser.picture(os.path.join(folder, "results.png"))
    expect(browser.value("[...document.querySelectorAll('#output table tr')].map(row => row.innerText.trim().split(/\\s+/).join(' ')).join(';')"),
           "0 1 2;3 4 5;6 7 8;9 10 11")
    expect(browser.complaints(), [])
    browser.end()
    page.end()


if __name__ == "__main__":
    run_cases(globals(), sys.argv[1:])
