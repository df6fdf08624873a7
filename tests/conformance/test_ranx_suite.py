"""ranx's own tests, with `relyon.compat.ranx` in its place.

They are read from a checkout of github.com/AmenRa/ranx in the folder that RELYON_PEER_SUITES names.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

HERE = Path(__file__).parent
PARTS = ["data_structures", "fusion", "meta", "metrics", "metrics_test.py", "normalization"]
#: Tests that fail, and the rule that is responsible.
DIFFERENT = {
    "test_get_candidates": "gives numba a list of ranx's typed dictionaries, for a function inside",
    "test_get_results": "gives numba a list of ranx's typed dictionaries, for a function inside",
}


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = os.environ.get("RELYON_PEER_SUITES")
    source = Path(folder) / "ranx" if folder else None
    if source is None or not (source / "tests").is_dir():
        pytest.skip("no checkout of ranx: RELYON_PEER_SUITES names the folder that holds one")
    pytest.importorskip("numba", reason="ranx's tests use numba's lists")
    copy = tmp_path_factory.mktemp("ranx")
    shutil.copytree(source / "tests", copy / "tests")
    return copy


@pytest.mark.parametrize("part", PARTS)
def test_part(part: str, checkout: Path) -> None:
    report = checkout / f"{part}.xml"
    command = [sys.executable, "-m", "pytest", f"tests/unit/ranx/{part}", "-q"]
    command += ["-p", "ranx_stand_in", "-p", "no:randomly", "-p", "no:cacheprovider"]
    command += ["--import-mode=importlib", f"--rootdir={checkout}", f"--junitxml={report}"]
    environment = os.environ | {"PYTHONPATH": str(HERE)}
    done = subprocess.run(
        command, cwd=checkout, env=environment, capture_output=True, encoding="utf-8", check=False
    )
    cases = list(ElementTree.parse(report).iter("testcase")) if report.exists() else []
    assert cases, done.stdout + done.stderr
    failed = {
        str(case.get("name"))
        for case in cases
        if case.find("failure") is not None or case.find("error") is not None
    }
    assert failed - set(DIFFERENT) == set(), done.stdout[-6000:]
