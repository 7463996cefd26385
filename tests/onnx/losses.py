"""ONNX operators of losses and of steps of training in the language."""

import math

from translate import Value, literal, operator


@operator("SoftmaxCrossEntropyLoss", "NegativeLogLikelihoodLoss")
def class_loss(call):
    x, labels = call.input(0), call.input(1)
    reduction, ignored = call.attribute("reduction", "mean"), call.attribute("ignore_index")
    soft = call.node.op == "SoftmaxCrossEntropyLoss"
    ignore = "" if ignored is None else f", ignore_index={ignored}"
    shape = labels.shape if reduction == "none" else ()
    logs = Value(f"log_softmax({x.text}, axis=1)", x.type, x.shape) if soft else x
    if not call.has(2):
        name = "cross_entropy" if soft else "nll"
        return [Value(f'{name}({x.text}, {labels.text}, axis=1, reduction="{reduction}"{ignore})', x.type, shape), logs]
    # Weights of classes: the loss of each element times the weight of its label.
    if soft:
        logs = call.name(logs.text, x.type, x.shape)
    counted = "" if ignored is None else f" * cast({labels.text} != {ignored}, f32)"
    safe = labels.text if ignored is None else f"where({labels.text} == {ignored}, 0, {labels.text})"
    weights = call.name(f"take({call.input(2).text}, {safe}, 0){counted}", x.type, labels.shape)
    losses = f"-{weights.text} * squeeze(gather({logs.text}, expand_dims({safe}, 1), 1), 1)"
    text = {"none": losses, "sum": f"sum({losses})", "mean": f"sum({losses}) / sum({weights.text})"}[reduction]
    return [Value(text, x.type, shape), logs]


@operator("Adagrad", "Adam", "Momentum")
def optimizer(call):
    states = {"Adagrad": 1, "Adam": 2, "Momentum": 1}[call.node.op]
    rate, step = call.input(0), call.input(1)
    count = (len(call.node.inputs) - 2) // (2 + states)
    parts = [[call.input(2 + part * count + number).text for number in range(count)] for part in range(2 + states)]
    decay = float(call.attribute("norm_coefficient", 0.0))
    eps = literal(float(call.attribute("epsilon", 1e-6)))
    made = [[] for _ in range(1 + states)]
    t = f"cast({step.text}, f32)"
    for x, g, *kept in zip(*parts):
        g = call.name(f"{literal(decay)} * {x} + {g}", "f32", None).text
        if call.node.op == "Adagrad":
            h = call.name(f"{kept[0]} + {g} * {g}", "f32", None)
            speed = f"{rate.text} / (1.0 + {t} * {literal(float(call.attribute('decay_factor', 0.0)))})"
            new = [Value(f"{x} - {speed} * {g} / (sqrt({h.text}) + {eps})", "f32", None), h]
        elif call.node.op == "Adam":
            alpha, beta = float(call.attribute("alpha", 0.9)), float(call.attribute("beta", 0.999))
            v = call.name(f"{alpha!r} * {kept[0]} + {1 - alpha!r} * {g}", "f32", None)
            h = call.name(f"{beta!r} * {kept[1]} + {1 - beta!r} * {g} * {g}", "f32", None)
            steps = call.scalar(1)
            speed = rate.text if steps == 0 else f"{rate.text} * {math.sqrt(1 - beta ** steps) / (1 - alpha ** steps)!r}"
            new = [Value(f"{x} - {speed} * {v.text} / (sqrt({h.text}) + {eps})", "f32", None), v, h]
        else:
            alpha, beta = float(call.attribute("alpha")), float(call.attribute("beta"))
            fresh = beta if call.scalar(1) > 0 else 1.0
            v = call.name(f"{alpha!r} * {kept[0]} + {fresh!r} * {g}", "f32", None)
            direction = f"({g} + {alpha!r} * {v.text})" if call.attribute("mode") == "nesterov" else v.text
            new = [Value(f"{x} - {rate.text} * {direction}", "f32", None), v]
        for group, value in zip(made, new):
            group.append(value)
    return [value for group in made for value in group]
