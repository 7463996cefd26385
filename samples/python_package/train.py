"""Trains the network of network.tsr on three arms of a spiral, with NumPy's arrays."""

import dataclasses

import network
import numpy as np

random = np.random.default_rng(1)
arm = np.arange(300, dtype=np.int32) % 3
far = np.arange(300) / 300
angle = 4 * far + arm * (2 * np.pi / 3) + 0.1 * random.standard_normal(300)
x = np.stack([far * np.sin(angle), far * np.cos(angle)], axis=1).astype(np.float32)

net = network.Network(
    w1=random.standard_normal((2, 64), dtype=np.float32),
    b1=np.zeros(64, np.float32),
    w2=random.standard_normal((64, 3), dtype=np.float32) * np.float32(0.1),
    b2=np.zeros(3, np.float32),
)
for step in range(2001):
    value, slope = network.loss.value_and_grad(net, x, arm)
    for field in dataclasses.fields(net):
        weights = getattr(net, field.name)
        network.descend(weights.reshape(-1), getattr(slope, field.name).reshape(-1), 1.0)
    if step % 500 == 0:
        print(f"step {step}: loss {value:.3f}")
right = (network.scores(net, x).argmax(axis=1) == arm).mean()
print(f"{100 * right:.0f}% of the points are told right")
