"""A client of HTTP and WebSockets, of sockets alone: it also sends what no browser would."""

import atexit
import base64
import hashlib
import json
import os
import re
import select
import socket
import struct
import subprocess


class Page:
    """`tesserac play`, running."""

    def __init__(self, command, **more):
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, **more)
        atexit.register(self.process.kill)  # where a test fails
        self.url = self.process.stdout.readline().strip()
        self.port, self.token = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/([0-9a-f]{32})/", self.url).groups()
        self.port = int(self.port)

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=30)

    def end(self, signal=15):
        self.process.send_signal(signal)
        return self.process.wait(timeout=20)

    # ---- HTTP ----

    def send(self, request):
        """Sends bytes. Gives (status, headers, body) of what comes back; status 0: nothing did."""
        with self.connect() as connection:
            try:
                connection.sendall(request)
            except OSError:
                pass  # the server need not read all of it
            got = b""
            while True:
                try:
                    chunk = connection.recv(1 << 16)
                except ConnectionResetError:
                    break
                if not chunk:
                    break
                got += chunk
        if not got:
            return 0, {}, b""
        head, body = got.split(b"\r\n\r\n", 1)
        lines = head.decode("ascii").split("\r\n")
        headers = dict(line.split(": ", 1) for line in lines[1:])
        assert "Content-Length" not in headers or int(headers["Content-Length"]) == len(body)
        return int(lines[0].split(" ")[1]), headers, body

    def get(self, path, method="GET", host=None, more=()):
        lines = [f"{method} {path} HTTP/1.1", f"Host: {host or f'127.0.0.1:{self.port}'}", *more]
        return self.send(("\r\n".join(lines) + "\r\n\r\n").encode())

    def below(self, name):
        return f"/{self.token}/{name}"

    def socket(self, name, **more):
        return WebSocket(self.connect(), f"127.0.0.1:{self.port}", self.below(name), **more)


class Refused(Exception):
    pass


class WebSocket:
    def __init__(self, connection, host, path, origin=True, version="13", key=None):
        self.connection = connection
        self.buffer = b""
        key = key or base64.b64encode(os.urandom(16)).decode()
        lines = [f"GET {path} HTTP/1.1", f"Host: {host}", "Upgrade: websocket", "Connection: keep-alive, Upgrade",
                 f"Sec-WebSocket-Key: {key}", f"Sec-WebSocket-Version: {version}"]
        if origin:
            lines.append(f"Origin: {f'http://{host}' if origin is True else origin}")
        connection.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        while b"\r\n\r\n" not in self.buffer:
            chunk = connection.recv(1 << 16)
            if not chunk:
                raise Refused("nothing came back")
            self.buffer += chunk
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        status = int(head.split(b" ")[1])
        if status != 101:
            raise Refused(status)
        wanted = base64.b64encode(hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest())
        assert b"Sec-WebSocket-Accept: " + wanted in head, head

    def send_frame(self, opcode, content, first=None, mask=b"\x12\x34\x56\x78", length=None):
        """`first`: the first byte; `mask` None: none, which clients may not do; `length`: what is said of the content."""
        size = len(content) if length is None else length
        head = bytes([0x80 | opcode if first is None else first])
        bit = 0x80 if mask else 0
        head += (bytes([bit | size]) if size < 126 else bytes([bit | 126]) + struct.pack(">H", size) if size < 65536
                 else bytes([bit | 127]) + struct.pack(">Q", size))
        masked = bytes(byte ^ mask[i % 4] for i, byte in enumerate(content)) if mask else content
        try:
            self.connection.sendall(head + (mask or b"") + masked)
        except OSError:
            pass  # the server may have ended it

    def send(self, message):
        self.send_frame(1, json.dumps(message).encode())

    def frame(self, timeout=60):
        """(opcode, content); None at the end of the connection."""
        def need(count):
            while len(self.buffer) < count:
                if not select.select([self.connection], [], [], timeout)[0]:
                    raise TimeoutError("no frame comes")
                try:
                    chunk = self.connection.recv(1 << 16)
                except ConnectionResetError:
                    chunk = b""
                if not chunk:
                    return False
                self.buffer += chunk
            return True
        if not need(2):
            return None
        first, size = self.buffer[0], self.buffer[1]
        assert size < 128, "a server's frame has no mask"
        at = 2
        if size >= 126:
            more = 2 if size == 126 else 8
            if not need(2 + more):
                return None
            size = int.from_bytes(self.buffer[2:2 + more], "big")
            at += more
        if not need(at + size):
            return None
        content = self.buffer[at:at + size]
        self.buffer = self.buffer[at + size:]
        return first & 15, content

    def receive(self, timeout=60):
        """The next message as JSON; None at the end."""
        while True:
            one = self.frame(timeout)
            if one is None or one[0] == 8:
                return None
            if one[0] == 1:
                return json.loads(one[1])

    def close_code(self, timeout=60):
        """Why the server ends the connection; what comes before is skipped."""
        while True:
            one = self.frame(timeout)
            if one is None:
                return None
            if one[0] == 8:
                return int.from_bytes(one[1][:2], "big")

    def order(self, **order):
        """Sends an order. Gives its messages up to the one that ends it."""
        self.send(order)
        return self.until_end()

    def until_end(self):
        got = []
        while not got or got[-1]["is"] not in ("ended", "refused", "saved"):
            message = self.receive()
            assert message is not None, got
            got.append(message)
        return got


def text_of(messages, stream):
    return "".join(one["text"] for one in messages if one["is"] == stream)
