"""A user's own rule: as the documentation writes it, and with no sentences at all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import pytest

import relyon
from relyon.analysis.diagnosis import Finding, Rule, Subject
from relyon.analysis.diagnosis.findings import Findings

JUDGMENTS = {f"q{place}": {"a": 1, "b": 0} for place in range(10)}
CLEAR = {query: {"a": 2.0, "b": 1.0} for query in JUDGMENTS}
EMPTY: dict[str, dict[str, float]] = {query: {} for query in JUDGMENTS} | {"q0": {"a": 1.0}}


@dataclass(frozen=True)
class EmptyLists(Rule):
    name: ClassVar[str] = "empty-lists"
    most: float = 0.05

    def measures(self) -> tuple[str, ...]:
        return ("num_ret",)

    def apply(self, subject: Subject) -> Finding | None:
        lengths = subject.results(subject.candidate).column("num_ret")
        share = sum(length == 0 for length in lengths) / len(lengths)
        return Finding(self.name, "high", {"share": share}) if share >= self.most else None


@dataclass(frozen=True)
class SpokenLists(EmptyLists):
    sentences: ClassVar = {"en": {"title": "Nothing", "text": "{candidate}: {share:share}"}}


@pytest.fixture(scope="module")
def comparison() -> relyon.Comparison:
    return relyon.compare(JUDGMENTS, CLEAR, EMPTY, names=["old", "new"])


def test_a_rule_without_sentences_shows_its_numbers(comparison: relyon.Comparison) -> None:
    (found,) = relyon.diagnose(comparison, rules=[EmptyLists()])
    assert str(found) == (
        "The rule empty-lists applies: share: 0.9. Look at what the rule empty-lists measures."
    )
    assert found.title("zh") == "规则 empty-lists 成立"
    assert found.to_dict()["evidence"] == {"share": 0.9}
    for text in (Findings([found]).to_text(), Findings([found]).to_markdown("zh")):
        assert "share: 0.9" in text


def test_a_rule_brings_its_sentences(comparison: relyon.Comparison) -> None:
    (found,) = relyon.diagnose(comparison, rules=[SpokenLists()])
    assert (found.title(), found.text()) == ("Nothing", "new: 90%")
    # English stands in for what is missing, and general words for what is missing there too.
    assert found.title("zh") == "Nothing"
    assert found.next_step() == "Look at what the rule empty-lists measures."
