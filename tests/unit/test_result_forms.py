"""Every result has the same forms, and they hold the same."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import relyon
from relyon.core.document.exportable import Exportable
from relyon.core.document.json import render_json
from relyon.core.document.terminal import width
from relyon.evaluation.side_by_side import SideBySide
from relyon.labels import compare_models, estimate_bias, make_labels, simulate
from relyon.labels.off_policy import evaluate_policy
from relyon.online.experiments import (
    Preferences,
    check_experiment,
    compare_arms,
    mix_runs,
    score_clicks,
)
from relyon.online.logs import examine, summarise
from relyon.online.monitoring import plan_sample
from relyon.online.sampling import estimate

JUDGMENTS = {f"q{n}": {"a": 2, "b": n % 2, "c": 0} for n in range(12)}
OLD = {query: {"a": 3.0, "b": 2.0, "c": 1.0} for query in JUDGMENTS}
NEW = {query: {"b": 3.0, "a": 2.0, "c": 1.0} for query in JUDGMENTS} | {"q0": OLD["q0"]}
LOG = pl.DataFrame(
    {
        "session": [f"s{n}" for n in range(40)],
        "query": [f"q{n % 12}" for n in range(40)],
        "position": [1] * 40,
        "doc": ["a", "b"] * 20,
    }
)
ARMS = LOG.with_columns(
    bucket=pl.Series(["A", "B"] * 20), user="session", clicked=pl.int_range(40) % 3 == 0
)


def preferences() -> Preferences:
    mixed = mix_runs({"old": OLD, "new": NEW})
    shown = mixed.lists.select("query", "position", session="mixture", doc="document")
    return score_clicks(mixed, shown.with_columns(clicked=pl.col("doc") == "b"))


def simulated() -> Exportable:
    with tempfile.TemporaryDirectory() as folder:
        return simulate(OLD, JUDGMENTS, sessions=50).write(Path(folder) / "log.csv")


def comparison() -> relyon.Comparison:
    return relyon.compare(JUDGMENTS, OLD, NEW, ["ndcg@10", "rr"], names=["old", "new"])


def monitor() -> relyon.Monitor:
    sample = relyon.draw_sample(LOG, per_tier=40, cuts=[], names=["every"])
    rounds = [relyon.create_round(month, sample, JUDGMENTS) for month in ("2026-03", "2026-04")]
    return relyon.monitor(rounds)


def month_look() -> Exportable:
    sample = relyon.draw_sample(LOG, per_tier=40, cuts=[], names=["every"])
    rounds = [relyon.create_round(month, sample, JUDGMENTS) for month in ("2026-03", "2026-04")]
    return relyon.look_at_month(rounds)


def discrepancy() -> Exportable:
    found = relyon.explain(JUDGMENTS, OLD, "q1", "dcg", against={"gain": "exp"}).against
    assert found is not None
    return found


def breakdown() -> Exportable:
    tiers = pl.DataFrame({"query": list(JUDGMENTS), "tier": ["head", "tail"] * 6})
    return relyon.compare(
        JUDGMENTS, OLD, NEW, ["rr"], queries=tiers, by="tier", names=["a", "b"]
    ).breakdowns[0]


WORSE = {query: {"c": 2.0, "b": 1.0} for query in JUDGMENTS}


def next_pairs() -> relyon.NextPairs:
    return relyon.next_pairs({}, OLD, WORSE, "dcg@2", budget=30)


def abstention() -> relyon.Abstention:
    answerable = {query: query in JUDGMENTS for query in [*JUDGMENTS, "x", "y", "z"]}
    run = NEW | {query: {"a": 0.5} for query in ("x", "y", "z")}
    return relyon.abstention(JUDGMENTS, run, answerable=answerable)


def slices() -> relyon.Slices:
    changes = {f"q{n}": -0.5 + n % 5 / 10 if n < 60 else n % 5 / 20 for n in range(240)}
    tiers = {query: "tail" if int(query[1:]) < 60 else "head" for query in changes}
    return relyon.find_slices(changes, {"tier": tiers})


def stale() -> relyon.StaleJudgments:
    then = {"a": "red shoes", "b": "a bag", "c": "tea"}
    today = then | {"b": "a television"}
    return relyon.stale_judgments(JUDGMENTS, [OLD, NEW], documents=today, then=then, within=0.1)


RESULTS: dict[str, Callable[[], Exportable]] = {
    "Results": lambda: relyon.evaluate(JUDGMENTS, OLD, ["ndcg@10", "pnr"]),
    "SideBySide": lambda: SideBySide(
        [relyon.evaluate(JUDGMENTS, run, "rr", name=name) for name, run in (("a", OLD), ("b", NEW))]
    ),
    "Comparison": comparison,
    "QueryPlan": lambda: comparison().plan(),
    "SamplePlan": lambda: plan_sample(LOG),
    "Depth": lambda: relyon.depth(JUDGMENTS, OLD, NEW, at=[1, 2], clicks={1: 2, 3: 1}),
    "Funnel": lambda: relyon.funnel(JUDGMENTS, {"old": OLD, "new": NEW}),
    "Explanation": lambda: relyon.explain(JUDGMENTS, OLD, "q1", "ndcg@10"),
    "Discrepancy": discrepancy,
    "Change": lambda: relyon.explain_change(JUDGMENTS, OLD, NEW, "q1", "ndcg@10"),
    "Findings": lambda: relyon.diagnose(comparison()),
    "Correlations": lambda: relyon.rank_correlation(
        JUDGMENTS, [OLD, NEW], ["ndcg@10", "rr"], resamples=20
    ),
    "Discrimination": lambda: relyon.discriminative_power(
        JUDGMENTS, [OLD, NEW], ["rr"], resamples=20
    ),
    "Leaderboard": lambda: relyon.leaderboard(
        JUDGMENTS, [OLD, NEW, OLD], ["ndcg@10", "rr"], names=["a", "b", "c"]
    ),
    "Contrast": lambda: comparison().contrasts[0],
    "PairContrast": lambda: relyon.compare(JUDGMENTS, OLD, [NEW, OLD], ["rr"]).pairs[0],
    "Breakdown": breakdown,
    "Abstention": abstention,
    "StaleJudgments": stale,
    "SystemAbstention": lambda: abstention().systems[0],
    "AnswerCurve": lambda: abstention().systems[0].curve,
    "FewerGrades": lambda: relyon.prediction_powered(
        {query: JUDGMENTS[query] for query in list(JUDGMENTS)[:11]},
        JUDGMENTS,
        [OLD, NEW],
        "dcg@2",
        names=["old", "new"],
    ),
    "Slices": slices,
    "NextPairs": next_pairs,
    "PairsEstimate": lambda: relyon.estimate_pairs(JUDGMENTS, OLD, WORSE, drawn=next_pairs()),
    "Curve": lambda: relyon.roc_curve([1, 0, 1], [0.3, 0.2, 0.1]),
    "Classification": lambda: relyon.classify([1, 0, 1], [0.3, 0.2, 0.1], 0.15),
    "Pool": lambda: relyon.build_pool(relyon.draw_sample(LOG, per_tier=3)),
    "Repair": lambda: examine(LOG.with_columns(position=0)).repair(),
    "Checkup": lambda: examine(LOG.with_columns(position=0)),
    "Overview": lambda: summarise(LOG),
    "Sample": lambda: relyon.draw_sample(LOG, per_tier=3),
    "Estimate": lambda: estimate(
        relyon.draw_sample(LOG, per_tier=40), {f"s{n}": n % 3 for n in range(40)}
    ),
    "Monitor": monitor,
    "MonthLook": month_look,
    "MixedLists": lambda: mix_runs({"old": OLD, "new": NEW}),
    "Preferences": preferences,
    "Health": lambda: check_experiment(ARMS),
    "ArmReport": lambda: compare_arms(ARMS),
    "MeasureIntervals": lambda: relyon.measure_intervals(JUDGMENTS, OLD, ["ndcg@10", "rr"]),
    "ConventionMatch": lambda: relyon.match_convention(JUDGMENTS, NEW, {"ndcg@10": "0.9"}),
    "Labels": lambda: make_labels(ARMS),
    "ModelComparison": lambda: compare_models(ARMS),
    "PositionBias": lambda: estimate_bias(ARMS),
    "OffPolicy": lambda: evaluate_policy(ARMS, {"q0": {"a": 1.0}}),
    "Simulation": lambda: simulate(OLD, JUDGMENTS, sessions=50),
    "SimulatedLog": simulated,
}


@pytest.mark.parametrize("name", RESULTS)
def test_every_result_has_every_form(name: str) -> None:
    found = RESULTS[name]()
    assert type(found).__name__ == name
    if name != "Estimate":
        assert str(found) == found.to_text()
    assert max(map(width, found.to_text().splitlines())) <= 80
    assert found.to_markdown()
    html = found.to_html()
    assert html == found._repr_html_()
    assert html.count("<table") == html.count("</table>")
    if name != "SideBySide":
        assert json.loads(found.to_json()) == json.loads(json.dumps(found.to_dict()))
    frame = found.to_frame()
    heading, *rows = csv.reader(io.StringIO(found.to_csv()))
    assert heading == frame.columns
    assert len(rows) == len(frame) + (name == "Funnel")  # the ranking has a row of its own
    assert list(found.to_pandas().columns) == frame.columns
    assert found.to_arrow().column_names == frame.columns


@pytest.mark.parametrize("name", RESULTS)
def test_every_document_is_json_too(name: str) -> None:
    found = RESULTS[name]().document()
    values: dict[str, Any] = json.loads(render_json(found))
    assert [block["kind"] for block in values["blocks"]] == [one.kind for one in found.blocks]


@pytest.mark.long
def test_every_result_is_tested() -> None:
    """In a process of its own: other tests make classes too."""
    program = """
import importlib, pkgutil, relyon
from relyon.core.document.exportable import Exportable
for room in ("analysis", "evaluation", "online", "labels"):
    package = importlib.import_module(f"relyon.{room}")
    for one in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        importlib.import_module(one.name)
print(*(one.__name__ for one in Exportable.__subclasses__()))
"""
    run = [sys.executable, "-c", program]
    done = subprocess.run(run, capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) == set(RESULTS)


def test_a_long_frame_is_shown_in_part_and_says_so() -> None:
    curve = relyon.roc_curve([n % 2 for n in range(50)], [n / 50 for n in range(50)])
    assert len(curve.to_text().splitlines()) < 30
    assert "20 of 51 rows: to_frame() has all" in curve.to_text()
    assert "51 行中的前 20 行" in curve.to_text(language="zh")
    values: Any = curve.to_dict()
    assert values["points"][0]["threshold"] is None
