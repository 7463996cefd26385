"""Functions of whole tensors beside the libraries that people use for them, on one thread and on two."""

import glob
import importlib.util
import os
import sys

from register_tiles import THREADS, in_turn, shown

# PyTorch asks the system for fresh memory in each call, which takes longer than what is computed in it: jemalloc keeps it.
KEEPS_MEMORY = "dirty_decay_ms:-1,muzzy_decay_ms:-1,thp:always"


def layer(b):
    for threads in THREADS:
        mine, other = in_turn(b, [b.compile("layer")], [b.peer("onednn_layer", "g++", ["-ldnnl"])], threads)
        b.row(f"gelu(x @ w + b) f32 2048, {shown(threads)}", "ms", mine * 1e3, "oneDNN, post-operations (ms)", other * 1e3,
              other / mine, ">= 1")


def torch_command(program, keeps):
    """PyTorch's program, with its memory kept where that is asked for and possible; nothing without PyTorch."""
    if importlib.util.find_spec("torch") is None:
        return None
    command = [sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), "peers", program)]
    found = glob.glob("/usr/lib/*/libjemalloc.so.2")
    if keeps and not found:
        return None
    return ["env", f"LD_PRELOAD={found[0]}", f"MALLOC_CONF={KEEPS_MEMORY}", *command] if keeps else command


def attention_heads(b):
    ours = [b.compile("attention_heads")]
    for keeps, what, bar in ((True, "PyTorch, memory kept (ms)", ">= 2"), (False, "PyTorch, as called (ms)", "")):
        theirs = torch_command("attention_torch.py", keeps)
        if theirs is None:
            print("attention of heads: no PyTorch, or no jemalloc, to compare with", flush=True)
            continue
        for threads in THREADS:
            mine, other = in_turn(b, ours, theirs, threads)
            b.row(f"attention f32, 16 heads, 1024 x 64, {shown(threads)}", "ms", mine * 1e3, what, other * 1e3, other / mine,
                  bar)


WORKS = {
    "layer": layer,
    "attention-heads": attention_heads,
}
