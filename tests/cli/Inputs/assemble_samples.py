"""Assembles the code of samples for all GPUs: fails where ptxas refuses it, or says that it made it slow.

    assemble_samples.py TESSERAC SAMPLES FOLDER
"""

import glob
import os
import re
import shutil
import subprocess
import sys

TARGETS = ["sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_90a", "sm_100a", "sm_120a"]
CACHE = "cache"


# A few registers in memory cost less than what keeps them out of it elsewhere.
MOST_SPILLED = 64
# Here every register of every point counts.
WITHOUT_SPILLS = {
    "gemm.tsr": ["sm_80", "sm_90a"],
    "flash_attention.tsr": TARGETS,
    "double_buffered_gemm.tsr": TARGETS,
    "digits_matmul.tsr": TARGETS,
    "int8_gemm.tsr": TARGETS,
}


def is_slow(said, sample):
    without = WITHOUT_SPILLS.get(os.path.basename(sample), [])
    for line in said.splitlines():
        found = re.search(r"(\d+) bytes spill stores", line)
        if found and int(found[1]) > (0 if line.split(":")[0] in without else MOST_SPILLED):
            return True
    return "C75" in said


def main():
    tesserac, samples, folder = sys.argv[1:]
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
        elif ran.returncode != 0 or is_slow(ran.stderr, sample):
            wrong.append(f"{name} {' '.join(targets)}: {ran.stderr}")

    for sample in sorted(glob.glob(os.path.join(samples, "*.tsr"))):
        assemble(sample, TARGETS)
    made = [file for file in os.listdir(folder) if file != CACHE]
    empty = [file for file in made if os.path.getsize(os.path.join(folder, file)) == 0]
    print(f"{len(made)} cubins; without code: {', '.join(without)}")
    print("\n".join(wrong + [f"{file} is empty" for file in empty]))
    return 1 if wrong or empty or not made else 0


if __name__ == "__main__":
    sys.exit(main())
