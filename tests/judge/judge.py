"""Values, first and second derivatives of functions that PyTorch has, too: ours beside PyTorch's.

    judge.py TESSERAC                     asks PyTorch
    judge.py TESSERAC --answers FILE      compares with what PyTorch answered before
    judge.py --record FILE                writes that down

Ours are those of a package for Python that the compiler makes of all of them.
"""

import argparse
import importlib
import os
import random
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cases import CASES  # noqa: E402

BOUND = 1e-9  # of a difference, over the largest element


def inputs(name, parameters):
    """The same for the same name, on every machine."""
    draw = random.Random(name)

    def tensor(shape, low=-2.0, high=2.0):
        return np.array([low + (high - low) * draw.random() for _ in range(int(np.prod(shape)))]).reshape(shape)
    return [tensor(*about) for about in parameters.values()], draw


def like(draw, values):
    return [np.array([2 * draw.random() - 1 for _ in range(value.size)]).reshape(value.shape) for value in values]


def program():
    """Each function, and the derivative of its gradient along `v_…`, of its values weighted by `g`."""
    text = '"""Functions that PyTorch has, too."""\n'
    for name, (parameters, ours, _) in CASES.items():
        shapes = {p: f"f64[{', '.join(map(str, about[0]))}]" for p, about in parameters.items()}
        typed = ", ".join(f"{p}: {shape}" for p, shape in shapes.items())
        names = ", ".join(parameters)
        wrt = ", ".join(f'"{p}"' for p in parameters)
        ways = ", ".join(f"v_{p}: {shape}" for p, shape in shapes.items())
        products = " + ".join(f"sum(slopes[{i}] * v_{p})" if len(parameters) > 1 else f"sum(slopes * v_{p})"
                              for i, p in enumerate(parameters))
        gives = len(RESULTS[name])
        weight = f"f64[{', '.join(map(str, RESULTS[name]))}]" if gives else "f64"
        text += f"\n\n@jit\ndef {name}_of({typed}):\n    return {ours}\n"
        text += (f"\n\n@jit\ndef {name}_slope({typed}, {ways}, g: {weight}) -> f64:\n    def weighted({names}):\n"
                 f"        return {f'sum({name}_of({names}) * g)' if gives else f'{name}_of({names}) * g'}\n\n"
                 f"    slopes = grad(weighted, wrt={f'({wrt})' if len(parameters) > 1 else wrt})({names})\n    return {products}\n")
    return text


RESULTS = {}  # the shape of each function's result


def answers_of_torch():
    import torch
    import torch.nn.functional as F
    found = {}
    for name, (parameters, _, theirs) in CASES.items():
        values, draw = inputs(name, parameters)
        tensors = [torch.tensor(value, requires_grad=True) for value in values]
        result = eval(theirs, {"torch": torch, "F": F, **dict(zip(parameters, tensors))})
        ways = like(draw, values)
        g, = like(draw, [result.detach().numpy()])
        slopes = torch.autograd.grad((result * torch.tensor(g)).sum(), tensors, create_graph=True)
        along = sum((slope * torch.tensor(way)).sum() for slope, way in zip(slopes, ways))
        second = torch.autograd.grad(along, tensors, allow_unused=True) if along.requires_grad else [None] * len(tensors)
        found[f"{name}/value"] = result.detach().numpy()
        for i, (slope, one, value) in enumerate(zip(slopes, second, values)):
            found[f"{name}/slope{i}"] = slope.detach().numpy()
            found[f"{name}/second{i}"] = np.zeros_like(value) if one is None else (one + torch.zeros_like(one)).numpy()
    return found


def differs(ours, theirs):
    ours = np.asarray(ours)
    if ours.shape != theirs.shape:
        return f"has the shape {ours.shape}, not {theirs.shape}"
    if theirs.size == 0:
        return ""
    error = np.abs(ours - theirs).max() / max(np.abs(theirs).max(), 1.0)
    return "" if error <= BOUND else f"is off by {error:.1e} of the largest"


def compare(functions, answers):
    passed = failed = 0
    for name, (parameters, _, _) in CASES.items():
        values, draw = inputs(name, parameters)
        faults = []
        try:
            result, back = getattr(functions, f"{name}_of").vjp(*values)
            ways = like(draw, values)
            g, = like(draw, [np.asarray(result)])
            g = g if RESULTS[name] else float(g)
            slopes = back(g)
            second = getattr(functions, f"{name}_slope").grad(*values, *ways, g)
            several = len(values) > 1
            all_ours = {"value": result}
            for i in range(len(values)):
                all_ours[f"slope{i}"] = slopes[i] if several else slopes
                all_ours[f"second{i}"] = second[i]
            for what, one in all_ours.items():
                fault = differs(one, answers[f"{name}/{what}"])
                if fault:
                    faults.append(f"{what} {fault}")
        except (AttributeError, functions.TesseraError) as error:
            faults.append(str(error))
        passed, failed = passed + (not faults), failed + bool(faults)
        for fault in faults:
            print(f"{name}: {fault}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tesserac", nargs="?")
    parser.add_argument("--answers")
    parser.add_argument("--record")
    parser.add_argument("--only", help="a case alone")
    options = parser.parse_args()
    for name in [name for name in CASES if options.only not in (None, name)]:
        del CASES[name]
    answers = dict(np.load(options.answers)) if options.answers else answers_of_torch()
    if options.record:
        np.savez_compressed(options.record, **answers)
        return 0
    RESULTS.update({name: answers[f"{name}/value"].shape for name in CASES})
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "judged.tsr")
        with open(source, "w", encoding="utf-8") as file:
            file.write(program())
        subprocess.run([options.tesserac, source, "--emit=python", "--cpu=native", "--target=cpu", "-O1", "-o", folder], check=True)
        sys.path.insert(0, folder)
        return compare(importlib.import_module("judged"), answers)


if __name__ == "__main__":
    sys.exit(main())
