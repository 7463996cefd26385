#!/usr/bin/env python3
"""Runs every program of this folder on a GPU, compares what it prints with what a processor printed, and measures.

    ./run.py [--device N] [--only NAME ...] [--small] [--no-peers] [--json FILE]

A row says whether the result is right and whether the GPU did all of it; for a bench also the best time of a launch as
the device counts it, the rate, its share of the limit (the copy measured here, or the data sheet's product rate), and
how many times faster it is than PyTorch's where that is installed. Ends with 1 if anything was wrong.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile

import peers

HERE = os.path.dirname(os.path.abspath(__file__))


class Runner:
    def __init__(self, options):
        self.options = options
        self.folder = tempfile.mkdtemp(prefix="tessera-bundle-")
        self.name = ""

    def run(self, program, arguments):
        """Output, launches (from its trace) and what went wrong."""
        trace = os.path.join(self.folder, "trace.json")
        if os.path.exists(trace):
            os.remove(trace)
        environment = dict(os.environ, TESSERA_DEVICE=f"cuda:{self.options.device}", TESSERA_TRACE=trace,
                           TESSERA_CACHE_DIR=os.path.join(self.folder, "cache"))
        files = os.path.join(self.folder, "files")
        if not os.path.exists(files):
            shutil.copytree(os.path.join(HERE, "files"), files)
        try:
            done = subprocess.run([os.path.join(HERE, "bin", program), *arguments], env=environment, cwd=files, capture_output=True,
                                  text=True, timeout=self.options.timeout)
        except subprocess.TimeoutExpired:
            return "", [], f"more than {self.options.timeout} s"
        if done.returncode != 0:
            words = done.stderr.strip().splitlines() or ["nothing said"]
            return done.stdout, [], f"exit code {done.returncode}: {words[-1]}"
        with open(trace) as file:
            events = json.load(file)["traceEvents"]
        launches = [event for event in events if event.get("cat") == "launch"]
        self.note_device(launches)
        return done.stdout, launches, None

    def note_device(self, launches):
        for launch in launches:
            self.name = launch["args"].get("device", self.name)

    def checked(self, entry):
        output, launches, wrong = self.run(entry["name"], entry["arguments"])
        if wrong:
            return wrong
        elsewhere = sum("device" not in launch["args"] for launch in launches)
        if elsewhere:
            return f"{elsewhere} of {len(launches)} launches ran on the processor"
        wanted, seen = entry["expected"], output
        if entry.get("prints_time"):
            wanted, seen = (" ".join(text.split()[1:]) for text in (wanted, seen))
        return None if wanted == seen else difference(wanted, seen)

    def measured(self, entry):
        arguments = entry["arguments"] if self.options.small else entry["large"]
        _, launches, wrong = self.run(entry["name"], arguments)
        times = [launch["dur"] * 1e-6 for launch in launches if launch["name"] == entry["kernel"]]
        return (min(times), None) if times and not wrong else (None, wrong or "no launch")


def difference(wanted, seen):
    for number, (a, b) in enumerate(zip(wanted.splitlines(), seen.splitlines()), 1):
        if a != b:
            return f"line {number}: `{b.strip()}` where a processor prints `{a.strip()}`"
    return f"{len(seen.splitlines())} lines where a processor prints {len(wanted.splitlines())}"


def peak(peaks, device, kind):
    for name, rates in peaks.items():
        if name in device:
            return rates.get(kind)
    return None


def limit_of(entry, seconds, copy_rate, peaks, device):
    """Rate, its unit, and its share of the limit."""
    if "bytes" in entry:
        rate = entry["bytes"] / seconds
        return rate / 1e9, "GB/s", rate / copy_rate if copy_rate else None
    rate = entry["flops"] / seconds / 1e12
    most = peak(peaks, device, entry["type"])
    return rate, "TFLOP/s", rate / most if most else None


def bench_row(runner, entry, state):
    seconds, wrong = runner.measured(entry)
    if wrong:
        return dict(wrong=wrong)
    if runner.options.small:
        return dict(ms=seconds * 1e3)
    if entry["work"] == "copy":
        state["copy"] = entry["bytes"] / seconds
    rate, unit, share = limit_of(entry, seconds, state.get("copy"), state["peaks"], runner.name)
    other = None if runner.options.no_peers else peers.seconds(entry["work"], entry["large"])
    return dict(ms=seconds * 1e3, rate=rate, unit=unit, share=share, peer_ms=other and other * 1e3, ratio=other and other / seconds)


def line(name, state, ms, rate, unit, share, peer, ratio, words):
    return f"{name:<26} {state:<6} {ms:>10} {rate:>9} {unit:<8} {share:>8} {peer:>10} {ratio:>6}  {words}".rstrip()


def shown(row):
    cell = lambda key, form: "-" if row.get(key) is None else format(row[key], form)
    return line(row["name"], "right" if row["right"] else "WRONG", cell("ms", ".4f"), cell("rate", ".1f"), row.get("unit") or "",
                cell("share", ".2f"), cell("peer_ms", ".4f"), cell("ratio", ".2f"), row.get("wrong") or "")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", type=int, default=0)
    parser.add_argument("--only", action="append", help="a program; all without it")
    parser.add_argument("--small", action="store_true", help="times at the sizes that are checked, for a simulated device")
    parser.add_argument("--no-peers", action="store_true", help="without PyTorch")
    parser.add_argument("--timeout", type=float, default=120, help="seconds that one program may take")
    parser.add_argument("--json", metavar="FILE", help="the rows, for a program to read")
    options = parser.parse_args()
    with open(os.path.join(HERE, "works.json")) as file:
        works = json.load(file)
    entries = [entry for entry in works["entries"] if not options.only or entry["name"] in options.only]
    if not entries:
        sys.exit("there is no such program here")
    runner, rows, state = Runner(options), [], dict(peaks=works["peaks"])
    print(line("program", "", "ms", "rate", "", "of limit", "PyTorch ms", "ratio", ""))
    for entry in entries:
        wrong = runner.checked(entry)
        row = dict(name=entry["name"], right=wrong is None, wrong=wrong)
        if entry["kind"] == "bench":
            measured = bench_row(runner, entry, state)
            row.update(measured, wrong=wrong or measured.get("wrong"), right=wrong is None and "wrong" not in measured)
        rows.append(row)
        print(shown(row), flush=True)
    shutil.rmtree(runner.folder, ignore_errors=True)
    bad = sum(not row["right"] for row in rows)
    print(f"{runner.name or 'no launch'}: {len(rows) - bad} right, {bad} wrong")
    if options.json:
        with open(options.json, "w") as file:
            json.dump(dict(device=runner.name, rows=rows), file, indent=1)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
