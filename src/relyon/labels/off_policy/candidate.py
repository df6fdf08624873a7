"""Candidates: a ranking, or the probabilities of a policy."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relyon.core.errors import InputError
from relyon.core.parameters import check_whole
from relyon.core.texts import message
from relyon.data.columns import LEVELS, best_columns, choose, is_frame
from relyon.data.row_index import with_index_columns
from relyon.data.run import Run
from relyon.io.readers import read_run
from relyon.io.table_files import has_table, read_table
from relyon.labels.off_policy.feedback import read_feedback

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Candidate", "policy_of", "read_candidate"]

#: By how much the probabilities of one decision may miss 1: they are rounded in files.
SLACK = 1e-3


@dataclass(frozen=True)
class Candidate:
    """The results of a candidate; `read_candidate` reads it.

    Attributes:
        table: `query`, `position`, `document` and `probability`; a null query or position stands
            for every one.
        ranking: Whether it is one list per query, without chance.
        name: Its name in results.
    """

    table: pl.DataFrame
    ranking: bool
    name: str


def read_candidate(
    source: object, *, name: str | None = None, columns: Mapping[str, str] | None = None
) -> Candidate:
    """Reads a candidate: a run, or a table of probabilities.

    A table with a column `probability` is a policy: `document`, `probability`, and `query` and
    `position` where they matter; for each decision the probabilities add up to 1. Everything else
    is what `relyon.read_run` takes, ordered by score; equal scores are ordered by rank, then by
    document, as trec_eval does.

    Args:
        source: A path, a data frame, a `Run` or a mapping {query: {document: score}}.
        name: Its name in results.
        columns: Column names by role, for tables: query, document, score, rank or probability.

    Raises:
        InputError: If it cannot be read, a probability is not from 0 to 1, or those of one decision
            do not add up to 1.

    Examples:
        >>> import polars as pl
        >>> candidate = read_candidate({"tv": {"a": 0.5, "b": 2.0}})
        >>> candidate.table.rows()
        [('tv', 1, 'b', 1.0), ('tv', 2, 'a', 1.0)]
        >>> read_candidate(pl.DataFrame({"doc": ["a", "b"], "probability": [0.5, 0.5]})).ranking
        False
    """
    import polars as pl

    if isinstance(source, Candidate):
        return source
    frame: pl.DataFrame | None = None
    path = ""
    if isinstance(source, str | os.PathLike):
        path = os.fspath(source)
        if path != "-" and has_table(path):
            frame = read_table(path)
    elif not isinstance(source, Run | Mapping) and is_frame(source):
        import narwhals as nw

        wrapped = nw.from_native(with_index_columns(source)[0], pass_through=True)
        eager = wrapped.collect() if isinstance(wrapped, nw.LazyFrame) else wrapped
        if isinstance(eager, nw.DataFrame):
            frame = eager.to_polars()
        elif hasattr(eager, "__arrow_c_stream__"):
            frame = pl.DataFrame(eager)
        else:
            raise InputError(message("data.is-not-data-frame", name=type(source).__name__))
    if frame is not None and "probability" in _roles(frame.columns, columns):
        table = _policy(frame, columns, path)
        return Candidate(table, ranking=False, name=name or os.path.basename(path) or "policy")
    run = source if isinstance(source, Run) else read_run(source, columns=columns)
    return Candidate(_ranked(run), ranking=True, name=name or run.name)


def policy_of(log: object, *, depth: int = 10, name: str | None = None) -> Candidate:
    """Returns the policy that made a log: how often it showed each document at each position.

    Where the policy looked at more than the query, or changed while it ran, this is its mean.

    Args:
        log: What `relyon.labels.off_policy.read_feedback` takes, of single decisions.
        depth: Ignore positions after this one.
        name: Its name in results.

    Raises:
        InputError: If sessions have several results: how likely a list is does not follow from how
            often documents are at its positions.
    """
    import polars as pl

    check_whole("depth", depth)
    feedback = read_feedback(log, depth=depth, propensities="none")
    if not feedback.single:
        raise InputError(
            message("labels.candidates-log-has-sessions"),
            path=feedback.path,
            hint=message("labels.policy-is-taken"),
        )
    shown = feedback.contexts[feedback.context].with_columns(
        document=feedback.names[feedback.documents[:, 0]]
    )
    table = shown.group_by("query", "position", "document").len()
    share = pl.col("len") / pl.col("len").sum().over("query", "position")
    ordered = table.select("query", "position", "document", probability=share).sort(
        "query", "position", "document"
    )
    return Candidate(ordered, ranking=False, name=name or feedback.path or "policy")


def _roles(names: list[str], columns: Mapping[str, str] | None) -> dict[str, str]:
    """Returns the columns of a policy; none if the table is something else."""
    if "probability" not in (columns or {}) and not best_columns(names, LEVELS["probability"]):
        return {}
    return choose(names, "policy", columns=columns)


def _policy(frame: pl.DataFrame, columns: Mapping[str, str] | None, path: str) -> pl.DataFrame:
    """Returns the table of a policy, checked."""
    import polars as pl

    roles = _roles(frame.columns, columns)
    number = pl.col(roles["probability"]).cast(pl.Float64, strict=False)
    position = pl.lit(None, pl.Int64)
    if "rank" in roles:
        position = pl.col(roles["rank"]).cast(pl.Int64, strict=False)
    query = pl.col(roles["query"]).cast(pl.String) if "query" in roles else pl.lit(None, pl.String)
    table = frame.select(
        query=query,
        position=position,
        document=pl.col(roles["document"]).cast(pl.String),
        probability=number,
    )
    good = (pl.col("probability").is_between(0, 1) & pl.col("document").is_not_null()).fill_null(
        False
    )
    if "rank" in roles:
        good &= (pl.col("position") >= 1).fill_null(False)
    if "query" in roles:
        good &= pl.col("query").is_not_null()
    bad = table.with_row_index("row").filter(~good)
    if bad.height or table.is_empty():
        raise InputError(
            message(
                "labels.row-of-policy",
                row=(bad.item(0, "row") if bad.height else 0) + 1,
            ),
            path=path,
            hint=message("labels.columns-are-document"),
        )
    where = ["query", "position"]
    if table.select(pl.struct(*where, "document").is_duplicated().any()).item():
        raise InputError(message("labels.policy-contains-document-twice"), path=path)
    sums = table.group_by(where).agg(pl.col("probability").sum()).sort(where)
    wrong = sums.filter((pl.col("probability") - 1).abs() > SLACK)
    if wrong.height:
        query_, place, total = wrong.row(0)
        raise InputError(
            message(
                "labels.probabilities-of-query",
                query=query_ or "*",
                position="*" if place is None else place,
                total=total,
            ),
            path=path,
            hint=message("labels.probabilities-of-all-documents"),
        )
    return table.filter(pl.col("probability") > 0)


def _ranked(run: Run) -> pl.DataFrame:
    """Returns the documents of a run at their positions."""
    import polars as pl

    frame = run.to_frame()
    by, descending = ["query", "score"], [False, True]
    if "rank" in frame.columns:
        by, descending = [*by, "rank"], [*descending, False]
    ordered = frame.sort(*by, "document", descending=[*descending, True])
    place = pl.int_range(1, pl.len() + 1).over("query").cast(pl.Int64)
    return ordered.select("query", place.alias("position"), "document", probability=pl.lit(1.0))
