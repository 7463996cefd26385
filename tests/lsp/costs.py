"""What the server tells of costs at lines, and of rules that only code has.

    costs.py SERVER…
"""

import os
import re
import sys

from circumstances import MAIN
from client import Client, expect, run_cases

GRAPH = """@jit
def f(x: f32[n, m], w: f32[m, k]) -> f32[n, k]:
    y = exp(x)
    z = y * 2.0 + 1.0
    return relu(z @ w)

def main():
    x = ones((4, 8), f32)
    print(f(x, ones((8, 3), f32))«»)
"""


def test_costs(server):
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 1000, "character": 0}}

    def costs(client):
        return [(h["position"]["line"] + 1, h["label"]) for h in client.of("inlayHint", MAIN, range=whole) if "kind" not in h]

    def types(client):
        return [h["label"] for h in client.of("inlayHint", MAIN, range=whole) if "kind" in h]
    for encoding in ("utf-16", "utf-8"):
        client = Client(server, encoding)
        text = client.open(MAIN, GRAPH)
        found = costs(client)
        expect([line for line, _ in found], [4, 5])
        assert "one kernel with line 3: " in found[0][1] and "8*m*n B" in found[0][1], found
        expect(found[1][1], "one kernel: 2*k*m*n + 2*k*n operations, 4*k*m + 4*k*n + 4*m*n B")
        told = client.at("hover", MAIN, text.range_of("exp")["start"])["contents"]["value"]
        assert "\n\nf: one kernel with line 4: " in told and "% of the arithmetic of sm_90a;" in told, told
        assert "f.0 on sm_90a: 256 threads a block, 0 B of shared memory" in told, told
        product = text.range_of("z", 2)["start"]  # a name's value is its type alone
        expect(client.at("hover", MAIN, product)["contents"]["value"], "```tessera\n(variable) z: f32[n, m]\n```")
        # The emoji counts two units or four bytes; a mistake takes the costs away, and mended they are back.
        end = text.at()
        client.change(MAIN, 2, {"range": {"start": end, "end": end}, "text": ', "🐙", yy'})
        expect(costs(client), [])
        units = 2 if encoding == "utf-16" else 4
        begin = {"line": end["line"], "character": end["character"] + 4 + units}
        client.change(MAIN, 3, {"range": {"start": begin, "end": {**begin, "character": begin["character"] + 4}}, "text": ""})
        expect(costs(client), found)
        client.end()


KINDS = """@kernel
def scale(x: bf16[n], y: mut bf16[n]):
    i = tile.linear_id()
    if i < n:
        y[i] = x[i] * 2.0


@kernel
def blocks(x: f32[m, k], y: f32[k, n], z: mut f32[m, n]):
    z[0:64, 0:64] = tile.mma(tile.load(x[0:64, 0:64]), tile.load(y[0:64, 0:64]))


@jit
def loss(w: f32[n, m], x: f32[k, n]) -> f32:
    h = tanh(x @ w)
    return sum(h * h)


@jit
def mixed(x: bf16[n], w: bf16[n]) -> bf16[n]:
    a = x * w
    return exp(a) + w


def main():
    x = ones((64,), bf16)
    scale(x, x.copy())
    y = ones((64, 64), f32)
    blocks(y, y, y.copy())
    g = grad(loss)(ones((3, 4), f32), ones((2, 3), f32))
    print(mixed(x, x), g, "🐙")
"""


def test_kinds_of_costs(server):
    """Rounding points, what derivatives keep, what limits a kernel, what it takes of a multiprocessor."""
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 1000, "character": 0}}
    client = Client(server)
    text = client.open(MAIN, KINDS)
    expect(client.diagnostics(MAIN, 1), [])

    def hints():
        return [(h["position"]["line"] + 1, h["label"]) for h in client.of("inlayHint", MAIN, range=whole) if "kind" not in h]

    def hover(word, nth=1):
        return client.at("hover", MAIN, text.range_of(word, nth)["start"])["contents"]["value"]

    def set_to(settings):
        client.notify("workspace/didChangeConfiguration", {"settings": {"tessera": settings}})
    rounded = [(line, "rounds f32 to bf16") for line in (5, 21, 22)]
    derived = (30, "grad(loss): 3 kernels, which keep 4*k*m B for each other")
    assert set(rounded) <= set(hints()) and derived in hints(), hints()
    told = hover("scale")
    assert "\n\nscale on sm_75, sm_80: 256 threads a block, 0 B of shared memory" in told and "; sm_90a: 256 threads" in told, told
    told = hover("blocks", 2)
    assert re.search("blocks on sm_75.*: \d+ threads a block, \\d{4,} B of shared memory", told), told
    told = hover("tanh")
    assert "; 4*k*m B of it are kept for later kernels" in told and "arithmetic limits it on sm_90a" in told, told
    assert re.search("loss\\S* on sm_90a: .* of them carried by a loop", told), told
    assert derived[1] in hover("grad") and "rounds f32 to bf16" in hover("exp")
    assert "memory limits it to" in hover("exp"), hover("exp")
    set_to({"target": "sm_80"})
    told = hover("blocks", 2)
    assert "blocks on sm_80: " in told and "sm_75" not in told and "sm_90a" not in told, told
    assert "arithmetic of sm_80" in hover("exp"), hover("exp")
    set_to({"hover": {"resources": False}})
    assert "shared memory" not in hover("blocks", 2) + hover("exp") and "arithmetic of sm_80" in hover("exp")
    set_to({"hints": {"roundings": False}})
    assert derived in hints() and not set(rounded) & set(hints()), hints()
    set_to({"hints": {"roundings": True, "costs": False}})
    expect(hints(), rounded)
    set_to({"hover": {"costs": False}})
    assert "one kernel" not in hover("exp") and "rounds" not in hover("exp"), hover("exp")
    client.end()


def test_rules_of_code_while_typing(server):
    """Diagnostics of what only lowering sees: of kernels' resources, of what a CUDA graph can not hold."""
    client = Client(server)
    program = """@jit(capture_graph=True)
def drawn(x: f32[n]) -> f32[n]:
    return x + rand(4)


def main():
    print(drawn(ones((4,), f32)))
"""
    text = client.open(MAIN, program)
    [found] = client.diagnostics(MAIN, 1)
    expect((found["code"], found["range"]["start"]["line"]), ("E0613", 1))
    client.change(MAIN, 2, {"text": program.replace(" + rand(4)", " * 2.0")})
    expect(client.diagnostics(MAIN, 2), [])
    client.end()


def test_files_of_the_library(server):
    """They are read as any other, and nothing is told of costs where one alone has mistakes that its callers do not have."""
    client = Client(server)
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 1000, "character": 0}}
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "stdlib")
    for name in ("fft_parts", "attention", "losses"):
        path = os.path.realpath(os.path.join(folder, name + ".tsr"))
        with open(path, encoding="utf-8") as file:
            client.open("file://" + path, file.read())
        expect(client.diagnostics("file://" + path, 1), [])
        assert isinstance(client.of("inlayHint", "file://" + path, range=whole), list)
    expect(client.end(), 0)


def test_what_is_told_can_be_switched_off(server):
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 1000, "character": 0}}

    def told(client):
        hints = client.of("inlayHint", MAIN, range=whole)
        hover = client.at("hover", MAIN, text.range_of("exp")["start"])["contents"]["value"]
        return any("kind" in h for h in hints), any("kind" not in h for h in hints), "one kernel" in hover
    client = Client(server, capabilities={"workspace": {"inlayHint": {"refreshSupport": True}}})
    text = client.open(MAIN, GRAPH)
    expect(told(client), (True, True, True))
    for settings, wanted in (({"hints": {"types": False}}, (False, True, True)), ({"hints": {"costs": False, "roundings": False}}, (False, False, True)),
                             ({"hover": {"costs": False}, "hints": {"types": True}}, (True, False, False)),
                             ({"hover": {"costs": 3}, "hints": []}, (True, False, False))):
        client.notify("workspace/didChangeConfiguration", {"settings": {"tessera": settings}})
        client.wait_for(lambda m: m.get("method") == "workspace/inlayHint/refresh")
        expect(told(client), wanted, str(settings))
    client.notify("workspace/didChangeConfiguration", {"settings": None})
    expect(told(client), (True, False, False))
    client.end()
    client = Client(server, initialize=False)
    client.request("initialize", {"processId": None, "rootUri": None, "capabilities": {}, "initializationOptions": {"hints": {"costs": False}}})
    client.notify("initialized", {})
    client.open(MAIN, GRAPH)
    expect(told(client), (True, False, True))
    client.end()


if __name__ == "__main__":
    run_cases(globals(), sys.argv[1:])
