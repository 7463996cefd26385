"""Reads ONNX models and tensors from the wire format of protocol buffers: what the node cases use, no more.

https://protobuf.dev/programming-guides/encoding, the numbers of the fields are those of onnx/onnx.proto.
"""

import struct
from dataclasses import dataclass, field

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5

# The numbers of TensorProto.DataType: name in the language, format for struct, bytes; None: the language has no such type.
TYPES = {
    1: ("f32", "f", 4), 2: ("u8", "B", 1), 3: ("i8", "b", 1), 4: ("u16", "H", 2), 5: ("i16", "h", 2), 6: ("i32", "i", 4),
    7: ("i64", "q", 8), 9: ("bool", "?", 1), 10: ("f16", "e", 2), 11: ("f64", "d", 8), 12: ("u32", "I", 4),
    13: ("u64", "Q", 8), 16: ("bf16", None, 2), 8: ("string", None, 0), 14: ("c64", None, 8), 15: ("c128", None, 16),
}


@dataclass
class Tensor:
    name: str
    type: str
    shape: tuple
    values: list  # numbers in row-major order; None for types that are not read


@dataclass
class Node:
    op: str
    inputs: list
    outputs: list
    attributes: dict
    domain: str


@dataclass
class Value:
    name: str
    kind: str  # tensor, sequence, optional
    type: str
    shape: tuple


@dataclass
class Graph:
    nodes: list = field(default_factory=list)
    inputs: list = field(default_factory=list)
    outputs: list = field(default_factory=list)
    constants: list = field(default_factory=list)
    opset: int = 0


def varint(data, at):
    """A number of 7 bits per byte, and where it ends."""
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def signed(value):
    return value - (1 << 64) if value >= 1 << 63 else value


def fields(data):
    """Number, wire type and raw value of each field of a message."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        number, wire = key >> 3, key & 7
        if wire == VARINT:
            value, at = varint(data, at)
        else:
            size = {FIXED64: 8, FIXED32: 4}.get(wire)
            if size is None:
                size, at = varint(data, at)
            value, at = data[at:at + size], at + size
        yield number, wire, value


def numbers(wire, value, code):
    """A repeated field of numbers, packed or not."""
    if code == "varint":
        if wire == VARINT:
            return [signed(value)]
        found, at = [], 0
        while at < len(value):
            number, at = varint(value, at)
            found.append(signed(number))
        return found
    return list(struct.unpack(f"<{len(value) // struct.calcsize(code)}{code}", value))


def read_tensor(data):
    name, kind, dims, values, raw = "", 0, [], [], None
    for number, wire, value in fields(data):
        if number == 1:
            dims += numbers(wire, value, "varint")
        elif number == 2:
            kind = value
        elif number == 4:
            values += numbers(wire, value, "f")
        elif number in (5, 7, 11):
            values += numbers(wire, value, "varint")
        elif number == 10:
            values += numbers(wire, value, "d")
        elif number == 8:
            name = value.decode()
        elif number == 9:
            raw = value
    type_name, code, size = TYPES.get(kind, (f"type {kind}", None, 0))
    if code is None:
        return Tensor(name, type_name, tuple(dims), None)
    if raw is not None:
        values = list(struct.unpack(f"<{len(raw) // size}{code}", raw))
    elif type_name == "f16":  # the bits of each, as an integer
        values = [struct.unpack("<e", struct.pack("<H", bits))[0] for bits in values]
    elif type_name == "bool":
        values = [bool(value) for value in values]
    return Tensor(name, type_name, tuple(dims), values)


def read_attribute(data):
    name, found = "", None
    many = {7: ("f", []), 8: ("varint", [])}
    strings = []
    for number, wire, value in fields(data):
        if number == 1:
            name = value.decode()
        elif number == 2:
            found = struct.unpack("<f", value)[0]
        elif number == 3:
            found = signed(value)
        elif number == 4:
            found = value.decode(errors="replace")
        elif number == 5:
            found = read_tensor(value)
        elif number == 6:
            found = read_graph(value)
        elif number in many:
            many[number][1].extend(numbers(wire, value, many[number][0]))
        elif number == 9:
            strings.append(value.decode(errors="replace"))
    for several in (many[7][1], many[8][1], strings):
        found = several or found
    return name, [] if found is None else found


def read_node(data):
    node = Node("", [], [], {}, "")
    for number, _, value in fields(data):
        if number == 1:
            node.inputs.append(value.decode())
        elif number == 2:
            node.outputs.append(value.decode())
        elif number == 4:
            node.op = value.decode()
        elif number == 5:
            name, found = read_attribute(value)
            node.attributes[name] = found
        elif number == 7:
            node.domain = value.decode()
    return node


def read_value(data):
    found = Value("", "tensor", "", ())
    for number, _, value in fields(data):
        if number == 1:
            found.name = value.decode()
        elif number == 2:
            for kind, _, inner in fields(value):
                found.kind = {1: "tensor", 4: "sequence", 9: "optional"}.get(kind, f"type {kind}")
                if kind == 1:
                    found.type, found.shape = read_tensor_type(inner)
    return found


def read_tensor_type(data):
    type_name, shape = "", ()
    for number, _, value in fields(data):
        if number == 1:
            type_name = TYPES.get(value, (f"type {value}",))[0]
        elif number == 2:
            # An extent is a number, or a name that stands for any.
            shape = tuple(next((v for n, _, v in fields(dim) if n in (1, 2)), None) for n, _, dim in fields(value) if n == 1)
    return type_name, shape


def read_graph(data):
    graph = Graph()
    for number, _, value in fields(data):
        if number == 1:
            graph.nodes.append(read_node(value))
        elif number == 5:
            graph.constants.append(read_tensor(value))
        elif number == 11:
            graph.inputs.append(read_value(value))
        elif number == 12:
            graph.outputs.append(read_value(value))
    return graph


def read_model(data):
    graph, opset = Graph(), 0
    for number, _, value in fields(data):
        if number == 7:
            graph = read_graph(value)
        elif number == 8:
            imported = {n: v for n, _, v in fields(value)}
            if not imported.get(1):
                opset = imported.get(2, 0)
    graph.opset = opset
    return graph
