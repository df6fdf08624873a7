"""From a log to labels: relevances with their intervals, and what they assume."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from relkit.core.document.json import json_number, note_dict
from relkit.core.document.model import Block, Document, Prose, Table
from relkit.core.document.result import Exportable
from relkit.core.errors import InputError, ParameterError
from relkit.core.notes import Note, warn
from relkit.core.parameters import check_fraction
from relkit.core.texts import Language, catalogue, message
from relkit.core.texts.numbers import DIGITS
from relkit.labels.log import read_clicks
from relkit.labels.model import ClickModel, FittedModel, models

if TYPE_CHECKING:
    import polars as pl

    from relkit.data.judgments import Judgments

__all__ = ["Labels", "make_labels", "model_of"]


def model_of(model: str | ClickModel) -> ClickModel:
    """Returns a click model by its name, or as it is.

    Raises:
        UnknownNameError: If no model has that name.
    """
    return model if isinstance(model, ClickModel) else models.get(model)()


@dataclass(frozen=True)
class Labels(Exportable):
    """Labels that a click model found in a log.

    Attributes:
        fitted: The model and its parameters.
        labels: `query`, `document`, `grade`, `low`, `high` and `weight`: the relevance, its
            interval and the effective impressions behind it.
        level: The probability of the intervals.
        min_weight: Labels with fewer effective impressions were left out.
        left_out: How many those were.
        sessions: Sessions of the log.
        results: Results that they showed.
        source: The log.
        notes: What is worth knowing about the log.
    """

    fitted: FittedModel
    labels: pl.DataFrame
    level: float
    min_weight: float
    left_out: int
    sessions: int
    results: int
    source: str
    notes: tuple[Note, ...] = ()

    @property
    def judgments(self) -> Judgments:
        """The labels as judgments, intervals and weights as their evidence."""
        from relkit.data.judgments import Judgments

        return Judgments.from_frame(self.labels, source=self.source)

    def to_frame(self) -> pl.DataFrame:
        """Returns one row per label."""
        return self.labels

    def to_dict(self) -> dict[str, Any]:
        """Returns what was found of the log as a whole, without the labels."""
        import numpy as np

        parameters = self.fitted.parameters
        return {
            "source": self.source,
            "model": self.fitted.model.name,
            "sessions": self.sessions,
            "results": self.results,
            "queries": self.labels.get_column("query").n_unique(),
            "labels": self.labels.height,
            "left_out": self.left_out,
            "min_weight": json_number(self.min_weight),
            "level": self.level,
            "rounds": parameters.rounds,
            "change": json_number(parameters.change),
            "shared": {
                name: list(map(json_number, np.atleast_1d(values).tolist()))
                for name, values in parameters.shared.items()
            },
            "notes": [note_dict(note) for note in self.notes],
        }

    def document(
        self, *, digits: int = DIGITS, language: Language = "en", shown: int = 5
    ) -> Document:
        """Returns what was counted, and the labels that rest on most.

        Args:
            digits: Decimals.
            language: `en` or `zh`.
            shown: How many labels to show.
        """
        words = catalogue("labels", language)
        facts = words.say(
            "made",
            model=words[f"model.{self.fitted.model.name}"],
            sessions=self.sessions,
            results=self.results,
            labels=self.labels.height,
            queries=self.labels.get_column("query").n_unique(),
        )
        texts = [facts, words[f"assumes.{self.fitted.model.name}"]]
        if self.left_out:
            texts.append(words.say("few", count=self.left_out, weight=f"{self.min_weight:g}"))
        most = self.labels.sort("weight", "query", "document", descending=[True, False, False])
        rows = [
            [
                query,
                document,
                words.style.number(grade, digits),
                words.style.interval((low, high), digits),
                words.style.number(weight, 1),
            ]
            for query, document, grade, low, high, weight in most.head(shown)
            .select("query", "document", "grade", "low", "high", "weight")
            .iter_rows()
        ]
        level = words.percent(self.level)
        names = [words.say(f"column.{name}", level=level) for name in HEADINGS]
        blocks: list[Block] = [Prose(texts), Table(names, rows, left=2)]
        return Document(blocks)


HEADINGS = ("query", "document", "relevance", "interval", "weight")


def make_labels(
    sessions: object,
    model: str | ClickModel = "dbn",
    *,
    depth: int = 10,
    min_dwell: float | None = None,
    min_weight: float = 0.0,
    level: float = 0.95,
    threads: int = 0,
) -> Labels:
    """Makes labels of a log's clicks.

    Args:
        sessions: What `relkit.read_sessions` takes.
        model: A click model or its name: `gctr`, `rctr`, `dctr`, `coec`, `cascade`, `dcm`, `sdbn`,
            `dbn`, `pbm`, `ubm` or `ccm`.
        depth: The last position that counts.
        min_dwell: Clicks after which the user stayed for fewer seconds do not count.
        min_weight: The fewest effective impressions of a label.
        level: The probability of the intervals.
        threads: Threads to use; 0 takes one per processor.

    Raises:
        InputError: If the log does not say what was clicked, or no label has `min_weight`.
        ParameterError: If the model does not tell documents apart.
        UnknownNameError: If no model has that name.

    Examples:
        >>> import polars as pl
        >>> log = pl.DataFrame(
        ...     {
        ...         "session": [1, 1, 2, 2],
        ...         "query": ["tv"] * 4,
        ...         "doc": ["a", "b", "a", "b"],
        ...         "position": [1, 2, 1, 2],
        ...         "clicked": [0, 1, 0, 1],
        ...     }
        ... )
        >>> labels = make_labels(log, "dctr")
        >>> labels.judgments["tv"]
        {'b': 0.75, 'a': 0.25}
    """
    import polars as pl

    chosen = model_of(model)
    if not chosen.ranks:
        raise ParameterError(
            message("the click model `{name}` says nothing of documents", name=chosen.name),
            hint="it serves to compare with: make labels with dbn, pbm or ubm",
        )
    check_fraction("level", level)
    if not min_weight >= 0:
        raise ParameterError(
            message(
                "the parameter `{name}` must be 0 or more. Got `{value}` instead.",
                name="min_weight",
                value=min_weight,
            )
        )
    log = read_clicks(sessions, depth=depth, min_dwell=min_dwell, threads=threads)
    fitted = chosen.fit(log)
    every = fitted.relevance(level).rename({"relevance": "grade"})
    labels = every.filter(pl.col("weight") >= min_weight)
    if labels.is_empty():
        raise InputError(
            message("no label rests on {weight:g} effective impressions", weight=min_weight),
            path="" if log.source == "memory" else log.source,
            hint="lower the least weight, or take more of the log",
        )
    warn(log.notes)
    return Labels(
        fitted=fitted,
        labels=labels,
        level=level,
        min_weight=min_weight,
        left_out=every.height - labels.height,
        sessions=log.sessions,
        results=log.results,
        source=log.source,
        notes=log.notes,
    )
