"""Values that outlive their cell, in files between two programs; tensors as tables."""

import html
import json
import math
import re
import struct

MOST_ROWS, MOST_COLUMNS = 50, 30


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
