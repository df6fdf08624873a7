"""Measures of ranked lists of ids, which hosts keep without scores."""

from __future__ import annotations

import math
import warnings
from typing import Any

import pytest

import relyon
from relyon.compat.ranked_lists import (
    ListMeasure,
    evaluate_lists,
    grades_of,
    list_values,
    text_id,
)
from relyon.core.notes import RelyonWarning

LOG3 = math.log2(3)


def test_a_repeat_counts_once_and_keeps_its_place() -> None:
    ndcg = ListMeasure("ndcg@10")
    assert ndcg({"a": 1}, ["a", "a"]) == 1.0
    assert ndcg({"a": 1, "b": 1}, ["a", "a"]) == pytest.approx(1 / (1 + 1 / LOG3), abs=1e-15)
    assert ndcg({"a": 1, "b": 1}, ["a", "a", "b"]) == pytest.approx(1.5 / (1 + 1 / LOG3))
    assert ListMeasure("recall@3")({"a": 1, "b": 1}, ["a", "a", "a"]) == 0.5
    assert ListMeasure("p@3")({"a": 1}, ["a", "a", "a"]) == pytest.approx(1 / 3)
    assert ListMeasure("ap")({"a": 1}, ["a", "a"]) == 1.0


def test_a_repeat_is_no_document_that_is_judged() -> None:
    # The name that a repeat gets could be that of a real document (mlflow#25965).
    judged = {"repeat-1": 3.0, "repeat-2": 2.0, "a": 1.0}
    found = ["x", "x", "x", "repeat-3", "a"]
    alone = ListMeasure("ndcg@10")(judged, ["x", "y", "z", "w", "a"])
    assert ListMeasure("ndcg@10")(judged, found) == alone


def test_none_keeps_its_place() -> None:
    assert ListMeasure("rr")({"a": 1}, [None, None, "a"]) == pytest.approx(1 / 3)


def test_the_order_is_the_ranking_of_long_lists() -> None:
    found = [f"d{n}" for n in range(3000)]
    assert ListMeasure("rr")({"d2999": 1}, found) == 1 / 3000


@pytest.mark.parametrize(
    ("judged", "found", "value"),
    [
        ({"a": 1}, [], 0.0),
        ({}, ["a"], math.nan),
        ({}, [], math.nan),
        ({"a": 0}, ["a"], math.nan),
        ({"a": -1, "b": 1}, ["a", "b"], 1 / LOG3),
        ({"a": 0.5}, ["a"], 1.0),
        ({"文档": 1}, ["文档"], 1.0),
    ],
    ids=["nothing-found", "nothing-judged", "nothing", "all-zero", "negative", "half", "chinese"],
)
def test_edges(judged: dict[str, float], found: list[str], value: float) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RelyonWarning)
        assert ListMeasure("ndcg@10")(judged, found) == pytest.approx(value, nan_ok=True)
        if judged:
            results = evaluate_lists([judged], [found], "ndcg@10")
            assert list_values(results, 1) == pytest.approx([value], nan_ok=True)


def test_the_convention_decides_about_queries_without_a_value() -> None:
    strict = ListMeasure("ndcg@10", convention={"undefined": "error"})
    with pytest.raises(relyon.InputError, match="no value"):
        strict({"a": 0}, ["a"])
    assert ListMeasure("ndcg@10", convention={"undefined": "zero"})({"a": 0}, ["a"]) == 0.0
    assert ListMeasure("p@2", convention={"p_denominator": "retrieved"})({"a": 1}, ["a"]) == 1.0


def test_grades_below_the_threshold_are_told() -> None:
    with pytest.warns(RelyonWarning, match="no grade reaches rel=1"):
        assert ListMeasure("p@1")({"a": 0.5}, ["a"]) == 0.0
    assert ListMeasure("p@1", convention={"rel": "positive"})({"a": 0.5}, ["a"]) == 1.0


def test_one_bad_list_is_no_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert ListMeasure("ndcg@10")({"a": 1}, ["x"]) == 0.0


def test_measures_that_one_list_cannot_resolve_are_refused() -> None:
    with pytest.raises(relyon.ParameterError, match="highest grade") as caught:
        ListMeasure("err@10")
    assert "err(max=2)@10" in caught.value.hint
    assert ListMeasure("err(max=3)@10")({"a": 3}, ["a"]) == 7 / 8
    assert ListMeasure("err@10", scale="search")({"a": 3}, ["a"]) > 0
    with pytest.raises(relyon.ParameterError, match="subtopics"):
        ListMeasure("alpha_ndcg@5")
    with pytest.raises(relyon.ParameterError, match="compares two runs"):
        ListMeasure("rbo")
    with pytest.raises(relyon.UnknownNameError, match="ndgc"):
        ListMeasure("ndgc@10")


def test_several_lists_are_evaluated_as_a_run() -> None:
    judged = [{"a": 1.0}, {}, {"b": 2.0, "c": 1.0}, {"d": 1.0}]
    found: list[list[str]] = [["x", "a"], ["y"], ["c", "b"], []]
    results = evaluate_lists(judged, found, "ndcg@10")
    run = {"1": {"x": 2.0, "a": 1.0}, "3": {"c": 2.0, "b": 1.0}, "4": {}}
    judgments = {str(n): one for n, one in enumerate(judged, 1) if one}
    wanted = relyon.evaluate(judgments, run, "ndcg@10")
    assert results["ndcg@10"] == wanted["ndcg@10"]
    values = list_values(results, 4)
    assert math.isnan(values[1])
    assert [*values[:1], *values[2:]] == [wanted.values_by_query("ndcg@10")[n] for n in "134"]
    one = ListMeasure("ndcg@10")
    assert [one(*pair) for pair in zip(judged, found, strict=True)][2] == values[2]


def test_several_lists_need_as_many_judged() -> None:
    with pytest.raises(relyon.InputError, match="1 list of judged documents and 2 lists"):
        evaluate_lists([{"a": 1.0}], [["a"], ["b"]], "rr")
    with pytest.raises(relyon.InputError, match="no judgments"):
        evaluate_lists([{}], [["a"]], "rr")


def test_grades_of_queries() -> None:
    known: Any = {"q": {7: 3, "b": 0}}
    assert grades_of([7], known, "q") == {"7": 3, "b": 0}
    with pytest.raises(relyon.InputError, match="no grades are known for the query 'r'"):
        grades_of(["b"], known, "r")
    with pytest.raises(relyon.InputError, match="the expected document `c` has no grade"):
        grades_of(["c"], known, "q")


@pytest.mark.parametrize(
    "value", [None, 1.5, True, ["a"], b"a"], ids=["none", "float", "bool", "list", "bytes"]
)
def test_what_is_no_id(value: object) -> None:
    with pytest.raises(relyon.InputError, match="a document id is text or a whole number"):
        text_id(value)


@pytest.mark.parametrize("grade", [math.nan, math.inf, "high"], ids=["nan", "infinite", "text"])
def test_what_is_no_grade(grade: Any) -> None:
    with pytest.raises(relyon.InputError, match=r"document [`']a"):
        ListMeasure("ndcg@10")({"a": grade}, ["a"])
