"""A release: a folder with the compiler and all that belongs to it, packed as .tar.gz and as .deb.

    package.py BUILD OUTPUT [--fast]

What is packed runs on Debian 12 and whatever has its C library or a later one: the compiler carries LLVM, the linker and
the standard library inside, and the start files and the runtime that programs are linked with stand beside it.
"""

import argparse
import gzip
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
NAME = "tesserac"

# Libraries whose code is in the compiler or in the programs that it makes, by the Debian packages that say their
# licences: those of THIRD_PARTY.md.
LICENCES = {
    "LLVM-and-LLD": "llvm-22-dev",
    "ANTLR": "libantlr4-runtime-dev",
    "fmt": "libfmt-dev",
    "zlib": "zlib1g-dev",
    "zstd": "libzstd-dev",
    "JSON-for-Modern-C++": "nlohmann-json3-dev",
    "jemalloc": "libjemalloc-dev",
    "libstdc++-and-libgcc": "libstdc++-12-dev",
    "glibc": "libc6-dev",
}


def run(*words, **more):
    return subprocess.run(words, check=True, **more)


def tracked(*folders):
    """The files of these folders that belong to the project: what was built in them is left out."""
    listed = run("git", "-C", ROOT, "ls-files", "-z", "--", *folders, stdout=subprocess.PIPE).stdout.decode()
    return [name for name in listed.split("\0") if name]


def copy(source, target):
    os.makedirs(os.path.dirname(target), exist_ok=True)
    shutil.copyfile(source, target)
    os.chmod(target, 0o644)


def version_of(build):
    shown = run("meson", "introspect", build, "--projectinfo", stdout=subprocess.PIPE).stdout
    return json.loads(shown)["version"]


def prefix_of(build):
    options = json.loads(run("meson", "introspect", build, "--buildoptions", stdout=subprocess.PIPE).stdout)
    return next(one["value"] for one in options if one["name"] == "prefix")


def fill(build, tree):
    """The folder as it stands in /usr: bin, lib, share."""
    staged = tree + ".installed"
    shutil.rmtree(staged, ignore_errors=True)
    run("meson", "install", "-C", build, "--no-rebuild", "--quiet", "--destdir", os.path.abspath(staged))
    shutil.rmtree(tree, ignore_errors=True)
    shutil.move(os.path.join(staged, prefix_of(build).lstrip("/")), tree)
    shutil.rmtree(staged)
    run("strip", os.path.join(tree, "bin", NAME))

    share = os.path.join(tree, "share", NAME)
    for name in tracked("samples", "editors"):
        if not name.startswith("editors/vscode/"):
            copy(os.path.join(ROOT, name), os.path.join(share, name))
    # The extension is made with npm (`./x editors`); without it the release has none.
    for name in sorted(os.listdir(os.path.join(ROOT, "editors", "vscode"))):
        if name.endswith(".vsix"):
            copy(os.path.join(ROOT, "editors", "vscode", name), os.path.join(share, "editors", "vscode", name))

    doc = os.path.join(tree, "share", "doc", NAME)
    for name in tracked("docs"):
        if name.endswith(".md"):
            copy(os.path.join(ROOT, name), os.path.join(doc, name[len("docs/"):]))
    for name in ("README.md", "CHANGELOG.md", "LICENSE", "THIRD_PARTY.md"):
        copy(os.path.join(ROOT, name), os.path.join(doc, name))
    shutil.copyfile(os.path.join(doc, "LICENSE"), os.path.join(doc, "copyright"))  # where Debian looks for it
    for library, package in LICENCES.items():
        text = os.path.join("/usr/share/doc", package, "copyright")
        if not os.path.isfile(text):
            sys.exit(f"package: the licence of {library} is not there: {text}")
        copy(text, os.path.join(doc, "licences", library))


def needed_libraries(tree):
    """What the compiler loads when it starts."""
    shown = run("objdump", "-p", os.path.join(tree, "bin", NAME), stdout=subprocess.PIPE, text=True).stdout
    return sorted(re.findall(r"NEEDED\s+(\S+)", shown))


def c_library_of(tree):
    """The oldest C library that has all that the compiler asks for: "2.36"."""
    shown = run("objdump", "-T", os.path.join(tree, "bin", NAME), stdout=subprocess.PIPE, text=True).stdout
    return ".".join(map(str, max(tuple(map(int, v.split("."))) for v in re.findall(r"GLIBC_(\d+(?:\.\d+)+)", shown))))


def pack_tar(tree, target, top, level):
    """Equal contents give equal archives: no times, no names of users."""
    def anonymous(entry):
        entry.uid = entry.gid = entry.mtime = 0
        entry.uname = entry.gname = "root"
        return entry
    with open(target, "wb") as file, gzip.GzipFile("", "wb", level, file, 0) as packed, tarfile.open(fileobj=packed, mode="w") as tar:
        tar.add(tree, top, filter=anonymous)


def pack_deb(tree, target, version):
    root = tree + ".deb-root"
    shutil.rmtree(root, ignore_errors=True)
    shutil.copytree(tree, os.path.join(root, "usr"), symlinks=True)
    sums, size = [], 0
    for folder, _, names in sorted(os.walk(root)):
        for name in sorted(names):
            path = os.path.join(folder, name)
            if os.path.islink(path):
                continue
            with open(path, "rb") as file:
                content = file.read()
            size += len(content)
            sums.append(f"{hashlib.md5(content).hexdigest()}  {os.path.relpath(path, root)}\n")
    os.makedirs(os.path.join(root, "DEBIAN"))
    with open(os.path.join(root, "DEBIAN", "md5sums"), "w") as file:
        file.writelines(sums)
    with open(os.path.join(root, "DEBIAN", "control"), "w") as file:
        file.write(f"""Package: {NAME}
Version: {version}
Architecture: amd64
Maintainer: The {NAME} authors <tesserac@localhost>
Installed-Size: {(size + 1023) // 1024}
Depends: libc6 (>= {c_library_of(tree)})
Suggests: python3
Section: devel
Priority: optional
Description: compiler of Tessera, a language of tile kernels and operator graphs
 Compiles programs of tile kernels, operator graphs and gradients to
 executables that run on CPUs and on NVIDIA GPUs. With the language server,
 settings for editors, samples and documentation. Needs no other compiler.
""")
    for folder, names, files in os.walk(root):
        for name in names:
            os.chmod(os.path.join(folder, name), 0o755)
    run("dpkg-deb", "--root-owner-group", "-Zxz", "--build", root, target, stdout=subprocess.DEVNULL)
    shutil.rmtree(root)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("build")
    arguments.add_argument("output")
    arguments.add_argument("--fast", action="store_true", help="the archive alone, little compressed: for tests")
    asked = arguments.parse_args()
    version = version_of(asked.build)
    os.makedirs(asked.output, exist_ok=True)
    top = f"{NAME}-{version}-linux-x86_64"
    tree = os.path.join(asked.output, top)
    fill(asked.build, tree)
    others = [name for name in needed_libraries(tree) if not re.match(r"(libc|libm|libdl|libpthread|librt|ld-linux-x86-64)\.so", name)]
    if others:
        sys.exit(f"package: the compiler needs {', '.join(others)}: it is to be linked with LLVM's archives")
    made = [os.path.join(asked.output, top + ".tar.gz")]
    pack_tar(tree, made[0], top, 1 if asked.fast else 9)
    if shutil.which("dpkg-deb") and not asked.fast:
        made.append(os.path.join(asked.output, f"{NAME}_{version}_amd64.deb"))
        pack_deb(tree, made[1], version)
    shutil.rmtree(tree)
    for path in made:
        print(f"{path}: {os.path.getsize(path) / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
