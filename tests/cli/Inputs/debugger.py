"""debugger.py PROGRAM PLACE: runs the program in gdb to the first stop at a place and prints the line of source there.

Says `no debugger is installed` where there is none.
"""

import shutil
import subprocess
import sys

program, place = sys.argv[1:]
if shutil.which("gdb") is None:
    print("no debugger is installed")
    sys.exit()
done = subprocess.run(["gdb", "-nx", "-q", "-batch", "-ex", "set debuginfod enabled off", "-ex", f"break {place}",
                       "-ex", "run", "-ex", "frame", program], capture_output=True, text=True, stdin=subprocess.DEVNULL)
print(done.stdout)
sys.exit(done.returncode)
