"""Makes a wheel of this package for pip: nothing is compiled, and nothing has to be installed for it (PEP 517)."""

import base64
import hashlib
import os
import platform
import re
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))


def _project():
    with open(os.path.join(HERE, "pyproject.toml"), encoding="utf-8") as file:
        text = file.read()
    return tuple(re.search(rf'^{key} = "([^"]*)"', text, re.M)[1] for key in ("name", "version"))


def get_requires_for_build_wheel(config_settings=None):
    return []


def get_requires_for_build_sdist(config_settings=None):
    return []


def build_sdist(sdist_directory, config_settings=None):
    raise SystemExit("this package holds machine code: install it as a wheel")


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    name, version = _project()
    tag = f"py3-none-linux_{platform.machine()}"
    info = f"{name}-{version}.dist-info"
    record = []
    file_name = f"{name}-{version}-{tag}.whl"

    def add(archive, path, content):
        archive.writestr(zipfile.ZipInfo(path, (2020, 1, 1, 0, 0, 0)), content, zipfile.ZIP_DEFLATED)
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record.append(f"{path},sha256={digest},{len(content)}\n")

    with zipfile.ZipFile(os.path.join(wheel_directory, file_name), "w") as archive:
        folder = os.path.join(HERE, name)
        for entry in sorted(os.listdir(folder)):
            if entry.endswith((".py", ".pyi", ".so", ".typed")):
                with open(os.path.join(folder, entry), "rb") as file:
                    add(archive, f"{name}/{entry}", file.read())
        add(archive, f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n".encode())
        add(archive, f"{info}/WHEEL",
            f"Wheel-Version: 1.0\nGenerator: tesserac\nRoot-Is-Purelib: false\nTag: {tag}\n".encode())
        archive.writestr(f"{info}/RECORD", "".join(record) + f"{info}/RECORD,,\n")
    return file_name
