"""Names of columns where values are needed, and values where names are: the error says the call."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
import pytest

import relyon

FRAME = pd.DataFrame(
    {"qid": ["a", "a"], "doc": ["1", "2"], "label": [1, 0], "bm25": [1.0, 2.0], "new": [2.0, 1.0]}
)
NAMED = FRAME.assign(label=["高", "无"])


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (
            lambda: relyon.compare_scores(FRAME, ["auc"], scores=[FRAME.bm25, FRAME.new]),
            "scores must be names of columns",
        ),
        (
            lambda: relyon.evaluate_scores(FRAME, ["bm25", "new"]),
            'compare_scores(table, scores=["bm25", "new"])',
        ),
        (lambda: relyon.evaluate_scores(FRAME, FRAME.bm25), 'columns={"score": COLUMN'),
        (lambda: relyon.evaluate(FRAME, "bm25"), 'relyon.evaluate_scores(table, "bm25")'),
        (lambda: relyon.compare(FRAME, "bm25", "new"), "`bm25` is a column of the table"),
        (
            lambda: relyon.explain(FRAME, "bm25", "a"),
            'relyon.read_run(table, columns={"score": "bm25"})',
        ),
        (
            lambda: relyon.evaluate_scores(NAMED.label, NAMED.bm25, NAMED.qid),
            'name a scale for grades such as 高/中/低/无: scale="search"',
        ),
        (lambda: relyon.evaluate_scores(NAMED.label, NAMED.bm25), "labels are not numbers: `高`"),
    ],
)
def test_the_error_says_which_call_is_meant(call: Callable[[], object], expected: str) -> None:
    with pytest.raises((relyon.InputError, relyon.ParameterError)) as caught:
        call()
    assert expected in str(caught.value)


def test_frames_of_one_query_per_row_are_still_read() -> None:
    labels, scores = pd.DataFrame([[1, 0], [0, 1]]), pd.DataFrame([[2.0, 1.0], [2.0, 1.0]])
    assert relyon.evaluate_scores(labels, scores, measures="rr")["rr"] == 0.75
    assert relyon.evaluate_scores(labels, scores.to_numpy(), measures="rr")["rr"] == 0.75
