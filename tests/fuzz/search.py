"""The search of a fuzzer: a program for each seed, and what is wrong with it.

    FUZZER TESSERAC [--seed N] [--count N] [--keep FOLDER]
"""

import argparse
import os
import sys
import tempfile


def search(prefix, program_of, what):
    """`program_of(seed)` gives a text and a function of the compiler, a folder and the program's path that gives a list
    of faults. Programs with faults are printed, and kept in `--keep`; then the process ends. `what`: what the others do."""
    parser = argparse.ArgumentParser()
    parser.add_argument("tesserac")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--keep")
    options = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(options.seed, options.seed + options.count):
            text, faults_of = program_of(seed)
            path = os.path.join(options.keep or folder, f"{prefix}{seed}.tsr")
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            faults = faults_of(options.tesserac, folder, path)
            for fault in faults:
                print(f"seed {seed}: {fault}")
            failed += bool(faults)
            if options.keep and not faults:
                os.remove(path)
    print(f"{options.count - failed} of {options.count} {what}, {failed} failed")
    sys.exit(1 if failed else 0)
