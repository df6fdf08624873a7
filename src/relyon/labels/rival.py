"""A rival of models that go down the list: does the position alone predict clicks better?"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from relyon.analysis.statistics import ratio_of_sums
from relyon.labels.click_models.pbm import PBM
from relyon.labels.perplexity import sums_by_query
from relyon.labels.result_lists import lists_of
from relyon.labels.session_sample import split

if TYPE_CHECKING:
    from relyon.labels.log import ClickLog
    from relyon.labels.model import ClickModel

__all__ = ["Rival", "compare_with_rival"]

#: If both predict equally well, the interval lies above 0 with a probability of 2.5%.
LEVEL = 0.95


class Rival(NamedTuple):
    """How much better the position-based model predicts clicks.

    Attributes:
        difference: Its log-likelihood per session less the model's.
        interval: The interval of that, over queries.
    """

    difference: float
    interval: tuple[float, float]

    @property
    def better(self) -> bool:
        """Whether it is significantly better."""
        return self.interval[0] > 0


def compare_with_rival(model: ClickModel, log: ClickLog, seed: int = 0) -> Rival:
    """Fits a model and PBM on one half of the sessions and predicts the clicks of the other, twice.

    A model that goes down the list has two probabilities of a document or more, which can mimic the
    clicks that positions explain: then no group of results differs, but other sessions are
    predicted worse.

    Args:
        model: The model.
        log: The log.
        seed: The same seed draws the same halves.
    """
    import numpy as np

    rival = PBM(prior_clicks=model.prior_clicks, prior_shown=model.prior_shown)
    gains: dict[str, float] = {}
    counts: dict[str, float] = {}
    halves = split(log, 2, seed)
    for train, test in (halves, halves[::-1]):
        if not train.sessions or not test.sessions:
            return Rival(float("nan"), (float("nan"), float("nan")))
        lists = lists_of(test)
        better = rival.fit(train).log_likelihood(lists) - model.fit(train).log_likelihood(lists)
        names = lists.names.get_column("query").unique().sort()
        for name, gain, count in zip(
            names,
            sums_by_query(lists, better).tolist(),
            sums_by_query(lists, np.ones(len(lists))).tolist(),
            strict=True,
        ):
            gains[name] = gains.get(name, 0.0) + gain
            counts[name] = counts.get(name, 0.0) + count
    found = ratio_of_sums(np.array(list(gains.values())), np.array(list(counts.values())))
    return Rival(found.value, found.interval(LEVEL))
