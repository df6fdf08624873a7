"""Early stopping in a training: which rows decide, what is trained again, what is said."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.unit.conftest import Command
from tests.unit.trained import rows_of, write_features

import relyon
import relyon.ltr
from relyon.data.labelled import LabelledRows
from relyon.ltr.training.stopping_rows import chosen_steps

ROWS = rows_of(queries=40, size=8)
OTHERS = rows_of(queries=20, size=8, seed=9)
TREES: dict[str, Any] = {
    "trees": 40,
    "leaves": 7,
    "min_rows": 3,
    "learning_rate": 0.3,
    "threads": 1,
}


def renamed(rows: LabelledRows) -> LabelledRows:
    return replace(rows, queries=[f"other-{name}" for name in rows.queries])


def test_folds_stop_by_themselves_and_the_ranker_has_their_median() -> None:
    found = relyon.ltr.train(ROWS, folds=3, stop=4, **TREES)
    stopping = found.card.stopping
    assert stopping is not None
    assert (stopping.rule, stopping.watched, stopping.unit) == ("4", "share=0.2", "trees")
    assert len(stopping.counts) == 3
    assert all(1 <= count <= 40 for count in stopping.counts)
    assert stopping.steps == chosen_steps(stopping.counts) == found.ranker.forest_.trees
    assert found.ranker.stop is None
    # The ranker that is returned learned from every query.
    assert found.ranker.data_["queries"] == 40
    plain = relyon.ltr.ranker("lambdamart", **TREES | {"trees": stopping.steps})
    plain.set_params(convention=found.card.convention)
    assert (plain.fit(ROWS).predict(ROWS) == found.ranker.predict(ROWS)).all()
    told = found.to_markdown()
    assert f"the ranker has {stopping.steps}" in told
    assert json.loads(found.to_json())["card"]["stopping"]["counts"] == list(stopping.counts)
    assert "中位数" in found.card.to_markdown(language="zh")


def test_no_held_out_query_decides_when_to_stop() -> None:
    """Other labels of the held-out queries change what is reported, and nothing else."""
    first, second = (
        relyon.ltr.train(ROWS, valid=renamed(held), stop=4, baseline=None, **TREES)
        for held in (OTHERS, replace(OTHERS, labels=3 - OTHERS.labels))
    )
    assert first.card.stopping == second.card.stopping
    assert first.found.value != second.found.value
    assert (first.ranker.predict(OTHERS) == second.ranker.predict(OTHERS)).all()
    # The share that was watched is learnt from in the end.
    assert first.ranker.data_["queries"] == 40


def test_rows_to_watch_decide() -> None:
    good, bad = (
        relyon.ltr.train(
            ROWS,
            valid=renamed(rows_of(queries=10, size=8, seed=5)),
            watch=replace(OTHERS, queries=[f"w{place}" for place in range(20)], labels=labels),
            stop=2,
            baseline=None,
            **TREES,
        ).card.stopping
        for labels in (OTHERS.labels, 3 - OTHERS.labels)
    )
    assert good is not None
    assert bad is not None
    # What gets worse from the start ends training at the first trees.
    assert bad.steps < good.steps
    with pytest.raises(relyon.InputError, match="40 queries are both watched and held out"):
        relyon.ltr.train(ROWS, watch=ROWS, stop=2, **TREES)


@pytest.mark.parametrize(
    ("model", "scorer", "settings"),
    [
        ("ranknet", "linear", {"iterations": 30}),
        ("listnet", "neural", {"epochs": 12, "hidden": (8,), "learning_rate": 0.02}),
    ],
)
def test_every_scorer_stops(model: str, scorer: Any, settings: dict[str, Any]) -> None:
    if scorer == "neural":
        pytest.importorskip("torch")
    found = relyon.ltr.train(
        ROWS, model, folds=3, stop=2, baseline=None, scorer=scorer, threads=1, **settings
    )
    stopping = found.card.stopping
    assert stopping is not None
    assert (stopping.unit, stopping.most) == next(iter(settings.items()))
    assert found.ranker.n_iter_ == stopping.steps


def fitted(model: str, scorer: Any, watched: LabelledRows, **settings: Any) -> Any:
    return relyon.ltr.ranker(model, scorer=scorer, **settings).fit(ROWS, eval_set=watched)


@pytest.mark.parametrize(("model", "scorer"), [("ranknet", "linear"), ("listnet", "neural")])
def test_a_clear_loss_stops_every_scorer(model: str, scorer: Any) -> None:
    many = rows_of(queries=150, size=8, seed=3)
    steps: dict[str, Any] = {"iterations": 40}
    if scorer == "neural":
        pytest.importorskip("torch")
        steps = {"epochs": 15, "hidden": (8,)}
    labels = {"linear": many.labels, "neural": 3 - many.labels}[scorer]
    made, free = (
        fitted(model, scorer, replace(many, labels=labels), stop=stop, threads=1, **steps)
        for stop in ("significance", None)
    )
    assert len(made.history_) < len(free.history_)
    values = [one[made.measure_] if isinstance(one, dict) else one for one in made.history_]
    assert made.n_iter_ == 1 + int(np.argmax(values))
    pnr = relyon.ltr.ranker(model, scorer=scorer, stop="significance", measure="pnr")
    with pytest.raises(relyon.ParameterError, match="is not a mean over queries"):
        pnr.fit(ROWS, eval_set=many)


def test_a_linear_ranker_stops_where_it_would_be_after_so_many_steps() -> None:
    watched: Any = relyon.ltr.ranker("ranknet", scorer="linear", stop=3, threads=1)
    watched.fit(ROWS, eval_set=OTHERS)
    assert watched.score(OTHERS) == pytest.approx(max(watched.history_), abs=1e-12)
    again: Any = relyon.ltr.ranker(
        "ranknet", scorer="linear", iterations=watched.n_iter_, threads=1
    ).fit(ROWS)
    np.testing.assert_allclose(again.coef_, watched.coef_, rtol=1e-6)
    without: Any = relyon.ltr.ranker("ranknet", scorer="linear", threads=1).fit(ROWS)
    seen: Any = relyon.ltr.ranker("ranknet", scorer="linear", threads=1).fit(ROWS, eval_set=OTHERS)
    assert (without.coef_ == seen.coef_).all()
    assert len(seen.history_) == seen.n_iter_


def test_a_search_leaves_the_steps_to_the_stop() -> None:
    pytest.importorskip("optuna")
    found = relyon.ltr.train(ROWS, folds=3, stop=3, search=2, baseline=None, threads=1, trees=20)
    assert all("trees" not in trial.parameters for trial in found.trials)
    assert found.card.stopping is not None
    assert found.card.stopping.most == 20


def test_on_the_command_line(files: Path, command: Command) -> None:
    write_features(rows_of(queries=36, size=5), Path("features.csv"))
    words = (
        *("train", "features.csv", "-o", "made.model", "--folds", "3"),
        *("-p", "trees=20", "-p", "min_rows=3", "--threads", "1"),
    )
    outcome = command(*words, "--stop", "3", "--card", "card.json")
    assert outcome.code == 0, outcome.err
    stopping = json.loads(Path("card.json").read_text("utf-8"))["stopping"]
    assert "stops after 3 without a better value" in " ".join(outcome.out.split())
    assert relyon.ltr.load("made.model").n_iter_ == stopping["steps"]
    assert command(*words, "--stop", "significance", "--force").code == 0
    for wrong, expected in (
        (("--stop", "0"), "neither a whole number nor"),
        (("--stop", "soon"), "neither a whole number nor"),
        (("--watch", "features.csv"), "--watch is for --stop"),
        (("--stop", "3", "--watch", "features.csv"), "both watched and held out"),
        (("-p", "stop=3"), "has its own option: --stop"),
    ):
        outcome = command(*words, *wrong, "--force")
        assert outcome.code in {2, 3}
        assert expected in outcome.err
