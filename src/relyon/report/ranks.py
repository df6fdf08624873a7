"""The ranks in which the difference arises: DCG by band."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import compress, groupby, pairwise
from typing import TYPE_CHECKING

from relyon.report.catalogue import Catalogue
from relyon.report.number_formats import MARKS, number, signed
from relyon.report.page import Block, Cell, Chart, Prose, Section, Table, Tone

if TYPE_CHECKING:
    from relyon.analysis.comparison import Comparison
    from relyon.evaluation.results import Results

__all__ = ["Band", "band_measures", "rank_bands", "rank_chart", "rank_section"]

ENDS = (1, 3, 5, 10, 20, 50, 100, 200, 500, 1000)
HEAD, FOLD = 3, 10


@dataclass(frozen=True)
class Band:
    """The contribution of one band of ranks to the mean DCG.

    Attributes:
        first: Its first rank.
        last: Its last rank, `None` for the end of the list.
        baseline: DCG of the baseline in it, mean over queries.
        candidate: DCG of the candidate in it.
    """

    first: int
    last: int | None
    baseline: float
    candidate: float

    @property
    def difference(self) -> float:
        """Candidate minus baseline."""
        return self.candidate - self.baseline

    @property
    def label(self) -> str:
        """The ranks, such as `4–5`."""
        if self.last is None:
            return f"{self.first}–"
        return f"{self.first}" if self.first == self.last else f"{self.first}–{self.last}"


def band_measures(ends: Sequence[int] = ENDS) -> list[str]:
    """Returns the measures that `rank_bands` needs of each run."""
    return [*(f"dcg@{end}" for end in ends), "dcg"]


def rank_bands(
    comparison: Comparison, candidate: str, ends: Sequence[int] = ENDS
) -> tuple[Band, ...]:
    """Returns DCG by band of ranks; the bands add up to the DCG of the whole lists.

    A band's DCG is the DCG at its end minus the DCG at the end of the previous band.

    Args:
        comparison: A comparison of judgments and runs.
        candidate: Its candidate.
        ends: Last ranks of the bands.

    Examples:
        >>> import relyon
        >>> judgments = {"q": {"a": 3, "b": 2}, "r": {"a": 1}}
        >>> old = {"q": {"b": 2.0, "a": 1.0}, "r": {"a": 1.0}}
        >>> new = {"q": {"a": 2.0, "b": 1.0}, "r": {"a": 1.0}}
        >>> comparison = relyon.compare(judgments, old, new, "ndcg", names=["old", "new"])
        >>> [(one.label, round(one.difference, 4)) for one in rank_bands(comparison, "new")]
        [('1', 0.5), ('2–3', -0.3155)]
    """
    names = band_measures(ends)
    runs = comparison.baseline, candidate
    means = _means([comparison.measured(run, names) for run in runs], names)
    bands = []
    starts = [0, *ends]
    for place, (before, upto) in enumerate(pairwise(["", *names])):
        ours, theirs = (column[upto] - column.get(before, 0.0) for column in means)
        last = ends[place] if place < len(ends) else None
        bands.append(Band(starts[place] + 1, last, ours, theirs))
    while len(bands) > 1 and bands[-1].baseline == bands[-1].candidate == 0:
        bands.pop()
    return tuple(bands)


def _means(results: Sequence[Results], names: Sequence[str]) -> list[dict[str, float]]:
    """Returns each run's means over the queries for which all have a value."""
    held = set.intersection(
        *(set(compress(one.queries, map(math.isfinite, one.column("dcg")))) for one in results)
    )
    count = max(len(held), 1)
    means = []
    for one in results:
        chosen = [query in held for query in one.queries]
        columns = {name: compress(one.column(name), chosen) for name in names}
        means.append({name: math.fsum(values) / count for name, values in columns.items()})
    return means


def rank_section(comparison: Comparison, texts: Catalogue) -> Section:
    """Returns one chart per candidate: the DCG difference by band of ranks."""
    blocks: list[Block] = []
    for candidate in comparison.candidates:
        bands = rank_bands(comparison, candidate)
        sentence = _sentence(bands, candidate, texts)
        blocks += [Prose((sentence,))] if sentence else []
        blocks.append(_chart(bands, comparison, candidate, texts))
    return Section("ranks", texts.say("section.ranks"), tuple(blocks))


def rank_chart(comparison: Comparison, candidate: str, texts: Catalogue) -> Chart:
    """Returns the DCG difference of one candidate by band of ranks."""
    return _chart(rank_bands(comparison, candidate), comparison, candidate, texts)


def _sentence(bands: Sequence[Band], candidate: str, texts: Catalogue) -> str:
    total = math.fsum(one.difference for one in bands)
    ups = [one for one in bands if one.difference > 0]
    downs = [one for one in bands if one.difference < 0]
    if ups and downs:
        values = {
            "candidate": candidate,
            "gained": texts.join(_merged(bands, ups)),
            "lost": texts.join(_merged(bands, downs)),
        }
        return texts.say("bands.mixed", **values)
    if not total:
        return ""
    head = math.fsum(one.difference for one in bands if one.last is not None and one.last <= HEAD)
    tail = math.fsum(one.difference for one in bands if one.first > FOLD)
    if tail / total > 0.5:
        return texts.say("bands.tail", share=texts.percent(tail / total), rank=FOLD)
    return texts.say("bands.head", share=texts.percent(head / total), rank=HEAD)


def _merged(bands: Sequence[Band], chosen: Sequence[Band]) -> list[str]:
    """Returns the ranks of bands, with neighbours merged."""
    labels = []
    for held, group in groupby(bands, key=lambda one: one in chosen):
        if held:
            members = list(group)
            labels.append(replace(members[0], last=members[-1].last).label)
    return labels


def _chart(
    bands: Sequence[Band], comparison: Comparison, candidate: str, texts: Catalogue
) -> Chart:
    total = math.fsum(one.difference for one in bands)
    whole = math.fsum(one.baseline for one in bands)
    rows, cells = [], []
    for one in bands:
        # Relative to the baseline's total: such shares have the sign of their bar, and add up.
        share = texts.signed_percent(one.difference / whole, 1) if whole > 0 else "–"
        side = "gain" if one.difference >= 0 else "loss"
        rows.append(
            {
                "band": one.label,
                "difference": one.difference,
                "side": side,
                "share": share if whole > 0 else signed(one.difference),
                "text": f"{one.label}{texts.say('list.colon')}{signed(one.difference)}",
            }
        )
        tone: Tone = "better" if one.difference > 0 else "worse" if one.difference < 0 else ""
        cells.append(
            (
                one.label,
                number(one.baseline),
                number(one.candidate),
                Cell(signed(one.difference), tone, MARKS[tone] if tone else ""),
                share,
            )
        )
    table = Table(
        (
            texts.say("bands.band"),
            comparison.baseline,
            candidate,
            texts.say("table.difference"),
            texts.say("bands.share", baseline=comparison.baseline),
        ),
        tuple(cells),
    )
    values = {"candidate": candidate, "baseline": comparison.baseline}
    caption = texts.say("bands.caption", difference=signed(total))
    if whole > 0:
        caption += texts.say("list.sentence") + texts.say(
            "bands.percent",
            baseline=comparison.baseline,
            whole=number(whole),
            change=texts.signed_percent(total / whole, 1),
        )
    return Chart(
        drawing="bands",
        title=texts.say("bands.title", **values),
        caption=caption,
        rows=tuple(rows),
        table=table,
        labels={"x": texts.say("bands.band"), "y": texts.say("bands.axis")},
    )
