"""Jupyter's kernel for Tessera: `tesserac jupyter install` writes it.

A cell is compiled to a program: the definitions of the cells before, the values that their variables have, the text of
the cell, and what keeps the values of its variables. So a cell runs as fast as any program, and a definition that is
written again replaces the one before.

What kinds of values outlive their cell: tensors, scalars, strings, and tuples, lists, dicts and records of them.
"""

import atexit
import base64
import json
import os
import queue
import re
import selectors
import shutil
import signal
import subprocess
import tempfile
import threading

from ipykernel.kernelbase import Kernel

from tessera_cells import assigned_names, defined_names, is_expression, statements
from tessera_values import NotKept, Value, html_table, tensor_rows, value_of

TESSERAC = os.environ.get("TESSERAC", "tesserac")
SHOWN = "_shown"  # names the value of a cell's last expression


# ---- the language server ----

class Language:
    """A program at a time, as the language server sees it."""

    def __init__(self, folder):
        self.uri = f"file://{folder}/cell.tsr"
        self.version = self.ids = 0
        self.incoming = queue.Queue()
        self.process = subprocess.Popen([TESSERAC, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
        threading.Thread(target=self._read, daemon=True).start()
        self.request("initialize", {"processId": None, "rootUri": None, "capabilities": {"general": {"positionEncodings": ["utf-16"]}}})
        self.send({"method": "initialized", "params": {}})
        self.send({"method": "textDocument/didOpen", "params": {"textDocument": {"uri": self.uri, "languageId": "tessera", "version": 0, "text": ""}}})

    def _read(self):
        while True:
            length = None
            for line in iter(self.process.stdout.readline, b"\r\n"):
                if not line:
                    self.incoming.put(None)
                    return
                if line.startswith(b"Content-Length: "):
                    length = int(line[16:])
            self.incoming.put(json.loads(self.process.stdout.read(length)))

    def send(self, message):
        content = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(content) + content)
        self.process.stdin.flush()

    def wait(self, wanted):
        while True:
            message = self.incoming.get(timeout=120)
            if message is None:
                raise EOFError("the language server has ended")
            if wanted(message):
                return message

    def request(self, method, params):
        self.ids += 1
        self.send({"id": self.ids, "method": method, "params": params})
        return self.wait(lambda m: m.get("id") == self.ids and "method" not in m).get("result")

    def check(self, text):
        """What is wrong with a program."""
        self.version += 1
        self.send({"method": "textDocument/didChange",
                   "params": {"textDocument": {"uri": self.uri, "version": self.version}, "contentChanges": [{"text": text}]}})
        said = self.wait(lambda m: m.get("method") == "textDocument/publishDiagnostics" and m["params"]["uri"] == self.uri
                         and m["params"].get("version") == self.version)
        return said["params"]["diagnostics"]

    def at(self, method, line, column):
        """Of the program that was checked last."""
        return self.request("textDocument/" + method, {"textDocument": {"uri": self.uri}, "position": {"line": line, "character": column}})

    def type_of(self, line, column):
        """The type of the variable that stands there, as text; empty where there is none."""
        told = self.at("hover", line, column)
        found = re.search(r"\(variable\) \w+(?:: (.*?))?(?: = [^\n]*)?\n```", told["contents"]["value"], re.DOTALL) if told else None
        if not found:
            return ""
        return found[1] or "an integer literal"

    def end(self):
        self.process.kill()
        self.process.wait()


# ---- the kernel ----

class TesseraKernel(Kernel):
    implementation = "tesserac"
    implementation_version = "1"
    language = "tessera"
    language_info = {"name": "tessera", "mimetype": "text/x-tessera", "file_extension": ".tsr", "pygments_lexer": "python", "codemirror_mode": "python"}
    banner = "Tessera: tile kernels and operator graphs, compiled"

    def __init__(self, **more):
        super().__init__(**more)
        self.folder = tempfile.mkdtemp(prefix="tessera-kernel-")
        atexit.register(shutil.rmtree, self.folder, ignore_errors=True)
        self.definitions = {}  # name: (text, cell, line)
        self.values = {}  # name: Value, or the text of a literal
        self.lost = {}  # name: type, of what does not outlive its cell
        self.server = None

    @property
    def language_server(self):
        if self.server is None or self.server.process.poll() is not None:
            self.server = Language(self.folder)
        return self.server

    # ---- programs ----

    def before(self, code, all_values=False):
        """What stands before a cell: lines, and the place (cell, line) of each. Values that no text names are left out."""
        own = {name for _, statement in statements(code) for name in defined_names(statement)}
        lines, places, written = [], [], set()

        def add(text, cell=None, line=0):
            for number, one in enumerate(text.split("\n")):
                lines.append(one)
                places.append((cell, line + number))
        for name, (text, cell, line) in self.definitions.items():
            if name not in own and (text, cell, line) not in written:
                written.add((text, cell, line))
                add(text, cell, line)
        words = set(re.findall(r"\w+", code + "\n" + "\n".join(lines)))
        for name, value in self.values.items():
            if (all_values or name in words) and name not in own:
                add(f"{name} = {value if isinstance(value, str) else value.load()}")
        return lines, places

    def program(self, code, shown=None, saves=(), all_values=False):
        """The program of a cell: (text, number of lines before the cell, places of these)."""
        lines, places = self.before(code, all_values)
        begin = len(lines)
        own = code.split("\n")
        if shown is not None:
            own[shown] = f"{SHOWN} = {own[shown]}"
        lines += own + list(saves)
        if not any("main" in defined_names(statement) for _, statement in statements(code)):
            lines += ["def main():", "    pass"]
        return "\n".join(lines) + "\n", begin, places

    def place_text(self, line, begin, places, length):
        """Where a line of a program, counted from 0, stands for its writer."""
        if begin <= line < begin + length:
            return f"line {line - begin + 1}"
        if line < begin and places[line][0] is not None:
            return f"cell {places[line][0]}, line {places[line][1] + 1}"
        return None

    def told(self, text, diagnostic, begin, places, length):
        """A diagnostic as the compiler writes it, with the cell's line."""
        start, end = diagnostic["range"]["start"], diagnostic["range"]["end"]
        source = text.split("\n")[start["line"]]
        place = self.place_text(start["line"], begin, places, length) or "the kernel's own line"
        width = max(1, (end["character"] if end["line"] == start["line"] else len(source)) - start["character"])
        kind = {1: "error", 2: "warning"}.get(diagnostic.get("severity"), "note")
        return (f"{place}: {kind}[{diagnostic.get('code', '')}]: {diagnostic['message']}\n"
                f"    {source}\n    {' ' * start['character']}{'^' * width}")

    # ---- running ----

    def stream(self, name, text):
        self.send_response(self.iopub_socket, "stream", {"name": name, "text": text})

    def display(self, data):
        self.send_response(self.iopub_socket, "display_data", {"data": data, "metadata": {}})

    def failed(self, name, text):
        lines = text.split("\n")
        self.send_response(self.iopub_socket, "error", {"ename": name, "evalue": lines[0], "traceback": lines})
        return {"status": "error", "execution_count": self.execution_count, "ename": name, "evalue": lines[0], "traceback": lines}

    def do_execute(self, code, silent, store_history=True, user_expressions=None, allow_stdin=False):
        code = code.rstrip()
        if not code.strip():
            return {"status": "ok", "execution_count": self.execution_count, "payload": [], "user_expressions": {}}
        try:
            return self.execute(code, silent)
        except KeyboardInterrupt:
            return self.failed("KeyboardInterrupt", "interrupted")
        except (OSError, EOFError, queue.Empty) as error:
            return self.failed("KernelError", f"{type(error).__name__}: {error}")

    def execute(self, code, silent):
        length = len(code.split("\n"))
        server = self.language_server
        parts = statements(code)
        shown = parts[-1][0] if parts and is_expression(parts[-1][1]) and not silent else None
        text, begin, places = self.program(code, shown)
        said = server.check(text)
        if shown is not None and (any(one["severity"] == 1 for one in said)
                                  or server.type_of(begin + shown, 1) in ("", "None")):
            shown = None  # what it does has no value, or it is wrong as it stands
            text, begin, places = self.program(code)
            said = server.check(text)
        errors = [one for one in said if one["severity"] == 1]
        if errors:
            message = "\n".join(self.told(text, one, begin, places, length) for one in errors)
            for name in {name for one in errors for name in re.findall(r"there is no `(\w+)`", one["message"])}:
                if name in self.lost:
                    message += f"\n`{name}` had a type whose values do not outlive their cell: {self.lost[name]}"
            return self.failed("CompileError", message)
        for one in said:
            if one["severity"] == 2 and begin <= one["range"]["start"]["line"] < begin + length:
                self.stream("stderr", self.told(text, one, begin, places, length) + "\n")
        kept, lost = self.kept_values(code, begin)
        types = {SHOWN: server.type_of(begin + shown, 1)} if shown is not None else {}
        text, begin, places, kept = self.with_saves(code, shown, types, kept, lost)
        before = self.results()
        ended = self.compile_and_run(text, begin, places, length)
        self.show_results(before)
        if ended is not None:
            return ended
        for statement_line, statement in parts:
            for name in defined_names(statement):
                if name != "main":
                    self.definitions.pop(name, None)
                    self.definitions[name] = (statement, self.execution_count, statement_line)
                self.values.pop(name, None)
        for name, value in kept.items():
            self.values.pop(name, None)
            self.values[name] = value
            self.lost.pop(name, None)
        for name in lost:
            self.values.pop(name, None)
        self.lost.update(lost)
        if shown is not None:
            self.show_value(types[SHOWN])
        return {"status": "ok", "execution_count": self.execution_count, "payload": [], "user_expressions": {}}

    def records(self, code):
        """The fields of each class without methods: {name: [(field, type)]}."""
        found = {}
        texts = [text for text, _, _ in self.definitions.values()] + [statement for _, statement in statements(code)]
        for text in texts:
            head = re.search(r"^class\s+(\w+).*:", text, re.MULTILINE)
            if head:
                fields = re.findall(r"^    (\w+): *(?:mut |param )?([^=#\n]+?)\s*(?:#.*)?$", text, re.MULTILINE)
                found[head[1]] = fields
        return found

    def kept_values(self, code, begin):
        """Of the cell's variables: ({name: Value or text}, {name: type} of those that can not be kept)."""
        records, kept, lost = self.records(code), {}, {}
        lines = code.split("\n")
        assigned = assigned_names(code)
        for name, line, column in assigned:
            type_ = self.language_server.type_of(begin + line, column)
            literal = re.fullmatch(rf"\s*{name}\s*=\s*(-?[\d_]+(?:\.\d*)?(?:e[+-]?\d+)?)\s*(?:#.*)?", lines[line])
            if literal and sum(one == name for one in re.findall(r"\w+(?=\s*[-+*/]?=[^=])", code)) == 1:
                kept[name] = literal[1]
            elif type_:
                kept[name] = value_of(type_, os.path.join(self.folder, name), records)
        words = set(re.findall(r"\w+", code))
        for name, value in self.values.items():  # a kernel may have written it
            if name in words and name not in kept and not isinstance(value, str):
                kept[name] = value
        for name, value in list(kept.items()):
            try:
                if not isinstance(value, str):
                    value.save(name)
            except NotKept:
                lost[name] = kept.pop(name).type
        return kept, lost

    def with_saves(self, code, shown, types, kept, lost):
        """The program with what keeps its values: those whose types no file takes are left out."""
        while True:
            lines, owners = [], []
            if shown is not None:
                lines.append(f"print({SHOWN})")
                owners.append(None)
                if Value(types[SHOWN], "", {}).is_tensor():
                    lines += Value(types[SHOWN], os.path.join(self.folder, SHOWN), {}).save(SHOWN)
                    owners.append(SHOWN)
            for name, value in kept.items():
                saves = [] if isinstance(value, str) else value.save(name)
                lines += saves
                owners += [name] * len(saves)
            text, begin, places = self.program(code, shown, lines)
            first = begin + len(code.split("\n"))
            wrong = {owners[one["range"]["start"]["line"] - first] for one in self.language_server.check(text)
                     if one["severity"] == 1 and 0 <= one["range"]["start"]["line"] - first < len(owners)}
            if not wrong:
                return text, begin, places, kept
            for name in wrong:
                if name in kept:
                    lost[name] = kept.pop(name).type
                else:
                    types[SHOWN] = ""

    def compile_and_run(self, text, begin, places, length):
        """None where all went well; else the reply."""
        source, program = os.path.join(self.folder, "cell.tsr"), os.path.join(self.folder, "cell")
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)

        def mapped(said):
            def place(match):
                found = self.place_text(int(match[1]) - 1, begin, places, length)
                return f"{found}: " if found else match[0]
            return re.sub(r"(?:\S*/)?cell\.tsr:(\d+):(?:\d+:)? ", place, said)
        code, _, err = self.run_program([TESSERAC, source, "-o", program], lambda name, said: None)
        if code != 0:
            return self.failed("CompileError", mapped(err).rstrip())
        code, _, err = self.run_program([program], lambda name, said: self.stream(name, mapped(said) if name == "stderr" else said))
        if code != 0:
            last = mapped(err).strip().split("\n")[-1]
            return self.failed("RuntimeError", last or (f"ended by signal {-code}" if code < 0 else f"exit code {code}"))
        return None

    def run_program(self, words, take):
        """(exit code, output, errors); interrupted, the program and all that it started are ended."""
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        texts = {"stdout": "", "stderr": ""}
        try:
            with selectors.DefaultSelector() as selector:
                pending = {"stdout": b"", "stderr": b""}
                for name in texts:
                    selector.register(getattr(process, name), selectors.EVENT_READ, name)
                while selector.get_map():
                    for key, _ in selector.select():
                        got = os.read(key.fd, 1 << 16)
                        whole = pending[key.data] + got
                        cut = len(whole) if not got else whole.rfind(b"\n") + 1
                        pending[key.data] = whole[cut:]
                        said = whole[:cut].decode("utf-8", "replace")
                        if said:
                            texts[key.data] += said
                            take(key.data, said)
                        if not got:
                            selector.unregister(key.fileobj)
            process.wait()
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            raise
        finally:
            process.stdout.close()
            process.stderr.close()
        return process.returncode, texts["stdout"], texts["stderr"]

    # ---- what is shown ----

    def results(self):
        found = {}
        for entry in os.scandir("."):
            if entry.name.endswith((".svg", ".png", ".csv")) and entry.is_file(follow_symlinks=False):
                about = entry.stat()
                found[entry.name] = (about.st_mtime_ns, about.st_size)
        return found

    def show_results(self, before):
        for name, state in sorted(self.results().items()):
            if before.get(name) == state:
                continue
            with open(name, "rb") as file:
                content = file.read()
            if name.endswith(".svg"):
                self.display({"image/svg+xml": content.decode("utf-8", "replace"), "text/plain": name})
            elif name.endswith(".png"):
                self.display({"image/png": base64.b64encode(content).decode(), "text/plain": name})
            else:
                rows = [line.split(",") for line in content.decode("utf-8", "replace").splitlines()]
                self.display({"text/html": html_table(rows, True), "text/plain": name})

    def show_value(self, type_):
        """A tensor of rank 1 or 2 also as a table."""
        path = os.path.join(self.folder, SHOWN + ".safetensors")
        if not Value(type_, "", {}).is_tensor() or not os.path.exists(path):
            return
        rows = tensor_rows(path)
        if rows:
            self.display({"text/html": html_table(rows, False), "text/plain": type_})

    # ---- help ----

    def place_in_program(self, code, cursor):
        """The program of a cell that is being written, checked, and the place of the cursor in it."""
        text, begin, _ = self.program(code, all_values=True)
        self.language_server.check(text)
        before = code[:cursor].split("\n")
        return begin + len(before) - 1, len(before[-1].encode("utf-16-le")) // 2

    def do_complete(self, code, cursor_pos):
        line, column = self.place_in_program(code, cursor_pos)
        answer = self.language_server.at("completion", line, column) or []
        items = answer if isinstance(answer, list) else answer["items"]
        word = re.search(r"\w*$", code[:cursor_pos])[0]
        labels = [one["label"] for one in sorted(items, key=lambda one: one.get("sortText", one["label"]))]
        return {"status": "ok", "matches": [one for one in labels if one.startswith(word) and not one.startswith("_")],
                "cursor_start": cursor_pos - len(word), "cursor_end": cursor_pos, "metadata": {}}

    def do_inspect(self, code, cursor_pos, detail_level=0, omit_sections=()):
        line, column = self.place_in_program(code, cursor_pos)
        told = self.language_server.at("hover", line, column)
        text = told["contents"]["value"] if told else ""
        plain = re.sub(r"^```.*\n?", "", text, flags=re.MULTILINE)
        return {"status": "ok", "found": bool(text), "data": {"text/markdown": text, "text/plain": plain} if text else {}, "metadata": {}}

    def do_is_complete(self, code):
        lines = code.rstrip("\n").split("\n")
        opens = sum(code.count(one) for one in "([{") > sum(code.count(one) for one in ")]}")
        if opens or re.search(r":\s*(#.*)?$", lines[-1]):
            return {"status": "incomplete", "indent": re.match(r"\s*", lines[-1])[0] + "    "}
        inside = lines[-1][:1].isspace() and not code.endswith("\n")
        return {"status": "incomplete", "indent": re.match(r"\s*", lines[-1])[0]} if inside else {"status": "complete"}

    def do_shutdown(self, restart):
        if self.server is not None:
            self.server.end()
            self.server = None
        shutil.rmtree(self.folder, ignore_errors=True)
        return {"status": "ok", "restart": restart}


if __name__ == "__main__":
    from ipykernel.kernelapp import IPKernelApp
    IPKernelApp.launch_instance(kernel_class=TesseraKernel)
