"""Runs a command and fails unless it ends with the exit code that is expected, within a minute.

    exits.py CODE COMMAND…
"""

import subprocess
import sys

expected = int(sys.argv[1])
code = subprocess.run(sys.argv[2:], timeout=60).returncode
if code != expected:
    sys.stdout.flush()
    print(f"expected exit code {expected}, got {code}: {' '.join(sys.argv[2:])}", file=sys.stderr)
    sys.exit(1)
