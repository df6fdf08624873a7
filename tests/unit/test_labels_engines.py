"""The same labels from every engine: what is counted is counted where the log lies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import duckdb
import narwhals as nw
import numpy as np
import polars as pl
import pytest

from relyon.data.lazy import gather
from relyon.labels import make_labels


def clicks() -> pl.DataFrame:
    """Sessions with carts, repeated documents, a robot and missing dwell times, shuffled."""
    generator = np.random.default_rng(6)
    rows = []
    for session in range(300):
        robot = session < 70
        docs = generator.choice(8, 4, replace=session % 50 == 0)
        for position, doc in enumerate(docs, 1):
            clicked = robot or bool(generator.random() < 0.7 / position)
            dwell = float(generator.exponential(40)) if clicked and doc % 3 else None
            cart = clicked and bool(generator.random() < 0.3)
            user = "robot" if robot else f"u{session % 40}"
            query = f"查询 {session % 5}"
            rows.append((f"s{session}", query, position, f"d{doc}", clicked, dwell, cart, user))
    columns = ["session", "query", "position", "doc", "clicked", "dwell_seconds", "add_to_cart"]
    return pl.DataFrame(rows, [*columns, "user"], orient="row").sample(
        fraction=1.0, shuffle=True, seed=2
    )


#: Older relations of DuckDB do not keep the connection that they are of.
CONNECTION = duckdb.connect()


def duck(frame: pl.DataFrame) -> Any:
    CONNECTION.register("log", frame.to_arrow())
    return CONNECTION.sql("select * from log")


#: A few ways in which labels are made: they count different things.
WAYS: list[dict[str, Any]] = [
    {"model": "pbm", "actions": {"click": 1, "dwell": 2, "cart": 3}, "min_dwell": 5},
    {"model": "sdbn", "drop_bots": True, "need_dwell": True},
    {"model": "dctr", "actions": {"click": 0, "cart": 1}, "prior": "data", "grading": "quantile=3"},
]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way["model"])
@pytest.mark.parametrize(
    "engine",
    [pl.DataFrame.lazy, pl.DataFrame.to_arrow, pl.DataFrame.to_pandas, duck],
    ids=["lazy", "arrow", "pandas", "duckdb"],
)
def test_every_engine_gives_the_same_labels(
    way: dict[str, Any], engine: Callable[[pl.DataFrame], Any]
) -> None:
    frame = clicks()
    expected, found = make_labels(frame, **way), make_labels(engine(frame), **way)
    assert found.labels.equals(expected.labels)
    assert found.to_dict() == expected.to_dict()


def test_sums_of_whole_numbers_are_whole_numbers() -> None:
    relation = CONNECTION.sql(
        "select sum(number) as total, 1.25::decimal(9, 2) as price from range(4) rows(number)"
    )
    found = gather(nw.from_native(relation))
    assert found.schema == {"total": pl.Int64, "price": pl.Float64}
    assert found.rows() == [(6, 1.25)]
