"""A run that a test checks: numbers against bounds, and against the baseline."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from relyon.analysis.comparison import compare
from relyon.analysis.comparison.breakdowns.sentences import hidden_losses
from relyon.analysis.comparison.contrast import describes_data
from relyon.analysis.comparison.query_facts import QueryFacts
from relyon.analysis.uncertainty import mean_interval_of
from relyon.compat.pytest.bounds import Bound, check_bound
from relyon.compat.pytest.losses import Losses, contrast_line, few_key
from relyon.compat.pytest.same_lists import same_lists
from relyon.compat.pytest.words import plain_errors, said
from relyon.core.errors import ParameterError
from relyon.core.language import environment_language
from relyon.core.notes import RelyonWarning
from relyon.core.texts import catalogue
from relyon.measures.parser import measure as parse_measure

if TYPE_CHECKING:
    from relyon.analysis.comparison import Comparison, Contrast
    from relyon.analysis.uncertainty import MeasureInterval
    from relyon.compat.pytest.artifacts import Artifacts
    from relyon.compat.pytest.baseline import Baseline
    from relyon.compat.pytest.settings import Settings
    from relyon.data.run import Run
    from relyon.evaluation import Evaluator

__all__ = ["CheckedRun"]

#: The cutoff of the share of judged results, for measures without one.
SHOWN = 10
#: Queries that a message names.
NAMED = 3


class Noter(Protocol):
    """Keeps a line for the end of the session."""

    def __call__(self, text: str, *, passed: bool) -> None:
        """Keeps it."""


class CheckedRun:
    """What a search found. Its checks raise `AssertionError`, and return it, so that they chain.

    Each check stands for itself: no p-value is corrected for the others. That all checks of a test
    pass by chance is no more likely than that one does. Of `not_significantly_worse`, which passes
    unless a loss is shown, each call adds false alarms; name several measures in one call instead.

    Attributes:
        run: The run; the first of several.
        runs: All runs, if the search was repeated.
        settings: The data of the test, and how its runs are compared.
        compared: The measures that were compared with the baseline.
        margins: The margins that they were compared with, by measure.
        failures: What failed when they were compared, one line each.
    """

    def __init__(
        self,
        runs: Sequence[Run],
        evaluator: Evaluator,
        settings: Settings,
        baseline: Baseline,
        artifacts: Artifacts,
        *,
        note: Noter,
        texts: Callable[[], Mapping[str, str]],
        k: int | None = None,
    ) -> None:
        self.run = runs[0]
        self.runs = tuple(runs)
        self._evaluator = evaluator
        self.settings = settings
        self._baseline = baseline
        self._artifacts = artifacts
        self._note = note
        self._texts = texts
        self._k = k
        self._intervals: dict[str, MeasureInterval] = {}
        self.compared: list[str] = []
        self.margins: dict[str, float | str] = {}
        self.failures: list[str] = []
        self._together = False

    def value(self, measure: str) -> float:
        """Returns the number of a measure.

        Raises:
            pytest.fail.Exception: If the measure is unknown, or needs more results than were asked
                for.
        """
        __tracebackhide__ = True
        with plain_errors():
            return self._interval(measure).value

    def at_least(self, measure: str, bound: float, *, point: bool = False) -> CheckedRun:
        """Checks that a measure is at least a number, for other queries like these, too.

        Args:
            measure: The measure, such as `recall@20`.
            bound: The lower end of its interval over queries must reach it.
            point: Whether the number itself is enough: then a few lucky queries are, too.

        Raises:
            AssertionError: If it is not.
            pytest.fail.Exception: If it cannot be computed.
        """
        __tracebackhide__ = True
        self._check_bound(measure, bound, "at-least", point)
        return self

    def at_most(self, measure: str, bound: float, *, point: bool = False) -> CheckedRun:
        """Checks that a measure is at most a number: the upper end of its interval.

        Args:
            measure: The measure, such as a share of bad results.
            bound: The upper end of its interval over queries must not exceed it.
            point: Whether the number itself is enough.

        Raises:
            AssertionError: If it is not.
            pytest.fail.Exception: If it cannot be computed.
        """
        __tracebackhide__ = True
        self._check_bound(measure, bound, "at-most", point)
        return self

    def not_worse(self, measure: str, *, by: float | str | None = None) -> CheckedRun:
        """Checks that a loss of more than a margin is excluded: it passes only if that is shown.

        Verdicts that pass are `better`, `not-worse`, and `equal` within the margin. A run whose
        lists are all those of the baseline passes, too: a change of code that changes no result.

        Args:
            measure: The measure.
            by: The margin, in the measure's own units, or a share of the baseline's number such as
                "2%"; by default that of the mark's `margins`.

        Raises:
            AssertionError: If it is not shown.
            pytest.fail.Exception: If runs cannot be compared.
        """
        __tracebackhide__ = True
        with plain_errors():
            margin = self._margin(measure, by)
        self._check([measure], {"better", "not-worse", "equal"}, "not-worse", margin)
        return self

    def better(self, measure: str) -> CheckedRun:
        """Checks that the run is significantly better than the baseline.

        Args:
            measure: The measure.

        Raises:
            AssertionError: If it is not.
            pytest.fail.Exception: If runs cannot be compared.
        """
        __tracebackhide__ = True
        self._check([measure], {"better"}, "better")
        return self

    def not_significantly_worse(self, *measures: str) -> CheckedRun:
        """Checks that no loss is significant, as `relyon compare --fail-if-worse` does.

        A test with few queries passes almost always: `not_worse` asks for evidence instead.

        Args:
            measures: The measures; their p-values are corrected together (Holm).

        Raises:
            AssertionError: If there is one.
            pytest.fail.Exception: If runs cannot be compared.
        """
        __tracebackhide__ = True
        passes = {"better", "not-worse", "equal", "undecided"}
        self._check(list(measures), passes, "not-significantly-worse")
        return self

    # -- how ----------------------------------------------------------------------------------

    def comparison(
        self, *measures: str, margins: Mapping[str, float | str] | None = None
    ) -> Comparison:
        """Returns the comparison with the baseline that the checks use.

        Args:
            measures: The measures; by default those that were checked.
            margins: By measure, the smallest loss that matters.

        Raises:
            RelyonError: If runs cannot be compared.
        """
        settings = self.settings
        columns = isinstance(settings.cluster, str) or bool(settings.by)
        name = _candidate(self._baseline.name)
        found = compare(
            self._evaluator.judgments,
            measures=[*(measures or self.compared)],
            systems={self._baseline.name: [self._baseline.run()], name: [*self.runs]},
            convention=settings.convention,
            scale=self._evaluator.scale,
            queries=settings.queries if columns else None,
            cluster=settings.cluster,
            by=settings.by,
            margins=self.margins if margins is None else margins,
            alpha=settings.alpha,
            confidence=settings.level,
            correction="holm" if self._together else "none",
        )
        texts = self._texts()
        return found.described(texts) if texts else found

    def _check_bound(self, measure: str, bound: float, kind: Bound, point: bool) -> None:
        __tracebackhide__ = True
        with plain_errors():
            found = self._interval(measure)
            lost = self._lost(*self.runs)
        passed, text = check_bound(
            measure, found, bound, kind=kind, point=point, level=self.settings.level
        )
        self._end(passed and not lost, "\n".join([text, *lost]))

    def _interval(self, measure: str) -> MeasureInterval:
        """Returns a measure with its interval over queries.

        Raises:
            RelyonError: If it is unknown, or needs more results than were asked for.
        """
        self._check_depth(measure)
        if measure not in self._intervals:
            results = [self._evaluator.evaluate(run, measure) for run in self.runs]
            clusters = self._clusters()
            found = mean_interval_of(
                results, str(parse_measure(measure)), level=self.settings.level, clusters=clusters
            )
            self._intervals[measure] = found
        return self._intervals[measure]

    def _clusters(self) -> Mapping[str, str]:
        """Returns the cluster of each query; none without clusters."""
        settings = self.settings
        queries = self._evaluator.judgments.queries
        table = settings.queries if isinstance(settings.cluster, str) else None
        return QueryFacts.read(queries, queries=table, cluster=settings.cluster).clusters

    def _check_depth(self, measure: str) -> None:
        one = parse_measure(measure)
        cutoff = getattr(one, "k", None) if one.at == "k" else None
        if self._k is not None and isinstance(cutoff, int) and cutoff > self._k:
            raise ParameterError(
                said("too-few-results", measure=measure, k=self._k),
                hint=said("search-deeper", k=cutoff),
            )

    def _margin(self, measure: str, by: float | str | None) -> float | str:
        """Returns the margin of a measure.

        Raises:
            ParameterError: If there is none.
        """
        margin = self.settings.margins.get(str(parse_measure(measure))) if by is None else by
        if margin is None:
            raise ParameterError(
                said("no-margin", measure=measure), hint=said("name-margin", measure=measure)
            )
        return margin

    def _check(
        self, measures: list[str], passes: set[str], asked: str, margin: float | str | None = None
    ) -> None:
        """Compares with the baseline, or keeps the run as the next one."""
        __tracebackhide__ = True
        with plain_errors():
            if not measures:
                raise ParameterError(said("no-measure"))
            for one in measures:
                self._check_depth(one)
                if describes_data(one):
                    raise ParameterError(said("of-data", measure=one), hint=said("use-bound"))
            if self._baseline.updates:
                self._baseline.replace(self.run)
                return
            if margin is not None:
                self.margins |= dict.fromkeys(measures, margin)
            self._together = self._together or len(measures) > 1
            judged = {one: f"judged@{_cutoff(one)}" for one in measures}
            margins = {} if margin is None else dict.fromkeys(measures, margin)
            found = self.comparison(*dict.fromkeys([*measures, *judged.values()]), margins=margins)
            self.compared += [one for one in measures if one not in self.compared]
            lost = self._lost(*self.runs, self._baseline.run())
            contrasts = [found.contrast(found.candidates[0], one) for one in measures]
            same = "not-worse" in passes and all(
                same_lists(run, self._baseline.run(), self._evaluator.judgments.queries)
                for run in self.runs
            )
        failed = [one for one in contrasts if one.verdict not in passes and not same]
        for contrast in contrasts:
            text = contrast_line(contrast, asked, self.settings.level)
            if same:
                text = said("same-lists", measure=contrast.measure, baseline=contrast.baseline)
            if contrast in failed:
                self.failures.append(text)
                self._note(text, passed=False)
            elif not lost:
                self._note(self._warned(found, contrast, asked, text), passed=True)
        self.failures += lost
        for line in lost:
            self._note(line, passed=False)
        if failed or lost:
            told = [self._explained(found, one, judged, asked) for one in failed]
            raise AssertionError("\n".join([*told, *lost]))

    def _warned(self, comparison: Comparison, one: Contrast, asked: str, text: str) -> str:
        """Adds, and warns, that values of a column lose, or a check could not see what is lost."""
        found = hidden_losses(comparison, catalogue("breakdowns", environment_language()))
        judged, baseline = self._evaluator.judgments.queries, self._baseline.run()
        new = [query for query in judged if query in self.run and query not in baseline]
        if new:
            values = {"count": len(new), "queries": new[:NAMED]}
            found.append(said("queries-are-new", baseline=self._baseline.name, **values))
        if asked == "not-significantly-worse" and one.few:
            values = {"queries": one.queries, "units": one.units}
            found.append(said(few_key("cannot-fail", one), measure=one.measure, **values))
        for line in found:
            warnings.warn(line, RelyonWarning, stacklevel=4)
        return "; ".join([text, *found])

    def _explained(
        self,
        comparison: Comparison,
        one: Contrast,
        judged: Mapping[str, str],
        asked: str,
    ) -> str:
        share = comparison.contrast(one.candidate, judged[one.measure])
        losses = Losses(
            comparison, one, share, self._artifacts.explain(self.run, self.settings, one.measure)
        )
        told = contrast_line(one, asked, self.settings.level)
        return "\n".join([told, *losses.lines()])

    def _lost(self, *runs: Run) -> list[str]:
        """Returns a line per run that lacks judged queries, if the convention leaves them out."""
        if self._evaluator.convention.missing != "skip":
            return []
        judged = self._evaluator.judgments.queries
        lines = []
        for run in runs:
            left = [one for one in judged if one not in run]
            name = said("run") if run in self.runs else self._baseline.name
            if left:
                counts = {"count": len(left), "total": len(judged)}
                lines.append(said("lost-queries", run=name, queries=left[:NAMED], **counts))
        return lines

    def _end(self, passed: bool, text: str) -> None:
        __tracebackhide__ = True
        self._note(text.partition("\n")[0], passed=passed)
        if not passed:
            raise AssertionError(text)


def _candidate(baseline: str) -> str:
    return "candidate" if baseline != "candidate" else "new"


def _cutoff(measure: str) -> int:
    one = parse_measure(measure)
    cutoff = getattr(one, "k", None) if one.at == "k" else None
    return cutoff if isinstance(cutoff, int) else SHOWN
