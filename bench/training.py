"""Training beside PyTorch and beside its limits: gradients, steps, memory, and what Python pays for a call."""

import os
import subprocess
import sys

from graphs import torch_command
from register_tiles import THREADS, in_turn, shown

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "training")


def program(b, name):
    return b.compile(f"training-{name}", os.path.join(FOLDER, f"{name}.tsr"))


def beside_torch(work, name, bar):
    def measure(b):
        theirs = torch_command("training_torch.py", True)
        if theirs is None:
            print(f"{work}: no PyTorch to compare with", flush=True)
            return
        for threads in THREADS:
            mine, other = in_turn(b, [program(b, name)], [*theirs, name], threads)
            b.row(f"{work}, {shown(threads)}", "ms", mine * 1e3, "PyTorch, memory kept (ms)", other * 1e3, other / mine, bar)
    return measure


def gradient_over_forward(work, name):
    def measure(b):
        run = program(b, name)
        for threads in THREADS:
            slope, value = in_turn(b, [run, "--work", "gradient"], [run, "--work", "loss"], threads)
            b.row(f"gradient over forward, {work}, {shown(threads)}", "ms", slope * 1e3, "the loss alone (ms)", value * 1e3,
                  slope / value, "<= 2.5")
    return measure


def optimizer(b):
    for threads in THREADS:
        mine, limit = in_turn(b, [program(b, "adamw")], [b.peer("moved", "gcc", options=("-fopenmp",))], threads)
        b.row(f"AdamW step, 50 M parameters in 60 tensors, {shown(threads)}", "ms", mine * 1e3, "28 bytes each moved (ms)",
              limit * 1e3, mine / limit, "<= 1.2")


def most_memory(command):
    """In MB, of the whole process."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=dict(os.environ, TESSERA_DEVICE="cpu"))
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise subprocess.CalledProcessError(process.returncode, command)
    return used.ru_maxrss / 1e3


def checkpoints(b):
    run = [program(b, "transformer"), "--repeats", "1"]
    kept, recomputed = most_memory(run), most_memory([*run, "--recomputed"])
    b.row("memory of the transformer's step, recomputed", "MB", recomputed, "kept (MB)", kept, recomputed / kept, "<= 0.5")


def compiling(b):
    new, changed = b.compile_seconds(os.path.join(FOLDER, "transformer.tsr"), ["--cpu=native", "--target=cpu"],
                                     ("gelu(", "silu("))
    b.row("transformer's training to executable", "s", new, "", None, None, "< 3 s")
    b.row("transformer's training, activation changed", "s", changed, "", None, None, "< 3 s")


CALL = """
import sys, timeit
sys.path.insert(0, sys.argv[1])
import numpy as np, small_calls
x, y = np.ones(8, np.float32), np.ones(8, np.float32)
print(min(timeit.repeat(lambda: small_calls.step(x, y), number=20000, repeat=7)) / 20000)
"""


def python_calls(b):
    package = os.path.join(b.folder, "package")
    source = os.path.join(os.path.dirname(FOLDER), "operators", "small_calls.tsr")
    subprocess.run([b.tesserac, source, "--emit=python", "--cpu=native", "--target=cpu", "-o", package], check=True)
    seconds, _ = b.best([sys.executable, "-c", CALL, package], 1)
    b.row("call from Python, two arrays of 8 numbers", "us", seconds * 1e6, "", None, None, "< 3 us")


WORKS = {
    "mlp-gradient": gradient_over_forward("network of 3 layers", "mlp"),
    "mlp-step": beside_torch("step of Adam, network 784-512-512-10, batch 256", "mlp", ">= 2"),
    "transformer-gradient": gradient_over_forward("transformer", "transformer"),
    "transformer-step": beside_torch("step of AdamW, transformer of 6 layers, 16 x 256 x 384", "transformer", ">= 1.5"),
    "attention-gradient": beside_torch("attention and its gradient, 16 heads, 1024 x 64", "attention", ">= 2.5"),
    "optimizer": optimizer,
    "checkpoints": checkpoints,
    "compile-training": compiling,
    "python-calls": python_calls,
}
