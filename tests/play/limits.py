"""Limits of what a program writes, and of its memory, in `tesserac play`.

    limits.py TESSERAC
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lsp"))
from client import expect, run_cases  # noqa: E402
from web import Page, text_of  # noqa: E402


def test_limits_of_output_and_memory(tesserac):
    page = Page([*tesserac, "play", "--memory-limit=1500"])
    jobs = page.socket("jobs")
    got = jobs.order(do="run", text="def main():\n    while True:\n        print(\"again and again\")\n", arguments=[])
    expect(got[-1]["why"], "output")
    got = jobs.order(do="run", text="def main():\n    x = ones((1000000000,), f32)\n    print(x[5])\n", arguments=[])
    expect(got[-1]["code"], 1)
    assert "out of memory" in text_of(got, "err"), got
    page.end()


if __name__ == "__main__":
    run_cases(globals(), sys.argv[1:])
