"""An interpreter that has relyon as users have it: from a wheel, not from a working tree."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

__all__ = ["as_installed", "install"]

ROOT = Path(__file__).parents[1]
#: What goes into a wheel.
SOURCES = ("src", "native", "pyproject.toml", "CMakeLists.txt")


def as_installed(home: Path) -> list[str]:
    """Returns the interpreter that `install` makes.

    Like that of every installation, it keeps compiled modules.
    """
    kept = f"PYTHONPYCACHEPREFIX={home / 'bytecode'}"
    folder = "Scripts" if sys.platform == "win32" else "bin"
    return ["env", "-u", "PYTHONDONTWRITEBYTECODE", kept, str(_place(home) / folder / "python")]


def install(home: Path) -> None:
    """Makes an interpreter with relyon from a wheel, where the sources are newer than the last.

    Everything else it takes from the packages of this interpreter.
    """
    place = _place(home)
    made = place / "done"
    if not made.exists() or made.stat().st_mtime < _changed():
        _install(place)
        made.touch()


def _place(home: Path) -> Path:
    return home.resolve() / "installed"


def _changed() -> float:
    files = (one for name in SOURCES for one in ((ROOT / name), *(ROOT / name).rglob("*")))
    return max(one.stat().st_mtime for one in files if one.is_file() and one.suffix != ".pyc")


def _install(place: Path) -> None:
    subprocess.run(
        [
            *(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"),
            *("--config-settings=build-dir=build/wheel", "--wheel-dir", str(place), str(ROOT)),
        ],
        check=True,
    )
    venv.create(place, clear=False, symlinks=True)
    (packages,) = place.glob("[Ll]ib/**/site-packages")
    newest = max(place.glob("relyon-*.whl"), key=lambda one: one.stat().st_mtime)
    with zipfile.ZipFile(newest) as wheel:
        wheel.extractall(packages)
    # As a path, not as a place for packages, whose .pth files would bring the working tree back.
    (packages / "others.pth").write_text(sysconfig.get_path("purelib") + "\n", "utf-8")
