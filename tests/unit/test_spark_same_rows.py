"""Models of a comparison in a cluster must have scored the same rows."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, strategies as st

import relyon
from relyon.spark.same_rows import check_same_rows, row_marks
from relyon.spark.tasks import Arrays

ROWS = st.lists(
    st.tuples(
        st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=3),
        st.integers(-2, 2),
    ),
    min_size=1,
    max_size=12,
)


def marks(rows: list[tuple[str, float]], *, documents: bool = True, cut: int = 0) -> dict[str, Any]:
    texts = pa.array(["before"] * cut + [document for document, _ in rows]).slice(cut)
    labels = np.array([label for _, label in rows], np.float64)
    found = row_marks(np.array([0]), labels, texts if documents else None)
    return {role: one.tolist() for role, one in found.items()}


@given(ROWS, ROWS, st.randoms(use_true_random=False), st.integers(0, 2))
def test_equal_rows_have_equal_marks(
    one: list[tuple[str, float]], two: list[tuple[str, float]], order: random.Random, cut: int
) -> None:
    again = order.sample(one, len(one))
    assert marks(again, cut=cut) == marks(one)
    assert (marks(one)["document"] == marks(two)["document"]) == (sorted(one) == sorted(two))
    labels = [sorted(label for _, label in rows) for rows in (one, two)]
    assert (marks(one)["label"] == marks(two)["label"]) == (labels[0] == labels[1])


def test_documents_are_told_apart() -> None:
    assert marks([("a", 0.0)]) == marks([("a", -0.0)])
    assert marks([("ab", 1.0), ("c", 1.0)]) != marks([("a", 1.0), ("bc", 1.0)])
    assert marks([("ab", 1.0)]) != marks([("ba", 1.0)])


def part(rows: dict[str, list[tuple[str, float]]], *, documents: bool = True) -> Arrays:
    starts = np.cumsum([0, *(len(one) for one in rows.values())])[:-1]
    flat = [row for one in rows.values() for row in one]
    found = row_marks(
        starts,
        np.array([label for _, label in flat], np.float64),
        pa.array([document for document, _ in flat]) if documents else None,
    )
    return Arrays(list(rows), {}, {}, {}, {}, found)


def test_other_rows_are_refused() -> None:
    a, b = {"a": [("1", 1.0), ("2", 0.0)]}, {"b": [("1", 0.0)]}
    old = [part(a), part(b)]
    check_same_rows({"old": old, "new": [part(b | a)]})
    check_same_rows({"old": old, "new": [part(a | b, documents=False)]})
    swapped = {"a": [("1", 0.0), ("2", 1.0)]} | b
    check_same_rows({"old": old, "new": [part(swapped, documents=False)]})
    with pytest.raises(relyon.InputError, match="query `a` has other rows or labels in `new` than"):
        check_same_rows({"old": old, "third": old, "new": [part(swapped)]})
    with pytest.raises(relyon.InputError, match="query `b` of `old` is not in `new`"):
        check_same_rows({"old": old, "new": [part(a)]})
    with pytest.raises(relyon.InputError, match="query `a` of `new` is not in `old`") as caught:
        check_same_rows({"old": [part(b)], "new": old})
    assert caught.value.hint == "files of several models must have the same rows"
