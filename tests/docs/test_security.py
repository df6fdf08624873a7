"""The page on security: every requirement is answered, and every test that it names is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = {"en": ROOT / "docs" / "security.md", "zh": ROOT / "docs" / "zh" / "security.md"}
#: The numbers of the requirements of levels 1 and 2.
NUMBERS = Path(__file__).with_name("asvs.txt").read_text("utf-8").split()
ANSWERS = {"met", "partly", "not met", "operator", "n/a"}
TEST = re.compile(r"`((?:\w+/)?test_\w+\.py)::(\w+)`")


def rows(language: str) -> list[list[str]]:
    """Returns the cells of the table of requirements."""
    lines = PAGES[language].read_text("utf-8").splitlines()
    found = [line.strip("|").split(" | ") for line in lines if re.match(r"\| \d+\.\d+\.\d+", line)]
    return [[cell.strip() for cell in row] for row in found]


def numbers(cell: str) -> list[str]:
    """Returns what a cell such as `2.7.1–2.7.6, 2.9.1` stands for."""
    found = []
    for item in cell.split(", "):
        first, _, last = item.partition("–")
        section, _, start = first.rpartition(".")
        end = last.rpartition(".")[2] or start
        found += [f"{section}.{number}" for number in range(int(start), int(end) + 1)]
    return found


@pytest.mark.parametrize("language", PAGES)
def test_every_requirement_is_answered_once(language: str) -> None:
    found = [number for row in rows(language) for number in numbers(row[0])]
    assert sorted(found) == sorted(NUMBERS)
    assert {row[1] for row in rows(language)} == ANSWERS
    assert all(row[2] for row in rows(language))


def test_both_languages_answer_alike() -> None:
    english, chinese = rows("en"), rows("zh")
    assert [(*row[:2], row[3]) for row in english] == [(*row[:2], row[3]) for row in chinese]
    named = [TEST.findall(page.read_text("utf-8")) for page in PAGES.values()]
    assert named[0] == named[1]


def test_every_named_test_is_there() -> None:
    named = set(TEST.findall(PAGES["en"].read_text("utf-8")))
    assert len(named) > 50
    missing = []
    for file, name in sorted(named):
        path = ROOT / "tests" / (file if "/" in file else f"unit/{file}")
        known = path.is_file() and re.search(rf"^ *def {name}\(", path.read_text("utf-8"), re.M)
        if not known:
            missing.append(f"{file}::{name}")
    assert missing == []
