"""Files and printed tensors against NumPy itself, where it is installed (else the test is skipped).

usage: numpy_check.py COPY_TENSOR
"""
import random
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import numpy as np
except ImportError:
    sys.exit(77)

DTYPES = [np.float64, np.float32, np.float16, np.int8, np.int32, np.int64, np.uint8, np.uint64, np.bool_, np.complex64]
ROUNDS = 150


def sample(rng, dice):
    """An array of any type and shape, values of all sizes, sometimes with infinities, zeros and NaN."""
    rank = dice.choice([0, 1, 1, 2, 2, 3, 4])
    shape = tuple(dice.choice([0, 1, 2, 3, 5, 8, 40]) for _ in range(rank))
    if dice.random() < 0.15:
        shape = dice.choice([(1001,), (35, 40), (12, 10, 11)])
    values = rng.standard_normal(shape)
    kind = dice.randrange(4)
    if kind == 0:
        values = np.round(values * 20) / 4
    elif kind == 1:
        values = values * 10.0 ** rng.integers(-12, 12, shape)
    elif kind == 2:
        values = np.where(rng.random(shape) < 0.2, rng.choice([np.nan, np.inf, -np.inf, 0.0, -0.0], shape), values)
    dtype = dice.choice(DTYPES)
    with np.errstate(all="ignore"):
        if np.issubdtype(dtype, np.integer):
            return np.nan_to_num(values * 50, posinf=3, neginf=2).astype(np.int64).astype(dtype)
        if dtype == np.complex64:
            return (values + 1j * values[::-1] if rank else values + 1j * values).astype(dtype)
        return (values > 0) if dtype == np.bool_ else np.asarray(values, dtype)


def check(array, dice, folder, tool):
    source = folder / dice.choice(["a.npy", "a.npz", "b.npz"])
    stored = array
    if array.ndim and dice.random() < 0.3:
        stored = np.asfortranarray(stored)
    if dice.random() < 0.3:
        stored = stored.astype(stored.dtype.newbyteorder(">"))
    if source.suffix == ".npy":
        np.save(source, stored)
    elif source.name == "a.npz":
        np.savez(source, t=stored)
    else:
        np.savez_compressed(source, t=stored)
    target = folder / dice.choice(["r.npy", "r.npz"])
    run = subprocess.run([tool, source, target], capture_output=True, text=True)
    if run.returncode != 0:
        return f"{source.name}: {run.stderr}"
    with np.errstate(all="ignore"):
        expected = str(array[()])
    if run.stdout != expected + "\n":
        return f"{array.dtype} {array.shape}\nexpected\n{expected}\nprinted\n{run.stdout}"
    back = np.load(target)
    back = back["t"] if target.suffix == ".npz" else back
    if back.dtype != array.dtype or back.shape != array.shape or back.tobytes() != array.tobytes():
        return f"{array.dtype} {array.shape}: came back as {back.dtype} {back.shape}"
    return None


def main():
    rng, dice = np.random.default_rng(1), random.Random(1)
    with tempfile.TemporaryDirectory() as name:
        for number in range(ROUNDS):
            wrong = check(sample(rng, dice), dice, Path(name), sys.argv[1])
            if wrong:
                sys.exit(f"array {number}: {wrong}")


main()
