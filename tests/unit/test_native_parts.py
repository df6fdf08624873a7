"""A run evaluated part by part: the same numbers as in one piece."""

from __future__ import annotations

import random
from itertools import pairwise

import polars as pl
import pyarrow as pa
import pytest
from tests.unit.batches import plan, state
from tests.unit.test_native_sources import Rows, grades_of, rows_of

from relyon import _native
from relyon.core.errors import InputError


def parts_of(rows: Rows, seed: int) -> list[Rows]:
    draw = random.Random(seed)
    cuts = sorted([0, len(rows), *(draw.randint(0, len(rows)) for _ in range(9))])
    return [rows[a:b] for a, b in pairwise(cuts)]


def add(parts: _native.RunParts, rows: Rows) -> bool:
    query, document, score, rank = zip(*rows, strict=True) if rows else ((), (), (), ())
    return parts.add(
        pl.Series(query, dtype=pl.String),
        pa.array(document, pa.string()),
        pl.Series(score, dtype=pl.Float64),
        pa.array(rank, pa.int32()),
    )


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("ties", ["doc-desc", "input", "rank"])
def test_a_run_in_parts(seed: int, ties: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = rows_of(seed)
    judgments = _native.JudgmentTable.from_dict(grades_of(rows))
    query, document, score, rank = (list(part) for part in zip(*rows, strict=True))
    columns = pl.Series(query), pl.Series(document), pl.Series(score), pl.Series(rank)
    expected = state(_native.evaluate_arrow(judgments, plan(ties=ties), *columns))
    for stretch in (1, 1 << 20):
        monkeypatch.setenv("RELYON_STRETCH", str(stretch))
        parts = _native.RunParts(judgments, plan(ties=ties))
        assert all(add(parts, part) for part in parts_of(rows, seed))
        assert state(parts.finish()) == expected


def test_parts_of_a_run_that_is_not_grouped() -> None:
    rows = rows_of(4)
    judgments = _native.JudgmentTable.from_dict(grades_of(rows))
    parts = _native.RunParts(judgments, plan())
    random.Random(4).shuffle(rows)
    assert False in [add(parts, part) for part in parts_of(rows, 4)]
    with pytest.raises(InputError, match="not together"):
        parts.finish()


def test_a_document_that_two_parts_hold() -> None:
    judgments = _native.JudgmentTable.from_dict({"q": {"a": 1}})
    parts = _native.RunParts(judgments, plan())
    assert add(parts, [("p", "x", 2.0, 1), ("q", "a", 1.0, 1), ("q", "b", 0.5, 2)])
    with pytest.raises(InputError, match="document `a` occurs twice in query `q`: rows 2 and 5"):
        add(parts, [("q", "c", 0.3, 3), ("q", "a", 0.2, 4), ("r", "a", 1.0, 1)])
