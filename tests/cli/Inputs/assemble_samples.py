"""Assembles the code of samples for all GPUs: fails where ptxas refuses it, or says that it made it slow.

    assemble_samples.py [--target=NAME] TESSERAC SAMPLES FOLDER [LARGE PRODUCTS…]

With --target for that one alone.
"""

import glob
import os
import re
import shutil
import subprocess
import sys

TARGETS = ["sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_90a", "sm_100a", "sm_120a"]
# Of products as large as these GPUs' registers hold, and of samples with many kernels.
OF_LARGE = ["sm_80", "sm_90a"]
LARGE_SAMPLES = ["plays.tsr"]
CACHE = "cache"


def is_slow(said):
    return "C75" in said or any(int(found) > 0 for found in re.findall(r"(\d+) bytes spill stores", said))


def main():
    arguments = sys.argv[1:]
    only = [arguments.pop(0).removeprefix("--target=")] if arguments[0].startswith("--target=") else None
    tesserac, samples, folder, *large = arguments
    if not (shutil.which("ptxas") or os.path.exists("/usr/local/cuda/bin/ptxas")):
        print("skipped: ptxas is not installed")
        return 0
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    environment = dict(os.environ, TESSERA_CACHE_DIR=os.path.join(folder, CACHE))
    without = []
    wrong = []

    def assemble(sample, targets):
        name = os.path.basename(sample)
        command = [tesserac, sample, "--emit=cubin", "--verbose", "-o", os.path.join(folder, f"{name}.{targets[0]}")]
        command += [f"--target={target}" for target in targets]
        ran = subprocess.run(command, env=environment, capture_output=True, text=True)
        if "E0610" in ran.stderr and len(targets) > 1:
            for target in targets:
                assemble(sample, [target])
        elif "E0610" in ran.stderr:
            without.append(f"{name} {targets[0]}")
        elif ran.returncode != 0 or is_slow(ran.stderr):
            wrong.append(f"{name} {' '.join(targets)}: {ran.stderr}")

    for sample in sorted(glob.glob(os.path.join(samples, "*.tsr"))):
        assemble(sample, only or (OF_LARGE if os.path.basename(sample) in LARGE_SAMPLES else TARGETS))
    for source in large:
        assemble(source, only or OF_LARGE)
    made = [file for file in os.listdir(folder) if file != CACHE]
    empty = [file for file in made if os.path.getsize(os.path.join(folder, file)) == 0]
    print(f"{len(made)} cubins; without code: {', '.join(without)}")
    # Not to FileCheck, which would keep it for itself.
    print("\n".join(wrong + [f"{file} is empty" for file in empty]), file=sys.stderr)
    return 1 if wrong or empty or not made else 0


if __name__ == "__main__":
    sys.exit(main())
