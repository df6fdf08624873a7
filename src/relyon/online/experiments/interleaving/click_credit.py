"""Clicks on mixed lists read back: which run they prefer."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from relyon.analysis.statistics import (
    RatioEstimate,
    adjust,
    always_valid,
    paired_test,
    queries_needed,
    ratio_of_sums,
    smallest_detectable,
)
from relyon.core.errors import InputError
from relyon.core.notes import Note, warn
from relyon.core.parameters import check_fraction
from relyon.core.texts import message
from relyon.data.lazy import gather
from relyon.data.sessions import Sessions
from relyon.io.session_readers import read_sessions
from relyon.online.experiments.interleaving.method import Clicks
from relyon.online.experiments.interleaving.mixed_lists import (
    CREDIT,
    MixedLists,
    method_of,
    read_mixed,
)
from relyon.online.experiments.interleaving.preference import Look, Preference, Preferences

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

__all__ = ["score_clicks"]

KEYS = ["session", "query"]


@dataclass(frozen=True)
class Shown:
    """Sessions that were shown a mixed list, in the order in which they began.

    Attributes:
        sessions: One row per session: `mixture`, `query`, and `day`, empty without times.
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

    Intervals and p-values are over queries, so that the many sessions of a query count as one
    observation; they are valid for one look, planned before. The always-valid test looks after
    every session: stop when it is sure. It uses the first session of each mixed list: later ones on
    the same list know its luck already. Give each session a list of its own, and it uses them all.

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
    check_fraction("level", level)
    lists = read_mixed(mixed)
    log = read_sessions(sessions)
    shown = _shown(lists, log)
    method = method_of(lists.method)
    found = [
        _preference(
            name, method.outcomes(shown.clicks, 0, number), shown, level, len(lists.runs) - 1
        )
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
        clicked=len(set(shown.clicks.session.tolist())),
        queries=shown.sessions.get_column("query").n_unique(),
        level=level,
        source=log.source,
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
    order = ["time", *KEYS] if parts and "time" in kept.columns else KEYS
    timed = "time" in kept.columns
    kept = kept.sort(order, nulls_last=True).with_row_index("number")
    day = pl.col("time").dt.strftime("%Y-%m-%d").fill_null("") if timed else pl.lit("")
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
    found = kept.select("mixture", "query", day.alias("day"))
    return Shown(found, clicks, tuple(note for note in notes if note.count))


def _preference(
    name: str, outcomes: NDArray[np.float64], shown: Shown, level: float, comparisons: int
) -> Preference:
    import numpy as np

    clicked = np.zeros(len(outcomes), bool)
    clicked[shown.clicks.session] = True
    query = shown.sessions.get_column("query").rank("dense").to_numpy() - 1
    sums = np.bincount(query, outcomes).astype(float)
    ratio = ratio_of_sums(sums, np.bincount(query).astype(float))
    deviation = ratio.error * math.sqrt(len(outcomes))
    return Preference(
        candidate=name,
        wins=int((outcomes > 0).sum()),
        ties=int(((outcomes == 0) & clicked).sum()),
        losses=int((outcomes < 0).sum()),
        value=ratio.value,
        interval=_bounded(ratio, level),
        p=ratio.p,
        p_corrected=ratio.p,
        sign_p=paired_test("sign", sums).p,
        looks=_looks(outcomes, shown.sessions, level, comparisons),
        smallest=smallest_detectable(len(outcomes), deviation, 1 - level),
        needed=queries_needed(ratio.value, deviation, 1 - level),
    )


def _bounded(ratio: RatioEstimate, level: float) -> tuple[float, float]:
    """Returns the interval within what a preference can be."""
    low, high = ratio.interval(level)
    return (low, high) if math.isnan(low) else (max(low, -1.0), min(high, 1.0))


def _looks(
    outcomes: NDArray[np.float64], sessions: pl.DataFrame, level: float, comparisons: int
) -> tuple[Look, ...]:
    """Runs the always-valid test on the first session of each mixed list, day by day.

    Where several runs are compared with the baseline, intervals and p-values are valid for all of
    them together (Bonferroni).
    """
    import polars as pl

    fresh = sessions.with_columns(outcome=outcomes).filter(pl.col("mixture").is_first_distinct())
    days = fresh.group_by("day", maintain_order=True).len().with_columns(pl.col("len").cum_sum())
    found = always_valid(
        fresh.get_column("outcome").to_numpy(),
        days.get_column("len").to_numpy().astype("int64"),
        confidence=1 - (1 - level) / comparisons,
    )
    return tuple(
        Look(day, int(count), float(mean), (float(low), float(high)), min(1.0, p * comparisons))
        for day, count, mean, low, high, p in zip(
            days.get_column("day"), found.counts, found.means, found.low, found.high, found.p,
            strict=True,
        )
    )  # fmt: skip
