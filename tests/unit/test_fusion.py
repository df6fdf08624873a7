"""Fusion: the native core against the definitions, and what is refused."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest
from hypothesis import given, strategies as st

import relyon
from relyon.core.errors import InputError, ParameterError, UnknownNameError
from relyon.ltr.fusion import (
    NORMALIZATIONS,
    CombSUM,
    MAPFuse,
    SegFuse,
    fused_query,
    methods,
    normalized,
)

LISTS = st.lists(
    st.dictionaries(
        st.sampled_from([f"d{number}" for number in range(9)]),
        st.integers(-3, 6).map(lambda number: number / 2),
        max_size=9,
    ),
    min_size=2,
    max_size=4,
)
JUDGED = {
    f"q{number}": {f"d{place}": (number + place) % 3 for place in range(9)} for number in (0, 1)
}


def weights_for(name: str, runs: int) -> list[float] | None:
    return [0.1 + place for place in range(runs)] if methods.get(name).needs_weights else None


@pytest.mark.long
@pytest.mark.parametrize("name", list(methods))
@given(lists=LISTS, normalize=st.sampled_from([name for name in NORMALIZATIONS if name != "max"]))
def test_native_as_defined(name: str, lists: list[dict[str, float]], normalize: str) -> None:
    lists[0]["d0"] = lists[1]["d0"] = 1.0
    runs: list[Any] = [{"q0": rows} if rows else {"other": {"x": 1.0}} for rows in lists]
    method = methods.get(name).of()
    if method.trained:
        method = relyon.train_fusion(JUDGED, runs, name)
    weights = weights_for(name, len(runs))
    expected = fused_query(
        [list(rows.items()) for rows in lists], method, normalize=normalize, weights=weights
    )
    found = relyon.fuse(runs, method, normalize=normalize, weights=weights).documents("q0")
    assert [document for document, _ in found] == [document for document, _ in expected]
    for (_, score), (_, wanted) in zip(found, expected, strict=True):
        assert score == pytest.approx(wanted, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("name", [name for name in methods if not methods.get(name).trained])
def test_the_order_of_the_runs_does_not_matter(name: str) -> None:
    source = random.Random(1)
    runs = [
        {
            "q": {
                f"d{number}": source.choice([0.1, 0.2, 0.7, 1.3])
                for number in source.sample(range(40), 25)
            }
        }
        for _ in range(5)
    ]
    weights = weights_for(name, 5)
    backwards = weights[::-1] if weights else None
    one = relyon.fuse(runs, name, weights=weights).documents("q")
    other = relyon.fuse(runs[::-1], name, weights=backwards).documents("q")
    if methods.get(name).needs_weights:
        assert dict(one) == pytest.approx(dict(other), rel=1e-12)
    else:
        assert one == other


@pytest.mark.parametrize("threads", [1, 3])
def test_threads_and_many_queries(threads: int) -> None:
    source = random.Random(2)
    runs = [
        {
            f"q{query}": {f"d{source.randint(0, 30)}": source.random() for _ in range(9)}
            for query in range(700)
        }
        for _ in range(3)
    ]
    fused = relyon.fuse(runs, "rrf", threads=threads)
    assert fused.queries == [f"q{query}" for query in range(700)]
    again = relyon.fuse(runs, "rrf", threads=2)
    assert fused.to_dict() == again.to_dict()
    for query in ("q0", "q255", "q256", "q699"):
        wanted = fused_query([list(run[query].items()) for run in runs], methods.get("rrf").of())
        assert fused.documents(query) == wanted


def test_rrf_by_hand() -> None:
    runs = [{"q": {"a": 3.0, "b": 2.0}}, {"q": {"b": 9.0, "c": 8.0}}]
    assert relyon.fuse(runs, "rrf", k=60)["q"] == {
        "b": 1 / 62 + 1 / 61,
        "a": 1 / 61,
        "c": 1 / 62,
    }
    assert relyon.fuse(runs, "rrf", weights=[2, 1])["q"]["a"] == 2 / 61
    assert relyon.fuse(runs, "borda")["q"] == {"b": 5.0, "a": 4.0, "c": 3.0}


def test_distances_are_turned_round() -> None:
    runs = [{"q": {"a": 0.1, "b": 0.9}}, {"q": {"a": 0.2, "b": 0.4}}]
    assert [
        name for name, _ in relyon.fuse(runs, "rrf", normalize="min-max-inverted").documents("q")
    ] == ["a", "b"]
    assert relyon.fuse(runs, "sum", normalize="min-max-inverted")["q"] == {"a": 2.0, "b": 0.0}


def test_equal_scores_by_id_or_as_they_stand() -> None:
    runs = [{"q": {"a": 1.0, "b": 1.0}}, {"q": {"c": 1.0}}]
    order = {
        ties: [
            document
            for document, _ in relyon.fuse(runs, "sum", normalize="none", ties=ties).documents("q")
        ]
        for ties in ("doc-desc", "doc-asc", "input")
    }
    assert order == {
        "doc-desc": ["c", "b", "a"],
        "doc-asc": ["a", "b", "c"],
        "input": ["a", "b", "c"],
    }


def test_top_and_name() -> None:
    runs = [{"q": {"a": 3.0, "b": 2.0}}, {"q": {"b": 9.0, "c": 8.0}}]
    fused = relyon.fuse({"one": runs[0], "two": runs[1]}, top=1, name="both")
    assert (fused.name, fused.to_dict()) == ("both", {"q": {"b": 1 / 61 + 1 / 62}})


@pytest.mark.parametrize(
    "name", [name for name in NORMALIZATIONS if name not in ("none", "rank", "borda")]
)
def test_equal_scores_have_nothing_to_tell(name: str) -> None:
    assert normalized([0.0, 0.0], name) == [0.0, 0.0]
    assert normalized([], name) == []
    if name != "max":
        assert normalized([2.5, 2.5], name) == [0.0, 0.0]


def test_a_query_that_a_run_lacks_is_noted() -> None:
    fused = relyon.fuse([{"q": {"a": 1.0}, "p": {"a": 1.0}}, {"q": {"a": 1.0}}])
    assert [(note.kind, note.count, note.examples) for note in fused.notes] == [
        ("partial-queries", 1, ("p",))
    ]


def test_a_run_that_is_fused_twice_is_noted() -> None:
    one, other = {"q": {"a": 1.0, "b": 2.0}}, {"q": {"a": 2.0, "b": 1.0}}
    named = {"a": one, "b": other, "c": one, "d": {"p": {"a": 1.0, "b": 2.0}}}
    notes = [note for note in relyon.fuse(named).notes if note.kind == "repeated-runs"]
    assert [(note.level, note.count, note.examples) for note in notes] == [("warning", 1, ("c",))]
    assert "repeats an earlier one" in notes[0].text()
    assert relyon.fuse([one, other]).notes == ()


def test_segments_of_the_paper() -> None:
    assert SegFuse.ends[:4] == (5, 20, 55, 130)


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        (([{"q": {"a": 1.0}}],), ParameterError, "at least two runs"),
        (([{"q": {"a": 1.0}}, {"p": {"a": 1.0}}],), InputError, "no query occurs in two"),
        (([{}, {}],), InputError, "empty"),
        (([{"q": {"a": math.nan}}, {"q": {"a": 1.0}}],), InputError, "not a finite number"),
    ],
)
def test_refused_runs(arguments: Any, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        relyon.fuse(*arguments)


@pytest.mark.parametrize(
    ("method", "options", "kind", "message"),
    [
        ("rrff", {}, UnknownNameError, "unknown fusion method"),
        ("rrf", {"phi": 1}, ParameterError, "no parameter `phi`"),
        ("rrf", {"k": "x"}, ParameterError, "must be a number"),
        ("rrf", {"k": -1}, ParameterError, "0 or more"),
        ("rbc", {"phi": 2}, ParameterError, "between 0 and 1"),
        ("probfuse", {"segments": 0}, ParameterError, "1 or more"),
        ("slidefuse", {"window": 1.5}, ParameterError, "whole number"),
        ("wsum", {}, ParameterError, "needs weights"),
        ("wsum", {"weights": [1]}, ParameterError, "1 weights and 2 runs"),
        ("wsum", {"weights": ["a", "b"]}, ParameterError, "must be numbers"),
        ("min", {"weights": [1, 1]}, ParameterError, "does not accept weights"),
        ("posfuse", {}, ParameterError, "has not been trained"),
        ("sum", {"normalize": "minmax"}, UnknownNameError, "unknown normalisation"),
        ("sum", {"ties": "random"}, ParameterError, "`ties` must be one of"),
        ("sum", {"top": 0}, ParameterError, "`top`"),
        ("sum", {"normalize": "max"}, InputError, "normalisation `max` divides"),
    ],
)
def test_refused_settings(
    method: str, options: dict[str, Any], kind: type[Exception], message: str
) -> None:
    runs = [{"q": {"a": -1.0, "b": -2.0}}, {"q": {"a": 1.0}}]
    with pytest.raises(kind, match=message):
        relyon.fuse(runs, method, **options)


def test_scores_that_cannot_be_added() -> None:
    runs = [{"q": {"a": 1e308}}, {"q": {"a": 1e308}}]
    with pytest.raises(InputError, match="not a finite number"):
        relyon.fuse(runs, "sum", normalize="none")


def test_training_needs_judged_queries_and_a_method_that_learns() -> None:
    runs = [{"q": {"a": 1.0}}, {"q": {"a": 1.0}}]
    with pytest.raises(InputError, match="contains a judged query"):
        relyon.train_fusion({"p": {"a": 1}}, runs, "posfuse")
    with pytest.raises(ParameterError, match="is not trained"):
        relyon.train_fusion({"q": {"a": 1}}, runs, "rrf")
    learnt = relyon.train_fusion({"q": {"a": 1}}, runs, "mapfuse")
    assert isinstance(learnt, MAPFuse)
    assert learnt.scores == (1.0, 1.0)
    with pytest.raises(ParameterError, match="trained with 2 runs"):
        relyon.fuse([*runs, *runs], learnt)


def noisy(seed: int, queries: int = 60) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Judgments without any relation to the runs."""
    source = random.Random(seed)
    names = [f"q{number}" for number in range(queries)]
    judgments = {name: {f"d{n}": int(source.random() < 0.2) for n in range(20)} for name in names}
    runs = [
        {name: {f"d{n}": source.random() for n in range(20)} for name in names} for _ in range(3)
    ]
    return judgments, runs


@pytest.mark.parametrize("method", ["wsum", "posfuse", "rrf"])
def test_what_was_searched_on_noise_is_worth_less_elsewhere(method: str) -> None:
    """The point of the folds: on noise the searched score is above chance, the held-out one not."""
    gaps = []
    for seed in range(4):
        search = relyon.optimize_fusion(*noisy(seed), method, "ap", folds=4)
        assert search.held_out is not None
        gaps.append(search.score - search.held_out)
    assert sum(gaps) / len(gaps) > 0


def test_a_search_finds_the_run_that_is_good() -> None:
    judgments, runs = noisy(9)
    runs[1] = {
        query: {name: grade + 0.5 for name, grade in row.items()}
        for query, row in judgments.items()
    }
    seen = []
    search = relyon.optimize_fusion(
        judgments, runs, "wsum", "ndcg@10", step=0.25, progress=lambda *done: seen.append(done)
    )
    assert search.weights is not None
    assert search.weights[1] >= 0.5
    assert search.score == pytest.approx(1.0)
    assert search.held_out == pytest.approx(1.0)
    assert (len(search.trials), seen[-1]) == (15, (15, 15))
    assert "5-fold" in str(search)
    fused = relyon.fuse(runs, search.method, weights=search.weights)
    assert relyon.evaluate(judgments, fused, ["ndcg@10"])["ndcg@10"] == pytest.approx(search.score)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "sum"}, "no parameters to search"),
        ({"step": 0.3}, "whole parts"),
        ({"folds": 1}, "2 or more"),
        ({"method": "rrf", "grid": {"k": []}}, "empty"),
        ({"method": "rrf", "grid": {"z": [1]}}, "no parameter"),
        ({"measure": "num_rel"}, "not a mean"),
    ],
)
def test_refused_searches(options: dict[str, Any], message: str) -> None:
    judgments, runs = noisy(1, queries=6)
    with pytest.raises(ParameterError, match=message):
        relyon.optimize_fusion(judgments, runs, **options)
    with pytest.raises(InputError, match="folds"):
        relyon.optimize_fusion(judgments, runs, "rrf", folds=7)


def test_every_method_says_what_it_is() -> None:
    for name in methods:
        kind = methods.get(name)
        assert kind.formula, name
        assert "References:" in (kind.__doc__ or ""), name
    assert str(CombSUM()) == "sum"
    assert str(methods.get("rrf").of(k=7)) == "rrf(k=7.0)"
