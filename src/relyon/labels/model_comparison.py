"""Compares click models: fitted on one part of a log, evaluated on another."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relyon.analysis.statistics import ratio_of_sums
from relyon.core.document.exportable import Exportable
from relyon.core.document.json import json_number, json_values, note_dict
from relyon.core.document.model import Block, Document, Lines, Section, Table
from relyon.core.errors import ParameterError
from relyon.core.notes import Note, warn
from relyon.core.parameters import check_fraction, check_whole
from relyon.core.texts import Catalogue, Language, catalogue, message
from relyon.core.texts.numbers import DIGITS
from relyon.data.convention import load_convention
from relyon.io import read_judgments
from relyon.labels.agreement import HumanComparison
from relyon.labels.derivation import model_of
from relyon.labels.human_grades import MEASURES, compare_with_people, pool_of
from relyon.labels.log import Fold, read_folds
from relyon.labels.perplexity import (
    Bin,
    by_position,
    log_likelihood,
    perplexity,
    reliability,
    sums_by_query,
)
from relyon.labels.position_bias.log_estimate import estimate_bias
from relyon.labels.result_lists import Lists, lists_of
from relyon.labels.rules import Rules
from relyon.measures.parser import measures as parse_measures

if TYPE_CHECKING:
    import polars as pl

    from relyon.data.convention import Convention
    from relyon.data.scale import Scale
    from relyon.evaluation import MeasureNames
    from relyon.labels.model import ClickModel, FittedModel, Values
    from relyon.labels.position_bias.bias import PositionBias
    from relyon.labels.position_bias.estimator import Estimator

__all__ = ["ModelComparison", "ModelFit", "compare_models"]

HEADINGS = ("model", "likelihood", "difference", "interval", "perplexity", "conditional")


@dataclass(frozen=True)
class ModelFit:
    """The quality of the predicted clicks of held-out sessions.

    Attributes:
        model: The model's name.
        log_likelihood: The mean over sessions.
        difference: By how much it is above that of the first model.
        interval: The interval of the difference, over queries; NaN with fewer than two.
        perplexity: Of clicks, nothing else being known: the mean over positions.
        conditional_perplexity: Of clicks, those above being known: the mean over positions.
        by_position: The perplexity at each position.
        examination: The probability that users see each position, relative to the first; empty if
            the model has none.
        reliability: The click rates of results by their predicted probability.
    """

    model: str
    log_likelihood: float
    difference: float
    interval: tuple[float, float]
    perplexity: float
    conditional_perplexity: float
    by_position: tuple[float, ...]
    examination: tuple[float, ...] = ()
    reliability: tuple[Bin, ...] = ()

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values."""
        return {
            "model": self.model,
            "log_likelihood": json_number(self.log_likelihood),
            "difference": json_number(self.difference),
            "interval": json_values(self.interval),
            "perplexity": json_number(self.perplexity),
            "conditional_perplexity": json_number(self.conditional_perplexity),
            "by_position": json_values(self.by_position),
            "examination": json_values(self.examination),
            "reliability": [
                {
                    "foreseen": json_number(one.foreseen),
                    "clicked": json_number(one.clicked),
                    "interval": json_values(one.interval),
                    "shown": one.shown,
                }
                for one in self.reliability
            ],
        }


@dataclass(frozen=True)
class ModelComparison(Exportable):
    """Click models side by side.

    Attributes:
        fits: One per model, in the order they were named.
        trained: Sessions that the models were fitted on.
        tested: Sessions whose clicks they predicted.
        level: Confidence level of the intervals.
        source: The log.
        notes: Notes about the log and the judgments.
        clicks: The share of results that was clicked at each position, in those sessions.
        people: The labels against the grades of people, where there are any.
        bias: Position bias as estimators see it, where they were asked for.
    """

    fits: tuple[ModelFit, ...]
    trained: int
    tested: int
    level: float
    source: str
    notes: tuple[Note, ...] = ()
    clicks: tuple[float, ...] = ()
    people: HumanComparison | None = None
    bias: PositionBias | None = None

    def __getitem__(self, model: str) -> ModelFit:
        return next(fit for fit in self.fits if fit.model == model)

    def to_frame(self) -> pl.DataFrame:
        """Returns one row per model."""
        import polars as pl

        names = ("model", "log_likelihood", "difference", "perplexity", "conditional_perplexity")
        columns = {name: [getattr(fit, name) for fit in self.fits] for name in names}
        columns["low"] = [fit.interval[0] for fit in self.fits]
        columns["high"] = [fit.interval[1] for fit in self.fits]
        found: Mapping[str, Mapping[str, float]] = self.people.columns() if self.people else {}
        for name, values in found.items():
            columns[name] = [values[fit.model] for fit in self.fits]
        return pl.DataFrame(columns).fill_nan(None)

    def to_dict(self) -> dict[str, object]:
        """Returns the object that ``--format json`` prints."""
        return {
            "source": self.source,
            "trained": self.trained,
            "tested": self.tested,
            "level": self.level,
            "clicks": json_values(self.clicks),
            "models": [fit.to_dict() for fit in self.fits],
            "people": None if self.people is None else self.people.to_dict(),
            "bias": None if self.bias is None else self.bias.to_dict(),
            "notes": [note_dict(note) for note in self.notes],
        }

    def document(self, *, digits: int = DIGITS, language: Language = "en") -> Document:
        """Returns one row per model.

        Args:
            digits: Decimals.
            language: `en` or `zh`.
        """
        words = catalogue("labels", language)
        blocks: list[Block] = [
            self.table(words, digits),
            Lines([words.say("compared", **self.facts), words["compared_numbers"]]),
            self.assumptions(words),
        ]
        if self.people is not None:
            blocks.append(
                Section("people", words["people.title"], self.people.blocks(words, digits))
            )
        return Document(blocks)

    @property
    def facts(self) -> dict[str, object]:
        """The values of sentences about the comparison."""
        return {"trained": self.trained, "tested": self.tested, "first": self.fits[0].model}

    def table(self, words: Catalogue, digits: int) -> Table:
        """Returns one row per model.

        Args:
            words: The texts of labels.
            digits: Decimals.
        """
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
        return Table([words.say(f"column.{name}", level=level) for name in HEADINGS], rows)

    def assumptions(self, words: Catalogue) -> Lines:
        """Returns the assumptions of each model."""
        return Lines(
            [
                words.say("assumed", model=fit.model, text=words[f"assumes.{fit.model}"])
                for fit in self.fits
            ]
        )


def compare_models(
    sessions: object,
    models: Sequence[str | ClickModel] = ("pbm", "ubm", "dbn"),
    *,
    depth: int = 10,
    min_dwell: float | None = None,
    parts: int = 5,
    judgments: object = None,
    measures: MeasureNames = MEASURES,
    convention: Convention | str | Mapping[str, object] | None = None,
    scale: Scale | str | None = None,
    examples: int = 10,
    estimators: Sequence[str | Estimator] = (),
    level: float = 0.95,
    threads: int = 0,
) -> ModelComparison:
    """Fits click models on most sessions of a log and predicts the clicks of the rest.

    Held-out sessions are chosen by their ids: the same ones every time. Intervals are of the mean
    difference per session, its variance that of a ratio over queries, so that the many sessions of
    one query count as one observation.

    With the grades of people, the labels that each model finds in those sessions are compared with
    them, too: a model's labels are the scores of a run that returns what people graded and the log
    shows, so ties, intervals and tests are those of `relyon.compare`. Queries all of whose
    documents have one grade do not determine an order and are left out.

    Args:
        sessions: What `relyon.read_sessions` takes.
        models: Click models or their names; differences are to the first.
        depth: Ignore positions after this one.
        min_dwell: Clicks after which the user stayed for fewer seconds do not count.
        parts: Hold out one session in N.
        judgments: What people graded, as for `relyon.evaluate`; `None` leaves people out.
        measures: By which labels are compared with the grades: names such as `ndcg@10`, or
            `auc(rel=2)` where a document is good from grade 2.
        convention: As for `relyon.evaluate`: gains and the like. If it breaks ties by document id,
            equal labels count as the mean over their orders (`ties=expected`).
        scale: The scale of the grades.
        examples: The most examples per model of documents that people order otherwise.
        estimators: Estimators of position bias to compare with the models' own, as for
            `estimate_bias`: they look at the sessions that the models are fitted on.
        level: Confidence level of the intervals.
        threads: Threads to use; 0 uses all cores.

    Raises:
        InputError: If the log has no clicks, has too few sessions, or shows nothing that people
            graded.
        ParameterError: If no model is named, or one twice.
        UnknownNameError: If no model, measure or preset has that name.

    Examples:
        >>> import polars as pl
        >>> rows = [
        ...     (n, f"q{n % 3}", doc, at, doc == "good" and n % 4 > 0)
        ...     for n in range(300)
        ...     for at, doc in enumerate(("poor", "good") if n % 2 else ("good", "poor"), 1)
        ... ]
        >>> names = ["session", "query", "doc", "position", "clicked"]
        >>> log = pl.DataFrame(rows, names, orient="row")
        >>> grades = {f"q{n}": {"good": 2, "poor": 0} for n in range(3)}
        >>> found = compare_models(log, ["dctr", "pbm"], judgments=grades, measures="gauc")
        >>> found.people["pbm", "gauc"].value, found.people.decided
        (1.0, ())
    """
    import numpy as np

    chosen = [model_of(model) for model in models]
    names = [model.name for model in chosen]
    if not chosen or len(set(names)) < len(names):
        raise ParameterError(
            message("labels.name-each-click-model"), hint=message("labels.such-as-pbm")
        )
    check_whole("parts", parts, least=2)
    check_whole("examples", examples, least=0)
    check_fraction("level", level)
    graded = None if judgments is None else read_judgments(judgments, scale=scale)
    asked, rules = parse_measures(measures), load_convention(convention)
    folds = [Fold(0, parts), Fold(0, parts, inside=False)]
    held, train = read_folds(sessions, folds, rules=Rules(depth, min_dwell), threads=threads)
    pool = None if graded is None else pool_of(graded, train)
    lists = lists_of(held)
    fitted = [model.fit(train) for model in chosen]
    people = None
    if pool is not None:
        people = compare_with_people(
            pool,
            fitted,
            measures=asked,
            convention=rules,
            level=level,
            examples=examples,
            threads=threads,
        )
    notes = (*train.notes, *(people.notes if people else ()))
    warn(train.notes)
    return ModelComparison(
        fits=tuple(_fits(lists, fitted, level)),
        trained=train.sessions,
        tested=held.sessions,
        level=level,
        source=train.source,
        notes=notes,
        clicks=tuple(by_position(lists, lists.clicked.astype(np.float64)).tolist()),
        people=people,
        bias=estimate_bias(train, estimators, level=level) if estimators else None,
    )


def _fits(lists: Lists, fitted: Sequence[FittedModel], level: float) -> Iterator[ModelFit]:
    """Predicts the clicks of lists with models."""
    import numpy as np

    counts = lists.counts
    sessions = sums_by_query(lists, np.ones(len(lists)))
    first: Values | None = None
    for one in fitted:
        alone = one.click_probabilities(lists)
        given = one.click_probabilities(lists, conditional=True)
        likelihood = log_likelihood(lists, given)
        first = likelihood if first is None else first
        gains = sums_by_query(lists, likelihood - first)
        difference = ratio_of_sums(gains, sessions)
        positions = perplexity(lists, alone)
        yield ModelFit(
            model=one.model.name,
            log_likelihood=float(likelihood @ counts / counts.sum()),
            difference=difference.value,
            interval=difference.interval(level),
            perplexity=_mean(positions),
            conditional_perplexity=_mean(perplexity(lists, given)),
            by_position=tuple(positions.tolist()),
            examination=tuple(one.examination(lists, alone).tolist()),
            reliability=reliability(lists, alone, level),
        )


def _mean(values: Values) -> float:
    known = [float(value) for value in values if not math.isnan(value)]
    return math.fsum(known) / len(known) if known else math.nan
