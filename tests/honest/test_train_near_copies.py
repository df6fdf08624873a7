"""Near-copies of queries: whether `train` finds them, and calls no others so."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.honest.rows import row

import relyon.ltr
from relyon.data.features import Features
from relyon.data.labelled import LabelledRows
from relyon.ltr.preparation.near_copies import alike_queries, near_queries

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::relyon.RelyonWarning")]

DOCUMENTS, WIDTH = 10, 6
TREES: dict[str, Any] = {"trees": 20, "leaves": 7, "min_rows": 5, "threads": 1}


def rows_of(
    values: NDArray[np.float64], labels: NDArray[np.float64], documents: list[str] | None = None
) -> LabelledRows:
    queries = len(values) // DOCUMENTS
    return LabelledRows(
        labels,
        None,
        np.arange(queries + 1) * DOCUMENTS,
        [f"q{place}" for place in range(queries)],
        documents,
        features=Features(tuple(f"f{place}" for place in range(values.shape[1])), values),
    )


def copied(seed: int, *, all_jitter: float = 0.0, base: int = 20) -> LabelledRows:
    """Queries under three to five ids: one feature jitters, or all do; labels are random."""
    random = np.random.default_rng(seed)
    values, labels, documents = [], [], []
    for query in range(base):
        own = random.normal(size=(DOCUMENTS, WIDTH))
        grades = random.integers(0, 4, DOCUMENTS).astype(float)
        for _ in range(int(random.integers(3, 6))):
            copy = own + all_jitter * random.normal(size=own.shape)
            if not all_jitter:
                copy[:, 0] += random.normal(size=DOCUMENTS)
            values.append(copy)
            labels.append(grades)
            documents += [f"d{query}-{place}" for place in range(DOCUMENTS)]
    return rows_of(np.concatenate(values), np.concatenate(labels), documents)


def fresh(seed: int, queries: int) -> LabelledRows:
    random = np.random.default_rng(seed)
    count = queries * DOCUMENTS
    return rows_of(random.normal(size=(count, WIDTH)), random.integers(0, 4, count).astype(float))


def test_the_held_out_value_of_copied_queries_is_that_of_new_ones() -> None:
    runs, inside = 40, 0
    for seed in range(runs):
        found = relyon.ltr.train(copied(seed), baseline=None, **TREES)
        low, high = found.found.interval
        inside += int(low <= found.ranker.score(fresh(1000 + seed, 300)) <= high)
    row(
        "train-near-copies",
        "20 queries under 3 to 5 ids, one of 6 features jitters, random labels: the interval"
        " contains the value on new queries",
        inside / runs,
        runs,
        promise="95% over groups of copies",
        least=0.85,
    )


@pytest.mark.parametrize(
    "kind", ["normal", "five values", "0 or 1", "half of the rows 0", "heavy", "few"]
)
def test_different_queries_are_not_called_copies(kind: str) -> None:
    runs, said = 200, 0
    for seed in range(runs):
        random = np.random.default_rng(seed)
        count = 60 * DOCUMENTS
        values = random.normal(size=(count, WIDTH))
        if kind == "five values":
            values = random.integers(0, 5, (count, WIDTH)).astype(float)
        elif kind == "0 or 1":
            values = (values > 1).astype(float)
        elif kind == "half of the rows 0":
            values *= random.random((count, 1)) < 0.5
        elif kind == "heavy":
            values = np.exp(3 * values)
        labels = random.integers(0, 2, count).astype(float)
        if kind == "few":
            # Three features, which the labels follow, and one that is the same within a query.
            values = values[:, :4]
            values[:, 3] = np.repeat(random.integers(1, 6, 60), DOCUMENTS)
            labels = np.clip(np.round(values[:, 0] + 0.7 * values[:, 1]), 0, 3)
        documents = [f"d{place % DOCUMENTS}" for place in range(count)]
        rows = rows_of(values, labels, documents)
        said += int(len(near_queries(rows).first) + len(alike_queries(rows).first) > 0)
    row(
        "train-near-copies",
        f"60 different queries, features {kind}: some are called copies",
        said / runs,
        runs,
        promise="at most 2%",
        most=0.02,
    )


@pytest.mark.parametrize(
    ("jitter", "documents", "least", "says"),
    [
        (0.01, False, 0.95, "warned, and kept together"),
        (0.2, True, 0.95, "warned: they share documents and labels; --group keeps them together"),
        (0.2, False, 0.0, "nothing: only --group keeps them together"),
    ],
)
def test_where_every_feature_jitters(
    jitter: float, documents: bool, least: float, says: str
) -> None:
    runs, found = 200, 0
    for seed in range(runs):
        rows = copied(seed, all_jitter=jitter)
        near = near_queries(rows)
        pairs = near if not documents else alike_queries(rows)
        found += int(len(np.union1d(pairs.first, pairs.second)) > 0.5 * len(rows.queries))
    identified = "documents with ids" if documents else "documents without ids"
    row(
        "train-near-copies",
        f"copies whose features all jitter by {jitter:.0%} of their spread, {identified}: most are"
        " found",
        found / runs,
        runs,
        promise="none",
        least=least,
        most=1.0 if least else 0.1,
        assumption=False,
        says=says,
    )
