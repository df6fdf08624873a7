"""Every kernel against a slow loop that shares no code with it."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations, groupby, pairwise, permutations, product
from typing import Any

import numpy as np
import pytest

from relkit import _native
from relkit.core.errors import InputError

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
    elif ties == "worst":
        names.sort(key=lambda name: grades.get(name, 0.0))
    elif ties == "best":
        names.sort(key=lambda name: -grades.get(name, 0.0))
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
        return gain[grade]
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
        points.append(
            tuple(sum(s >= threshold for s in one) / len(one) for one in (negative, positive))
        )
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

MAP = {0.0: 0.0, 0.2: 0.1, 0.9: 0.5, 1.0: 0.4, 2.0: 0.7, 3.0: 1.0}
ZERO_COUNTS = MAP | {0.0: 0.2}

KERNELS: list[tuple[str, dict[str, Any]]] = [
    ("cg", {}),
    ("cg", {"k": 3, "gain": "exp"}),
    ("dcg", {"k": 4}),
    ("dcg", {"discount": "inverse", "gain": "exp"}),
    ("dcg", {"k": 5, "gain": ZERO_COUNTS}),
    ("idcg", {}),
    ("idcg", {"k": 3, "discount": "inverse"}),
    ("idcg", {"k": 4, "ideal": "retrieved", "gain": "exp"}),
    ("idcg", {"k": 4, "gain": ZERO_COUNTS, "ideal": "retrieved", "discount": "none"}),
    ("ndcg", {}),
    ("ndcg", {"k": 3}),
    ("ndcg", {"k": 4, "ideal": "retrieved", "gain": "exp"}),
    ("ndcg", {"k": 4, "gain": MAP}),
    ("ndcg", {"k": 4, "gain": ZERO_COUNTS, "ideal": "retrieved", "discount": "none"}),
    ("recall", {}),
    ("recall", {"k": 3, "rel": 2.0}),
    ("recall", {"k": 2, "capped": True}),
    ("p", {}),
    ("p", {"k": 3}),
    ("p", {"k": 20, "denominator": "retrieved"}),
    ("p", {"k": 20, "rel": 0.2}),
    ("p", {"k": 4, "rel": 0.0}),
    ("success", {"k": 2}),
    ("success", {"k": 4, "rel": 2.0}),
    ("f1", {"k": 3}),
    ("f1", {"k": 20, "denominator": "retrieved"}),
    ("rr", {}),
    ("rr", {"k": 3, "rel": 2.0}),
    ("ap", {}),
    ("ap", {"k": 4}),
    ("ap", {"k": 3, "denominator": "capped"}),
    ("ap", {"k": 3, "denominator": "retrieved"}),
    ("meanp", {}),
    ("meanp", {"k": 4}),
    ("meanp", {"k": 30, "rel": 2.0}),
    ("rprec", {}),
    ("err", {"max": 3}),
    ("err", {"k": 4, "max": 4}),
    ("rbp", {}),
    ("rbp", {"p": 0.5, "k": 4, "rel": 2.0}),
    ("rbp", {"p": 0.95, "gain": MAP}),
    ("bpref", {}),
    ("bpref", {"rel": 2.0}),
    ("infap", {}),
    ("judged", {}),
    ("judged", {"k": 4}),
    ("num_ret", {}),
    ("num_rel", {}),
    ("num_rel_ret", {"k": 5}),
    ("pnr", {}),
    *[
        ("pnr", {"label_ties": label, "score_ties": score, "unjudged": unjudged, "smoothing": 1.0})
        for label in ("positive", "ignore")
        for score in ("ignore", "half", "rank")
        for unjudged in ("removed", "nonrelevant")
    ],
    ("concordance", {}),
    ("concordance", {"score_ties": "half"}),
    ("concordance", {"label_ties": "ignore", "score_ties": "rank"}),
    ("auc", {}),
    ("auc", {"rel": 2.0, "unjudged": "nonrelevant"}),
    ("auc", {"rel": 0.0}),
    ("auc", {"rel": -1.0, "unjudged": "nonrelevant"}),
    ("auc", {"max_fpr": 0.3}),
    ("auc", {"max_fpr": 0.75, "unjudged": "nonrelevant"}),
    ("average_precision", {}),
    ("average_precision", {"rel": 0.0, "unjudged": "nonrelevant"}),
    ("gauc", {"weight": "rows"}),
    ("gauc", {"max_fpr": 0.1, "weight": "positives"}),
    ("gauc", {"rel": -1.0}),
    ("gauc", {"rel": 0.0, "unjudged": "nonrelevant"}),
    ("gauc", {"weight": "positives", "unjudged": "nonrelevant"}),
    ("tau", {}),
    ("tau", {"unjudged": "nonrelevant"}),
    ("spearman", {}),
    ("spearman", {"unjudged": "nonrelevant"}),
    ("kappa", {}),
    ("kappa", {"unjudged": "nonrelevant"}),
]

NO_CLOSED_FORM = [
    ("bpref", {}),
    ("infap", {}),
    ("ap", {"denominator": "retrieved"}),
    ("pnr", {"score_ties": "rank"}),
]


def test_every_kernel_has_a_slow_twin() -> None:
    assert {name for name, _ in KERNELS} == set(SLOW)


def sample(
    seed: int, size: int = 12, negatives: bool = True
) -> tuple[dict[str, float], dict[str, float]]:
    """Judgments and a run with heavy ties, unjudged documents and grades below 1 and 0."""
    chance = random.Random(seed)
    grades = chance.choice([(0.0, 1.0), (0.0, 1.0, 2.0, 3.0), (0.0, 0.2, 0.9, 1.0), (0.0, 3.0)])
    if negatives and chance.random() < 0.5:
        grades = (*grades, -1.0, -2.0)
    names = [f"d{number}" for number in chance.sample(range(100), size + 4)]
    retrieved = names[: chance.randint(1, size)]
    share = chance.choice([0.3, 0.7, 1.0])
    judged = {name: chance.choice(grades) for name in names if chance.random() < share}
    judged.setdefault(names[-1], chance.choice(grades))
    levels = chance.choice([1, 3, 6, 1000])
    run = {name: float(chance.randint(-levels // 2, levels)) for name in retrieved}
    if chance.random() < 0.3:
        run = dict(sorted(run.items(), key=lambda item: -item[1]))
    if 0.0 in run.values() and chance.random() < 0.5:
        run[next(name for name, score in run.items() if score == 0)] = -0.0
    return judged, run


def native(
    kernel: tuple[str, dict[str, Any]],
    judged: dict[str, float],
    run: dict[str, float],
    **rules: str,
) -> Parts:
    plan = _native.Plan([kernel], **rules)  # type: ignore[arg-type]
    table = _native.JudgmentTable.from_dict({"q": judged})
    batch = _native.evaluate_dict(table, plan, {"q": run})
    value, numerator, denominator = (float(column[0]) for column in batch.arrays(0))
    return value, numerator, denominator


def same(found_parts: Parts, wanted: Parts, tolerance: float = 1e-12) -> bool:
    return all(
        one == other
        or (math.isnan(one) and math.isnan(other))
        or math.isclose(one, other, rel_tol=tolerance, abs_tol=tolerance)
        for one, other in zip(found_parts, wanted, strict=True)
    )


def kernel_id(kernel: tuple[str, dict[str, Any]]) -> str:
    return kernel[0] + "".join(
        f"-{key}={value}" for key, value in kernel[1].items() if key != "gain"
    )


@pytest.mark.parametrize("kernel", KERNELS, ids=kernel_id)
def test_kernel_is_the_slow_loop(kernel: tuple[str, dict[str, Any]]) -> None:
    name, parameters = kernel
    for seed in range(25):
        judged, run = sample(seed)
        for ties in ("doc-desc", "doc-asc", "input", "input-desc", "worst", "best"):
            for unjudged in ("nonrelevant", "removed"):
                for negative in ("nonrelevant", "unjudged"):
                    rules = {"ties": ties, "unjudged": unjudged, "negative": negative}
                    case = ordered(judged, run, **rules)
                    wanted = SLOW[name](case, **parameters)
                    result = native(kernel, judged, run, **rules)
                    assert same(result, wanted), (seed, rules, result, wanted)


EXACT = [
    "cg",
    "dcg",
    "ndcg",
    "recall",
    "p",
    "f1",
    "rr",
    "ap",
    "meanp",
    "rprec",
    "err",
    "rbp",
    "bpref",
]


@pytest.mark.parametrize("kernel", [one for one in KERNELS if one[0] in EXACT], ids=kernel_id)
def test_sums_are_the_textbook_loop_to_the_last_bit(kernel: tuple[str, dict[str, Any]]) -> None:
    name, parameters = kernel
    for seed in range(60, 100):
        judged, run = sample(seed, size=40)
        result = native(kernel, judged, run)
        assert same(result, SLOW[name](ordered(judged, run), **parameters), tolerance=0.0), seed


CLOSED_FORM = [
    (name, parameters)
    for name, parameters in KERNELS
    if name not in {"pnr", "bpref", "infap"} and parameters.get("denominator") != "retrieved"
] + [("p", {"k": 20, "denominator": "retrieved"}), ("f1", {"k": 20, "denominator": "retrieved"})]


@pytest.mark.parametrize("kernel", CLOSED_FORM, ids=kernel_id)
def test_expected_is_the_mean_over_every_order(kernel: tuple[str, dict[str, Any]]) -> None:
    name, parameters = kernel
    for seed in range(40):
        judged, run = sample(seed, size=6)
        parts = [SLOW[name](case, **parameters) for case in orders(ordered(judged, run))]
        value, above, below = (
            math.fsum(column) / len(parts) for column in zip(*parts, strict=True)
        )
        result = native(kernel, judged, run, ties="expected")
        assert same(result, (value, above, below)), (seed, result, value, above, below)


def test_expected_pair_ratio_does_not_depend_on_order() -> None:
    for seed in range(40):
        judged, run = sample(seed)
        for score_ties in ("ignore", "half"):
            kernel = ("pnr", {"score_ties": score_ties})
            wanted = SLOW["pnr"](ordered(judged, run), score_ties=score_ties)
            assert same(native(kernel, judged, run, ties="expected"), wanted)


@pytest.mark.parametrize("kernel", NO_CLOSED_FORM, ids=kernel_id)
def test_without_a_closed_form_expected_is_refused(kernel: tuple[str, dict[str, Any]]) -> None:
    with pytest.raises(
        InputError, match=r"no closed form under ties=expected[\s\S]*another tie rule"
    ):
        _native.Plan([kernel], ties="expected")


def test_expected_err_of_a_long_tie() -> None:
    grades = [1] * 30 + [0] * 370
    plan = _native.Plan([("err", {"max": 2, "k": None})], ties="expected")
    value = _native.evaluate_arrays(plan, np.array([grades]), np.zeros((1, 400))).values(0)[0]
    # Draws one after the other: the chance that place t holds the document that stops the user.
    chance = random.Random(5)
    draws = []
    for _ in range(4000):
        order = chance.sample(grades, 400)
        total, reached = 0.0, 1.0
        for rank, grade in enumerate(order, 1):
            stop = (2.0**grade - 1) / 4
            total += reached * stop / rank
            reached *= 1 - stop
        draws.append(total)
    error = (sum((draw - value) ** 2 for draw in draws) / len(draws) / len(draws)) ** 0.5
    assert abs(sum(draws) / len(draws) - value) < 4 * error


RANK_KERNELS = [
    one for one in KERNELS if one[0] in {"pnr", "concordance", "auc", "tau", "ndcg", "kappa"}
]


@pytest.mark.parametrize("kernel", RANK_KERNELS, ids=kernel_id)
def test_a_rank_column_is_the_whole_order(kernel: tuple[str, dict[str, Any]]) -> None:
    name, parameters = kernel
    for seed in range(60):
        judged, run = sample(seed)
        names = list(run)
        random.Random(seed).shuffle(names)
        ranks = {document: position for position, document in enumerate(names)}
        table = _native.JudgmentTable.from_dict({"q": judged})
        lines = [
            f"q 0 {document} {ranks[document]} {score!r} t\n" for document, score in run.items()
        ]
        blocks = iter(["".join(lines).encode()])
        held = _native.RunTable.from_chunks(lambda _, blocks=blocks: next(blocks, b""), "run")
        batch = _native.evaluate_run(table, _native.Plan([kernel], ties="rank"), held)
        documents = tuple(Document(one, run[one], judged.get(one)) for one in names)
        wanted = SLOW[name](Case(documents, tuple(judged.values())), **parameters)
        result = tuple(float(column[0]) for column in batch.arrays(0))
        assert same(result, wanted), (seed, result, wanted)  # type: ignore[arg-type]


def test_long_lists_take_the_same_ranks_in_any_order() -> None:
    chance = random.Random(3)
    run = {f"d{number}": float(chance.randint(0, 900)) for number in range(3000)}
    judged = {f"d{number}": float(chance.randint(0, 3)) for number in range(0, 3000, 2)}
    kernels = [
        ("ndcg", {}),
        ("ap", {}),
        ("bpref", {}),
        ("pnr", {"unjudged": "nonrelevant"}),
        ("tau", {}),
    ]
    few = dict(list(judged.items())[:5])
    for grades in (judged, few):
        for ties in ("doc-desc", "doc-asc", "worst", "best"):
            ranked = dict(sorted(run.items(), key=lambda item: -item[1]))
            for kernel in kernels:
                in_order = native(kernel, grades, ranked, ties=ties)
                assert native(kernel, grades, run, ties=ties) == in_order
                if kernel[0] in EXACT:
                    wanted = SLOW[kernel[0]](ordered(grades, run, ties), **kernel[1])
                    assert same(in_order, wanted, tolerance=0.0)


def test_scores_as_float32_tie() -> None:
    judged, run = {"a": 1.0, "b": 0.0}, {"a": 1.0, "b": 1.0 + 1e-12}
    assert native(("rr", {}), judged, run)[0] == 0.5
    plan = _native.Plan([("rr", {})], ties="doc-asc", float32=True)
    table = _native.JudgmentTable.from_dict({"q": judged})
    assert _native.evaluate_dict(table, plan, {"q": run}).values(0) == [1.0]


def test_negative_grades_can_be_refused() -> None:
    with pytest.raises(InputError, match=r"`q`: negative grade -1[\s\S]*negative=nonrelevant"):
        native(("rr", {}), {"a": 1.0, "b": -1.0}, {"a": 1.0}, negative="error")


@pytest.mark.parametrize("k", [1, 2, 3, 4, 5])
def test_queries_are_tie_sensitive_where_a_tie_with_gain_crosses_the_cutoff(k: int) -> None:
    judged = {"a": 1.0, "b": 0.0, "c": 2.0, "d": 0.0}
    run = {"a": 9.0, "b": 5.0, "c": 5.0, "u": 5.0, "d": 1.0, "v": 1.0}
    table = _native.JudgmentTable.from_dict({"q": judged})
    batch = _native.evaluate_dict(
        table, _native.Plan([("ndcg", {"k": k}), ("judged", {"k": k})]), {"q": run}
    )
    wanted = int(k in {2, 3})
    assert [batch.total(measure).tie_sensitive for measure in (0, 1)] == [wanted, wanted]


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (("ndgc", {}), "unknown kernel: `ndgc`"),
        (("ndcg", {"cutoff": 3}), "`ndcg` has no parameter `cutoff`"),
        (("num_ret", {"k": 3}), "`num_ret` has no parameter `k`"),
        (("ndcg", {"k": 0}), "`k` of `ndcg` must be a whole number of 1 or more"),
        (("ndcg", {"k": 2.5}), "`k` of `ndcg` must be a whole number"),
        (("ndcg", {"gain": "square"}), "`gain` of `ndcg` must be"),
        (("ndcg", {"gain": {1: -1.0}}), "gains of 0 or more"),
        (("ndcg", {"ideal": "best"}), "one of `judged` `retrieved`"),
        (("recall", {"capped": 1}), "`capped` of `recall` must be true or false"),
        (("recall", {"rel": NAN}), "`rel` of `recall` must be a finite number"),
        (("recall", {"rel": "high"}), "`rel` of `recall` must be a finite number"),
        (("rbp", {"p": 1.0}), "`p` of `rbp` must be between 0 and 1"),
        (("pnr", {"smoothing": -1}), "`smoothing` of `pnr` must be 0 or more"),
        (("pnr", {"score_ties": "both"}), "one of `ignore` `half` `rank`"),
    ],
)
def test_bad_parameters_are_named(kernel: tuple[str, dict[str, Any]], message: str) -> None:
    with pytest.raises(InputError) as caught:
        _native.Plan([kernel])
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({"ties": "random"}, "`ties` must be one of `doc-desc`"),
        ({"unjudged": "x"}, "`unjudged` must be"),
        ({"negative": "x"}, "`negative` must be"),
        ({"missing": "x"}, "`missing` must be"),
    ],
)
def test_bad_rules_are_named(rules: dict[str, str], message: str) -> None:
    with pytest.raises(InputError) as caught:
        _native.Plan([], **rules)  # type: ignore[arg-type]
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (("ndcg", {"gain": {0: 0, 1: 1}}), "no entry for the grade 2"),
        (("err", {"max": 1}), "`err(max=1)` met a grade of 2"),
        (("rbp", {"gain": "linear"}), "gains from 0 to 1, got 2"),
        (("kappa", {}), "compares predicted grades, and 0.5 is not one"),
    ],
)
def test_grades_that_a_measure_cannot_take(
    kernel: tuple[str, dict[str, Any]], message: str
) -> None:
    with pytest.raises(InputError) as caught:
        native(kernel, {"a": 2.0, "b": 1.0}, {"a": 1.0, "b": 0.5})
    assert message in str(caught.value)
    assert "query `q`" in str(caught.value)


def test_an_empty_list() -> None:
    judged = {"a": 2.0, "b": 0.0}
    for name, parameters in KERNELS:
        if name != "infap":
            wanted = SLOW[name](Case((), tuple(judged.values())), **parameters)
            assert same(native((name, parameters), judged, {}), wanted), name


def test_mean_precision_far_past_the_end_of_the_list() -> None:
    judged, run = {"a": 1.0, "b": 0.0}, {"a": 2.0, "b": 1.0}
    k = 3_000_000
    wanted = math.fsum(1 / rank for rank in range(1, k + 1)) / k
    assert native(("meanp", {"k": k}), judged, run)[0] == pytest.approx(wanted, rel=1e-9)


def test_simd_names_an_instruction_set() -> None:
    assert _native.simd() in {"avx512", "avx2", "sse2", "neon", "scalar"}
