"""Clones the test suites of other programs, for the tests that run them on relyon.

python tests/conformance/fetch_suites.py FOLDER
RELYON_PEER_SUITES=FOLDER python -m pytest tests/conformance
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

#: Where a suite is looked for, and the repository that holds it.
SUITES = {
    "ir_measures": "terrierteam/ir_measures",
    "ranx": "AmenRa/ranx",
    "cvangysel/pytrec_eval": "cvangysel/pytrec_eval",
    "terrierteam/pytrec_eval": "terrierteam/pytrec_eval",
}


def main(folder: Path) -> int:
    """Clones what is not there yet, with its submodules."""
    for place, repository in SUITES.items():
        target = folder / place
        if target.exists():
            print(f"{target}: already exists")
            continue
        source = f"https://github.com/{repository}"
        command = ["git", "clone", "--depth", "1", "--recurse-submodules", source, str(target)]
        if subprocess.run(command, check=False).returncode:
            print(f"{source} cannot be had", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(Path(sys.argv[1])))
