"""Writes the expected values of tests/run/stdlib: NumPy computes them in f64, by other formulas than the library's.

    references.py FOLDER

Inputs are multiples of 3/8, exact in every type. Each program compares f32, f64 and bf16 results with the values within a
bound relative to max(|value|, 1/64): some units of roundoff, more where a function cancels.
"""

import math
import os
import sys

import numpy as np

np.seterr(all="ignore")
ERF = np.vectorize(math.erf)
X = ((np.arange(34) * 7) % 23 - 11).reshape(2, 17) * 0.375
Y = ((np.arange(34) * 5) % 19 - 9).reshape(2, 17) * 0.375
P = (np.arange(34) % 8).reshape(2, 17) * 0.125  # with zeros
W = (np.arange(17) % 5 - 2) * 0.5
B = (np.arange(17) % 3) * 0.25
# A row of nothing but -inf, rows with inf, NaN, and large numbers.
E = np.array([[-np.inf] * 3, [-np.inf, 0, 1], [np.inf, 0, 1], [np.nan, 0, 1], [1000, 1000, 0], [-1000, -1000, -2000]])

HEAD = '''"""{title}: against values of NumPy, at edges, on axes of length 0, 1 and 17."""
# RUN: %engines %s | FileCheck %s
# CHECK-NOT: wrong
# CHECK: compared
# Written by Inputs/references.py.


def check(name, got, want, bound):
    g = got.astype(f64)
    near = abs(g - want) <= bound * maximum(abs(want), 0.015625)
    if not (near | (g == want) | (isnan(g) & isnan(want))).all():
        print("wrong:", name, got.dtype)
        print(got)
        print(want)


def grid(step, modulus, offset, columns):
    return (cast((arange(0, 2 * columns) * step) % modulus - offset, f32) * 0.375).reshape((2, columns))


def main(columns: i32 = 17):
    x = grid(7, 23, 11, columns)
    y = grid(5, 19, 9, columns)
'''


def softmax(x, axis=-1):
    e = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def logsumexp(x, axis=None):
    return np.logaddexp.reduce(x, axis=axis) if axis is not None else np.logaddexp.reduce(x.ravel())


def row_softmax(x):
    """With the law for rows of nothing but -inf."""
    return np.where(np.all(x == -np.inf, axis=-1, keepdims=True), 0.0, softmax(x))


def row_log_softmax(x):
    return np.where(np.all(x == -np.inf, axis=-1, keepdims=True), -np.inf, x - np.max(x, -1, keepdims=True) - np.log(np.exp(x - np.max(x, -1, keepdims=True)).sum(-1, keepdims=True)))


def layernorm(x, eps=1e-5):
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + eps)


def rmsnorm(x, eps=1e-6):
    return x / np.sqrt((x ** 2).mean(-1, keepdims=True) + eps)


def number(v):
    return {"nan": "nan", "inf": "inf", "-inf": "-inf"}.get(str(float(v)), repr(float(v)))


def array(values):
    """An f64 tensor as a program writes it, in lines of at most 120 columns."""
    values = np.asarray(values, dtype=np.float64)
    words = [number(v) + "," for v in values.ravel()]
    lines, line = [], "        "
    for word in words:
        if len(line) + len(word) > 118:
            lines.append(line.rstrip())
            line = "        "
        line += word + " "
    lines.append(line.rstrip().rstrip(","))
    text = "from_list([\n" + "\n".join(lines) + "\n    ], f64)"
    return text if values.ndim == 1 else f"{text}.reshape({values.shape})"


class Program:
    def __init__(self, title):
        self.text = HEAD.format(title=title)
        self.count = 0

    def line(self, line):
        self.text += f"    {line}\n"

    def compare(self, call, want, loss=1, tensors=("x",), types=("f32", "f64", "bf16")):
        """`call` with {x}, {y}, … for tensors; `loss`: how many units of roundoff are lost in the function itself."""
        want = np.asarray(want, dtype=np.float64)
        scalar = want.ndim == 0
        self.count += 1
        name = f"want{self.count}"
        self.line(f"{name} = {number(want) if scalar else array(want)}")
        for t in types:
            bound = {"f32": 2.0 ** -22, "f64": 2.0 ** -50, "bf16": 2.0 ** -8 + loss * 2.0 ** -22}[t] * (1 if t == "bf16" else loss)
            cast = lambda tensor: tensor if t == "f32" else f"{tensor}.astype({t})"
            got = call.format(**{tensor: cast(tensor) for tensor in tensors})
            got = f"full((1,), {got}, {t})" if scalar else got
            reference = f"full((1,), {name}, f64)" if scalar else name
            self.line(f'check("{plain(call)}", {got}, {reference}, {bound!r})')

    def empty(self, *calls):
        self.text = self.text.replace("# CHECK: compared\n", "", 1)
        self.line("# CHECK-NEXT: compared")
        for call in calls:
            self.line(f"print({call}.shape)")

    def write(self, folder, name):
        self.line('print("compared")')
        with open(os.path.join(folder, name + ".tsr"), "w", encoding="utf-8") as file:
            file.write(self.text)


def plain(call):
    return call.replace("{", "").replace("}", "").replace('"', "")


def activations(folder):
    p = Program("Activations and softmax")
    u = np.sqrt(2 / np.pi) * (X + 0.044715 * X ** 3)
    for call, want, loss in (
            ("relu({x})", np.maximum(X, 0), 1), ("leaky_relu({x})", np.where(X < 0, 0.01 * X, X), 1),
            ("leaky_relu({x}, 0.25)", np.where(X < 0, X / 4, X), 1), ("elu({x}, alpha=2.0)", np.where(X > 0, X, 2 * np.expm1(X)), 2),
            ("gelu({x})", 0.5 * X * (1 + np.tanh(u)), 16), ('gelu({x}, "none")', 0.5 * X * (1 + ERF(X / math.sqrt(2))), 64),
            ("silu({x})", X / (1 + np.exp(-X)), 2), ("sigmoid({x})", np.exp(X) / (1 + np.exp(X)), 2), ("softplus({x})", np.logaddexp(X, 0), 2),
            ("softmax({x})", softmax(X), 8), ("softmax({x}, axis=0)", softmax(X, 0), 8), ("softmax({x}, (0, 1))", softmax(X, (0, 1)), 8),
            ("log_softmax({x})", X - logsumexp(X, 1)[:, None], 8)):
        p.compare(call, want, loss)
    p.line("edges = " + array(E))
    p.line("e = edges.astype(f32)")
    p.compare("softmax({e})", row_softmax(E), 8, ("e",))
    p.compare("log_softmax({e})", row_log_softmax(E), 8, ("e",))
    p.compare("relu({e})", np.where(E <= 0, 0, E), 1, ("e",))
    p.compare("gelu({e})", np.where(E == -np.inf, 0, 0.5 * E * (1 + np.tanh(np.sqrt(2 / np.pi) * (E + 0.044715 * E ** 3)))), 16, ("e",))
    p.compare("silu({e})", np.where(E == -np.inf, 0, E / (1 + np.exp(-E))), 2, ("e",))
    p.compare("sigmoid({e})", 1 / (1 + np.exp(-E)), 2, ("e",))
    p.compare("softplus({e})", np.logaddexp(E, 0), 2, ("e",))
    p.compare("softmax({x}[:, :1])", np.ones((2, 1)), 1)
    p.compare("log_softmax({x}[:, :1])", np.zeros((2, 1)), 1)
    p.line("# CHECK: (2, 0)")
    p.line("# CHECK-NEXT: (0, 3)")
    p.empty("softmax(zeros((2, 0)))", "log_softmax(zeros((0, 3)))")
    p.write(folder, "activations")


def reductions(folder):
    p = Program("Reductions of the library and elementwise functions")
    for call, want, loss in (
            ("logsumexp({x}, axis=1)", logsumexp(X, 1), 8), ("logsumexp({x}, 0, keepdims=True)", logsumexp(X, 0)[None], 8), ("logsumexp({x})", logsumexp(X), 8),
            ("norm({x}, axis=1)", np.linalg.norm(X, axis=1), 8), ("norm({x})", np.linalg.norm(X.ravel()), 8), ("norm({x}, 1, axis=0)", np.linalg.norm(X, 1, axis=0), 8),
            ("norm({x}, inf, axis=1)", np.linalg.norm(X, np.inf, axis=1), 1), ("norm({x}, -inf, axis=1)", np.linalg.norm(X, -np.inf, axis=1), 1),
            ("norm({x}, 0, axis=1)", np.linalg.norm(X, 0, axis=1), 1), ("norm({x}, 3, axis=1, keepdims=True)", np.linalg.norm(X, 3, axis=1, keepdims=True), 16),
            ("{x}.norm(axis=1)", np.linalg.norm(X, axis=1), 8), ("square({x})", X * X, 1), ("reciprocal({x})", 1 / X, 1), ("{x}.square()", X * X, 1)):
        p.compare(call, want, loss)
    p.compare("logaddexp({x}, {y})", np.logaddexp(X, Y), 4, ("x", "y"))
    p.line("edges = " + array(E))
    p.line("e = edges.astype(f32)")
    p.compare("logsumexp({e}, axis=1)", [-np.inf, np.logaddexp(0, 1), np.inf, np.nan, 1000 + math.log(2), -1000 + math.log(2)], 8, ("e",))
    p.compare("logaddexp({e}, {e})", E + math.log(2), 4, ("e",))
    p.compare("norm({e}, axis=1)", [np.inf, np.inf, np.inf, np.nan, 1000 * math.sqrt(2), 1000 * math.sqrt(6)], 8, ("e",))
    p.compare("logsumexp({x}[:, :1], axis=1)", X[:, 0], 1)
    p.compare("logsumexp({x}[:, :0], axis=1)", [-np.inf, -np.inf], 1)
    p.compare("norm({x}[:, :0], axis=1)", [0, 0], 1)
    p.compare("norm({x}[:, :0], inf, axis=1)", [0, 0], 1)
    p.write(folder, "reductions")


def normalization(folder):
    p = Program("Normalization")
    p.line("w = " + array(W))
    p.line("b = " + array(B))
    p.line("wide, plus = w.astype(f32), b.astype(f32)")
    T = ("x", "wide", "plus")
    p.compare("layernorm({x})", layernorm(X), 16)
    p.compare("layernorm({x}, {wide}, {plus})", layernorm(X) * W + B, 16, T)
    p.compare("layernorm({x}, {wide}, eps=0.5)", layernorm(X, 0.5) * W, 16, T)
    p.compare("layernorm({x}, bias={plus})", layernorm(X) + B, 16, T)
    p.compare("layernorm({x}, wide, plus)", layernorm(X) * W + B, 16, ("x",), ("f32", "bf16"))
    p.compare("rmsnorm({x})", rmsnorm(X), 16)
    p.compare("rmsnorm({x}, {wide})", rmsnorm(X) * W, 16, T)
    p.compare("layernorm({x}[:, :1])", np.zeros((2, 1)), 1)
    p.compare("rmsnorm({x} * 0.0)", np.zeros((2, 17)), 1)
    p.line("# CHECK: (2, 0)")
    p.line("# CHECK-NEXT: (0, 3)")
    p.empty("layernorm(zeros((2, 0)))", "rmsnorm(zeros((0, 3)))")
    p.line("image = grid(7, 23, 11, 12).reshape((2, 4, 3))")
    p.line("cw, cb = from_list([-1.0, -0.5, 0.0, 0.5]), from_list([0.0, 0.25, 0.5, 0.0])")
    p.line("cm, cv = from_list([0.5, -0.5, 0.0, 1.0]), from_list([1.0, 0.25, 2.0, 4.0])")
    Z = (((np.arange(24) * 7) % 23 - 11) * 0.375).reshape(2, 4, 3)
    channel = lambda values: np.array(values)[None, :, None]
    cw, cb = channel([-1.0, -0.5, 0.0, 0.5]), channel([0.0, 0.25, 0.5, 0.0])
    cm, cv = channel([0.5, -0.5, 0.0, 1.0]), channel([1.0, 0.25, 2.0, 4.0])
    C = ("image", "cw", "cb", "cm", "cv")
    for groups in (1, 2, 4):
        p.compare(f"groupnorm({{image}}, {groups})", layernorm(Z.reshape(2, groups, -1)).reshape(Z.shape), 16, C)
    p.compare("groupnorm({image}, 2, {cw}, {cb}, eps=0.5)", layernorm(Z.reshape(2, 2, -1), 0.5).reshape(Z.shape) * cw + cb, 16, C)
    p.compare("groupnorm({image}, 2, bias={cb})", layernorm(Z.reshape(2, 2, -1)).reshape(Z.shape) + cb, 16, C)
    p.compare("batchnorm({image}, {cw}, {cb}, {cm}, {cv})", (Z - cm) / np.sqrt(cv + 1e-5) * cw + cb, 16, C)
    p.compare("batchnorm({image}, None, None, {cm}, {cv}, 0.5)", (Z - cm) / np.sqrt(cv + 0.5), 16, C)
    center, variance = Z.mean((0, 2), keepdims=True), Z.var((0, 2), keepdims=True)
    y = (Z - center) / np.sqrt(variance + 1e-5)
    p.compare("batchnorm_train({image}, {cw}, {cb}, {cm}, {cv})[0]", y * cw + cb, 16, C)
    p.compare("batchnorm_train({image}, {cw}, None, {cm}, {cv})[0]", y * cw, 16, C)
    p.compare("batchnorm_train({image}, None, None, {cm}, {cv})[1]", (0.9 * cm + 0.1 * center).ravel(), 16, C)
    p.compare("batchnorm_train({image}, None, None, {cm}, {cv}, 0.25)[2]", (0.75 * cv + 0.25 * Z.var((0, 2), ddof=1, keepdims=True)).ravel(), 16, C)
    p.write(folder, "normalization")


def losses(folder):
    p = Program("Losses")
    p.line("p = " + array(P))
    p.line("t = p.astype(f32)")
    D = X - Y
    huber = np.where(abs(D) <= 1, D * D / 2, abs(D) - 0.5)
    bce = -(P * np.log(1 / (1 + np.exp(-X))) + (1 - P) * np.log(1 / (1 + np.exp(X))))
    kl = np.where(P == 0, 0, P * (np.log(np.where(P == 0, 1, P)) - X))
    for call, want in (("mse({x}, {y}", D * D), ("l1({x}, {y}", abs(D)), ("huber({x}, {y}", huber), ("bce_with_logits({x}, {t}", bce), ("kl_div({x}, {t}", kl)):
        names = ("x", "y", "t")
        p.compare(call + ")", want.mean(), 16, names)
        p.compare(call + ', "sum")', want.sum(), 16, names)
        p.compare(call + ', reduction="none")', want, 16, names)
    p.compare('huber({x}, {y}, "none", delta=0.5)', np.where(abs(D) <= 0.5, D * D / 2, 0.5 * (abs(D) - 0.25)), 4, ("x", "y"))
    p.compare('kl_div({x}, {t}, "batchmean")', kl.sum() / 2, 16, ("x", "t"))
    p.compare("mse({x}[:, :0], {y}[:, :0])", np.nan, 1, ("x", "y"))
    p.compare('l1({x}[:, :0], {y}[:, :0], "sum")', 0, 1, ("x", "y"))
    p.compare("mse({x}[:, :1], {y}[:, :1])", ((D * D)[:, :1]).mean(), 4, ("x", "y"))
    p.line("labels = from_list([3, -100])")
    p.line("down = (arange(0, 17) % 3 - 1)")
    logs = X - logsumexp(X, 1)[:, None]
    across = X - logsumexp(X, 0)
    p.compare("cross_entropy({x}, labels)", -logs[0, 3], 16)
    p.compare('cross_entropy({x}, cast(labels, i8), reduction="none")', [-logs[0, 3], 0], 16)
    p.compare('cross_entropy({x}, labels, reduction="sum", label_smoothing=0.25)', -(0.75 * logs[0, 3] + 0.25 * logs[0].mean()), 16)
    down = np.arange(17) % 3 - 1
    terms = np.array([0 if c == -1 else -across[c, j] for j, c in enumerate(down)])
    p.compare('cross_entropy({x}, down, 0, "none", -1)', terms, 64)
    p.compare("cross_entropy({x}, down, axis=0, ignore_index=-1)", terms.sum() / (down != -1).sum(), 64)
    p.compare("nll({x}, labels)", -X[0, 3], 1)
    terms = np.array([0 if c == -1 else -X[c, j] for j, c in enumerate(down)])
    p.compare('nll({x}, down, 0, "none", -1)', terms, 1)
    p.compare('nll({x}, cast(down, i64), 0, "sum", -1)', terms.sum(), 16)
    p.compare("nll({x}, labels * 0 - 100)", np.nan, 1)
    p.write(folder, "losses")


def making(folder):
    p = Program("Tensors of positions")
    p.line("ids = from_list([2, 0, 5, -1])")
    p.compare("one_hot(ids, 3)", [[0, 0, 1], [1, 0, 0], [0, 0, 0], [0, 0, 0]], 1, (), ("f32",))
    p.compare("one_hot(ids.reshape((2, 2)), 1, f64)", np.array([0, 1, 0, 0]).reshape(2, 2, 1), 1, (), ("f64",))
    p.compare("eye(2, 3)", np.eye(2, 3), 1, (), ("f32",))
    p.compare("eye(3, 1, f64)", np.eye(3, 1), 1, (), ("f64",))
    for k in (-1, 0, 1, 20):
        p.compare(f"tril({{x}}, {k})", np.tril(X, k), 1)
        p.compare(f"triu({{x}}, {k})", np.triu(X, k), 1)
    p.line("cube = grid(7, 23, 11, 12).reshape((2, 4, 3))")
    Z = (((np.arange(24) * 7) % 23 - 11) * 0.375).reshape(2, 4, 3)
    p.compare("tril({cube})", np.tril(Z), 1, ("cube",))
    p.compare("triu({cube})", np.triu(Z), 1, ("cube",))
    p.line("# CHECK: (0, 3)")
    p.empty("tril(zeros((0, 3)))")
    p.write(folder, "making")


def heads(folder):
    p = Program("Heads and their rotation")
    p.line("wide = grid(7, 23, 11, 24).reshape((2, 3, 8))")
    Z = (((np.arange(48) * 7) % 23 - 11) * 0.375).reshape(2, 3, 8)
    T = ("wide",)
    parts = Z.reshape(2, 3, 4, 2).transpose(0, 2, 1, 3)
    for i, part in enumerate((parts[:, :2], parts[:, 2:3], parts[:, 3:])):
        p.compare(f"split_qkv({{wide}}, 2, 1)[{i}]", part, 1, T)
    p.line("same = grid(7, 23, 11, 18).reshape((1, 3, 12))")
    same = (((np.arange(36) * 7) % 23 - 11) * 0.375).reshape(1, 3, 12)
    for i in range(3):
        p.compare(f"split_qkv({{same}}, 2)[{i}]", same.reshape(1, 3, 3, 2, 2)[:, :, i].transpose(0, 2, 1, 3), 1, ("same",))
    p.compare("merge_heads({wide}.reshape((2, 3, 4, 2)))", Z.reshape(2, 3, 4, 2).transpose(0, 2, 1, 3).reshape(2, 4, 6), 1, T)

    def turned(real, imaginary, positions, base):
        """By products of complex numbers."""
        z = (real + 1j * imaginary) * np.exp(1j * np.asarray(positions)[:, None] * float(base) ** (-np.arange(4) / 4))
        return z.real, z.imag

    def halves(positions, base=10000.0):
        return np.concatenate(turned(Z[..., :4], Z[..., 4:], positions, base), -1)

    def beside(positions, base=10000.0):
        return np.stack(turned(Z[..., 0::2], Z[..., 1::2], positions, base), -1).reshape(Z.shape)

    p.line("at = from_list([5, 0, 2])")
    p.compare("rope({wide})", halves([0, 1, 2]), 1024, T)
    p.compare("rope({wide}, at, 100.0)", halves([5, 0, 2], 100), 1024, T)
    p.compare("rope({wide}, interleaved=True)", beside([0, 1, 2]), 1024, T)
    p.compare("rope({wide}, at, base=100.0, interleaved=True)", beside([5, 0, 2], 100), 1024, T)
    p.write(folder, "heads")


if __name__ == "__main__":
    for group in (activations, reductions, normalization, losses, making, heads):
        group(sys.argv[1])
