"""ONNX operators that move, choose or make elements, in the language."""

from elements import NUMBERS
from translate import FLOATS, NotExpressible, Value, broadcast, literal, operator, tuple_text


def product(numbers):
    total = 1
    for number in numbers:
        total *= number
    return total


@operator("Reshape")
def reshape(call):
    x, shape = call.input(), list(call.constant(1))
    if not call.attribute("allowzero", 0):
        shape = [x.extents[number] if extent == 0 else extent for number, extent in enumerate(shape)]
    known = tuple(shape)
    if -1 in shape and x.shape is not None:
        rest = product(extent for extent in shape if extent != -1)
        known = tuple(product(x.shape) // rest if extent == -1 else extent for extent in shape)
    return reshaped(x, shape, known)


def reshaped(x, shape, known=None):
    return Value(f"reshape({x.text}, {tuple_text(shape)})", x.type, tuple(known or shape))


@operator("Flatten")
def flatten(call):
    x = call.input()
    axis = call.attribute("axis", 1)
    axis = axis + x.rank if axis < 0 else axis
    return reshaped(x, (product(x.extents[:axis]), product(x.extents[axis:])))


@operator("Squeeze")
def squeeze(call):
    x = call.input()
    axes = call.attribute("axes") or call.constant(1)
    axes = [axis % x.rank for axis in axes or [number for number, extent in enumerate(x.extents) if extent == 1]]
    shape = tuple(extent for number, extent in enumerate(x.extents) if number not in axes)
    return Value(f"squeeze({x.text}, {axes[0] if len(axes) == 1 else tuple_text(axes)})", x.type, shape)


@operator("Unsqueeze")
def unsqueeze(call):
    x = call.input()
    axes = call.attribute("axes") or call.constant(1)
    rank = x.rank + len(axes)
    axes = sorted(axis % rank for axis in axes)
    text, shape = x.text, list(x.extents)
    for axis in axes:
        text = f"expand_dims({text}, {axis})"
        shape.insert(axis, 1)
    return Value(text, x.type, tuple(shape))


@operator("Transpose")
def transpose(call):
    x = call.input()
    axes = call.attribute("perm") or list(range(x.rank))[::-1]
    return Value(f"transpose({x.text}, {tuple_text(axes)})", x.type, tuple(x.extents[axis] for axis in axes))


@operator("Expand")
def expand(call):
    x = call.input()
    shape = broadcast(x.extents, tuple(call.constant(1)))
    return Value(f"broadcast_to({x.text}, {tuple_text(shape)})", x.type, shape)


@operator("Concat")
def concat(call):
    xs, axis = call.inputs(), call.attribute("axis")
    shape = None
    if all(x.shape is not None for x in xs):
        shape = list(xs[0].shape)
        shape[axis] = sum(x.shape[axis] for x in xs)
    return Value(f"concat([{', '.join(x.text for x in xs)}], axis={axis})", xs[0].type, shape and tuple(shape))


@operator("Tile")
def repeat_whole(call):
    text, shape = call.input().text, list(call.input().extents)
    for axis, times in enumerate(call.constant(1)):
        if times != 1:
            text = call.name(f"concat([{', '.join([text] * times)}], axis={axis})", call.input().type, None).text
        shape[axis] *= times
    return Value(text, call.input().type, tuple(shape))


@operator("Split")
def split(call):
    x, axis = call.input(), call.attribute("axis", 0)
    sizes = call.attribute("split") or call.constant(1)
    count = call.results()
    sizes = sizes or [x.extents[axis] // count] * count
    text = call.name(f"split({x.text}, {tuple_text(sizes)}, axis={axis})", x.type, None).text
    shapes = [tuple(size if number == axis % x.rank else extent for number, extent in enumerate(x.extents)) for size in sizes]
    return [Value(f"{text}[{number}]", x.type, shape) for number, shape in enumerate(shapes)]


@operator("Slice")
def take_slice(call):
    x = call.input()
    starts = call.attribute("starts") or call.constant(1)
    ends = call.attribute("ends") or call.constant(2)
    axes = call.attribute("axes") or call.constant(3) or range(len(starts))
    steps = call.constant(4) or [1] * len(starts)
    index, shape = [":"] * x.rank, list(x.extents)
    for start, end, axis, step in zip(starts, ends, axes, steps):
        axis %= x.rank
        # As Python clamps them; an end before the first element is written as none.
        begin, stop, step = slice(start, end, step).indices(x.extents[axis])
        index[axis] = f"{begin}:{stop if stop >= 0 else ''}" + ("" if step == 1 else f":{step}")
        shape[axis] = len(range(begin, stop, step))
    while len(index) > 1 and index[-1] == ":":
        index.pop()
    return Value(f"{x.text}[{', '.join(index)}]", x.type, tuple(shape))


@operator("Pad")
def pad(call):
    x, pads = call.input(), call.attribute("pads") or call.constant(1)
    mode = call.attribute("mode", "constant")
    pairs = list(zip(pads[:x.rank], pads[x.rank:]))
    shape = tuple(extent + low + high for extent, (low, high) in zip(x.extents, pairs))
    value = call.scalar(2, 0)
    words = f', mode="{mode}"' if mode != "constant" else f", value={literal(value)}"
    return Value(f"pad({x.text}, {tuple_text(map(tuple_text, pairs))}{words})", x.type, shape)


@operator("DepthToSpace")
def depth_to_space(call):
    x, b = call.input(), call.attribute("blocksize")
    n, c, h, w = x.extents
    inner, axes = ((b, b, c // b // b), (0, 3, 4, 1, 5, 2)) if call.attribute("mode", "DCR") == "DCR" else (
        (c // b // b, b, b), (0, 1, 4, 2, 5, 3))
    text = f"transpose(reshape({x.text}, {tuple_text((n, *inner, h, w))}), {tuple_text(axes)})"
    return reshaped(Value(text, x.type, ()), (n, c // b // b, h * b, w * b))


@operator("SpaceToDepth")
def space_to_depth(call):
    x, b = call.input(), call.attribute("blocksize")
    n, c, h, w = x.extents
    text = f"transpose(reshape({x.text}, {tuple_text((n, c, h // b, b, w // b, b))}), (0, 3, 5, 1, 2, 4))"
    return reshaped(Value(text, x.type, ()), (n, c * b * b, h // b, w // b))


@operator("Trilu")
def triangle(call):
    x, k = call.input(), call.scalar(1, 0)
    return Value(f"{'triu' if call.attribute('upper', 1) else 'tril'}({x.text}, k={k})", x.type, x.shape)


# ---- by indices ------------------------------------------------------------------------------------------------------
def from_zero(call, number, extent):
    """Indices of an operand, those below 0 counted from the end."""
    ids = call.input(number)
    if ids.constant is not None and all(index >= 0 for index in ids.constant):
        return ids.text
    return f"where({ids.text} < 0, {ids.text} + {extent}, {ids.text})"


@operator("Gather")
def gather(call):
    x, ids, axis = call.input(0), call.input(1), call.attribute("axis", 0) % call.input(0).rank
    shape = x.extents[:axis] + ids.extents + x.extents[axis + 1:]
    return Value(f"take({x.text}, {from_zero(call, 1, x.extents[axis])}, {axis})", x.type, shape)


@operator("GatherElements")
def gather_elements(call):
    x, axis = call.input(0), call.attribute("axis", 0)
    return Value(f"gather({x.text}, {from_zero(call, 1, x.extents[axis])}, {axis})", x.type, call.input(1).shape)


@operator("Scatter", "ScatterElements")
def scatter_elements(call):
    x, src, axis = call.input(0), call.input(2), call.attribute("axis", 0)
    op = call.attribute("reduction", "none")
    words = "" if op == "none" else f', op="{op}"'
    return Value(f"scatter({x.text}, {from_zero(call, 1, x.extents[axis])}, {src.text}, {axis}{words})", x.type, x.shape)


def flat_index(call, number, extents):
    """The rows of `number`, each a position in `extents`, as one index."""
    ids, text, stride = call.input(number), [], 1
    for place in reversed(range(len(extents))):
        text.append(f"{ids.text}[..., {place}] * {stride}")
        stride *= extents[place]
    return " + ".join(reversed(text))


@operator("GatherND")
def gather_nd(call):
    x, ids = call.input(0), call.input(1)
    if call.attribute("batch_dims", 0):
        raise NotExpressible("GatherND with batch_dims")
    depth = ids.extents[-1]
    rest = x.extents[depth:]
    rows = f"reshape({x.text}, {tuple_text((product(x.extents[:depth]), *rest))})"
    return Value(f"take({rows}, {flat_index(call, 1, x.extents[:depth])}, 0)", x.type, ids.extents[:-1] + rest)


@operator("ScatterND")
def scatter_nd(call):
    x, ids, src = (call.input(number) for number in range(3))
    depth = ids.extents[-1]
    count, rest = product(x.extents[:depth]), product(x.extents[depth:])
    many = product(ids.extents[:-1])
    op = call.attribute("reduction", "none")
    words = "" if op == "none" else f', op="{op}"'
    rows = f"broadcast_to(reshape({flat_index(call, 1, x.extents[:depth])}, ({many}, 1)), ({many}, {rest}))"
    text = f"scatter(reshape({x.text}, ({count}, {rest})), {rows}, reshape({src.text}, ({many}, {rest})), 0{words})"
    return reshaped(Value(text, x.type, ()), x.extents)


@operator("OneHot")
def one_hot(call):
    ids, depth, values = call.input(0), int(call.scalar(1)), call.input(2)
    axis = call.attribute("axis", -1) % (ids.rank + 1)
    numbers = ids.text if ids.type not in FLOATS else f"cast({ids.text}, i64)"
    numbers = f"where({numbers} < 0, {numbers} + {depth}, {numbers})"
    text = f"one_hot({numbers}, {depth}, {values.type})"
    text = text if axis == ids.rank else f"moveaxis({text}, -1, {axis})"
    shape = list(ids.extents)
    shape.insert(axis, depth)
    off, on = call.constant(2)
    return Value(f"where({text} != {literal(type(off)(0))}, {literal(on)}, {literal(off)})", values.type, tuple(shape))


@operator("TopK")
def topk(call):
    x, k, axis = call.input(), call.scalar(1), call.attribute("axis", -1)
    shape = list(x.extents)
    shape[axis] = k
    largest = call.attribute("largest", 1)
    both = call.name(f"topk({'' if largest else '-'}{x.text}, {k}, axis={axis})", x.type, None).text
    return [Value(f"{'' if largest else '-'}{both}[0]", x.type, tuple(shape)), Value(f"{both}[1]", "i64", tuple(shape))]


# ---- made of nothing -------------------------------------------------------------------------------------------------
@operator("Constant")
def constant(call):
    found = call.attribute("value")
    if found is None:
        for name, kind in (("value_float", "f32"), ("value_int", "i64"), ("value_floats", "f32"), ("value_ints", "i64")):
            number = call.attribute(name)
            if number is not None:
                numbers = number if isinstance(number, list) else [number]
                return Value(literal_tensor(numbers, kind, isinstance(number, list)), kind,
                             (len(numbers),) if isinstance(number, list) else (), numbers)
        raise NotExpressible("a constant of strings")
    if found.values is None or len(found.shape) > 1:
        raise NotExpressible("a constant of more than one axis")
    return Value(literal_tensor(found.values, found.type, found.shape), found.type, found.shape, found.values)


def literal_tensor(values, kind, axes):
    if axes:
        return f"from_list([{', '.join(map(literal, values))}], {kind})"
    return f"cast({literal(values[0])}, {kind})"


@operator("ConstantOfShape")
def constant_of_shape(call):
    shape = tuple(call.constant(0))
    value = call.attribute("value")
    kind, number = ("f32", 0.0) if value is None else (value.type, value.values[0])
    if not shape:
        return Value(f"cast({literal(number)}, {kind})", kind, ())
    return Value(f"full({tuple_text(shape)}, {literal(number)}, {kind})", kind, shape)


@operator("EyeLike")
def eye(call):
    x, k = call.input(), call.attribute("k", 0)
    if k:
        raise NotExpressible("eye with an offset")
    kind = NUMBERS[call.attribute("dtype")] if call.attribute("dtype") else x.type
    return Value(f"eye({x.extents[0]}, {x.extents[1]}, {kind})", kind, x.shape)


@operator("Range")
def arange(call):
    start, stop, step = (call.scalar(number) for number in range(3))
    kind = call.input(0).type
    return Value(f"arange({literal(start)}, {literal(stop)}, {literal(step)}, {kind})", kind, None)


@operator("Size")
def size(call):
    return Value(f"cast({call.input().text}.size, i64)", "i64", ())


@operator("Shape")
def shape_of(call):
    extents = call.input().extents
    numbers = list(extents[call.attribute("start", 0):call.attribute("end", len(extents))])
    return Value(literal_tensor(numbers, "i64", True), "i64", (len(numbers),), numbers)


WINDOWS = {"HannWindow": (0.5, 0.5, 0.0), "HammingWindow": (25 / 46, 21 / 46, 0.0), "BlackmanWindow": (0.42, 0.5, 0.08)}


@operator(*WINDOWS)
def window(call):
    a, b, c = WINDOWS[call.node.op]
    n = call.scalar(0)
    turn = f"6.283185307179586 / {n if call.attribute('periodic', 1) else n - 1}.0"
    angle = call.name(f"arange(0.0, {n}.0, 1.0, f32) * ({turn})", "f32", (n,)).text
    text = f"{a!r} - {b!r} * cos({angle})" + (f" + {c!r} * cos(2.0 * {angle})" if c else "")
    return Value(text, "f32", (n,))


# ---- what chance or the data decides ---------------------------------------------------------------------------------
@operator("Dropout")
def dropout(call):
    x = call.input()
    training = call.has(2) and call.scalar(2)
    ratio = call.scalar(1, call.attribute("ratio", 0.5))
    if training and ratio:
        raise NotExpressible("dropout by chance: expected are the numbers of another generator")
    return [x, Value(f"({x.text} == {x.text})", "bool", x.shape)]


REASONS = {
    "Bernoulli": "expected are the numbers of another generator",
    "Compress": "the data decides the shape", "NonZero": "the data decides the shape", "Unique": "the data decides the shape",
    "NonMaxSuppression": "the data decides the shape",
    "StringNormalizer": "tensors of strings", "TfIdfVectorizer": "tensors of strings",
    "SequenceInsert": "sequences", "SequenceMap": "sequences", "SequenceEmpty": "sequences", "SequenceConstruct": "sequences",
    "OptionalGetElement": "optional values", "OptionalHasElement": "optional values",
    "DFT": "complex numbers", "STFT": "complex numbers",
}


@operator(*REASONS)
def refuse(call):
    raise NotExpressible(REASONS[call.node.op])
