"""Clicks on mixed lists read back: which run they prefer."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from relyon.analysis.statistics import adjust
from relyon.core.errors import InputError
from relyon.core.notes import Note, warn
from relyon.core.parameters import check_fraction
from relyon.core.texts import message
from relyon.data.lazy import gather
from relyon.data.sessions import Sessions
from relyon.data.zone import day_in
from relyon.io.log_checks import read_log
from relyon.online.experiments.interleaving.estimate import Searches
from relyon.online.experiments.interleaving.method import Clicks
from relyon.online.experiments.interleaving.mixed_lists import (
    CREDIT,
    MixedLists,
    method_of,
    read_mixed,
)
from relyon.online.experiments.interleaving.preference import Preferences

if TYPE_CHECKING:
    import polars as pl

__all__ = ["score_clicks"]

KEYS = ["session", "query"]


@dataclass(frozen=True)
class Shown:
    """Sessions that were shown a mixed list, in the order in which they began.

    Attributes:
        sessions: One row per session: `mixture`, `query`, `day`, empty without times, and `user`,
            where the log has users.
        clicks: Their clicks.
        notes: What was left out, and why.
    """

    sessions: pl.DataFrame
    clicks: Clicks
    notes: tuple[Note, ...]


def score_clicks(
    mixed: str | os.PathLike[str] | pl.DataFrame | MixedLists,
    sessions: object,
    *,
    level: float = 0.95,
) -> Preferences:
    """Reads the clicks on mixed lists and estimates which run users prefer.

    A session names the list that it was shown in the column `bucket`, by its id in `mixture`; a log
    may lack the column where each query has one list. A session is one search: a session and its
    query. A document clicked twice counts once.

    Intervals and p-values are over queries, and over users where the log has a column `user`: the
    many sessions of a query, or of a person, count as one observation. They are valid for one look,
    planned before. The always-valid test looks at the end of every day (without users after every
    session): stop when it is sure. It uses the first session of each mixed list: later ones on the
    same list know its luck already. With users each counts once, by their first day. Without users,
    sessions are taken to be independent, but for their query.

    Args:
        mixed: What `mix_runs` made: the lists or their file.
        sessions: What `relyon.read_sessions` takes.
        level: Confidence level of the intervals.

    Raises:
        InputError: If the log has no clicks, or which list was shown, or has no session with one of
            the lists; or `mixed` contains no mixed lists.
        ParameterError: If `level` does not lie between 0 and 1.

    Examples:
        >>> import polars as pl
        >>> from relyon.online.experiments.interleaving.mixer import mix_runs
        >>> runs = {"old": {"tv": {"a": 2, "b": 1}}, "new": {"tv": {"b": 2, "a": 1}}}
        >>> mixed = mix_runs(runs, "team-draft", depth=2, draws=3)
        >>> log = mixed.lists.select("query", "document", "position", session="mixture")
        >>> log = log.with_columns(bucket="session", clicked=pl.col("document") == "b")
        >>> found = score_clicks(mixed, log)["new"]
        >>> found.wins, found.ties, found.losses, found.value
        (3, 0, 0, 1.0)
    """
    import numpy as np

    check_fraction("level", level)
    lists = read_mixed(mixed)
    log = read_log(sessions, uses=("clicks", "times"))
    shown = _shown(lists, log)
    method = method_of(lists.method)
    clicked = np.zeros(shown.sessions.height, bool)
    clicked[shown.clicks.session] = True
    searches = Searches(shown.sessions, clicked, level, len(lists.runs) - 1)
    found = [
        searches.preference(name, method.outcomes(shown.clicks, 0, number))
        for number, name in enumerate(lists.runs[1:], 1)
    ]
    corrected = adjust([one.p for one in found], "holm")
    warn(shown.notes)
    return Preferences(
        method=lists.method,
        baseline=lists.runs[0],
        preferences=tuple(
            replace(one, p_corrected=p) for one, p in zip(found, corrected, strict=True)
        ),
        sessions=shown.sessions.height,
        clicked=int(clicked.sum()),
        queries=searches.sizes[0].count,
        level=level,
        source=log.source,
        by_query=searches.sizes[0],
        by_user=searches.sizes[1] if searches.has_users else None,
        notes=(*log.notes, *shown.notes),
    )


def _shown(lists: MixedLists, log: Sessions) -> Shown:
    """Finds the list of each session, and its clicks."""
    import narwhals as nw
    import polars as pl

    path = log.path
    if "clicked" not in log.columns:
        raise InputError(
            message("core.log-has-no-clicks"),
            path=path,
            hint=message("core.name-column"),
        )
    frame = log.frame.filter(*(~nw.col(name).is_null() for name in KEYS))
    parts = [nw.col("timestamp").min().alias("time")] if "timestamp" in log.columns else []
    if "user" in log.columns:
        parts.append(nw.col("user").min())
    mixtures = lists.lists.select("mixture", "query").unique()
    if "bucket" in log.columns:
        bucket = nw.col("bucket")
        parts += [bucket.min().alias("mixture"), bucket.max().alias("other")]
        searches = gather(frame.group_by(*KEYS).agg(*parts))
    elif mixtures.height == mixtures.get_column("query").n_unique():
        distinct = frame.group_by(*KEYS).agg(*parts) if parts else frame.select(*KEYS).unique()
        searches = gather(distinct).join(mixtures, on="query", how="left")
        searches = searches.with_columns(other="mixture")
    else:
        raise InputError(
            message("online.log-does-not-say-which-mixed"),
            path=path,
            hint=message("online.log-id-in-mixture"),
        )
    notes: list[Note] = []
    torn = pl.col("mixture") != pl.col("other")
    notes.append(Note("mixed-several", searches.filter(torn).height, "warning"))
    known = searches.filter(~torn).join(
        mixtures.select("mixture", own="query"), on="mixture", how="left"
    )
    left = pl.col("own").is_null() | (pl.col("own") != pl.col("query"))
    unknown = known.filter(left)
    unnamed = searches.filter(pl.col("mixture").is_null())
    others = unknown.select(pl.col("query").sort().head(3)).to_series().to_list()
    notes.append(
        Note(
            "mixed-unknown",
            unknown.height + unnamed.height,
            "warning",
            tuple(dict.fromkeys(others)),
        )
    )
    kept = known.filter(~left)
    if not kept.height:
        raise InputError(
            message("online.no-session-of-log"),
            path=path,
            hint=message("online.bucket-of-session"),
        )
    timed = "time" in kept.columns
    order = ["time", *KEYS] if timed else KEYS
    kept = kept.sort(order, nulls_last=True).with_row_index("number")
    day = day_in(pl.col("time"), log.zone).fill_null("") if timed else pl.lit("")
    credits = [f"{CREDIT}{name}" for name in lists.runs]
    clicked = gather(
        frame.filter(nw.col("clicked"), ~nw.col("doc").is_null())
        .group_by(*KEYS, "doc")
        .agg(nw.col("position").min())
    )
    rows = (
        clicked.join(kept.select("number", "mixture", *KEYS), on=KEYS)
        .join(
            lists.lists.select("mixture", "document", *credits, place="position"),
            left_on=["mixture", "doc"],
            right_on=["mixture", "document"],
            how="left",
        )
        .sort("number", "place")
    )
    outside = rows.filter(pl.col("place").is_null())
    some = tuple(outside.select(pl.col("doc").unique().sort().head(3)).to_series().to_list())
    notes.append(Note("mixed-outside", outside.height, "warning", some))
    rows = rows.drop_nulls("place")
    moved = rows.filter(pl.col("position") != pl.col("place")).height
    notes.append(Note("mixed-moved", moved, "warning", values={"clicks": rows.height}))
    if not timed:
        notes.append(Note("mixed-untimed", kept.height))
    clicks = Clicks(
        kept.height,
        rows.get_column("number").to_numpy().astype("int64"),
        rows.select(credits).to_numpy().astype(float),
    )
    columns = [pl.col("mixture"), pl.col("query"), day.alias("day")]
    if "user" in kept.columns:
        nobody = kept.get_column("user").null_count()
        notes.append(Note("mixed-anonymous", nobody, "warning"))
        # Each is a person of their own: an id that no user has, as users are texts without a zero.
        own = pl.format("\0{}", pl.col("number"))
        columns.append(pl.col("user").cast(pl.String).fill_null(own))
    found = kept.select(*columns)
    return Shown(found, clicks, tuple(note for note in notes if note.count))
