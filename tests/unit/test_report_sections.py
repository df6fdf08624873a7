"""The parts of the report that look into the lists: derivations, ranks, curves, losses, inputs."""

from __future__ import annotations

import json
import math
import random
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tests.unit.pages import block_of, check_drawings, section_of
from tests.unit.two_runs import collection

import relyon
from relyon.core.language import Language
from relyon.report import build_page
from relyon.report.catalogue import catalogue
from relyon.report.charts import DRAWINGS, draw
from relyon.report.classification import PRECISION_RECALL, judged_scores, thin
from relyon.report.diagnoses import diagnosis_section
from relyon.report.losses import run_losses
from relyon.report.page import Chart, Columns, Details, Finding, Page, Prose, Table
from relyon.report.queries import extremes, gains_first
from relyon.report.ranks import rank_bands


@pytest.fixture(scope="module")
def comparison() -> relyon.Comparison:
    return relyon.compare(*collection(), ["ndcg@10", "ap", "recall@20"], names=["old", "new"])


@pytest.fixture(scope="module")
def page(comparison: relyon.Comparison) -> Page:
    return build_page(comparison, queries=4)


def number(text: str) -> float:
    return float(text.replace("−", "-").replace(",", ""))


# -- derivations -------------------------------------------------------------------------------


def drills(page: Page) -> list[Details]:
    return [one for one in page.blocks() if isinstance(one, Details) and one.name]


def test_the_most_lost_and_gained_queries_are_derived(
    page: Page, comparison: relyon.Comparison
) -> None:
    deltas = comparison.deltas("new", "ndcg@10")
    order = sorted(deltas, key=lambda query: (deltas[query], query))
    lost = [query for query in order[:4] if deltas[query] < 0]
    gained = [query for query in reversed(order) if deltas[query] > 0][:4]
    assert [one.summary for one in drills(page)] == [*lost, *gained]
    assert all(one.tone == ("worse" if one.summary in lost else "better") for one in drills(page))


def test_effects_add_up_to_the_difference(page: Page, comparison: relyon.Comparison) -> None:
    for drill in drills(page):
        moves = drill.blocks[0]
        assert isinstance(moves, Table)
        effects = [number(row[-1].text) for row in moves.cells()]
        delta = comparison.deltas("new", "ndcg@10")[drill.summary]
        assert math.fsum(effects[:-1]) == pytest.approx(effects[-1], abs=0.001)
        assert effects[-1] == pytest.approx(delta, abs=0.0001)


def test_both_derivations_end_with_the_values(page: Page, comparison: relyon.Comparison) -> None:
    for drill in drills(page):
        columns = next(one for one in drill.blocks if isinstance(one, Columns))
        for group, results in zip(columns.groups, comparison.results, strict=True):
            table = group[0]
            assert isinstance(table, Table)
            value = results.values_by_query("ndcg@10")[drill.summary]
            assert number(table.cells()[-1][-1].text) == pytest.approx(value, abs=0.0001)
            assert table.caption == f"{results.run}: {value:.4f}"


def tables(drill: Details, side: int, heading: str) -> list[Table]:
    """The tables of one run's side that have a heading."""
    columns = next(one for one in drill.blocks if isinstance(one, Columns))
    return [
        one for one in columns.groups[side] if isinstance(one, Table) if heading in one.headings
    ]


@pytest.mark.parametrize(("language", "grade"), [("en", "grade"), ("zh", "等级")])
def test_missed_documents_follow_the_derivation(language: Language, grade: str) -> None:
    judgments = {f"q{n}": {f"d{m}": 1 + m % 3 for m in range(8)} for n in range(3)}
    old = {query: {"d0": 2.0, "x": 1.0} for query in judgments}
    new = {query: {f"d{m}": 1.0 * m for m in range(7)} for query in judgments}
    one = relyon.compare(judgments, old, new, "recall@2", names=["old", "new"])
    drill = drills(build_page(one, queries=1, language=language))[0]
    _, missed = tables(drill, 0, grade)
    assert missed.caption.startswith("7 ")
    assert [row[0].text for row in missed.cells()[:-1]] == ["d2", "d5", "d1", "d4", "d7"]
    assert "2" in missed.cells()[-1][0].text
    _, kept = tables(drill, 1, grade)
    assert {row[0].text: row[2].text for row in kept.cells()[:-1]}["d2"] == "5"


def test_pairs_in_the_wrong_order_follow_the_derivation() -> None:
    judgments = {f"q{n}": {"a": 3, "b": 2, "c": 0, "d": 0} for n in range(3)}
    old = {query: {"c": 4.0, "b": 3.0, "a": 2.0, "d": 1.0} for query in judgments}
    new = {query: {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0} for query in judgments}
    one = relyon.compare(judgments, old, new, "pnr(smoothing=1)", names=["old", "new"])
    drill = drills(build_page(one, queries=1))[0]
    (pairs,) = tables(drill, 0, "grade difference")
    assert pairs.caption == "3 pairs in the wrong order, the costliest first"
    assert [tuple(cell.text for cell in row) for row in pairs.cells()] == [
        ("1. c · 0", "3. a · 3", "3"),
        ("1. c · 0", "2. b · 2", "2"),
        ("2. b · 2", "3. a · 3", "1"),
    ]
    assert tables(drill, 1, "grade difference") == []


def test_bars_lead_to_their_derivation(page: Page) -> None:
    names = {f"#{one.name}": one.summary for one in drills(page)}
    chart = next(b for b in page.blocks() if isinstance(b, Chart) and b.drawing == "waterfall")
    assert {row["link"]: row["query"] for row in chart.rows if row["link"]} == names
    svg = draw(chart, "one")
    assert svg.count('href="#query-') == len(names)
    assert 'role="group"' in svg


def test_a_mean_over_orders_says_so(comparison: relyon.Comparison) -> None:
    one = relyon.compare(*collection(), "ndcg@10", convention="sklearn", names=["old", "new"])
    prose = drills(build_page(one, queries=1))[0].blocks[0]
    assert isinstance(prose, Prose)
    assert "a mean over all orders" in prose.texts[0]


def test_a_measure_without_shares_lists_moves_without_effect() -> None:
    one = relyon.compare(*collection(), "pnr(smoothing=1)", names=["old", "new"])
    table = drills(build_page(one, queries=1))[0].blocks[0]
    assert isinstance(table, Table)
    assert "effect" not in table.headings


def test_queries_of_values_alone_have_no_derivation() -> None:
    values = {f"q{n}": n / 20 for n in range(20)}
    one = relyon.compare_values({"old": {"rr": values}, "new": {"rr": dict.fromkeys(values, 0.5)}})
    made = build_page(one)
    assert {drill.blocks for drill in drills(made)} == {()}
    assert [section.name for section in made.sections] == [
        "summary",
        "comparison",
        "queries",
        "convention",
        "inputs",
        "notes",
    ]


# -- ranks -------------------------------------------------------------------------------------


def test_bands_add_up_to_dcg(comparison: relyon.Comparison) -> None:
    bands = rank_bands(comparison, "new")
    judgments, old, new = collection()
    for run, side in ((old, "baseline"), (new, "candidate")):
        whole = relyon.evaluate(judgments, run, "dcg")["dcg"]
        assert math.fsum(getattr(one, side) for one in bands) == pytest.approx(whole)
    assert [one.label for one in bands] == ["1", "2–3", "4–5", "6–10", "11–20", "21–50"]


def test_a_band_is_what_its_ranks_contribute(comparison: relyon.Comparison) -> None:
    judgments, _, new = collection()
    band = rank_bands(comparison, "new")[2]
    assert band.last is not None
    steps = [
        step.contribution
        for query in judgments
        for step in relyon.explain(judgments, new, query, "dcg").steps
        if band.first <= step.rank <= band.last
    ]
    assert band.candidate == pytest.approx(math.fsum(steps) / len(judgments))


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("turned", [False, True])
def test_percentages_of_bands_have_the_sign_of_their_bar(turned: bool, language: Language) -> None:
    """A gain is never −183%: 100% is the baseline's whole DCG, and the parts add up."""
    judgments, *runs = collection()
    old, new = runs[::-1] if turned else runs
    one = relyon.compare(judgments, old, new, "ndcg@10", names=["old", "new"])
    chart = _charts(build_page(one, language=language))["bands"]
    bands = rank_bands(one, "new")
    whole = math.fsum(band.baseline for band in bands)
    assert {band.difference > 0 for band in bands} == {True, False}
    shares = []
    for row, band, cells in zip(chart.rows, bands, chart.table.cells(), strict=True):
        shown = str(row["share"])
        share = float(shown.replace("−", "-").rstrip(" %"))
        assert share == pytest.approx(100 * band.difference / whole, abs=0.051)
        assert shown.startswith("+" if band.difference > 0 else "−")
        assert (row["side"] == "gain") == (band.difference > 0)
        assert cells[-1].text == row["share"]
        shares.append(share)
    total = math.fsum(band.difference for band in bands)
    assert sum(shares) == pytest.approx(100 * total / whole, abs=0.05 * len(bands))
    texts = catalogue(language)
    assert texts.signed_percent(total / whole, 1) in chart.caption
    assert f"{whole:.4f}" in chart.caption
    drawing = json.dumps(DRAWINGS["bands"](chart, 640), ensure_ascii=False)
    assert all(str(row["share"]) in drawing for row in chart.rows)


def test_bands_of_a_baseline_without_value_have_no_percentages() -> None:
    judgments = {f"q{n}": {"a": 1, "b": 0} for n in range(4)}
    old, new = {q: {"b": 1.0} for q in judgments}, {q: {"a": 1.0} for q in judgments}
    one = relyon.compare(judgments, old, new, "ndcg@10", names=["old", "new"])
    chart = _charts(build_page(one))["bands"]
    assert [row["share"] for row in chart.rows] == ["+1.0000"]
    assert [row[-1].text for row in chart.table.cells()] == ["–"]
    assert "100%" not in chart.caption


@pytest.mark.parametrize(
    ("good", "words"),
    [
        (("x", "y"), "100% of the DCG difference arises in the first 3 ranks"),
        (("old", "new"), "new gains at ranks 1 and loses at ranks 2–5"),
    ],
)
def test_the_sentence_follows_the_bands(good: tuple[str, str], words: str) -> None:
    judgments = {f"q{n}": {"a": 1, "b": 1} for n in range(5)}
    if good == ("x", "y"):
        old = {q: {"z": 3.0, "y": 2.0, "x": 1.0} for q in judgments}
        new = {q: {"a": 3.0, "b": 2.0, "x": 1.0} for q in judgments}
    else:
        old = {q: {"x": 9.0, "a": 8.0, "y": 7.0, "b": 6.0} for q in judgments}
        new = {q: {"a": 9.0, "x": 8.0} for q in judgments}
    one = relyon.compare(judgments, old, new, "ndcg", names=["old", "new"])
    prose = block_of(Prose, section_of(build_page(one), "ranks").blocks[0])
    assert prose.texts[0].startswith(words)


# -- curves ------------------------------------------------------------------------------------


def test_areas_are_those_of_all_judged_documents(comparison: relyon.Comparison) -> None:
    judgments, _, new = collection()
    labels, scores = [], []
    lowest = min(score for run in new.values() for score in run.values())
    for query, grades in judgments.items():
        for document, grade in grades.items():
            labels.append(grade >= 1)
            scores.append(new[query].get(document, lowest - 5))
    judged = judged_scores(comparison, "new", 1.0)
    assert judged.labels.tolist() == labels
    expected = relyon.roc_curve(labels, scores).area
    assert relyon.roc_curve(judged.labels, judged.scores).area == pytest.approx(expected)
    chart = _charts(build_page(comparison))["curves"]
    assert any(entry.text == f"new {expected:.3f}" for entry in chart.legend)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_curve_below_chance_is_explained(language: Language) -> None:
    """Scores that are reversed are told from scores that queries do not share."""
    judgments = {f"q{n}": {"a": 1, "b": 0, "c": 0} for n in range(6)}
    # Right within each query; the queries with fewer relevant documents have the higher scores.
    judgments["q0"] |= {f"x{n}": 0 for n in range(40)}
    apart = {q: {"a": 3.0, "b": 2.0, "c": 1.0} for q in judgments}
    apart["q0"] |= {"a": 999.0} | {f"x{n}": 100.0 + n for n in range(40)}
    good, turned = (
        {q: {d: sign * grade for d, grade in grades.items()} for q, grades in judgments.items()}
        for sign in (10.0, -10.0)
    )
    names = ["apart", "reversed", "good"]
    runs = (apart, turned, good)
    one = relyon.compare(judgments, runs[0], runs[1:], "rr", names=names)
    prose = block_of(Prose, section_of(build_page(one, language=language), "curves").blocks[0])
    texts = catalogue(language)
    told = {text.split("：")[0].split(":")[0].split(" ")[0]: text for text in prose.texts[1:]}
    assert set(told) == {"apart", "reversed"}
    for name, key in (("apart", "across"), ("reversed", "within")):
        judged = judged_scores(one, name, 1.0)
        area = relyon.roc_curve(judged.labels, judged.scores).area
        assert area < 0.5
        assert texts.say("curves.below", run=name, area=f"{area:.3f}") in told[name]
        within = relyon.evaluate(judgments, dict(zip(names, runs, strict=True))[name], "gauc")
        assert texts.say(f"curves.below_{key}", within=f"{within['gauc']:.3f}") in told[name]
        assert (within["gauc"] < 0.5) == (key == "within")


def test_average_precision_is_that_of_one_list(comparison: relyon.Comparison) -> None:
    judged = judged_scores(comparison, "new", 1.0)
    # All documents as one list: its AP is the average precision, as long as no scores are equal.
    places = sorted(range(len(judged.scores)), key=lambda place: -judged.scores[place])
    apart = {f"d{place}": -float(rank) for rank, place in enumerate(places)}
    labels = [judged.labels[place] for place in places]
    grades = {f"d{place}": judged.labels[place] for place in places}
    expected = relyon.evaluate({"all": grades}, {"all": apart}, "ap")["ap"]
    curve = relyon.precision_recall_curve(labels, list(apart.values()))
    assert PRECISION_RECALL.area(curve) == pytest.approx(expected)
    shown = relyon.precision_recall_curve(judged.labels, judged.scores)
    text = f"new {PRECISION_RECALL.area(shown):.3f}"
    charts = [one for one in build_page(comparison).blocks() if isinstance(one, Chart)]
    assert any(key.text == text for chart in charts for key in chart.legend)


def test_one_class_has_no_curves() -> None:
    judgments = {f"q{n}": {"a": 1} for n in range(3)}
    run = {query: {"a": 1.0} for query in judgments}
    one = relyon.compare(judgments, run, dict(run), "rr", names=["old", "new"])
    prose = block_of(Prose, section_of(build_page(one), "curves").blocks[0])
    assert "needs positives and negatives" in prose.texts[0]


def test_thin_keeps_the_form_of_a_curve() -> None:
    numbers = random.Random(5)
    labels = [numbers.random() < 0.3 for _ in range(5000)]
    scores = [numbers.gauss(float(label), 1.0) for label in labels]
    curve = relyon.roc_curve(labels, scores)
    points = thin(curve)
    assert len(points) <= 150
    assert points[0] == (0.0, 0.0)
    assert points[-1] == (1.0, 1.0)
    # The first point at which each of 149 equal parts of the way is gone.
    every = zip(curve.x.tolist(), curve.y.tolist(), strict=True)
    place = {point: at for at, point in enumerate(every)}
    way = np.append(0.0, np.cumsum(np.hypot(np.diff(curve.x), np.diff(curve.y))))
    for number, point in enumerate(points[1:-1], 1):
        at = place[point]
        assert way[at] >= number * way[-1] / 149
        assert way[at - 1] < number * way[-1] / 149 or at == place[points[number - 1]] + 1
    assert thin(curve, len(curve.x)) == list(place)
    area = math.fsum((u - x) * (v + y) / 2 for (x, y), (u, v) in pairwise(points))
    assert area == pytest.approx(curve.area, abs=0.002)


# -- losses ------------------------------------------------------------------------------------


def _charts(page: Page) -> dict[str, Chart]:
    charts: dict[str, Chart] = {}
    for block in page.blocks():
        if isinstance(block, Chart):
            charts.setdefault(block.drawing, block)
    return charts


@pytest.mark.long
def test_drawings_are_valid(page: Page) -> None:
    assert check_drawings(page) == {"forest", "waterfall", "bands", "curves", "losses"}


def test_each_bar_of_losses_is_the_ideal(comparison: relyon.Comparison, page: Page) -> None:
    losses = run_losses(comparison, "ndcg@10")
    chart = _charts(page)["losses"]
    for name, found in losses.items():
        rows: Any = chart.rows
        parts = [row["value"] for row in rows if row["name"] == name]
        assert math.fsum(parts) == pytest.approx(found.ideal)
        assert found.k == 10
    assert run_losses(comparison, "ap")["old"].k == 10


def test_stages_are_shown_where_they_are_known(comparison: relyon.Comparison) -> None:
    judgments, old, new = collection()
    stages = relyon.funnel(judgments, {"retrieval": new, "re-rank": old}, 5)
    section = section_of(build_page(comparison, funnel=stages), "funnel")
    charts = [one for one in section.blocks if isinstance(one, Chart)]
    assert len(charts) == 2
    rows = charts[1].table.cells()
    assert [row[0].text for row in rows] == ["all judged", "retrieval", "re-rank", "ranking"]
    lost = [number(row[5].text) for row in rows[1:]]
    assert math.fsum(lost) == pytest.approx(stages.loss, abs=0.0002)
    assert stages.sentence("zh") in str(build_page(comparison, language="zh", funnel=stages))


# -- diagnoses ---------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["en", "zh"])
def test_findings_are_told_in_the_language(language: Any, comparison: relyon.Comparison) -> None:
    found = relyon.diagnose(comparison)
    assert found
    section = diagnosis_section(found, catalogue(language))
    shown = [one for one in section.blocks if isinstance(one, Finding)]
    assert [one.title for one in shown] == [one.title(language) for one in found]
    assert [one.step for one in shown] == [one.next_step(language) for one in found]
    assert any(one.table is not None for one in shown)
    page = build_page(comparison, language=language)
    assert len(section_of(page, "diagnoses").blocks) == len(found)


def test_no_finding_is_said(comparison: relyon.Comparison) -> None:
    section = section_of(build_page(comparison, findings=[]), "diagnoses")
    assert section.blocks == (Prose(("No rule found anything to report.",)),)


def test_versions_and_settings_are_named(page: Page) -> None:
    text = str(page.section("inputs"))
    for word in ("numpy", "polars", relyon.__version__, "10,000", "Holm"):
        assert word in text


@given(
    st.dictionaries(
        st.text("abcé文", min_size=1), st.sampled_from([-0.5, -0.0, 0.0, 0.25, 0.5, 1])
    ),
    st.integers(0, 8),
    st.sampled_from([1, -1]),
)
def test_the_largest_changes_are_the_first_of_all_in_order(
    deltas: dict[str, float], shown: int, sign: int
) -> None:
    gains = sorted(deltas.items(), key=lambda one: (-sign * one[1], one[0]))
    losses = sorted(deltas.items(), key=lambda one: (sign * one[1], one[0]))
    lost, gained = extremes(deltas, shown, sign)
    assert [*lost.items()] == [one for one in losses[:shown] if sign * one[1] < 0]
    assert [*gained.items()] == [one for one in gains[:shown] if sign * one[1] > 0]
    assert gains_first({**deltas, "unknown": math.nan}, sign) == gains
