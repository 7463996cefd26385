"""Jupyter's kernel for Tessera: `tesserac jupyter install` writes it.

A cell is compiled to a program: the definitions of the cells before, the values that their variables have, the text of
the cell, and what keeps the values of its variables. So a cell runs as fast as any program, and a definition that is
written again replaces the one before.

What kinds of values outlive their cell: tensors, scalars, strings, and tuples, lists, dicts and records of them.
"""

import atexit
import base64
import html
import json
import math
import os
import queue
import re
import selectors
import shutil
import signal
import struct
import subprocess
import tempfile
import threading

from ipykernel.kernelbase import Kernel

TESSERAC = os.environ.get("TESSERAC", "tesserac")
SHOWN = "_shown"  # names the value of a cell's last expression
MOST_ROWS, MOST_COLUMNS = 50, 30


# ---- texts of cells ----

def masked(text):
    """The text with `s` for each character of a string, and blanks for comments: as long as the text."""
    pieces = r"""#[^\n]*|(\"{3}|'{3})(?:\\.|.)*?(?:\1|\Z)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?"""
    return re.sub(pieces, lambda one: (" " if one[0][0] == "#" else "s") * len(one[0]), text, flags=re.DOTALL)


def outermost(text):
    """The masked text without what stands in brackets."""
    depth, kept = 0, []
    for here in masked(text):
        depth = max(0, depth - (here in ")]}"))
        kept.append("b" if depth > 0 else here)
        depth += here in "([{"
    return "".join(kept)


def statements(text):
    """The statements of the outermost level, each with all its lines: [(first line, text)]."""
    bare = outermost(text)
    starts, decorated = [], False
    for one in re.finditer(r"^\S[^\n]*", bare, re.MULTILINE):
        # Decorators stand before what they decorate.
        if not decorated and not re.match(r"(else|elif)\b", one[0]):
            starts.append(one.start())
        decorated = one[0].startswith("@") and not re.search(r"\b(def|class)\b", one[0])
    ends = [*starts[1:], len(text)]
    return [(text.count("\n", 0, begin), text[begin:end].rstrip()) for begin, end in zip(starts, ends)]


def defined_names(statement):
    """What a definition or an import names; nothing of another statement."""
    head = re.sub(r"^(?:@[^\n]*?(?=\bdef\b|\bclass\b|\n)\n?)+", "", statement)
    named = re.match(r"(?:def|class)\s+(\w+)", head)
    if named:
        return [named[1]]
    if re.match(r"(import|from)\b", statement):
        behind = re.sub(r"^from\s+\S+\s+import|^import", "", statement).strip("() \n")
        return [re.split(r"\s+as\s+", one.strip())[-1].split(".")[0] for one in behind.split(",") if one.strip()]
    return []


def is_expression(statement):
    bare = outermost(statement).strip()
    word = re.match(r"@|(def|class|if|for|while|return|pass|break|continue|assert|import|from)\b", bare)
    return not word and "\n" not in bare and not re.search(r"(?<![=!<>])=(?!=)|<<=|>>=", bare)


def assigned_names(text):
    """Names that a cell assigns, outside its definitions: [(name, line, column)], the last place of each."""
    found = {}
    for first, statement in statements(text):
        if defined_names(statement):
            continue
        for number, line in enumerate(statement.split("\n")):
            target = re.match(r"(\s*)((?:for\s+)?)([A-Za-z_]\w*(?:\s*,\s*[A-Za-z_]\w*)*)\s*(?::[^=\n]*)?(=(?!=)|in\b)", line)
            if not target or (target[4] == "in") != bool(target[2].strip()):
                continue
            for name in re.finditer(r"\w+", target[3]):
                found[name[0]] = (first + number, target.start(3) + name.start())
    return [(name, *place) for name, place in found.items()]


# ---- values ----

class NotKept(Exception):
    """A type whose values do not outlive their cell."""


def split_top(text):
    """The parts between commas that stand outside brackets and quotes."""
    parts, depth, begin, quoted = [], 0, 0, False
    for at, here in enumerate(text):
        quoted ^= here == '"'
        depth += 0 if quoted else (here in "([{") - (here in ")]}")
        if here == "," and depth == 0 and not quoted:
            parts.append(text[begin:at].strip())
            begin = at + 1
    return [*parts, text[begin:].strip()] if text[begin:].strip() else parts


def read_scalar(path):
    """The value in a .npy file of rank 0, as text of Tessera."""
    with open(path, "rb") as file:
        content = file.read()
    size = struct.unpack_from("<H", content, 8)[0]
    kind = re.search(rb"'descr': *'[<>|]?(\w+)'", content[10:10 + size])[1].decode()
    code = {"f8": "d", "f4": "f", "f2": "e", "i8": "q", "i4": "i", "i2": "h", "i1": "b", "u8": "Q", "u4": "I", "u2": "H", "u1": "B", "b1": "?"}[kind]
    value = struct.unpack_from("<" + code, content, 10 + size)[0]
    if code in "def":
        if not math.isfinite(value):
            return f"float('{value}')"
        for digits in range(1, 18):  # the shortest that is this number again
            text = f"{value:.{digits}g}"
            if struct.unpack("<" + code, struct.pack("<" + code, float(text)))[0] == value:
                break
        return text if re.search(r"[.e]", text) else text + ".0"
    return str(value)


def tensor_shape(path):
    with open(path, "rb") as file:
        size = struct.unpack("<Q", file.read(8))[0]
        return json.loads(file.read(size))["v"]["shape"]


class Value:
    """How the value of an expression of a type is written to files, and read from them."""

    def __init__(self, type_, path, records):
        self.type, self.path, self.records = type_.strip(), path, records

    def part(self, type_, name):
        return Value(type_, f"{self.path}.{name}", self.records)

    def parts(self, expression):
        """(expression, value) of each part of a tuple, dict or record; None of what has none."""
        if self.type.startswith("(") and self.type.endswith(")"):
            return [(f"{expression}[{i}]", self.part(one, str(i))) for i, one in enumerate(split_top(self.type[1:-1]))]
        if self.type.startswith("{") and self.type.endswith("}"):
            entries = [re.fullmatch(r'"((?:[^"\\]|\\.)*)": *(.*)', one, re.DOTALL) for one in split_top(self.type[1:-1])]
            if any(entry is None for entry in entries):
                raise NotKept
            return [(f'{expression}["{key}"]', self.part(one, str(i))) for i, (key, one) in enumerate(entry.groups() for entry in entries)]
        if self.type in self.records:
            return [(f"{expression}.{field}", self.part(one, field)) for field, one in self.records[self.type]]
        return None

    def is_tensor(self):
        return re.match(r"[a-z]\w*\[.*\]", self.type) is not None

    def file(self, ending):
        """The name of its file as a text of Tessera; `{_i}` in it stands for the number of an item."""
        return ("f" if "{_i}" in self.path else "") + json.dumps(f"{self.path}.{ending}")

    def save(self, expression, indent=""):
        parts = self.parts(expression)
        if parts is not None:
            return [line for one, value in parts for line in value.save(one, indent)]
        if self.is_tensor():
            return [f'{indent}save({self.file("safetensors")}, {{"v": {expression}}})']
        if self.type == "a string":
            return [f"{indent}write_text({self.file('txt')}, {expression})"]
        if re.fullmatch(r"bool|index|[fiu]\d+|bf16|an integer literal|a float literal", self.type):
            if self.type == "bf16":
                raise NotKept
            return [f"{indent}save({self.file('npy')}, {expression})"]
        raise NotKept

    def load(self):
        parts = self.parts("")
        if parts is not None:
            texts = [value.load() for _, value in parts]
            if self.type.startswith("("):
                return f"({', '.join(texts)}{',' if len(texts) == 1 else ''})"
            if self.type.startswith("{"):
                return "{" + ", ".join(f"{key[1:-1]}: {text}" for (key, _), text in zip(parts, texts)) + "}"
            return f"{self.type}({', '.join(texts)})"
        if self.is_tensor():
            path = self.path + ".safetensors"
            dtype, policy = re.fullmatch(r"(\w+)\[[^\]]*\](.*)", self.type, re.DOTALL).groups()
            return f"load({json.dumps(path + ':v')}, {dtype}{tensor_shape(path)}{policy})"
        if self.type == "a string":
            with open(self.path + ".txt", encoding="utf-8") as file:
                return json.dumps(file.read(), ensure_ascii=False)
        text = read_scalar(self.path + ".npy")
        return text if "literal" in self.type or self.type == "bool" else f"cast({text}, {self.type})"


class ListValue(Value):
    """A list: its length is known when it has run."""

    def __init__(self, type_, path, records):
        super().__init__(type_, path, records)
        self.item = re.fullmatch(r"a list of (.*)", self.type, re.DOTALL)[1]

    def save(self, expression, indent=""):
        lines = [f'{indent}save({self.file("length.npy")}, len({expression}))', f"{indent}for _i in range(len({expression})):"]
        inner = Value(self.item, self.path + ".{_i}", self.records)
        if inner.parts("") is not None or self.item.startswith("a list"):
            raise NotKept
        return lines + inner.save(f"{expression}[_i]", indent + "    ")

    def load(self):
        length = int(read_scalar(self.path + ".length.npy"))
        if length == 0:
            raise NotKept
        return "[" + ", ".join(Value(self.item, f"{self.path}.{i}", self.records).load() for i in range(length)) + "]"


def value_of(type_, path, records):
    return (ListValue if type_.startswith("a list of ") else Value)(type_, path, records)


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


def tensor_rows(path):
    """Rows of cells of a tensor of rank 1 or 2 of common types; None of another."""
    with open(path, "rb") as file:
        size = struct.unpack("<Q", file.read(8))[0]
        about = json.loads(file.read(size))["v"]
        code = {"F64": "d", "F32": "f", "F16": "e", "I64": "q", "I32": "i", "I16": "h", "I8": "b", "U64": "Q", "U32": "I",
                "U16": "H", "U8": "B", "BOOL": "?"}.get(about["dtype"])
        shape = about["shape"]
        if code is None or len(shape) not in (1, 2) or 0 in shape:
            return None
        columns = shape[-1]
        step = struct.calcsize("<" + code)
        rows = []
        for row in range(min(shape[0] if len(shape) == 2 else 1, MOST_ROWS + 1)):
            file.seek(8 + size + about["data_offsets"][0] + row * columns * step)
            count = min(columns, MOST_COLUMNS + 1)
            values = struct.unpack(f"<{count}{code}", file.read(count * step))
            rows.append([f"{value:.6g}" if isinstance(value, float) else str(value) for value in values])
        return rows


def html_table(rows, head):
    def row(cells, tag):
        more = "<td>…</td>" if len(cells) > MOST_COLUMNS else ""
        return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells[:MOST_COLUMNS]) + more + "</tr>"
    lines = [row(cells, "th" if head and i == 0 else "td") for i, cells in enumerate(rows[:MOST_ROWS])]
    if len(rows) > MOST_ROWS:
        lines.append("<tr><td>…</td></tr>")
    return "<table>" + "".join(lines) + "</table>"


if __name__ == "__main__":
    from ipykernel.kernelapp import IPKernelApp
    IPKernelApp.launch_instance(kernel_class=TesseraKernel)
