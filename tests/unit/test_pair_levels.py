"""PNR says how it counts equal labels, what it is without them, and what random orders reach."""

from __future__ import annotations

import itertools
import json
import math
import pickle
from typing import Any

import numpy as np
import pytest

import relyon
from relyon.core.language import Language
from relyon.measures.display_names import convention_line

LIST = [3, 2, 3, 3, 2, 1]
SCORES = [6, 5, 4, 3, 2, 1]
CHANCE = np.random.default_rng(4)
LABELS = CHANCE.integers(0, 4, 120)
VALUES = np.round(CHANCE.normal(LABELS, 2.0))
GROUPS = [8] * 15


def counted(labels: np.ndarray, scores: np.ndarray) -> tuple[float, float, float, float]:
    """Counts pairs in two loops: right, wrong, equal labels; and those of equal scores apart."""
    right = wrong = equal = tied = 0
    for one, other in itertools.combinations(range(len(labels)), 2):
        if scores[one] == scores[other]:
            tied += 1
            continue
        better, worse = (one, other) if scores[one] > scores[other] else (other, one)
        right += labels[better] > labels[worse]
        wrong += labels[better] < labels[worse]
        equal += labels[better] == labels[worse]
    return right, wrong, equal, tied


def sums() -> tuple[float, float, float]:
    counts = [
        counted(LABELS[start : start + 8], VALUES[start : start + 8]) for start in range(0, 120, 8)
    ]
    right, wrong, equal, _ = (float(sum(column)) for column in zip(*counts, strict=True))
    return right, wrong, equal


def test_the_six_documents() -> None:
    entry = relyon.evaluate_scores(LIST, SCORES, measures="pnr").entries["pnr"]
    assert (entry.value, entry.details["strict"]) == (6.5, 4.5)
    assert entry.details["random"] == pytest.approx((4 + 11 / 2) / (11 / 2))
    assert entry.details["random_share"] == pytest.approx((4 + 11 / 2) / 15)


def test_counts_are_those_of_two_loops() -> None:
    right, wrong, equal = sums()
    names = ["pnr", "pnr(label_ties=ignore)", "concordance"]
    found = relyon.evaluate_scores(LABELS, VALUES, GROUPS, names)
    half = (right + wrong) / 2
    entry = found.entries["pnr"]
    assert entry.value == pytest.approx((right + equal) / wrong)
    assert entry.details == pytest.approx(
        {
            "positive": right + equal,
            "negative": wrong,
            "share": (right + equal) / (right + equal + wrong),
            "strict": right / wrong,
            "strict_share": right / (right + wrong),
            "random": (equal + half) / half,
            "random_share": (equal + half) / (equal + right + wrong),
        }
    )
    strict = found.entries["pnr(label_ties=ignore)"]
    assert strict.value == strict.details["strict"] == entry.details["strict"]
    assert strict.details["random"] == 1.0
    share = found.entries["concordance"].details
    assert share["strict"] == pytest.approx(entry.details["strict_share"])
    assert share["random"] == pytest.approx(entry.details["random_share"])


def test_random_orders_reach_the_random_level() -> None:
    chance = np.random.default_rng(9)
    positive = negative = 0.0
    for _ in range(300):
        scores = chance.random(len(LABELS))
        details = relyon.evaluate_scores(LABELS, scores, GROUPS, "pnr").entries["pnr"].details
        positive, negative = positive + details["positive"], negative + details["negative"]
    places = np.arange(len(LABELS))
    level = relyon.evaluate_scores(LABELS, places, GROUPS, "pnr").entries["pnr"].details["random"]
    assert positive / negative == pytest.approx(level, rel=0.02)


@pytest.mark.parametrize("ties", ["half", "ignore"])
def test_equal_scores_are_treated_as_score_ties_says(ties: str) -> None:
    labels, scores = [2, 2, 1, 1], [5, 5, 5, 1]
    details = (
        relyon.evaluate_scores(labels, scores, measures=f"pnr(score_ties={ties})")
        .entries[str(relyon.measure(f"pnr(score_ties={ties})"))]
        .details
    )
    # Untied: 2-1, 2-1, 1-1. Tied: 2-2, 2-1, 2-1.
    if ties == "ignore":
        assert (details["positive"], details["negative"]) == (3, 0)
        assert (details["strict"], details["random"]) == (math.inf, (1 + 1) / 1)
    else:
        assert (details["positive"], details["negative"]) == (4.5, 1.5)
        assert (details["strict"], details["random"]) == (3.0, (1.5 + 2) / (0.5 + 2))


def test_macro_takes_means() -> None:
    values = []
    for start in range(0, 120, 8):
        labels, scores = LABELS[start : start + 8], VALUES[start : start + 8]
        right, wrong, equal, _ = counted(labels, scores)
        half = (right + wrong) / 2
        values.append(((right + 1) / (wrong + 1), (equal + half + 1) / (half + 1)))
    name = "pnr(smoothing=1)"
    entry = relyon.evaluate_scores(LABELS, VALUES, GROUPS, name, average="macro").entries[name]
    strict, chance = (math.fsum(column) / 15 for column in zip(*values, strict=True))
    assert (entry.details["strict"], entry.details["random"]) == pytest.approx((strict, chance))


def test_one_label_only_is_a_warning() -> None:
    results = relyon.evaluate_scores([1] * 6, SCORES, measures=["pnr", "concordance"])
    assert results["pnr"] == math.inf
    (note,) = results.notes
    assert (note.kind, note.level) == ("one-label", "warning")
    assert "pnr, concordance" in note.message
    text = json.dumps(results.to_dict(), allow_nan=False)
    assert json.loads(text)["measures"]["pnr"]["random"] is None
    assert relyon.evaluate_scores([1] * 6, [1] * 6, measures="pnr").entries["pnr"].undefined == 1


def test_parts_add_up() -> None:
    whole = relyon.evaluate_scores(LABELS, VALUES, GROUPS, "pnr").entries["pnr"]
    parts = relyon.Accumulator("pnr")
    for start in (0, 40):
        part = relyon.Accumulator("pnr")
        end = {0: 40, 40: 120}[start]
        part.update_scores(LABELS[start:end], VALUES[start:end], [8] * ((end - start) // 8))
        parts.merge(pickle.loads(pickle.dumps(part)))
    assert parts.compute().entries["pnr"] == whole


def results(scores: np.ndarray, name: str = "one") -> relyon.Results:
    names = ["pnr", "pnr(label_ties=ignore)"]
    return relyon.evaluate_scores(LABELS, scores, GROUPS, names, name=name)


def test_every_table_of_an_evaluation_names_the_convention() -> None:
    found = results(VALUES)
    rows = [line.split() for line in str(found).splitlines()]
    first = [" ".join(row[:-4] or row[:1]) if len(row) > 2 else row[0] for row in rows if row]
    assert "pnr (micro)" in first
    assert "pnr (strict, micro)" in first
    assert first.count("strict") == 1
    assert first.count("random") == 2
    for text in (found.to_markdown(), found.to_html()):
        assert "pnr (strict, micro)" in text
        assert "random" in text
    heading, row, _ = (line.split(",") for line in found.to_csv().splitlines())
    record = dict(zip(heading, row, strict=True))
    assert float(record["strict"]) == found["pnr(label_ties=ignore)"]
    assert float(record["random"]) == found.entries["pnr"].details["random"]
    line = convention_line(found.convention, list(found.entries))
    assert "label_ties=positive/ignore, score_ties=ignore" in line


def test_every_table_of_a_comparison_names_the_convention() -> None:
    other = VALUES + np.random.default_rng(1).normal(0, 1, len(VALUES))
    comparison = relyon.compare_results([results(VALUES, "old"), results(other, "new")])
    one = comparison.contrast("new", "pnr")
    assert one.baseline_details == pytest.approx(results(VALUES).entries["pnr"].details)
    assert one.candidate_details == pytest.approx(results(other).entries["pnr"].details)
    values: Any = one.to_dict()
    assert values["baseline_details"]["strict"] == one.baseline_details["strict"]
    strict, chance = (f"{one.baseline_details[name]:.4f}" for name in ("strict", "random"))
    texts = (
        str(comparison),
        comparison.to_markdown(),
        comparison.to_latex(),
        comparison._repr_html_(),
    )
    for text in texts:
        assert "pnr (strict, micro)" in text.lower()
        assert "random" in text.lower()
        assert strict in text.lower()
        assert chance in text.lower()
    frame = comparison.to_frame()
    assert frame["baseline_strict"][0] == one.baseline_details["strict"]
    assert "candidate_random" in comparison.to_csv()


@pytest.mark.parametrize(("lang", "word"), [("en", "random order"), ("zh", "随机排序")])
def test_the_report_shows_both_and_lists_the_rules(lang: Language, word: str) -> None:
    judgments = {f"q{n}": {"a": n % 3, "b": 1, "c": 0} for n in range(12)}
    old = {query: {"a": 3.0, "b": 2.0, "c": 1.0} for query in judgments}
    new = {query: {"b": 3.0, "a": 2.0, "c": 1.0} for query in judgments}
    names = ["pnr", "pnr(label_ties=ignore)"]
    comparison = relyon.compare(judgments, old, new, names, names=["old", "new"])
    page = report(comparison, lang)
    assert "pnr (strict, micro)" in page
    assert word in page
    assert "label_ties" in page
    assert "score_ties" in page


def report(comparison: relyon.Comparison, lang: Language) -> str:
    from relyon.report.catalogue import catalogue
    from relyon.report.overview import comparison_section
    from relyon.report.provenance import convention_section

    texts = catalogue(lang)
    sections = (comparison_section(comparison, texts), convention_section(comparison, texts))
    return repr(sections)
