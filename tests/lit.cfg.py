"""Runs programs and IR texts that carry their commands and expectations in comments.

A file takes part when it has a `RUN:` line: `.test` files always (one without is an error), `.tsr` and `.ir` files when
they have one. `%tesserac` is the compiler, `%engines` runs a program on every engine (tests/run/Inputs/engines.py),
`%gpu` before a program runs it on a GPU, `%npy` makes and shows arrays, `%samples` is the folder of samples; FileCheck, not, count and split-file are
found by name.
"""

import glob
import os
import shutil
import sys

root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(root, "tests"))
from run_lines import RunLines

build = os.path.abspath(lit_config.params["build"])

config.name = "tesserac"
config.test_format = RunLines(execute_external=False)
config.suffixes = [".test", ".tsr", ".ir"]
config.excludes = ["Inputs", "seeds"]
config.test_source_root = os.path.join(root, "tests")
config.test_exec_root = os.path.join(build, "lit")

llvm_tools = "/usr/lib/llvm-22/bin"
config.environment["PATH"] = os.pathsep.join([llvm_tools, os.environ["PATH"]])
config.environment["TESSERA_VERIFY"] = "1"  # after each pass
config.environment["TESSERA_CACHE_DIR"] = os.path.join(config.test_exec_root, "cache")
for variable in ("TESSERA_TRACE", "NO_COLOR"):
    config.environment.pop(variable, None)
config.environment["TESSERA_DEVICE"] = "cpu"
# Tests that say `REQUIRES: gpu` run programs with `%gpu` before them; `%engines` has one engine more.
driver = os.environ.get("TESSERA_CUDA_DRIVER")
if driver:
    config.available_features.add("gpu")
    config.environment["TESSERA_TEST_DRIVER"] = driver
# Sanitized builds end a process with code 99 on a finding, so that it can not pass for an expected exit code 1.
config.environment["ASAN_OPTIONS"] = "exitcode=99:detect_leaks=1:quarantine_size_mb=16:malloc_context_size=8"
config.environment["LSAN_OPTIONS"] = f"suppressions={root}/tests/leaks.supp:print_suppressions=0"
config.environment["UBSAN_OPTIONS"] = "halt_on_error=1:exitcode=99:print_stacktrace=1"

sanitized = lit_config.params.get("sanitized") == "1"
config.substitutions += [
    ("%gpu", f"env TESSERA_CUDA_DRIVER={driver} TESSERA_DEVICE=cuda:0"),
    ("%engines", f"python3 {root}/tests/run/Inputs/engines.py {'--levels-together ' if sanitized else ''}{build}/tesserac"),
    ("%npy", f"python3 {root}/tests/run/Inputs/npy.py"),
    ("%tesserac", os.path.join(build, "tesserac")),
    ("%samples", os.path.join(root, "samples")),
    ("%python", "python3"),
    ("%root", root),
    ("%build", build),
]
# Editors that tests drive where they are installed.
if shutil.which("nvim"):
    config.available_features.add("nvim")
if shutil.which("emacs") and glob.glob("/usr/share/emacs/site-lisp/elpa-src/eglot-*"):
    config.available_features.add("eglot")
if shutil.which("chromium-headless-shell"):
    config.available_features.add("chromium")
    # `./x test --editors` has made the extension and brought the workbench.
    if "vscode" in lit_config.params:
        config.available_features.add("vscode")
        config.substitutions += [("%vscode", lit_config.params["vscode"]), ("%extension", lit_config.params["extension"])]
# Debian's NumPy, an oracle of its own.
if glob.glob("/usr/lib/python3/dist-packages/numpy"):
    config.available_features.add("numpy")
    config.substitutions += [("%numpy", "/usr/bin/python3")]
if all(glob.glob(f"/usr/lib/python3/dist-packages/{name}") for name in ("ipykernel", "jupyter_client")):
    config.available_features.add("jupyter")
if sanitized:
    config.available_features.add("asan")
# A release is packed with the texts of licences that Debian's packages carry.
elif os.path.isfile("/usr/share/doc/llvm-22-dev/copyright"):
    config.available_features.add("releases")
