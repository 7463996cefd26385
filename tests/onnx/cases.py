"""Node cases of ONNX as text of the language: reading them, writing their arrays, judging what comes out."""

import math
import os
import struct
from dataclasses import dataclass, field

# The operators go to the table of translate.py.
import elements  # noqa: F401
import losses  # noqa: F401
import products  # noqa: F401
import protobuf
import reductions  # noqa: F401
import shapes  # noqa: F401
import windows  # noqa: F401
from translate import NotExpressible, Value, function_text

NPY = {"f32": "<f4", "f64": "<f8", "f16": "<f2", "u8": "|u1", "i8": "|i1", "u16": "<u2", "i16": "<i2", "u32": "<u4", "i32": "<i4",
       "u64": "<u8", "i64": "<i8", "bool": "|b1"}
CODES = {name: code for name, code, _ in protobuf.TYPES.values() if code}

# Operators whose results are elements of their operands: not a bit may differ.
MOVES = {"Concat", "DepthToSpace", "Expand", "Flatten", "Gather", "GatherElements", "GatherND", "Identity", "MaxPool", "Pad",
         "ReduceMax", "ReduceMin", "Max", "Min", "Relu", "Reshape", "Slice", "SpaceToDepth", "Split", "Squeeze", "Tile",
         "TopK", "Transpose", "Trilu", "Unsqueeze", "Where", "Abs", "Neg", "Ceil", "Floor", "Round", "Sign", "Clip", "Scatter"}


# Cases that contradict themselves.
FAULTS = {"test_adam_multiple": "its results were made with an epsilon of 0.01 that its model does not have"}


@dataclass
class Case:
    name: str
    graph: object = None
    inputs: dict = field(default_factory=dict)  # name in the graph → protobuf.Tensor
    results: list = field(default_factory=list)
    text: str = ""
    used: list = field(default_factory=list)
    reason: str = ""  # why it is not expressible
    failure: str = ""  # why it failed
    passed: bool = False


def tensors(folder, kind):
    found = []
    while os.path.exists(path := os.path.join(folder, f"{kind}_{len(found)}.pb")):
        with open(path, "rb") as file:
            found.append(protobuf.read_tensor(file.read()))
    return found


def read_case(folder, name):
    """A case with its text, or with the reason why it has none."""
    case = Case(name)
    with open(os.path.join(folder, name, "model.onnx"), "rb") as file:
        case.graph = protobuf.read_model(file.read())
    if name in FAULTS:
        case.reason = f"a faulty case: {FAULTS[name]}"
        return case
    if any(value.kind != "tensor" for value in case.graph.inputs + case.graph.outputs):
        case.reason = "sequences and optional values"
        return case
    data = os.path.join(folder, name, "test_data_set_0")
    case.results = tensors(data, "output")
    case.inputs = {value.name: tensor for value, tensor in zip(case.graph.inputs, tensors(data, "input"))}
    case.inputs |= {tensor.name: tensor for tensor in case.graph.constants}
    # Files hold the bits of bf16 as u16.
    if any(value.type == "bf16" for value in case.graph.inputs + case.graph.outputs):
        case.reason = "files of bf16"
        return case
    try:
        translate(case)
    except NotExpressible as why:
        case.reason = str(why)
    return case


def translate(case):
    parameters = {name: Value(f"x{number}", tensor.type, tensor.shape, tensor.values)
                  for number, (name, tensor) in enumerate(case.inputs.items())}
    expected = [(tensor.type, tensor.shape) for tensor in case.results]
    case.text, case.used = function_text(case.name, case.graph, parameters, expected)
    for tensor in [case.inputs[name] for name in case.used] + case.results:
        if tensor.type == "string":
            raise NotExpressible("tensors of strings")
        if tensor.values is None:
            raise NotExpressible(f"files of {tensor.type}")


# ---- files of arrays -------------------------------------------------------------------------------------------------
def write_npy(path, tensor):
    """A scalar is written as an array of one element."""
    shape = tensor.shape or (1,)
    header = f"{{'descr': '{NPY[tensor.type]}', 'fortran_order': False, 'shape': ({', '.join(map(str, shape))},), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        file.write(struct.pack(f"<{len(tensor.values)}{CODES[tensor.type]}", *tensor.values))


def read_npy(path):
    """Type, shape and numbers."""
    with open(path, "rb") as file:
        data = file.read()
    size = struct.unpack("<H", data[8:10])[0]
    header = eval(data[10:10 + size].decode(), {"__builtins__": {}})  # noqa: S307  what the program under test wrote
    kind = next(name for name, descr in NPY.items() if descr[1:] == header["descr"][1:])
    count = math.prod(header["shape"])
    return kind, header["shape"], list(struct.unpack_from(f"<{count}{CODES[kind]}", data, 10 + size))


# ---- judging ---------------------------------------------------------------------------------------------------------
def tolerance(case, kind):
    """Relative and absolute, as ONNX's own runner takes them; none where nothing may be rounded."""
    ops = {node.op for node in case.graph.nodes}
    if kind not in ("f16", "f32", "f64") or ops <= MOVES:
        return 0.0, 0.0
    return 1e-3, 1e-7


def difference(case, number, path):
    """What is wrong with a result, "" where nothing is."""
    wanted = case.results[number]
    if not os.path.exists(path):
        return f"result {number} was not written"
    kind, shape, values = read_npy(path)
    if kind != wanted.type:
        return f"result {number} is {kind}, expected {wanted.type}"
    if tuple(shape) != (wanted.shape or (1,)):
        return f"result {number} has shape {tuple(shape)}, expected {wanted.shape}"
    relative, absolute = tolerance(case, kind)
    for place, (got, want) in enumerate(zip(values, wanted.values)):
        same = got == want or (got != got and want != want)
        if not same and not abs(got - want) <= absolute + relative * abs(want):
            return f"result {number}, element {place}: {got!r}, expected {want!r}"
    return ""
