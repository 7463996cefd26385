"""Sends a fatal signal to a compiler that waits for the reader of its output, and tells what it left.

    crash.py TESSERAC FOLDER
"""

import os
import signal
import subprocess
import sys
import time

compiler, folder = sys.argv[1:]
os.chdir(folder)
with open("program.tsr", "w", encoding="utf-8") as program:
    program.write("y = 'text'\n")
os.mkfifo("pipe")
environment = dict(os.environ, TMPDIR=os.path.join(folder, "tmp"), ASAN_OPTIONS="handle_segv=0:allow_user_segv_handler=1")
process = subprocess.Popen([compiler, "--emit=ast", "program.tsr", "-o", "pipe"], env=environment, stderr=subprocess.PIPE, text=True)
# It has read the program when it sleeps, which it does only in opening the pipe.
for _ in range(600):
    with open(f"/proc/{process.pid}/status", encoding="utf-8") as status:
        if "State:\tS" in status.read():
            break
    time.sleep(0.05)
process.send_signal(signal.SIGSEGV)
errors = process.communicate(timeout=60)[1]
print("exit code", process.returncode)
print(errors, end="")
left = os.path.join(folder, "tmp", os.listdir("tmp")[0])
with open(os.path.join(left, "replay"), encoding="utf-8") as replay:
    print("replay:", replay.read().splitlines()[-1])
with open(os.path.join(left, "source", "program.tsr"), encoding="utf-8") as source:
    print("source/program.tsr:", source.read(), end="")
