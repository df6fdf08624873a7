"""Rows to train a ranker with: clicks, their positions, and their weights."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from relyon.core.errors import ParameterError
from relyon.core.notes import Note, warn
from relyon.core.texts import message
from relyon.data.columns.batches import batches
from relyon.io.log_checks import read_log
from relyon.labels.rules import Rules

if TYPE_CHECKING:
    import polars as pl

__all__ = ["training_rows"]


def training_rows(
    sessions: object,
    examination: Mapping[int, float],
    *,
    clip: float = 0.1,
    depth: int = 10,
    min_dwell: float | None = None,
) -> pl.DataFrame:
    """Returns one row per result that was shown, sorted by session, query and position.

    The columns are `session`, `query`, `document`, `position`, `clicked` and `weight`. A click
    weighs 1 / max(θ, clip), anything else 1: a loss in which each click counts with its weight is
    that of users who see every position as often as the reference (Joachims et al. 2017). Where
    the learner corrects positions itself, as LightGBM does if its data set is given a `position`,
    leave the weights out: both together correct twice. Join features by `query` and `document`.

    Args:
        sessions: What `relyon.read_sessions` takes.
        examination: θ of each position, such as `estimate_bias(log).examination`; rows at other
            positions are left out, and counted in a warning.
        clip: A smaller θ counts as this one: rare clicks far down do not decide alone.
        depth: Ignore positions after this one.
        min_dwell: Clicks after which the user stayed for fewer seconds do not count.

    Raises:
        InputError: If the log has no clicks.
        ParameterError: If `clip` does not lie above 0 and at most at 1.

    Examples:
        >>> import polars as pl
        >>> log = pl.DataFrame(
        ...     {
        ...         "session": [1, 1, 2, 2],
        ...         "query": ["tv"] * 4,
        ...         "doc": ["a", "b", "a", "b"],
        ...         "position": [1, 2, 1, 2],
        ...         "clicked": [1, 0, 0, 1],
        ...     }
        ... )
        >>> rows = training_rows(log, {1: 1.0, 2: 0.5})
        >>> rows.select("position", "clicked", "weight").rows()
        [(1, True, 1.0), (2, False, 1.0), (1, False, 1.0), (2, True, 2.0)]
    """
    import narwhals as nw
    import polars as pl

    if not 0 < clip <= 1:
        raise ParameterError(
            message(
                "core.parameter-must-be-above",
                name="clip",
                value=clip,
            )
        )
    rules = Rules(depth, min_dwell)
    log = read_log(sessions)
    rules.check(log)
    position = nw.col("position")
    inside = log.frame.filter(rules.complete(log.columns), position >= 1, position <= depth)
    wanted = inside.select("session", "query", "doc", "position", clicked=rules.clicked)
    empty = dict.fromkeys(("session", "query", "doc"), pl.String)
    schema = {**empty, "position": pl.Int64, "clicked": pl.Boolean}
    parts = [pl.DataFrame(schema=schema), *batches(wanted)]
    rows = pl.concat(parts, how="vertical_relaxed").rename({"doc": "document"})
    known = pl.DataFrame(
        {"position": list(examination), "theta": list(examination.values())},
        schema={"position": pl.Int64, "theta": pl.Float64},
    )
    found = rows.join(known, on="position", how="inner")
    left_out = rows.height - found.height
    if left_out:
        warn([Note("clicks-unknown-examination", left_out, "warning")])
    weight = pl.when("clicked").then(1 / pl.col("theta").clip(clip)).otherwise(1.0)
    return found.select(*rows.columns, weight=weight).sort(
        "session", "query", "position", "document"
    )
