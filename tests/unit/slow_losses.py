"""Losses from their formulas alone: one document and one pair after the other, without weights."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

__all__ = ["REFERENCES", "gain_of", "slow"]

Numbers = Sequence[float]


def log1pexp(x: float) -> float:
    return max(x, 0.0) + math.log1p(math.exp(-abs(x)))


def sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x > -700 else 0.0


def softmax(values: Numbers) -> list[float]:
    powers = [math.exp(value - max(values)) for value in values]
    return [power / sum(powers) for power in powers]


def gain_of(gain: Any, label: float) -> float:
    if gain == "exp":
        return 2**label - 1 if label > 0 else 0.0
    return max(label, 0.0)


def discount(loss: Any, rank: float) -> float:
    kind = loss.discount
    return math.log2(1 + rank) if kind == "log2" else rank if kind == "inverse" else 1.0


def share(loss: Any, rank: int) -> float:
    k = getattr(loss, "k", None)
    return 0.0 if k is not None and rank > k else 1 / discount(loss, rank)


def shares_of_gain(loss: Any, labels: Numbers) -> list[float]:
    gains = [gain_of(loss.gain, label) for label in labels]
    best = sum(gain * share(loss, rank) for rank, gain in enumerate(sorted(gains, reverse=True), 1))
    return [gain / best for gain in gains]


def squared_error(loss: Any, labels: Numbers, scores: Numbers) -> float:
    return sum((s - y) ** 2 for y, s in zip(labels, scores, strict=True)) / 2


def logistic(loss: Any, labels: Numbers, scores: Numbers) -> float:
    return sum(log1pexp(-s if y >= loss.rel else s) for y, s in zip(labels, scores, strict=True))


def cross_entropy(loss: Any, labels: Numbers, scores: Numbers) -> float:
    return sum(
        y * log1pexp(-s) + (1 - y) * log1pexp(s) for y, s in zip(labels, scores, strict=True)
    )


def ordinal(loss: Any, labels: Numbers, scores: Numbers) -> float:
    return sum(
        log1pexp((-1 if y >= level else 1) * (s - loss.step * (level - 0.5)))
        for y, s in zip(labels, scores, strict=True)
        for level in range(1, loss.levels + 1)
    )


def ranknet(loss: Any, labels: Numbers, scores: Numbers) -> float:
    pairs = [
        (a, b)
        for y, a in zip(labels, scores, strict=True)
        for z, b in zip(labels, scores, strict=True)
        if y > z
    ]
    return sum(log1pexp(-loss.sigma * (a - b)) for a, b in pairs)


def listnet(loss: Any, labels: Numbers, scores: Numbers) -> float:
    logs = [score - max(scores) for score in scores]
    total = math.log(sum(math.exp(one) for one in logs))
    return -sum(t * (one - total) for t, one in zip(softmax(labels), logs, strict=True))


def softmax_loss(loss: Any, labels: Numbers, scores: Numbers) -> float:
    total = math.log(sum(math.exp(score - max(scores)) for score in scores)) + max(scores)
    return -sum(max(y, 0) * (s - total) for y, s in zip(labels, scores, strict=True))


def listmle(loss: Any, labels: Numbers, scores: Numbers) -> float:
    """Of labels that are all different."""
    assert len(set(labels)) == len(labels)
    left = [score for _, score in sorted(zip(labels, scores, strict=True), reverse=True)]
    value = 0.0
    while left:
        value -= left[0] - math.log(sum(math.exp(one) for one in left))
        left = left[1:]
    return value


def softrank(loss: Any, labels: Numbers, scores: Numbers) -> float:
    """By all ways in which the others can beat a document or not, not by the recursion."""
    total = 0.0
    for j, gain in enumerate(shares_of_gain(loss, labels)):
        chances = [
            (1 + math.erf((s - scores[j]) / (2 * loss.sigma))) / 2
            for i, s in enumerate(scores)
            if i != j
        ]
        for ways in range(2 ** len(chances)):
            beaten = [bool(ways >> i & 1) for i in range(len(chances))]
            chance = math.prod(p if won else 1 - p for p, won in zip(chances, beaten, strict=True))
            total += gain * chance * share(loss, 1 + sum(beaten))
    return 1 - total


def approx_ndcg(loss: Any, labels: Numbers, scores: Numbers) -> float:
    total = 0.0
    for i, gain in enumerate(shares_of_gain(loss, labels)):
        rank = 1 + sum(
            sigmoid((s - scores[i]) / loss.temperature) for j, s in enumerate(scores) if j != i
        )
        total += gain / discount(loss, rank)
    return 1 - total


def neural_ndcg(loss: Any, labels: Numbers, scores: Numbers) -> float:
    n = len(scores)
    apart = [sum(abs(s - other) for other in scores) for s in scores]
    matrix = [
        softmax(
            [
                ((n + 1 - 2 * i) * s - a) / loss.temperature
                for s, a in zip(scores, apart, strict=True)
            ]
        )
        for i in range(1, n + 1)
    ]
    for _ in range(loss.rounds):
        sums = [sum(row[j] for row in matrix) for j in range(n)]
        matrix = [[p / by for p, by in zip(row, sums, strict=True)] for row in matrix]
        matrix = [[p / sum(row) for p in row] for row in matrix]
    gains = shares_of_gain(loss, labels)
    return 1 - sum(
        share(loss, i) * p * gain
        for i, row in enumerate(matrix, 1)
        for p, gain in zip(row, gains, strict=True)
    )


def ranks_of(scores: Numbers) -> list[int]:
    """Of scores that are all different."""
    assert all(a > b for a, b in pairwise(sorted(scores, reverse=True)))
    return [1 + sum(other > score for other in scores) for score in scores]


def lambda_loss(weigh: Callable[..., float], every_pair: bool = False) -> Callable[..., float]:
    def value(loss: Any, labels: Numbers, scores: Numbers) -> float:
        gains, ranks = shares_of_gain(loss, labels), ranks_of(scores)
        total = 0.0
        for i in range(len(scores)):
            for j in range(len(scores)):
                if i == j or not (every_pair or gains[i] > gains[j]):
                    continue
                weight = weigh(loss, gains[i], gains[j], ranks[i], ranks[j])
                total += weight * log1pexp(-loss.sigma * (scores[i] - scores[j])) / math.log(2)
        return total

    return value


def step(loss: Any, first: int, second: int) -> float:
    apart = abs(first - second)
    return abs(share(loss, apart) - share(loss, apart + 1))


REFERENCES: dict[str, Callable[..., float]] = {
    "squared_error": squared_error,
    "logistic": logistic,
    "cross_entropy": cross_entropy,
    "ordinal": ordinal,
    "ranknet": ranknet,
    "listnet": listnet,
    "softmax": softmax_loss,
    "listmle": listmle,
    "softrank": softrank,
    "approx_ndcg": approx_ndcg,
    "neural_ndcg": neural_ndcg,
    "ndcg_loss1": lambda_loss(lambda loss, g, h, r, q: g * share(loss, r), every_pair=True),
    "ndcg_loss2": lambda_loss(lambda loss, g, h, r, q: (g - h) * step(loss, r, q)),
    "ndcg_loss2pp": lambda_loss(
        lambda loss, g, h, r, q: (
            (g - h) * (abs(share(loss, r) - share(loss, q)) + loss.mu * step(loss, r, q))
        )
    ),
}


def slow(loss: Any, labels: Numbers, scores: Numbers) -> float:
    """Returns the loss of one list that has an order."""
    return REFERENCES[loss.name](loss, [float(y) for y in labels], [float(s) for s in scores])
