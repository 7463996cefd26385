"""A wrong include does not compile: each library's include root holds what the layer diagram allows, and nothing else.

    layers.py ROOT BUILD
"""

import os
import subprocess
import sys

# The diagram, said a second time on purpose: a change of the build that loosens it fails here.
ALLOWED = {
    "base": {"base"},
    "frontend": {"base", "frontend"},
    "ir": {"base", "ir", "runtime/abi.h", "runtime/abi"},
    "sema": {"base", "frontend", "ir", "sema"},
    "codegen": {"base", "ir", "codegen", "runtime/abi.h", "runtime/abi"},
    "lsp": {"base", "frontend", "ir", "sema", "lsp", "runtime/abi.h", "runtime/abi"},
    "play": {"base", "lsp/json.h", "play"},
    "runtime": {"runtime"},
}
def headers_of(root, folder):
    """The headers of a layer, as they are spelled in includes."""
    if folder.endswith(".h"):
        return [folder]
    found = []
    for path, _, names in os.walk(os.path.join(root, folder)):
        found += [os.path.relpath(os.path.join(path, name), root) for name in names if name.endswith(".h")]
    return sorted(found)


def visible(include_root, headers):
    """Those of `headers` that a source with this include root could include."""
    source = "".join(f'#if __has_include("{header}")\nvisible {header}\n#endif\n' for header in headers)
    # In a folder without headers: an include is first looked up where its source stands.
    out = subprocess.run(["g++", "-E", "-P", "-x", "c++", f"-I{include_root}", "-"], cwd=os.path.join(include_root, ".."), input=source,
                         check=True, capture_output=True, text=True).stdout
    return {line.split(" ", 1)[1] for line in out.splitlines() if line.startswith("visible ")}


def main():
    root, build = sys.argv[1:]
    layers = ["base", "frontend", "ir", "sema", "codegen", "lsp", "play", "driver", "runtime"]
    headers = [header for layer in layers for header in headers_of(root, layer)]
    problems = []
    for library, allowed in ALLOWED.items():
        expected = {header for header in headers if header in allowed or header.split("/")[0] in allowed or os.path.dirname(header) in allowed}
        seen = visible(os.path.join(os.path.abspath(build), "inc", library), headers)
        problems += [f"{library} must not see {header}, but does" for header in sorted(seen - expected)]
        problems += [f"{library} may include {header}, but can not" for header in sorted(expected - seen)]
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
