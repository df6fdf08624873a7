"""A round: one month's sample, grades, rules and results."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from relyon.core.errors import InputError, ParameterError
from relyon.core.parameters import check_type
from relyon.core.texts import message
from relyon.data.convention import Convention, load_convention
from relyon.data.judgments import Judgments
from relyon.data.period import check_month
from relyon.data.scale import Scale
from relyon.io import read_judgments
from relyon.online.monitoring.session_values import session_values
from relyon.online.sampling import Sample
from relyon.online.sampling.depths import chosen_common, chosen_depths

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Round", "create_round", "ranks_that_count"]

#: Grades above it are percentages or scores, unless a scale says otherwise.
MOST_GRADE = 10


@dataclass(frozen=True, eq=False)
class Round:
    """One month: which sessions were sampled, how they were graded, and what came out.

    Attributes:
        month: Such as `2026-03`.
        sample: The sessions with tier and inclusion probability, and what they were shown.
        judgments: The grades of the sampled queries; documents that were not shown may be graded
            too.
        convention: The rules.
        depths: Ranks that count, by tier.
        common_k: Common depth at which tiers are compared.
        results: One row per session: `session`, `query`, `tier`, `k`, `shown`, `judged`, `dcg`,
            `ndcg` (over the retrieved), and `common_dcg` and `common_ndcg` at the common k; null
            where nothing that was shown is judged.
        made: When the round was made, in UTC; empty until it is written.
        version: Of relyon, when it was made.
        grading: How several judges' grades became one, such as `median`; empty if unknown.
        model_judgments: A model's grades of the sampled queries, beside people's; None without.

    Examples:
        >>> import polars as pl, relyon
        >>> log = pl.DataFrame({
        ...     "session": ["s1", "s2"], "query": ["tv", "tv"], "position": [1, 1],
        ...     "doc": ["a", "b"],
        ... })
        >>> sample = relyon.draw_sample(log, k=10)
        >>> made = relyon.create_round("2026-03", sample, {"tv": {"a": 3, "b": 1}})
        >>> made.results.select("session", "dcg").rows()
        [('s1', 3.0), ('s2', 1.0)]
    """

    month: str
    sample: Sample
    judgments: Judgments
    convention: Convention
    depths: Mapping[str, int]
    common_k: int
    results: pl.DataFrame
    made: str = ""
    version: str = ""
    grading: str = ""
    model_judgments: Judgments | None = None

    @property
    def tiers(self) -> tuple[str, ...]:
        """The tiers that have sessions, the most frequent queries first."""
        return tuple(tier.name for tier in self.sample.tiers if tier.sessions)

    def deepest(self, tier: str) -> int:
        """Returns the number of ranks that the sample covers in a tier; 0 without the tier."""
        return next((one.k for one in self.sample.tiers if one.name == tier), 0)

    def __repr__(self) -> str:
        return f"Round({self.month!r}, sessions={len(self.sample)}, grades={len(self.judgments)})"


def ranks_that_count(
    rounds: Sequence[Round], k: int | Mapping[str, int] | None, common_k: int | None
) -> tuple[dict[str, int], int]:
    """Returns the ranks that count in all rounds: by tier of the last one, and common to all.

    Args:
        rounds: The rounds, the earliest first.
        k: For all tiers or by tier; None takes the last round's.
        common_k: Where tiers are compared; None takes the least common k of all rounds.

    Raises:
        ParameterError: If one is deeper than the samples, or a tier is unknown.
    """
    last = rounds[-1]
    depths = chosen_depths(
        {tier: last.depths[tier] for tier in last.tiers},
        {tier: last.deepest(tier) for tier in last.tiers},
        k,
    )
    deepest = min((one.deepest(tier) for one in rounds for tier in one.tiers), default=0)
    return depths, chosen_common(min(one.common_k for one in rounds), deepest, common_k)


def create_round(
    month: str,
    sample: Sample,
    judgments: object,
    *,
    convention: Convention | str | Mapping[str, object] | None = None,
    scale: Scale | str | None = None,
    k: int | Mapping[str, int] | None = None,
    common_k: int | None = None,
    grading: str = "",
    model_judgments: object = None,
) -> Round:
    """Evaluates a month's sample under its grades.

    Args:
        month: Such as `2026-03`.
        sample: What `relyon.draw_sample` or `relyon.read_sample` returned.
        judgments: As for `relyon.evaluate`, by query. Queries that were not sampled are left out.
        convention: The rules, as for `relyon.evaluate`.
        scale: The grade scale; `None` takes the judgments' own.
        k: Ranks that count, for all tiers or by tier; `None` takes the sample's.
        common_k: Ranks that count where tiers are compared; `None` takes the sample's, or the
            smallest depth if that is smaller.
        grading: How several judges' grades became one, to be kept with the round.
        model_judgments: A model's grades of all sampled queries, where people graded a random
            choice of them: the month then has a prediction-powered interval, too.

    Returns:
        The round; `relyon.write_round` stores it.

    Raises:
        ParameterError: If the month is invalid, none of its sessions can be in the sample, or a k
            is deeper than the sample.
        InputError: If none of the sampled queries is judged, the judgments cannot be read, or
            grades without a scale are negative or above 10.

    Examples:
        >>> import polars as pl, relyon
        >>> log = pl.DataFrame({
        ...     "session": ["s1", "s1"], "query": ["tv", "tv"], "position": [1, 2],
        ...     "doc": ["a", "b"],
        ... })
        >>> sample = relyon.draw_sample(log, k=10)
        >>> relyon.create_round("2026-03", sample, {"tv": {"a": 3, "b": 1}, "pen": {"c": 1}})
        Round('2026-03', sessions=1, grades=2)
    """
    check_type("month", month, str, "text such as 2026-03")
    check_month(month)
    check_type("sample", sample, Sample, "what relyon.draw_sample or relyon.read_sample returned")
    origin = sample.origin
    if not origin.contains(month):
        values = {"period": str(origin.period), "month": month}
        known = {"own": origin.month, "month": month}
        raise ParameterError(
            message("online.sample-of-other-period", **values),
            hint=message("online.add-as-its-month", **known)
            if origin.month
            else message("online.draw-this-month"),
        )
    if any(tier.name == "all" for tier in sample.tiers):
        raise ParameterError(message("online.tier-must-not-be-called"))
    rules = load_convention(convention)
    found = read_judgments(judgments, scale=scale)
    _check_grades(found)
    own = {tier.name: tier.k for tier in sample.tiers}
    depths = chosen_depths(own, own, k)
    least = min(depths.values())
    common = chosen_common(min(sample.common_k, least), least, common_k)
    kept = _of_sample(sample, found)
    results = _results(sample, kept, rules, depths, common)
    machine = None
    if model_judgments is not None:
        from relyon.analysis.prediction_powered import in_grades_of_people

        read = read_judgments(model_judgments, scale=found.scale)
        machine = _of_sample(sample, in_grades_of_people(read, found, {}))
    made = Round(month, sample, kept, rules, depths, common, results, grading=grading)
    return replace(made, model_judgments=machine)


def _check_grades(judgments: Judgments) -> None:
    """Refuses grades that belong to no usual scale, unless a scale is given.

    Raises:
        InputError: If one is negative, or above 10.
    """
    if judgments.scale is not None:
        return
    least, most = math.inf, -math.inf
    for grades in judgments.to_dict().values():
        least, most = min(least, *grades.values()), max(most, *grades.values())
    if least < 0 or most > MOST_GRADE:
        raise InputError(
            message("online.grades-are-outside", least=least, most=most, usual=MOST_GRADE),
            path=judgments.path,
            hint=message("online.name-scale-of-grades"),
        )


def _of_sample(sample: Sample, judgments: Judgments) -> Judgments:
    queries = sample.sessions["query"].unique().sort().to_list()
    kept = {query: judgments[query] for query in queries if query in judgments}
    if not kept:
        raise InputError(
            message(
                "online.none-of-sampled-queries",
                count=len(queries),
                queries=queries[0],
            ),
            path=judgments.path,
            hint=message("online.grades-are-by-query"),
        )
    return Judgments.from_dict(kept, scale=judgments.scale, source=judgments.source)


def _results(
    sample: Sample,
    judgments: Judgments,
    rules: Convention,
    depths: Mapping[str, int],
    common: int,
) -> pl.DataFrame:
    own = session_values(sample, judgments, rules, depths)
    shared = session_values(sample, judgments, rules, dict.fromkeys(depths, common))
    return own.with_columns(shared["dcg"].alias("common_dcg"), shared["ndcg"].alias("common_ndcg"))
