"""ROC and precision-recall curves of all runs over the judged documents."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from relyon import _native
from relyon.core.errors import InputError
from relyon.data.convention import Convention
from relyon.evaluation.curves import Curve, both_curves
from relyon.measures.parser import measure as parse_measure
from relyon.report.catalogue import Catalogue
from relyon.report.number_formats import number
from relyon.report.page import Chart, Columns, Key, Prose, Section, Table

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from relyon.analysis.comparison import Comparison

__all__ = ["Curves", "curve_charts", "curve_section", "judged_scores", "thin"]

MOST_POINTS = 150
STOPS = (0.01, 0.05, 0.1, 0.2, 0.5)
#: Roles of colours, in the order of the runs; each has its own dash pattern too.
SERIES = ("ink", "blue", "orange", "green", "purple", "sky")
DASHES = ("5 3", "", "2 2", "9 3", "9 3 2 3", "1 3")


@dataclass(frozen=True)
class Judged:
    """The judged documents of all queries, with one run's scores.

    Attributes:
        labels: 1 for relevant ones, 0 for others.
        scores: The run's scores; documents it did not return are below all that it returned.
    """

    labels: NDArray[np.float64]
    scores: NDArray[np.float64]


def judged_scores(comparison: Comparison, name: str, rel: float) -> Judged:
    """Returns the label and score of every judged document.

    Args:
        comparison: A comparison of judgments and runs.
        name: One of its runs.
        rel: Lowest relevant grade.

    Examples:
        >>> import relyon
        >>> old, new = {"q": {"b": 2.0, "a": 1.0}}, {"q": {"a": 2.0}}
        >>> judged = {"q": {"a": 1, "b": 0}}
        >>> comparison = relyon.compare(judged, old, new, "rr", names=["old", "new"])
        >>> judged_scores(comparison, "new", 1.0)
        Judged(labels=array([1., 0.]), scores=array([2., 1.]))
    """
    import numpy as np

    if comparison.judgments is None:
        return Judged(np.empty(0), np.empty(0))
    grades, scores = _native.judged_scores(comparison.judgments.table, comparison.run(name).table)
    if comparison.convention is not None and comparison.convention.negative == "unjudged":
        held = grades >= 0
        grades, scores = grades[held], scores[held]
    absent = np.isnan(scores)
    scores[absent] = (scores[~absent].min() if not absent.all() else 0.0) - 1.0
    return Judged((grades >= rel).astype(float), scores)


def thin(curve: Curve, most: int = MOST_POINTS) -> list[tuple[float, float]]:
    """Returns the points of a curve, thinned evenly if there are many."""
    import numpy as np

    x, y = curve.x, curve.y
    places = list(range(len(x)))
    if len(x) > most:
        way = np.append(0.0, np.cumsum(np.hypot(np.diff(x), np.diff(y))))
        places, step = [0], way[-1] / (most - 1)
        while (at := max(places[-1] + 1, int(np.searchsorted(way, len(places) * step)))) < len(
            x
        ) - 1:
            places.append(at)
        places.append(len(x) - 1)
    return list(zip(x[places].tolist(), y[places].tolist(), strict=True))


def series(place: int) -> tuple[str, str]:
    """Returns the colour and the dashes of a run by its index."""
    return SERIES[place % len(SERIES)], DASHES[place % len(DASHES)]


class Curves(NamedTuple):
    """Both curves of all runs.

    Attributes:
        roc: True positives by false positives.
        precision_recall: Precision by recall.
        areas: The area below each run's ROC curve.
    """

    roc: Chart
    precision_recall: Chart
    areas: dict[str, float]


def curve_charts(comparison: Comparison, texts: Catalogue) -> Curves:
    """Returns both curves of all judged documents.

    Args:
        comparison: A comparison of judgments and runs.
        texts: The language.

    Raises:
        InputError: If all judged documents are relevant, or none is.
    """
    highest = comparison.judgments.table.highest if comparison.judgments is not None else math.nan
    convention = comparison.convention or Convention()
    rel: float = getattr(
        parse_measure("recall@all").resolve(convention, comparison.scale, highest), "rel", 1.0
    )
    roc: dict[str, Drawn] = {}
    precision: dict[str, Drawn] = {}
    relevant = count = 0
    for name in comparison.runs:
        roc[name], precision[name], relevant, count = _drawn(comparison, name, rel)
    counts = {"relevant": f"{relevant:,}", "judged": f"{count:,}", "rel": f"{rel:g}"}
    share = relevant / count
    return Curves(
        _chart(ROC, roc, [(0, 0), (1, 1)], counts, texts),
        _chart(PRECISION_RECALL, precision, [(0, share), (1, share)], counts, texts),
        {name: curve.area for name, curve in roc.items()},
    )


def _drawn(comparison: Comparison, name: str, rel: float) -> tuple[Drawn, Drawn, int, int]:
    """Returns both curves of a run, and how many documents are relevant and judged.

    What they are made of is as long as the judgments: it is gone before the next run's.
    """
    judged = judged_scores(comparison, name, rel)
    curves = both_curves(judged.labels, judged.scores)
    relevant = int(judged.labels.sum())
    return ROC.drawn(curves[0]), PRECISION_RECALL.drawn(curves[1]), relevant, len(judged.labels)


def curve_section(comparison: Comparison, texts: Catalogue) -> Section:
    """Returns both curves, side by side if there is room."""
    heading = texts.say("section.curves")
    if comparison.convention is None:
        return Section("curves", heading, ())
    try:
        found = curve_charts(comparison, texts)
    except InputError as error:
        reason = Prose((texts.say("curves.impossible", reason=error.message),))
        return Section("curves", heading, (reason,))
    below = tuple(
        _below_chance(comparison, name, area, texts)
        for name, area in found.areas.items()
        if area < 0.4995
    )
    charts = Columns(((found.roc,), (found.precision_recall,)))
    return Section("curves", heading, (Prose((texts.say("curves.pooling"), *below)), charts))


def _below_chance(comparison: Comparison, name: str, area: float, texts: Catalogue) -> str:
    """Notes that a curve is worse than chance, and whether its queries are too."""
    within = comparison.measured(name, "gauc")["gauc"]
    key = "unknown" if math.isnan(within) else "across" if within >= 0.5 else "within"
    said = texts.say("curves.below", run=name, area=number(area, 3))
    said += texts.say("list.sentence")
    return said + texts.say(f"curves.below_{key}", within=number(within, 3))


def _chart(
    plot: Plot,
    curves: Mapping[str, Drawn],
    chance: Sequence[tuple[float, float]],
    counts: dict[str, str],
    texts: Catalogue,
) -> Chart:
    x, y = (texts.say(f"curves.{axis}") for axis in plot.axes)
    kind = plot.kind
    rows: list[dict[str, object]] = [
        {"run": name, "order": order, "x": round(u, 5), "y": round(v, 5)}
        for name, curve in curves.items()
        for order, (u, v) in enumerate(curve.points)
    ]
    headings = (
        texts.say("table.run"),
        texts.say(f"curves.{kind}_area"),
        *(texts.say("curves.at", y=y, x=x, stop=f"{stop:g}") for stop in STOPS),
    )
    table = Table(
        headings,
        tuple((name, number(curve.area), *map(number, curve.at)) for name, curve in curves.items()),
    )
    legend = tuple(
        _key(place, f"{name} {curve.area:.3f}")
        for place, (name, curve) in enumerate(curves.items())
    )
    return Chart(
        drawing="curves",
        title=texts.say(f"curves.{kind}"),
        caption=texts.say(f"curves.{kind}_caption", **counts),
        rows=tuple(rows),
        table=table,
        labels={"x": x, "y": y},
        values={
            "chance": tuple(chance),
            "series": tuple((name, *series(place)) for place, name in enumerate(curves)),
        },
        legend=legend,
    )


def _key(place: int, text: str) -> Key:
    role, dash = series(place)
    return Key("line", role, text, dash)


def _rises(curve: Curve, stop: float) -> float:
    import numpy as np

    return float(np.interp(stop, curve.x, curve.y))


def _falls(curve: Curve, stop: float) -> float:
    """Returns the precision at the first threshold that reaches a recall."""
    import numpy as np

    place = int(np.searchsorted(curve.x, stop))
    return float(curve.y[min(place, len(curve.y) - 1)])


def _average_precision(curve: Curve) -> float:
    """Returns the precisions, each weighted by the recall that it adds.

    Points are not joined by lines, which would flatter a curve (Davis and Goadrich 2006).
    """
    import numpy as np

    return float((np.diff(curve.x, prepend=0.0) * curve.y).sum())


@dataclass(frozen=True)
class Drawn:
    """The part of a curve that a page shows.

    Attributes:
        points: Some of its points.
        area: One number for the whole curve.
        at: The heights at `STOPS`.
    """

    points: tuple[tuple[float, float], ...]
    area: float
    at: tuple[float, ...]


@dataclass(frozen=True)
class Plot:
    """One kind of curve.

    Attributes:
        kind: `roc` or `precision_recall`.
        axes: Keys of the names of x and y.
        at: The height at a point of the x axis.
        area: One number for the whole curve.
    """

    kind: str
    axes: tuple[str, str]
    at: Callable[[Curve, float], float]
    area: Callable[[Curve], float]

    def drawn(self, curve: Curve) -> Drawn:
        """Returns the part of a curve that a page shows."""
        stops = tuple(self.at(curve, stop) for stop in STOPS)
        return Drawn(tuple(thin(curve)), self.area(curve), stops)


ROC = Plot("roc", ("fpr", "tpr"), _rises, lambda curve: curve.area)
PRECISION_RECALL = Plot("precision_recall", ("recall", "precision"), _falls, _average_precision)
