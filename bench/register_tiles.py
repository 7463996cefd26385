"""Kernels of register tiles and their products beside the best libraries, on one thread and on two."""

import functools
import json
import os
import subprocess

OPENBLAS = ["-lopenblas"]
THREADS = (1, 2)


def in_turn(b, ours, theirs, threads):
    """The best of each, measured in turn, so that a change of the machine's speed meets both."""
    mine = other = float("inf")
    for _ in range(2):
        mine = min(mine, b.best(ours, threads)[0])
        other = min(other, b.best(theirs, threads)[0])
    return mine, other


def shown(threads):
    return f"{threads} thread{'s' if threads > 1 else ''}"


def row(b, work, peer, ours, theirs, threads, bar):
    mine, other = in_turn(b, ours, theirs, threads)
    b.row(f"{work}, {shown(threads)}", "ms", mine * 1e3, f"{peer} (ms)", other * 1e3, other / mine, bar)


def gemm(b):
    for threads in THREADS:
        for m, n, k in ((2048, 2048, 2048), (1000, 777, 1234), (64, 64, 8192)):
            ours = [b.compile("gemm"), "--m", str(m), "--n", str(n), "--k", str(k)]
            theirs = [b.peer("sgemm", "gcc", OPENBLAS), str(m), str(n), str(k)]
            row(b, f"gemm f32 {m} x {n} x {k}", "OpenBLAS", ours, theirs, threads, ">= 1")
        row(b, "gemm f32, 64 of 128 x 128 x 128", "OpenBLAS", [b.compile("gemm_batch")],
            [b.peer("sgemm", "gcc", OPENBLAS), "128", "128", "128", "64"], threads, ">= 1")


def has_peer(b, name):
    """oneDNN multiplies bf16 where the processor does; elsewhere there is nothing to compare with."""
    peer = b.peer("onednn", "g++", ["-ldnnl"])
    if subprocess.run([peer, name], capture_output=True, check=False).returncode == 0:
        return True
    print(f"gemm {name}: oneDNN has no such product for this processor", flush=True)
    return False


def narrow_gemm(b, name, bar):
    if not has_peer(b, name):
        return
    for threads in THREADS:
        row(b, f"gemm {name} 2048 x 2048 x 2048", "oneDNN", [b.compile(f"gemm_{name}")],
            [b.peer("onednn", "g++", ["-ldnnl"]), name], threads, bar)


def unpacked_seconds(b, program, kernel, threads):
    """The best launch of a kernel without the time in which its operands were packed, from the program's trace."""
    trace = os.path.join(b.folder, "trace.json")
    subprocess.run([program], check=True, stdout=subprocess.DEVNULL,
                   env=dict(os.environ, TESSERA_TRACE=trace, TESSERA_THREADS=str(threads), TESSERA_DEVICE="cpu"))
    with open(trace) as file:
        events = json.load(file)["traceEvents"]
    return min(e["dur"] - e["args"]["packing"] for e in events if e["name"] == kernel) / 1e6


def packed_gemm(b, name, bar):
    if not has_peer(b, name):
        return
    for threads in THREADS:
        ours = min(unpacked_seconds(b, b.compile(f"gemm_{name}"), "gemm", threads) for _ in range(b.repeats))
        theirs, _ = b.best([b.peer("onednn", "g++", ["-ldnnl"]), name, "packed"], threads)
        b.row(f"gemm {name}, packing not counted, {shown(threads)}", "ms", ours * 1e3, "oneDNN, packed (ms)", theirs * 1e3,
              theirs / ours, bar)


def attention(b):
    for program, name, bar in (("attention", "f32", ">= 3"), ("attention_bf16", "bf16", ">= 6")):
        for threads in THREADS:
            row(b, f"attention {name} (2048 x 64)", "three steps, OpenBLAS", [b.compile(program)],
                [b.peer("attention", "gcc", [*OPENBLAS, "-fopenmp"])], threads, bar)


def rows(b):
    for name in ("softmax", "layernorm"):
        for threads in THREADS:
            row(b, f"rows {name} (4096 x 4096)", "a copy", [b.compile(name)],
                [b.peer("rows", "gcc", ["-fopenmp"])], threads, ">= 0.83")


WORKS = {
    "gemm": gemm,
    "gemm-bf16": functools.partial(narrow_gemm, name="bf16", bar=">= 1"),
    "gemm-bf16-packed": functools.partial(packed_gemm, name="bf16", bar=">= 0.95"),
    "gemm-i8": functools.partial(narrow_gemm, name="i8", bar=">= 1"),
    "attention": attention,
    "rows": rows,
}
