"""A click model, fitted on the log, predicts the clicks of the candidate's lists."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from relyon.core.texts import Text
from relyon.labels.log import read_clicks
from relyon.labels.off_policy.estimator import Estimator, Terms, barely, register
from relyon.labels.result_lists import Lists

if TYPE_CHECKING:
    from relyon.labels.off_policy.estimator import Evidence
    from relyon.labels.off_policy.weights import Level

__all__ = ["ClickModelEstimator"]


@register
class ClickModelEstimator(Estimator):
    """A click model fitted on the log: (1/n) Σ Σ_k P(click on the candidate's document at k).

    It needs no propensities, and is wrong by as much as the model is. A document that the log never
    showed for the query has the model's prior.
    """

    name = "click-model"
    level: ClassVar[Level | None] = None

    def refusal(self, evidence: Evidence) -> Text | None:
        """Returns why there is no estimate: no clicks, or nothing of the candidate was shown."""
        if not evidence.feedback.clicks:
            return Text("offpolicy.refused.rewards")
        return barely(evidence, "place") or super().refusal(evidence)

    def terms(self, evidence: Evidence) -> Terms:
        """Returns the contribution of each session."""
        import numpy as np
        import polars as pl

        choices, feedback = evidence.choices, evidence.feedback
        deepest = int(feedback.positions.max())
        fitted = evidence.click_model.fit(read_clicks(feedback.sessions, depth=deepest))
        # Without chance a context has one list; with it, every document is one of its own.
        shape = feedback.positions.shape if choices.ranking else (len(choices.document), 1)
        rows = choices.context if choices.ranking else np.arange(shape[0])
        at = (rows, choices.place)
        documents = np.full(shape, -1, np.int64)
        documents[at] = choices.document
        positions = np.ones(shape, np.int64)
        positions[at] = feedback.positions[choices.context, choices.place]
        contexts = np.zeros(shape, np.int64)
        contexts[at] = choices.context
        shown = documents >= 0
        pairs = np.zeros(shape, np.int64)
        pairs[shown] = np.arange(shown.sum())
        names = pl.DataFrame(
            {
                "query": feedback.contexts.get_column("query").gather(contexts[shown]),
                "document": choices.names.gather(documents[shown]),
            }
        )
        lists = Lists(names, pairs, positions, shown, np.zeros(shape, bool), np.ones(shape[0]))
        clicks = np.where(shown, fitted.click_probabilities(lists), 0.0)
        if choices.ranking:
            each = clicks.sum(axis=1)
        else:
            each = np.bincount(
                choices.context, choices.probability * clicks[:, 0], feedback.contexts.height
            )
        values = each[feedback.context]
        return Terms(values, None, 0.0, float(feedback.places), certain=False, ordered=False)
