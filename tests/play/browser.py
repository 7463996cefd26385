"""Chromium, driven over its protocol for tools: pages are looked at, clicked and typed into as by a person."""

import atexit
import base64
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time

from web import WebSocket


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
        place = {".": "Period", " ": "Space"}.get(name) or (f"Key{name.upper()}" if len(name) == 1 else name)  # on the keyboard
        for kind in ("keyDown", "keyUp"):
            self.do("Input.dispatchKeyEvent", type=kind, key=name, code=place, windowsVirtualKeyCode=code, modifiers=modifiers,
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
                if not re.match(r"http://(127\.0\.0\.1|([\w-]+\.)?localhost):|data:|blob:|about:", url):
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
