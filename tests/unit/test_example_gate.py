"""The example of tests of a search: it passes, a harmless change passes, a harmful one fails."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture
def gate(tmp_path: Path) -> Path:
    """A copy of the example."""
    for name in ("engine", "gate"):
        ignored = shutil.ignore_patterns("__pycache__", ".*")
        shutil.copytree(EXAMPLES / name, tmp_path / name, ignore=ignored)
    return tmp_path / "gate"


def run(gate: Path, *options: str) -> subprocess.CompletedProcess[str]:
    plugins = ["-p", "relyon.compat.pytest.plugin"]
    return subprocess.run(
        [sys.executable, "-m", "pytest", *plugins, *options],
        capture_output=True,
        encoding="utf-8",
        cwd=gate,
        env=os.environ | {"PYTHONUTF8": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "CI": ""},
        check=False,
        timeout=120,
    )


def set_title(gate: Path, weight: float) -> None:
    file = gate / "search.py"
    changed, count = re.subn(r"(?m)^TITLE = [\d.]+", f"TITLE = {weight}", file.read_text("utf-8"))
    assert count == 1
    file.write_text(changed, "utf-8")


@pytest.mark.long
def test_the_example_passes_and_fails_as_it_should(gate: Path) -> None:
    unchanged = run(gate, "-v")
    assert unchanged.returncode == 0, unchanged.stdout + unchanged.stderr
    assert "ndcg@10 is unchanged: all lists are those of baseline.run" in unchanged.stdout
    set_title(gate, 4.0)
    harmless = run(gate, "-v")
    assert harmless.returncode == 0, harmless.stdout
    assert "ndcg@10 equals that of baseline.run within 0.02" in harmless.stdout
    set_title(gate, 0.5)
    harmful = run(gate)
    assert harmful.returncode == 1
    assert "AssertionError: ndcg@10 is worse than in baseline.run" in harmful.stdout
    assert "what happens when I pop from an empty deque" in harmful.stdout
    before = (gate / "baseline.run").read_bytes()
    assert run(gate, "--relevance-update").returncode == 0
    assert (gate / "baseline.run").read_bytes() != before
    assert run(gate).returncode == 0
