"""Charts of results and comparisons as pictures: those of the report, one at a time."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from relyon.analysis.abstention import Abstention
from relyon.analysis.comparison import Comparison
from relyon.core.errors import ParameterError
from relyon.core.language import Language
from relyon.core.notes import RelyonWarning
from relyon.core.parameters import check_choice
from relyon.core.texts import message
from relyon.evaluation import Results
from relyon.io.picture import Picture
from relyon.report.abstention import answer_chart, risk_chart
from relyon.report.catalogue import Catalogue, catalogue
from relyon.report.classification import curve_charts
from relyon.report.drilldown import has_lists
from relyon.report.losses import loss_chart
from relyon.report.overview import forest_chart
from relyon.report.page import Chart
from relyon.report.pictures import framed
from relyon.report.queries import query_chart, value_chart
from relyon.report.ranks import rank_chart

__all__ = ["plot"]

#: So many queries have room for their names below the bars.
MOST_NAMES = 40


@dataclass(frozen=True)
class _Wanted:
    """A comparison, and which part of it to draw."""

    comparison: Comparison
    measure: str
    candidate: str
    texts: Catalogue


def _intervals(one: _Wanted) -> Chart:
    runs = one.comparison
    title = one.texts.say(
        "forest.title_alone",
        candidates=one.texts.join(list(runs.candidates)),
        baseline=runs.baseline,
    )
    return replace(forest_chart(runs, one.texts), title=title)


def _queries(one: _Wanted) -> Chart:
    known = one.comparison.query_texts or {}
    chart = query_chart(one.comparison, one.candidate, one.measure, one.texts, {}, known)
    return _named(chart, known)


def _named(chart: Chart, known: Mapping[str, str]) -> Chart:
    """Returns a chart with the queries below its bars, if they are few: a picture has no links."""
    queries = [str(row["query"]) for row in chart.rows]
    if not all(queries) or len(queries) > MOST_NAMES:
        return chart
    names = [known.get(query, query) for query in queries]
    return replace(chart, values={**chart.values, "names": names})


#: The charts of a comparison by kind; those below need the runs, not only values of queries.
_CHARTS: dict[str, Callable[[_Wanted], Chart]] = {
    "intervals": _intervals,
    "queries": _queries,
    "ranks": lambda one: rank_chart(one.comparison, one.candidate, one.texts),
    "losses": lambda one: loss_chart(one.comparison, one.measure, one.texts),
    "roc": lambda one: curve_charts(one.comparison, one.texts).roc,
    "precision_recall": lambda one: curve_charts(one.comparison, one.texts).precision_recall,
}
_OF_LISTS = ("ranks", "losses", "roc", "precision_recall")


def plot(
    found: Results | Comparison | Abstention,
    kind: str | None = None,
    *,
    measure: str | None = None,
    candidate: str | None = None,
    language: Language = "en",
) -> Picture:
    """Returns a chart of results or of a comparison as a picture.

    The charts are those of the report, each with its title, legend and caption. A notebook shows
    the picture; `save` writes it as SVG or PNG. `results.plot(…)` is the same.

    Args:
        found: The result of `relyon.evaluate`, `relyon.compare`, `relyon.abstention` or one of
            their relatives.
        kind: Of results: `queries`, the value of every query. Of a comparison: `intervals` (the
            default), the differences with their intervals; `queries`, the difference of every
            query; `ranks`, the difference of DCG by ranks; `losses`, what each run lacks to the
            ideal; `roc` and `precision_recall`, the curves. The last four need judgments and runs.
            Of questions without an answer: `roc` (the default), coverage by false answers, or
            `risk`, the share of wrong answers by the share of queries answered.
        measure: The measure of `queries`, and the one whose cutoff `losses` uses; by default the
            first with values of queries.
        candidate: The candidate of `queries` and `ranks`; by default the first.
        language: `en` or `zh`.

    Raises:
        ParameterError: If there is no such kind, or it needs runs and only values were compared.
        UnknownNameError: If the measure or the candidate is unknown.
        InputError: If there are no relevant documents, or only those, for curves.
        DependencyError: If a package of the extra `report` is not installed.

    Examples:
        >>> import relyon
        >>> judgments = {f"q{n}": {"good": 1, "bad": 0} for n in range(20)}
        >>> old = {q: {"good": 1.0, "bad": 2.0} for q in judgments}
        >>> new = {q: {"good": 2.0, "bad": 1.0} for q in judgments} | {"q0": old["q0"]}
        >>> comparison = relyon.compare(judgments, old, new, "rr", names=["old", "new"])
        >>> relyon.plot(comparison, "queries")
        Picture('RR of every query: new minus old')
    """
    texts = catalogue(language)
    if isinstance(found, Results):
        check_choice("kind", kind or "queries", ["queries"])
        return framed(_named(value_chart(found, measure or next(iter(found)), texts), {}))
    if isinstance(found, Abstention):
        check_choice("kind", kind or "roc", ["roc", "risk"])
        return framed((risk_chart if kind == "risk" else answer_chart)(found, texts))
    if not isinstance(found, Comparison):
        raise ParameterError(
            message("report.cannot-plot", name=type(found).__name__),
            hint=message("report.plot-results"),
        )
    chosen = kind or "intervals"
    check_choice("kind", chosen, list(_CHARTS))
    if chosen in _OF_LISTS and not has_lists(found):
        raise ParameterError(
            message("analysis.only-values-were-compared"),
            hint=message("analysis.compare-judgments-and-runs"),
        )
    one = found.contrast(candidate or found.candidates[0], measure or found.focus)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RelyonWarning)  # the comparison has issued them
        chart = _CHARTS[chosen](_Wanted(found, one.measure, one.candidate, texts))
    if not chart.rows:
        raise ParameterError(message("report.nothing-to-plot"))
    return framed(chart)
