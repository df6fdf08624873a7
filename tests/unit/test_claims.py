"""Every claim of coverage, false alarms or power has simulations behind it, and says so."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from make_claims import Claim, claims

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
TEXTS = ROOT / "src" / "relyon" / "core" / "texts" / "en"
ALL = list(claims())
NAMES = {claim.name for claim in ALL}
MARK = re.compile(r"<!-- claim: ([\w -]+?) -->")
#: Sentences that promise how often something holds.
PROMISE = re.compile(
    r"\d ?% (?:of (?:cases|logs|comparisons|experiments)|coverage)"
    r"|in 95 of 100|covers? the truth|false alarms? [^.]{0,60}\d"
    r"|contains? the true|error rates? (?:is|are) accurate|at any number of",
    re.I,
)
#: Texts that match, and promise nothing of their own.
NO_PROMISE: dict[str, str] = {}


@pytest.mark.parametrize("claim", ALL, ids=lambda claim: claim.name)
def test_a_claim_is_simulated_in_and_outside_its_assumption(claim: Claim) -> None:
    assert claim.cases(True), "nothing was simulated: run make test-honest RELYON_WRITE_ROWS=1"
    assert claim.cases(False) or claim.never_broken
    for row in claim.rows:
        # A ratio can be above 1.
        ratio = "error of" in row["case"] or "over the true one" in row["case"]
        assert 0 <= row["found"] <= (2 if ratio else 1)
        assert row["runs"] >= 4, row["case"]


@pytest.mark.parametrize("claim", ALL, ids=lambda claim: claim.name)
def test_a_claim_is_made_where_it_says(claim: Claim) -> None:
    assert claim.pages
    for page in claim.pages:
        assert claim.name in MARK.findall((DOCS / page).read_text("utf-8")), page


def sections(page: Path) -> list[str]:
    """Returns the parts of a page between its headings, without what scripts and examples print."""
    text = re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.M | re.S)
    return re.split(r"^#+ ", text, flags=re.M)


PAGES = sorted(
    path.name for path in DOCS.glob("*.md") if path.name not in {"claims.md", "benchmarks.md"}
)


@pytest.mark.parametrize("page", PAGES)
def test_a_page_makes_no_claim_without_a_row(page: str) -> None:
    for part in sections(DOCS / page):
        marks = MARK.findall(part)
        assert set(marks) <= NAMES
        if not marks and (found := PROMISE.search(" ".join(part.split()))):
            pytest.fail(f"{page}: “{found[0]}” under “{part.splitlines()[0]}” has no claim")


def texts(value: object, name: str) -> dict[str, str]:
    """Returns the texts of a table by their keys."""
    if isinstance(value, dict):
        found: dict[str, str] = {}
        for key, one in value.items():
            found |= texts(one, f"{name}.{key}" if name else key)
        return found
    return {name: value} if isinstance(value, str) else {}


def test_an_output_makes_no_claim_without_a_row() -> None:
    said = {key for claim in ALL for key in claim.said}
    promising = {
        key
        for path in sorted(TEXTS.rglob("*.toml"))
        for key, text in texts(tomllib.loads(path.read_text("utf-8")), "").items()
        if PROMISE.search(" ".join(text.split()))
    }
    assert sorted(promising - said - set(NO_PROMISE)) == []
    assert sorted(set(NO_PROMISE) - promising) == []
