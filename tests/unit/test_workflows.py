"""The workflows of GitHub: what one that calls another has to grant."""

from __future__ import annotations

from pathlib import Path

import pytest

yaml = pytest.importorskip("yaml")
WORKFLOWS = Path(__file__).resolve().parents[2] / ".github/workflows"


def test_a_release_grants_what_the_jobs_of_ci_ask_for() -> None:
    """GitHub starts no job of a workflow whose called jobs ask for more than it grants."""
    ci, release = (
        yaml.safe_load((WORKFLOWS / name).read_text("utf-8")) for name in ("ci.yml", "release.yml")
    )
    granted = release["jobs"]["tests"]["permissions"].items()
    for name, job in ci["jobs"].items():
        assert job.get("permissions", ci["permissions"]).items() <= granted, name
