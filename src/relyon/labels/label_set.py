"""Labels that were made of a log: what was found, and what that assumes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from relyon.core.document.exportable import Exportable
from relyon.core.document.json import json_number, note_dict
from relyon.core.document.model import Block, Document, Prose, Table
from relyon.core.notes import Note
from relyon.core.texts import Language, catalogue
from relyon.core.texts.numbers import DIGITS
from relyon.labels.actions import ActionCounts
from relyon.labels.fit_check import FitCheck
from relyon.labels.grading import Grading
from relyon.labels.model import FittedModel
from relyon.labels.model_choice import ModelChoice
from relyon.labels.rules import Rules

if TYPE_CHECKING:
    import polars as pl

    from relyon.data.judgments import Judgments

__all__ = ["Labels"]

HEADINGS = ("query", "document", "relevance", "interval", "weight")
COLUMNS = ("query", "document", "grade", "low", "high", "weight")


@dataclass(frozen=True)
class Labels(Exportable):
    """Labels that a click model found in a log.

    Attributes:
        fitted: The model and its parameters.
        labels: `query`, `document`, `grade`, `low`, `high` and `weight`: the relevance, its
            interval and the effective impressions behind it; where they were graded, `label` is the
            relevance and the others are grades.
        level: Confidence level of the intervals.
        min_weight: Labels with fewer effective impressions were left out.
        left_out: How many those were.
        sessions: Sessions of the log.
        results: Results that they showed.
        source: The log.
        notes: Notes about the log.
        rules: Which rows and clicks counted.
        actions: What followed the clicks, where that counted.
        prior: `data` where the prior was estimated from the log.
        grading: How the labels were graded, where they were.
        bounds: The thresholds of the grades.
        fit: Whether users follow the model.
        choice: Why this model was chosen, where it was not named.
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
    rules: Rules = field(default_factory=Rules)
    actions: ActionCounts | None = None
    prior: str = ""
    grading: Grading | None = None
    bounds: tuple[float, ...] = ()
    fit: FitCheck | None = None
    choice: ModelChoice | None = None

    @property
    def judgments(self) -> Judgments:
        """The labels as judgments: intervals and weights, and what they assume, as evidence."""
        from relyon.data.judgments import Judgments

        frame = self.labels.select(*COLUMNS)
        return Judgments.from_frame(frame, source=self.source).with_about(self.about)

    @property
    def about(self) -> dict[str, str]:
        """The origin and the assumptions of the labels: text by name, as in a file."""
        return {
            "made": "labels",
            "model": self.fitted.model.name,
            "source": self.source,
            "sessions": str(self.sessions),
            "level": f"{self.level:g}",
            "chosen": "" if self.choice is None else self.choice.reason,
            "fit": "" if self.fit is None else self.fit.verdict,
            "graded": "" if self.grading is None else self.grading.name,
            "assumes": " ".join(self.assumptions()),
        }

    def assumptions(self, language: Language = "en") -> list[str]:
        """Returns the assumptions and the origin of the labels, one sentence each.

        Args:
            language: `en` or `zh`.
        """
        return list(self._assumptions(language))

    def _assumptions(self, language: Language) -> Iterator[str]:
        words = catalogue("labels", language)
        model = self.fitted.model
        yield words[f"assumes.{model.name}"]
        if self.actions is not None:
            values = [
                f"{words[f'action.{name}']} {words.style.number(share, 2)}"
                for name, share in self.actions.actions.shares.items()
            ]
            totals = [
                f"{words[f'action.{name}']} {total:,}"
                for name, total in self.actions.totals.items()
            ]
            yield words.say(f"valued.{self.actions.actions.per}", values=values, totals=totals)
        if self.prior or (model.prior_clicks, model.prior_shown) != DEFAULT_PRIOR:
            kind = "estimated" if self.prior else "given"
            yield words.say(
                f"prior.{kind}",
                clicks=f"{model.prior_clicks:.3g}",
                shown=f"{model.prior_shown:.3g}",
            )
        if self.rules.min_dwell is not None:
            yield words.say("min_dwell", seconds=f"{self.rules.min_dwell:g}")
        if self.rules.need_dwell:
            yield words["need_dwell"]
        if self.grading is not None:
            bounds = [f"{one:.3g}" for one in self.bounds if math.isfinite(one)]
            kept = getattr(self.grading, "confidence", None)
            share = "" if kept is None else words.percent(kept)
            yield words.say(f"graded.{self.grading.name}", bounds=bounds, share=share)

    def to_frame(self) -> pl.DataFrame:
        """Returns one row per label."""
        return self.labels

    def to_dict(self) -> dict[str, object]:
        """Returns the results for the log as a whole, without the labels."""
        import numpy as np

        parameters, model = self.fitted.parameters, self.fitted.model
        return {
            "source": self.source,
            "model": model.name,
            "sessions": self.sessions,
            "results": self.results,
            "queries": self.labels.get_column("query").n_unique(),
            "labels": self.labels.height,
            "left_out": self.left_out,
            "min_weight": json_number(self.min_weight),
            "level": self.level,
            "prior": {"clicks": model.prior_clicks, "shown": model.prior_shown},
            "actions": self.actions and dict(self.actions.actions.values) | {"found": self._found},
            "grading": self.grading
            and {"name": self.grading.name, "thresholds": list(map(json_number, self.bounds))},
            "rounds": parameters.rounds,
            "change": json_number(parameters.change),
            "shared": {
                name: list(map(json_number, np.atleast_1d(values).tolist()))
                for name, values in parameters.shared.items()
            },
            "assumptions": self.assumptions(),
            "choice": self.choice and self.choice.to_dict(),
            "fit": self.fit and self.fit.to_dict(),
            "notes": [note_dict(note) for note in self.notes],
        }

    @property
    def _found(self) -> dict[str, int]:
        return {} if self.actions is None else self.actions.totals

    def document(
        self, *, digits: int = DIGITS, language: Language = "en", shown: int = 5
    ) -> Document:
        """Returns the counts, and the documents that are surely the best.

        They have the highest lower ends of their intervals.

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
        texts = [facts, words.word("list.sentence").join(self.assumptions(language))]
        if self.left_out:
            texts.append(words.say("few", count=self.left_out, weight=f"{self.min_weight:g}"))
        best = self.labels.sort(
            "low", "grade", "query", "document", descending=[True, True, False, False]
        )
        style, whole = words.style, 0 if self.grading is not None else digits
        rows = [
            [
                query,
                document,
                style.number(grade, whole),
                style.interval((low, high), whole),
                style.number(weight, 1),
            ]
            for query, document, grade, low, high, weight in best.head(shown)
            .select(*COLUMNS)
            .iter_rows()
        ]
        level = words.percent(self.level)
        headings = ["grade" if name == "relevance" and self.grading else name for name in HEADINGS]
        names = [words.say(f"column.{name}", level=level) for name in headings]
        texts.append(words["best"])
        blocks: list[Block] = [Prose(texts), Table(names, rows, left=2)]
        if self.choice is not None:
            blocks.append(Prose([words.word("list.sentence").join(self.choice.sentences(words))]))
        if self.fit is not None:
            blocks.append(Prose([self.fit.sentence(words)]))
            if self.fit.verdict == "differs":
                blocks.append(self.fit.table(words))
        return Document(blocks)


#: Default prior of probabilities: clicks and impressions.
DEFAULT_PRIOR = (1.0, 2.0)
