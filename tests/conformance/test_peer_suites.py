"""pytrec_eval's own test suites, with relyon in its place.

They run where `RELYON_PEER_SUITES` names a folder with checkouts of
`cvangysel/pytrec_eval` and `terrierteam/pytrec_eval` (as `cvangysel+pytrec_eval` or
`cvangysel/pytrec_eval`), each with trec_eval 9 in `trec_eval/`, its submodule.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PEERS = os.environ.get("RELYON_PEER_SUITES", "")

#: What stands for the package: everything comes from relyon.
SHIM = "from relyon.compat.pytrec_eval import *\nfrom relyon.compat.pytrec_eval import __all__\n"
RUN = """\
import sys, unittest, pytrec_eval
assert "relyon" in pytrec_eval.RelevanceEvaluator.__module__
found = unittest.defaultTestLoader.discover(".", pattern="*test*.py")
result = unittest.TextTestRunner(verbosity=1).run(found)
sys.exit(not result.wasSuccessful())
"""


@pytest.mark.parametrize("owner", ["cvangysel", "terrierteam"])
def test_pytrec_evals_own_tests(owner: str, tmp_path: Path) -> None:
    if not PEERS:
        pytest.skip("RELYON_PEER_SUITES names no folder with checkouts of pytrec_eval")
    places = [Path(PEERS) / f"{owner}{sign}pytrec_eval" for sign in "+/"]
    checkout = next((place for place in places if place.is_dir()), None)
    if checkout is None:
        pytest.skip(f"{PEERS} holds no checkout of {owner}/pytrec_eval")
    if not (checkout / "trec_eval" / "test").is_dir():
        pytest.skip(f"{checkout}/trec_eval is empty: run git submodule update --init there")
    (tmp_path / "pytrec_eval.py").write_text(SHIM, "utf-8")
    outcome = subprocess.run(
        [sys.executable, "-c", RUN],
        cwd=checkout / "tests",
        env=os.environ | {"PYTHONPATH": f"{tmp_path}{os.pathsep}{checkout / 'tests'}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert outcome.returncode == 0, outcome.stderr
    assert re.search(r"Ran [5-9] tests", outcome.stderr)
