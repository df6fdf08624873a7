"""Queries in tiers by how often they are asked."""

from __future__ import annotations

import polars as pl
import pytest

from relyon.core.errors import InputError, ParameterError
from relyon.online.sampling import allocate, build_tiers, count_queries, tiers_of


def log_of(counts: dict[str, int], results: int = 1) -> pl.DataFrame:
    """A log in which every session shows some results."""
    rows = [
        (f"{query}-{number}", query, position, f"d{position}")
        for query, sessions in counts.items()
        for number in range(sessions)
        for position in range(1, results + 1)
    ]
    return pl.DataFrame(rows, schema=["session", "query", "position", "doc"], orient="row")


def names_of(counts: dict[str, int], *arguments: object) -> dict[str, str]:
    found = build_tiers(log_of(counts), *arguments)  # type: ignore[arg-type]
    return {query: found.names[tier] for query, _, tier in found.frame.iter_rows()}


def test_a_session_counts_once_however_many_rows_it_has() -> None:
    found = count_queries(log_of({"a": 2, "b": 3}, results=4))
    assert found.rows() == [("b", 3), ("a", 2)]


def test_a_session_with_two_queries_counts_for_both() -> None:
    log = pl.DataFrame(
        {"session": ["s", "s"], "query": ["a", "b"], "position": [1, 1], "doc": ["d", "d"]}
    )
    assert count_queries(log).rows() == [("a", 1), ("b", 1)]


def test_rows_without_session_or_query_are_left_out() -> None:
    log = pl.DataFrame(
        {
            "session": ["s", None, "t"],
            "query": ["a", "a", None],
            "position": [1, 1, 1],
            "doc": ["d", "d", "d"],
        }
    )
    assert count_queries(log).rows() == [("a", 1)]


def test_ids_may_be_numbers() -> None:
    log = pl.DataFrame({"session": [1, 2], "query": [10, 10], "position": [1, 1], "doc": [5, 6]})
    assert count_queries(log).rows() == [("10", 2)]


def test_share_gives_the_query_that_crosses_a_cut_to_the_tier_before_it() -> None:
    # 12 sessions: head until 4 are before, middle until 8.
    counts = {"a": 3, "b": 3, "c": 3, "d": 1, "e": 1, "f": 1}
    assert names_of(counts) == {
        "a": "head",
        "b": "head",
        "c": "middle",
        "d": "tail",
        "e": "tail",
        "f": "tail",
    }


def test_share_with_own_cuts() -> None:
    assert names_of({"a": 8, "b": 1, "c": 1}, "share", [0.8, 0.9]) == {
        "a": "head",
        "b": "middle",
        "c": "tail",
    }


def test_quantile_counts_distinct_queries() -> None:
    assert names_of({"a": 90, "b": 5, "c": 3, "d": 1}, "quantile", [0.25, 0.5]) == {
        "a": "head",
        "b": "middle",
        "c": "tail",
        "d": "tail",
    }


def test_count_cuts_by_number_of_sessions() -> None:
    assert names_of({"a": 10, "b": 9, "c": 2, "d": 1}, "count", [10, 2]) == {
        "a": "head",
        "b": "middle",
        "c": "middle",
        "d": "tail",
    }


def test_equally_frequent_queries_stand_by_their_text() -> None:
    counts = pl.DataFrame({"query": ["b", "a", "查", "c"], "sessions": [1, 1, 1, 1]})
    found = tiers_of(counts, "quantile", [0.25, 0.5])
    assert found.frame.rows() == [("a", 1, 0), ("b", 1, 1), ("c", 1, 2), ("查", 1, 2)]


def test_sizes_of_tiers_with_an_empty_one() -> None:
    found = build_tiers(log_of({"a": 5, "b": 1}), "count", [4, 2])
    assert found.sessions == (5, 0, 1)
    assert found.queries == (1, 0, 1)


@pytest.mark.parametrize(
    ("method", "cuts", "message"),
    [
        ("traffic", None, "must be one of `share`, `quantile`, `count`"),
        ("count", None, "need the least number"),
        ("share", [0.5], "3 tiers need 2 cuts, got 1"),
        ("share", [0.5, 0.2], "must be rising"),
        ("share", [0.5, 1.5], "must be between 0 and 1"),
        ("quantile", [0.0, 0.5], "must be between 0 and 1"),
        ("count", [2, 10], "must be falling"),
        ("count", [2, 0], "must be above 0"),
    ],
)
def test_cuts_that_cannot_be(method: str, cuts: list[float] | None, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        build_tiers(log_of({"a": 1}), method, cuts)  # type: ignore[arg-type]


@pytest.mark.parametrize("names", [[], ["a", "a"], ["a", ""]])
def test_names_that_cannot_be(names: list[str]) -> None:
    with pytest.raises(ParameterError, match="different names"):
        build_tiers(log_of({"a": 1}), names=names)


def test_a_log_without_sessions() -> None:
    with pytest.raises(InputError, match="contains no session"):
        build_tiers(log_of({"a": 1}).clear())


def test_a_log_without_a_column() -> None:
    with pytest.raises(InputError, match="no columns for `query`, `doc`"):
        build_tiers(log_of({"a": 1}).drop("query", "doc"))


def test_something_that_is_no_log() -> None:
    with pytest.raises(InputError, match="a dict is not a data frame"):
        build_tiers({"a": 1})


def test_equal_allocation_keeps_each_part() -> None:
    assert allocate([1000, 50, 0], 300) == [100, 50, 0]


def test_proportional_allocation_gives_what_one_lacks_to_the_others() -> None:
    assert allocate([10, 10, 980], 100, "proportional") == [2, 2, 96]
    assert sum(allocate([33, 33, 34], 100, "proportional")) == 100


def test_neyman_is_proportional_to_size_times_deviation() -> None:
    assert allocate([100, 300], 70, "neyman", deviations=[3.0, 2.5]) == [20, 50]


def test_neyman_takes_whole_tiers_and_divides_the_rest() -> None:
    assert allocate([10, 1000, 1000], 110, "neyman", deviations=[100, 1, 1]) == [10, 50, 50]


def test_neyman_gives_a_tier_without_deviation_its_least() -> None:
    assert allocate([100, 100], 20, "neyman", deviations=[0.0, 1.0]) == [2, 18]


def test_neyman_without_any_deviation_is_proportional() -> None:
    assert allocate([100, 300], 20, "neyman", deviations=[0.0, 0.0]) == [5, 15]


@pytest.mark.parametrize("allocation", ["equal", "proportional", "neyman"])
def test_no_more_than_there_is(allocation: str) -> None:
    sizes = [3, 0, 4]
    found = allocate(sizes, 100, allocation, deviations=[1, 1, 1])  # type: ignore[arg-type]
    assert found == sizes


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"allocation": "optimal"}, "must be one of `equal`, `proportional`, `neyman`"),
        ({"total": 0}, "`total` must be 1 or more"),
        ({"allocation": "neyman"}, "needs the standard deviation of every tier"),
        ({"allocation": "neyman", "deviations": [1.0]}, "of every tier"),
        ({"allocation": "neyman", "deviations": [1.0, -1.0]}, "0 or more"),
        ({"allocation": "neyman", "deviations": [1.0, float("nan")]}, "0 or more"),
    ],
)
def test_allocations_that_cannot_be(options: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        allocate([10, 10], **{"total": 4, **options})  # type: ignore[arg-type]
