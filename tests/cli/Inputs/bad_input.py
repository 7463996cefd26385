"""Feeds broken programs to a command of the compiler: each must end by itself, with exit code 0 or 1, and with a coded
error when it is 1.

    bad_input.py KIND FOLDER COMMAND…        the program's path is put behind COMMAND
"""

import os
import random
import re
import subprocess
import sys

SAXPY = '''"""Scale and add two vectors."""

@kernel
def saxpy(x: f32[n], y: mut f32[n], alpha: f32):
    i = tile.linear_id()
    if i < n:
        y[i] = alpha * x[i] + y[i]

def main(x: f32[n], y: f32[n], alpha: f32 = 2.0) -> f32[n]:
    label = f"alpha = {alpha:.2f}, {[k for k in range(3)]}"
    print(label, 8_KiB, 0x1F, 'µ', -1e-10)
    saxpy(x, y, alpha)
    return y
'''.encode()

DEPTH = 20_000


def random_bytes():
    draw = random.Random(20240229)
    words = re.findall(rb"\w+|\s+|[^\w\s]", SAXPY)
    for number in range(120):
        if number % 3 == 0:
            yield f"{number} bytes", draw.randbytes(draw.randrange(1, 4000))
        elif number % 3 == 1:
            yield f"{number} words", b"".join(draw.choice(words) for _ in range(draw.randrange(1, 400)))
        else:
            text = bytearray(SAXPY)
            for _ in range(draw.randrange(1, 8)):
                at = draw.randrange(len(text))
                text[at:at + draw.randrange(0, 3)] = draw.randbytes(draw.randrange(0, 3))
            yield f"{number} changes", bytes(text)


def nested():
    pairs = [(b"(", b")"), (b"[", b"]"), (b"{1: ", b"}"), (b"f(", b")"), (b"a[", b"]"), (b"(", b"]")]
    for opening, closing in pairs:
        yield f"{opening} {closing}", b"x = " + opening * DEPTH + b"1" + closing * DEPTH + b"\n"
        yield f"{opening} open", b"x = " + opening * DEPTH
    yield "closing", b"x = 1" + b")" * DEPTH + b"\n"
    for name, prefix in ("minus", b"-"), ("not", b"not "), ("lambda", b"lambda: "), ("condition", b"1 if 1 else "), ("power", b"2 ** "), \
            ("sum", b"1 + "), ("comparison", b"1 < "), ("and", b"1 and "), ("mut", b"mut "), ("f-string", b'f"{'), ("quotes", b"'\""):
        yield name, b"x = " + prefix * DEPTH + b"1\n"
    yield "attribute", b"x = a" + b".b" * DEPTH + b"\n"
    yield "calls", b"x = a" + b"()" * DEPTH + b"\n"
    yield "subscripts", b"x = a" + b"[0]" * DEPTH + b"\n"
    yield "decorators", b"@a\n" * DEPTH + b"def f(): pass\n"
    yield "elif", b"if a: pass\n" + b"elif a: pass\n" * DEPTH
    yield "indents", b"".join(b" " * depth + b"if a:\n" for depth in range(2000))
    yield "nested def", b"".join(b" " * depth + b"def f():\n" for depth in range(2000))
    yield "calls inside calls", b"".join(b"def f%d(a):\n    return f%d(a)\n" % (i, i + 1) for i in range(400)) + b"x = f0(1)\n"
    yield "annotation", b"def f(x: " + b"f32[" * DEPTH + b"): pass\n"


def encodings():
    yield "latin-1", b"x = '\xe9'\n"
    yield "overlong", b"x = '\xc0\xaf'\n"
    yield "surrogate", b"x = '\xed\xa0\x80'\n"
    yield "past the end", b"x = '\xf4\x90\x80\x80'\n"
    yield "half a character", b"x = 'a\xe2\x82"
    yield "a lone continuation", b"\x80\n"
    yield "FF FE", b"\xff\xfex\x00=\x001\x00\n\x00"
    yield "NUL", b"x = 1\x00\ny = \x00\x00\n"
    yield "only a mark", b"\xef\xbb\xbf"
    yield "mark and CRLF", b"\xef\xbb\xbf" + SAXPY.replace(b"\n", b"\r\n")
    yield "CR", SAXPY.replace(b"\n", b"\r")
    yield "controls", bytes(range(1, 32)) * 3
    yield "tabs and spaces", b"def f():\n\tx = 1\n        y = 2\n"
    yield "nothing", b""
    yield "a blank", b" "
    yield "a backslash", b"x = 1 + \\"
    yield "a long line", b"x = 1 # " + b"a" * 1_000_000
    yield "a long name", b"x" * 1_000_000
    yield "a long number", b"x = " + b"9" * 100_000 + b"\n"
    yield "a long exponent", b"x = 1e" + b"9" * 100_000 + b"\n"
    yield "many unknown names", b"".join(b"x%d = y%d\n" % (i, i) for i in range(3000))
    yield "many lines", b"x = )\n" * 20_000


def truncated():
    for length in range(0, len(SAXPY), 5):
        yield f"{length} bytes", SAXPY[:length]


KINDS = {"random": random_bytes, "nested": nested, "encodings": encodings, "truncated": truncated}


def main():
    kind, folder, command = sys.argv[1], sys.argv[2], sys.argv[3:]
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "program.tsr")
    bad = count = 0
    for name, text in KINDS[kind]():
        count += 1
        with open(path, "wb") as file:
            file.write(text)
        try:
            done = subprocess.run([*command, path], capture_output=True, timeout=60, check=False)
        except subprocess.TimeoutExpired:
            print(f"{name}: did not end")
            bad += 1
            continue
        errors = done.stderr.decode("utf-8", errors="replace")
        said = re.search(r": error\[E\d{4}\]: ", errors) is not None
        if done.returncode not in (0, 1) or said != (done.returncode == 1):
            print(f"{name}: exit code {done.returncode}\n{errors[:600]}")
            bad += 1
        elif errors.count(": error[") > 20 or len(errors) > 200_000 and kind != "encodings":
            print(f"{name}: said too much: {len(errors)} bytes")
            bad += 1
    print(f"{count} programs, {bad} wrong")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
