"""What Python callers hand in by mistake: errors of relyon that say what to do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import relyon

JUDGMENTS = {"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 2}}
RUN = {"q1": {"d1": 2.0, "d2": 1.0}, "q2": {"d1": 1.0}}
LABELS, SCORES = [1, 0, 1], [0.1, 0.2, 0.3]
COLUMNS = ["query", "document", "score", "score"]
TWINS = pd.DataFrame([["q1", "d1", 1.0, 2.0]], columns=COLUMNS)
MASKED: Any = np.ma.array(np.array([1, 0, 1]), mask=np.array([0, 1, 0], dtype=bool))


def scored(labels: Any = LABELS, scores: Any = SCORES, groups: Any = None) -> relyon.Results:
    return relyon.evaluate_scores(labels, scores, groups, "ndcg@10")


MISTAKES: dict[str, tuple[Callable[[], object], str, str]] = {
    "a pandas Series": (
        lambda: relyon.evaluate(JUDGMENTS, pd.Series([1.0, 2.0])),
        "a Series is not a data frame",
        "reset_index",
    ),
    "a Polars Series": (
        lambda: relyon.evaluate(JUDGMENTS, pl.Series([1.0, 2.0])),
        "a Series is not a data frame",
        "give a data frame",
    ),
    "two columns of one name": (
        lambda: relyon.evaluate(JUDGMENTS, TWINS),
        "columns 3 and 4 have the same heading, `score`",
        "rename or drop one",
    ),
    "judgments with two columns of one name": (
        lambda: relyon.evaluate(
            TWINS.set_axis(["query", "document", "grade", "grade"], axis=1), RUN
        ),
        "columns 3 and 4 have the same heading, `grade`",
        "rename or drop one",
    ),
    "an Arrow table with two columns of one name": (
        lambda: relyon.read_run(pa.table([["q1"], ["d1"], [1.0], [2.0]], names=COLUMNS)),
        "columns 3 and 4 have the same heading, `score`",
        "rename or drop one",
    ),
    "a number for measures": (
        lambda: relyon.evaluate(JUDGMENTS, RUN, 5),  # type: ignore[arg-type]
        "the parameter `measures` must be names of measures",
        "",
    ),
    "None among measures": (
        lambda: relyon.evaluate(JUDGMENTS, RUN, [None]),  # type: ignore[list-item]
        "not a measure name: `None`",
        "write name@k",
    ),
    "results for a report": (
        lambda: relyon.write_report(relyon.evaluate(JUDGMENTS, RUN), "x.html"),  # type: ignore[arg-type]
        "the parameter `comparison` must be what relyon.compare returned",
        "",
    ),
    "a folder that is not there": (
        lambda: relyon.write_report(relyon.compare(JUDGMENTS, RUN, RUN), "/nonexistent/x.html"),
        "/nonexistent/x.html: cannot be written",
        "",
    ),
    "a grade of 5000 in a cascade": (
        lambda: relyon.evaluate_scores([5000, 0], [1.0, 2.0], measures=["rr", "err"]),
        "err cannot use the grade 5000: its gain would be 2^5000 - 1",
        "levels such as 0 to 4",
    ),
    "a grade of 5000 with exponential gain": (
        lambda: relyon.evaluate({"q": {"d": 5000}, **JUDGMENTS}, RUN, "ndcg(gain=exp)@10"),
        "ndcg(gain=exp)@10 cannot use the grade 5000: its gain would be 2^5000 - 1",
        "gain=linear",
    ),
    "masked labels": (lambda: scored(MASKED), "labels contain 1 masked value", "getmaskarray"),
    "masked scores": (lambda: scored(LABELS, MASKED), "scores contain 1 masked value", "getmask"),
    "masked groups": (lambda: scored(groups=MASKED), "groups contain 1 masked value", "getmask"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_the_error_says_what_to_do(name: str) -> None:
    call, message, hint = MISTAKES[name]
    with pytest.raises(relyon.RelyonError) as raised:
        call()
    assert message in raised.value.message
    assert hint in raised.value.hint


@pytest.mark.parametrize(
    ("groups", "row"),
    [
        ([1, 1, float("nan")], 2),
        ([None, 1, 1], 0),
        (np.array(["a", None, "b"], dtype=object), 1),
        (np.array(["2026-01-01", "NaT", "NaT"], dtype="datetime64[D]"), 1),
        (pd.Series([1, None, 2]), 1),
        (pd.array([1, 1, None], dtype="Int64"), 2),
        (pl.Series([None, 1, 2]), 0),
        ([pd.NaT, 1, 1], 0),
    ],
    ids=str,
)
def test_a_row_without_a_query_is_named(groups: Any, row: int) -> None:
    with pytest.raises(
        relyon.InputError, match=rf"groups lack the query of .* row {row}\b"
    ) as raised:
        scored(groups=groups)
    assert "give every row the id of its query" in raised.value.hint


def test_a_mask_that_hides_nothing_is_fine(tmp_path: Path) -> None:
    whole: Any = np.ma.array(np.array(LABELS), mask=np.zeros(3, dtype=bool))
    assert scored(whole)["ndcg@10"] == scored()["ndcg@10"]
