"""ONNX operators of elements in the language."""

from translate import FLOATS, NotExpressible, Value, broadcast, literal, operator


# x: the operand; A number in the text that has a name is an attribute's, with its default.
UNARY = {
    "Abs": "abs(x)", "Acos": "acos(x)", "Asin": "asin(x)", "Atan": "atan(x)", "Ceil": "ceil(x)", "Cos": "cos(x)",
    "Cosh": "cosh(x)", "Erf": "erf(x)", "Exp": "exp(x)", "Floor": "floor(x)", "Log": "log(x)", "Neg": "-x",
    "Reciprocal": "reciprocal(x)", "Relu": "relu(x)", "Round": "round(x)", "Sigmoid": "sigmoid(x)", "Sign": "sign(x)",
    "Sin": "sin(x)", "Sinh": "sinh(x)", "Softplus": "softplus(x)", "Sqrt": "sqrt(x)", "Tan": "tan(x)", "Tanh": "tanh(x)",
    "Acosh": "log(x + sqrt(x * x - 1.0))", "Asinh": "log(x + sqrt(x * x + 1.0))",
    "Atanh": "0.5 * log((1.0 + x) / (1.0 - x))", "Softsign": "x / (1.0 + abs(x))",
    "HardSwish": "x * clip(x / 6.0 + 0.5, 0.0, 1.0)", "Identity": "x",
}
WITH_ATTRIBUTES = {
    "Elu": ("where(x < 0.0, {alpha} * expm1(x), x)", {"alpha": 1.0}),
    "Celu": ("maximum(x, 0.0) + minimum({alpha} * expm1(x / {alpha}), 0.0)", {"alpha": 1.0}),
    "LeakyRelu": ("leaky_relu(x, {alpha})", {"alpha": 0.01}),
    "HardSigmoid": ("clip({alpha} * x + {beta}, 0.0, 1.0)", {"alpha": 0.2, "beta": 0.5}),
    "Selu": ("{gamma} * where(x > 0.0, x, {alpha} * expm1(x))", {"alpha": 1.6732632, "gamma": 1.050701}),
    "ThresholdedRelu": ("where(x > {alpha}, x, 0.0)", {"alpha": 1.0}),
    "Shrink": ("where(x < -{lambd}, x + {bias}, where(x > {lambd}, x - {bias}, 0.0))", {"lambd": 0.5, "bias": 0.0}),
}
BINARY = {"Add": "+", "Sub": "-", "Mul": "*", "And": "&", "Or": "|", "Xor": "^"}
COMPARISONS = {"Equal": "==", "Greater": ">", "GreaterOrEqual": ">=", "Less": "<", "LessOrEqual": "<="}


def unary(call):
    x = call.input()
    return Value(with_operand(UNARY[call.node.op], x.text), x.type, x.shape)


def with_operand(text, name):
    """`x` where it stands alone becomes a name."""
    out = ""
    for at, letter in enumerate(text):
        alone = letter == "x" and not text[at - 1:at].isalnum() and not text[at + 1:at + 2].isalnum()
        out += name if alone else letter
    return out


def with_attributes(call):
    text, defaults = WITH_ATTRIBUTES[call.node.op]
    x = call.input()
    numbers = {name: literal(float(call.attribute(name, number))) for name, number in defaults.items()}
    return Value(with_operand(text.format(**numbers), x.text), x.type, x.shape)


def binary(call):
    a, b = call.input(0), call.input(1)
    return Value(f"({a.text} {BINARY[call.node.op]} {b.text})", a.type, broadcast(a.shape, b.shape))


def comparison(call):
    a, b = call.input(0), call.input(1)
    return Value(f"({a.text} {COMPARISONS[call.node.op]} {b.text})", "bool", broadcast(a.shape, b.shape))


for names, function in ((UNARY, unary), (WITH_ATTRIBUTES, with_attributes), (BINARY, binary), (COMPARISONS, comparison)):
    operator(*names)(function)


@operator("Not")
def invert(call):
    x = call.input()
    return Value(f"~{x.text}", "bool", x.shape)


@operator("Div")
def divide(call):
    a, b = call.input(0), call.input(1)
    return Value(f"({a.text} {'/' if a.type in FLOATS else '//'} {b.text})", a.type, broadcast(a.shape, b.shape))


@operator("Mod")
def modulo(call):
    a, b = call.input(0), call.input(1)
    shape = broadcast(a.shape, b.shape)
    if not call.attribute("fmod", 0):
        return Value(f"({a.text} % {b.text})", a.type, shape)
    if a.type in FLOATS:
        return Value(f"({a.text} - trunc({a.text} / {b.text}) * {b.text})", a.type, shape)
    # The sign of the dividend: what is left of the magnitudes.
    return Value(f"(abs({a.text}) % abs({b.text}) * sign({a.text}))", a.type, shape)


@operator("Pow")
def power(call):
    a, b = call.input(0), call.input(1)
    shape = broadcast(a.shape, b.shape)
    if a.type == b.type:
        return Value(f"{a.text} ** {b.text}", a.type, shape)
    if a.type in FLOATS or b.type not in FLOATS:
        return Value(f"{a.text} ** cast({b.text}, {a.type})", a.type, shape)
    return Value(f"cast(cast({a.text}, {b.type}) ** {b.text}, {a.type})", a.type, shape)


@operator("BitShift")
def shift(call):
    a, b = call.input(0), call.input(1)
    return Value(f"({a.text} {'<<' if call.attribute('direction') == 'LEFT' else '>>'} {b.text})", a.type,
                 broadcast(a.shape, b.shape))


@operator("Max", "Min", "Sum", "Mean")
def several(call):
    xs = call.inputs()
    text = xs[0].text
    for x in xs[1:]:
        name = {"Max": "maximum", "Min": "minimum"}.get(call.node.op)
        text = f"{name}({text}, {x.text})" if name else f"{text} + {x.text}"
    if call.node.op == "Mean":
        text = f"({text}) / {len(xs)}.0"
    return Value(f"({text})", xs[0].type, broadcast(*(x.shape for x in xs)))


@operator("Clip")
def clip(call):
    x = call.input()
    if call.has(1) and call.has(2):
        return Value(f"clip({x.text}, {call.input(1).text}, {call.input(2).text})", x.type, x.shape)
    for number, name in ((1, "maximum"), (2, "minimum")):
        if call.has(number):
            return Value(f"{name}({x.text}, {call.input(number).text})", x.type, x.shape)
    return x


@operator("Where")
def choose(call):
    c, a, b = (call.input(number) for number in range(3))
    return Value(f"where({c.text}, {a.text}, {b.text})", a.type, broadcast(c.shape, a.shape, b.shape))


@operator("PRelu")
def parametric_relu(call):
    x, slope = call.input(0), call.input(1)
    return Value(f"where({x.text} < 0.0, {slope.text} * {x.text}, {x.text})", x.type, x.shape)


@operator("IsNaN")
def is_nan(call):
    return Value(f"isnan({call.input().text})", "bool", call.input().shape)


@operator("IsInf")
def is_infinite(call):
    x = call.input()
    positive, negative = call.attribute("detect_positive", 1), call.attribute("detect_negative", 1)
    text = f"isinf({x.text})" if positive and negative else f"({x.text} == {'' if positive else '-'}float('inf'))"
    return Value(text, "bool", x.shape)


NUMBERS = {1: "f32", 2: "u8", 3: "i8", 4: "u16", 5: "i16", 6: "i32", 7: "i64", 9: "bool", 10: "f16", 11: "f64", 12: "u32",
           13: "u64", 16: "bf16"}


@operator("Cast", "CastLike")
def cast(call):
    x = call.input()
    to = call.input(1).type if call.node.op == "CastLike" else NUMBERS.get(call.attribute("to"), "string")
    if "string" in (to, x.type):
        raise NotExpressible("tensors of strings")
    return Value(f"cast({x.text}, {to})", to, x.shape, x.constant)
