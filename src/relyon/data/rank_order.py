"""Runs whose scores contradict their ranks: the score is a rank, or belongs to another run."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby, pairwise

from relyon.core.notes import Note

__all__ = ["ROWS", "contradictions", "order_notes", "rank_notes"]

#: Rows of a table that show whether its ranks and scores agree.
ROWS = 2000
#: So many rows decide whether more are looked at.
FIRST = 300
#: A list contradicts itself if more than this share of its steps down the ranks raise the score:
#: half of them do if the two are unrelated, and all do if the score is the rank.
RISING = 0.25
#: A shorter list says too little.
STEPS = 3
#: From this share of the lists on, there is a note.
SHARE = 0.5


def rank_notes(
    head: bytes, columns: Mapping[str, int], separator: str | None = None, skip: int = 0
) -> tuple[Note, ...]:
    """Returns the note about a run that is ordered by its scores against its ranks.

    Only the start of the file is looked at: such a run is so from its first query on.

    Args:
        head: The start of the file.
        columns: The places of `query`, `rank` and `score` in a line.
        separator: Between columns; None for white space.
        skip: Lines before the rows.

    Examples:
        >>> head = b"".join(b"q 0 d%d %d %d tag\\n" % (n, n, n) for n in range(1, 9))
        >>> print(rank_notes(head, {"query": 0, "rank": 3, "score": 4})[0])
        the order by score contradicts the column of ranks in 1 of the first 1 query: results are ordered by descending score, so a score that is a rank puts the last result first
    """  # noqa: E501
    if not {"query", "rank", "score"} <= columns.keys():
        return ()
    start = head.split(b"\n", FIRST + skip)[skip : FIRST + skip]
    if not order_notes(_rows(start[:-1] or start, columns, separator)):
        return ()
    # The last line may be cut off.
    return order_notes(_rows(head.split(b"\n")[skip:-1], columns, separator))


def order_notes(rows: Iterable[tuple[object, float, float]]) -> tuple[Note, ...]:
    """Returns the note about rows of a run, as `rank_notes` does.

    Args:
        rows: The query, rank and score of each result, grouped by query.
    """
    lists, bad = contradictions(rows)
    if not lists or bad < SHARE * lists:
        return ()
    return (Note("rank-contradicts-score", bad, "warning", values={"lists": lists}),)


def contradictions(rows: Iterable[tuple[object, float, float]]) -> tuple[int, int]:
    """Returns how many lists have enough results, and how many contradict themselves.

    Args:
        rows: The query, rank and score of each result, grouped by query.

    Examples:
        >>> contradictions([("q", rank, -rank) for rank in range(9)])
        (1, 0)
    """
    lists = bad = 0
    for _, group in groupby(rows, key=lambda row: row[0]):
        ordered = sorted((rank, score) for _, rank, score in group)
        steps = [
            (after[1] > before[1])
            for before, after in pairwise(ordered)
            if after[0] > before[0] and after[1] != before[1]
        ]
        if len(steps) >= STEPS:
            lists += 1
            bad += sum(steps) > RISING * len(steps)
    return lists, bad


def _rows(
    lines: Iterable[bytes], columns: Mapping[str, int], separator: str | None
) -> Iterator[tuple[bytes, float, float]]:
    """Yields the rows that can be read."""
    query, rank, score = (columns[role] for role in ("query", "rank", "score"))
    most = max(query, rank, score)
    sign = None if separator is None else separator.encode()
    for line in lines:
        fields = line.split(sign)
        if len(fields) <= most:
            continue
        try:
            found = float(fields[rank]), float(fields[score])
        except ValueError:
            continue
        if math.isfinite(found[0]) and math.isfinite(found[1]):
            yield fields[query], *found
