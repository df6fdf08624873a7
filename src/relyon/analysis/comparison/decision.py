"""One line on top of a comparison: ship, do not ship, grade more, or cannot tell."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, NamedTuple

from relyon.analysis.comparison.contrast import Contrast
from relyon.analysis.comparison.contrast_parts import contrast_label, decimals
from relyon.core.document.json import json_number
from relyon.core.texts import Language, catalogue
from relyon.core.texts.numbers import DIGITS, TERMINAL, NumberStyle
from relyon.measures.parser import measure as parse_measure

if TYPE_CHECKING:
    from relyon.analysis.comparison.paired_runs import PairedRuns

__all__ = [
    "DEPTH",
    "GAP",
    "JUDGED",
    "MANY_UNJUDGED",
    "Choice",
    "Decision",
    "Lost",
    "decide",
    "decision_lines",
    "lost_queries",
]

Choice = Literal["ship", "do-not-ship", "grade-more", "cannot-tell"]
Reason = Literal[
    "better",
    "equal",
    "equal-loss",
    "not-worse",
    "worse",
    "unjudged",
    "few",
    "few-clusters",
    "lost",
    "unchanged",
    "corrected",
    "undecided",
    "other-better",
    "guard",
    "hidden",
    "untested",
    "failed",
]
#: At least this share of the top k is unjudged, or one run has so much more than the other: then
#: documents without a grade can turn a result. The rule `unjudged` of `relyon.diagnose` has them.
MANY_UNJUDGED, GAP = 0.2, 0.1
#: The share is that of the first so many documents, unless a `judged@k` is compared.
DEPTH = 10
#: The measure of that share.
JUDGED = f"judged@{DEPTH}"


@dataclass(frozen=True)
class Decision:
    """What a comparison says about shipping one candidate.

    Attributes:
        candidate: The name of the candidate.
        choice: `ship`, `do-not-ship`, `grade-more` or `cannot-tell`.
        reason: Why: `better`, `equal`, `equal-loss` (a significant loss within the margin) or
            `not-worse`; `worse`; `unjudged`; `few`, `few-clusters`, `lost` (the candidate lacks
            queries of the baseline that the rules leave out), `unchanged`, `corrected`
            (significant only before the correction), `undecided`, `other-better` (not the first
            measure, but another one is better), `guard` (another measure's margin is not shown),
            `hidden` (worse on a value of a column), `untested`; `failed` if a gate fails.
        contrast: The contrast that decides; `None` if none is tested.
        undecided: The other tested measures that are undecided.
        unjudged: The unjudged shares of the baseline's and the candidate's first k; `None` if they
            are unknown.
        k: The cutoff of these shares.
        unknown: Whether documents may be unjudged, and how many is unknown.
        lost: How many of the baseline's queries the candidate lacks and the rules leave out.
        unseen: Where a candidate ships as it is better and no query lost: the largest share of
            queries like these that may lose.
    """

    candidate: str
    choice: Choice
    reason: Reason
    contrast: Contrast | None = None
    undecided: tuple[str, ...] = ()
    unjudged: tuple[float, float] | None = None
    k: int = DEPTH
    unknown: bool = False
    lost: int = 0
    unseen: float | None = None

    def text(
        self,
        language: Language = "en",
        *,
        style: NumberStyle = TERMINAL,
        digits: int = DIGITS,
        queries: bool = True,
    ) -> str:
        """Returns the reason as one sentence with its numbers, without a full stop.

        Args:
            language: `en` or `zh`.
            style: How numbers are written.
            digits: Decimals.
            queries: Whether the number of queries is named.
        """
        words = catalogue("decision", language, style)
        one = self.contrast
        if one is None:
            return words.say(f"reason.{self.reason}")
        shares = self.unjudged or (math.nan, math.nan)
        behind = self._behind()
        values = {
            "numbers": self._numbers(one, language, style, digits, queries),
            "measure": contrast_label(one),
            "run": (one.baseline, one.candidate)[behind],
            "share": style.percent(shares[behind]),
            "k": self.k,
            "candidate": self.candidate,
            "lost": self.lost,
        }
        text = words.say(f"reason.{self.reason}", **values)
        if self.choice == "ship" and self.unseen is not None:
            key = "unseen_clusters" if one.in_clusters else "unseen"
            text = words.say(key, text=text, share=style.percent(self.unseen))
        if self.choice == "ship" and self.undecided:
            text = words.say("open", text=text, measures=list(self.undecided))
        if self.choice in {"ship", "do-not-ship"} and self.unknown:
            text = words.say("unknown", text=text)
        return text

    def _behind(self) -> int:
        """Returns which run's unjudged documents could turn the result: 0 is the baseline."""
        if self.unjudged is None:
            return 0
        verdict = None if self.contrast is None else self.contrast.verdict
        if verdict == "worse":
            return 1
        if verdict in {"better", "equal", "not-worse"}:
            return 0
        return int(self.unjudged[1] >= self.unjudged[0])

    def _numbers(
        self, one: Contrast, language: Language, style: NumberStyle, digits: int, queries: bool
    ) -> str:
        words = catalogue("decision", language, style)
        known = not math.isnan(one.interval[0])
        places = decimals(one, digits)
        values = {
            "measure": contrast_label(one),
            "difference": style.signed(one.difference, places),
            "interval": style.signed_interval(one.interval, digits) if known else "",
        }
        parts = [words.say("numbers.interval" if known else "numbers.plain", **values)]
        if not math.isnan(one.p_adjusted):
            parts.append(style.p_equation(one.p_adjusted, digits))
        if one.margin is not None:
            parts.append(words.say("numbers.margin", margin=f"{one.margin.size:.4g}"))
        if queries:
            parts.append(words.say("numbers.queries", queries=one.queries))
        return words["numbers.comma"].join(parts)

    def line(
        self,
        language: Language = "en",
        *,
        style: NumberStyle = TERMINAL,
        digits: int = DIGITS,
        several: bool = False,
    ) -> str:
        """Returns the whole line: the choice, and the reason.

        Args:
            language: `en` or `zh`.
            style: How numbers are written.
            digits: Decimals.
            several: Whether the candidate is named.
        """
        words = catalogue("decision", language, style)
        return words.say(
            "line_of" if several else "line",
            candidate=self.candidate,
            choice=words[f"choice.{self.choice}"],
            reason=self.text(language, style=style, digits=digits),
        )

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values."""
        return {
            "candidate": self.candidate,
            "choice": self.choice,
            "reason": self.reason,
            "measure": None if self.contrast is None else self.contrast.measure,
            "undecided": list(self.undecided),
            "unjudged": None
            if self.unjudged is None
            else {"k": self.k, "shares": [json_number(one) for one in self.unjudged]},
            "text": self.line(),
        }


def decide(
    comparison: PairedRuns, candidate: str, measures: Sequence[str] | None = None
) -> Decision:
    """Returns what a comparison says about shipping a candidate.

    It is derived from the verdicts of the contrasts, so it never contradicts them. The first tested
    measure decides (`Comparison.focus`); the others are guard rails. In this order:

    1. `do-not-ship` if a tested measure is worse. If, on the measure that is worse, the candidate
       has many unjudged documents, `grade-more`: they count as not relevant, and could turn it.
    2. `cannot-tell` with fewer than six queries or clusters; if the candidate lacks queries of the
       baseline that the rules leave out (`lost_queries`), as the others cannot show that it is not
       worse; or if no query changed.
    3. `grade-more` if the first measure is better, or not worse by its margin, but the baseline has
       many unjudged documents; or if it is undecided and one of the runs has many.
    4. `cannot-tell` if the first measure is undecided; if another measure has a margin and a loss
       of it is not ruled out; or if a value of a column is significantly worse.
    5. `ship`.

    Many: a fifth of the first k documents, or ten points more than the other run. Only unjudged
    documents of the run that is behind can turn a difference, so only they count. The shares are
    those of a compared `judged@k`, that of the first measure's cutoff if there are several; else of
    `judged@10`, which a comparison of runs measures in the same pass; of evaluations alone
    they are unknown, which the sentence says. Of labelled tables, under condensed lists, or
    with judged passages they do not count.

    Where nothing changed, so that gains and losses are equally likely, the probability of `ship` is
    alpha / 2 without margins: the first measure must be significantly better. With a margin it is
    about that where the loss is the margin. A candidate that is worse by less, or equal, may be
    shipped under the margin. No test rules out rare and large losses that are not in the sample, so
    where no query lost the sentence says what share p of queries like these may: of n queries (or
    clusters) none loses with probability (1 - p)^n, which is 1 - confidence at
    p = 1 - (1 - confidence)^(1 / n), the exact one-sided bound behind the "rule of three" (Hanley
    and Lippman-Hand 1983).

    Args:
        comparison: The comparison.
        candidate: The name of a candidate.
        measures: Only these, such as those of a gate; by default all that are compared.

    Raises:
        UnknownNameError: If a measure was not compared.

    Examples:
        >>> import relyon
        >>> judgments = {f"q{n}": {"good": 1, "bad": 0} for n in range(20)}
        >>> old = {q: {"good": 1.0, "bad": 2.0} for q in judgments}
        >>> new = {q: {"good": 2.0, "bad": 1.0} for q in judgments} | {"q0": old["q0"]}
        >>> comparison = relyon.compare(judgments, old, new, ["rr", "judged@10"])
        >>> choice, reason = decide(comparison, "run 2").line().split(" - ")
        >>> choice
        'decision: ship'
        >>> for part in reason.split("; "):
        ...     print(part)
        better: rr +0.4750 [+0.4227, +0.5273], p < 0.0001, 20 queries
        no query lost, up to 14% of such queries may
    """
    wanted = None
    if measures:
        wanted = {comparison.contrast(candidate, name).measure for name in measures}
    found = [
        one
        for one in comparison.contrasts
        if one.candidate == candidate and one.tested and (wanted is None or one.measure in wanted)
    ]
    if not found:
        return Decision(candidate, "cannot-tell", "untested")
    first = next((one for one in found if one.measure == comparison.focus), found[0])
    k, unjudged = _unjudged(comparison, candidate, first)
    results = getattr(comparison, "results", ())  # of labelled tables they have no fingerprints
    judged = any(getattr(one, "inputs", None) is not None for one in results)
    missing = lost_queries(comparison, candidate).values()
    lost = max((len(one.queries) for one in missing), default=0)

    def told(choice: Choice, reason: Reason, one: Contrast = first) -> Decision:
        open_ones = tuple(
            contrast_label(each) for each in found if each.verdict == "undecided" and each != one
        )
        return Decision(
            candidate,
            choice,
            reason,
            one,
            open_ones,
            unjudged,
            k,
            unjudged is None and judged,
            lost,
        )

    worse = [one for one in found if one.verdict == "worse"]
    if worse:
        one = first if first in worse else worse[0]
        if _many(unjudged, 1):
            return told("grade-more", "unjudged", one)
        return told("do-not-ship", "worse", one)
    if first.few:
        return told("cannot-tell", "few-clusters" if first.in_clusters else "few")
    if lost:
        return told("cannot-tell", "lost")
    if first.verdict == "undecided":
        if not first.changed and first.difference == 0:
            return told("cannot-tell", "unchanged")
        if _many(unjudged, 0) or _many(unjudged, 1):
            return told("grade-more", "unjudged")
        better = [one for one in found if one.verdict == "better"]
        if better:
            return told("cannot-tell", "other-better", better[0])
        alone = first.p <= comparison.settings.alpha < first.p_adjusted
        return told("cannot-tell", "corrected" if alone else "undecided")
    if _many(unjudged, 0):
        return told("grade-more", "unjudged")
    for one in found:
        if one.margin is not None and one.verdict == "undecided":
            return told("cannot-tell", "guard", one)
    if any(
        part.contrast.candidate == candidate
        for each in comparison.breakdowns
        for part in each.losses()
    ):
        return told("cannot-tell", "hidden")
    if first.verdict == "better":
        return replace(
            told("ship", "better"), unseen=_unseen(first, comparison.settings.confidence)
        )
    if first.verdict == "not-worse":
        return told("ship", "not-worse")
    significant = first.p_adjusted <= comparison.settings.alpha
    return told("ship", "equal-loss" if significant else "equal")


class Lost(NamedTuple):
    """Queries that a run lacks: their ids, and the baseline's run that has them."""

    queries: tuple[str, ...]
    baseline: str
    of: int


def lost_queries(comparison: PairedRuns, candidate: str) -> dict[str, Lost]:
    """Returns the baseline's queries that a candidate lacks, if the convention leaves them out.

    A candidate that fails on hard queries and returns nothing for them looks better on the others.

    Args:
        comparison: The comparison.
        candidate: The name of a candidate.

    Returns:
        By the name of the run, of which a system has several: the ids, in the baseline's order;
        the name of the baseline's fullest run, and how many queries it has. Empty if nothing is
        lacking, if lacking queries count (`missing=zero`), or if values alone were compared.
    """
    convention = comparison.convention
    if convention is None or convention.missing != "skip":
        return {}
    systems = getattr(comparison, "systems", ())
    results = [one.results for one in systems]
    results = results or [(one,) for one in getattr(comparison, "results", ())]
    if len(results) != len(comparison.runs):
        return {}
    of = dict(zip(comparison.runs, results, strict=True))
    fullest = max(of[comparison.baseline], key=lambda one: len(one.queries))
    found = {}
    for one in of[candidate]:
        kept = set(one.queries)
        lost = tuple(query for query in fullest.queries if query not in kept)
        if lost:
            found[one.run] = Lost(lost, fullest.run, len(fullest.queries))
    return found


def _unseen(one: Contrast, confidence: float) -> float | None:
    """Returns the upper bound of the share that loses, if none did; else `None`."""
    if one.losses or not one.wins:
        return None
    return float(1 - (1 - confidence) ** (1 / one.units))


def _many(shares: tuple[float, float] | None, side: int) -> bool:
    """Whether a run has many unjudged documents; 0 is the baseline."""
    if shares is None:
        return False
    slack = 1e-9  # shares are means of floating-point numbers
    return shares[side] >= MANY_UNJUDGED - slack or shares[side] - shares[1 - side] >= GAP - slack


def _unjudged(
    comparison: PairedRuns, candidate: str, first: Contrast
) -> tuple[int, tuple[float, float] | None]:
    """Returns the cutoff, and the unjudged share of both runs; none if they do not matter."""
    convention = comparison.convention
    if convention is not None and convention.unjudged == "removed":
        return DEPTH, (0.0, 0.0)
    passages = getattr(getattr(comparison, "judgments", None), "passages", None)
    if passages is not None:  # a chunk without a judged passage has no grade by definition
        return DEPTH, (0.0, 0.0)
    shown = {
        k: one
        for one in comparison.contrasts
        if one.candidate == candidate and (k := _cutoff(one.measure, "judged")) is not None
    }
    cutoff = _cutoff(first.measure)
    if shown:
        k = cutoff if cutoff in shown else min(shown)
        one = shown[k]
        shares = 1.0 - one.baseline_mean, 1.0 - one.candidate_mean
    else:
        k, measured = DEPTH, comparison.judged_share
        shares = 1.0 - measured(comparison.baseline), 1.0 - measured(candidate)
    return k, None if any(map(math.isnan, shares)) else shares


def _cutoff(measure: str, name: str = "") -> int | None:
    try:
        found = parse_measure(measure)
    except (LookupError, ValueError):
        return None
    k = getattr(found, "k", None)
    return k if isinstance(k, int) and name in {"", found.name} else None


def decision_lines(
    comparison: PairedRuns,
    language: Language = "en",
    *,
    style: NumberStyle = TERMINAL,
    digits: int = DIGITS,
) -> list[str]:
    """Returns the line of each candidate.

    Args:
        comparison: The comparison.
        language: `en` or `zh`.
        style: How numbers are written.
        digits: Decimals.
    """
    several = len(comparison.candidates) > 1
    return [
        decide(comparison, name).line(language, style=style, digits=digits, several=several)
        for name in comparison.candidates
    ]
