"""Runs clang-tidy over the native core; a file is checked again only if what it reads has changed.

The checks are in `.clang-tidy`, the compiler's options in the build of `make`.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).parent.parent
NATIVE = ROOT / "native"
BUILD = ROOT / "build" / "make"
PASSED = ROOT / "build" / "tidy.json"
PROGRAM = Path(sys.executable).with_name("clang-tidy")
INCLUDE = re.compile(r'^#(?:include|define RELYON_LOOP) "([^"]+)"', re.MULTILINE)


def read_by(source: Path) -> set[Path]:
    """Returns a file with everything of the core that it includes."""
    found: set[Path] = set()
    waiting = [source]
    while waiting:
        one = waiting.pop()
        if one not in found and one.exists():
            found.add(one)
            waiting += [NATIVE / name for name in INCLUDE.findall(one.read_text())]
    return found


def fingerprint(source: Path, options: bytes) -> str:
    """Returns what changes whenever the findings in a file may."""
    digest = hashlib.sha256(options)
    for one in sorted(read_by(source)):
        digest.update(one.name.encode() + b"\0" + one.read_bytes())
    return digest.hexdigest()


def findings(source: Path) -> str:
    """Returns what clang-tidy says about a file; nothing if it passes."""
    done = subprocess.run(
        [PROGRAM, "-p", BUILD, "--quiet", source], capture_output=True, text=True, check=False
    )
    return done.stdout or (done.stderr if done.returncode else "")


def main() -> int:
    """Checks the files that have changed; returns 1 if anything is found."""
    version = subprocess.run([PROGRAM, "--version"], capture_output=True, check=True).stdout
    options = version + (ROOT / ".clang-tidy").read_bytes()
    passed = json.loads(PASSED.read_text()) if PASSED.exists() else {}
    marks = {one: fingerprint(one, options) for one in sorted(NATIVE.glob("*.cpp"))}
    changed = [one for one, mark in marks.items() if passed.get(one.name) != mark]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = dict(zip(changed, pool.map(findings, changed), strict=True))
    kept = {one.name: mark for one, mark in marks.items() if not found.get(one)}
    PASSED.write_text(json.dumps(kept))
    print("".join(found.values()), end="")
    return any(found.values())


if __name__ == "__main__":
    sys.exit(main())
