"""The project has one name: that of its first months belongs to somebody else's package."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FORMER = "rel" + "kit"


def test_the_former_name_is_in_the_changelog_alone() -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("this is no checkout: which files are the project's own is unknown")
    found = subprocess.run(
        ["git", "grep", "--ignore-case", "--name-only", "--text", FORMER],
        cwd=ROOT,
        check=False,
        capture_output=True,
        text=True,
    )
    assert found.stdout.split() == ["CHANGELOG.md"]
    files = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    assert FORMER not in files.stdout.lower()
