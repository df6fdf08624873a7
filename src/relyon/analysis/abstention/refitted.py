"""How much differences vary if thresholds are chosen anew: a bootstrap of the whole procedure."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from relyon.analysis.abstention.answers import Answers
    from relyon.analysis.abstention.thresholds import Choice

__all__ = ["RefittedErrors", "refitted_errors"]

RESAMPLES = 1000
#: Degrees of freedom if thresholds depend on the highest score alone (tests/honest).
FREEDOM_OF_HIGHEST = 2
#: Resamples at a time: memory grows with these times queries.
CHUNK = 100


@dataclass(frozen=True)
class RefittedErrors:
    """Standard errors of differences between two systems, each with its threshold chosen anew.

    Attributes:
        false: Of the difference of the false-answer rates.
        right: Of the difference of the shares of answerable queries answered rightly.
        freedom: Degrees of freedom: one less than the queries of the smaller kind; 2 at most if a
            target allows no false answer, as the threshold then depends on the highest score of the
            unanswerable queries alone, the error of which a bootstrap underestimates.
    """

    false: float
    right: float
    freedom: int


def refitted_errors(
    baseline: Answers,
    candidate: Answers,
    choice: Choice,
    tuned: tuple[Answers, Answers] | None = None,
    *,
    seed: int = 0,
) -> RefittedErrors:
    """Returns the standard errors of the differences from draws of whole queries.

    Queries are drawn with replacement, answerable and unanswerable ones apart, the same for both
    systems. On each draw both thresholds are chosen, and both systems measured. The test of
    outcomes at given thresholds leaves this variation out: with few unanswerable queries, on which
    thresholds depend, it can call two equal systems different in almost half of all samples.

    Args:
        baseline: The answers of one system to the queries that are reported.
        candidate: Those of the other, in the same order.
        choice: The rule of the threshold.
        tuned: The answers of both to other queries on which thresholds are chosen.
        seed: Equal seeds give identical results.

    References:
        Efron and Tibshirani (1993), An Introduction to the Bootstrap, §8.
    """
    import numpy as np

    draw = np.random.default_rng(seed)
    found: list[list[NDArray[np.float64]]] = [[], []]
    for _ in range(RESAMPLES // CHUNK):
        weights = _weights(draw, baseline)
        chosen = weights if tuned is None else _weights(draw, tuned[0])
        shares = []
        for place, answers in enumerate((baseline, candidate)):
            on = answers if tuned is None else tuned[place]
            shares.append(_shares(on, chosen, answers, weights, choice))
        for kind in (0, 1):
            found[kind].append(shares[1][kind] - shares[0][kind])
    false, right = (float(np.concatenate(one).std(ddof=1)) for one in found)
    kinds = [baseline] if tuned is None else [baseline, tuned[0]]
    least = min(min(int(one.answerable.sum()), int((~one.answerable).sum())) for one in kinds)
    freedom = max(least - 1, 1)
    if choice.rule == "target" and choice.allowed(int((~kinds[-1].answerable).sum())) == 0:
        freedom = min(freedom, FREEDOM_OF_HIGHEST)
    return RefittedErrors(false, right, freedom)


def _weights(draw: np.random.Generator, answers: Answers) -> NDArray[np.float64]:
    """Returns how often each query is drawn, of shape (CHUNK, queries)."""
    import numpy as np

    weights = np.zeros((CHUNK, len(answers.queries)))
    for kind in (answers.answerable, ~answers.answerable):
        count = int(kind.sum())
        weights[:, kind] = draw.multinomial(count, np.full(count, 1 / count), size=CHUNK)
    return weights


def _shares(
    on: Answers,
    chosen: NDArray[np.float64],
    answers: Answers,
    weights: NDArray[np.float64],
    choice: Choice,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Returns each draw's false-answer rate and share of right answers."""
    import numpy as np

    steps = np.append(np.unique(on.scores[np.isfinite(on.scores)]), math.inf)
    yes = on.answerable
    false = _reaching(on.scores[~yes], chosen[:, ~yes], steps)
    if choice.rule == "target":
        allowed = choice.allowed(int((~yes).sum()))
        place = np.argmax(false <= allowed, axis=1)
    else:
        covered = _reaching(on.scores[yes], chosen[:, yes], steps)
        costs = choice.value * choice.base_rate * false / (~yes).sum()
        costs += (1 - choice.base_rate) * (1 - covered / yes.sum())
        least = costs <= costs.min(axis=1, keepdims=True) + 1e-12
        place = len(steps) - 1 - np.argmax(least[:, ::-1], axis=1)
    rows = np.arange(CHUNK)
    no = ~answers.answerable
    given = _reaching(answers.scores[no], weights[:, no], steps)[rows, place] / no.sum()
    known = answers.answerable & ~np.isnan(answers.right)
    total = weights[:, known].sum(axis=1)
    rightly = weights[:, known] * answers.right[known]
    right = _reaching(answers.scores[known], rightly, steps)[rows, place]
    return given, right / np.maximum(total, 1.0)


def _reaching(
    scores: NDArray[np.float64], weights: NDArray[np.float64], steps: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Returns the weight of the scores that reach each step, of shape (CHUNK, steps)."""
    import numpy as np

    order = np.argsort(scores, kind="stable")
    sums = np.zeros((len(weights), len(scores) + 1))
    np.cumsum(weights[:, order], axis=1, out=sums[:, 1:])
    starts = np.searchsorted(scores[order], steps, "left")
    found: NDArray[np.float64] = sums[:, -1:] - sums[:, starts]
    return found
