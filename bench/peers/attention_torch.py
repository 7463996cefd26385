"""Attention of 16 heads, 1024 queries and keys of 64 numbers in f32 by PyTorch: softmax(q k^T / 8) v in three steps, as
its version without a fused one does it. Prints the best time in seconds, and an element."""

import os
import time

import torch

torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))


def pattern(step):
    h, s, d = torch.meshgrid(torch.arange(16), torch.arange(1024), torch.arange(64), indexing="ij")
    return ((s * step + d * 3 + h) % 17 - 8).float()[None] / 8


q, k, v = pattern(5), pattern(7), pattern(2)
best = 1e9
with torch.no_grad():
    for _ in range(15):
        start = time.perf_counter()
        o = torch.softmax(q @ k.transpose(-1, -2) * 0.125, dim=-1) @ v
        best = min(best, time.perf_counter() - start)
print(f"{best:.9f} {o[0, 15, 1023, 63]:.4f}")
