"""Runs a program and fails if its peak resident memory passes a limit: peak_memory.py MIB PROGRAM ARGUMENTS…"""

import resource
import subprocess
import sys

limit = int(sys.argv[1])
subprocess.run(sys.argv[2:], check=True)
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
if peak > limit:
    sys.exit(f"peak memory: {peak} MiB, more than {limit}")
