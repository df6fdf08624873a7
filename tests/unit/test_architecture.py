"""The maps of the house name what is there."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_map_of_the_native_core_is_complete() -> None:
    text = (ROOT / "native" / "README.md").read_text("utf-8")
    rows = re.findall(r"(?m)^\| (`[a-z].*?) \|", text)  # rows that begin with a class are objects
    named = {name for row in rows for name in row.split("`")[1::2]}
    there = {
        path.stem for path in (ROOT / "native").iterdir() if path.suffix in {".cpp", ".hpp", ".inc"}
    }
    assert there - named == set()
    assert named - there == set()


def test_the_map_of_the_house_fits_on_two_screens_and_names_what_is_there() -> None:
    lines = (ROOT / "ARCHITECTURE.md").read_text("utf-8").splitlines()
    assert len(lines) <= 140
    places = re.findall(r"`((?:docs|native|core|data|cli)/[\w/.]+)`", "\n".join(lines))
    missing = [
        place
        for place in places
        if not (ROOT / place).exists() and not (ROOT / "src" / "relyon" / place).exists()
    ]
    assert [place for place in missing if "LANGUAGE" not in place] == []
