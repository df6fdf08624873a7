"""What is of the wrong type, or is not there, is refused by relyon's own errors."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import relyon as library

JUDGMENTS = {"q1": {"d1": 3, "d2": 2}, "q2": {"d1": 1}}
RUN = {"q1": {"d1": 1.0, "d2": 0.5}, "q2": {"d1": 1.0}}

WRONG: list[Any] = [
    5,
    3.5,
    None,
    object(),
    len,
    "no such file",
    Path("no such file"),
    b"bytes",
    "",
    [],
    [1, 2],
    {"q": 5},
    {"q": {"d": "x"}},
    {"q": {"d": None}},
    {1: 2},
    io.StringIO("x y z"),
    pl.DataFrame(),
    pl.DataFrame({"a": [1]}),
    pl.Series([1]),
]

SAMPLE = library.draw_sample(
    pl.DataFrame({"session": ["s"], "query": ["q1"], "position": [1], "doc": ["d1"]})
)
CALLS: dict[str, Callable[[Any, Path], object]] = {
    "Accumulator": lambda one, _: library.Accumulator(one),
    "Evaluator": lambda one, _: library.Evaluator(one),
    "Ranking.of": lambda one, _: library.Ranking.of(one),
    "build_pool": lambda one, _: library.build_pool(one),
    "classify": lambda one, _: library.classify([1, 0], one, 0.5),
    "compare baseline": lambda one, _: library.compare(JUDGMENTS, one, [RUN]),
    "compare candidates": lambda one, _: library.compare(JUDGMENTS, RUN, one),
    "compare measures": lambda one, _: library.compare(JUDGMENTS, RUN, [RUN], measures=one),
    "create_round judgments": lambda one, _: library.create_round("2026-01", SAMPLE, one),
    "create_round month": lambda one, _: library.create_round(one, SAMPLE, JUDGMENTS),
    "create_round sample": lambda one, _: library.create_round("2026-01", one, JUDGMENTS),
    "depth": lambda one, _: library.depth(JUDGMENTS, one),
    "depth at": lambda one, _: library.depth(JUDGMENTS, RUN, at=one),
    "depth clicks": lambda one, _: library.depth(JUDGMENTS, RUN, clicks=one),
    "depth measures": lambda one, _: library.depth(JUDGMENTS, RUN, measures=one),
    "diagnose": lambda one, _: library.diagnose(one),
    "discriminative_power": lambda one, _: library.discriminative_power(JUDGMENTS, one),
    "draw_sample": lambda one, _: library.draw_sample(one),
    "evaluate average": lambda one, _: library.evaluate(JUDGMENTS, RUN, average=one),
    "evaluate convention": lambda one, _: library.evaluate(JUDGMENTS, RUN, convention=one),
    "evaluate judgments": lambda one, _: library.evaluate(one, RUN),
    "evaluate measures": lambda one, _: library.evaluate(JUDGMENTS, RUN, one),
    "evaluate name": lambda one, _: library.evaluate(JUDGMENTS, RUN, name=one),
    "evaluate run": lambda one, _: library.evaluate(JUDGMENTS, one),
    "evaluate scale": lambda one, _: library.evaluate(JUDGMENTS, RUN, scale=one),
    "evaluate threads": lambda one, _: library.evaluate(JUDGMENTS, RUN, threads=one),
    "evaluate_scores labels": lambda one, _: library.evaluate_scores(one, [1.0]),
    "evaluate_scores scores": lambda one, _: library.evaluate_scores([1.0], one),
    "explain measure": lambda one, _: library.explain(JUDGMENTS, RUN, "q1", one),
    "explain query": lambda one, _: library.explain(JUDGMENTS, RUN, one, "ndcg"),
    "explain_change": lambda one, _: library.explain_change(JUDGMENTS, RUN, one, "q1", "ndcg"),
    "funnel": lambda one, _: library.funnel(JUDGMENTS, one),
    "fuse": lambda one, _: library.fuse(one),
    "fuse method": lambda one, _: library.fuse([RUN, RUN], one),
    "fuse one": lambda one, _: library.fuse([RUN, one]),
    "measure": lambda one, _: library.measure(one),
    "monitor": lambda one, _: library.monitor(one),
    "precision_recall_curve": lambda one, _: library.precision_recall_curve([1, 0], one),
    "rank_correlation": lambda one, _: library.rank_correlation(JUDGMENTS, one, ["ndcg"]),
    "read_judgments": lambda one, _: library.read_judgments(one),
    "read_rounds": lambda one, _: library.read_rounds(one),
    "read_run": lambda one, _: library.read_run(one),
    "read_sample": lambda one, _: library.read_sample(one),
    "read_scored": lambda one, _: library.read_scored(one),
    "read_sessions": lambda one, _: library.read_sessions(one),
    "roc_curve": lambda one, _: library.roc_curve([1, 0], one),
    "scales": lambda one, _: library.scales.get(one),
    "write_judgments": lambda one, to: library.write_judgments(one, to / "j.qrels"),
    "write_monitor_report": lambda one, to: library.write_monitor_report(one, to / "m.html"),
    "write_report": lambda one, to: library.write_report(one, to / "r.html"),
    "write_round": lambda one, to: library.write_round(one, to / "rounds"),
    "write_run": lambda one, to: library.write_run(one, to / "r.run"),
    "write_sessions": lambda one, to: library.write_sessions(one, to / "s.csv"),
}


@pytest.mark.parametrize("name", CALLS)
def test_errors_are_ours(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    refused = 0
    for value in WRONG:
        try:
            CALLS[name](value, tmp_path)
        except library.RelyonError:
            refused += 1
    assert refused, "nothing of all this was refused"


def test_a_value_is_named_with_its_type() -> None:
    with pytest.raises(library.ParameterError, match="`convention` must be a preset, a file or"):
        library.evaluate(JUDGMENTS, RUN, convention=5)  # type: ignore[arg-type]
    with pytest.raises(library.ParameterError, match=r"what relyon\.compare returned\. Got int"):
        library.diagnose(5)  # type: ignore[arg-type]
