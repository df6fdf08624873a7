"""Mistakes that programs of DCG and NDCG have, each as what it computes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

__all__ = ["DCG_MISTAKES", "NDCG_MISTAKES", "Case", "Mistake", "expected", "same"]


@dataclass(frozen=True)
class Case:
    """A list that a program is tried on.

    Attributes:
        grades: Grades of the returned documents, best ranked first.
        judged: Grades of all judged documents, in any order.
        missing: Those of them that were not returned.
    """

    grades: tuple[float, ...]
    judged: tuple[float, ...]
    missing: tuple[float, ...]


#: What a program with the mistake computes of a list; `None` where it has no value.
Mistake = Callable[[Case], float | None]


def expected(function: str, case: Case) -> float | None:
    """Returns what relyon computes of a list: `None` where it is undefined.

    Args:
        function: `dcg` or `ndcg`.
        case: The list.
    """
    import relyon

    if function == "dcg":
        value = relyon.measure("dcg").score(list(case.grades))
    else:
        value = relyon.measure("ndcg").score(list(case.grades), list(case.missing))
    return None if math.isnan(value) else float(value)


def same(value: object, other: float | None) -> bool:
    """Returns whether two values agree to six digits, as single precision does; NaN and `None`
    are both undefined.

    Examples:
        >>> same(0.5, 0.5000001), same(float("nan"), None), same(0, None), same("0.5", 0.5)
        (True, True, False, False)
    """
    undefined = value is None or (isinstance(value, float) and math.isnan(value))
    if undefined or other is None:
        return undefined and other is None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return math.isclose(value, other, rel_tol=1e-6, abs_tol=1e-9)


def _sum(each: Callable[[float, int], float]) -> Mistake:
    """Returns a sum over the list of what each grade at its rank, from 1, adds."""
    return lambda case: sum(each(grade, rank) for rank, grade in enumerate(case.grades, 1))


DCG_MISTAKES: Mapping[str, Mistake] = {
    "exponential": _sum(lambda grade, rank: (2**grade - 1) / math.log2(rank + 1)),
    "exponential_without_minus": _sum(lambda grade, rank: 2**grade / math.log2(rank + 1)),
    "precedence": _sum(lambda grade, rank: 2**grade - 1 / math.log2(rank + 1)),
    "no_discount": _sum(lambda grade, rank: grade),
    "rank_too_high": _sum(lambda grade, rank: grade / math.log2(rank + 2)),
    "log_of_rank": _sum(lambda grade, rank: grade / max(1.0, math.log2(rank))),
    "first_kept": _sum(lambda grade, rank: grade / (math.log2(rank) if rank > 1 else 1.0)),
    "natural": _sum(lambda grade, rank: grade / math.log(rank + 1)),
    "log10": _sum(lambda grade, rank: grade / math.log10(rank + 1)),
    "by_rank": _sum(lambda grade, rank: grade / rank),
    "times": _sum(lambda grade, rank: grade * math.log2(rank + 1)),
    "without_grade": _sum(lambda grade, rank: 1 / math.log2(rank + 1)),
    "parenthesis": _sum(lambda grade, rank: grade / (math.log2(rank) + 1)),
    "binary": _sum(lambda grade, rank: (grade > 0) / math.log2(rank + 1)),
    "whole_grades": _sum(lambda grade, rank: int(grade) / math.log2(rank + 1)),
    "whole_quotient": _sum(lambda grade, rank: grade // math.log2(rank + 1)),
    "first_skipped": _sum(lambda grade, rank: grade / math.log2(rank + 1) if rank > 1 else 0.0),
    "last_skipped": lambda case: _dcg(case.grades[:-1]),
    "index": lambda case: sum(one / math.log2(case.grades.index(one) + 2) for one in case.grades),
    "first_only": lambda case: case.grades[0] if case.grades else None,
    "last_only": lambda case: (
        case.grades[-1] / math.log2(len(case.grades) + 1) if case.grades else 0.0
    ),
    "nothing_added": lambda case: 0.0,
    "first_5": lambda case: _dcg(case.grades[:5]),
    "first_10": lambda case: _dcg(case.grades[:10]),
}


def _dcg(grades: Sequence[float]) -> float:
    return sum(grade / math.log2(rank + 1) for rank, grade in enumerate(grades, 1))


def _over(ideal: Callable[[Case], Sequence[float]], undefined: float | None = None) -> Mistake:
    """Returns DCG divided by that of an ideal list."""

    def quotient(case: Case) -> float | None:
        best = _dcg(ideal(case))
        return _dcg(case.grades) / best if best else undefined

    return quotient


def _best(case: Case) -> list[float]:
    return sorted(case.judged, reverse=True)


def _reached(own: Callable[[Case], Sequence[float]]) -> Mistake:
    """Returns what a list other than the returned one reaches of the ideal DCG."""

    def quotient(case: Case) -> float | None:
        best = _dcg(_best(case))
        return _dcg(own(case)) / best if best else None

    return quotient


_RIGHT = _reached(lambda case: case.grades)


def _percent(case: Case) -> float | None:
    value = _RIGHT(case)
    return None if value is None else 100 * value


def _turned(case: Case) -> float | None:
    own = _dcg(case.grades)
    return _dcg(_best(case)) / own if own else None


NDCG_MISTAKES: Mapping[str, Mistake] = {
    "returned_only": _over(lambda case: sorted(case.grades, reverse=True)),
    "upwards": _over(lambda case: sorted(case.judged)),
    "not_sorted": _over(lambda case: case.judged),
    "undefined_0": _over(_best, 0.0),
    "undefined_1": _over(_best, 1.0),
    "cut": _over(lambda case: _best(case)[: len(case.grades)]),
    "turned": _turned,
    "not_divided": lambda case: _dcg(case.grades),
    "returned_only_0": _over(lambda case: sorted(case.grades, reverse=True), 0.0),
    "by_sum": lambda case: _dcg(case.grades) / sum(case.judged) if sum(case.judged) else None,
    "only_reversed": _over(lambda case: case.judged[::-1]),
    "returned_twice": _over(lambda case: sorted(case.judged + case.grades, reverse=True)),
    "duplicates_lost": _over(lambda case: sorted(set(case.judged), reverse=True)),
    "judged_above": _reached(lambda case: case.judged),
    "grades_sorted": _reached(lambda case: sorted(case.grades, reverse=True)),
    "ideal_only": lambda case: _dcg(_best(case)),
    "percent": _percent,
    "none_for_zero": lambda case: _RIGHT(case) or None,
    "none_for_empty": lambda case: _RIGHT(case) if case.grades else None,
}
