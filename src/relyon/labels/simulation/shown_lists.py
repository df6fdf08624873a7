"""The lists shown to simulated users, of one or several runs, in arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relyon.core.errors import InputError, ParameterError
from relyon.core.texts import message
from relyon.data.run import Run, run_name
from relyon.io.readers import read_run

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

__all__ = ["ShownLists", "lists_of_runs", "named_runs"]


@dataclass(frozen=True)
class ShownLists:
    """The first results of every query in every run.

    Attributes:
        arms: The runs' names.
        queries: The queries for which every run has results, sorted.
        names: The distinct pairs of `query` and `document`, sorted.
        pairs: The pair at each place, a row of `names`: runs × queries × depth; 0 where empty.
        sizes: The number of results: runs × queries.
        left_out: Queries for which some run has no result.
    """

    arms: tuple[str, ...]
    queries: pl.Series
    names: pl.DataFrame
    pairs: NDArray[np.int64]
    sizes: NDArray[np.int64]
    left_out: int


def named_runs(runs: object) -> dict[str, Run]:
    """Returns runs by name.

    Args:
        runs: What `relyon.read_run` takes, a list of those, or a mapping of names to them.

    Raises:
        ParameterError: If there is no run, or two have the same name.
    """
    if isinstance(runs, Mapping) and runs and all(_is_run(run) for run in runs.values()):
        return {str(name): read_run(run) for name, run in runs.items()}
    several = list(runs) if isinstance(runs, Sequence) and not isinstance(runs, str) else [runs]
    names = [run_name(run) for run in several]
    if not several or len(set(names)) < len(names):
        raise ParameterError(
            message("labels.each-run-needs-distinct"), hint=message("labels.give-name")
        )
    return {name: read_run(run) for name, run in zip(names, several, strict=True)}


def _is_run(value: object) -> bool:
    """Whether it is a whole run, and not the scores of one query."""
    return not isinstance(value, Mapping) or any(isinstance(one, Mapping) for one in value.values())


def lists_of_runs(runs: Mapping[str, Run], depth: int) -> ShownLists:
    """Returns the first results of runs: by score, equal scores by document id, the last first.

    Args:
        runs: Runs by name.
        depth: Maximum number of results in a list.

    Raises:
        InputError: If no query has results in every run.
    """
    import numpy as np
    import polars as pl

    place = pl.int_range(pl.len()).over("arm", "query").alias("place")
    rows = (
        pl.concat(
            run.to_frame().select("query", "document", "score", arm=pl.lit(number, pl.Int64))
            for number, run in enumerate(runs.values())
        )
        .sort("arm", "query", "score", "document", descending=[False, False, True, True])
        .with_columns(place)
        .filter(pl.col("place") < depth)
    )
    every = rows.get_column("query").n_unique()
    rows = rows.filter(pl.col("arm").n_unique().over("query") == len(runs))
    if rows.is_empty():
        raise InputError(
            message("labels.no-query-has-results", names=list(runs)),
            hint=message("labels.check-that-runs"),
        )
    names = rows.select("query", "document").unique().sort("query", "document")
    queries = names.get_column("query").unique(maintain_order=True)
    rows = rows.join(names.with_row_index("pair"), on=["query", "document"], how="left")
    row = rows.join(
        queries.to_frame().with_row_index("number"), on="query", how="left", maintain_order="left"
    )
    arm, number, at, pair = (
        row.get_column(name).cast(pl.Int64).to_numpy()
        for name in ("arm", "number", "place", "pair")
    )
    pairs = np.zeros((len(runs), len(queries), int(at.max()) + 1), np.int64)
    pairs[arm, number, at] = pair
    sizes = np.zeros(pairs.shape[:2], np.int64)
    np.add.at(sizes, (arm, number), 1)
    return ShownLists(tuple(runs), queries, names, pairs, sizes, every - len(queries))
