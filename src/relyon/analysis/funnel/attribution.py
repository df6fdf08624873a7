"""The result of an attribution: the stages, and the gain that each loses."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from relyon.analysis.funnel.verdict import verdict_sentence
from relyon.core.cells import csv_text
from relyon.core.document.exportable import Exportable
from relyon.core.document.json import json_number, note_dict
from relyon.core.document.model import Block, Document, Lines, Prose, Table
from relyon.core.language import Language
from relyon.core.notes import Note
from relyon.core.texts import catalogue
from relyon.core.texts.numbers import TERMINAL
from relyon.data.convention import Convention
from relyon.measures.display_names import convention_line

if TYPE_CHECKING:
    import polars

__all__ = ["Funnel", "Stage", "share_of"]

#: The share of the loss from which only one side is named.
MOSTLY = 0.6
HEADINGS = ("stage", "docs", "recall", "kept", "judged")
NUMBERS = (
    "candidates",
    "judged",
    "recall",
    "retention",
    "retention_macro",
    "ideal",
    "loss",
    "share",
)


@dataclass(frozen=True)
class Stage:
    """The candidates of one stage, and its loss.

    Attributes:
        name: The stage's name.
        candidates: Documents per query, on average.
        judged: Share of them that is judged, NaN without candidates. Unjudged ones count as not
            relevant.
        recall: Share of a query's relevant documents among its candidates, on average: Recall@K
            with K the length of each list.
        recall_at: Recall at the cutoffs that the longest list reaches, under the stage's own order.
        retention: Relevant documents divided by those of the stage before, over all queries; for
            the first stage, by the judged relevant ones. Above 1 if a stage adds some.
        retention_macro: The same per query, averaged over queries with a relevant document in the
            stage before.
        ideal: Mean ideal DCG@k of the candidates, which a perfect ranker would reach.
        loss: The ideal of the stage before minus this one: the stage's recall loss.
        share: That loss as a share of the whole loss, NaN if nothing is lost.
    """

    name: str
    candidates: float
    judged: float
    recall: float
    recall_at: Mapping[int, float]
    retention: float
    retention_macro: float
    ideal: float
    loss: float
    share: float

    @property
    def numbers(self) -> dict[str, float]:
        """Every number but Recall at cutoffs, by its name."""
        return {name: getattr(self, name) for name in NUMBERS}

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values: NaN becomes null."""
        values: dict[str, object] = {"name": self.name}
        values |= {name: json_number(value) for name, value in self.numbers.items()}
        values["recall_at"] = {str(k): json_number(value) for k, value in self.recall_at.items()}
        return values


@dataclass(frozen=True)
class Funnel(Exportable):
    """The gain that a search could reach, and its loss by stage.

    ``ideal - actual`` is the whole loss: ``recall_loss``, which is the sum of the stages' losses,
    plus ``ranking_loss``.

    Attributes:
        stages: One per stage, in the order of the search.
        ideal: Ideal DCG@k over all judged documents, on average over queries.
        actual: DCG@k of the last stage's order, on average over queries.
        recall_loss: Lost because relevant documents are not among the last stage's candidates.
        ranking_loss: Lost because the last stage does not rank its best candidates first.
        queries: Number of queries behind the averages.
        k: The cutoff; `None` counts whole lists.
        measure: DCG with all parameters filled in.
        convention: The rules.
        notes: Notes about the data.

    Examples:
        >>> import relyon
        >>> judgments = {"q": {"a": 3, "b": 1}}
        >>> print(relyon.funnel(judgments, {"q": {"b": 1.0}}, k=1).sentence())
        100% of the loss is recall: start with the retrieval. DCG@1 is 1.0000 of 3.0000.
    """

    stages: tuple[Stage, ...]
    ideal: float
    actual: float
    recall_loss: float
    ranking_loss: float
    queries: int
    k: int | None
    measure: str
    convention: Convention
    notes: tuple[Note, ...] = ()
    _queries: Sequence[str] = field(default=(), repr=False, compare=False)
    _values: Mapping[str, Sequence[float]] = field(default_factory=dict, repr=False, compare=False)

    @property
    def loss(self) -> float:
        """The whole loss."""
        return self.ideal - self.actual

    @property
    def recall_share(self) -> float:
        """The recall loss as a share of the whole loss, NaN if nothing is lost."""
        return share_of(self.recall_loss, self.loss)

    @property
    def ranking_share(self) -> float:
        """The ranking loss as a share of the whole loss, NaN if nothing is lost."""
        return share_of(self.ranking_loss, self.loss)

    @property
    def verdict(self) -> Literal["recall", "ranking", "both", "none"]:
        """The side that causes at least 60% of the loss, or both."""
        if math.isnan(self.recall_share):
            return "none"
        # Rounded to whole percent, as in the sentence.
        if round(self.recall_share, 2) >= MOSTLY:
            return "recall"
        return "ranking" if round(self.ranking_share, 2) >= MOSTLY else "both"

    def sentence(self, language: Language = "en") -> str:
        """Returns the verdict with its numbers, and where to start.

        Args:
            language: `en` or `zh`.

        Raises:
            ParameterError: If the language is neither.
        """
        return verdict_sentence(
            self.verdict,
            [(stage.name, stage.share) for stage in self.stages],
            recall=self.recall_share,
            ranking=self.ranking_share,
            values={"measure": self.label, "actual": self.actual, "ideal": self.ideal},
            language=language,
        )

    @property
    def label(self) -> str:
        """DCG with its cutoff, for prose."""
        return "DCG" if self.k is None else f"DCG@{self.k}"

    @property
    def reached_cutoffs(self) -> list[int]:
        """The cutoffs at which at least one stage has a Recall."""
        return sorted({k for stage in self.stages for k in stage.recall_at})

    def document(self, language: Language = "en") -> Document:
        """Returns the stages, from the judged documents to what the user sees, and the verdict.

        Args:
            language: `en` or `zh`.
        """
        words = catalogue("tables", language)
        number, percent = words.style.number, words.percent
        rows = [(words["funnel.all_judged"], "", "", "", "", number(self.ideal), "", "")]
        for stage in self.stages:
            kept, judged, share = map(percent, (stage.retention, stage.judged, stage.share))
            docs, ideal, loss = number(stage.candidates, 1), number(stage.ideal), number(stage.loss)
            rows.append((stage.name, docs, number(stage.recall), kept, judged, ideal, loss, share))
        last = number(self.actual), number(self.ranking_loss), percent(self.ranking_share)
        rows.append((words["funnel.ranking"], "", "", "", "", *last))
        shares = [math.nan, *(stage.share for stage in self.stages), self.ranking_share]
        lost = words.names("column", ("lost", "share"))
        headings = (*words.names("column", HEADINGS), self.label, *lost)
        blocks: list[Block] = [Table(headings, rows, long=[0], bars=shares)]
        cutoffs = self.reached_cutoffs
        if cutoffs:
            recalls = [(stage.name, *(_recall(stage, k) for k in cutoffs)) for stage in self.stages]
            at = words.name("column", "recall_at")
            blocks.append(Table((at, *map(str, cutoffs)), recalls, long=[0]))
        blocks.append(Prose([self.sentence(language)]))
        measures = [self.label.lower()]
        blocks.append(Lines([convention_line(self.convention, measures, language=language)]))
        return Document(
            blocks, words.say("funnel.title", measure=self.measure, queries=self.queries)
        )

    def to_csv(self) -> str:
        """Returns one line per stage, and one for the ranking; numbers in full precision."""
        columns: dict[str, list[object]] = self.to_frame().fill_nan(None).to_dict(as_series=False)
        last = {"ideal": self.actual, "loss": self.ranking_loss, "share": self.ranking_share}
        numbers = {name: value for name, value in last.items() if not math.isnan(value)}
        ranking = {"stage": "ranking", **numbers}
        rows = [*zip(*columns.values(), strict=True), [ranking.get(name) for name in columns]]
        return csv_text([list(columns), *rows]).rstrip("\n")

    @property
    def per_query(self) -> polars.DataFrame:
        """One row per query: each loss, and for each stage `ideal:NAME` and `loss:NAME`."""
        import polars

        return polars.DataFrame({"query": self._queries, **self._values})

    def values_by_query(self, name: str) -> dict[str, float]:
        """Returns one column of `per_query` by query, such as `recall_loss` or `actual`."""
        return dict(zip(self._queries, self._values[name], strict=True))

    def to_frame(self, *, per_query: bool = False) -> polars.DataFrame:
        """Returns one row per stage, with a column for each number and each cutoff.

        Args:
            per_query: Returns `per_query` instead.
        """
        import polars

        if per_query:
            return self.per_query
        rows = []
        for stage in self.stages:
            row: dict[str, object] = {"stage": stage.name, **stage.numbers}
            rows.append(row | {f"recall@{k}": stage.recall_at.get(k) for k in self.reached_cutoffs})
        return polars.DataFrame(rows, infer_schema_length=None)

    def to_dict(self, *, per_query: bool = False) -> dict[str, object]:
        """Returns JSON-ready values.

        Args:
            per_query: Adds `per_query`: one object per query.
        """
        values: dict[str, object] = {
            "measure": self.measure,
            "k": self.k,
            "queries": self.queries,
            "ideal": json_number(self.ideal),
            "actual": json_number(self.actual),
            "loss": json_number(self.loss),
            "recall_loss": json_number(self.recall_loss),
            "ranking_loss": json_number(self.ranking_loss),
            "recall_share": json_number(self.recall_share),
            "ranking_share": json_number(self.ranking_share),
            "verdict": self.verdict,
            "sentence": self.sentence(),
            "stages": [stage.to_dict() for stage in self.stages],
            "convention": self.convention.to_dict(),
            "notes": [note_dict(note) for note in self.notes],
        }
        if per_query:
            names = ["query", *self._values]
            values["per_query"] = [
                dict(zip(names, row, strict=True))
                for row in zip(self._queries, *self._values.values(), strict=True)
            ]
        return values


def _recall(stage: Stage, k: int) -> str:
    return TERMINAL.number(stage.recall_at[k]) if k in stage.recall_at else ""


def share_of(part: float, whole: float) -> float:
    """Returns a part of a whole, NaN if the whole is 0."""
    return part / whole if whole > 0 else math.nan
