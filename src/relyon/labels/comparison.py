"""Click models side by side: what was found, as text, tables and numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from relyon.core.document.exportable import Exportable
from relyon.core.document.json import json_number, json_values, note_dict
from relyon.core.document.model import Block, Document, Lines, Section, Table
from relyon.core.notes import Note
from relyon.core.texts import Catalogue, Language, catalogue
from relyon.core.texts.numbers import DIGITS
from relyon.labels.agreement import HumanComparison
from relyon.labels.perplexity import Bin

if TYPE_CHECKING:
    import polars as pl

    from relyon.labels.position_bias.bias import PositionBias

__all__ = ["ModelComparison", "ModelFit"]

HEADINGS = ("model", "likelihood", "difference", "interval", "perplexity", "conditional")


@dataclass(frozen=True)
class ModelFit:
    """How well a model predicts the clicks of held-out sessions.

    Attributes:
        model: The model's name.
        log_likelihood: The mean over sessions.
        difference: By how much it is above that of the first model.
        interval: The interval of the difference, over queries; NaN with fewer than two.
        perplexity: Of clicks, nothing else being known: the mean over positions.
        conditional_perplexity: Of clicks, those above being known: the mean over positions.
        by_position: The perplexity at each position.
        examination: How likely users see each position, compared with the first; empty where the
            model does not say.
        reliability: How often results were clicked whose clicks it foresaw alike.
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

    def to_dict(self) -> dict[str, Any]:
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
        tested: Sessions whose clicks they were to foresee.
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

    def to_dict(self) -> dict[str, Any]:
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
    def facts(self) -> dict[str, Any]:
        """What sentences about the comparison name."""
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
        """Returns what each model takes for granted."""
        return Lines(
            [
                words.say("assumed", model=fit.model, text=words[f"assumes.{fit.model}"])
                for fit in self.fits
            ]
        )
