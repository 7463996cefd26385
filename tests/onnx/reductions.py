"""ONNX operators that combine along axes, and those of rows and channels made of them."""

from translate import Value, literal, operator, tuple_text


REDUCTIONS = {
    "ReduceSum": "sum({x}{axes})", "ReduceMean": "mean({x}{axes})", "ReduceMax": "max({x}{axes})",
    "ReduceMin": "min({x}{axes})", "ReduceProd": "prod({x}{axes})", "ReduceL1": "sum(abs({x}){axes})",
    "ReduceL2": "sqrt(sum({x} * {x}{axes}))", "ReduceLogSum": "log(sum({x}{axes}))",
    "ReduceLogSumExp": "logsumexp({x}{axes})", "ReduceSumSquare": "sum({x} * {x}{axes})",
}


def reduced(shape, axes, keep):
    if shape is None:
        return None
    axes = [axis % len(shape) for axis in axes]
    return tuple(1 if number in axes else extent for number, extent in enumerate(shape) if keep or number not in axes)


@operator(*REDUCTIONS)
def reduce(call):
    x = call.input()
    axes = call.attribute("axes") or call.constant(1) or []
    keep = call.attribute("keepdims", 1)
    if not axes and call.attribute("noop_with_empty_axes", 0):
        return x
    # The whole tensor becomes a scalar; with its axes kept a tensor again.
    if not axes and not keep:
        return Value(REDUCTIONS[call.node.op].format(x=x.text, axes=""), x.type, ())
    axes = axes or list(range(x.rank))
    words = f", axis={axes[0] if len(axes) == 1 else tuple_text(axes)}" + (", keepdims=True" if keep else "")
    return Value(REDUCTIONS[call.node.op].format(x=x.text, axes=words), x.type, reduced(x.shape, axes, keep))


@operator("ArgMax", "ArgMin")
def index_of_extreme(call):
    x, axis, keep = call.input(), call.attribute("axis", 0), call.attribute("keepdims", 1)
    axis %= x.rank
    text = f"{call.node.op.lower()}({x.text}, axis={axis})"
    if call.attribute("select_last_index", 0):
        text = f"{x.extents[axis] - 1} - {call.node.op.lower()}(flip({x.text}, axis={axis}), axis={axis})"
    if keep:
        text = f"expand_dims({text}, {axis})"
    return Value(text, "i64", reduced(x.shape, [axis], keep))


@operator("CumSum")
def cumulative_sum(call):
    x, axis = call.input(), call.scalar(1, 0)
    text = f"cumsum({x.text}, axis={axis}{', reverse=True' if call.attribute('reverse', 0) else ''})"
    if call.attribute("exclusive", 0):
        text = f"{text} - {x.text}"
    return Value(text, x.type, x.shape)


@operator("Softmax", "LogSoftmax")
def softmax(call):
    x = call.input()
    name = "softmax" if call.node.op == "Softmax" else "log_softmax"
    return Value(f"{name}({x.text}, axis={call.attribute('axis', -1)})", x.type, x.shape)


@operator("Hardmax")
def hardmax(call):
    x = call.input()
    axis = call.attribute("axis", -1) % x.rank
    text = f"one_hot(argmax({x.text}, axis={axis}), {x.extents[axis]}, {x.type})"
    return Value(text if axis == x.rank - 1 else f"moveaxis({text}, -1, {axis})", x.type, x.shape)


@operator("LayerNormalization")
def layer_normalization(call):
    x = call.input()
    axis, eps = call.attribute("axis", -1) % x.rank, literal(float(call.attribute("epsilon", 1e-5)))
    if axis == x.rank - 1 and call.results() == 1:
        scale = "".join(f", {call.input(number).text}" for number in (1, 2) if call.has(number))
        return Value(f"layernorm({x.text}{scale}, eps={eps})", x.type, x.shape)
    axes = tuple_text(range(axis, x.rank))
    mean = call.name(f"mean({x.text}, axis={axes}, keepdims=True)", x.type, None)
    inverse = call.name(f"rsqrt(var({x.text}, axis={axes}, keepdims=True) + {eps})", x.type, None)
    text = f"({x.text} - {mean.text}) * {inverse.text}"
    if call.has(1):
        text += f" * {call.input(1).text}"
    if call.has(2):
        text += f" + {call.input(2).text}"
    return [Value(text, x.type, x.shape), mean, inverse]


@operator("InstanceNormalization")
def instance_normalization(call):
    x = call.input()
    return Value(f"groupnorm({x.text}, {x.extents[1]}, {call.input(1).text}, {call.input(2).text}, "
                 f"{literal(float(call.attribute('epsilon', 1e-5)))})", x.type, x.shape)


@operator("BatchNormalization")
def batch_normalization(call):
    x, scale, bias, mean, var = (call.input(number) for number in range(5))
    eps = literal(float(call.attribute("epsilon", 1e-5)))
    if not call.attribute("training_mode", 0):
        return Value(f"batchnorm({x.text}, {scale.text}, {bias.text}, {mean.text}, {var.text}, eps={eps})", x.type, x.shape)
    # The variance that is kept is that of the batch itself, without torch's correction.
    axes = tuple_text(axis for axis in range(x.rank) if axis != 1)
    column = tuple_text([x.extents[1]] + [1] * (x.rank - 2))
    now = call.name(f"mean({x.text}, axis={axes}, keepdims=True)", x.type, None)
    spread = call.name(f"var({x.text}, axis={axes}, keepdims=True)", x.type, None)
    old = call.attribute("momentum", 0.9)
    kept = [Value(f"{old} * {before.text} + {1 - old} * reshape({new.text}, ({x.extents[1]},))", x.type, before.shape)
            for before, new in ((mean, now), (var, spread))]
    text = (f"({x.text} - {now.text}) * rsqrt({spread.text} + {eps}) * reshape({scale.text}, {column}) + "
            f"reshape({bias.text}, {column})")
    return [Value(text, x.type, x.shape), *kept]


@operator("MeanVarianceNormalization")
def mean_variance_normalization(call):
    x = call.input()
    axes = tuple_text(call.attribute("axes", [0, 2, 3]))
    return Value(f"({x.text} - mean({x.text}, axis={axes}, keepdims=True)) / "
                 f"(std({x.text}, axis={axes}, keepdims=True) + 1e-9)", x.type, x.shape)


@operator("LRN")
def local_response_normalization(call):
    x, size = call.input(), call.attribute("size")
    low, high = (size - 1) // 2, size - 1 - (size - 1) // 2
    none = "(0, 0)"
    square = call.name(f"pad({x.text} * {x.text}, ({none}, ({low}, {high}), {none}, {none}))", x.type, None)
    total = " + ".join(f"{square.text}[:, {k}:{k + x.extents[1]}]" for k in range(size))
    alpha, beta, bias = (float(call.attribute(name, number)) for name, number in (("alpha", 1e-4), ("beta", 0.75), ("bias", 1.0)))
    return Value(f"{x.text} / ({literal(bias)} + {literal(alpha / size)} * ({total})) ** {literal(beta)}", x.type, x.shape)
