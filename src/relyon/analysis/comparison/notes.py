"""Notes about the queries behind paired numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Literal

from relyon.analysis.comparison.pairing import Pairing
from relyon.core.notes import Note
from relyon.measures.incomplete import Judged
from relyon.measures.parser import measure as parse_measure

if TYPE_CHECKING:
    from relyon.analysis.comparison.contrast import Contrast

#: Queries that a note names.
NAMED = 3

__all__ = ["evidence_notes", "few_notes", "look_notes", "pairing_notes", "record_notes"]


def pairing_notes(pairings: Mapping[tuple[str, str], Pairing]) -> list[Note]:
    """Notes the queries that paired numbers leave out, and how the numbers are computed."""
    notes = []
    apart: dict[tuple[str, int, tuple[str, ...]], list[str]] = {}
    for (candidate, measure), pairing in pairings.items():
        values = {"measure": measure}
        if pairing.infinite:
            notes.append(
                Note("infinite-values", pairing.infinite, "warning", values=values, run=candidate)
            )
        alone = pairing.left_out - pairing.infinite
        if alone:
            apart.setdefault((candidate, alone, pairing.queries), []).append(measure)
    for (candidate, alone, _), measures in apart.items():
        shared = {"measures": measures}
        notes.append(Note("unpaired-queries", alone, values=shared, run=candidate))
    return notes


def evidence_notes(contrasts: Iterable[Contrast]) -> list[Note]:
    """Notes what the numbers of tested contrasts rest on, if it is less than it seems.

    No query that changed (Hanley and Lippman-Hand 1983: at most about 3 in n do), fewer than six,
    changes that are all equal, or one query that decides a pooled number.
    """
    from relyon.analysis.statistics import ENOUGH_QUERIES, least_p

    notes: list[Note] = []
    alike: dict[tuple[str, str, int, int, int | None], list[str]] = {}
    key: tuple[str, str, int, int, int | None]
    for one in contrasts:
        if not one.tested or one.units < ENOUGH_QUERIES:
            continue
        clusters = None if one.clusters is None or one.clusters.alone else one.clusters.count
        if one.no_interval in {"unchanged", "equal-changes"}:
            key = (one.no_interval, one.candidate, one.changed, one.queries, clusters)
            alike.setdefault(key, []).append(one.measure)
        # Where means over repeats do not change at all, the interval rests on how runs differ.
        elif 0 < one.changed_units < ENOUGH_QUERIES:
            decided = "few-changed" if one.verdict == "undecided" else "few-changed-decided"
            key = (decided, one.candidate, one.changed_units, one.queries, clusters)
            alike.setdefault(key, []).append(one.measure)
        if one.no_interval == "one-decides" and one.dominant is None and one.largest is not None:
            query, share = one.largest
            values = {"measure": one.measure, "query": query, "share": share}
            key_of = "" if clusters is None else "largest-query.cluster"
            notes.append(
                Note("largest-query", 1, "warning", values=values, run=one.candidate, key=key_of)
            )
        if one.dominant is not None:
            found = one.dominant
            values = {
                "measure": one.measure,
                "query": found.query,
                "share": found.share,
                "whole": one.difference,
                "difference": found.difference,
                "low": found.interval[0],
                "high": found.interval[1],
            }
            key_of = "" if clusters is None else "dominant-query.cluster"
            notes.append(
                Note("dominant-query", 1, "warning", values=values, run=one.candidate, key=key_of)
            )
    for (kind, candidate, changed, queries, clusters), measures in alike.items():
        values = {"measures": measures, "queries": queries}
        key_of = ""
        if clusters is not None:
            values["clusters"] = clusters
            key_of = f"{kind.removesuffix('-decided')}.clusters"
        if kind == "unchanged":
            key_of = key_of and "unchanged-queries.clusters"
            values["most"] = min(3 / (clusters or queries), 1.0)
            notes.append(Note("unchanged-queries", 0, values=values, run=candidate, key=key_of))
        elif kind == "equal-changes":
            notes.append(Note("equal-changes", changed, values=values, run=candidate, key=key_of))
        else:
            values["least"] = least_p(changed)
            level: Literal["info", "warning"] = "info" if kind == "few-changed" else "warning"
            notes.append(
                Note("few-changed", changed, level, values=values, run=candidate, key=key_of)
            )
    return notes


def record_notes(pairings: Mapping[tuple[str, str], Pairing]) -> list[Note]:
    """Notes the queries without a number of their own, which are in no win, tie or loss."""
    notes = []
    for (candidate, measure), pairing in pairings.items():
        count = len(pairing.queries) - sum(pairing.wins_ties_losses)
        pooled = pairing.pools is not None
        if count and (pooled or pairing.ratio is not None) and math.isfinite(pairing.difference):
            values = {"measure": measure, "queries": len(pairing.queries)}
            key = "no-own-value.classes" if pooled else "no-own-value.pairs"
            notes.append(Note("no-own-value", count, values=values, run=candidate, key=key))
    return notes


def few_notes(tested: Iterable[int]) -> list[Note]:
    """Notes that no difference can be called significant, if there are too few queries.

    Args:
        tested: The number of paired queries of each test.
    """
    from relyon.analysis.statistics import ENOUGH_QUERIES, least_p

    count = max((queries for queries in tested if queries < ENOUGH_QUERIES), default=0)
    if not count:
        return []
    values = {"least": least_p(count)}
    return [Note("few-queries", count, "warning", values=values)]


def look_notes(
    pairings: Mapping[tuple[str, str], Pairing], definitions: Mapping[str, str]
) -> list[Note]:
    """Notes queries that are graded in part: at a later look they have other values.

    Known where a measure such as `judged@10` is compared.

    Args:
        pairings: The paired runs by candidate and measure.
        definitions: The definitions of the measures, by name.
    """
    notes = []
    for (candidate, name), pairing in pairings.items():
        try:
            found = parse_measure(definitions.get(name) or name)
        except (LookupError, ValueError):
            continue
        if not isinstance(found, Judged) or pairing.ratio is not None:
            continue
        pairs = zip(pairing.baseline.tolist(), pairing.candidate.tolist(), strict=True)
        part = [q for q, pair in zip(pairing.queries, pairs, strict=True) if min(pair) < 1]
        if part:
            values = {"queries": len(pairing.queries), "k": found.k or 0}
            key = "looks-incomplete" if found.k else "looks-incomplete.whole"
            examples = tuple(part[:NAMED])
            notes.append(
                Note("looks-incomplete", len(part), "warning", examples, values, candidate, key)
            )
    return notes
