"""The result of training: the ranker, its value on held-out queries, and explanations."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from relyon.core.document.exportable import Exportable
from relyon.core.document.json import json_number, note_dict
from relyon.core.document.model import Block, Document, Lines, Section
from relyon.core.errors import InputError
from relyon.core.notes import Note
from relyon.core.texts import Catalogue, Language, catalogue, message
from relyon.core.texts.numbers import DIGITS
from relyon.ltr.training.against import Against
from relyon.ltr.training.card import ModelCard, short
from relyon.ltr.training.curve import CurvePoint
from relyon.ltr.training.held_out import HeldOut
from relyon.ltr.training.importance import FeatureImportance
from relyon.ltr.training.placement import LabelPlacement
from relyon.ltr.training.segments import Segment
from relyon.ltr.training.training_tables import (
    curve_table,
    importance_table,
    placement_table,
    segment_table,
    summary_table,
)

if TYPE_CHECKING:
    import polars as pl

    from relyon.data.run import Run
    from relyon.ltr.rankers.ranker import Ranker

__all__ = ["SearchTrial", "Training"]


@dataclass(frozen=True)
class SearchTrial:
    """One setting of the search, on training queries only.

    Attributes:
        parameters: The ranker's parameters.
        score: The mean of the measure over folds of the training queries.
    """

    parameters: dict[str, object]
    score: float

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values."""
        return {"parameters": dict(self.parameters), "score": json_number(self.score)}


@dataclass(frozen=True)
class Training(Exportable):
    """The result of training a ranker.

    Attributes:
        card: The description of the ranker, its data and its value.
        queries: The held-out queries.
        values: The value of the ranker on each; NaN if the measure is undefined.
        baseline: The value of the baseline on each; empty without a baseline.
        curve: The measure by iteration; empty for rankers without trees.
        importance: The features, the most important first.
        placements: The mean place of the documents of each label.
        segments: The values on groups of queries.
        trials: The settings of the search; empty without a search.
        notes: Notes about the data and the training.
        against: The comparison with an earlier ranker; None if no ranker was given.
        ranker: The ranker, trained on all training rows.
        held_out_run: The held-out rows ranked by a ranker that was not trained on their query.
    """

    card: ModelCard
    queries: tuple[str, ...]
    values: tuple[float, ...]
    baseline: tuple[float, ...] = ()
    curve: tuple[CurvePoint, ...] = ()
    importance: tuple[FeatureImportance, ...] = ()
    placements: tuple[LabelPlacement, ...] = ()
    segments: tuple[Segment, ...] = ()
    trials: tuple[SearchTrial, ...] = ()
    notes: tuple[Note, ...] = ()
    against: Against | None = None
    ranker: Ranker = field(kw_only=True, repr=False, compare=False)
    held_out_run: Run | None = field(default=None, repr=False, compare=False)

    @property
    def found(self) -> HeldOut:
        """The value of the ranker on held-out queries, and the difference from the baseline."""
        return self.card.found

    @property
    def run(self) -> Run:
        """The held-out rows, each ranked by a ranker that was not trained on its query.

        Raises:
            InputError: If it was not kept.
        """
        if self.held_out_run is None:
            raise InputError(message("ltr.held-out-run"))
        return self.held_out_run

    def differences(self) -> list[tuple[str, float]]:
        """Returns each query's value minus the baseline's, the largest first, ties by query.

        Queries without a value of both are left out.
        """
        pairs = zip(self.queries, self.values, self.baseline, strict=False)
        found = [(query, value - before) for query, value, before in pairs]
        known = [(query, one) for query, one in found if not math.isnan(one)]
        return sorted(known, key=lambda pair: (-pair[1], pair[0]))

    def to_frame(self) -> pl.DataFrame:
        """Returns one row per held-out query: its value, the baseline's and the difference."""
        import polars as pl

        frame = pl.DataFrame(
            {"query": list(self.queries), self.card.measure: list(self.values)},
            schema={"query": pl.String, self.card.measure: pl.Float64},
        )
        if self.baseline:
            before = pl.Series("baseline", list(self.baseline), dtype=pl.Float64)
            frame = frame.with_columns(before).with_columns(
                difference=pl.col(self.card.measure) - pl.col("baseline")
            )
        return frame.fill_nan(None)

    def to_dict(self) -> dict[str, object]:
        """Returns the object that ``--format json`` prints."""
        per_query = {
            query: {
                "value": json_number(value),
                **({"baseline": json_number(self.baseline[place])} if self.baseline else {}),
            }
            for place, (query, value) in enumerate(zip(self.queries, self.values, strict=True))
        }
        held_out = self.card.inputs.get("held_out")
        return {
            "card": self.card.to_dict(),
            "per_query": per_query,
            **({} if held_out is None else {"judgments_by_query": dict(held_out.by_query)}),
            "curve": [one.to_dict() for one in self.curve],
            "importance": [one.to_dict() for one in self.importance],
            "placements": [one.to_dict() for one in self.placements],
            "segments": [one.to_dict() for one in self.segments],
            "trials": [one.to_dict() for one in self.trials],
            **({} if self.against is None else {"against": self.against.to_dict()}),
            "notes": [note_dict(note) for note in self.notes],
        }

    def document(
        self, *, digits: int = DIGITS, language: Language = "en", limit: int = 10
    ) -> Document:
        """Returns the summary, then curve, importance, placement and segments.

        Args:
            digits: Decimals.
            language: `en` or `zh`.
            limit: The number of features listed.
        """
        words = catalogue("training", language)
        blocks: list[Block] = [
            summary_table(self.card, words, digits),
            Lines([self.verdict(words), *self.searched(words), *self.stopped(words)]),
        ]
        if self.against is not None:
            title = words.say("title.against", name=self.against.name)
            lines = self.against.lines(words, digits, self.card.level)
            blocks.append(Section("against", title, [Lines(lines)]))
        tables = {
            "curve": curve_table(self.curve, self.card.measure, words, digits),
            "importance": importance_table(self.importance, words, digits, limit),
            "placement": placement_table(self.placements, self.card.level, words, digits),
            "segments": segment_table(self.segments, self.card, words, digits),
        }
        for name, table in tables.items():
            if table.rows:
                said = Lines([words[f"note.{self.note_of(name)}"]])
                blocks.append(Section(name, words[f"title.{name}"], [table, said]))
        return Document(blocks)

    def note_of(self, name: str) -> str:
        """Returns the key of the text below a table.

        Args:
            name: `curve`, `importance`, `placement` or `segments`.
        """
        return self.importance[0].kind if name == "importance" else name

    def verdict(self, words: Catalogue) -> str:
        """Returns a sentence on whether the ranker is better than the baseline.

        Args:
            words: The texts of training.
        """
        if not self.found.paired:
            return words["verdict.alone"]
        return self.found.verdict(self.card.baseline, words)

    def stopped(self, words: Catalogue) -> list[str]:
        """Returns a sentence on when training stopped; empty without early stopping.

        Args:
            words: The texts of training.
        """
        stopping = self.card.stopping
        return [] if stopping is None else [stopping.text(words, self.card.measure)]

    def searched(self, words: Catalogue) -> list[str]:
        """Returns a sentence on the search; empty without one.

        Args:
            words: The texts of training.
        """
        if not self.trials:
            return []
        best = max(self.trials, key=lambda one: one.score)
        given = [f"{name}={short(value)}" for name, value in best.parameters.items()]
        return [
            words.say(
                "searched", trials=len(self.trials), parameters=", ".join(given), score=best.score
            )
        ]
