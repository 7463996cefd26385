"""Code lenses, and the commands that they give.

    commands.py SERVER…
"""

import os
import subprocess
import sys
import tempfile
import time

from circumstances import MAIN, PART, PART_TEXT, circumstances
from client import Client, Failed, expect, run_cases


def test_code_is_made_beside_other_requests(server):
    client = Client(server)
    functions = "".join(f"@jit\ndef g{i}(x: f32[n, m], w: f32[m, m]) -> f32[n, m]:\n    return softmax(x @ w + {i}.0)\n\n\n" for i in range(20))
    text = client.open(MAIN, functions)
    order = {"command": "tessera.show", "arguments": [{"uri": MAIN, "level": "ptx"}]}
    slow, slower = (client.begin("workspace/executeCommand", order) for _ in range(2))
    assert client.at("hover", MAIN, text.range_of("g3")["start"])
    assert not any(m.get("id") == slow and "method" not in m for m in client.kept), "the code was made first"
    for id_ in (slower, slow):
        client.notify("$/cancelRequest", {"id": id_})
    begin = time.monotonic()
    for id_ in (slow, slower):
        try:
            raise AssertionError(client.answer(id_))
        except Failed as error:
            expect(error.code, -32800)
    assert time.monotonic() - begin < 1, "it goes on behind its cancellation"
    assert ".target" in command(client, "show", text.range_of("g3")["start"], level="ptx")["text"]
    expect(client.end(), 0)


LENSES = """import shapes


@jit
def f(x: f32[n, m], w: f32[m]) -> f32[n]:
    \"\"\"🐙\"\"\"
    a = x @ w
    return exp(a) + 1.0


@jit
def pick(x: f64[n], ids: i32[k], scale: f64) -> f64[k]:
    return x[ids] * scale


@jit
def count(x: i32[n]) -> i32[n]:
    return x + 1


@kernel
def saxpy(x: f32[n], y: mut f32[n], alpha: f32):
    i = tile.linear_id()
    if i < n:
        y[i] = alpha * x[i] + y[i]


@jit
def generic(x):
    return x + x


def main():
    y = ones((3,), f32)
    saxpy(y.copy(), y, 2.0)
    print(y, f(ones((2, 3), f32), y), shapes.WIDTH, "«»")
"""


def lenses_of(client, text):
    """Titles by function."""
    found = {}
    for lens in client.of("codeLens", MAIN):
        name = text.cut(lens["range"])
        found.setdefault(name, []).append(lens["command"]["title"])
        argument = lens["command"]["arguments"][0]
        expect((argument["uri"], argument["position"]), (MAIN, lens["range"]["start"]))
    return found


def test_code_lens(server):
    for one in circumstances(server):
        found = lenses_of(one.client, one.text)
        expect(found["fill"], ["Tile IR", "PTX"])
        if not one.broken:
            expect(found, {"fill": ["Tile IR", "PTX"], "main": ["Run", "Interpret with sanitizers"]})
    client = Client(server)
    client.open(PART, PART_TEXT)
    text = client.open(MAIN, LENSES)
    code = ["Graph IR", "Tile IR", "PTX"]
    wanted = {"f": ["Check gradients", *code], "pick": ["Check gradients", *code], "count": code, "saxpy": code[1:], "generic": code,
              "main": ["Run", "Interpret with sanitizers"]}
    expect(lenses_of(client, text), wanted)
    for name, gone in (("run", ["Run"]), ("sanitize", ["Interpret with sanitizers"]), ("gradients", ["Check gradients"]), ("code", code)):
        client.notify("workspace/didChangeConfiguration", {"settings": {"tessera": {"lenses": {name: False}}}})
        left = {function: [t for t in titles if t not in gone] for function, titles in wanted.items()}
        expect(lenses_of(client, text), {function: titles for function, titles in left.items() if titles})
        client.notify("workspace/didChangeConfiguration", {"settings": {"tessera": {"lenses": {name: True}}}})
    client.end()


def command(client, name, place, **more):
    return client.request("workspace/executeCommand", {"command": "tessera." + name, "arguments": [{"uri": MAIN, "position": place, **more}]})


def lines_beside(text, shown):
    """The words of each source line's code, by the line's number from 1."""
    rows = shown["text"].split("\n")
    expect(len(shown["lines"]), shown["text"].count("\n"))
    beside = {}
    for row, line in zip(rows, shown["lines"]):
        if line is not None:
            assert 0 <= line < text.text.count("\n") + 1
            beside.setdefault(line + 1, []).append(row.strip())
    return beside


def test_commands(server):
    for encoding in ("utf-16", "utf-8"):
        client = Client(server, encoding)
        client.open(PART, PART_TEXT)
        text = client.open(MAIN, LENSES)
        f, saxpy = text.range_of("f")["start"], text.range_of("saxpy")["start"]
        shown = command(client, "show", f, level="graph")
        expect((shown["title"], shown["uri"], shown["level"]), ("main.tsr: Graph IR", MAIN, "graph"))
        beside = lines_beside(text, shown)
        assert any("= reduce " in row for row in beside[7]) and any("= exp " in row for row in beside[8]), beside
        assert "saxpy" not in shown["text"] and "main" not in shown["text"], shown["text"]
        beside = lines_beside(text, command(client, "show", saxpy, level="tile"))
        assert any("= fma %alpha" in row for row in beside[25]) and 7 not in beside, beside
        for target in ("sm_80", "sm_90a"):
            shown = command(client, "show", saxpy, level="ptx", target=target)
            assert f".target {target}" in shown["text"] and ".loc" not in shown["text"] and ".section" not in shown["text"], shown["text"]
            beside = lines_beside(text, shown)
            assert any(row.startswith("fma.rn.f32") for row in beside[25]), beside
        plans = command(client, "show", saxpy, level="schedule")["text"]
        assert "sm_90a: threads" in plans, plans
        # All of the program where no place is named; the text that was never saved counts.
        whole = client.request("workspace/executeCommand", {"command": "tessera.show", "arguments": [{"uri": MAIN, "level": "tile"}]})
        assert "@main" in whole["text"] and "@saxpy" in whole["text"]
        end = text.at()
        for change, place, level, message in ((None, text.range_of("generic")["start"], "tile", "nothing calls it"), (None, f, "none", "`none` is no level"),
                                              (None, {"line": 1, "character": 0}, "tile", "no function stands here"), (" + yy", f, "tile", "line 36: E0201")):
            if change:
                client.change(MAIN, 2, {"range": {"start": {**end, "character": end["character"] + 1}, "end": {**end, "character": end["character"] + 1}}, "text": change})
            try:
                raise AssertionError(command(client, "show", place, level=level))
            except Failed as error:
                assert error.code == -32803 and message in str(error), error
        client.end()


def test_commands_that_run(server):
    with tempfile.TemporaryDirectory() as folder:
        uri = f"file://{folder}/prog.tsr"
        client = Client(server)

        def run(name, place):
            answer = client.request("workspace/executeCommand", {"command": "tessera." + name, "arguments": [{"uri": uri, "position": place}]})
            expect(answer["folder"], folder)
            ended = subprocess.run(answer["words"], cwd=answer["folder"], capture_output=True, text=True)
            return answer["title"], ended.returncode, ended.stdout + ended.stderr
        # Its backward pass forgets a factor.
        program = LENSES.replace("import shapes\n", "").replace(", shapes.WIDTH", "") + """

@custom_vjp
@jit
def careless(x: f64[n]) -> f64[n]:
    return x * x


def careless_forward(x):
    return careless(x), x


def careless_backward(x, g):
    return x * g


careless.defvjp(careless_forward, careless_backward)
"""
        text = client.open(uri, program)
        with open(os.path.join(folder, "prog.tsr"), "w", encoding="utf-8") as file:
            file.write(text.text)
        title, code, out = run("run", text.range_of("main")["start"])
        expect((title, code), ("Run prog.tsr", 0), out)
        assert "[3. 3. 3.]" in out, out
        title, code, out = run("sanitize", text.range_of("main")["start"])
        expect((title, code), ("Interpret prog.tsr", 0), out)
        for name in ("f", "pick"):
            title, code, out = run("checkGradients", text.range_of(name)["start"])
            expect((title, code, out), (f"Check gradients of {name}", 0, f"the derivatives of {name} agree with differences\n"))
        title, code, out = run("checkGradients", text.range_of("careless")["start"])
        assert code == 1 and "args[0]" in out, out
        try:
            raise AssertionError(run("checkGradients", text.range_of("count")["start"]))
        except Failed as error:
            expect(error.code, -32803)
        client.end()


if __name__ == "__main__":
    run_cases(globals(), sys.argv[1:])
