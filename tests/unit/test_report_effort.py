"""How much is done for a report: counted, since times differ from machine to machine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import relyon
from relyon import _native
from relyon.analysis.comparison import outcomes
from relyon.analysis.diagnosis.rule import Subject
from relyon.cli.application import main
from relyon.evaluation import evaluator
from relyon.report import build_page, drilldown

QUERIES = 60


@pytest.fixture(scope="module")
def comparison(tmp_path_factory: pytest.TempPathFactory) -> relyon.Comparison:
    judgments = {f"q{n:02}": {"a": 2, "b": 1, "c": 0} for n in range(QUERIES)}
    old = {q: {"b": 3.0, "x": 2.0, "a": 1.0} for q in judgments}
    new = {q: {"a": 3.0 + n, "y": 2.0, "b": 1.0 + n % 3} for n, q in enumerate(judgments)}
    new |= {f"q{n:02}": {"c": 1.0} for n in range(20)}
    folder = tmp_path_factory.mktemp("runs")
    for name, run in (("old", old), ("new", new)):
        relyon.write_run(relyon.Run.from_dict(run), folder / f"{name}.run")
    runs = [folder / "old.run", folder / "new.run"]
    return relyon.compare(judgments, runs[0], [runs[1]], ["ndcg@10", "ap", "rr", "dcg@5"])


def counting(monkeypatch: pytest.MonkeyPatch, owner: Any, name: str) -> list[Any]:
    """Returns a list that grows by the arguments of each call."""
    calls: list[Any] = []
    inner = getattr(owner, name)

    def counted(*values: Any, **options: Any) -> Any:
        calls.append(values)
        return inner(*values, **options)

    monkeypatch.setattr(owner, name, counted)
    return calls


@pytest.mark.parametrize("shown", [0, 3])
def test_only_queries_that_are_shown_are_derived(
    comparison: relyon.Comparison, monkeypatch: pytest.MonkeyPatch, shown: int
) -> None:
    derived = counting(monkeypatch, drilldown, "explain_change")
    listed = [
        counting(monkeypatch, relyon.Run, "documents"),
        counting(monkeypatch, Subject, "top"),
    ]
    build_page(comparison, queries=shown)
    assert len(derived) == 2 * shown
    # Lists become Python's for what is derived, not for curves, bands and rules.
    assert sum(map(len, listed)) <= 8 * shown


def test_all_measures_share_the_queries_that_the_bootstrap_draws(
    comparison: relyon.Comparison, monkeypatch: pytest.MonkeyPatch
) -> None:
    fresh = relyon.compare(
        comparison.judgments,
        comparison.run("old.run"),
        [comparison.run("new.run")],
        list(comparison.measures),
    )
    drawn = counting(monkeypatch, _native, "resampled_sums")
    found = [dict(one.p_values)["bootstrap"] for one in fresh.contrasts]
    assert len(drawn) == 1
    assert drawn[0][0].shape == (2 * len(found), QUERIES)
    alone = [
        outcomes.outcomes(
            pairing, fresh.settings.draws, outcomes.Bootstraps([pairing], fresh.settings.draws)
        )[0]["bootstrap"]
        for pairing in fresh._pairings.values()
    ]
    assert found == alone


def test_each_run_is_evaluated_once_for_all_sections(
    comparison: relyon.Comparison, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = [comparison.run(name) for name in comparison.runs]
    fresh = relyon.compare(comparison.judgments, runs[0], [runs[1]], ["ndcg@10", "ap"])
    evaluated = counting(monkeypatch, relyon.Evaluator, "evaluate")
    build_page(fresh)
    # Unjudged documents are looked at under other judgments, too.
    same = [run for evaluator, run, *_ in evaluated if evaluator.judgments is fresh.judgments]
    assert same == runs


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("report", ["-m", "ndcg@10,ap"]),
        ("report", ["-m", "auc,ndcg@5", "--focus", "ndcg@5"]),
        ("diagnose", []),
    ],
)
def test_a_command_passes_over_each_run_once(
    comparison: relyon.Comparison,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: str,
    options: list[str],
) -> None:
    judgments = tmp_path / "judgments.qrels"
    assert comparison.judgments is not None
    relyon.write_judgments(comparison.judgments, judgments)
    files = [tmp_path / f"{name}.run" for name in ("old", "new")]
    for name, path in zip(comparison.runs, files, strict=True):
        relyon.write_run(comparison.run(name), path)
    output = tmp_path / "page.md"
    passes = counting(monkeypatch, evaluator, "evaluate_run")
    named = map(str, [judgments, *files, "-o", output])
    done = CliRunner().invoke(main, [command, *named, *options])
    assert done.exit_code == 0, done.output
    # Unjudged documents are looked at under other judgments, too.
    same = [run for judged, _, run, _ in passes if judged is passes[0][0]]
    assert len(same) == 2


def test_lists_of_measures_give_what_each_gives_alone(comparison: relyon.Comparison) -> None:
    run = comparison.run("new.run")
    judged = relyon.Evaluator(comparison.judgments)
    lists = [["ndcg@10", "rr"], ["rr", "p@3", "auc"]]
    for names, found in zip(lists, judged.evaluate_lists(run, lists, name="new"), strict=True):
        alone = judged.evaluate(run, names, name="new")
        together = found()
        assert together.to_dict(per_query=True) == alone.to_dict(per_query=True)
        assert list(together) == names


def test_what_was_measured_is_not_measured_again(comparison: relyon.Comparison) -> None:
    runs = [comparison.run(name) for name in comparison.runs]
    fresh = relyon.compare(comparison.judgments, runs[0], [runs[1]], "ap", names=["old", "new"])
    found = fresh.measured("new", ["rr", "dcg@5"])
    assert fresh.measured("new", "rr") is found
    assert found["rr"] == relyon.evaluate(fresh.judgments, runs[1], "rr")["rr"]
    assert fresh.measured("new", ["rr", "ap"]) is not found
    with pytest.raises(relyon.UnknownNameError, match="no run `newest`"):
        fresh.measured("newest", "rr")
