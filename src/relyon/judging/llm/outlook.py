"""Whether a language model agrees with people as well as people agree with each other."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import TYPE_CHECKING, Literal

from relyon.core.language import Language, check_language
from relyon.core.texts import catalogue
from relyon.judging.llm.figures import weighted_kappas
from relyon.judging.records import Item

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["FEW", "MARGIN", "Outlook", "compare_with_people"]

#: How far the model's κ with people may be below that of people with each other.
MARGIN = 0.1
#: People who share fewer items with other people are left out.
FEW = 5
#: Items or queries from which on there is an interval.
ENOUGH = 6
#: With none of n items seen to disagree, at most 3 / n of them do in 95 of 100 cases.
RULE_OF_THREE = 3.0

Verdict = Literal["within", "below", "open"]


@dataclass(frozen=True)
class Outlook:
    """Agreement of the model with single people, beside that of these people with each other.

    Both are quadratic weighted kappas over the same items: those that two or more people graded,
    each item counting by its number of pairs of people.

    Attributes:
        machine: The model with single people.
        people: These people with each other.
        difference: `machine` minus `people`.
        low: The lower end of its interval; NaN for fewer than six queries.
        high: The upper end.
        margin: How far the difference may be below 0.
        confidence: Confidence level of the interval.
        items: Items behind both.
        queries: Their queries.
        judges: The people.
        left_out: People who share fewer than five items with others.
    """

    machine: float
    people: float
    difference: float
    low: float
    high: float
    margin: float
    confidence: float
    items: int
    queries: int
    judges: tuple[str, ...]
    left_out: tuple[str, ...]

    @property
    def verdict(self) -> Verdict:
        """`within` the margin, `below` it, or `open`: the items cannot tell.

        `within` if the whole interval of the difference is above -margin, `below` if it is all
        below. So a model worse than the margin is called `within` in at most (1 - confidence) / 2
        of cases, regardless of the number of people.
        """
        if self.low > -self.margin:
            return "within"
        return "below" if self.high < -self.margin else "open"

    @property
    def within(self) -> bool:
        """Whether the model is shown to agree with people as well as they do, within the margin."""
        return self.verdict == "within"

    def text(self, language: Language = "en") -> str:
        """Returns the verdict with its numbers, and who was left out."""
        check_language(language)
        texts = catalogue("judging", language)
        unknown = math.isnan(self.difference)
        numbers = {
            name: getattr(self, name)
            for name in ("machine", "people", "difference", "margin", "confidence", "items")
        }
        numbers |= {"queries": self.queries, "interval": (self.low, self.high), "few": FEW}
        key = "unknown" if unknown else "short" if math.isnan(self.low) else self.verdict
        figures = "outlook.plain" if math.isnan(self.low) else "outlook.figures"
        said = [] if unknown else [texts.say(figures, **numbers)]
        said.append(texts.say(f"outlook.{key}", **numbers))
        if self.left_out:
            said.append(texts.say("outlook.left-out", few=FEW, judges=list(self.left_out)))
        return texts.word("list.sentence").join(said)


def compare_with_people(
    items: Sequence[Item],
    graded: Mapping[int, float],
    people: Mapping[int, Mapping[str, float]],
    margin: float,
    confidence: float,
) -> Outlook | None:
    """Compares a model's agreement with people with that of people among themselves.

    d = κ(model, person) - κ(person, person), with the jackknife over queries with all their items:
    d ± t_{Q-1} √((Q - 1) / Q Σ (d_q - d̄)²), d_q being d without query q of Q. If fewer than six
    items show a disagreement, the interval is wider by 3 / items on both sides.

    Args:
        items: The items, with their queries.
        graded: The model's grade of each.
        people: Grades by item and person.
        margin: How far d may be below 0.
        confidence: Confidence level of the interval.

    Returns:
        The comparison; None if no item was graded by two people.

    References:
        Calderon, Reichart and Dror (2025), ACL: the alternative annotator test. Schuirmann (1987)
        for the margin. Cohen (1968), Psychological Bulletin 70(4). Efron and Stein (1981), Annals
        of Statistics 9(3), for the jackknife.
    """
    import numpy as np

    several = [one for one in items if len(people.get(one.id, {})) > 1]
    if not several:
        return None
    shared = Counter(name for one in several for name in people[one.id])
    kept = {name for name, count in shared.items() if count >= FEW}
    left_out = tuple(sorted(shared.keys() - kept))
    held = {
        one.id: [grade for name, grade in people[one.id].items() if name in kept] for one in several
    }
    chosen = [one for one in several if len(held[one.id]) > 1]
    nan = math.nan
    if not chosen:
        return Outlook(nan, nan, nan, nan, nan, margin, confidence, 0, 0, (), left_out)
    levels = sorted({grade for one in chosen for grade in (*held[one.id], graded[one.id])})
    place = {grade: number for number, grade in enumerate(levels)}
    queries = {query: n for n, query in enumerate(dict.fromkeys(one.query for one in chosen))}
    # Counts of pairs of grades per query: of the model with each person, and of two people.
    counts = np.zeros((2, len(queries), len(levels), len(levels)))
    apart = 0
    for one in chosen:
        row, grades, own = queries[one.query], held[one.id], graded[one.id]
        apart += len({own, *grades}) > 1
        for grade in grades:
            counts[0, row, place[own], place[grade]] += len(grades) - 1
        for first, second in permutations(grades, 2):
            counts[1, row, place[first], place[second]] += 1
    machine, among, low, high = _difference(counts, np.array(levels), confidence)
    unseen = RULE_OF_THREE / len(chosen) if apart < ENOUGH else 0.0
    return Outlook(
        machine,
        among,
        machine - among,
        low - unseen,
        high + unseen,
        margin,
        confidence,
        len(chosen),
        len(queries),
        tuple(sorted(kept)),
        left_out,
    )


def _difference(
    counts: NDArray[np.float64], levels: NDArray[np.float64], confidence: float
) -> tuple[float, float, float, float]:
    """Returns both kappas, and the ends of the interval of their difference."""
    import numpy as np

    from relyon.analysis.statistics import student_quantile

    whole = counts.sum(axis=1, keepdims=True)
    machine, people = (float(weighted_kappas(table, levels)[0]) for table in whole)
    count = counts.shape[1]
    if count < ENOUGH:
        return machine, people, math.nan, math.nan
    without = [weighted_kappas(table, levels) for table in whole - counts]
    moved = without[0] - without[1]
    spread = math.fsum(np.square(moved - moved.mean()).tolist())
    error = math.sqrt((count - 1) / count * spread)
    half = student_quantile(count - 1, 0.5 + confidence / 2) * error
    centre = machine - people
    return machine, people, centre - half, centre + half
