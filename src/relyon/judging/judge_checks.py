"""Which judges need help: who differs from the others, misses gold items, or hardly reads.

A finding names somebody, so it must not be chance. Each kind of finding about grades is a test over
queries (grades of one query are alike), with Holm's correction over the judges. One judge who
differs makes all the others differ from somebody: so the one who differs most is named first, and
the others are compared again without them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from relyon.analysis.statistics.clusters.ratios import RatioEstimate, jackknife_ratio
from relyon.analysis.statistics.correction import adjust
from relyon.analysis.statistics.distributions import student
from relyon.core.language import Language
from relyon.core.texts import PAGE, catalogue

if TYPE_CHECKING:
    import polars as pl

    from relyon.judging.given_grades import GivenGrades
    from relyon.judging.gold import GoldQuality

__all__ = ["FEWEST", "JudgeFinding", "check_judges", "measure_period"]

Kind = Literal["gold", "apart", "strict", "generous", "fast", "same", "same_alone", "two_differ"]

#: Shared results, timed grades or gold items of a judge below which no finding is returned.
FEWEST = 20
FEWEST_GOLD = 5
#: Queries below which an estimate's error is too uncertain to name somebody.
FEWEST_QUERIES = 8
#: The significance level, over all judges, of each kind of finding.
ALPHA = 0.05
#: Smaller differences are of no use to anybody, however certain.
LEAST_SHARE, LEAST_GRADE = 0.1, 0.25
#: The share of gold items that somebody who has read the guideline gets right.
GOLD_RIGHT = 0.7
#: Median seconds that are too few to read a title.
FASTEST = 1.0
#: A grade that is nearly always the same, where others' is not.
ALWAYS, OTHERS = 0.95, 0.8
#: Two judges who agree in fewer results than this should talk.
TWO_AGREE = 0.6


@dataclass(frozen=True)
class JudgeFinding:
    """Something about a judge that a lead should look at.

    Attributes:
        kind: `gold`: misses gold items; `apart`: agrees with the others less than they do with each
            other; `strict`, `generous`: grades lower, or higher, than the others; `fast`: grades in
            less time than reading takes; `same`, `same_alone`: nearly always gives the same grade;
            `two_differ`: two judges, whose grades do not show who is right.
        judge: The judge; of two, both names.
        value: The share, difference or seconds that was found.
        other: What it is compared with.
        count: Number of results behind it.
    """

    kind: Kind
    judge: str
    value: float
    other: float
    count: int

    def text(self, language: Language = "en") -> str:
        """Returns the finding as a sentence.

        Examples:
            >>> JudgeFinding("strict", "Bo", -0.5, 0.0, 60).text()
            'Bo grades 0.50 lower than the others on the same 60 results.'
        """
        return catalogue("judging", language, PAGE).say(
            f"help.{self.kind}",
            judge=self.judge,
            value=abs(self.value) if self.kind in {"strict", "generous"} else self.value,
            other=self.other,
            count=self.count,
        )


def check_judges(given: GivenGrades, gold: Sequence[GoldQuality] = ()) -> list[JudgeFinding]:
    """Returns what a lead should look at, what matters most first.

    Args:
        given: The grades, as `read_given` returns them.
        gold: How each judge graded the gold items.

    Returns:
        The findings; each kind names no judge with a probability of about 95% if all of them grade
        alike.

    References:
        Holm (1979), Scandinavian Journal of Statistics 6(2). Bell and McCaffrey (2002), Survey
        Methodology 28(2), for the error over queries.
    """
    shared = given.shared()
    return [
        *_gold(gold),
        *_one_by_one(given, _apart),
        *_one_by_one(given, _shifted),
        *_two(given.judges, shared),
        *_fast(given.frame),
        *_same(given.frame),
    ]


def measure_period(shared: pl.DataFrame) -> RatioEstimate:
    """Returns how often grades equal those of others, with its error over queries.

    Args:
        shared: Rows of `GivenGrades.shared`.
    """
    return _over_queries(shared, "equal")


def _over_queries(rows: pl.DataFrame, column: str) -> RatioEstimate:
    import polars as pl

    sums = rows.group_by("query").agg(pl.col(column).sum(), pl.len().alias("count"))
    return jackknife_ratio(sums[column].to_numpy(), sums["count"].to_numpy().astype(float))


#: A comparison of one judge with the others: its finding and p-value, if there is enough to say.
Compared: TypeAlias = "tuple[JudgeFinding, float] | None"
#: Compares a judge with the others: all grades, and the judge's shared ones.
Comparison: TypeAlias = "Callable[[GivenGrades, pl.DataFrame], Compared]"


def _one_by_one(given: GivenGrades, compare: Comparison) -> list[JudgeFinding]:
    """Names the judge who differs most, then compares the rest with each other."""
    named: list[JudgeFinding] = []
    while len(given.judges) > 2:
        each = given.shared().partition_by("judge", maintain_order=True)
        enough = [
            own
            for own in each
            if own.height >= FEWEST and own["query"].n_unique() >= FEWEST_QUERIES
        ]
        found = [one for own in enough if (one := compare(given, own)) is not None]
        corrected = adjust([p for _, p in found], "holm")
        certain = [
            (p, -abs(one.value - one.other), one)
            for (one, _), p in zip(found, corrected, strict=True)
            if p < ALPHA
        ]
        if not certain:
            break
        worst = min(certain, key=lambda one: one[:2])[2]
        least = LEAST_SHARE if worst.kind == "apart" else LEAST_GRADE
        if abs(worst.value - worst.other) < least:
            break
        named.append(worst)
        given = given.without(worst.judge)
    return named


def _apart(given: GivenGrades, own: pl.DataFrame) -> Compared:
    """Compares a judge's agreement with the others with theirs, tier by tier.

    Who got the difficult tiers agrees less for that reason: so the others' agreement is weighted
    by the tiers that this judge graded.
    """
    import polars as pl

    judge = str(own["judge"][0])
    others = given.without(judge).shared()
    own = own.filter(pl.col("tier").is_in(others["tier"].unique().to_list()))
    if own.height < FEWEST:
        return None
    mine = _over_queries(own, "equal")
    theirs, variance, degrees = 0.0, mine.error**2, mine.degrees
    for (tier,), rows in own.group_by("tier"):
        weight = rows.height / own.height
        found = _over_queries(others.filter(pl.col("tier") == tier), "equal")
        theirs += weight * found.value
        variance += weight**2 * found.error**2
        degrees = min(degrees, found.degrees)
    if not variance > 0:  # also without an error
        return None
    difference = mine.value - theirs
    p = 2 * student(degrees, -abs(difference) / math.sqrt(variance))
    if difference >= 0:
        p = 1.0
    return JudgeFinding("apart", judge, mine.value, theirs, own.height), p


def _shifted(given: GivenGrades, own: pl.DataFrame) -> Compared:
    found = _over_queries(own, "above")
    if math.isnan(found.error):
        return None
    kind: Kind = "strict" if found.value < 0 else "generous"
    return JudgeFinding(kind, str(own["judge"][0]), found.value, 0.0, own.height), found.p


def _two(judges: Sequence[str], shared: pl.DataFrame) -> list[JudgeFinding]:
    """Of two judges who differ, the grades do not show who is right."""
    if len(judges) != 2 or shared.height < 2 * FEWEST:
        return []
    found = measure_period(shared)
    _, high = found.share_interval(1 - 2 * ALPHA, shared.height / 2)
    if not high < TWO_AGREE:
        return []
    both = " / ".join(judges)
    return [JudgeFinding("two_differ", both, found.value, TWO_AGREE, shared.height // 2)]


def _gold(gold: Sequence[GoldQuality]) -> list[JudgeFinding]:
    enough = [one for one in gold if one.items >= FEWEST_GOLD]
    named = []
    for one in enough:
        share = RatioEstimate(one.equal, 0.0, one.items)
        _, high = share.share_interval(1 - 2 * ALPHA / len(enough), one.items)
        if high < GOLD_RIGHT:
            named.append(JudgeFinding("gold", one.judge, one.equal, GOLD_RIGHT, one.items))
    return sorted(named, key=lambda one: one.value)


def _fast(frame: pl.DataFrame) -> list[JudgeFinding]:
    import polars as pl

    timed = frame.filter(pl.col("seconds").is_not_null())
    found = timed.group_by("judge").agg(pl.col("seconds").median(), pl.len().alias("count"))
    rows = found.filter((pl.col("count") >= FEWEST) & (pl.col("seconds") < FASTEST))
    return [
        JudgeFinding("fast", judge, seconds, FASTEST, count)
        for judge, seconds, count in rows.sort("seconds", "judge").iter_rows()
    ]


def _same(frame: pl.DataFrame) -> list[JudgeFinding]:
    """Finds judges whose grades are nearly all the same, unlike others' of the same queries.

    Also if no others graded these queries: of many, all results have hardly ever the same grade.
    """
    import polars as pl

    named = []
    for (judge,), own in frame.group_by("judge", maintain_order=True):
        (grade, count) = own["grade"].value_counts(sort=True).row(0)
        others = frame.filter(
            (pl.col("judge") != judge) & pl.col("query").is_in(own["query"].unique().to_list())
        )
        if own.height < FEWEST or count < ALWAYS * own.height:
            continue
        share = count / own.height
        if others.height >= FEWEST:
            usual = (others["grade"] == grade).sum() / others.height
            if usual <= OTHERS:
                named.append(JudgeFinding("same", str(judge), share, usual, own.height))
        elif own["query"].n_unique() >= FEWEST_QUERIES:
            named.append(JudgeFinding("same_alone", str(judge), share, math.nan, own.height))
    return named
