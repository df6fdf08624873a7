"""What follows from the numbers at each cutoff."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

from relkit.analysis.depth.advice import Advice
from relkit.analysis.depth.result import Depth, DepthRow
from relkit.measures.labels import prose_label
from relkit.measures.names import measure as parse_measure

__all__ = ["advise"]

#: The share of sessions with clicks that a cutoff should cover.
COVERED = 0.95
#: Where fewer sessions were shown the next rank, last clicks are cut off by the page.
HALF = 0.5
#: Below this share of judged results a number depends on how unjudged documents count.
JUDGED = 0.9
#: Recall that grows by at least this much at the last step has not reached its end.
GROWTH = 0.01
#: Recall within this share of its last value has.
REACHED = 0.99
#: How many times more queries a cutoff must need to be mentioned.
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
    # Nobody can click what was not shown: lists that end where the clicks end hide the rest.
    if clicks.shown and clicks.shown_share(rank + 1) < HALF:
        deepest = max(k for k in clicks.shown if clicks.shown_share(k) >= HALF)
        yield Advice("clicks-cut", {"deepest": deepest})


def _judged(found: Depth) -> Iterator[Advice]:
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
    if len(cutoffs) < 2:
        return
    before, last = cutoffs[-2:]
    for name in found.measures:
        if parse_measure(f"{name}@{last}").name != "recall":
            continue
        lists = [found.series(name, run) for run in found.runs]
        pairs = [(values[last].value - values[before].value, values) for values in lists]
        pairs = [one for one in pairs if not math.isnan(one[0]) and one[1][last].value > 0]
        if not pairs:
            continue
        growth, values = max(pairs, key=lambda one: one[0])
        top = values[last]
        shown = {"measure": top.measure, "run": top.run, "before": before, "k": last}
        shown |= {"then": values[before].value, "now": top.value}
        if growth >= GROWTH:
            yield Advice("recall-grows", shown)
        else:
            k = next(
                k
                for k in cutoffs
                if all(one[k].value >= REACHED * one[last].value for _, one in pairs)
            )
            yield Advice("recall-flat", {"measure": top.measure, "k": k, "reached": REACHED})


def _queries(found: Depth) -> Iterator[Advice]:
    for name in found.measures:
        best: tuple[float, DepthRow, DepthRow] | None = None
        for run in found.runs[1:]:
            known = [row for row in found.series(name, run).values() if row.deviation_share > 0]
            if not known:
                continue
            sharp, blunt = (pick(known, key=_spread) for pick in (min, max))
            times = (blunt.deviation_share / sharp.deviation_share) ** 2
            if times >= TIMES and (best is None or times > best[0]):
                best = times, sharp, blunt
        if best is not None:
            times, sharp, blunt = best
            label = _family(blunt.measure)
            values = {"name": label, "run": blunt.run, "k": blunt.k, "other": sharp.k}
            yield Advice("queries-needed", {**values, "times": times})


def _spread(row: DepthRow) -> float:
    return row.deviation_share


def _family(name: str) -> str:
    """Returns the prose name of a measure without its cutoff."""
    return prose_label(name).rpartition("@")[0]


def _tests(found: Depth) -> Iterator[Advice]:
    for name in found.measures:
        for run in found.runs[1:]:
            rows = found.series(name, run)
            values: dict[str, Any] = {"baseline": found.runs[0], "run": run}
            above = [k for k, row in rows.items() if row.difference > 0]
            below = [k for k, row in rows.items() if row.difference < 0]
            label = _family(rows[found.cutoffs[0]].measure)
            if above and below:
                changes = {"name": label, "better": above, "worse": below}
                yield Advice("order-changes", values | changes)
            yes = [k for k, row in rows.items() if row.p <= found.alpha]
            no = [k for k, row in rows.items() if row.p > found.alpha]
            if yes and no:
                more: dict[str, Any] = {"name": label, "yes": yes, "no": no, "alpha": found.alpha}
                yield Advice("significance-changes", values | more)


def _power(found: Depth) -> Iterator[Advice]:
    compared = [row for row in found.rows if row.run != found.runs[0]]
    if compared and all(math.isnan(row.detectable) for row in compared):
        yield Advice("power-unknown", {"queries": max(row.paired for row in compared)})


def _lists(found: Depth) -> Iterator[Advice]:
    beyond = next((k for k in found.cutoffs if k > found.deepest), 0)
    if beyond:
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
