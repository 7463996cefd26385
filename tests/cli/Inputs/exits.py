"""Runs a command and fails unless it ends with the exit code that is expected, within ten minutes, which a sanitized
compiler on a busy machine may need.

    exits.py [--room BYTES] CODE COMMAND…

With --room no file of the command may grow past so many bytes: a disk that is full.
"""

import resource
import subprocess
import sys

arguments = sys.argv[1:]
if arguments[0] == "--room":
    room = int(arguments[1])
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
    arguments = arguments[2:]
expected = int(arguments[0])
code = subprocess.run(arguments[1:], timeout=600, check=False).returncode
if code != expected:
    print(f"expected exit code {expected}, got {code}: {' '.join(arguments[1:])}", file=sys.stderr)
    sys.exit(1)
