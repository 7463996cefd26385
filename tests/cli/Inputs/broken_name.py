"""Checks a program in a file whose name is no UTF-8, and reads the diagnostics as JSON.

    broken_name.py TESSERAC PROGRAM FOLDER
"""

import json
import os
import shutil
import subprocess
import sys

compiler, program, folder = sys.argv[1:]
path = os.path.join(os.fsencode(folder), b"\xff\xc3.tsr")
shutil.copy(program, path)
done = subprocess.run([compiler, "check", "--diagnostics=json", path], capture_output=True, check=False)
for line in done.stderr.decode("utf-8").splitlines():
    said = json.loads(line)
    start = said["range"]["start"]
    print(said["code"], "line", start["line"], "column", start["column"], "byte", start["byte"])
