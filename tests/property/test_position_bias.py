"""Position bias of any log: an estimate or a reason everywhere, and only ratios matter."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings, strategies as st

from relyon.labels import estimate_bias, read_clicks
from relyon.labels.position_bias.swaps import count_cells, count_swaps

EVERY = ["all-pairs", "chain", "pivot", "em"]

#: Sessions: a query, the documents at 1, 2, …, none in holes, each clicked or not.
SESSIONS = st.lists(
    st.tuples(
        st.sampled_from(["tv", "电视", "sofa"]),
        st.lists(st.sampled_from("abcd"), min_size=1, max_size=4, unique=True),
        st.lists(st.booleans(), min_size=4, max_size=4),
        st.lists(st.booleans(), min_size=4, max_size=4),
    ),
    min_size=1,
    max_size=30,
)


def frame_of(sessions: list[tuple[str, list[str], list[bool], list[bool]]]) -> pl.DataFrame:
    rows = [
        (number, query, doc, position, click)
        for number, (query, documents, clicks, holes) in enumerate(sessions)
        for position, (doc, click, hole) in enumerate(
            zip(documents, clicks, holes, strict=False), 1
        )
        if not hole or position == len(documents)
    ]
    schema = {
        "session": pl.Int64,
        "query": pl.String,
        "doc": pl.String,
        "position": pl.Int64,
        "clicked": pl.Boolean,
    }
    return pl.DataFrame(rows, schema=schema, orient="row")


@pytest.mark.long
@given(SESSIONS)
def test_cells_are_counted(sessions: list[tuple[str, list[str], list[bool], list[bool]]]) -> None:
    frame = frame_of(sessions)
    log = read_clicks(frame)
    cells = count_cells(log)
    found = log.pairs[cells.pairs].with_columns(
        position=pl.Series(cells.positions[cells.places]),
        shown=pl.Series(cells.shown),
        clicks=pl.Series(cells.clicks),
    )
    wanted = frame.group_by("query", "doc", "position").agg(
        pl.len().cast(pl.Float64).alias("shown"),
        pl.col("clicked").sum().cast(pl.Float64).alias("clicks"),
    )
    assert sorted(found.rows()) == sorted(wanted.rows())


@pytest.mark.long
@given(SESSIONS)
def test_swaps_are_sums_over_documents(
    sessions: list[tuple[str, list[str], list[bool], list[bool]]],
) -> None:
    cells = count_cells(read_clicks(frame_of(sessions)))
    swaps = count_swaps(cells)
    size = len(cells.positions)
    expected = np.zeros((4, size, size))
    for pair in set(cells.pairs.tolist()):
        (rows,) = np.nonzero(cells.pairs == pair)
        for place, one in enumerate(rows):
            for other in rows[place + 1 :]:
                n, m = cells.shown[one], cells.shown[other]
                c, d = cells.clicks[one] / n, cells.clicks[other] / m
                values = (n * m / (n + m)) * np.array([1, c, d, 2])
                expected[:, cells.places[one], cells.places[other]] += values
    for values, table in zip(
        (swaps.weight, swaps.first_clicks, swaps.second_clicks, swaps.swaps), expected, strict=True
    ):
        assert swaps.table(values) == pytest.approx(table)


@pytest.mark.long
@given(SESSIONS)
def test_everywhere_an_estimate_or_a_reason(
    sessions: list[tuple[str, list[str], list[bool], list[bool]]],
) -> None:
    frame = frame_of(sessions)
    found = estimate_bias(frame, EVERY)
    positions = sorted(frame["position"].unique().to_list())
    assert sorted(one for part in found.connection.components for one in part) == positions
    for name in EVERY:
        assert [one.position for one in found[name]] == positions
        for one in found[name]:
            known = one.reason in ("", "too-little")
            assert known == math.isfinite(one.examination)
            assert (one.reason == "") == math.isfinite(one.low)
            if one.reason == "":
                assert 0 < one.low <= one.examination <= one.high
    assert "nan" not in found.to_text()


@pytest.mark.long
@settings(max_examples=30)
@given(SESSIONS)
def test_only_ratios_matter(
    sessions: list[tuple[str, list[str], list[bool], list[bool]]],
) -> None:
    """From another reference the same estimates are seen, divided by its own."""
    frame = frame_of(sessions)
    found = estimate_bias(frame, ["all-pairs", "chain"])
    other = found.connection.comparable[-1]
    turned = estimate_bias(frame, ["all-pairs", "chain"], reference=other)
    for name in ("all-pairs", "chain"):
        first, second = (
            {one.position: one.examination for one in bias[name]} for bias in (found, turned)
        )
        for position, theta in second.items():
            if math.isfinite(theta) and math.isfinite(first[other]):
                assert first[position] / first[other] == pytest.approx(theta, rel=1e-3)
