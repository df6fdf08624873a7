"""Weights: how much likelier the candidate is than the log to show what was shown; and overlap."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from relyon.labels.off_policy.choices import Choices
    from relyon.labels.off_policy.feedback import Feedback, Values, Whole

__all__ = ["Level", "Overlap", "Weights", "weigh"]

#: What a weight is of: the whole list, the list down to a place, or one place.
Level = Literal["list", "prefix", "place"]


@dataclass(frozen=True)
class Overlap:
    """The share of the candidate's results that the log has seen.

    Attributes:
        level: What is compared: whole lists, lists down to a place, or single places.
        matches: Sessions in which the log showed what the candidate can show; of places and
            prefixes, at one place at least.
        effective: (Σw)² / Σw²: sessions of the candidate itself that would say as much; of places
            and prefixes, the mean over places.
        largest: The largest weight.
        mean: The mean weight: 1 is expected where the log could have shown all that the candidate
            shows, and less than 1 is the share that it could.
        seen: The share of the candidate's probability that the log has shown.
        queries: The share of queries of which it has shown all.
        estimated: Whether propensities were counted in the log instead of being given by it.
    """

    level: Level
    matches: int
    effective: float
    largest: float
    mean: float
    seen: float
    queries: float
    estimated: bool


@dataclass(frozen=True)
class Weights:
    """Weights of one level.

    Attributes:
        level: What they are of.
        values: Shape (n, k); of lists the same at every place.
        bound: An upper bound of the weights, estimated from the log: the candidate's largest
            probability over the smallest propensity, which need not be one of the candidate's.
        estimated: Whether propensities were counted in the log.
        seen: The share of each place's probability that the log has shown. Shape (contexts, k).
        choices: What they compare.
    """

    level: Level
    values: Values
    bound: float
    estimated: bool
    seen: Values
    choices: Choices

    @cached_property
    def wanted(self) -> NDArray[np.bool_]:
        """The places at which the candidate shows something. Shape (contexts, k)."""
        import numpy as np

        shows = self.choices.document >= 0
        found = self.choices.per_place(np.where(shows, self.choices.probability, 0.0)) > 0
        return np.ones_like(found) if self.level == "list" else found

    @cached_property
    def overlap(self) -> Overlap:
        """The overlap of the candidate with the log."""
        import numpy as np

        feedback = self.choices.feedback
        asked = self.wanted[feedback.context]
        values = np.where(asked, self.values, 0.0)
        if self.level == "list":
            values, asked = values[:, :1], asked[:, :1]
        squares = np.square(values).sum(axis=0)
        some = asked.any(axis=0)
        with np.errstate(invalid="ignore", divide="ignore"):
            effective = np.where(squares > 0, values.sum(axis=0) ** 2 / squares, 0.0)
        counts = feedback.counts[:, None] * self.wanted
        full = np.where(self.wanted, self.seen, 1.0).min(axis=1) > 1 - 1e-9
        numbers = feedback.contexts.get_column("query").rank("dense").to_numpy().astype(int) - 1
        missed = np.bincount(numbers, ~full)
        total = float(counts.sum())
        return Overlap(
            level=self.level,
            matches=int((values > 0).any(axis=1).sum()),
            effective=float(effective[some].mean()) if some.any() else 0.0,
            largest=float(values.max(initial=0.0)),
            mean=float(values.sum() / asked.sum()) if asked.any() else 0.0,
            # Probabilities of a decision add up to 1 but for rounding.
            seen=round(float((counts * self.seen).sum() / total), 12) if total else 0.0,
            queries=float((missed == 0).mean()),
            estimated=self.estimated,
        )


def weigh(choices: Choices, level: Level) -> Weights:
    """Returns the weights of a level.

    Propensities of that level are taken from the log where it gives them. Where it does not, how
    often each context showed what it showed is their estimate: what was shown may depend on the
    query (and the position, where that is what was decided), but on nothing else that matters.

    Args:
        choices: The candidate on the log's decisions.
        level: What is weighted. Of a candidate with chance and places more than one, only `place`.
    """
    import numpy as np

    feedback = choices.feedback
    likely = choices.likely
    if level == "place" or feedback.places == 1:
        shown = feedback.documents >= 0
        keys = choices.logged_keys
        given = feedback.propensities if feedback.given == "position" else None
        if given is None:
            _, place, counts = np.unique(keys, return_inverse=True, return_counts=True)
            each = counts[place.reshape(keys.shape)] / feedback.counts[feedback.context][:, None]
        else:
            each = np.where(shown, given, 1.0)
        # Where nothing was shown nothing was earned: there is nothing to weigh.
        values = np.where(shown, likely / each, 0.0)
        seen = choices.per_place(np.where(choices.seen, choices.probability, 0.0))
        top = float(choices.probability.max(initial=0.0))
        least = float(each[shown].min())
    else:
        ours = np.cumprod(likely, axis=1)
        given = _given_prefixes(feedback, level)
        prefixes = _prefixes(feedback)
        each = _frequencies(feedback, prefixes) if given is None else given
        values = ours / each
        seen = _seen(feedback, ours > 0)
        if level == "list":
            values = np.repeat(values[:, -1:], feedback.places, axis=1)
            seen = np.repeat(seen[:, -1:], feedback.places, axis=1)
        top, least = 1.0, float(each[:, -1].min() if level == "list" else each.min())
    estimated = given is None
    # Of counted propensities none is smaller than those of what was matched.
    bound = float(values.max(initial=0.0)) if estimated else top / least
    return Weights(level, values, max(bound, 1.0), estimated, seen, choices)


def _given_prefixes(feedback: Feedback, level: Level) -> Values | None:
    """The propensities of lists down to each place, where the log gives them."""
    import numpy as np

    likely = feedback.propensities
    if likely is None or feedback.given == "position":
        return None
    if feedback.given == "conditional":
        known: Values = np.where(np.isnan(likely), 1.0, likely)
        return np.cumprod(known, axis=1).astype(np.float64)
    if level == "list":
        whole = np.nanmax(likely, axis=1)
        return np.repeat(whole[:, None], feedback.places, axis=1)
    return None


def _prefixes(feedback: Feedback) -> Whole:
    """Numbers the distinct lists down to each place, context by context. Shape (n, k)."""
    import numpy as np

    found = np.empty(feedback.documents.shape, np.int64)
    above = feedback.context
    width = int(feedback.documents.max()) + 2
    for place in range(feedback.places):
        keys = above * width + feedback.documents[:, place] + 1
        _, above = np.unique(keys, return_inverse=True)
        found[:, place] = above
    return found


def _frequencies(feedback: Feedback, prefixes: Whole) -> Values:
    """The frequency of each list down to each place among the sessions of its context."""
    import numpy as np

    found = np.empty(prefixes.shape)
    for place in range(feedback.places):
        counts = np.bincount(prefixes[:, place])
        found[:, place] = counts[prefixes[:, place]] / feedback.counts[feedback.context]
    return found


def _seen(feedback: Feedback, matched: NDArray[np.bool_]) -> Values:
    """Whether the candidate's list down to each place was shown in each context."""
    import numpy as np

    columns = [
        np.bincount(feedback.context, matched[:, place], feedback.contexts.height) > 0
        for place in range(feedback.places)
    ]
    return np.stack(columns, axis=1).astype(np.float64)
