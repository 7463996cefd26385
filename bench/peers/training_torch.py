"""The works of bench/training by PyTorch, in f32: prints the best time in seconds.

    training_torch.py WORK
"""

import os
import sys

import torch
import torch.nn.functional as F
from best import print_best

torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
torch.manual_seed(1)


def parameters(*shapes, scale=0.04):
    return [(torch.randn(*shape) * scale).requires_grad_() for shape in shapes]


def step_of(loss, weights, optimizer):
    def run():
        optimizer.zero_grad(set_to_none=True)
        loss().backward()
        optimizer.step()
    return run


def mlp():
    x, labels = torch.randn(256, 784), torch.arange(256) * 7 % 10
    w1, b1, w2, b2, w3, b3 = weights = parameters((784, 512), (512,), (512, 512), (512,), (512, 10), (10,))

    def loss():
        h = torch.relu(torch.addmm(b2, torch.relu(torch.addmm(b1, x, w1)), w2))
        return F.cross_entropy(torch.addmm(b3, h, w3), labels)
    return step_of(loss, weights, torch.optim.Adam(weights, lr=1e-4, foreach=True))


def transformer():
    d, heads, length = 384, 6, 256
    letters = torch.arange(16 * length).reshape(16, length) * 7 % 64
    following = (letters + 7) % 64
    table, = parameters((64, d), scale=0.1)
    layers = [(torch.ones(d, requires_grad=True), *parameters((d, 3 * d), (d, d)), torch.ones(d, requires_grad=True),
               *parameters((d, 4 * d), (4 * d, d))) for _ in range(6)]
    norm = torch.ones(d, requires_grad=True)
    mask = torch.full((length, length), -float("inf")).triu(1)
    half = d // heads // 2
    angle = torch.arange(length)[:, None] * 10000.0 ** (-torch.arange(half) / half)
    cos, sin = angle.cos(), angle.sin()

    def normalized(x, w):
        return x * torch.rsqrt((x * x).mean(dim=-1, keepdim=True) + 1e-6) * w

    def rotated(x):
        a, b = x[..., :half], x[..., half:]
        return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1)

    def loss():
        x = table[letters]
        for norm1, qkv, merge, norm2, up, down in layers:
            q, k, v = (t.reshape(16, length, heads, d // heads).transpose(1, 2)
                       for t in (normalized(x, norm1) @ qkv).split(d, dim=-1))
            scores = rotated(q) @ rotated(k).transpose(-1, -2) * (d // heads) ** -0.5 + mask
            x = x + (torch.softmax(scores, dim=-1) @ v).transpose(1, 2).reshape(16, length, d) @ merge
            x = x + F.gelu(normalized(x, norm2) @ up) @ down
        return F.cross_entropy((normalized(x, norm) @ table.T).reshape(-1, 64), following.reshape(-1))
    weights = [table, norm, *(w for layer in layers for w in layer)]
    return step_of(loss, weights, torch.optim.AdamW(weights, lr=1e-4, foreach=True))


def attention():
    q, k, v = parameters(*[(1, 16, 1024, 64)] * 3, scale=1.0)
    g = torch.randn(1, 16, 1024, 64)

    def run():
        q.grad = k.grad = v.grad = None
        o = torch.softmax(q @ k.transpose(-1, -2) * 0.125, dim=-1) @ v
        o.backward(g)
    return run


WORKS = {"mlp": mlp, "transformer": transformer, "attention": attention}
print_best(WORKS[sys.argv[1]](), 30 if sys.argv[1] == "mlp" else 5)
