"""A comparison says what it cannot know: no change, few changes, and one query that decides."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import relyon
from relyon.analysis.statistics.jackknife import Jackknife, effective_count
from relyon.core.notes import Note

JUDGMENTS = {f"q{n:02}": {"a": 2, "b": 1, "c": 0} for n in range(20)}
RIGHT, WRONG = {"a": 3.0, "b": 2.0, "c": 1.0}, {"a": 1.0, "b": 2.0, "c": 0.5}
OLD = dict.fromkeys(JUDGMENTS, RIGHT)


def compared(changed: int, *measures: str, **settings: Any) -> relyon.Comparison:
    new = OLD | dict.fromkeys(list(JUDGMENTS)[:changed], WRONG)
    return relyon.compare(JUDGMENTS, OLD, new, measures, names=["old", "new"], **settings)


def kinds(comparison: relyon.Comparison) -> list[tuple[str, int]]:
    return [(note.kind, note.count) for note in comparison.notes]


def said(comparison: relyon.Comparison, kind: str) -> Note:
    return next(note for note in comparison.notes if note.kind == kind)


@pytest.mark.parametrize("interval", ["t", "percentile", "bca"])
def test_where_no_query_changed_nothing_is_known_of_others(interval: Any) -> None:
    found = compared(0, "ndcg@10", "success@1", "pnr", "concordance", interval=interval)
    for one in found.contrasts:
        assert all(map(math.isnan, one.interval))
        assert math.isnan(one.detectable)
        assert (one.changed, one.no_interval, one.verdict) == (0, "unchanged", "undecided")
    note = said(found, "unchanged-queries")
    assert note.text() == (
        "new: 0 of 20 queries changed on ndcg@10, success@1, pnr, concordance: no interval, and no"
        " detectable difference; at most about 15.0% of queries like these change"
    )
    assert "20 条查询" in note.text("zh")
    assert "15.0%" in note.text("zh")
    for text in (found.to_text(), found.to_markdown(), found.to_latex()):
        assert "[0.0" not in text
    values = json.loads(found.to_json())["contrasts"][0]
    assert values["interval"] == [None, None]
    assert (values["no_interval"], values["detectable"]) == ("unchanged", None)
    frame = found.to_frame()
    assert frame.get_column("no_interval").to_list() == ["unchanged"] * 4
    assert frame.get_column("interval_low").null_count() == 4
    assert "no interval, and no detectable difference" in found.to_markdown()
    assert r"15.0\% of queries like these change" in found.to_latex()


def test_a_handful_of_changes_is_said() -> None:
    assert ("few-changed", 5) in kinds(compared(5, "ndcg@10"))
    assert "few-changed" not in dict(kinds(compared(6, "ndcg@10")))
    found = compared(5, "ndcg@10")
    note = said(found, "few-changed")
    # The t test calls it a loss, and five signs do not: a warning.
    assert (found.contrasts[0].verdict, note.level) == ("worse", "warning")
    assert "only 5 of 20 queries changed" in note.text()
    assert "p = 0.0625 at best" in note.text()
    assert said(compared(2, "ndcg@10"), "few-changed").level == "info"


def test_changes_that_are_all_equal_have_no_interval_of_no_width() -> None:
    found = compared(20, "ndcg@10")
    one = found.contrasts[0]
    assert one.verdict == "worse"
    assert one.p == 2 / 2**20
    assert math.isnan(one.interval[0])
    assert one.no_interval == "equal-changes"
    assert ("equal-changes", 20) in kinds(found)


def dominated(gain: float = 0.5) -> relyon.Comparison:
    """40 queries, one with 74% of the pairs: it gets worse and the other 39 better."""
    frames = {}
    for name, small, large in (("old", 0.0, 0.0), ("new", gain, -0.25)):
        random = np.random.default_rng(5)
        rows = []
        for query in range(40):
            count = 100 if query == 0 else 10
            labels, noise = random.integers(0, 3, count), random.normal(0, 0.6, count)
            scores = labels * (1 + (small if query else large)) + noise
            rows += [(f"q{query}", int(a), float(b)) for a, b in zip(labels, scores, strict=True)]
        frames[name] = pl.DataFrame(rows, ["query", "label", "score"], orient="row")
    return relyon.compare_scores(frames, ["pnr", "gauc"])


def test_a_query_that_decides_a_ratio_is_named() -> None:
    found = dominated()
    one = found.contrast("new", "pnr")
    assert one.test == "permutation"
    assert one.dominant is not None
    assert one.share is not None
    assert one.dominant.query == "q0"
    assert one.dominant.share == pytest.approx(4950 / (4950 + 39 * 45))
    assert one.difference < 0 < one.dominant.interval[0] < one.dominant.difference
    assert (one.no_interval, math.isnan(one.share.interval[0])) == ("one-decides", True)
    text = found.to_text()
    assert "q0 73.8%" not in text
    line = next(one for one in text.splitlines() if one.startswith("lost most on pnr"))
    before, after = found.own_values("new", "pnr")["q0"]
    assert f"q0 {before:.4f} → {after:.4f}" in line
    pooled = found._pairings["new", "pnr"].differences
    assert f"{pooled[0]:+.4f}" not in text
    note = said(found, "dominant-query")
    assert note.level == "warning"
    assert "q0 has 73.8% of the pairs and decides pnr" in note.text()
    assert "占全部文档对的 73.8%" in note.text("zh")
    assert "decides pnr" in found.to_latex()
    values = json.loads(found.to_json())["contrasts"][0]
    assert values["dominant"]["query"] == values["largest"]["query"] == "q0"
    assert values["interval"] == values["share"]["interval"] == [None, None]
    row = found.to_frame().row(0, named=True)
    assert (row["dominant"], row["largest"], row["no_interval"]) == ("q0", "q0", "one-decides")


def test_a_large_query_that_agrees_is_named_too() -> None:
    """It decides nothing that the others do not, but the interval would rest on it."""
    judgments = {f"q{n}": {f"d{place}": place % 3 for place in range(8)} for n in range(10)}
    judgments["q0"] = {f"d{place}": place % 3 for place in range(60)}
    random = np.random.default_rng(3)
    runs: list[dict[str, dict[str, float]]] = [
        {
            query: {doc: see * grade + float(random.normal()) for doc, grade in documents.items()}
            for query, documents in judgments.items()
        }
        for see in (0.9, 1.0)
    ]
    found = relyon.compare(judgments, runs[0], runs[1], "pnr", names=["old", "new"])
    one = found.contrasts[0]
    assert one.no_interval == "one-decides"
    assert one.dominant is None
    assert "q0 has 87.5% of the pairs of pnr" in said(found, "largest-query").text()


def ratios(queries: int = 30, seed: int = 2) -> relyon.Comparison:
    random = np.random.default_rng(seed)
    judgments = {f"q{n}": {f"d{i}": i % 3 for i in range(8 + n % 3)} for n in range(queries)}
    runs: list[dict[str, dict[str, float]]] = [
        {
            query: {doc: see * grade + float(random.normal()) for doc, grade in documents.items()}
            for query, documents in judgments.items()
        }
        for see in (1.0, 1.4)
    ]
    return relyon.compare(judgments, runs[0], runs[1], ["pnr", "concordance"], names=["old", "new"])


def test_the_interval_of_a_ratio_is_that_of_the_quotient() -> None:
    found = ratios()
    one, bounded = found.contrasts
    quotient = one.candidate_mean / one.baseline_mean
    assert 0 < one.quotient[0] < quotient < one.quotient[1]
    expected = [one.baseline_mean * (end - 1) for end in one.quotient]
    assert one.interval == pytest.approx(expected)
    assert one.interval[0] < one.difference < one.interval[1]
    assert one.share is not None
    assert (one.share.baseline, one.share.candidate) == pytest.approx(
        (bounded.baseline_mean, bounded.candidate_mean)
    )
    assert one.share.interval == pytest.approx(bounded.interval)
    assert one.share.p == pytest.approx(bounded.p)
    assert bounded.share is None
    assert math.isnan(bounded.quotient[0])
    text = found.to_text()
    assert "share" in text
    assert "the interval is that of B / A" in " ".join(text.split())


def test_the_error_of_a_ratio_is_the_jackknifes() -> None:
    found = ratios()
    pairing = found._pairings["new", "pnr"]
    up, down, other_up, other_down = (part.astype(float) for part in pairing.parts)
    theta = math.log(other_up.sum() / other_down.sum()) - math.log(up.sum() / down.sum())
    without = np.array(
        [
            math.log((other_up.sum() - other_up[i]) / (other_down.sum() - other_down[i]))
            - math.log((up.sum() - up[i]) / (down.sum() - down[i]))
            for i in range(30)
        ]
    )
    sizes = up + down + other_up + other_down
    low, high = Jackknife.of(theta, without, sizes).interval(0.95)
    assert found.contrasts[0].quotient == pytest.approx((math.exp(low), math.exp(high)))
    assert effective_count(sizes) == pytest.approx((sizes**2).sum() ** 2 / (sizes**4).sum())


def test_queries_of_one_class_are_in_no_win_tie_or_loss_and_that_is_said() -> None:
    sizes, random = [6] * 12, np.random.default_rng(1)
    labels = np.concatenate([np.ones(24), np.tile([1, 0, 0], 16)])
    results = [
        relyon.evaluate_scores(labels, random.normal(size=72) + labels, sizes, "auc", name=name)
        for name in ("old", "new")
    ]
    found = relyon.compare_results(results)
    one = found.contrasts[0]
    assert one.wins + one.ties + one.losses == 8
    assert said(found, "no-own-value").text() == (
        "new: 4 of 12 queries have only positives or only negatives, so no auc of their own:"
        " neither win, tie nor loss, but in the pooled number"
    )
    assert len(found.deltas("new", "auc")) == 8


def test_the_rules_name_the_grade_from_which_documents_are_relevant() -> None:
    shown = compared(3, "rr", "ndcg@10", scale="search").to_text()
    assert "rel=2" in " ".join(shown.split())
    assert "rel=" not in compared(3, "rr", "ndcg@10").to_text()
    assert "rel=" not in compared(3, "ndcg@10", scale="search").to_text()


@pytest.mark.long
def test_a_report_leads_with_the_share_and_names_the_query(tmp_path: Path) -> None:
    for language, words in (
        ("en", ("positive pairs 0.", "undecided because of one query: q0 has 74% of the pairs")),
        ("zh", ("正序对占比 0.", "因一条查询而无法判断：q0 占全部文档对的 74%")),
    ):
        path = tmp_path / f"{language}.html"
        relyon.write_report(dominated(), path, language=language)
        page = path.read_text("utf-8")
        for word in words:
            assert word in page
    path = tmp_path / "same.html"
    relyon.write_report(compared(0, "ndcg@10"), path)
    assert "none of 20 queries changed; at most about 15% of queries like these do" in (
        path.read_text("utf-8")
    )


def test_means_over_repeats_that_do_not_change_rest_on_the_runs() -> None:
    judgments = {f"q{n}": {"a": 1} for n in range(10)}
    second = {query: {"b": 2.0, "a": 1.0} for query in judgments}
    third = {query: {"b": 2.0, "c": 1.5, "a": 1.0} for query in judgments}
    systems = {"old": [second, third], "new": [third, second]}
    found = relyon.compare(judgments, systems=systems, measures=["rr"])
    low, high = found.contrasts[0].interval
    assert low < 0 < high
    assert {note.kind for note in found.notes} == {"first-run-of-system"}
