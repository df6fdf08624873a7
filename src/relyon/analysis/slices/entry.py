"""The entry: features, the search in one half of the queries, and the tests in the other."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from relyon.analysis.comparison import Comparison
from relyon.analysis.comparison.contrast import gain_sign
from relyon.analysis.comparison.query_facts import Column, QueryFacts
from relyon.analysis.comparison.settings import Settings
from relyon.analysis.slices.found import FoundSlice, SliceVerdict
from relyon.analysis.slices.held_out import halves, held_out_tests
from relyon.analysis.slices.inputs import gather_features
from relyon.analysis.slices.predicates import Predicate, predicates
from relyon.analysis.slices.result import Slices
from relyon.analysis.slices.search import OVERLAP, Space, candidates, overlap
from relyon.analysis.statistics import ENOUGH_QUERIES, ClusteredMean
from relyon.core.errors import ParameterError
from relyon.core.notes import Note, warn
from relyon.core.parameters import check_fraction, check_type, check_whole
from relyon.core.texts import message

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["find_slices"]

#: Random draws of the tests: at least so many, and more if more tests are corrected together.
DRAWS = 2000
#: The smallest corrected p-value is at most this part of the significance level.
FINE = 10
#: The least number of queries in a slice, unless one in a hundred are more.
LEAST = 20
EXAMPLES = 5


def find_slices(
    comparison: Comparison | Mapping[str, float],
    features: Mapping[str, Mapping[str, object]] | None = None,
    *,
    queries: object = None,
    cluster: Column | None = None,
    measures: str | Sequence[str] | None = None,
    depth: int = 2,
    least: int | None = None,
    most: int = 5,
    alpha: float | None = None,
    confidence: float | None = None,
    seed: int | None = None,
) -> Slices:
    """Finds slices of queries in which a candidate loses, and tests them on other queries.

    The queries are cut at random into two halves (clusters are never cut). In each half all
    conjunctions of up to `depth` predicates with enough queries are searched, as SliceLine does,
    and the few that lose by chance least are taken (`most`). Only the other half decides on them,
    so that what is reported is not what chance selected. A slice

    - **loses** if its mean is below 0, and below that of the other queries,
    - is worse than **elsewhere** if only the second is true: the candidate does less well there
      than on the other queries, but no loss is shown.

    A slice that was taken in both halves is tested in both: its numbers are then those of all its
    queries, of which each half was selected by the other only, and the smaller p-values count.

    Both p-values are one-sided and corrected over the slices of a half by the largest statistic of
    random draws, then multiplied by 2 halves, the measures and the candidates. Each query counts
    once, with its own change, candidate - baseline (of a measure of which lower is better its
    negative decides). Queries without a change, such as those that one run lacks, are left out.

    A run's value is never a feature: slices of the queries on which the baseline is good lose on
    noise alone (regression to the mean), because the baseline is good there partly by chance. Nor
    are columns that order queries nearly as a run's values do. Derived features are those of the
    texts, the number of relevant documents, and the share of judged documents as the mean over all
    runs, unless it depends on one of them.

    Args:
        comparison: The comparison; or the change of each query, positive if the candidate is
            better, without columns that could be checked against the runs' values.
        features: By the name of a feature, the value of each query.
        queries: A table of queries, a frame or a file: each column is a feature, except ids and
            texts; of the texts features are derived, too. Texts of a comparison that is `described`
            are used as well.
        cluster: Only for changes: clusters of queries that are alike; a comparison has its own.
        measures: The measures; by default all tested ones.
        depth: The most predicates of a slice, 1 to 3.
        least: The least number of queries in a slice, and outside it; by default 20, or one in a
            hundred of all queries if that is more.
        most: How many slices per half are tested.
        alpha: The significance level; by default that of the comparison, else 0.05.
        confidence: The level of the intervals; by default that of the comparison, else 0.95.
        seed: The seed of the halves and draws; by default that of the comparison, else 0.

    Returns:
        A `Slices`: `.slices` that were found, `.tested` all that were tested, `.notes`.

    Raises:
        InputError: If the table cannot be read.
        ParameterError: If a parameter is invalid, there are no features, or no measure is tested.
        UnknownNameError: If a measure was not compared.

    Examples:
        >>> import relyon
        >>> changes = {f"q{n}": -0.5 + n % 5 / 10 if n < 60 else n % 5 / 20 for n in range(240)}
        >>> tiers = {query: "tail" if int(query[1:]) < 60 else "head" for query in changes}
        >>> one = relyon.find_slices(changes, {"tier": tiers}).slices[0]
        >>> one.where(), round(one.difference, 2), one.p_loss < 0.01
        ('tier = tail', -0.3, True)

    References:
        Sagadeeva and Boehm (2021), SliceLine, SIGMOD; Westfall and Young (1993), Resampling-Based
        Multiple Testing; Cox (1975), A Note on Data-Splitting for the Evaluation of Significance
        Levels, Biometrika 62(2).
    """
    import numpy as np

    check_whole("depth", depth)
    if depth > 3:
        raise ParameterError(message("analysis.slice-depth", depth=depth))
    if least is not None:
        check_whole("least", least, least=2 * ENOUGH_QUERIES)
    check_whole("most", most)
    check_type("comparison", comparison, (Comparison, Mapping), "a comparison or a mapping")
    settings, tasks, known = _tasks(comparison, measures, cluster)
    chosen = {"alpha": alpha, "confidence": confidence, "seed": seed}
    settings = replace(settings, **{name: one for name, one in chosen.items() if one is not None})  # type: ignore[arg-type]
    for name in ("alpha", "confidence"):
        check_fraction(name, getattr(settings, name))
    ids = sorted(set().union(*(task.changes for task in tasks))) if tasks else []
    least = max(LEAST, len(ids) // 100) if least is None else least
    found = gather_features(ids, features, queries, known, least)
    if not found.used and not found.left_out:
        raise ParameterError(
            message("analysis.slices-need-features"), hint=message("analysis.give-features")
        )
    of = [(one, held) for part in found.used for one, held in predicates(part, ids, least)]
    plan = _Plan(settings, depth, least, most, 2 * len(tasks), tuple(one for one, _ in of))
    tested: list[FoundSlice] = []
    notes = [task.note(least) for task in tasks if len(task.changes) < 2 * least]
    for task in tasks:
        if len(task.changes) >= 2 * least and of:
            rows = [place for place, query in enumerate(ids) if query in task.changes]
            held = np.stack([one for _, one in of], axis=1)[rows]
            tested += _merged(_searched(task, held, plan))
    notes += _notes(found.left_out)
    result = Slices(
        tested=tuple(sorted(tested, key=_order)),
        queries=len(ids),
        features=tuple(one.name for one in found.used if one.origin != "word"),
        words=sum(one.origin == "word" for one in found.used),
        predicates=len(of),
        depth=depth,
        least=least,
        alpha=settings.alpha,
        confidence=settings.confidence,
        seed=settings.seed,
        left_out=found.left_out,
        query_texts=found.texts,
        notes=tuple(notes),
    )
    warn(result.notes)
    return result


@dataclass(frozen=True)
class _Task:
    """One candidate on one measure."""

    candidate: str
    measure: str
    sign: int
    changes: Mapping[str, float]
    facts: QueryFacts

    def note(self, least: int) -> Note:
        values = {"measure": self.measure, "candidate": self.candidate, "least": least}
        return Note("slices-too-few-queries", len(self.changes), "info", (), values)


@dataclass(frozen=True)
class _Plan:
    """What is common to the searches of all candidates and measures."""

    settings: Settings
    depth: int
    least: int
    most: int
    families: int
    predicates: tuple[Predicate, ...]

    def where(self, chosen: tuple[int, ...]) -> tuple[Predicate, ...]:
        return tuple(self.predicates[number] for number in chosen)

    @property
    def draws(self) -> int:
        return max(DRAWS, math.ceil(FINE * self.families / self.settings.alpha))


def _tasks(
    comparison: Comparison | Mapping[str, float],
    measures: str | Sequence[str] | None,
    cluster: Column | None,
) -> tuple[Settings, list[_Task], Comparison | None]:
    """Returns the settings, the changes to search in, and the comparison."""
    if isinstance(comparison, Comparison):
        if cluster is not None:
            raise ParameterError(
                message("analysis.comparison-has-clusters"),
                hint=message("analysis.give-clusters-to-compare"),
            )
        names = comparison.tested if measures is None else measures
        asked = [names] if isinstance(names, str) else list(names)
        if not asked:
            raise ParameterError(
                message("analysis.slices-need-measure"),
                hint=message("analysis.add-quality-measure"),
            )
        tasks = []
        for candidate in comparison.candidates:
            for name in asked:
                one = comparison.contrast(candidate, name)
                deltas = comparison.deltas(candidate, one.measure)
                changes = {query: value for query, value in deltas.items() if math.isfinite(value)}
                sign = gain_sign(one.measure)
                tasks.append(_Task(candidate, one.measure, sign, changes, comparison.facts))
        return comparison.settings, tasks, comparison
    if measures is not None:
        raise ParameterError(message("analysis.changes-have-no-measures"))
    changes = {}
    for query, value in comparison.items():
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ParameterError(message("analysis.change-is-no-number", query=str(query)))
        if math.isfinite(value):
            changes[str(query)] = float(value)
    facts = QueryFacts.read(changes, cluster=cluster)
    return Settings(), [_Task("candidate", "change", 1, changes, facts)], None


def _searched(task: _Task, held: NDArray[np.bool_], plan: _Plan) -> list[FoundSlice]:
    """Returns the slices of both halves, each with the tests of the other half."""
    import numpy as np

    data = _Data.of(task)
    # Tests do not depend on the unit, and squares of huge or tiny changes do not exist.
    scaled = np.ldexp(data.values, -math.frexp(float(np.abs(data.values).max()))[1])
    whole = Space(scaled, held, 0)
    first = data.first_half(plan.settings.seed)
    trials: dict[tuple[int, ...], list[_Trial]] = {}
    for searched in (first, ~first):
        space = Space(scaled[searched], held[searched], math.ceil(plan.least / 2))
        promising = candidates(space, plan.depth, plan.most)
        alike = {one.chosen: one.alike for one in promising}
        chosen = [one for one in alike if data.enough(whole.members(one), ~searched)]
        if not chosen:
            continue
        tests = held_out_tests(
            scaled[~searched],
            np.stack([whole.members(one)[~searched] for one in chosen]),
            None if data.clusters is None else data.clusters[~searched],
            draws=plan.draws,
            seed=plan.settings.seed,
        )
        for place, one in enumerate(chosen):
            loss, elsewhere = (
                min(1.0, float(part[place]) * plan.families)
                for part in (tests.loss, tests.elsewhere)
            )
            trial = _Trial(~searched, loss, elsewhere, len(chosen), alike[one])
            trials.setdefault(one, []).append(trial)
    return [_slice(task, data, whole.members(one), made, one, plan) for one, made in trials.items()]


@dataclass(frozen=True)
class _Trial:
    """The tests of a slice in one half.

    Attributes:
        tested: The queries of the half.
        loss: The corrected p-value of no loss.
        elsewhere: That of no larger loss than elsewhere.
        together: How many slices were tested together.
        alike: Slices that say the same.
    """

    tested: NDArray[np.bool_]
    loss: float
    elsewhere: float
    together: int
    alike: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class _Data:
    """The changes of queries, positive if the candidate is better, and the queries' clusters."""

    ids: list[str]
    values: NDArray[np.float64]
    clusters: NDArray[np.int64] | None

    @classmethod
    def of(cls, task: _Task) -> _Data:
        import numpy as np

        ids = sorted(task.changes)
        values = task.sign * np.array([task.changes[query] for query in ids])
        groups = task.facts.groups(ids)
        return cls(ids, values, None if groups is None or len(groups[1]) == len(ids) else groups[0])

    def first_half(self, seed: int) -> NDArray[np.bool_]:
        import numpy as np

        return halves(np.arange(len(self.ids)) if self.clusters is None else self.clusters, seed)

    def enough(self, members: NDArray[np.bool_], tested: NDArray[np.bool_]) -> bool:
        """Whether a slice, and what is outside it, has enough queries or clusters to be tested."""
        import numpy as np

        names = np.arange(len(members)) if self.clusters is None else self.clusters
        parts = (members & tested, ~members & tested)
        return all(len(np.unique(names[one])) >= ENOUGH_QUERIES for one in parts)


def _slice(
    task: _Task,
    data: _Data,
    members: NDArray[np.bool_],
    trials: Sequence[_Trial],
    chosen: tuple[int, ...],
    plan: _Plan,
) -> FoundSlice:
    """Returns a slice with its numbers over all queries that tested it."""
    import numpy as np

    settings, values = plan.settings, data.values
    tested = np.any([one.tested for one in trials], axis=0)
    inside, outside, searched = members & tested, ~members & tested, members & ~tested
    # All slices of both halves, measures and candidates are covered together.
    together = max(one.together for one in trials)
    level = 1 - (1 - settings.confidence) / (plan.families * together)
    clusters = data.clusters
    clustered = None if clusters is None else ClusteredMean.of(values[inside], clusters[inside])
    wide = replace(settings, confidence=level, interval="t")
    low, high = sorted(task.sign * one for one in wide.interval_of(values[inside], clustered))
    loss, elsewhere = min(one.loss for one in trials), min(one.elsewhere for one in trials)
    verdict: SliceVerdict = "undecided"
    if elsewhere <= settings.alpha:
        verdict = "loses" if loss <= settings.alpha else "elsewhere"
    order = sorted((float(values[place]), data.ids[place]) for place in members.nonzero()[0])
    return FoundSlice(
        candidate=task.candidate,
        measure=task.measure,
        predicates=plan.where(chosen),
        queries=tuple(query for _, query in order),
        tested=int(inside.sum()),
        difference=task.sign * float(values[inside].mean()),
        rest=task.sign * float(values[outside].mean()),
        interval=(low, high),
        searched=task.sign * float(values[searched].mean()) if searched.any() else math.nan,
        p_loss=loss,
        p_elsewhere=elsewhere,
        verdict=verdict,
        examples=tuple(
            (query, task.sign * value) for value, query in order[:EXAMPLES] if value < 0
        ),
        overlapping=tuple(
            dict.fromkeys(plan.where(one) for trial in trials for one in trial.alike)
        ),
    )


def _merged(found: Sequence[FoundSlice]) -> list[FoundSlice]:
    """Returns slices of mostly the same queries as one, the simplest; the others are its overlap.

    Slices that were found come first, so that an undecided one is never what names a found one.
    """
    import numpy as np

    ids = sorted({query for one in found for query in one.queries})
    places = {query: place for place, query in enumerate(ids)}
    kept: list[tuple[FoundSlice, NDArray[np.bool_]]] = []
    order = ("loses", "elsewhere", "undecided")
    for one in sorted(
        found, key=lambda one: (order.index(one.verdict), len(one.predicates), _order(one))
    ):
        members = np.zeros(len(ids), dtype=np.bool_)
        members[[places[query] for query in one.queries]] = True
        alike = [
            place for place, (_, other) in enumerate(kept) if overlap(members, other) >= OVERLAP
        ]
        if not alike:
            kept.append((one, members))
            continue
        main, other = kept[alike[0]]
        if one.predicates not in (main.predicates, *main.overlapping):
            main = replace(main, overlapping=(*main.overlapping, one.predicates))
            kept[alike[0]] = main, other
    return [one for one, _ in kept]


def _order(one: FoundSlice) -> tuple[object, ...]:
    """Returns what orders slices: losses first, the most certain first."""
    worst = max(one.p_loss, one.p_elsewhere)
    return (
        ("loses", "elsewhere", "undecided").index(one.verdict),
        one.p_elsewhere if one.verdict == "elsewhere" else worst,
        -abs(one.difference),
        one.where(),
    )


def _notes(left_out: Mapping[str, str]) -> list[Note]:
    """Returns notes about columns that are not used."""
    notes = []
    for reason in ("run-value", "one-sided", "two-values", "unique", "constant"):
        names = [name for name, one in left_out.items() if one == reason]
        if names:
            key = f"slices-left-out.{reason}"
            notes.append(Note("slices-left-out", len(names), "info", tuple(names[:3]), key=key))
    return notes
