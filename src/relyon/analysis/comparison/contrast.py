"""One candidate against the baseline on one measure."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from relyon.core.document.exportable import Exportable
from relyon.core.document.json import json_number, json_values
from relyon.measures.parser import measure as parse_measure

if TYPE_CHECKING:
    import polars

    from relyon.analysis.comparison.clusters.facts import ClusterFacts
    from relyon.analysis.comparison.margins.facts import Margin
    from relyon.analysis.comparison.pooled.facts import Dominance, ShareContrast
    from relyon.analysis.comparison.repeats.repeats import Repeats

__all__ = [
    "UNTESTED",
    "Contrast",
    "NoInterval",
    "PairContrast",
    "Verdict",
    "describes_data",
    "gain_sign",
    "verdict",
]

#: `not-worse` and `equal` need a margin.
Verdict = Literal["better", "not-worse", "equal", "worse", "undecided", "described"]
#: Why a tested contrast has no interval: no query changed; all changed alike, so that the spread is
#: unknown; one query has so many of the pairs that fewer than two effective ones remain; a value is
#: infinite or without a number; there are fewer than two queries, or effectively fewer than two
#: clusters; or too few for the first look of an asymptotic test.
NoInterval = Literal[
    "",
    "unchanged",
    "equal-changes",
    "one-decides",
    "not-finite",
    "one-query",
    "one-cluster",
    "first-look",
]
#: Why a measure never has a p-value.
UNTESTED = "the measure describes the data, not the quality of a ranking"


def describes_data(measure: str) -> bool:
    """Whether a measure is shown but not tested; another program's values are always tested.

    Examples:
        >>> describes_data("judged@10"), describes_data("ndcg@10"), describes_data("revenue")
        (True, False, False)
    """
    try:
        return parse_measure(measure).describes == "data"
    except (LookupError, ValueError):
        return False


def gain_sign(measure: str) -> int:
    """Returns the sign of a change for the better: -1 if lower values of a measure are better.

    Of another program's values higher ones are better.

    Examples:
        >>> gain_sign("ndcg@10"), gain_sign("rbp_residual"), gain_sign("revenue")
        (1, -1, 1)
    """
    try:
        return -1 if parse_measure(measure).better == "lower" else 1
    except (LookupError, ValueError):
        return 1


def verdict(
    measure: str,
    difference: float,
    queries: int,
    p: float,
    alpha: float,
    margin: Margin | None = None,
) -> Verdict:
    """Returns whether a candidate is better or worse, or nothing can be concluded.

    With a margin, in this order: a significant gain is `better`; `equal` if a loss and a gain of
    the margin are ruled out, even if a smaller loss is significant; a significant loss is `worse`;
    `not-worse` if a loss of the margin is ruled out.

    Args:
        measure: The measure's name: of some, lower values are better.
        difference: candidate - baseline.
        queries: Number of paired queries.
        p: The p-value, corrected if there are several.
        alpha: Significance level.
        margin: What is shown about the smallest difference that matters.

    Examples:
        >>> verdict("ndcg@10", 0.03, 50, 0.01, 0.05), verdict("ndcg@10", 0.03, 5, 0.01, 0.05)
        ('better', 'undecided')
    """
    from relyon.analysis.statistics import is_significant

    gain = gain_sign(measure) * difference
    significant = difference != 0 and is_significant(queries, p, alpha)
    if significant and gain > 0:
        return "better"
    if margin is not None and margin.not_worse and margin.not_better:
        return "equal"
    if significant:
        return "worse"
    return "not-worse" if margin is not None and margin.not_worse else "undecided"


@dataclass(frozen=True)
class Contrast(Exportable):
    """One candidate against the baseline on one measure, paired by query.

    Attributes:
        measure: The measure's name.
        baseline: The name of the baseline run.
        candidate: The name of the candidate run.
        average: How queries became one number: `macro`, `micro` or `sum`.
        queries: Number of paired queries.
        left_out: Queries without a finite value in one or both runs.
        baseline_mean: The baseline's number over the paired queries.
        candidate_mean: The candidate's.
        difference: candidate - baseline.
        interval: Confidence interval of the difference; NaN if there is none. Of a ratio of sums
            without a limit, such as PNR, it is that of the quotient, at the baseline's number.
        p_values: Two-sided p by test: `t`, `wilcoxon`, `sign`, `permutation`, `bootstrap`; NaN if a
            test does not apply.
        statistics: Student's `t` with its `degrees_of_freedom`, and Wilcoxon's `w`: the smaller
            sum of signed ranks; NaN if undefined.
        test: The deciding test. For numbers pooled over queries, a ratio of sums such as PNR or a
            pooled AUC, `permutation` replaces `t`, `wilcoxon` and `sign`.
        p: Its p-value.
        p_adjusted: The same corrected for the number of comparisons (runs x measures).
        effect_size: d_z: the mean difference divided by the differences' standard deviation.
        wins: Queries on which the candidate is better.
        ties: Queries on which both are equal.
        losses: Queries on which the candidate is worse.
        detectable: The smallest difference that this many queries detect with a power of 0.8; NaN
            if the spread is unknown, as if no query changed.
        queries_needed: Queries needed to detect the observed difference with a power of 0.8; 0
            without a difference.
        baseline_details: Details of the baseline's number, such as PNR without pairs of equal
            labels (`strict`) and that of random orders (`random`).
        candidate_details: The same for the candidate.
        definition: The measure with all parameters filled in; empty if only values were given.
        verdict: `better` or `worse` if `p_adjusted` is at most alpha and there are six queries or
            more, else `undecided`. A negative difference is better if the measure says that lower
            values are. With a margin also `not-worse` or `equal`. Or `described` for a measure of
            the data, such as `judged@10`. Such a contrast has both numbers and their difference; it
            is not tested, so it has neither p nor interval.
        changed: Queries on which the runs differ.
        no_interval: Why a tested contrast has no interval: `unchanged`, `equal-changes`,
            `one-decides`, `not-finite`, `one-query`, `one-cluster` or, of the test `asymptotic`,
            `first-look`; empty if it has one.
        quotient: For a ratio without a limit, such as PNR: the interval of candidate / baseline;
            NaN if there is none.
        share: For a ratio of pairs: the share of positive pairs, with its own interval and test.
        largest: For a ratio of sums: the query with the most pairs, and its share of them.
        dominant: The query without which a pooled difference would be another, if there is one.
        repeats: What repeated runs show, if a system has several: noise floor and variances.
        margin: What is shown about the smallest difference that matters, if one was given.
        clusters: The clusters of the queries, if they are known. Then `wins`, `ties`, `losses`,
            `changed` and `effect_size` count queries; tests, intervals, `detectable` and
            `queries_needed` allow for differences that are alike within a cluster.
    """

    measure: str
    baseline: str
    candidate: str
    average: str
    queries: int
    left_out: int
    baseline_mean: float
    candidate_mean: float
    difference: float
    interval: tuple[float, float]
    test: str
    p: float
    p_adjusted: float
    effect_size: float
    wins: int
    ties: int
    losses: int
    detectable: float
    queries_needed: int
    verdict: Verdict = "undecided"
    p_values: Mapping[str, float] = field(default_factory=dict)
    baseline_details: Mapping[str, float] = field(default_factory=dict)
    candidate_details: Mapping[str, float] = field(default_factory=dict)
    statistics: Mapping[str, float] = field(default_factory=dict)
    definition: str = ""
    changed: int = 0
    no_interval: NoInterval = ""
    quotient: tuple[float, float] = (math.nan, math.nan)
    share: ShareContrast | None = None
    largest: tuple[str, float] | None = None
    dominant: Dominance | None = None
    repeats: Repeats | None = None
    margin: Margin | None = None
    clusters: ClusterFacts | None = None

    @property
    def in_clusters(self) -> bool:
        """Whether tests count clusters, some of which have several queries."""
        return self.clusters is not None and not self.clusters.alone

    @property
    def units(self) -> int:
        """How many independent differences there are: clusters, or queries if they have none.

        1 if one cluster has so many of the queries that the others hardly count.
        """
        if self.clusters is None:
            return self.queries
        return 1 if self.clusters.decided else self.clusters.count

    @property
    def changed_units(self) -> int:
        """How many of these the runs differ on."""
        return self.changed if self.clusters is None else self.clusters.changed

    @property
    def few(self) -> bool:
        """Whether there are too few queries or clusters to call a difference significant: < 6."""
        from relyon.analysis.statistics import ENOUGH_QUERIES

        return self.units < ENOUGH_QUERIES

    @property
    def tested(self) -> bool:
        """Whether the difference is tested, not just described."""
        return self.verdict != "described"

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values; missing numbers are null."""
        details = {
            name: {key: json_number(value) for key, value in one.items()}
            for name, one in (
                ("baseline_details", self.baseline_details),
                ("candidate_details", self.candidate_details),
            )
            if one
        }
        return {
            "measure": self.measure,
            "definition": self.definition or None,
            "baseline": self.baseline,
            "candidate": self.candidate,
            "average": self.average,
            "queries": self.queries,
            "left_out": self.left_out,
            "baseline_mean": json_number(self.baseline_mean),
            "candidate_mean": json_number(self.candidate_mean),
            "difference": json_number(self.difference),
            "interval": [json_number(bound) for bound in self.interval],
            "test": self.test,
            "p": json_number(self.p),
            "p_adjusted": json_number(self.p_adjusted),
            "p_values": {name: json_number(value) for name, value in self.p_values.items()},
            "statistics": {name: json_number(value) for name, value in self.statistics.items()},
            "effect_size": json_number(self.effect_size),
            "wins": self.wins,
            "ties": self.ties,
            "losses": self.losses,
            "changed": self.changed,
            "no_interval": self.no_interval or None,
            **({} if math.isnan(self.quotient[0]) else {"quotient": json_values(self.quotient)}),
            **({} if self.share is None else {"share": self.share.to_dict()}),
            **({} if self.largest is None else {"largest": _query_share(*self.largest)}),
            **({} if self.dominant is None else {"dominant": self.dominant.to_dict()}),
            **({} if self.repeats is None else {"repeats": self.repeats.to_dict()}),
            "detectable": json_number(self.detectable),
            "queries_needed": self.queries_needed,
            "verdict": self.verdict,
            **({} if self.margin is None else {"margin": self.margin.to_dict()}),
            **({} if self.clusters is None else {"clusters": self.clusters.to_dict()}),
            "untested": None if self.tested else UNTESTED,
            **details,
        }

    def to_row(self) -> dict[str, object]:
        """Returns the same, flattened: one column per number."""
        details = {"baseline": self.baseline_details, "candidate": self.candidate_details}
        nested = {"interval", "quotient", "share", "largest", "dominant", "margin", "clusters"}
        nested |= {"repeats", "p_values", "statistics"}
        nested |= {f"{run}_details" for run in details}
        row = {name: value for name, value in self.to_dict().items() if name not in nested}
        row["interval_low"], row["interval_high"] = map(json_number, self.interval)
        row["quotient_low"], row["quotient_high"] = map(json_number, self.quotient)
        row |= _flat("share", None if self.share is None else self.share.to_dict())
        row |= _flat("largest", None if self.largest is None else _query_share(*self.largest))
        row |= _flat("dominant", None if self.dominant is None else self.dominant.to_dict())
        if self.margin is not None:
            row |= _flat("margin", self.margin.to_dict())
        if self.clusters is not None:
            row |= _flat("clusters", self.clusters.to_dict())
        row |= {} if self.repeats is None else self.repeats.to_row()
        row |= {f"p_{name}": json_number(value) for name, value in self.p_values.items()}
        for run, numbers in details.items():
            row |= {f"{run}_{name}": json_number(value) for name, value in numbers.items()}
        row |= {name: json_number(value) for name, value in self.statistics.items()}
        return row

    def to_frame(self) -> polars.DataFrame:
        """Returns one row, one column per number."""
        import polars

        return polars.DataFrame([self.to_row()])


def _query_share(query: str, share: float) -> dict[str, object]:
    return {"query": query, "share": json_number(share)}


def _flat(name: str, values: Mapping[str, object] | None) -> dict[str, object]:
    """Returns values by names that begin alike, an interval as its two ends."""
    row: dict[str, object] = {}
    for key, value in (values or {}).items():
        if isinstance(value, list):
            row[f"{name}_low"], row[f"{name}_high"] = value
        else:
            row[name if key == "query" else f"{name}_{key}"] = value
    return row


@dataclass(frozen=True)
class PairContrast(Exportable):
    """Two of several runs on one measure, by the randomised Tukey HSD test.

    Attributes:
        measure: The measure's name.
        first: One run.
        second: The other.
        difference: second - first.
        p: Two-sided p-value, corrected for all pairs of runs.
        effect_size: The difference divided by the residual standard deviation of the two-way
            analysis of variance (runs and queries).
        queries: Queries with a value in all runs.
        clusters: Number of their clusters, if they are known.
    """

    measure: str
    first: str
    second: str
    difference: float
    p: float
    effect_size: float
    queries: int
    clusters: int | None = None

    @property
    def units(self) -> int:
        """How many independent values there are: clusters, or queries if they have none."""
        return self.queries if self.clusters is None else self.clusters

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values."""
        return {
            "measure": self.measure,
            "first": self.first,
            "second": self.second,
            "difference": json_number(self.difference),
            "p": json_number(self.p),
            "effect_size": json_number(self.effect_size),
            "queries": self.queries,
            **({} if self.clusters is None else {"clusters": self.clusters}),
        }

    def to_frame(self) -> polars.DataFrame:
        """Returns one row, one column per number."""
        import polars

        return polars.DataFrame([self.to_dict()])
