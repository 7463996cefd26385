#!/usr/bin/env python3
"""Runs clang-tidy over the C++ sources of a build folder.

    lint.py BUILD FOLDER…

The folder is one that compiles each source alone (-Dunity=off); its generated headers have to be there. A file is looked
at again only when it, a header of the project that it includes, its command line or .clang-tidy has changed since it was
clean: the names in .cache/lint are hashes of all that.
"""

import concurrent.futures
import functools
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys

TIDY = "clang-tidy-22"
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CLEAN = os.path.join(ROOT, ".cache", "lint")


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


def findings(build, file):
    """What clang-tidy says of the file; nothing where it is clean."""
    done = subprocess.run([TIDY, "-quiet", "-p", build, file], capture_output=True, text=True, check=False)
    if done.returncode == 0 and not done.stdout.strip():
        return ""
    return done.stdout.strip() or done.stderr.strip() or f"{TIDY} ended with {done.returncode}"


def main():
    build, folders = os.path.abspath(sys.argv[1]), [os.path.join(ROOT, folder) + os.sep for folder in sys.argv[2:]]
    os.makedirs(CLEAN, exist_ok=True)
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        commands = json.load(file)
    keys = {}
    for command in commands:
        source = os.path.realpath(os.path.join(command["directory"], command["file"]))
        if source.startswith(tuple(folders)) and not source.startswith(build + os.sep):
            keys[source] = key(command, included(source) | {source})
    for old in set(os.listdir(CLEAN)) - set(keys.values()):
        os.remove(os.path.join(CLEAN, old))
    changed = [source for source, name in keys.items() if not os.path.exists(os.path.join(CLEAN, name))]
    print(f"{len(keys)} files, {len(changed)} of them changed since they were clean", flush=True)
    faulty = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for source, said in zip(changed, pool.map(lambda source: findings(build, source), changed)):
            if said:
                faulty += 1
                print(said, flush=True)
            else:
                open(os.path.join(CLEAN, keys[source]), "w").close()
    print(f"{len(keys) - faulty} files clean, {faulty} with findings", flush=True)
    return 1 if faulty else 0


if __name__ == "__main__":
    sys.exit(main())
