"""Accumulators count and report what an evaluation of the whole does."""

from __future__ import annotations

import json
import pickle
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import polars as pl
import pytest

import relyon
from relyon.evaluation import facts

LABELS, SCORES, IDS = [1, 0, 1, 1, 0, 1], [0.9, 0.8, 0.7, 0.6, 0.5, 0.4], list("aabbcd")


@pytest.mark.parametrize("weight", ["uniform", "rows", "positives"])
@pytest.mark.parametrize("rule", ["skip", "zero", "one"])
def test_queries_without_a_value_are_noted_as_in_the_whole(weight: str, rule: str) -> None:
    options: dict[str, Any] = {"convention": {"undefined": rule}}
    measure = f"gauc(weight={weight})"
    whole = relyon.evaluate_scores(LABELS, SCORES, IDS, measure, **options)
    parts = []
    for rows in (slice(0, 2), slice(2, 5), slice(5, 6)):
        part = relyon.Accumulator(measure, **options)
        part.update_scores(LABELS[rows], SCORES[rows], IDS[rows])
        parts.append(part)
    for part in parts[1:]:
        parts[0].merge(part)
    found = parts[0].compute()
    assert found[measure] == whole[measure]
    assert [note.message for note in found.notes] == [note.message for note in whole.notes]
    assert json.dumps(whole.to_dict()["notes"]) == json.dumps(found.to_dict()["notes"])


JUDGMENTS = {
    "q1": {"a": 3, "b": 0},
    "q2": {"a": 1, "b": 2, "c": -1},
    "q3": {"a": 0},
    "q4": {"a": 2},
    "q5": {"b": 1},
}
RUN = {
    "q1": {"a": 1.0, "b": 1.0},
    "q2": {"c": 3.0, "a": 2.0, "b": 1.0},
    "q3": {"a": 1.0, "x": 0.5},
    "unknown": {"a": 1.0},
}
MEASURES = ["ndcg@10", "recall@10", "rr", "pnr", "auc", "num_rel", "alpha_ndcg@10", "gm_map"]


def told(results: relyon.Results) -> list[Any]:
    """What notes say, whatever the order of their examples."""
    return [(note.message, sorted(note.examples)) for note in results.notes]


def once(measures: Any = MEASURES, **options: Any) -> relyon.Accumulator:
    return relyon.Accumulator(measures, queries="once", **options)


def parts_of(run: dict[str, Any], **options: Any) -> list[relyon.Accumulator]:
    """A part for each query, all of them with all judgments, sent through a pickle."""
    parts = []
    for query, documents in run.items():
        part = once(**options)
        part.update(JUDGMENTS, {query: documents})
        parts.append(pickle.loads(pickle.dumps(part)))
    return parts


@pytest.mark.parametrize("missing", ["zero", "skip"])
@pytest.mark.parametrize("undefined", ["skip", "zero"])
@pytest.mark.parametrize("scale", [None, "search"])
def test_judged_queries_that_no_part_has_count_once(
    missing: str, undefined: str, scale: str | None
) -> None:
    options: dict[str, Any] = {
        "convention": {"missing": missing, "undefined": undefined},
        "scale": scale,
    }
    if scale:
        options["convention"]["negative"] = "unjudged"
    whole = relyon.evaluate(JUDGMENTS, RUN, MEASURES, **options)
    first, *others = reversed(parts_of(RUN, **options))
    for part in others:
        first.merge(part)
    first.finish(JUDGMENTS)
    found = first.compute("run")
    assert repr(found.entries) == repr(whole.entries)
    assert told(found) == told(whole)
    assert found.entries["rr"].missing == (2 if missing == "zero" else 0)


def test_parts_with_all_judgments_count_missing_queries_again_and_say_so() -> None:
    total = relyon.Accumulator("rr")
    for query in ("q1", "q2", "q3"):
        part = relyon.Accumulator("rr")
        part.update(JUDGMENTS, {query: RUN[query]})
        total.merge(part)
    found = total.compute()
    assert found.entries["rr"].queries + found.entries["rr"].undefined == 15
    assert "12 of 15 judged queries are not in the run" in found.notes[0].message
    assert len(set(found.notes[0].examples)) == 3


def test_a_query_in_two_parts_is_refused_and_nothing_is_added() -> None:
    one, two = once("rr"), once("rr")
    one.update(JUDGMENTS, {"q2": {"a": 3.0}})
    two.update(JUDGMENTS, {"q1": RUN["q1"], "q2": {"b": 2.0}})
    with pytest.raises(relyon.InputError, match="1 query is in more than one part: `q2`") as caught:
        one.merge(two)
    assert "partition them by query" in caught.value.hint
    with pytest.raises(relyon.InputError, match="`q2`"):
        one.update(JUDGMENTS, {"q2": {"b": 2.0}})
    one.finish({"q2": {"a": 1}})
    assert one.compute().entries["rr"].queries == 1
    # The sum of both halves would be another number than the whole's, without a word.
    wrong = relyon.Accumulator("rr")
    for documents in ({"c": 3.0, "a": 2.0}, {"b": 1.0}):
        wrong.update({"q2": JUDGMENTS["q2"]}, {"q2": documents})
    assert wrong.compute()["rr"] == 3 / 4
    assert relyon.evaluate({"q2": JUDGMENTS["q2"]}, {"q2": RUN["q2"]}, "rr")["rr"] == 1 / 2
    assert wrong.compute().entries["rr"].queries == 2


def test_the_life_of_an_accumulator() -> None:
    part = once("rr")
    part.update(JUDGMENTS, RUN)
    with pytest.raises(relyon.ParameterError, match="not counted yet"):
        part.compute()
    with pytest.raises(relyon.InputError, match="there are no judgments"):
        part.finish({})
    part.finish(JUDGMENTS)
    for action in (
        lambda: part.finish(JUDGMENTS),
        lambda: part.update(JUDGMENTS, {}),
        lambda: part.update_scores([1], [1.0], ["q"]),
        lambda: part.merge(once("rr")),
        lambda: once("rr").merge(part),
    ):
        with pytest.raises(relyon.ParameterError, match="finished"):
            action()
    with pytest.raises(relyon.ParameterError, match="can be finished"):
        relyon.Accumulator("rr").finish(JUDGMENTS)
    with pytest.raises(relyon.ParameterError, match="the same"):
        once("rr").merge(relyon.Accumulator("rr"))
    with pytest.raises(relyon.ParameterError, match="the same"):
        relyon.Accumulator("auc", average="macro").merge(relyon.Accumulator("auc"))
    with pytest.raises(relyon.ParameterError, match="`queries` must be one of"):
        relyon.Accumulator("rr", queries="twice")  # type: ignore[arg-type]


def test_rules_that_refuse_data_do_so_in_parts() -> None:
    part = once("rr", convention={"missing": "error"})
    part.update(JUDGMENTS, RUN)
    with pytest.raises(relyon.InputError, match="q4"):
        part.finish(JUDGMENTS)
    for accumulator in (once, relyon.Accumulator):
        with pytest.raises(relyon.InputError, match="negative grade -1"):
            accumulator("rr", convention={"negative": "error"}).update(JUDGMENTS, {})
    part = once("rr")
    part.update(JUDGMENTS, {"Q1": {"a": 1.0}})
    part.finish(JUDGMENTS)
    with pytest.raises(relyon.InputError, match="no query of the run is judged"):
        part.compute()


def test_labelled_rows_in_parts_are_noted_as_the_whole() -> None:
    labels, scores, ids = [1, 2, 2, 3, 1], [0.5, 0.5, 0.2, 0.1, 0.9], list("aabcc")
    whole = relyon.evaluate_scores(labels, scores, ids, ["auc", "ndcg@10"])
    first, second = once(["auc", "ndcg@10"]), once(["auc", "ndcg@10"])
    first.update_scores(labels[:3], scores[:3], ids[:3])
    second.update_scores(labels[3:], scores[3:], ids[3:])
    first.merge(pickle.loads(pickle.dumps(second)))
    found = first.compute()
    assert repr(found.entries) == repr(whole.entries)
    assert told(found) == told(whole)
    assert any(note.kind == "threshold" for note in found.notes)
    with pytest.raises(relyon.InputError, match="`c`"):
        first.update_scores([1], [1.0], ["c"])
    for groups in (None, [3]):
        with pytest.raises(relyon.ParameterError, match="query of each row"):
            once("auc").update_scores([1, 0, 1], [1.0, 0.5, 0.2], groups)


def test_what_was_noticed_in_several_parts_is_one_note() -> None:
    total = relyon.Accumulator("rr")
    for query in ("q1", "q2"):
        frame = pl.DataFrame({"query": [query] * 2, "document": ["a", "a"], "grade": [1, 1]})
        total.update(frame, {query: {"a": 1.0}})
    (note,) = [note for note in total.compute().notes if note.kind == "duplicate-judgments"]
    assert note.count == 2


def test_the_scale_of_the_judgments_counts() -> None:
    judgments = relyon.Judgments.from_dict({"q": {"a": "高", "b": "中", "c": "无"}}, scale="search")
    run = {"q": {"b": 3.0, "c": 2.0, "a": 1.0}}
    part = once(["rr", "p@1"])
    part.update(judgments, run)
    part.finish(judgments)
    whole = relyon.evaluate(judgments, run, ["rr", "p@1"])
    assert repr(part.compute().entries) == repr(whole.entries)
    assert told(part.compute()) == told(whole)


def test_subtopics_of_queries_that_no_part_has() -> None:
    judgments = {
        "q1": {"a": {"1": 1, "2": 0}, "b": {"1": 0, "2": 2}},
        "q2": {"a": {"1": 1}},
        "q3": {"a": {"2": 1}, "b": {"1": 0}},
    }
    measures = ["alpha_ndcg@10", "strec@10", "err_ia@10", "ndcg@10"]
    run = {"q1": {"b": 2.0, "a": 1.0}}
    for given in (judgments, relyon.Judgments.from_dict(judgments)):
        part = once(measures)
        part.update(given, run)
        part.finish(given)
        whole = relyon.evaluate(judgments, run, measures)
        assert repr(part.compute().entries) == repr(whole.entries)
        assert told(part.compute()) == told(whole)


def test_a_sum_leaves_its_parts_as_they_are() -> None:
    parts = parts_of(RUN)
    before = [pickle.dumps(part) for part in parts]
    first, second = parts[0] + parts[1] + parts[2], parts[2] + (parts[0] + parts[1])
    assert [pickle.dumps(part) for part in parts] == before
    for total in (first, second):
        total.finish(JUDGMENTS)
    assert repr(first.compute().entries) == repr(second.compute().entries)
    with pytest.raises(TypeError):
        parts[0] + 1  # type: ignore[operator]


def test_threads_update_and_merge_accumulators(monkeypatch: pytest.MonkeyPatch) -> None:
    def merged(found: Sequence[facts.RunFacts]) -> facts.RunFacts:
        time.sleep(1e-4)  # others run between what was read and what is written
        return known(found)

    known = facts.merged
    monkeypatch.setattr("relyon.evaluation.accumulator.merged", merged)
    ranked = {"a": 1.0, "b": 2.0}
    parts = [
        ({f"q{n}": {"a": n % 3, "b": 1}}, {f"q{n}": ranked, f"u{n}": ranked}) for n in range(60)
    ]
    measures = ["ndcg@3", "auc"]
    alone, total, first, second = (
        relyon.Accumulator(measures, queries="once", threads=1) for _ in range(4)
    )
    for judgments, run in parts:
        alone.update(judgments, run)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda n: (first, second)[n % 2].update(*parts[n]), range(len(parts))))
        list(pool.map(total.merge, (first, second)))
    everything = {query: grades for judgments, _ in parts for query, grades in judgments.items()}
    for one in (alone, total):
        one.finish(everything)
    assert total.compute().to_dict() == alone.compute().to_dict()
    assert pickle.loads(pickle.dumps(total)).compute().to_dict() == alone.compute().to_dict()


def test_accumulators_that_threads_merge_into_each_other_do_not_wait_forever() -> None:
    one, other = relyon.Accumulator("rr"), relyon.Accumulator("rr")
    one.update({"q": {"a": 1}}, {"q": {"a": 1.0}})
    with ThreadPoolExecutor(2) as pool:
        pairs = [(one, other), (other, one), (one, one)] * 5
        running = [pool.submit(first.merge, second) for first, second in pairs]
        for each in running:
            each.result(timeout=60)
    assert one.compute()["rr"] == 1.0
