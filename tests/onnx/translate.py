"""From the graph of an ONNX model to the text of a `@jit` function, with the names of the standard library.

`elements.py`, `reductions.py` and their kin say what each operator becomes; here stands what they work on.
"""

from dataclasses import dataclass

FLOATS = ("f16", "bf16", "f32", "f64")
TABLE = {}  # the name of an operator of ONNX → what it is in the language


def operator(*names):
    """Remembers a function of a `Call` that gives the value, or values, of these operators."""
    def remember(function):
        for name in names:
            TABLE[name] = function
        return function
    return remember


class NotExpressible(Exception):
    """Why a case has no text in the language."""


@dataclass
class Value:
    text: str
    type: str
    shape: tuple  # None where the model does not say it
    constant: list = None  # its numbers, where they are known before the program runs

    @property
    def rank(self):
        return len(self.extents)

    @property
    def extents(self):
        if self.shape is None:
            raise NotExpressible("the model does not tell the shape of a value inside")
        return self.shape


def tuple_text(items):
    items = [str(item) for item in items]
    return f"({items[0]},)" if len(items) == 1 else f"({', '.join(items)})"


def literal(number):
    """A number as the language writes it."""
    if isinstance(number, bool):
        return str(number)
    if isinstance(number, float) and number != number:
        return "float('nan')"
    if number in (float("inf"), float("-inf")):
        return f"{'-' if number < 0 else ''}float('inf')"
    return repr(number)


def broadcast(*shapes):
    """The common shape of several, None where one is not known."""
    if any(shape is None for shape in shapes):
        return None
    rank = max(map(len, shapes))
    padded = [(1,) * (rank - len(shape)) + tuple(shape) for shape in shapes]
    return tuple(next((extent for extent in extents if extent != 1), 1) for extents in zip(*padded))


class Call:
    """One node: what its operator reads."""

    def __init__(self, node, values, opset, lines):
        self.node, self.values, self.opset, self.lines = node, values, opset, lines

    def has(self, number):
        return number < len(self.node.inputs) and self.node.inputs[number] != ""

    def input(self, number=0):
        if not self.has(number):
            raise NotExpressible(f"{self.node.op} without its operand {number}")
        return self.values[self.node.inputs[number]]

    def inputs(self):
        return [self.values[name] for name in self.node.inputs if name]

    def constant(self, number, otherwise=None):
        """The numbers of an operand that the text needs: an axis, a shape."""
        if not self.has(number):
            return otherwise
        value = self.input(number)
        if value.constant is None:
            raise NotExpressible(f"operand {number} of {self.node.op} is computed")
        return value.constant

    def scalar(self, number, otherwise=None):
        found = self.constant(number)
        return otherwise if found is None else found[0]

    def attribute(self, name, otherwise=None):
        return self.node.attributes.get(name, otherwise)

    def name(self, text, kind, shape):
        """A variable for what stands several times in a text."""
        name = f"t{len(self.lines)}"
        self.lines.append(f"{name} = {text}")
        return Value(name, kind, shape)

    def results(self):
        return sum(name != "" for name in self.node.outputs)

    def one_result(self):
        if self.results() > 1:
            raise NotExpressible(f"{self.node.op} with {self.results()} results")


def function_text(name, graph, parameters, expected):
    """A function of the parameters (name of a value in the graph → Value) that gives what the graph gives; the names of
    those it reads. `expected`: type and shape of each result."""
    values = dict(parameters)
    lines = []
    for node in graph.nodes:
        if node.op not in TABLE or node.domain not in ("", "ai.onnx", "ai.onnx.preview.training"):
            raise NotExpressible(f"operator {node.domain + ':' if node.domain else ''}{node.op}")
        call = Call(node, values, graph.opset, lines)
        made = TABLE[node.op](call)
        made = [made] if isinstance(made, Value) else made
        if len(made) < call.results():
            raise NotExpressible(f"{node.op} with {call.results()} results")
        for output, value in zip(node.outputs, made):
            if output:
                if len(graph.nodes) > 1 and value.constant is None:
                    value = call.name(value.text, value.type, value.shape)
                values[output] = value
    missing = [output.name for output in graph.outputs if output.name not in values]
    if missing:
        raise NotExpressible(f"no node makes {missing[0]}")
    results = [values[output.name].text for output in graph.outputs]
    body = lines + [f"return {', '.join(results)}"]
    used = [key for key, value in parameters.items() if mentions(body, value.text)]
    header = ", ".join(f"{parameters[key].text}: {type_text(parameters[key].type, parameters[key].shape)}" for key in used)
    types = ", ".join(type_text(kind, shape) for kind, shape in expected)
    types = f"({types})" if len(expected) > 1 else types
    text = f"@jit\ndef {name}({header}) -> {types}:\n" + "".join(f"    {line}\n" for line in body)
    return text, used


def type_text(kind, shape):
    return f"{kind}[{', '.join(map(str, shape))}]" if shape else kind


def mentions(body, name):
    """Whether a name that ends with a number stands in a text."""
    for line in body:
        at = line.find(name)
        while at >= 0:
            after = line[at + len(name):at + len(name) + 1]
            if not (after.isalnum() or after == "_") and not (at and (line[at - 1].isalnum() or line[at - 1] == "_")):
                return True
            at = line.find(name, at + 1)
    return False
