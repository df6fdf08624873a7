"""Click models against each other: how well they foresee clicks that they have not seen."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from relkit.core.document.json import json_number, json_values, note_dict
from relkit.core.document.model import Block, Document, Lines, Table
from relkit.core.document.result import Exportable
from relkit.core.errors import ParameterError
from relkit.core.notes import Note, warn
from relkit.core.parameters import check_fraction, check_whole
from relkit.core.texts import Language, catalogue, message
from relkit.core.texts.numbers import DIGITS
from relkit.labels.lists import Lists, lists_of
from relkit.labels.log import Fold, read_folds
from relkit.labels.making import model_of
from relkit.labels.rules import Rules

if TYPE_CHECKING:
    import polars as pl

    from relkit.labels.model import ClickModel, Values

__all__ = ["ModelComparison", "ModelFit", "compare_models"]

HEADINGS = ("model", "likelihood", "difference", "interval", "perplexity", "conditional")


@dataclass(frozen=True)
class ModelFit:
    """How well a model foresees the clicks of sessions that were held out.

    Attributes:
        model: The model's name.
        log_likelihood: The mean over sessions.
        difference: By how much it is above that of the first model.
        interval: The interval of the difference, over queries; NaN with fewer than two.
        perplexity: Of clicks, nothing else being known: the mean over positions.
        conditional_perplexity: Of clicks, those above being known: the mean over positions.
        by_position: The perplexity at each position.
    """

    model: str
    log_likelihood: float
    difference: float
    interval: tuple[float, float]
    perplexity: float
    conditional_perplexity: float
    by_position: tuple[float, ...]


@dataclass(frozen=True)
class ModelComparison(Exportable):
    """Click models side by side.

    Attributes:
        fits: One per model, in the order they were named.
        trained: Sessions that the models were fitted on.
        tested: Sessions whose clicks they were to foresee.
        level: The probability of the intervals.
        source: The log.
        notes: What is worth knowing about the log.
    """

    fits: tuple[ModelFit, ...]
    trained: int
    tested: int
    level: float
    source: str
    notes: tuple[Note, ...] = ()

    def __getitem__(self, model: str) -> ModelFit:
        return next(fit for fit in self.fits if fit.model == model)

    def to_frame(self) -> pl.DataFrame:
        """Returns one row per model."""
        import polars as pl

        names = ("model", "log_likelihood", "difference", "perplexity", "conditional_perplexity")
        columns = {name: [getattr(fit, name) for fit in self.fits] for name in names}
        columns["low"] = [fit.interval[0] for fit in self.fits]
        columns["high"] = [fit.interval[1] for fit in self.fits]
        return pl.DataFrame(columns).fill_nan(None)

    def to_dict(self) -> dict[str, Any]:
        """Returns the object that ``--format json`` prints."""
        return {
            "source": self.source,
            "trained": self.trained,
            "tested": self.tested,
            "level": self.level,
            "models": [
                {
                    "model": fit.model,
                    "log_likelihood": json_number(fit.log_likelihood),
                    "difference": json_number(fit.difference),
                    "interval": json_values(fit.interval),
                    "perplexity": json_number(fit.perplexity),
                    "conditional_perplexity": json_number(fit.conditional_perplexity),
                    "by_position": json_values(fit.by_position),
                }
                for fit in self.fits
            ],
            "notes": [note_dict(note) for note in self.notes],
        }

    def document(self, *, digits: int = DIGITS, language: Language = "en") -> Document:
        """Returns one row per model.

        Args:
            digits: Decimals.
            language: `en` or `zh`.
        """
        words = catalogue("labels", language)
        style = words.style
        rows = [
            [
                fit.model,
                style.number(fit.log_likelihood, digits),
                style.signed(fit.difference, digits) if number else "",
                style.signed_interval(fit.interval, digits) if number else "",
                style.number(fit.perplexity, digits),
                style.number(fit.conditional_perplexity, digits),
            ]
            for number, fit in enumerate(self.fits)
        ]
        level = words.percent(self.level)
        names = [words.say(f"column.{name}", level=level) for name in HEADINGS]
        said = words.say(
            "compared", trained=self.trained, tested=self.tested, first=self.fits[0].model
        )
        blocks: list[Block] = [Table(names, rows), Lines([said])]
        return Document(blocks)


def compare_models(
    sessions: object,
    models: Sequence[str | ClickModel] = ("pbm", "ubm", "dbn"),
    *,
    depth: int = 10,
    min_dwell: float | None = None,
    parts: int = 5,
    level: float = 0.95,
    threads: int = 0,
) -> ModelComparison:
    """Fits click models on most sessions of a log and lets them foresee the clicks of the rest.

    The sessions that are held out are chosen by their ids: the same ones every time. Intervals are
    of the mean difference per session, its variance that of a ratio over queries, so that the many
    sessions of one query count as one observation.

    Args:
        sessions: What `relkit.read_sessions` takes.
        models: Click models or their names; differences are to the first.
        depth: The last position that counts.
        min_dwell: Clicks after which the user stayed for fewer seconds do not count.
        parts: One session in so many is held out.
        level: The probability of the intervals.
        threads: Threads to use; 0 takes one per processor.

    Raises:
        InputError: If the log does not say what was clicked, or has too few sessions.
        ParameterError: If no model is named, or one twice.
        UnknownNameError: If no model has that name.
    """
    chosen = [model_of(model) for model in models]
    names = [model.name for model in chosen]
    if not chosen or len(set(names)) < len(names):
        raise ParameterError(message("name each click model once"), hint="such as pbm, ubm, dbn")
    check_whole("parts", parts, least=2)
    check_fraction("level", level)
    folds = [Fold(0, parts), Fold(0, parts, inside=False)]
    held, train = read_folds(sessions, folds, rules=Rules(depth, min_dwell), threads=threads)
    lists = lists_of(held)
    first: Values | None = None
    fits = []
    for model in chosen:
        fitted = model.fit(train)
        likelihood = fitted.log_likelihood(lists)
        first = likelihood if first is None else first
        by_position = fitted.perplexity(lists)
        difference, interval = _difference(lists, likelihood - first, level)
        fits.append(
            ModelFit(
                model=model.name,
                log_likelihood=float(likelihood @ lists.counts / lists.counts.sum()),
                difference=difference,
                interval=interval,
                perplexity=_mean(by_position),
                conditional_perplexity=_mean(fitted.perplexity(lists, conditional=True)),
                by_position=tuple(map(float, by_position)),
            )
        )
    warn(train.notes)
    return ModelComparison(
        tuple(fits), train.sessions, held.sessions, level, train.source, train.notes
    )


def _mean(values: Values) -> float:
    known = [float(value) for value in values if not math.isnan(value)]
    return math.fsum(known) / len(known) if known else math.nan


def _difference(lists: Lists, values: Values, level: float) -> tuple[float, tuple[float, float]]:
    """The mean over sessions, and its t interval: a ratio of sums over queries."""
    import numpy as np
    from scipy.special import stdtrit

    queries = lists.names.get_column("query").rank("dense").to_numpy()[lists.pairs[:, 0]] - 1
    sums = np.bincount(queries, values * lists.counts)
    counts = np.bincount(queries, lists.counts)
    sums, counts = sums[counts > 0], counts[counts > 0]
    mean = float(sums.sum() / counts.sum())
    if len(sums) < 2:
        return mean, (math.nan, math.nan)
    spread = float(np.square(sums - mean * counts).sum()) * len(sums) / (len(sums) - 1)
    wide = float(stdtrit(len(sums) - 1, (1 + level) / 2))
    half = wide * math.sqrt(spread) / float(counts.sum())
    return mean, (mean - half, mean + half)
