"""Rules that derive advice from the numbers at each cutoff."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from relyon.analysis.depth.advice import Advice
from relyon.analysis.depth.cutoff_table import Depth
from relyon.measures.display_names import prose_label
from relyon.measures.parser import measure as parse_measure

__all__ = ["advise"]

#: The share of sessions with clicks that a cutoff should cover.
COVERED = 0.95
#: If fewer sessions were shown the next rank, the page cuts off last clicks; if fewer lists are
#: this long, whole lists are measured.
HALF = 0.5
#: Below this share of judged results a number depends on how unjudged documents count.
JUDGED = 0.9
#: Recall that grows by at least this much over the deeper half has not reached its end.
GROWTH = 0.01
#: Recall within this share of its last value has.
REACHED = 0.99
#: How many times more queries a cutoff must need at least to be mentioned.
TIMES = 1.5


def advise(found: Depth) -> tuple[Advice, ...]:
    """Returns what follows, the most important first."""
    return tuple(advice for rule in RULES for advice in rule(found))


def _clicks(found: Depth) -> Iterator[Advice]:
    clicks = found.clicks
    if clicks is None:
        return
    rank = clicks.rank(COVERED)
    if not rank:
        yield Advice("no-clicks", {"sessions": clicks.sessions})
        return
    values = {"share": clicks.share(rank), "rank": rank, "sessions": clicks.clicked}
    k = next((k for k in found.cutoffs if k >= rank), 0)
    if k:
        name = str(parse_measure(f"{found.measures[0]}@{k}"))
        yield Advice("clicks-covered", {**values, "measure": name, "k": k})
    else:
        last = found.cutoffs[-1]
        yield Advice("clicks-beyond", {**values, "k": last, "covered": clicks.share(last)})
    # Results that were not shown have no clicks: clicks end at the latest with the list.
    if clicks.shown and clicks.shown_share(rank + 1) < HALF:
        deepest = max(k for k in clicks.shown if clicks.shown_share(k) >= HALF)
        yield Advice("clicks-cut", {"deepest": deepest})


def _judged(found: Depth) -> Iterator[Advice]:
    if all(parse_measure(f"{one}@{found.cutoffs[-1]}").needs_passages for one in found.measures):
        return  # they count characters and passages, not judged chunks
    low = [
        min((row for row in found.at(k) if row.judged < JUDGED), key=lambda row: row.judged)
        for k in found.cutoffs
        if any(row.judged < JUDGED for row in found.at(k))
    ]
    if low:
        row = low[0]
        values = {"k": row.k, "run": row.run, "judged": row.judged, "least": JUDGED}
        yield Advice("judged-low", values)


def _recall(found: Depth) -> Iterator[Advice]:
    reach = next((k for k in found.cutoffs if k >= found.deepest), found.cutoffs[-1])
    cutoffs = [k for k in found.cutoffs if k <= reach]
    last = cutoffs[-1]
    # Between neighbours like 99 and 100 nothing grows: growth is that since half the depth.
    before = max((k for k in cutoffs if 2 * k <= last), default=cutoffs[0])
    for name in found.measures:
        if parse_measure(f"{name}@{last}").name != "recall":
            continue
        lists = [found.series(name, run) for run in found.runs]
        full = next((k for k in cutoffs if all(one[k].value >= 1 for one in lists)), 0)
        if full:
            yield Advice("recall-full", {"measure": lists[0][full].measure, "k": full})
            continue
        lists = [one for one in lists if one[before].value <= one[last].value > 0]
        if not lists or before == last:
            continue
        grown = max(lists, key=lambda one: one[last].value - one[before].value)
        top = grown[last]
        if top.value - grown[before].value >= GROWTH:
            shown = {"measure": top.measure, "run": top.run, "before": before, "k": last}
            shown |= {"then": grown[before].value, "now": top.value}
            yield Advice("recall-grows" if last < found.deepest else "recall-cut", shown)
        else:
            k = next(
                k
                for k in cutoffs
                if all(one[k].value >= REACHED * one[last].value for one in lists)
            )
            values = {"measure": top.measure, "k": k, "last": last, "reached": REACHED}
            yield Advice("recall-flat", values)


def _queries(found: Depth) -> Iterator[Advice]:
    for name in found.measures:
        known = [one for one in found.needs if one.measure == name]
        best = max(known, key=lambda one: one.low, default=None)
        if best is not None and best.low >= TIMES:
            label = _family(found.series(name, best.run)[best.k].measure)
            values = {"name": label, "run": best.run, "k": best.k, "other": best.other}
            values |= {"times": best.times, "low": best.low, "level": 1 - found.alpha}
            yield Advice("queries-needed", values)


def _family(name: str) -> str:
    """Returns the prose name of a measure without its cutoff."""
    return prose_label(name).rpartition("@")[0]


def _tests(found: Depth) -> Iterator[Advice]:
    for name in found.measures:
        for run in found.runs[1:]:
            rows = found.series(name, run)
            by: dict[str, list[int]] = {}
            for k, row in rows.items():
                by.setdefault(row.verdict, []).append(k)
            better, worse, open_ = (by.get(one, []) for one in ("better", "worse", "undecided"))
            values: dict[str, object] = {
                "name": _family(rows[found.cutoffs[0]].measure),
                "run": run,
                "baseline": found.runs[0],
                "tests": found.tests,
                "alpha": found.alpha,
            }
            if better and worse:
                yield Advice("order-changes", {**values, "better": better, "worse": worse})
            elif (better or worse) and open_:
                kind = "better-at" if better else "worse-at"
                yield Advice(kind, {**values, "yes": better or worse, "no": open_})


def _power(found: Depth) -> Iterator[Advice]:
    compared = [row for row in found.rows if row.run != found.runs[0]]
    queries = max((row.paired for row in compared), default=0)
    if queries and all(math.isnan(row.detectable) for row in compared):
        yield Advice("power-unknown", {"queries": queries})


def _lists(found: Depth) -> Iterator[Advice]:
    beyond = next((k for k in found.cutoffs if k > found.deepest), math.inf)
    for k in found.cutoffs:
        row = min(found.at(k), key=lambda one: one.reach)
        if k < beyond and row.reach < HALF:
            yield Advice("lists-short", {"k": k, "run": row.run, "reach": row.reach})
            break
    if beyond < math.inf:
        yield Advice("lists-end", {"deepest": found.deepest, "k": beyond})


RULES: tuple[Callable[[Depth], Iterator[Advice]], ...] = (
    _clicks,
    _judged,
    _recall,
    _queries,
    _tests,
    _power,
    _lists,
)
