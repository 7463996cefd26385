"""Plans are made by `choose_*` alone: no other pass changes the plan of a function.

    plans.py ROOT

Elsewhere in ir/passes a function may be given the plan of another one as it is, where it stands for that one.
"""

import os
import re
import subprocess
import sys

# What choosing runs to learn what a kernel would need.
DRY_RUN = "ir/passes/target/gpu/dry_run.cpp"

COPY = re.compile(r"\b[\w.]+(?:\.|->)plan = \w+(?:\.|->)plan;")
WRITE = re.compile(
    r"(?:\.|->)plan\b(?:->\w+(?:\(\))?|\.value\(\))*(?:\.\w+(?:\(\))?)* (?:[-+*/|&]?=)(?!=)"  # kernel.plan = …, kernel.plan->gpu().stages = …
    r"|(?:\.|->)plan\.(?:reset|emplace|swap)\("
    r"|(?:\.|->)plan->reasons\.(?:push_back|emplace_back|insert|clear)"
    r"|(?<!const )\b(?:Plan|GpuPlan|CpuPlan|auto)& \w+ = \*?[\w.>-]+(?:\.|->)plan\b"
)


def may_write(path):
    return os.path.basename(path).startswith("choose_") or path == DRY_RUN


def problems_of(text, path):
    return [
        f"{path}:{number}: changes a plan: {line.strip()}"
        for number, line in enumerate(text.splitlines(), 1)
        if WRITE.search(line) and not COPY.search(line)
    ]


def self_test():
    """The patterns find every way to write a plan that the compiler has, and no reading."""
    writes = ["kernel.plan = plan;", "kernel.plan->gpu().stages = 2;", "GpuPlan& plan = kernel.plan->gpu();", "Plan& plan = *planned.plan;",
              "task.plan.reset();", "kernel.plan->reasons.push_back(reason);", "kernel.plan->task += 1;"]
    reads = ["const GpuPlan& plan = kernel.plan->gpu();", "if (kernel.plan->gpu().stages == 2) {", "code.target.plan = kernel.plan;",
             "if (!kernel.plan || kernel.plan->gpu().stages < 2) return;", "const Plan& plan = *kernel.plan;"]
    return [f"not found: {line}" for line in writes if not problems_of(line, "")] + [problem for line in reads for problem in problems_of(line, "read")]


def main():
    root = sys.argv[1]
    names = subprocess.run(["git", "-C", root, "ls-files", "-co", "--exclude-standard", "ir/passes"], check=True, capture_output=True, text=True).stdout
    problems = self_test()
    for path in sorted(set(names.splitlines())):
        full = os.path.join(root, path)
        if path.endswith((".cpp", ".h")) and os.path.isfile(full) and not may_write(path):
            with open(full, encoding="utf-8") as file:
                problems += problems_of(file.read(), path)
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
