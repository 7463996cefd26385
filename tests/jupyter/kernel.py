"""The kernel of Jupyter: cells, what they show, mistakes in them, completion, interrupt and restart.

    kernel.py FOLDER TESSERAC
"""

import os
import queue
import subprocess
import sys
import time

from jupyter_client.manager import KernelManager

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lsp"))
from client import expect, run_cases  # noqa: E402


class Notebook:
    def __init__(self, arguments):
        folder, *tesserac = arguments
        os.makedirs(folder, exist_ok=True)
        installed = subprocess.run([*tesserac, "jupyter", "install", "--prefix", folder], check=True, capture_output=True, text=True).stdout.strip()
        expect(installed, os.path.join(os.path.abspath(folder), "share/jupyter/kernels/tessera"))
        os.environ["JUPYTER_PATH"] = os.path.join(folder, "share/jupyter")
        self.manager = KernelManager(kernel_name="tessera")
        self.manager.start_kernel(cwd=folder)
        self.connect()

    def connect(self):
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=60)

    def begin(self, code):
        # The kernel would abort the cells that wait behind a mistake; one that is sent on its answer may come before it has done so.
        self.id = self.client.execute(code, stop_on_error=False)

    def outputs(self):
        """(status, text of standard output, text of standard error, data of displays, lines of the error)."""
        out, err, shown, error = "", "", [], ""
        while True:
            message = self.client.get_iopub_msg(timeout=120)
            if message["parent_header"].get("msg_id") != self.id:
                continue
            kind, content = message["msg_type"], message["content"]
            if kind == "stream" and content["name"] == "stdout":
                out += content["text"]
            elif kind == "stream":
                err += content["text"]
            elif kind == "display_data":
                shown.append(content["data"])
            elif kind == "error":
                error = "\n".join(content["traceback"])
            elif kind == "status" and content["execution_state"] == "idle":
                break
        while True:
            reply = self.client.get_shell_msg(timeout=60)
            if reply["parent_header"]["msg_id"] == self.id:
                return reply["content"]["status"], out, err, shown, error

    def run(self, code):
        self.begin(code)
        return self.outputs()

    def gives(self, code, wanted):
        """A cell that ends well and writes this."""
        status, out, err, _, error = self.run(code)
        expect((status, out), ("ok", wanted), f"{code}\n{err}\n{error}")

    def fails(self, code, *wanted):
        status, _, _, _, error = self.run(code)
        expect(status, "error", code)
        for one in wanted:
            assert one in error, f"{code}\n{error}\nhas not: {one}"

    def ask(self, what, code, cursor):
        id_ = getattr(self.client, what)(code, cursor)
        while True:
            reply = self.client.get_shell_msg(timeout=60)
            if reply["parent_header"]["msg_id"] == id_:
                return reply["content"]

    def end(self):
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=False)


def test_cells_build_on_each_other(arguments):
    notebook = Notebook(arguments)
    notebook.gives("def twice(x: f32) -> f32:\n    return x * FACTOR\nFACTOR = 2.0", "")
    notebook.gives("x = arange(5).astype(f32)\nn = 3\nprint(twice(1.5))", "3.0\n")
    notebook.gives("x", "[0. 1. 2. 3. 4.]\n")
    notebook.gives("@kernel\ndef scale(x: mut f32[k], by: f32):\n    i = tile.linear_id()\n    if i < k:\n        x[i] = x[i] * by\nscale(x, 10.0)", "")
    notebook.gives("x[4] + 1.0", "41.0\n")  # what the kernel wrote is there
    notebook.gives("def twice(x: f32) -> f32:\n    \"\"\"Another one.\"\"\"\n    return x * FACTOR + 0.5", "")
    notebook.gives("n = n + 1\nprint(n, twice(1.0))", "4 2.5\n")
    notebook.gives("for i in range(2):\n    last = x * cast(i, f32)\nlast[2], n", "(20.0, 4)\n")
    notebook.end()


def test_values_of_each_kind_outlive_their_cell(arguments):
    notebook = Notebook(arguments)
    notebook.gives("class Layer:\n    w: f32[n, m]\n    b: f32[m]\n    def rows(self) -> i32:\n        return 2\n"
                   "class Net:\n    first: Layer\n    rate: f64", "")
    notebook.gives("x = ones((2, 3), f32)\nb: bf16[2] = cast(full((2,), 1.5, f32), bf16)\nflag = x[0, 0] > 0.5\ntext = \"a \\\"b\\\"\\n🐙\"\n"
                   "pair = (x, 7)\ntree = {\"w\": x, \"deep\": {\"b\": b}}\nitems = [x[0], x[1]]\nnumbers = [1, 2, 3]\n"
                   "rate: f64 = 0.1\nwhere_ = nonzero(x[0])\nnet = Net(Layer(x, x[0]), rate)\nbig = x[0, 0] / 0.0\nwords = [\"a\", \"b\"]", "")
    notebook.gives("print(b, flag, text, pair[1], tree[\"deep\"][\"b\"], items[1], numbers, rate, where_[0], big, words)",
                   "[1.5 1.5] True a \"b\"\n🐙 7 [1.5 1.5] [1. 1. 1.] [1, 2, 3] 0.1 [0 1 2] inf ['a', 'b']\n")
    notebook.gives("net.first.w[0, 0] = 5.0\nprint(net.first.w[0], net.rate)", "[5. 1. 1.] 0.1\n")
    notebook.gives("net.first.w[0, 0] + net.first.b[1]", "6.0\n")
    notebook.gives("f = lambda v: v + 1.0\nprint(f(2.0))", "3.0\n")
    notebook.fails("f(1.0)", "there is no `f`")
    notebook.end()


def test_what_is_shown(arguments):
    notebook = Notebook(arguments)
    status, out, _, shown, _ = notebook.run("x = arange(6).reshape((2, 3))\nplot(\"one.svg\", {\"x\": x[0].astype(f32)})\nsave(\"two.png\", cast(x * 40, u8))\nx")
    expect((status, out), ("ok", "[[0 1 2]\n [3 4 5]]\n"))
    expect([next(iter(one)) for one in shown], ["image/svg+xml", "image/png", "text/html"])
    assert shown[0]["image/svg+xml"].startswith("<svg")
    assert "<tr><td>3</td><td>4</td><td>5</td></tr>" in shown[2]["text/html"], shown[2]
    # A picture that is made again is shown again, one that stands there is not.
    expect(notebook.run("print(x[0, 1])")[1:4], ("1\n", "", []))
    expect(len(notebook.run("plot(\"one.svg\", {\"x\": x[1].astype(f32)})")[3]), 1)
    notebook.end()


def test_mistakes(arguments):
    notebook = Notebook(arguments)
    notebook.fails("y = 1\nprint(yy)", "line 2: error[E0201]: there is no `yy`", "print(yy)\n", "          ^^")
    notebook.gives("def checked(x: f32) -> f32:\n    assert x > 0.0, \"not above 0\"\n    return x", "")
    notebook.fails("z = 1\nprint(checked(-1.0))", "cell 2, line 2: error: assertion failed: not above 0")
    notebook.fails("print(z)", "there is no `z`")  # what has failed has left nothing
    notebook.fails("a = [1, 2]\nprint(a[5])", "line 2: error")
    notebook.fails("x = (", "line 1")
    notebook.gives("print(\"goes on\")", "goes on\n")
    notebook.gives("", "")
    notebook.end()


def test_completion_and_inspection(arguments):
    notebook = Notebook(arguments)
    notebook.gives("def area(width: f32, height: f32) -> f32:\n    \"\"\"Of a rectangle.\"\"\"\n    return width * height\nlength = ones((3,), f32)", "")
    code = "print('🐙')\nare"
    answer = notebook.ask("complete", code, len(code))
    assert "area" in answer["matches"], answer
    expect((answer["cursor_start"], answer["cursor_end"]), (len(code) - 3, len(code)))
    assert "sqrt" in notebook.ask("complete", "x = math.sq", 11)["matches"]
    assert "length" in notebook.ask("complete", "len", 3)["matches"]
    told = notebook.ask("inspect", "print(area(1.0, 2.0))", 8)
    assert told["found"] and "Of a rectangle." in told["data"]["text/markdown"], told
    told = notebook.ask("inspect", "print(length)", 8)
    assert "f32[3]" in told["data"]["text/plain"], told
    expect(notebook.ask("inspect", "print(1)\n\n", 10)["found"], False)
    notebook.end()


def test_interrupt_and_restart(arguments):
    try:
        interrupt_and_restart(arguments)
    except (AssertionError, queue.Empty, RuntimeError):  # an interrupt before the cell runs, on a busy machine
        interrupt_and_restart(arguments)


def interrupt_and_restart(arguments):
    notebook = Notebook(arguments)
    notebook.gives("kept = 5", "")
    notebook.begin("print(\"begun\")\nx = 0\nwhile x < 10:\n    x = (x * 3 + 1) % 7\nprint(x)")
    time.sleep(5)
    notebook.manager.interrupt_kernel()
    status, _, _, _, error = notebook.outputs()
    expect((status, error), ("error", "interrupted"))
    notebook.gives("print(kept)", "5\n")
    notebook.client.stop_channels()
    notebook.manager.restart_kernel(now=False)
    notebook.connect()
    notebook.fails("print(kept)", "there is no `kept`")
    notebook.gives("print(1)", "1\n")
    notebook.end()


if __name__ == "__main__":
    try:
        run_cases(globals(), sys.argv[1:])
    except queue.Empty:
        sys.exit("the kernel does not answer")
