"""Logs whose columns mean something else: the checks that every command makes before it counts."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Literal

from relyon.core.errors import InputError, ParseError
from relyon.core.notes import Note
from relyon.core.texts import message
from relyon.data.day_first import day_first_values
from relyon.data.lazy import gather
from relyon.data.log_facts import (
    CLICKED_ALWAYS,
    LEAST_ROWS,
    Facts,
    facts_of,
)
from relyon.io.session_readers import read_sessions

if TYPE_CHECKING:
    from relyon.data.lazy import LazyRows
    from relyon.data.sessions import Kind, Sessions

__all__ = ["LEAST_LISTS", "SWAPPED", "TIMES", "Use", "always_clicked", "read_log"]

#: What is computed from a log: rates of clicks, or lengths of time.
Use = Literal["clicks", "times"]

CLICKS: tuple[Use, ...] = ("clicks",)
TIMES: tuple[Use, ...] = ("times",)

#: Rows at the start of a log that show whether query and document are swapped.
HEAD = 20_000
#: With fewer lists of several results it cannot be seen.
LEAST_LISTS = 20
#: From this share of lists with several queries and a single document on, they are swapped.
SWAPPED = 0.5
#: In counts, up to this share of documents may have a single query.
NOT_ALONE = 0.1


def read_log(
    source: object, *, kind: Kind = "sessions", uses: Collection[Use] = CLICKS
) -> Sessions:
    """Reads a search log and refuses one whose columns mean something else.

    A column of clicks contains 0 or 1, not a rate and not a count. A log has results that were not
    clicked. The query is the same for all results of a list, and the documents differ. Times are
    written year first, since the order of day and month cannot be known. Where these matter less,
    a note says what is wrong.

    Args:
        source: What `relyon.read_sessions` takes.
        kind: See `relyon.read_sessions`.
        uses: What is computed: logs of clicks only are refused for `clicks`, and times of an
            unknown order of day and month for `times`; both are noted otherwise.

    Raises:
        InputError: If it means something else, or `read_sessions` refuses it.
        ParseError: At the first line whose value means something else.

    Examples:
        >>> import polars as pl
        >>> log = {"session": ["s"], "query": ["tv"], "rank": [1], "sku": ["a"], "clicks": [1]}
        >>> read_log(pl.DataFrame(log)).columns
        ('session', 'query', 'position', 'doc', 'clicked')
    """
    log = read_sessions(source, kind=kind)
    if log.counted and kind != "clicks":
        raise InputError(
            message("data.log-contains-counts"),
            path=log.path,
            hint=message("data.read-counts-with"),
        )
    if log.counted:
        _check_counts(log)
        return log
    if log.checked >= {*uses, "values"}:
        return log
    facts = log.facts or facts_of(log.raw)
    _check_flags(log, facts)
    if kind != "decisions":
        _check_lists(log)
    notes = [
        *_clicks(log, facts, "clicks" in uses and kind != "decisions"),
        *_times(log, facts, "times" in uses),
    ]
    new = [note for note in notes if note.kind not in {one.kind for one in log.notes}]
    found = log.derived(log.frame, log.raw, source=log.source, notes=(*log.notes, *new))
    found.facts = facts
    found.checked = frozenset((*uses, *log.checked, "values"))
    return found


def _clicks(log: Sessions, facts: Facts, refuse: bool) -> list[Note]:
    if not always_clicked(facts):
        return []
    if refuse:
        raise InputError(
            message("io.log-contains-only-clicks", clicked=facts.clicked, rows=facts.rows),
            path=log.path,
            hint=message("io.log-shown-results-too"),
        )
    return [Note("only-clicks", facts.clicked, "warning", values={"rows": facts.rows})]


def _times(log: Sessions, facts: Facts, refuse: bool) -> list[Note]:
    if not facts.day_first:
        return []
    values = day_first_values(log.raw)
    count = values["count"]
    if not isinstance(count, int) or not count:  # those of the file are not in this part of it
        return []
    if refuse:
        raise InputError(
            message("data.times-have-no-known-order", **values),
            path=log.path,
            hint=message("data.write-year-first"),
        )
    return [Note("day-first-times", count, "warning", values=values)]


def always_clicked(facts: Facts) -> bool:
    """Returns whether a log contains only results that were clicked."""
    return facts.rows >= LEAST_ROWS and facts.clicked >= CLICKED_ALWAYS * facts.rows


def _check_flags(log: Sessions, facts: Facts) -> None:
    """Refuses values of a column of yes and no that are neither."""
    for name, count in facts.odd.items():
        line = facts.line.get(name, 0)
        text = message("io.flag-is-neither", name=name, value=facts.first[name], count=count)
        hint = message("io.flag-counts-or-rates", name=name)
        if line and "…" not in log.source:
            raise ParseError(text, path=log.path, line=line, hint=hint)
        raise InputError(text, path=log.path, hint=hint)


def _check_lists(log: Sessions) -> None:
    """Refuses a log whose lists have several queries and a single document."""
    import narwhals as nw

    if not {"session", "query", "doc"} <= set(log.columns):
        return
    names = [nw.col(name).cast(nw.String) for name in ("session", "query", "doc")]
    found = gather(swapped_lists(log.raw.select(*names).head(HEAD))).row(0, named=True)
    lists, swapped = int(found["lists"] or 0), int(found["swapped"] or 0)
    if lists >= LEAST_LISTS and swapped > SWAPPED * lists:
        raise InputError(
            message("io.query-and-document-are-swapped", swapped=swapped, lists=lists),
            path=log.path,
            hint=message("io.swap-query-and-document"),
        )


def _check_counts(log: Sessions) -> None:
    """Refuses a table of counts in which query and document are swapped.

    A query of which a position after the first was shown has several documents. If most have one,
    and nearly every document has several queries, the columns are the other way round.
    """
    queries, single = _single(log.frame, "query", "doc")
    documents, alone = _single(log.frame, "doc", "query")
    if queries < LEAST_LISTS or single <= SWAPPED * queries or alone > NOT_ALONE * documents:
        return
    raise InputError(
        message("io.query-and-document-swapped-in-counts", swapped=single, queries=queries),
        path=log.path,
        hint=message("io.swap-query-and-document-of-counts"),
    )


def _single(rows: LazyRows, owner: str, other: str) -> tuple[int, int]:
    """Returns how many owners were shown after the first position, and how many with one other."""
    import narwhals as nw

    owners = (
        rows.select(owner, other, "position")
        .group_by(owner)
        .agg(
            nw.col(other).min().alias("first"),
            nw.col(other).max().alias("last"),
            nw.col("position").max().alias("depth"),
        )
        .filter(nw.col("depth") > 1)
    )
    single = nw.when(nw.col("first") == nw.col("last")).then(1).otherwise(0).sum().alias("single")
    found = gather(owners.select(nw.len().alias("count"), single)).row(0, named=True)
    return int(found["count"] or 0), int(found["single"] or 0)


def swapped_lists(rows: LazyRows) -> LazyRows:
    """Returns one row: lists of several results, and how many have several queries, one document.

    Args:
        rows: `session`, `query` and `doc`.
    """
    import narwhals as nw

    lists = (
        rows.filter(~nw.col("session").is_null())
        .group_by("session")
        .agg(
            nw.len().alias("rows"),
            nw.col("query").min().alias("query"),
            nw.col("query").max().alias("other"),
            nw.col("doc").min().alias("doc"),
            nw.col("doc").max().alias("last"),
        )
        .filter(nw.col("rows") > 1)
    )
    swapped = (nw.col("query") != nw.col("other")) & (nw.col("doc") == nw.col("last"))
    return lists.select(
        nw.len().alias("lists"), nw.when(swapped).then(1).otherwise(0).sum().alias("swapped")
    )
