"""ONNX operators of windows, convolutions and recurrent layers in the language."""

from shapes import product
from translate import NotExpressible, Value, operator, tuple_text


def spatial(call, kernel):
    """Strides, dilations and (low, high) padding of each axis behind the channels."""
    x = call.input()
    axes = x.rank - 2
    strides = call.attribute("strides") or [1] * axes
    dilations = call.attribute("dilations") or [1] * axes
    pads = call.attribute("pads") or [0] * 2 * axes
    pairs = list(zip(pads[:axes], pads[axes:]))
    auto = call.attribute("auto_pad", "NOTSET")
    if auto.startswith("SAME"):
        pairs = []
        for extent, size, stride, dilation in zip(x.extents[2:], kernel, strides, dilations):
            total = max((-(-extent // stride) - 1) * stride + (size - 1) * dilation + 1 - extent, 0)
            less, more = total // 2, total - total // 2
            pairs.append((less, more) if auto == "SAME_UPPER" else (more, less))
    return strides, dilations, pairs


def outputs(extents, kernel, strides, dilations, pairs):
    return tuple((extent + low + high - (size - 1) * dilation - 1) // stride + 1 for extent, size, stride, dilation, (low, high)
                 in zip(extents, kernel, strides, dilations, pairs))


def plain(numbers):
    """One number where all axes have the same, else a tuple."""
    return str(numbers[0]) if len(set(numbers)) == 1 else tuple_text(numbers)


def padded(x, pairs, value="0.0"):
    if not any(low or high for low, high in pairs):
        return x.text
    return f"pad({x.text}, {tuple_text(map(tuple_text, [(0, 0), (0, 0), *pairs]))}, value={value})"


@operator("Conv")
def convolution(call):
    x, w = call.input(0), call.input(1)
    if x.rank != 4:
        raise NotExpressible(f"convolution along {x.rank - 2} axes")
    kernel = w.extents[2:]
    strides, dilations, pairs = spatial(call, kernel)
    text, words = x.text, ""
    if all(low == high for low, high in pairs):
        words = f", padding={plain([low for low, _ in pairs])}" if any(low for low, _ in pairs) else ""
    else:
        text = padded(x, pairs)
    bias = f", {call.input(2).text}" if call.has(2) else ""
    if any(stride != 1 for stride in strides):
        words += f", stride={plain(strides)}"
    if any(dilation != 1 for dilation in dilations):
        words += f", dilation={plain(dilations)}"
    if call.attribute("group", 1) != 1:
        words += f", groups={call.attribute('group')}"
    shape = (x.extents[0], w.extents[0], *outputs(x.extents[2:], kernel, strides, dilations, pairs))
    return Value(f"conv2d({text}, {w.text}{bias}{words})", x.type, shape)


@operator("ConvTranspose")
def transposed_convolution(call):
    x, w = call.input(0), call.input(1)
    if x.rank != 4 or call.attribute("auto_pad", "NOTSET") != "NOTSET" or call.attribute("output_shape"):
        raise NotExpressible("conv_transpose2d of other than two axes or with a given result")
    strides, dilations, pairs = spatial(call, w.extents[2:])
    if any(low != high for low, high in pairs):
        raise NotExpressible("conv_transpose2d with unequal padding")
    words = "".join(f", {name}={plain(numbers)}" for name, numbers, usual in (
        ("stride", strides, 1), ("padding", [low for low, _ in pairs], 0),
        ("output_padding", call.attribute("output_padding") or [0], 0), ("dilation", dilations, 1)) if set(numbers) != {usual})
    bias = f", {call.input(2).text}" if call.has(2) else ""
    return Value(f"conv_transpose2d({x.text}, {w.text}{bias}{words})", x.type, None)


@operator("ConvInteger")
def integer_convolution(call):
    raise NotExpressible("convolutions of integers")


@operator("QLinearConv")
def quantized_convolution(call):
    raise NotExpressible("convolutions of integers")


@operator("AveragePool", "MaxPool")
def pool(call):
    call.one_result()
    x, kernel = call.input(), call.attribute("kernel_shape")
    if len(kernel) > 2:
        raise NotExpressible("pooling along three axes")
    strides, dilations, pairs = spatial(call, kernel)
    if any(dilation != 1 for dilation in dilations):
        raise NotExpressible("pooling with dilation")
    shape = outputs(x.extents[2:], kernel, strides, dilations, pairs)
    if call.attribute("ceil_mode", 0):
        # What is missing of the last window.
        shape = tuple(-(-(extent + low + high - size) // stride) + 1
                      for extent, size, stride, (low, high) in zip(x.extents[2:], kernel, strides, pairs))
        pairs = [(low, max(high, (count - 1) * stride + size - extent - low))
                 for extent, size, stride, count, (low, high) in zip(x.extents[2:], kernel, strides, shape, pairs)]
    whole = (*x.extents[:2], *shape)
    if len(kernel) == 1:
        x = Value(f"expand_dims({x.text}, 2)", x.type, (*x.extents[:2], 1, x.extents[2]))
        kernel, strides, pairs = [1, *kernel], [1, *strides], [(0, 0), *pairs]
    words = f"{plain(kernel)}, stride={plain(strides)}"
    if call.node.op == "MaxPool":
        least = "-float('inf')" if x.type == "f32" else "0"
        text = f"max_pool2d({padded(x, pairs, least)}, {words})"
    else:
        text = f"avg_pool2d({padded(x, pairs)}, {words})"
        if any(low or high for low, high in pairs) and not call.attribute("count_include_pad", 0):
            # Elements of the padding do not count: the mean divided by the share of those that do.
            ones = Value(f"ones_like({x.text})", x.type, x.shape)
            text = f"{text} / avg_pool2d({padded(ones, pairs)}, {words})"
    if len(whole) == 3:
        text = f"squeeze({text}, 2)"
    return Value(text, x.type, whole)


@operator("GlobalAveragePool", "GlobalMaxPool")
def global_pool(call):
    x = call.input()
    axes = tuple_text(range(2, x.rank))
    name = "mean" if call.node.op == "GlobalAveragePool" else "max"
    return Value(f"{name}({x.text}, axis={axes}, keepdims=True)", x.type, x.extents[:2] + (1,) * (x.rank - 2))


@operator("Resize", "Upsample")
def resize(call):
    x = call.input()
    scales = call.constant(1 if call.node.op == "Upsample" else 2)
    if not scales or x.rank != 4 or tuple(scales[:2]) != (1, 1):
        raise NotExpressible("resizing to a given shape")
    mode = call.attribute("mode", "nearest")
    places = call.attribute("coordinate_transformation_mode", "asymmetric" if call.node.op == "Upsample" else "half_pixel")
    up = all(scale == int(scale) and scale >= 1 for scale in scales)
    # With whole factors the nearest pixel is the same by either count of places.
    usual = (mode == "nearest" and up and call.attribute("nearest_mode", "round_prefer_floor") == "round_prefer_floor"
             and places in ("half_pixel", "asymmetric")) or (mode == "linear" and places == "half_pixel" and up)
    if not usual:
        raise NotExpressible(f"resizing {mode}, {places}, by {'fractions' if not up else 'whole numbers'}")
    shape = tuple(int(extent * scale) for extent, scale in zip(x.extents, scales))
    factor = plain([int(scale) for scale in scales[2:]])
    return Value(f'interpolate({x.text}, {factor}, mode="{"nearest" if mode == "nearest" else "bilinear"}")', x.type, shape)


# ---- recurrent layers: unrolled over the steps -------------------------------------------------------------------------
@operator("RNN", "GRU", "LSTM")
def recurrent(call):
    kind, hidden = call.node.op, call.attribute("hidden_size")
    if call.attribute("layout", 0) or call.attribute("direction", "forward") != "forward" or call.has(4):
        raise NotExpressible(f"{kind} with batches first, other directions or lengths")
    if call.attribute("activations") or call.attribute("clip") or call.attribute("input_forget"):
        raise NotExpressible(f"{kind} with other functions")
    x, w, r = (call.input(number) for number in range(3))
    steps, batch, _ = x.extents
    gates = {"RNN": 1, "GRU": 3, "LSTM": 4}[kind]
    wide = gates * hidden

    def named(text):
        return call.name(text, "f32", None).text

    def gate(text, number):
        return f"{text}[:, {number * hidden}:{(number + 1) * hidden}]"

    wt, rt = named(f"{w.text}[0].T"), named(f"{r.text}[0].T")
    wb = f" + {call.input(3).text}[0, 0:{wide}]" if call.has(3) else ""
    rb = f" + {call.input(3).text}[0, {wide}:{2 * wide}]" if call.has(3) else ""
    h = f"{call.input(5).text}[0]" if call.has(5) else None
    c = f"{call.input(6).text}[0]" if call.has(6) else None
    zeros = f"zeros(({batch}, {hidden}), f32)"
    h, c = h or named(zeros), c or (named(zeros) if kind == "LSTM" else None)
    peep = call.input(7).text if call.has(7) else None

    def peephole(number, cell):
        return f" + {peep}[0, {number * hidden}:{(number + 1) * hidden}] * {cell}" if peep else ""

    states = []
    for step in range(steps):
        a = named(f"{x.text}[{step}] @ {wt}{wb}")
        b = named(f"{h} @ {rt}{rb}")
        if kind == "RNN":
            h = named(f"tanh({a} + {b})")
        elif kind == "GRU":
            z, forget = (named(f"sigmoid({gate(a, number)} + {gate(b, number)})") for number in (0, 1))
            if call.attribute("linear_before_reset", 0):
                n = named(f"tanh({gate(a, 2)} + {forget} * {gate(b, 2)})")
            else:
                bias = f" + {call.input(3).text}[0, {wide + 2 * hidden}:{2 * wide}]" if call.has(3) else ""
                n = named(f"tanh({gate(a, 2)} + ({forget} * {h}) @ {rt}[:, {2 * hidden}:{wide}]{bias})")
            h = named(f"(1.0 - {z}) * {n} + {z} * {h}")
        else:
            i = named(f"sigmoid({gate(a, 0)} + {gate(b, 0)}{peephole(0, c)})")
            f = named(f"sigmoid({gate(a, 2)} + {gate(b, 2)}{peephole(2, c)})")
            g = named(f"tanh({gate(a, 3)} + {gate(b, 3)})")
            c = named(f"{f} * {c} + {i} * {g}")
            o = named(f"sigmoid({gate(a, 1)} + {gate(b, 1)}{peephole(1, c)})")
            h = named(f"{o} * tanh({c})")
        states.append(h)
    last = f"reshape({h}, (1, {batch}, {hidden}))"
    every = f"reshape(concat([{', '.join(states)}], axis=0), ({steps}, 1, {batch}, {hidden}))"
    made = [Value(every, "f32", (steps, 1, batch, hidden)), Value(last, "f32", (1, batch, hidden))]
    if kind == "LSTM":
        made.append(Value(f"reshape({c}, (1, {batch}, {hidden}))", "f32", (1, batch, hidden)))
    return made
