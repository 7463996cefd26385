"""Judges numbers that a program rounded by chance: what language reference, section 7, and Philox's paper say, written once more.

    dither.py SEED RUN X.npy Y.npy     Y: f16, each x of X (f32) rounded by the words of run RUN of one place of the program

Prints `agrees`; Philox is first held against the known answers of its authors (kat_vectors of Random123).
"""

import math
import struct
import sys

KNOWN = [
    ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    ((0xFFFFFFFF,) * 4, (0xFFFFFFFF,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    ((0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344), (0xA4093822, 0x299F31D0), (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1)),
]
MASK = 0xFFFFFFFF
STORES = 0x40000000  # the number of the first place that stores; those of a small program follow closely


def philox(counter, key):
    a, b, c, d = counter
    k, l = key
    for _ in range(10):
        low, high = 0xD2511F53 * a, 0xCD9E8D57 * c
        a, b, c, d = (high >> 32) ^ b ^ k, high & MASK, (low >> 32) ^ d ^ l, low & MASK
        k, l = (k + 0x9E3779B9) & MASK, (l + 0xBB67AE85) & MASK
    return a, b, c, d


def word(element, seed, run, site):
    block = element // 4
    return philox((block & MASK, block >> 32, run, site), (seed & MASK, seed >> 32))[element % 4]


def rounded(x, chance):
    """x as f16, whose last bit is 2^-24 at least and 11 bits below the first."""
    if x == 0 or not math.isfinite(x):
        return x
    last = max(math.frexp(x)[1] - 11, -24)
    units = math.ldexp(abs(x), -last)
    kept = math.floor(units)
    if math.floor((units - kept) * 2**32) + chance >= 2**32:
        kept += 1
    value = math.ldexp(kept, last)
    return math.copysign(math.inf if value > 65504 else value, x)


def values(path, code):
    with open(path, "rb") as file:
        data = file.read()
    begin = 10 + struct.unpack("<H", data[8:10])[0]
    size = struct.calcsize(code)
    return struct.unpack(f"<{(len(data) - begin) // size}{code}", data[begin:])


def main(seed, run, from_path, to_path):
    for counter, key, answer in KNOWN:
        assert philox(counter, key) == answer
    x, y = values(from_path, "f"), values(to_path, "e")
    assert len(x) == len(y)
    inexact = [i for i in range(len(x)) if rounded(x[i], 0) != rounded(x[i], MASK)]
    assert len(inexact) > len(x) // 2
    for site in range(STORES, STORES + 64):
        if all(rounded(x[i], word(i, seed, run, site)) == y[i] for i in range(len(x))):
            return "agrees"
    return "differs"


print(main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4]))
