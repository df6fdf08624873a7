"""Holds what wheels and source distributions contain against the checkout.

python tests/wheel/contents.py dist
"""

import sys
import tarfile
import zipfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2] / "src"
LARGEST = 6_000_000  # bytes
BUILT = (".so", ".pyd", ".pyc")


def wanted() -> set[str]:
    """Every file of the package, templates, texts and pages included."""
    return {
        path.relative_to(SOURCE).as_posix()
        for path in (SOURCE / "relyon").rglob("*")
        if path.is_file() and not path.name.endswith(BUILT)
    }


def check_wheel(path: Path) -> list[str]:
    with zipfile.ZipFile(path) as wheel:
        names = {name for name in wheel.namelist() if not name.endswith("/")}
    core = [name for name in names if name.startswith("relyon/_native.") and name.endswith(BUILT)]
    held = {name for name in names if ".dist-info/" not in name} - set(core)
    problems = [f"lacks {name}" for name in sorted(wanted() - held)]
    problems += [f"has {name}, which is no part" for name in sorted(held - wanted())]
    problems += [] if len(core) == 1 else [f"has {len(core)} native cores"]
    problems += [] if "relyon/py.typed" in held else ["lacks py.typed"]
    licences = [name for name in names if name.endswith("/licenses/LICENSE")]
    problems += [] if licences else ["lacks the licence"]
    return problems


def check_source(path: Path) -> list[str]:
    with tarfile.open(path) as source:
        names = {name.partition("/")[2] for name in source.getnames()}
    needed = {f"src/{name}" for name in wanted()} | {"CMakeLists.txt", "LICENSE", "README.md"}
    needed |= {f"native/{one.name}" for one in (SOURCE.parent / "native").iterdir()}
    problems = [f"lacks {name}" for name in sorted(needed - names)]
    return problems + [f"has {name}" for name in sorted(names) if name.endswith(BUILT)]


def main(folder: Path) -> None:
    problems = []
    found = sorted([*folder.glob("*.whl"), *folder.glob("*.tar.gz")])
    for path in found:
        check = check_wheel if path.suffix == ".whl" else check_source
        size = path.stat().st_size
        problems += [f"{path.name} {problem}" for problem in check(path)]
        problems += [f"{path.name} has {size:,} bytes"] if size > LARGEST else []
        print(f"{path.name}: {size / 1e6:.1f} MB")
    if not found:
        problems.append(f"{folder} holds no wheel")
    if problems:
        raise SystemExit("\n".join(problems))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
