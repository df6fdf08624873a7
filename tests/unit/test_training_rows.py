"""Rows to train with: weights of clicks, from every engine, and what is left out."""

from __future__ import annotations

import duckdb
import numpy as np
import polars as pl
import pytest
from tests.unit.test_position_bias import simulate

from relyon.core.errors import InputError, ParameterError
from relyon.labels import training_rows

THETA = {1: 1.0, 2: 0.5, 3: 0.05}


def log() -> pl.DataFrame:
    return simulate(200, 5, np.array([1.0, 0.5, 0.2]), seed=1)


def test_weighted_clicks_are_those_of_a_list_that_is_seen_whole() -> None:
    """In the mean over many sessions, each document has the clicks that it would have at 1."""
    truth = {1: 1.0, 2: 0.5, 3: 0.2}
    rows = training_rows(simulate(40_000, 2, np.array(list(truth.values())), seed=1), truth)
    top = rows.filter(pl.col("position") == 1).group_by("query", "document")
    every = rows.group_by("query", "document")
    rates = top.agg(pl.col("clicked").mean().alias("top"), pl.len().alias("count")).join(
        every.agg((pl.col("clicked") * pl.col("weight")).mean().alias("weighted")),
        on=["query", "document"],
    )
    often = rates.filter(pl.col("count") > 1000)
    assert often.height >= 4
    assert (often["top"] - often["weighted"]).abs().max() < 0.05  # type: ignore[operator]


def test_weights_are_clipped() -> None:
    rows = training_rows(log(), THETA, clip=0.1)
    weights = rows.filter("clicked").group_by("position").agg(pl.col("weight").unique())
    found = dict(weights.rows())
    assert found == {1: [1.0], 2: [2.0], 3: [10.0]}
    assert set(rows.filter(~pl.col("clicked"))["weight"]) == {1.0}


def test_engines_agree() -> None:
    frame = log()
    rows = training_rows(frame, THETA)
    connection = duckdb.connect()
    connection.register("log", frame.to_arrow())
    other = training_rows(connection.sql("select * from log"), THETA)
    assert other.equals(rows)
    assert training_rows(frame.sample(fraction=1, shuffle=True, seed=1), THETA).equals(rows)


def test_positions_of_unknown_examination_are_left_out() -> None:
    with pytest.warns(UserWarning, match="200 impressions at positions of unknown examination"):
        rows = training_rows(log(), {1: 1.0, 2: 0.5})
    assert rows["position"].unique().to_list() == [1, 2]


@pytest.mark.filterwarnings("ignore::relyon.RelyonWarning")
def test_nothing_is_known() -> None:
    assert training_rows(log(), {}).height == 0


def test_depth_and_rows_that_were_not_shown() -> None:
    frame = log().with_columns(shown=pl.col("position") != 2)
    rows = training_rows(frame, THETA, depth=2)
    assert rows["position"].unique().to_list() == [1]


def test_wrong_parameters() -> None:
    with pytest.raises(ParameterError, match="clip"):
        training_rows(log(), THETA, clip=0)
    with pytest.raises(InputError, match="has no clicks"):
        training_rows(log().drop("clicked"), THETA)
