"""Measures the language server: from a keystroke to its diagnostics, and single requests, in a program of about so many lines.

    language_server.py SERVER… [--lines N]

Two times are given of each: on the clock, and of the processor that the server used, which a busy machine does not change.
"""

import glob
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tests", "lsp"))
from client import Client  # noqa: E402

URI = "file:///tmp/none/bench.tsr"
PART = '''
@kernel
def saxpy_{k}(a: f32, x: f32[n], y: mut f32[n]):
    """One kernel."""
    i = tile.linear_id()
    if i < n:
        t = a * x[i] + y[i]
        u = t * 2.0
        if u > 3.0:
            u = sqrt(u) + exp(t)
        y[i] = u


@jit
def layer_{k}(x: f32[b, k], w: f32[k, m], c: f32[m]) -> f32[b, m]:
    h = x @ w + c
    h = maximum(h, 0.0)
    return softmax(h / (1.0 + exp(-h)))


def host_{k}(n: i32) -> f32:
    x = ones((n,), f32)
    y = zeros((n,), f32)
    for i in range(3):
        saxpy_{k}(2.0, x, y)
    total = 0.0
    for i in range(n):
        total += y[i]
    return total
'''


def processor_ms(client):
    """Of all threads of the server so far."""
    used = 0
    for path in glob.glob(f"/proc/{client.process.pid}/task/*/schedstat"):
        with open(path) as file:
            used += int(file.read().split()[0])
    return used / 1e6


def measure(what, client, times, action):
    taken, used = [], []
    for i in range(times):
        before = processor_ms(client)
        start = time.perf_counter()
        action(i)
        taken.append((time.perf_counter() - start) * 1000)
        used.append(processor_ms(client) - before)
    middle, late = times // 2, times * 99 // 100
    taken.sort()
    used.sort()
    print(f"{what:28} clock: {taken[middle]:6.1f} ms in the middle, {taken[late]:6.1f} ms p99; "
          f"processor: {used[middle]:6.1f} ms in the middle, {used[late]:6.1f} ms p99")


def main():
    arguments = sys.argv[1:]
    lines = 1000
    if "--lines" in arguments:
        at = arguments.index("--lines")
        lines = int(arguments[at + 1])
        del arguments[at:at + 2]
    text = ""
    count = 0
    while text.count("\n") < lines:
        count += 1
        text += PART.replace("{k}", str(count))
    start = time.perf_counter()
    c = Client(arguments)
    started = time.perf_counter()
    c.open(URI, text)
    said = len(c.diagnostics(URI, 1))
    print(f"{text.count(chr(10))} lines, {said} diagnostics; start {(started - start) * 1000:.0f} ms, first diagnostics {(time.perf_counter() - started) * 1000:.0f} ms")
    line = next(i for i, one in enumerate(text.split("\n")) if "total = 0.0" in one)
    place = {"line": line, "character": 15}

    def keystroke(i):
        end = {"line": line, "character": 15 + i % 2}
        c.change(URI, i + 2, {"range": {"start": place, "end": end}, "text": "1" if i % 2 == 0 else ""})
        c.diagnostics(URI, i + 2)

    measure("keystroke to diagnostics", c, 200, keystroke)
    for method in ("hover", "completion", "signatureHelp", "documentHighlight", "references"):
        measure(method, c, 50, lambda i, m=method: c.at(m, URI, {"line": line + 2, "character": 10}, context={"includeDeclaration": True}))
    for method in ("semanticTokens/full", "documentSymbol", "foldingRange"):
        measure(method, c, 50, lambda i, m=method: c.of(m, URI))
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": lines, "character": 0}}
    measure("inlayHint", c, 50, lambda i: c.of("inlayHint", URI, range=whole))
    measure("formatting", c, 20, lambda i: c.of("formatting", URI, options={}))
    with open(f"/proc/{c.process.pid}/status") as file:
        kilobytes = next(int(one.split()[1]) for one in file if one.startswith("VmRSS"))
    print(f"memory: {kilobytes // 1024} MB")
    c.end()


if __name__ == "__main__":
    main()
