"""Installs relyon for the action, in an environment of its own.

    python install.py key        sets the outputs `key` and `command`
    python install.py install    installs it, from the cached wheels if there are some; KEY is the
                                 key, and names what is there afterwards

INPUT_INSTALL is what pip shall install: a name with a version, a wheel, a folder; without it the
folder that this file is in, which needs a compiler of C++. It needs nothing but Python's standard
library, of at least the version that relyon needs.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from glob import glob
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
#: What a build depends on.
PARTS = ("pyproject.toml", "CMakeLists.txt", "README.md", "LICENSE", "native", "src")
EXTRAS = "report"
LEAST = (3, 11)


def place(environment: Mapping[str, str]) -> tuple[Path, Path]:
    """Returns the folders of the environment and of the wheels."""
    folder = Path(environment["RUNNER_TEMP"])
    return folder / "relyon-environment", folder / "relyon-wheels"


def program(folder: Path, name: str) -> Path:
    """Returns a program of an environment."""
    if os.name == "nt":
        return folder / "Scripts" / f"{name}.exe"
    return folder / "bin" / name


def source(environment: Mapping[str, str]) -> Path | None:
    """Returns the wheel or folder to install; None if it comes from an index of packages."""
    asked = environment.get("INPUT_INSTALL", "").strip()
    if not asked:
        return ROOT
    workspace = Path(environment.get("GITHUB_WORKSPACE", "."))
    if "*" in asked:
        found = sorted(workspace / name for name in glob(asked, root_dir=workspace))
        if len(found) != 1:
            raise SystemExit(f"the input `install` names {len(found)} files, not one: {asked}")
        return found[0]
    path = workspace / asked
    return path if path.exists() else None


def wanted(environment: Mapping[str, str]) -> str:
    """Returns what pip shall install, with the packages that a report needs."""
    asked = environment.get("INPUT_INSTALL", "").strip()
    if asked.startswith("-"):
        raise SystemExit(f"the input `install` is an option, not a package: {asked}")
    path = source(environment)
    if path is not None:
        return f"relyon[{EXTRAS}] @ {path.resolve().as_uri()}"
    if "[" in asked or not asked.startswith("relyon"):
        return asked
    return f"relyon[{EXTRAS}]{asked.removeprefix('relyon')}"


def contents(path: Path) -> Iterator[Path]:
    """Yields the files that a build reads, in order."""
    for part in [path] if path.is_file() else [path / name for name in PARTS]:
        if part.is_file():
            yield part
        else:
            hidden = ("__pycache__", ".")
            yield from sorted(
                one
                for one in part.rglob("*")
                if one.is_file() and not any(two.startswith(hidden) for two in one.parts[-2:])
            )


def key(environment: Mapping[str, str]) -> str:
    """Returns a name for what would be installed: what it is made of, and for which Python."""
    asked = environment.get("INPUT_INSTALL", "").strip()
    path = source(environment)
    digest = hashlib.sha256(asked.encode())
    for one in contents(path) if path is not None else ():
        digest.update(f"\0{one.name}\0".encode() + one.read_bytes())
    machine = f"{platform.system()}-{platform.machine()}-{platform.libc_ver()[1]}"
    return (
        f"relyon-{machine}-{sys.version_info.major}.{sys.version_info.minor}-{digest.hexdigest()}"
    )


def install(environment: Mapping[str, str]) -> None:
    """Makes the environment, unless an earlier step of the job made the same one."""
    folder, wheels = place(environment)
    mark, name = folder / "key", environment["KEY"]
    if mark.exists() and mark.read_text("utf-8") == name:
        return
    shutil.rmtree(folder, ignore_errors=True)
    # -P: a file of the repository, such as logging.py, is not the module of that name.
    subprocess.run([sys.executable, "-P", "-m", "venv", str(folder)], check=True)
    pip = [str(program(folder, "python")), "-P", "-m", "pip"]
    pip += ["--disable-pip-version-check", "--quiet"]
    if not any(wheels.glob("relyon-*.whl")):
        shutil.rmtree(wheels, ignore_errors=True)
        subprocess.run([*pip, "wheel", "--wheel-dir", str(wheels), wanted(environment)], check=True)
    every = sorted(map(str, wheels.glob("*.whl")))
    subprocess.run([*pip, "install", "--no-index", "--no-deps", *every], check=True)
    mark.write_text(name, "utf-8")


def main(step: str, environment: Mapping[str, str]) -> None:
    """Runs one of the two steps."""
    if sys.version_info < LEAST:
        least = ".".join(map(str, LEAST))
        raise SystemExit(f"relyon needs Python {least} or newer: set the input `python-version`")
    if step == "install":
        install(environment)
        return
    folder, _ = place(environment)
    with Path(environment["GITHUB_OUTPUT"]).open("a", encoding="utf-8") as file:
        file.write(f"key={key(environment)}\ncommand={program(folder, 'relyon')}\n")


if __name__ == "__main__":
    main(sys.argv[1], os.environ)
