"""Empirical Bayes: the prior of a document's probability, estimated from all documents."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from relyon.core.errors import ParameterError
from relyon.core.packages import scipy_part
from relyon.core.texts import message

if TYPE_CHECKING:
    from relyon.labels.beta import Values
    from relyon.labels.log import ClickLog
    from relyon.labels.model import ClickModel

__all__ = ["beta_binomial", "with_estimated_prior"]

#: The largest weight of a prior, in impressions: more is a log in which documents do not differ.
MOST = 1e4


def beta_binomial(clicks: Values, shown: Values) -> tuple[float, float]:
    """Returns the Beta distribution under which counts are most likely.

    It maximises Σ log B(a + c, b + n − c) − log B(a, b) over the mean m = a / (a + b) and the
    size a + b, the size up to 10,000. Counts may be fractions.

    Args:
        clicks: Successes of each document, c.
        shown: Trials of each document, n.

    Returns:
        a and a + b: clicks and impressions that a probability begins with.

    Source: Skellam (1948); Robbins, An empirical Bayes approach to statistics (1956).

    Examples:
        >>> import numpy as np
        >>> generator = np.random.default_rng(1)
        >>> shown = np.full(4000, 50.0)
        >>> clicks = generator.binomial(50, generator.beta(2, 6, 4000)).astype(float)
        >>> a, size = beta_binomial(clicks, shown)
        >>> abs(a - 2) < 0.2, abs(size - 8) < 0.8
        (True, True)
    """
    import numpy as np

    minimize = scipy_part("optimize").minimize
    special = scipy_part("special")

    kept = shown > 0
    done, missed = clicks[kept], (shown - clicks)[kept]
    overall = float((done.sum() + 0.5) / (shown[kept].sum() + 1))

    def loss(point: Values) -> float:
        mean, size = float(special.expit(point[0])), min(math.exp(point[1]), MOST)
        a, b = mean * size, (1 - mean) * size
        found = special.betaln(a + done, b + missed) - special.betaln(a, b)
        return -float(np.sum(found)) / max(len(done), 1)

    begin = np.array([float(special.logit(overall)), math.log(2.0)])
    bounds = [(-16.0, 16.0), (math.log(1e-2), math.log(MOST))]
    best = minimize(loss, begin, method="L-BFGS-B", bounds=bounds).x
    mean, size = float(special.expit(best[0])), float(math.exp(best[1]))
    return mean * size, size


def with_estimated_prior(model: ClickModel, log: ClickLog) -> ClickModel:
    """Returns a click model whose prior is estimated from the log.

    The model is fitted with its own prior; a Beta distribution is estimated from the evidence
    that it then has for each document, without that prior. Documents with few impressions
    are drawn to the mean of all, as far as documents are alike.

    Raises:
        ParameterError: If the model has several probabilities per document: one prior cannot serve
            both attraction and satisfaction.
    """
    import numpy as np

    found = model.estimate(log)
    if set(found.pairs) not in ({"attraction"}, {"rate"}):
        raise ParameterError(
            message(
                "labels.no-prior-can",
                name=model.name,
            ),
            hint=message("labels.use-pbm"),
        )
    ((name, mean),) = found.pairs.items()
    weight = found.weights[name]
    shown = np.maximum(weight - model.prior_shown, 0.0)
    clicks = np.clip(mean * weight - model.prior_clicks, 0.0, shown)
    prior_clicks, prior_shown = beta_binomial(clicks, shown)
    return replace(model, prior_clicks=prior_clicks, prior_shown=prior_shown)
