"""The page on other programs names tests that exist, and all presets."""

from __future__ import annotations

import re
from pathlib import Path

from relyon.data.convention import presets

TESTS = Path(__file__).parents[1]
PAGE = (TESTS.parent / "docs" / "peers.md").read_text(encoding="utf-8")


def test_every_named_test_exists() -> None:
    defined = {
        name
        for path in TESTS.rglob("test_*.py")
        for name in re.findall(r"^def (test_\w+)\(", path.read_text(encoding="utf-8"), re.M)
    }
    named = set(re.findall(r"\btest_\w+", PAGE))
    assert len(named) > 30
    assert named - defined == set()


def test_every_preset_is_described() -> None:
    assert {name for name in presets if f"`{name}`" not in PAGE} <= {"relyon"}
