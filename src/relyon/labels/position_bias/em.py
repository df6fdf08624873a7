"""Regression-EM: examination and attraction of every pair, fitted together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from relyon.labels.click_models.pbm import PBM
from relyon.labels.expectation_maximisation import BEGIN
from relyon.labels.position_bias.estimator import Counts, Estimate, Estimator, register

if TYPE_CHECKING:
    from relyon.labels.model import Values
    from relyon.labels.position_bias.swaps import Cells, Places

__all__ = ["RegressionEM"]


@register
@dataclass(frozen=True)
class RegressionEM(Estimator):
    """The examination of the position-based model, with an attraction of its own for every pair.

    Wang et al. let a regression on features say how attractive a pair is; here each pair has its
    own attraction, which begins with one click in two impressions: the model `pbm` by plain
    expectation maximisation, relative to the reference. So it tells position from relevance by the
    same documents as the others do, but it also believes that prior: where most pairs have few
    impressions it is wrong by more than its interval says. The interval is that of the profile
    likelihood, with queries as what varies.

    Source: Wang et al., Position bias estimation for unbiased learning to rank in personal search
    (2018).

    Attributes:
        rounds: The most rounds of expectation maximisation.
        tolerance: No round follows one that changed no examination by more.
        prior_clicks: Clicks that every probability begins with.
        prior_shown: Impressions that every probability begins with.
    """

    name: ClassVar[str] = "em"
    title: ClassVar[str] = "Regression-EM"

    rounds: int = 500
    tolerance: float = 1e-5
    prior_clicks: float = 1.0
    prior_shown: float = 2.0

    def estimate(self, counts: Counts) -> Estimate:
        """Fits the position-based model to the whole log."""
        import numpy as np

        found = counts.log.native.examination(
            PBM.context, self.rounds, self.tolerance, self.prior_clicks, self.prior_shown, BEGIN
        )
        cells, known = counts.cells, counts.comparable
        examination = found["examination"][cells.positions - 1]
        attraction = found["attraction"][cells.pairs]
        with np.errstate(divide="ignore"):
            logs = np.log(examination)
        logs = np.where(known & np.isfinite(logs), logs - logs[counts.reference], np.nan)
        influence, share = np.zeros((2, cells.groups, len(cells.positions)))
        free = np.flatnonzero(np.isfinite(logs) & (np.arange(len(logs)) != counts.reference))
        if not len(free):
            return Estimate(logs, influence, share)

        clicks, skips = cells.clicks, cells.shown - cells.clicks
        chances = np.minimum(examination[cells.places] * attraction, 1 - 1e-9)
        slopes = clicks - skips * chances / (1 - chances)
        weights = skips * chances / (1 - chances) ** 2
        # The attraction of each pair follows the examinations.
        size = int(cells.pairs[-1]) + 1
        attracts = np.zeros(size)
        attracts[cells.pairs] = np.minimum(attraction, 1 - 1e-9)
        unsold = (self.prior_shown - self.prior_clicks) * attracts / (1 - attracts)
        both = np.bincount(cells.pairs, slopes, size) + self.prior_clicks - unsold
        total = np.bincount(cells.pairs, weights, size) + unsold / (1 - attracts)
        total = np.where(total > 0, total, np.inf)
        seen = np.minimum(examination, 1 - 1e-9)
        prior = (self.prior_shown - self.prior_clicks) * seen / (1 - seen) ** 2
        inverse = _inverse(cells, weights, total, prior, free)
        scores = np.zeros_like(influence)
        moved = slopes - weights * (both / total)[cells.pairs]
        np.add.at(scores, (cells.group, cells.places), moved)
        scores[:, free] -= scores[:, free].mean(axis=0)
        influence[:] = scores @ inverse
        groups = np.zeros(size, np.int64)
        groups[cells.pairs] = cells.group
        for place in free:
            reach = inverse[place, cells.places]
            joint = np.bincount(cells.pairs, weights * reach, size) ** 2 / total
            part = np.bincount(cells.pairs, weights * reach**2, size) - joint
            share[:, place] = np.bincount(groups, np.maximum(part, 0), cells.groups)
        return Estimate(logs, influence, share)


def _inverse(cells: Cells, weights: Values, total: Values, prior: Values, free: Places) -> Values:
    """The covariance of log θ, where the attraction of each pair is unknown, too."""
    import numpy as np

    size = len(cells.positions)
    own = weights - weights**2 / total[cells.pairs]
    information = np.zeros((size, size))
    information[np.arange(size), np.arange(size)] = cells.by_place(own) + prior
    for step in range(1, size):
        one, other = cells.neighbours(step)
        if not len(one):
            break
        shared = weights[one] * weights[other] / total[cells.pairs[one]]
        keys = cells.places[one] * size + cells.places[other]
        table = np.bincount(keys, shared, size**2).reshape(size, size)
        information -= table + table.T
    out = np.zeros((size, size))
    out[np.ix_(free, free)] = np.linalg.pinv(information[np.ix_(free, free)])
    return out
