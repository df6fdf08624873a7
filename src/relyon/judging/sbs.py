"""Side-by-side preferences: which of two systems people prefer, and the order of several.

Several judges of one query see the same two rankings: their preferences are averaged, and the query
counts once. Stored preferences refer to systems, not to the sides on which judges saw them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, TypedDict

from relyon.core.document.json import json_values
from relyon.core.errors import InputError
from relyon.core.parameters import check_fraction
from relyon.core.texts import message
from relyon.online.sampling.tiers import order_tiers

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from relyon.judging.store import Store

__all__ = [
    "PairPreference",
    "Preference",
    "SideBySide",
    "Strength",
    "Summary",
    "SummaryValues",
    "fit_bradley_terry",
    "read_preferences",
    "summarize_preferences",
]

POINTS = (-2.0, -1.0, 0.0, 1.0, 2.0)


class SummaryValues(TypedDict):
    """`Summary` as JSON."""

    pairs: list[dict[str, object]]
    strengths: list[dict[str, object]]
    reason: str


class SideBySideValues(TypedDict):
    """`SideBySide` as JSON."""

    overall: SummaryValues
    tiers: dict[str, SummaryValues]
    confidence: float


@dataclass(frozen=True)
class Preference:
    """A judge's preference for one query.

    Attributes:
        query: The query.
        first: One system.
        second: The other system.
        value: -2 the first is much better, -1 better, 0 equal, 1 the second better, 2 much better.
        judge: The judge.
        tier: Head, middle or tail.
    """

    query: str
    first: str
    second: str
    value: float
    judge: str = ""
    tier: str = ""


@dataclass(frozen=True)
class PairPreference:
    """Preferences between two systems.

    Attributes:
        first: One system.
        second: The other system.
        queries: Queries compared.
        first_wins: Queries whose mean preference is for the first.
        ties: Queries without a preference.
        second_wins: Queries whose mean preference is for the second.
        mean: The mean over queries, -2 to 2; above 0 the second is better.
        p: Two-sided p-value of the sign test over queries, ties left out; NaN for fewer than two
            queries.
        points: How many preferences of judges are -2, -1, 0, 1 and 2.
    """

    first: str
    second: str
    queries: int
    first_wins: int
    ties: int
    second_wins: int
    mean: float
    p: float
    points: tuple[int, int, int, int, int]


@dataclass(frozen=True)
class Strength:
    """The strength of a system under the Bradley-Terry model.

    Attributes:
        system: Its name.
        strength: The log-strength, 0 on average. System a is preferred to b with the probability
            1 / (1 + exp(b - a)).
        low: Lower end of the confidence interval.
        high: Upper end.
    """

    system: str
    strength: float
    low: float
    high: float


@dataclass(frozen=True)
class Summary:
    """Preferences over some queries.

    Attributes:
        pairs: Each pair of compared systems, by name.
        strengths: Of three or more systems, strongest first; empty if there is no estimate.
        reason: Why there is no estimate of strengths.
    """

    pairs: tuple[PairPreference, ...]
    strengths: tuple[Strength, ...]
    reason: str

    def to_dict(self) -> SummaryValues:
        """Returns JSON-ready values; what is undefined is None."""
        return {
            "pairs": [json_values(asdict(one)) for one in self.pairs],
            "strengths": [json_values(asdict(one)) for one in self.strengths],
            "reason": self.reason,
        }


@dataclass(frozen=True)
class SideBySide:
    """Preferences overall and by tier.

    Attributes:
        overall: Over all queries.
        tiers: The same by tier.
        confidence: Confidence level of the intervals.
    """

    overall: Summary
    tiers: Mapping[str, Summary]
    confidence: float

    def to_dict(self) -> SideBySideValues:
        """Returns everything as JSON-ready values; what is undefined is None."""
        return {
            "overall": self.overall.to_dict(),
            "tiers": {tier: found.to_dict() for tier, found in self.tiers.items()},
            "confidence": self.confidence,
        }


def read_preferences(store: Store, project_id: int) -> list[Preference]:
    """Returns the preferences given in a side-by-side project.

    Raises:
        UnknownNameError: If the project does not exist.
    """
    store.projects.get(project_id)
    pairs = store.items.comparisons(project_id)
    return [
        Preference(pairs[item].query, pairs[item].first, pairs[item].second, grade, judge,
                   pairs[item].tier)
        for item, grades in store.grades.by_judge(project_id).items()
        if item in pairs
        for judge, grade in grades.items()
    ]  # fmt: skip


def summarize_preferences(
    preferences: Iterable[Preference], *, confidence: float = 0.95
) -> SideBySide:
    """Summarises preferences between systems, overall and by tier.

    Args:
        preferences: The judges' preferences.
        confidence: Confidence level of the intervals.

    Raises:
        InputError: If there is no preference, one is not of the five points, or a system is
            compared with itself.
        ParameterError: If `confidence` is not between 0 and 1.

    Examples:
        >>> found = summarize_preferences(
        ...     [Preference(f"q{n}", "old", "new", 1 if n else -1) for n in range(8)]
        ... )
        >>> pair = found.overall.pairs[0]
        >>> pair.first, pair.second, pair.first_wins, pair.second_wins, round(pair.p, 4)
        ('new', 'old', 7, 1, 0.0703)

    References:
        Thomas and Hawking (2006), Evaluation by comparing result sets in context, CIKM.
    """
    check_fraction("confidence", confidence)
    given = [_ordered(one) for one in preferences]
    if not given:
        raise InputError(message("judging.there-are-no-preferences"))
    tiers: dict[str, list[Preference]] = {}
    for one in given:
        if one.tier:
            tiers.setdefault(one.tier, []).append(one)
    return SideBySide(
        _summary(given, confidence),
        {tier: _summary(tiers[tier], confidence) for tier in order_tiers(tiers)},
        confidence,
    )


def _ordered(one: Preference) -> Preference:
    """Returns a preference with the systems in the order of their names."""
    if one.first == one.second:
        raise InputError(
            message("judging.query-compares-with-itself", query=one.query, first=one.first)
        )
    if one.value not in POINTS:
        raise InputError(
            message(
                "judging.query-not-preference",
                query=one.query,
                one_value=one.value,
            ),
            hint=message("judging.use-2"),
        )
    if one.first < one.second:
        return one
    turned = -one.value or 0.0
    return Preference(one.query, one.second, one.first, turned, one.judge, one.tier)


def _summary(given: Sequence[Preference], confidence: float) -> Summary:
    values: dict[tuple[str, str], dict[str, list[float]]] = {}
    for one in given:
        values.setdefault((one.first, one.second), {}).setdefault(one.query, []).append(one.value)
    pairs, wins = [], Counter[tuple[str, str]]()
    for (first, second), queries in sorted(values.items()):
        means = [math.fsum(found) / len(found) for _, found in sorted(queries.items())]
        pairs.append(_pair(first, second, means, queries))
        halves = sum(mean == 0 for mean in means) / 2
        wins[second, first] += sum(mean > 0 for mean in means) + halves  # type: ignore[assignment]
        wins[first, second] += sum(mean < 0 for mean in means) + halves  # type: ignore[assignment]
    systems = {name for pair in values for name in pair}
    if len(systems) < 3:
        return Summary(tuple(pairs), (), "two systems: the sign test says it all")
    try:
        strengths = fit_bradley_terry(wins, confidence=confidence)
    except InputError as error:
        return Summary(tuple(pairs), (), error.message)
    return Summary(tuple(pairs), strengths, "")


def _pair(
    first: str, second: str, means: Sequence[float], queries: Mapping[str, Sequence[float]]
) -> PairPreference:
    import numpy as np

    from relyon.analysis.statistics import paired_test

    points = Counter(value for found in queries.values() for value in found)
    counted = [points[point] for point in POINTS]
    return PairPreference(
        first,
        second,
        len(means),
        sum(mean < 0 for mean in means),
        sum(mean == 0 for mean in means),
        sum(mean > 0 for mean in means),
        math.fsum(means) / len(means),
        paired_test("sign", np.array(means)).p,
        (counted[0], counted[1], counted[2], counted[3], counted[4]),
    )


def fit_bradley_terry(
    wins: Mapping[tuple[str, str], float], *, confidence: float = 0.95
) -> tuple[Strength, ...]:
    """Estimates the strengths of systems from pairwise preferences.

    P(a is preferred to b) = exp(s_a) / (exp(s_a) + exp(s_b)). The likelihood is maximised by
    Hunter's MM algorithm; a tie counts as half a win for each. Intervals are s ± z · standard error
    from the information matrix.

    Args:
        wins: How often the first system of a pair was preferred to the second.
        confidence: Confidence level of the intervals.

    Returns:
        The systems, strongest first; their strengths are 0 on average.

    Raises:
        InputError: If the systems fall into two groups of which one was never preferred to the
            other, so that the strengths have no finite estimate.

    Examples:
        >>> found = fit_bradley_terry({("a", "b"): 3, ("b", "a"): 1})
        >>> round(found[0].strength - found[1].strength, 6)
        1.098612

    References:
        Bradley and Terry (1952), Biometrika 39(3/4). Hunter (2004), The Annals of Statistics 32(1).
    """
    import numpy as np

    from relyon.analysis.statistics import normal_quantile

    systems = sorted({name for pair, times in wins.items() if times for name in pair})
    if len(systems) < 2:
        raise InputError(message("judging.there-are-fewer"))
    places = {name: place for place, name in enumerate(systems)}
    won = np.zeros((len(systems), len(systems)))
    for (winner, loser), times in wins.items():
        if times < 0 or winner == loser:
            raise InputError(
                message(
                    "judging.was-preferred-to-times",
                    winner=winner,
                    loser=loser,
                    times=times,
                )
            )
        if times:
            won[places[winner], places[loser]] += times
    _check_connected(systems, won)
    met = won + won.T
    worth = np.ones(len(systems))
    for _ in range(100_000):
        fresh = won.sum(axis=1) / (met / (worth[:, None] + worth[None, :])).sum(axis=1)
        fresh /= math.exp(float(np.log(fresh).mean()))
        moved = float(np.abs(np.log(fresh) - np.log(worth)).max())
        worth = fresh
        if moved < 1e-12:
            break
    strengths = np.log(worth)
    chance = worth[:, None] / (worth[:, None] + worth[None, :])
    information = -met * chance * (1 - chance)
    np.fill_diagonal(information, 0.0)
    np.fill_diagonal(information, -information.sum(axis=1))
    errors = np.sqrt(np.diag(np.linalg.pinv(information)))
    reach = normal_quantile((1 + confidence) / 2) * errors
    found = [
        Strength(
            name, float(strengths[place]), float(strengths[place] - reach[place]),
            float(strengths[place] + reach[place]),
        )
        for name, place in places.items()
    ]  # fmt: skip
    return tuple(sorted(found, key=lambda one: (-one.strength, one.system)))


def _check_connected(systems: Sequence[str], won: NDArray[np.float64]) -> None:
    """Checks that chains of wins connect every system with every other, both ways."""
    for table, what in ((won, "was never preferred to"), (won.T, "never lost to")):
        reached, new = {0}, [0]
        while new:
            place = new.pop()
            for other in range(len(systems)):
                if table[other, place] > 0 and other not in reached:
                    reached.add(other)
                    new.append(other)
        left = [systems[place] for place in range(len(systems)) if place not in reached]
        if left:
            rest = [systems[place] for place in sorted(reached)]
            raise InputError(
                message(
                    "judging.left-what-rest",
                    left=list(left),
                    what=what,
                    rest=list(rest),
                ),
                hint=message("judging.more-queries"),
            )
