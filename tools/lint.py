#!/usr/bin/env python3
"""Runs clang-tidy over the C++ sources of a build folder.

    lint.py BUILD FOLDER…

The folder is one that compiles each source alone (-Dunity=off); its generated headers have to be there. A file is looked
at again only when it, a header of the project that it includes, its command line or .clang-tidy has changed since it was
clean: the names in .cache/lint are hashes of all that.

Files with the same options are looked at some at a time, as one source that includes them: most of the time goes into
reading headers. Where something is found, each of them is looked at alone.
"""

import concurrent.futures
import functools
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

TIDY = "clang-tidy-22"
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CLEAN = os.path.join(ROOT, ".cache", "lint")
TOGETHER = 12  # files
OF_ONE_FILE = {"-o", "-c", "-MF", "-MQ"}  # with the word behind them


@functools.cache
def content(path):
    """The hash of a file."""
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


@functools.cache
def headers(path):
    """The project's headers that the file includes. They are named from the root, or from the file's folder."""
    with open(path, encoding="utf-8") as file:
        names = re.findall(r'^\s*#\s*include "([^"]+)"', file.read(), re.MULTILINE)
    places = [os.path.join(base, name) for name in names for base in (ROOT, os.path.dirname(path))]
    return frozenset(os.path.normpath(place) for place in places if os.path.isfile(place))


def included(source):
    """Those, and what they include in turn."""
    found, open_ends = set(), [source]
    while open_ends:
        new = headers(open_ends.pop()) - found
        found |= new
        open_ends += new
    return found


def key(command, files):
    parts = [content(os.path.join(ROOT, ".clang-tidy")), content(os.path.realpath(shutil.which(TIDY))), command["command"],
             *(content(file) for file in sorted(set(files)))]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def run(arguments):
    """What clang-tidy says; nothing where all is clean."""
    done = subprocess.run([TIDY, "-quiet", *arguments], capture_output=True, text=True, check=False)
    if done.returncode == 0 and not done.stdout.strip():
        return ""
    return done.stdout.strip() or done.stderr.strip() or f"{TIDY} ended with {done.returncode}"


def options(command):
    """The options that the file shares with others."""
    words = shlex.split(command["command"])
    words = words[1:] if os.path.basename(words[0]) == "ccache" else words
    return tuple(word for before, word in zip(words, words[1:]) if not {before, word} & OF_ONE_FILE and word != "-MD")


def batches(commands):
    """The sources of these commands by file, in lists of some with the same options."""
    groups = {}
    for source, command in commands.items():
        groups.setdefault((command["directory"], options(command)), []).append(source)
    for (directory, words), sources in groups.items():
        count = -(-len(sources) // TOGETHER)
        for i in range(count):
            yield directory, words, sources[i::count]


def findings(build, batch):
    """What clang-tidy says of each source of a batch."""
    directory, words, sources = batch
    if len(sources) > 1:
        with tempfile.NamedTemporaryFile("w", suffix=".cpp", dir=build) as together:
            together.writelines(f'#include "{source}"  // NOLINT\n' for source in sources)
            together.flush()
            # Without the second option the analyzer follows the paths of the main file alone.
            said = run([together.name, r"--header-filter=\.cpp$", f"--config-file={os.path.join(ROOT, '.clang-tidy')}",
                        "--extra-arg=-Xclang", "--extra-arg=-analyzer-opt-analyze-headers", "--", f"-working-directory={directory}",
                        *words])
        if not said:
            return {source: "" for source in sources}
    return {source: run(["-p", build, source]) for source in sources}


def main():
    build, folders = os.path.abspath(sys.argv[1]), [os.path.join(ROOT, folder) + os.sep for folder in sys.argv[2:]]
    os.makedirs(CLEAN, exist_ok=True)
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        commands = json.load(file)
    keys, by_source = {}, {}
    for command in commands:
        source = os.path.realpath(os.path.join(command["directory"], command["file"]))
        if source.startswith(tuple(folders)) and not source.startswith(build + os.sep):
            keys[source] = key(command, included(source) | {source})
            by_source[source] = command
    for old in set(os.listdir(CLEAN)) - set(keys.values()):
        os.remove(os.path.join(CLEAN, old))
    changed = {source: by_source[source] for source, name in keys.items() if not os.path.exists(os.path.join(CLEAN, name))}
    print(f"{len(keys)} files, {len(changed)} of them changed since they were clean", flush=True)
    faulty = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for said in pool.map(lambda batch: findings(build, batch), batches(changed)):
            for source, text in said.items():
                if text:
                    faulty += 1
                    print(text, flush=True)
                else:
                    open(os.path.join(CLEAN, keys[source]), "w").close()
    print(f"{len(keys) - faulty} files clean, {faulty} with findings", flush=True)
    return 1 if faulty else 0


if __name__ == "__main__":
    sys.exit(main())
