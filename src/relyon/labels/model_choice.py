"""Chooses the click model that a log supports, and says why."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, NamedTuple

from relyon.analysis.statistics import ratio_of_sums
from relyon.core.document.json import json_number, json_values
from relyon.core.texts import Catalogue
from relyon.labels.fit_check import check_fit
from relyon.labels.model import models
from relyon.labels.perplexity import sums_by_query
from relyon.labels.result_lists import lists_of
from relyon.labels.session_sample import sample_of, split

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from relyon.labels.log import ClickLog
    from relyon.labels.model import FittedModel, Values
    from relyon.labels.position_bias.connection import Support
    from relyon.labels.result_lists import Lists

__all__ = ["AUTO", "CANDIDATES", "Candidate", "ModelChoice", "choose_model"]

#: The name that stands for the choice.
AUTO = "auto"
#: The rate that everything else has to beat, and the models it is compared with.
NAIVE = "dctr"
CANDIDATES = (NAIVE, "pbm", "ubm", "dbn", "ccm")
#: With fewer impressions of each label on average, the plain click rate orders documents as well.
IMPRESSIONS = 20.0
#: The plain rate is used where more than this share of impressions is at incomparable positions.
APART = 0.1
#: Sessions that the models are compared on, and one in how many is predicted.
SESSIONS, PARTS = 10_000, 5
LEVEL = 0.95

Reason = Literal["few-impressions", "not-connected", "best", "none-fits"]


@dataclass(frozen=True)
class Candidate:
    """A model that was compared.

    Attributes:
        model: Its name.
        log_likelihood: Of held-out sessions, the mean per session.
        difference: By how much it is below the best model's; 0 for that.
        interval: The interval of the difference, over queries.
        fits: Whether users follow it: `fits`, `differs` or `unknown`; empty if it was not looked
            at, as it predicts worse than another one that was chosen.
        agreement: The mean rank correlation of its labels with those of the other models; NaN where
            it did not matter.
        near: Whether its prediction is not significantly worse than the best.
    """

    model: str
    log_likelihood: float
    difference: float = 0.0
    interval: tuple[float, float] = (0.0, 0.0)
    fits: str = ""
    agreement: float = math.nan
    near: bool = False

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values."""
        return {
            "model": self.model,
            "log_likelihood": json_number(self.log_likelihood),
            "difference": json_number(self.difference),
            "interval": json_values(self.interval),
            "fits": self.fits or None,
            "agreement": json_number(self.agreement),
            "near": self.near,
        }


@dataclass(frozen=True)
class ModelChoice:
    """The click model that a log supports.

    Attributes:
        model: Its name.
        reason: `few-impressions` or `not-connected` (the plain rate), `best` of the models that
            users follow, or `none-fits`: the best prediction, though users follow no model.
        impressions: Impressions of each label, on average.
        apart: The share of impressions at positions that cannot be compared.
        sessions: Sessions that the models were compared on; 0 where none was.
        candidates: The models, the best prediction first.
    """

    model: str
    reason: Reason
    impressions: float
    apart: float
    sessions: int = 0
    candidates: tuple[Candidate, ...] = ()

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values."""
        return {
            "model": self.model,
            "reason": self.reason,
            "impressions": json_number(self.impressions),
            "least_impressions": IMPRESSIONS,
            "apart": json_number(self.apart),
            "sessions": self.sessions,
            "candidates": [one.to_dict() for one in self.candidates],
        }

    def sentences(self, words: Catalogue) -> list[str]:
        """Returns which model was chosen, and why."""
        said = [
            words.say(
                f"choice.{self.reason}",
                model=words[f"model.{self.model}"],
                impressions=words.style.number(self.impressions, 1),
                least=f"{IMPRESSIONS:g}",
                share=words.percent(self.apart),
            )
        ]
        if self.candidates:
            others = [
                f"{words[f'model.{one.model}']} {words.style.signed(one.difference, 3)}"
                for one in self.candidates
                if one.model != self.model
            ]
            said.append(words.say("choice.others", sessions=self.sessions, others=others))
            near = [one for one in self.candidates if one.near]
            if len(near) > 1:
                rates = [
                    f"{words[f'model.{one.model}']} {words.style.number(one.agreement, 2)}"
                    for one in near
                ]
                said.append(words.say("choice.agreement", rates=rates))
        return said


def choose_model(log: ClickLog, support: Support, *, seed: int = 0) -> ModelChoice:
    """Chooses a click model by what a log supports.

    - With fewer than 20 impressions per label, or more than a tenth of the impressions at positions
      that no document connects with the first, the plain click rate: a model falls back on its
      prior for what it cannot know.
    - Otherwise `dctr`, `pbm`, `ubm`, `dbn` and `ccm` are fitted on four fifths of at most 10,000
      sessions and predict the clicks of the rest. Of the models that users follow (`check_fit`),
      those whose log-likelihood is not significantly below the best one's come into question, and
      the one is taken whose labels agree most with those of all models.
    - If users follow none, the best prediction is taken.

    Args:
        log: The log.
        support: What `support_of(log)` found.
        seed: The same seed chooses the same model, in any order of the log's rows.
    """
    pairs = max(log.native.pairs, 1)
    impressions = log.results / pairs
    apart = 0.0 if support.shown is None else 1 - float(support.shown.sum()) / max(log.results, 1)
    if impressions < IMPRESSIONS:
        return ModelChoice(NAIVE, "few-impressions", impressions, apart)
    if apart > APART:
        return ModelChoice(NAIVE, "not-connected", impressions, apart)
    held, train = split(sample_of(log, SESSIONS, seed), PARTS, seed)
    tries = {
        name: models.get(name)().fit(train)
        for name in CANDIDATES
        if not log.counted or models.get(name).independent
    }
    return _best(tries, lists_of(held), train, ModelChoice(NAIVE, "best", impressions, apart), seed)


class _Score(NamedTuple):
    lists: Lists
    values: Values

    @property
    def mean(self) -> float:
        return float(self.values @ self.lists.counts / self.lists.counts.sum())

    def below(self, best: _Score) -> tuple[float, tuple[float, float]]:
        """The difference to the best, and its interval over queries."""
        import numpy as np

        gaps = sums_by_query(self.lists, self.values - best.values)
        found = ratio_of_sums(gaps, sums_by_query(self.lists, np.ones(len(self.lists))))
        return found.value, found.interval(LEVEL)


def _best(
    tries: Mapping[str, FittedModel], lists: Lists, train: ClickLog, found: ModelChoice, seed: int
) -> ModelChoice:
    scores = {name: _Score(lists, one.log_likelihood(lists)) for name, one in tries.items()}
    names = sorted(tries, key=lambda name: -scores[name].mean)
    fits: dict[str, str] = {}

    def follows(name: str) -> bool:
        if name not in fits:
            fits[name] = check_fit(tries[name], train, seed=seed).verdict
        return fits[name] != "differs"

    best = next((name for name in names if follows(name)), None)
    first = names[0] if best is None else best
    gaps = {name: scores[name].below(scores[first]) for name in names}
    near = [first]
    for name in names if best is not None else ():
        high = gaps[name][1][1]
        if name != first and high >= 0 and follows(name):
            near.append(name)
    agreement = dict(_agreements(tries, near)) if len(near) > 1 else {}
    chosen = max(near, key=lambda name: (agreement.get(name, 0.0), name == first))
    candidates = tuple(
        Candidate(
            name,
            scores[name].mean,
            *((0.0, (0.0, 0.0)) if name == first else gaps[name]),
            fits=fits.get(name, ""),
            agreement=agreement.get(name, math.nan),
            near=name in near,
        )
        for name in names
    )
    return replace(
        found,
        model=chosen,
        reason="none-fits" if best is None else "best",
        sessions=train.sessions + int(lists.counts.sum()),
        candidates=candidates,
    )


def _agreements(tries: Mapping[str, FittedModel], names: list[str]) -> Iterator[tuple[str, float]]:
    """The mean rank correlation within queries of each model's labels with those of the others.

    The plain rate does not count as another model: it agrees with the order of the positions.
    """
    import numpy as np

    ranks = {name: _ranks(one) for name, one in tries.items()}
    for name in names:
        others = [one for one in tries if one not in (name, NAIVE)]
        rates = [float(np.nanmean(_correlations(*ranks[name], ranks[one][0]))) for one in others]
        yield name, math.fsum(rates) / len(rates) if rates else 0.0


def _ranks(fitted: FittedModel) -> tuple[Values, NDArray[np.int64]]:
    """The rank of each label within its query, less the mean; and the number of the query."""
    import polars as pl

    frame = fitted.pairs.select("query").with_columns(label=pl.Series(fitted.relevances.value))
    ranks = pl.col("label").rank().over("query")
    found = frame.select(ranks - ranks.mean().over("query"), query=pl.col("query").rle_id())
    return found.get_column("label").to_numpy(), found.get_column("query").to_numpy()


def _correlations(one: Values, queries: NDArray[np.int64], other: Values) -> Values:
    import numpy as np

    products, first, second = (
        np.bincount(queries, values) for values in (one * other, one * one, other * other)
    )
    whole = np.sqrt(first * second)
    found: Values = np.divide(products, whole, out=np.full(len(whole), np.nan), where=whole > 0)
    return found
