"""The works of bench/operators by PyTorch: prints the best time of a call in seconds.

    operators_torch.py WORK
"""

import os
import sys

import torch
import torch.nn.functional as F
from best import print_best

torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
torch.manual_seed(1)


def chain():
    x, y = torch.rand(1 << 24), torch.rand(1 << 24)

    def run():
        a = x * 0.5 + y
        b = torch.tanh(a) - y
        c = torch.exp(b * -0.25)
        return torch.clamp(c * a + b, min=0.0) * 2.0 - x
    return run


def add_into():
    x, y, z = torch.rand(1 << 24), torch.rand(1 << 24), torch.empty(1 << 24)
    return lambda: torch.add(x, y, out=z)


def rows(function):
    x = torch.rand(4096, 4096)
    return lambda: function(x)


def rmsnorm():
    w = torch.ones(4096)
    return rows(lambda x: x * torch.rsqrt((x * x).mean(dim=-1, keepdim=True) + 1e-6) * w)


def cross_entropy():
    x, labels = torch.rand(4096, 32000), torch.arange(4096) * 7 % 32000
    return lambda: F.cross_entropy(x, labels)


def block():
    d, heads = 512, 8
    qkv, out, up, down = (torch.randn(*shape) * 0.04 for shape in ((d, 3 * d), (d, d), (d, 4 * d), (4 * d, d)))
    x = torch.randn(4, 512, d)
    mask = torch.full((512, 512), -float("inf")).triu(1)
    angle = torch.arange(512)[:, None] * 10000.0 ** (-torch.arange(32) / 32)
    cos, sin = angle.cos(), angle.sin()

    def normalized(x):
        return x * torch.rsqrt((x * x).mean(dim=-1, keepdim=True) + 1e-6)

    def rotated(x):
        a, b = x[..., :32], x[..., 32:]
        return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1)

    def run():
        q, k, v = (t.reshape(4, 512, heads, 64).transpose(1, 2) for t in (normalized(x) @ qkv).split(d, dim=-1))
        scores = rotated(q) @ rotated(k).transpose(-1, -2) * 0.125 + mask
        y = x + (torch.softmax(scores, dim=-1) @ v).transpose(1, 2).reshape(4, 512, d) @ out
        return y + F.gelu(normalized(y) @ up) @ down
    return run


def convolution():
    x, w = torch.randn(8, 64, 56, 56), torch.randn(64, 64, 3, 3)
    return lambda: F.conv2d(x, w, padding=1)


def of_numbers(function):
    x = torch.rand(10_000_000)
    return lambda: function(x)


def gather():
    ids = torch.randint(0, 10_000_000, (10_000_000,))
    return of_numbers(lambda x: x[ids])


WORKS = {
    "chain": chain,
    "add": add_into,
    "softmax": lambda: rows(lambda x: torch.softmax(x, dim=-1)),
    "layernorm": lambda: rows(lambda x: F.layer_norm(x, (4096,), torch.ones(4096), torch.zeros(4096))),
    "rmsnorm": rmsnorm,
    "cross_entropy": cross_entropy,
    "block": block,
    "convolution": convolution,
    "sort": lambda: of_numbers(lambda x: torch.sort(x)),
    "cumsum": lambda: of_numbers(lambda x: torch.cumsum(x, 0)),
    "argmax": lambda: of_numbers(torch.argmax),
    "gather": gather,
}


with torch.no_grad():
    print_best(WORKS[sys.argv[1]]())
