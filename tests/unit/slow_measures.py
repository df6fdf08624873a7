"""Every measure as a slow loop that shares no code with its kernel."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations, groupby, pairwise, permutations, product
from typing import Any

NAN = math.nan
Parts = tuple[float, float, float]


@dataclass(frozen=True)
class Document:
    name: str
    score: float
    grade: float | None
    pooled: bool = False


@dataclass(frozen=True)
class Case:
    documents: tuple[Document, ...]
    judged: tuple[float, ...]


def ordered(
    judged: dict[str, float],
    run: dict[str, float],
    ties: str = "doc-desc",
    unjudged: str = "nonrelevant",
    negative: str = "nonrelevant",
) -> Case:
    """The ranking that the rules ask for, by plain sorting."""
    pooled = (
        {name for name, grade in judged.items() if grade < 0} if negative == "unjudged" else set()
    )
    grades = {name: grade for name, grade in judged.items() if name not in pooled}
    names = [name for name in run if unjudged != "removed" or name in grades]
    if ties == "doc-desc":
        names.sort(key=lambda name: name.encode(), reverse=True)
    elif ties == "doc-asc":
        names.sort(key=lambda name: name.encode())
    elif ties == "input-desc":
        names.reverse()
    elif ties in {"worst", "best"}:
        names.sort(key=lambda name: name.encode(), reverse=True)
        sign = 1 if ties == "worst" else -1
        names.sort(key=lambda name: sign * grades.get(name, 0.0))
    names.sort(key=lambda name: -run[name])
    documents = tuple(Document(name, run[name], grades.get(name), name in pooled) for name in names)
    return Case(documents, tuple(grades.values()))


def orders(case: Case) -> Iterator[Case]:
    """Every order of documents with equal scores."""
    groups = [list(group) for _, group in groupby(case.documents, key=lambda entry: entry.score)]
    for order in product(*(permutations(group) for group in groups)):
        yield Case(tuple(entry for group in order for entry in group), case.judged)


def gain_of(grade: float | None, gain: Any) -> float:
    if grade is None or grade < 0:
        return 0.0
    if isinstance(gain, dict):
        return float(gain[grade])
    return 2.0**grade - 1.0 if gain == "exp" else grade


def divide_by(rank: int, discount: str) -> float:
    return {"log2": math.log2(rank + 1), "inverse": float(rank), "none": 1.0}[discount]


def is_relevant(document: Document, rel: float) -> bool:
    return document.grade is not None and document.grade >= rel


def mean(value: float) -> Parts:
    return (NAN, 0.0, 0.0) if math.isnan(value) else (value, value, 1.0)


def ratio(above: float, below: float) -> Parts:
    return (above / below if below else NAN, above, below)


def dcg(case: Case, k: int | None, gain: Any = "linear", discount: str = "log2") -> float:
    total = 0.0
    for rank, document in enumerate(case.documents[:k], 1):
        total += gain_of(document.grade, gain) / divide_by(rank, discount)
    return total


def slow_cg(case: Case, k: int | None = None, gain: Any = "linear") -> Parts:
    return mean(dcg(case, k, gain, "none"))


def slow_dcg(
    case: Case, k: int | None = None, gain: Any = "linear", discount: str = "log2"
) -> Parts:
    return mean(dcg(case, k, gain, discount))


def slow_ndcg(
    case: Case,
    k: int | None = None,
    gain: Any = "linear",
    discount: str = "log2",
    ideal: str = "judged",
) -> Parts:
    best = best_dcg(case, k, gain, discount, ideal)
    return mean(dcg(case, k, gain, discount) / best if best else NAN)


def slow_idcg(
    case: Case,
    k: int | None = None,
    gain: Any = "linear",
    discount: str = "log2",
    ideal: str = "judged",
) -> Parts:
    return mean(best_dcg(case, k, gain, discount, ideal))


def best_dcg(case: Case, k: int | None, gain: Any, discount: str, ideal: str) -> float:
    retrieved = [document.grade for document in case.documents if document.grade is not None]
    pool = case.judged if ideal == "judged" else retrieved
    gains = sorted((gain_of(grade, gain) for grade in pool), reverse=True)[:k]
    best = 0.0
    for rank, value in enumerate(gains, 1):
        best += value / divide_by(rank, discount)
    return best


def found(case: Case, k: int | None, rel: float) -> int:
    return sum(is_relevant(document, rel) for document in case.documents[:k])


def known(case: Case, rel: float) -> int:
    return sum(grade >= rel for grade in case.judged)


def slow_recall(case: Case, k: int | None = None, rel: float = 1.0, capped: bool = False) -> Parts:
    of = known(case, rel)
    if capped and k is not None:
        of = min(of, k)
    return ratio(found(case, k, rel), of) if of else (NAN, 0.0, 0.0)


def p_divisor(case: Case, k: int | None, denominator: str) -> int:
    retrieved = len(case.documents)
    if k is None:
        return retrieved
    return min(k, retrieved) if denominator == "retrieved" else k


def slow_p(case: Case, k: int | None = None, rel: float = 1.0, denominator: str = "k") -> Parts:
    of = p_divisor(case, k, denominator)
    hits = found(case, k, rel)
    return (hits / of if of else 0.0, hits, of)


def slow_success(case: Case, k: int | None = None, rel: float = 1.0) -> Parts:
    return mean(float(found(case, k, rel) > 0))


def slow_f1(case: Case, k: int | None = None, rel: float = 1.0, denominator: str = "k") -> Parts:
    of = p_divisor(case, k, denominator) + known(case, rel)
    doubled = 2 * found(case, k, rel)
    return (doubled / of if known(case, rel) else NAN, doubled, of)


def slow_rr(case: Case, k: int | None = None, rel: float = 1.0) -> Parts:
    if not known(case, rel):
        return mean(NAN)
    for rank, document in enumerate(case.documents[:k], 1):
        if is_relevant(document, rel):
            return mean(1 / rank)
    return mean(0.0)


def slow_ap(
    case: Case, k: int | None = None, rel: float = 1.0, denominator: str = "relevant"
) -> Parts:
    of = known(case, rel)
    if not of:
        return mean(NAN)
    total, hits = 0.0, 0
    for rank, document in enumerate(case.documents[:k], 1):
        if is_relevant(document, rel):
            hits += 1
            total += hits / rank
    if denominator == "capped" and k is not None:
        of = min(of, k)
    elif denominator == "retrieved":
        of = hits
    return mean(total / of if of else 0.0)


def slow_meanp(case: Case, k: int | None = None, rel: float = 1.0) -> Parts:
    depth = len(case.documents) if k is None else k
    total, hits = 0.0, 0
    for rank in range(1, depth + 1):
        if rank <= len(case.documents):
            hits += is_relevant(case.documents[rank - 1], rel)
        total += hits / rank
    return mean(total / depth if depth else 0.0)


def slow_rprec(case: Case, rel: float = 1.0) -> Parts:
    of = known(case, rel)
    return ratio(found(case, of, rel), of) if of else (NAN, 0.0, 0.0)


def slow_err(case: Case, k: int | None = None, max: float = 1.0) -> Parts:
    total, reached = 0.0, 1.0
    for rank, document in enumerate(case.documents[:k], 1):
        stop = gain_of(document.grade, "exp") / 2.0**max
        total += reached * stop / rank
        reached *= 1.0 - stop
    return mean(total)


def slow_rbp(
    case: Case, k: int | None = None, p: float = 0.8, rel: float = 1.0, gain: Any = None
) -> Parts:
    total, weight = 0.0, 1.0 - p
    for document in case.documents[:k]:
        worth = float(is_relevant(document, rel)) if gain is None else gain_of(document.grade, gain)
        total += worth * weight
        weight *= p
    return mean(total)


def slow_bpref(case: Case, rel: float = 1.0) -> Parts:
    relevant = known(case, rel)
    if not relevant:
        return mean(NAN)
    others = len(case.judged) - relevant
    above, total = 0, 0.0
    for document in case.documents:
        if document.grade is None:
            continue
        if is_relevant(document, rel):
            total += 1.0 - min(above, relevant) / min(others, relevant) if above else 1.0
        else:
            above += 1
    return mean(total / relevant)


def slow_infap(case: Case, rel: float = 1.0) -> Parts:
    relevant = known(case, rel)
    if not relevant:
        return mean(NAN)
    total = 0.0
    for rank, document in enumerate(case.documents, 1):
        if not is_relevant(document, rel):
            continue
        before = case.documents[: rank - 1]
        hits = sum(is_relevant(other, rel) for other in before)
        misses = sum(other.grade is not None and not is_relevant(other, rel) for other in before)
        pooled = sum(other.pooled for other in before)
        above = rank - 1
        total += 1 / rank
        if above:
            share = (hits + misses + pooled) / above
            total += above / rank * share * (hits + 1e-5) / (hits + misses + 2e-5)
    return mean(total / relevant)


def slow_judged(case: Case, k: int | None = None) -> Parts:
    top = case.documents[:k]
    return (
        ratio(sum(document.grade is not None for document in top), len(top))
        if top
        else (NAN, 0.0, 0.0)
    )


def slow_num_ret(case: Case) -> Parts:
    return mean(float(len(case.documents)))


def slow_num_rel(case: Case, rel: float = 1.0) -> Parts:
    return mean(float(known(case, rel)))


def slow_num_rel_ret(case: Case, k: int | None = None, rel: float = 1.0) -> Parts:
    return mean(float(found(case, k, rel)))


def labelled(case: Case, unjudged: str) -> list[tuple[float, float]]:
    return [
        (document.score, document.grade or 0.0)
        for document in case.documents
        if document.grade is not None or unjudged == "nonrelevant"
    ]


def pair_counts(case: Case, label_ties: str, score_ties: str, unjudged: str) -> tuple[float, float]:
    positive = negative = 0.0
    for (score, label), (other_score, other_label) in combinations(labelled(case, unjudged), 2):
        if label == other_label and label_ties == "ignore":
            continue
        if score == other_score and score_ties != "rank":
            positive += 0.5 * (score_ties == "half")
            negative += 0.5 * (score_ties == "half")
        elif label >= other_label:
            positive += 1
        else:
            negative += 1
    return positive, negative


def slow_pnr(
    case: Case,
    label_ties: str = "positive",
    score_ties: str = "ignore",
    unjudged: str = "removed",
    smoothing: float = 0.0,
) -> Parts:
    positive, negative = pair_counts(case, label_ties, score_ties, unjudged)
    if not positive + negative:
        return (NAN, 0.0, 0.0)
    below = negative + smoothing
    return ((positive + smoothing) / below if below else math.inf, positive, negative)


def slow_concordance(
    case: Case, label_ties: str = "positive", score_ties: str = "ignore", unjudged: str = "removed"
) -> Parts:
    positive, negative = pair_counts(case, label_ties, score_ties, unjudged)
    return ratio(positive, positive + negative)


def class_scores(case: Case, rel: float, unjudged: str) -> tuple[list[float], list[float]]:
    rows = labelled(case, unjudged)
    return [s for s, label in rows if label >= rel], [s for s, label in rows if label < rel]


def area(positive: list[float], negative: list[float]) -> float:
    if not positive or not negative:
        return NAN
    won = sum((p > n) + 0.5 * (p == n) for p in positive for n in negative)
    return won / (len(positive) * len(negative))


def start_of_curve(positive: list[float], negative: list[float], end: float) -> float:
    """The trapezoids of the ROC curve up to a false-positive rate, standardised."""
    if end == 1:
        return area(positive, negative)
    if not positive or not negative:
        return NAN
    points = [(0.0, 0.0)]
    for threshold in sorted({*positive, *negative}, reverse=True):
        false, true = (sum(s >= threshold for s in one) / len(one) for one in (negative, positive))
        points.append((false, true))
    total = 0.0
    for (x, y), (right, top) in pairwise(points):
        if x < end:
            reached = min(right, end)
            height = y + (top - y) * (reached - x) / (right - x) if right > x else top
            total += (reached - x) * (y + height) / 2
    least = end * end / 2
    return (1 + (total - least) / (end - least)) / 2


def slow_average_precision(case: Case, rel: float = 1.0, unjudged: str = "removed") -> Parts:
    positive, negative = class_scores(case, rel, unjudged)
    if not positive:
        return mean(NAN)
    total = 0.0
    for score in positive:
        true, false = (sum(other >= score for other in one) for one in (positive, negative))
        total += true / (true + false)
    return mean(total / len(positive))


def slow_auc(
    case: Case, rel: float = 1.0, unjudged: str = "removed", max_fpr: float = 1.0
) -> Parts:
    return mean(start_of_curve(*class_scores(case, rel, unjudged), max_fpr))


def slow_gauc(
    case: Case,
    rel: float = 1.0,
    weight: str = "uniform",
    unjudged: str = "removed",
    max_fpr: float = 1.0,
) -> Parts:
    positive, negative = class_scores(case, rel, unjudged)
    value = start_of_curve(positive, negative, max_fpr)
    if math.isnan(value):
        return (NAN, 0.0, 0.0)
    rows = len(positive) + len(negative)
    by = {"uniform": 1.0, "rows": float(rows), "positives": float(len(positive))}[weight]
    return (value, by * value, by)


def sign(number: float) -> int:
    return (number > 0) - (number < 0)


def slow_tau(case: Case, unjudged: str = "removed") -> Parts:
    pairs = list(combinations(labelled(case, unjudged), 2))
    difference = sum(sign(a[0] - b[0]) * sign(a[1] - b[1]) for a, b in pairs)
    by_score = sum(a[0] != b[0] for a, b in pairs)
    by_label = sum(a[1] != b[1] for a, b in pairs)
    norm = math.sqrt(by_score * by_label)
    return mean(difference / norm if norm else NAN)


def slow_spearman(case: Case, unjudged: str = "removed") -> Parts:
    rows = labelled(case, unjudged)

    def ranks(values: list[float]) -> list[float]:
        return [
            sum(other < value for other in values)
            + (1 + sum(other == value for other in values)) / 2
            for value in values
        ]

    columns = [ranks([row[i] for row in rows]) for i in (0, 1)]
    centre = (len(rows) + 1) / 2
    above = sum((one - centre) * (other - centre) for one, other in zip(*columns, strict=True))
    squares = [sum((rank - centre) ** 2 for rank in column) for column in columns]
    return mean(above / math.sqrt(squares[0] * squares[1]) if all(squares) else NAN)


def slow_kappa(case: Case, unjudged: str = "removed") -> Parts:
    rows = labelled(case, unjudged)
    observed = sum((score - label) ** 2 for score, label in rows)
    by_chance = sum((score - label) ** 2 for score, _ in rows for _, label in rows)
    return mean(1 - observed / (by_chance / len(rows)) if by_chance else NAN)


SLOW: dict[str, Callable[..., Parts]] = {
    name.removeprefix("slow_"): function
    for name, function in globals().items()
    if name.startswith("slow_")
}
