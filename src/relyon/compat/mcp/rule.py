"""The rule of the sealed set: when the answer to a look may be “better”."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from relyon.core.errors import ParameterError
from relyon.core.parameters import check_fraction, check_whole
from relyon.core.texts import message

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["LEAST_LEVEL", "detectable", "is_better", "least_queries", "level_of"]

#: A look at a smaller level is not sold: no improvement of a usual size could be found at it.
LEAST_LEVEL = 1e-12
#: The largest bet: differences close to -1 are rare, and small sets need large bets.
LARGEST_BET = 0.95
#: What rounding may add to a difference.
SLACK = 1e-9


def level_of(looks: int, better: int, alpha: float) -> float:
    """Returns the level of a look's test: α / (2^(b + 1) C(N, b + 1)), after b answers “better”.

    An agent sees nothing of the held-out queries but the answers. So its next candidate, and the
    best so far that it is compared with, depend on those queries only through the answers before:
    all candidates that it could ever try are nodes of a tree whose branches are “better”
    and “not distinguishable”. At each node, the candidate and the best so far are fixed before the
    held-out queries are drawn, so that a test at level a is wrong with probability a at most. By
    the union bound, the probability that any wrong “better” is ever answered is at most the sum of
    the levels over all nodes. With N looks there are C(t − 1, b) nodes at look t after b answers
    “better”; over t that is C(N, b + 1). They share α / 2^(b + 1), and Σ 2^−(b + 1) < 1.

    If no answer was wrong, each accepted candidate is better than the one before, hence than the
    baseline. This is true regardless of what the agent does, also if it attacks the set on purpose.

    Args:
        looks: N, the number of looks of the whole set.
        better: b, how often “better” was answered before.
        alpha: α, the probability of ever answering “better” wrongly.

    Raises:
        ParameterError: If `looks` is below 1, or α is not between 0 and 1.

    Examples:
        >>> [f"{level_of(20, better, 0.05):.2g}" for better in range(3)]
        ['0.0013', '6.6e-05', '5.5e-06']

    References:
        Dwork, Feldman, Hardt, Pitassi, Reingold and Roth (2015), Generalization in adaptive data
        analysis and holdout reuse, NIPS: the bound over transcripts (description length); Blum and
        Hardt (2015), The Ladder, ICML: the tree of answers, and comparing with the best so far.
    """
    check_whole("looks", looks, least=1)
    check_fraction("alpha", alpha)
    nodes = math.comb(looks, better + 1)
    return alpha / (2.0 ** (better + 1) * nodes) if nodes else 0.0


def is_better(differences: NDArray[np.float64], level: float) -> bool:
    """Returns whether differences refute that their mean is 0 or less.

    A bet against it multiplies the capital by 1 + λ d at each query. If the mean is not above 0,
    the capital is not expected to grow, so it ends above 1 / level with probability `level` at most
    (Markov's inequality). It holds for any number of queries and any distribution of differences
    from −1 to 1. A t test promises this only roughly: if a candidate gains a little on most queries
    and loses much on a few, these are missed by a small set, and the t test is far too sure.

    Args:
        differences: Candidate − best so far, one per query, from −1 to 1, in an order that does not
            depend on them.
        level: The probability of a wrong answer.

    Raises:
        ParameterError: If a difference is not between −1 and 1.

    Examples:
        >>> import numpy as np
        >>> is_better(np.full(100, 0.2), 0.001), is_better(np.full(5, 0.2), 0.001)
        (True, False)

    References:
        Waudby-Smith and Ramdas (2024), Journal of the Royal Statistical Society B 86(1): theorem 3.
    """
    import numpy as np

    from relyon.analysis.statistics.betting import betting_evidence

    if not bool((np.abs(differences) <= 1 + SLACK).all()):
        raise ParameterError(message("compat.mcp-difference-out-of-range"))
    if not len(differences) or level < LEAST_LEVEL:
        return False
    # One side of an interval with the confidence 1 - 2 level.
    values = np.clip((differences + 1) / 2, 0.0, 1.0)
    return betting_evidence(values, 0.5, 1, 1 - 2 * level, LARGEST_BET) >= 0


def least_queries(level: float) -> int:
    """Returns the fewest queries on which `is_better` can be true at all: each gains 1.

    Raises:
        ParameterError: If the level is too small for any number.

    Examples:
        >>> least_queries(0.05 / 40)
        11
    """
    import numpy as np

    if level < LEAST_LEVEL:
        raise ParameterError(message("compat.mcp-level-too-small", level=level))
    count = 1
    while not is_better(np.ones(count), level):
        count += 1
    return count


def detectable(queries: int, level: float, spread: float) -> float:
    """Returns the improvement that a look finds about half of the time.

    With differences that are nearly normal, that is; if the spread comes from rare large losses, or
    the set has fewer than 200 queries, it is found less often.

    Args:
        queries: The number of held-out queries, n.
        level: The level of the look.
        spread: σ, the standard deviation of the differences by query.

    Returns:
        L / (n λ) + λ σ² / 2 with L = −log(level) and λ = min(√(2 L / n) / σ, 0.95): where a bet of
        λ is expected to reach the capital 1 / level. Above 1 no improvement can be found.

    Examples:
        >>> [round(detectable(n, 0.05 / 40, 0.15), 3) for n in (50, 200, 300, 1000)]
        [0.151, 0.046, 0.034, 0.017]
    """
    needed = -math.log(level)
    bet = LARGEST_BET
    if spread > 0:
        bet = min(math.sqrt(2 * needed / queries) / spread, LARGEST_BET)
    return needed / (queries * bet) + bet * spread**2 / 2
