"""The works of bench/operators by NumPy and SciPy: prints the best time of a call in seconds.

    operators_numpy.py WORK
"""

import sys

import numpy as np
import scipy.fft
import scipy.linalg
import scipy.sparse
from best import print_best

random = np.random.default_rng(1)


def matrix(n):
    return random.standard_normal((n, n), dtype=np.float32)


def definite(n):
    x = matrix(n)
    return x @ x.T + 1024 * np.eye(n, dtype=np.float32)


def sparse():
    n = 1_000_000
    indices = random.integers(0, n, 16 * n)
    a = scipy.sparse.csr_matrix((random.random(16 * n, dtype=np.float32), indices, np.arange(0, 16 * n + 1, 16)), (n, n))
    x = random.random(n, dtype=np.float32)
    return lambda: a @ x


def solve():
    a, b = definite(1024), random.standard_normal((1024, 16), dtype=np.float32)
    return lambda: scipy.linalg.solve(a, b)


def of(made, function):
    return lambda: (lambda x: lambda: function(x))(made())


def signal(*shape):
    return random.standard_normal(shape).astype(np.complex64)


WORKS = {
    "fft": of(lambda: signal(1 << 20), scipy.fft.fft),
    "fft2d": of(lambda: signal(1024, 1024), scipy.fft.fft2),
    "cholesky": of(lambda: definite(1024), lambda x: scipy.linalg.cholesky(x, lower=True, check_finite=False)),
    "lu": of(lambda: matrix(1024), lambda x: scipy.linalg.lu_factor(x, check_finite=False)),
    "solve": solve,
    "svd": of(lambda: matrix(512), lambda x: scipy.linalg.svd(x, full_matrices=False, check_finite=False)),
    "sparse": sparse,
}


print_best(WORKS[sys.argv[1]]())
