"""Functions of whole tensors beside the libraries that people use for them, on one thread and on two."""

import glob
import importlib.util
import os
import subprocess
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


OPERATORS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "operators")


def operator_program(b, name):
    return b.compile(name, os.path.join(OPERATORS, f"{name}.tsr"))


def by_libraries(b, work):
    """The works that NumPy and SciPy do by OpenBLAS and pocketfft; nothing without them."""
    if importlib.util.find_spec("scipy") is None:
        return None
    return [sys.executable, os.path.join(os.path.dirname(OPERATORS), "peers", "operators_numpy.py"), work]


def operator(program, work, shown_work, peer, bar):
    """A row for each number of threads: `work` of bench/operators/PROGRAM.tsr, which has several, beside its peer."""
    def measure(b):
        theirs = by_libraries(b, work) if peer == "SciPy" else torch_command("operators_torch.py", True)
        if theirs is None:
            print(f"{shown_work}: no {peer} to compare with", flush=True)
            return
        theirs = theirs if peer == "SciPy" else [*theirs, work]
        ours = [operator_program(b, program)] + ([] if program == work else ["--work", work])
        for threads in THREADS:
            mine, other = in_turn(b, ours, theirs, threads)
            b.row(f"{shown_work}, {shown(threads)}", "ms", mine * 1e3, f"{peer} (ms)", other * 1e3, other / mine, bar)
    return measure


def small_calls(b):
    seconds, _ = b.best([operator_program(b, "small_calls")], 1)
    b.row("call of a @jit function of 8 numbers", "ns", seconds * 1e9, "", None, None, "< 1000 ns")


def twelve_layers(b):
    new, changed = b.compile_seconds(os.path.join(OPERATORS, "twelve_layers.tsr"), ["--cpu=native"], ("gelu(", "silu("))
    b.row("graph of 12 equal layers to executable", "s", new, "", None, None, "< 1.5 s")
    b.row("graph of 12 equal layers, activation changed", "s", changed, "", None, None, "< 1.5 s")


TORCH = "PyTorch, memory kept"
WORKS = {
    "layer": layer,
    "attention-heads": attention_heads,
    "chain": operator("elementwise", "chain", "chain of 10 operations, 64 MB", TORCH, ">= 5"),
    "add": operator("elementwise", "add", "a + b, 64 MB, beside a given result", TORCH, ">= 1"),
    "softmax-rows": operator("rows", "softmax", "softmax f32 4096 x 4096", TORCH, ">= 2"),
    "layernorm-rows": operator("rows", "layernorm", "layernorm f32 4096 x 4096", TORCH, ">= 2"),
    "rmsnorm-rows": operator("rows", "rmsnorm", "rmsnorm f32 4096 x 4096", TORCH, ">= 2"),
    "cross-entropy": operator("rows", "cross_entropy", "cross_entropy f32 4096 x 32000", TORCH, ">= 3"),
    "block": operator("block", "block", "transformer block, 4 x 512 x 512", TORCH, ">= 1.5"),
    "convolution": operator("convolution", "convolution", "conv2d 3 x 3, 64 to 64, 8 x 56 x 56", TORCH, ">= 0.9"),
    "fft": operator("spectral", "fft", "fft c64 2^20", "SciPy", ">= 0.6"),
    "fft2d": operator("spectral", "fft2d", "fft2d c64 1024 x 1024", "SciPy", ">= 0.6"),
    "cholesky": operator("factorizations", "cholesky", "cholesky f32 1024", "SciPy", ">= 0.8"),
    "lu": operator("factorizations", "lu", "lu f32 1024", "SciPy", ">= 0.8"),
    "solve": operator("factorizations", "solve", "solve f32 1024, 16 right sides", "SciPy", ">= 0.8"),
    "svd": operator("factorizations", "svd", "svd f32 512", "SciPy", ">= 0.8"),
    "sort": operator("order", "sort", "sort of 10^7 f32", TORCH, ">= 1"),
    "cumsum": operator("order", "cumsum", "cumsum of 10^7 f32", TORCH, ">= 1"),
    "argmax": operator("order", "argmax", "argmax of 10^7 f32", TORCH, ">= 1"),
    "gather-rows": operator("order", "gather", "x[ids] of 10^7 f32", TORCH, ">= 1"),
    "sparse": operator("sparse", "sparse", "spmv csr, 10^6 x 16", "SciPy", ">= 1"),
    "small-calls": small_calls,
    "twelve-layers": twelve_layers,
}
