"""Training and measuring: held-out queries stay untouched, and numbers are those of evaluate."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.unit.trained import FEATURES, rows_of

import relyon
import relyon.ltr
from relyon import InputError, ParameterError, RelyonWarning, UnknownNameError
from relyon.data.features import Features
from relyon.data.labelled import LabelledRows
from relyon.ltr.training.feature_contributions import contributions_of
from relyon.ltr.training.goal import Goal
from relyon.ltr.training.parameter_search import search_parameters
from relyon.ltr.training.plan import dealt_pairs
from relyon.ltr.training.segments import relevant_counts
from relyon.ltr.training.steps import points_of, scores_after

SMALL: dict[str, Any] = {"folds": 3, "threads": 1, "trees": 8, "min_rows": 5}
pytestmark = pytest.mark.filterwarnings("ignore::relyon.RelyonWarning")


def judgments_of(rows: LabelledRows) -> dict[str, dict[str, float]]:
    assert rows.documents is not None
    bounds = zip(rows.queries, rows.groups[:-1], rows.groups[1:], strict=True)
    return {
        query: dict(zip(rows.documents[start:end], rows.labels[start:end].tolist(), strict=True))
        for query, start, end in bounds
    }


def test_parts_hold_every_row_once() -> None:
    rows = rows_of(queries=20, size=4)
    pairs = dealt_pairs(rows, 4, 0, "together").pairs
    assert sorted(np.concatenate([at for _, _, at in pairs]).tolist()) == list(range(80))
    for train, rest, at in pairs:
        assert set(train.queries) | set(rest.queries) == set(rows.queries)
        assert not set(train.queries) & set(rest.queries)
        assert rest.labels.tolist() == rows.labels[at].tolist()


def test_the_number_is_that_of_evaluate_on_the_run() -> None:
    rows = rows_of()
    found = relyon.ltr.train(rows, measure="ndcg@10", **SMALL)
    results = relyon.evaluate(
        judgments_of(rows), found.run, "ndcg@10", convention=found.card.convention
    )
    assert results["ndcg@10"] == pytest.approx(found.found.value, abs=1e-12)
    known = results.values_by_query("ndcg@10")
    assert [known[query] for query in found.queries] == pytest.approx(list(found.values), abs=1e-12)
    assert found.card.convention.ties == "expected"
    assert found.card.fingerprint == relyon.ltr.fingerprint("ndcg@10", {"ties": "expected"})
    assert found.card.fingerprint == found.ranker.fingerprint_
    assert found.card.data.fingerprint == found.ranker.data_["fingerprint"]


def test_the_saved_ranker_is_trained_on_all_rows_and_seeds_repeat() -> None:
    rows = rows_of()
    found = relyon.ltr.train(rows, baseline=None, **SMALL)
    plain = relyon.ltr.TreeRanker(trees=8, min_rows=5, threads=1, convention={"ties": "expected"})
    assert found.ranker.predict(rows).tolist() == plain.fit(rows).predict(rows).tolist()
    again = relyon.ltr.train(rows, baseline=None, **SMALL)
    assert again == found
    assert relyon.ltr.train(rows, baseline=None, seed=1, **SMALL).values != found.values


def test_features_that_say_nothing_are_worth_nothing_on_held_out_queries() -> None:
    rows = rows_of(queries=60)
    noise = Features(FEATURES, np.random.default_rng(11).normal(size=(600, 4)))
    blind = replace(rows, features=noise)
    options = SMALL | {"trees": 20}
    found = relyon.ltr.train(blind, measure="auc", baseline=None, **options)
    low, high = found.found.interval
    assert low < 0.5 < high
    assert found.curve[-1].train > 0.8
    assert found.curve[-1].held_out == pytest.approx(found.found.value, abs=0.02)


def test_a_search_sees_training_queries_only(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("optuna")
    rows = rows_of(queries=12)
    seen: list[set[str]] = []

    def watched(ranker: Any, given: LabelledRows, *values: Any, **options: Any) -> Any:
        seen.append(set(given.queries))
        return search_parameters(ranker, given, *values, **options)

    monkeypatch.setattr("relyon.ltr.training.plan.search_parameters", watched)
    found = relyon.ltr.train(rows, search=2, **SMALL)
    folds = [set(rest.queries) for _, rest, _ in dealt_pairs(rows, 3, 0, "together").pairs]
    sides = [*folds, *folds, set()]  # the baseline's, the ranker's, and the saved ranker
    assert [one & out for one, out in zip(seen, sides, strict=True)] == [set()] * 7
    assert [len(one) for one in seen] == [12 - len(out) for out in sides]
    assert len(found.trials) == 2
    best = max(found.trials, key=lambda one: one.score)
    chosen = found.ranker.get_params()
    assert {name: chosen[name] for name in best.parameters} == best.parameters
    assert not {"trees", "min_rows"} & best.parameters.keys()
    assert (chosen["trees"], chosen["min_rows"]) == (8, 5)


def test_held_out_rows_are_measured_and_shared_queries_are_told() -> None:
    rows = rows_of(queries=20)
    held = replace(rows_of(queries=20, seed=4), source="/data/held.csv")
    found = relyon.ltr.train(rows, valid=held, threads=1, trees=8)
    assert found.card.split == "held.csv"
    assert "shared-queries" in [note.kind for note in found.notes]
    goal = Goal.of("ndcg@10")
    expected = goal.values(held, found.ranker.predict(held))
    assert list(found.values) == expected
    other = replace(held, queries=[f"other {query}" for query in held.queries])
    kinds = [note.kind for note in relyon.ltr.train(rows, valid=other, threads=1, trees=2).notes]
    assert "shared-queries" not in kinds


def test_a_baseline_that_is_the_ranker_is_not_compared() -> None:
    found = relyon.ltr.train(rows_of(queries=12), "regression", **SMALL)
    assert found.baseline == ()
    assert found.card.baseline == ""


def test_a_baseline_has_the_parameters_of_the_ranker() -> None:
    rows = rows_of(queries=12)
    found = relyon.ltr.train(rows, **SMALL | {"trees": 3})
    plain = relyon.ltr.train(rows, "regression", **SMALL | {"trees": 3})
    assert found.baseline == plain.values
    assert found.card.baseline == "regression"


def test_segments_of_queries_are_those_given() -> None:
    rows = rows_of(queries=12)
    given_segments = dict.fromkeys(rows.queries[:5], "head")
    found = relyon.ltr.train(rows, segments=given_segments, **SMALL)
    assert [(one.name, one.queries) for one in found.segments] == [("head", 5), ("-", 7)]


def test_bad_wishes_are_refused() -> None:
    rows = rows_of(queries=4)
    other: Any = object()
    with pytest.raises(ParameterError, match="level"):
        relyon.ltr.train(rows, level=1.5)
    with pytest.raises(ParameterError, match="folds"):
        relyon.ltr.train(rows, folds=2)
    with pytest.raises(InputError, match="4 queries are too few for 5 parts"):
        relyon.ltr.train(rows)
    with pytest.raises(InputError, match="no features"):
        relyon.ltr.train(replace(rows, features=None))
    with pytest.raises(ParameterError, match="no parameters to search"):
        search_parameters(other, rows, 2, lambda ranker, held: 0.0)


def test_ties_are_told_once() -> None:
    rows = rows_of(queries=9)
    with pytest.warns(RelyonWarning) as warned:
        found = relyon.ltr.train(rows, **SMALL | {"trees": 1})
    assert len([one for one in warned if "ties matter" in str(one.message)]) == 1
    assert sum("ties matter" in note.text() for note in found.notes) == 1


def test_progress_names_the_measure_and_its_interval() -> None:
    told: list[tuple[int, int, str]] = []
    relyon.ltr.train(rows_of(queries=9), progress=lambda *step: told.append(step), **SMALL)
    assert [done for done, _, _ in told] == [1, 2, 3, 4, 5, 6]
    assert {total for _, total, _ in told} == {7}
    assert all(detail.startswith("ndcg@10 0.") and "[" in detail for _, _, detail in told)


@pytest.mark.parametrize("engine", ["lightgbm", "xgboost", "catboost"])
def test_scores_after_all_trees_order_as_the_ranker_does(engine: str) -> None:
    rows = rows_of(queries=10)
    assert rows.features is not None
    values = np.asarray(rows.features.values)
    if engine == "lightgbm":
        library = pytest.importorskip("lightgbm")
        data = library.Dataset(values, rows.labels)
        booster = library.train({"verbosity": -1, "num_threads": 1}, data, 6)
        scores = booster.predict(values)
    elif engine == "xgboost":
        library = pytest.importorskip("xgboost")
        matrix = library.DMatrix(values, rows.labels, nthread=1)
        booster = library.train({"nthread": 1, "max_depth": 2}, matrix, 6)
        scores = booster.predict(matrix)
    else:
        library = pytest.importorskip("catboost")
        booster = library.CatBoost(
            {"iterations": 6, "depth": 2, "thread_count": 1, "allow_writing_files": False}
        )
        scores = booster.fit(values, rows.labels, verbose=False).predict(values)
    steps = scores_after(engine, booster, values, [1, 4, 6])
    assert len(steps) == 3
    offset = steps[-1] - scores
    assert offset == pytest.approx(np.full(len(scores), offset[0]), abs=1e-5)
    assert points_of(6) == [1, 2, 3, 4, 5, 6]
    assert points_of(999, 3) == [1, 500, 999]


def test_why_one_document_is_above_another_adds_up() -> None:
    rows = rows_of()
    ranker = relyon.ltr.TreeRanker(trees=20, min_rows=5, threads=1).fit(rows)
    scores = ranker.predict(rows)
    found = relyon.ltr.explain_order(ranker, rows, "q03", "d2", "d7", name="mine")
    assert found.first_score == scores[32]
    assert found.second_score == scores[37]
    assert found.total == pytest.approx(found.difference, abs=1e-12)
    assert {one.feature for one in found.reasons} == set(FEATURES)
    sizes = [abs(one.difference) for one in found.reasons]
    assert sizes == sorted(sizes, reverse=True)
    back = relyon.ltr.explain_order(ranker, rows, "q03", "d7", "d2")
    assert back.difference == -found.difference
    assert {found.verdict, back.verdict} == {"above", "below"}
    for language in ("en", "zh"):
        text = found.to_text(columns=80, language=language, limit=2)
        assert "q03" in text
        assert "2" in text
    assert found.to_frame().height == 4
    with pytest.raises(UnknownNameError, match="no query `q99`"):
        relyon.ltr.explain_order(ranker, rows, "q99", "d2", "d7")
    with pytest.raises(UnknownNameError, match="no document `d99`"):
        relyon.ltr.explain_order(ranker, rows, "q03", "d2", "d99")
    with pytest.raises(InputError, match="no documents"):
        relyon.ltr.explain_order(ranker, replace(rows, documents=None), "q03", "d2", "d7")


@pytest.mark.parametrize(
    ("wanted", "tolerance"),
    [
        ({"engine": "lightgbm", "trees": 5}, 1e-12),
        ({"engine": "xgboost", "trees": 5}, 1e-5),
        ({"engine": "catboost", "trees": 5}, 1e-12),
        ({"scorer": "linear"}, 1e-12),
    ],
)
def test_contributions_of_a_ranker_add_up_to_its_scores(
    wanted: dict[str, Any], tolerance: float
) -> None:
    pytest.importorskip(wanted.get("engine", "lightgbm"))
    rows = rows_of(queries=10)
    found = relyon.ltr.train(rows, "ranknet", folds=3, threads=1, **wanted)
    parts = contributions_of(found.ranker, rows)
    assert parts is not None
    assert parts.scores == pytest.approx(found.ranker.predict(rows), abs=tolerance)
    why = relyon.ltr.explain_order(found.ranker, rows, "q03", "d2", "d7")
    assert why.total == pytest.approx(why.difference, abs=tolerance)
    assert found.importance[0].kind == "shap"
    assert found.importance[0].feature == "bm25"
    assert found.card.baseline == "regression"
    assert len(found.curve) == wanted.get("trees", 0)


def test_contributions_that_do_not_add_up_are_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    from relyon.ltr.training import contributions

    pytest.importorskip("catboost")
    rows = rows_of(queries=10)
    # CatBoost's own values of trees that are grown leaf by leaf, without the copy of the model.
    monkeypatch.setattr(contributions, "_weighed", lambda booster, library: booster)
    found = relyon.ltr.train(rows, folds=3, threads=1, engine="catboost", trees=5)
    assert contributions_of(found.ranker, rows) is None
    assert found.importance[0].kind == "permutation"
    with pytest.raises(ParameterError, match="cannot be attributed to features"):
        relyon.ltr.explain_order(found.ranker, rows, "q03", "d2", "d7")
    assert len(found.curve) == 5


def test_a_network_is_explained_by_exchanged_features_alone() -> None:
    pytest.importorskip("torch")
    rows = rows_of(queries=10)
    options: dict[str, Any] = {"scorer": "neural", "epochs": 1, "hidden": (4,), "threads": 1}
    found = relyon.ltr.train(rows, "listnet", folds=3, **options)
    assert {one.kind for one in found.importance} == {"permutation"}
    assert found.curve == ()
    with pytest.raises(ParameterError, match="cannot be attributed to features"):
        relyon.ltr.explain_order(found.ranker, rows, "q03", "d2", "d7")


def test_a_query_without_value_is_left_out() -> None:
    rows = rows_of(queries=12, size=5)
    labels = np.array(rows.labels)
    labels[:5] = 0
    found = relyon.ltr.train(replace(rows, labels=labels), **SMALL)
    known = [count > 0 for count in relevant_counts(replace(rows, labels=labels))]
    assert [not math.isnan(value) for value in found.values] == known
    assert found.found.queries == sum(known) < 12
    spans = [float(np.ptp(labels[at : at + 5])) for at in range(0, 60, 5)]
    assert found.card.data.constant == spans.count(0)
