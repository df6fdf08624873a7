"""Agreement of labels with human grades: measures, order of pairs, and disagreements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relyon.core.document.json import json_number, json_values
from relyon.core.document.model import Block, Lines, Prose, Table
from relyon.core.texts import Catalogue
from relyon.measures.display_names import measure_label

if TYPE_CHECKING:
    from relyon.analysis.comparison import Contrast
    from relyon.core.notes import Note
    from relyon.data.convention import Convention

__all__ = ["Agreement", "Disagreement", "Graded", "HumanComparison", "PairOrder"]

HEADINGS = ("model", "measure", "value", "interval", "queries", "difference", "interval")
EXAMPLES = ("model", "query", "document", "grade", "label", "interval", "shown", "mean_rank")


@dataclass(frozen=True)
class Agreement:
    """One measure of one model's labels against the grades of people.

    Attributes:
        model: The model's name.
        measure: The measure's name.
        value: Its number; NaN where it is undefined.
        interval: The interval of that number, over queries; NaN with fewer than two.
        queries: How many queries it rests on.
        contrast: The paired difference to the first model, `None` for the first model itself.
    """

    model: str
    measure: str
    value: float
    interval: tuple[float, float]
    queries: int
    contrast: Contrast | None = None

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values."""
        found: dict[str, object] = {
            "model": self.model,
            "measure": self.measure,
            "value": json_number(self.value),
            "interval": json_values(self.interval),
            "queries": self.queries,
        }
        if self.contrast is not None:
            names = ("difference", "interval", "p", "p_adjusted", "queries", "verdict")
            contrast = self.contrast.to_dict()
            found["contrast"] = {name: contrast[name] for name in names}
        return found


@dataclass(frozen=True)
class PairOrder:
    """The order by labels of pairs that people graded differently, query by query.

    A label is surely higher than another one if its interval is above the other's.

    Attributes:
        model: The model's name.
        pairs: How many pairs there are.
        agree: Of those, pairs whose better document has the surely higher label.
        reverse: Pairs whose better document has the surely lower label.
    """

    model: str
    pairs: int
    agree: int
    reverse: int

    @property
    def open(self) -> int:
        """Pairs whose intervals overlap."""
        return self.pairs - self.agree - self.reverse

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values."""
        return {
            "model": self.model,
            "pairs": self.pairs,
            "agree": self.agree,
            "reverse": self.reverse,
            "open": self.open,
        }


@dataclass(frozen=True)
class Graded:
    """A document with a grade by people and a label from clicks.

    Attributes:
        document: Its id.
        grade: What people gave it.
        label: What the model found.
        interval: The interval of the label.
        weight: The effective impressions that the label rests on.
        impressions: How often it was shown.
        position: The mean position at which it was shown.
    """

    document: str
    grade: float
    label: float
    interval: tuple[float, float]
    weight: float
    impressions: int
    position: float

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values."""
        return {
            "document": self.document,
            "grade": json_number(self.grade),
            "label": json_number(self.label),
            "interval": json_values(self.interval),
            "weight": json_number(self.weight),
            "impressions": self.impressions,
            "position": json_number(self.position),
        }


@dataclass(frozen=True)
class Disagreement:
    """Two documents of a query that people order one way and labels surely the other.

    Attributes:
        model: The model's name.
        query: The query.
        preferred: The document with the better grade, and the lower label.
        other: The document with the worse grade, and the higher label.
    """

    model: str
    query: str
    preferred: Graded
    other: Graded

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values."""
        return {
            "model": self.model,
            "query": self.query,
            "preferred": self.preferred.to_dict(),
            "other": self.other.to_dict(),
        }


@dataclass(frozen=True)
class HumanComparison:
    """The labels of several models against the grades of people.

    Attributes:
        agreements: One per model and measure, model by model; empty if no query has documents
            of different grades.
        orders: One per model.
        disagreements: Examples, the labels furthest apart first, model by model.
        judged: Grades in the judgments.
        matched: Pairs of a query and a document that people graded and the log shows.
        pairs: Those of them in queries with different grades: what everything here rests on.
        queries: How many queries they are of.
        single: Queries left out, as people gave all their documents one grade.
        level: Confidence level of the intervals.
        convention: The rules of the measures.
        source: Where the judgments are from.
        notes: What was noticed.
    """

    agreements: tuple[Agreement, ...]
    orders: tuple[PairOrder, ...]
    disagreements: tuple[Disagreement, ...]
    judged: int
    matched: int
    pairs: int
    queries: int
    single: int
    level: float
    convention: Convention
    source: str
    notes: tuple[Note, ...] = ()

    def __getitem__(self, key: tuple[str, str]) -> Agreement:
        return next(one for one in self.agreements if (one.model, one.measure) == key)

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures' names."""
        return tuple(dict.fromkeys(one.measure for one in self.agreements))

    @property
    def decided(self) -> tuple[Contrast, ...]:
        """The significant differences to the first model."""
        contrasts = [one.contrast for one in self.agreements if one.contrast is not None]
        return tuple(one for one in contrasts if one.verdict in ("better", "worse"))

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values."""
        return {
            "source": self.source,
            "judged": self.judged,
            "matched": self.matched,
            "pairs": self.pairs,
            "queries": self.queries,
            "single": self.single,
            "convention": self.convention.to_dict(),
            "agreements": [one.to_dict() for one in self.agreements],
            "orders": [one.to_dict() for one in self.orders],
            "disagreements": [one.to_dict() for one in self.disagreements],
        }

    def columns(self) -> dict[str, dict[str, float]]:
        """Returns numbers by the name of a column and by model: one row per model."""
        found: dict[str, dict[str, float]] = {}
        for one in self.agreements:
            low, high = one.interval
            difference, ends = (
                (0.0, (0.0, 0.0))
                if one.contrast is None
                else (one.contrast.difference, one.contrast.interval)
            )
            numbers: Mapping[str, float] = {
                "": one.value,
                "_low": low,
                "_high": high,
                "_difference": difference,
                "_difference_low": ends[0],
                "_difference_high": ends[1],
                "_queries": one.queries,
            }
            for name, value in numbers.items():
                found.setdefault(f"{one.measure}{name}", {})[one.model] = value
        for order in self.orders:
            for name in ("pairs", "agree", "reverse", "open"):
                column = name if name == "pairs" else f"pairs_{name}"
                found.setdefault(column, {})[order.model] = getattr(order, name)
        return found

    def sentences(self, words: Catalogue) -> list[str]:
        """Returns the evidence behind the numbers, and whether they distinguish the models."""
        said = [
            words.say(
                "people.rests",
                pairs=self.pairs,
                queries=self.queries,
                judged=self.judged,
                matched=self.matched,
            )
        ]
        if self.single:
            said.append(words.say("people.single", count=self.single))
        if not self.agreements:
            return [*said, words["people.nothing"]]
        said += self._fewer(words)
        said += [words.say("people.convention", ties=self.convention.ties), words["people.orders"]]
        if len(self.orders) > 1:
            said.append(self.verdict(words))
        return said

    def _fewer(self, words: Catalogue) -> list[str]:
        """Returns a sentence on numbers that rest on fewer queries than the pool has."""
        named: list[str] = []
        for measure in self.measures:
            found = {one.model: one.queries for one in self.agreements if one.measure == measure}
            counts = set(found.values())
            if len(counts) == 1 and counts != {self.queries}:
                named.append(f"{measure_label(measure)} {counts.pop():,}")
            elif len(counts) > 1:
                few = {model: count for model, count in found.items() if count < self.queries}
                named += [
                    f"{model} {measure_label(measure)} {count:,}" for model, count in few.items()
                ]
        return [words.say("people.fewer", counts=named)] if named else []

    def verdict(self, words: Catalogue) -> str:
        """Returns sentences on models that agree with people better or worse than the first."""
        first = self.orders[0].model
        found: dict[tuple[str, str], list[str]] = {}
        for one in self.decided:
            difference = words.style.signed(one.difference, 3)
            found.setdefault((one.candidate, one.verdict), []).append(
                f"{measure_label(one.measure)} {difference}"
            )
        if not found:
            return words.say("people.noise", first=first)
        said = [
            words.say(f"people.{verdict}", model=model, differences=differences)
            for (model, verdict), differences in found.items()
        ]
        return words.say("people.decided", first=first, differences=said)

    def blocks(self, words: Catalogue, digits: int) -> list[Block]:
        """Returns the numbers as tables, and what they rest on.

        Args:
            words: The texts of labels.
            digits: Decimals.
        """
        blocks: list[Block] = []
        if self.agreements:
            blocks.append(self.table(words, digits))
            blocks.append(self.order_table(words))
        blocks.append(Lines(self.sentences(words)))
        if self.disagreements:
            blocks.append(Prose([words["people.examples"]]))
            blocks.append(self.example_table(words, digits, 3))
        return blocks

    def table(self, words: Catalogue, digits: int) -> Table:
        """Returns one row per measure and model."""
        style, level = words.style, words.percent(self.level)
        rows = []
        for measure in self.measures:
            for one in self.agreements:
                if one.measure != measure:
                    continue
                contrast = one.contrast
                rows.append(
                    [
                        one.model,
                        measure_label(measure),
                        style.number(one.value, digits),
                        style.interval(one.interval, digits),
                        f"{one.queries:,}",
                        style.signed(contrast.difference, digits) if contrast else "",
                        style.signed_interval(contrast.interval, digits) if contrast else "",
                    ]
                )
        names = [words.say(f"column.{name}", level=level) for name in HEADINGS]
        return Table(names, rows, left=2)

    def order_table(self, words: Catalogue) -> Table:
        """Returns one row per model: how it orders pairs that people graded differently."""
        rows = [
            [
                one.model,
                f"{one.pairs:,}",
                *(
                    f"{count:,} ({words.style.part(count / one.pairs)})" if one.pairs else "0"
                    for count in (one.agree, one.open, one.reverse)
                ),
            ]
            for one in self.orders
        ]
        names = [words[f"column.{name}"] for name in ("model", "pairs", "agree", "open", "reverse")]
        return Table(names, rows)

    def example_table(
        self, words: Catalogue, digits: int, most: int, model: str | None = None
    ) -> Table:
        """Returns pairs of documents in another order, two rows each.

        Args:
            words: The texts of labels.
            digits: Decimals.
            most: The most examples per model.
            model: Only those of one model, without its name.
        """
        style, level = words.style, words.percent(self.level)
        shown: dict[str, int] = {}
        rows = []
        for one in self.disagreements:
            shown[one.model] = shown.get(one.model, 0) + 1
            if shown[one.model] > most or model not in (None, one.model):
                continue
            for place, document in enumerate((one.preferred, one.other)):
                rows.append(
                    [
                        *(("", "") if place else (one.model, one.query)),
                        document.document,
                        f"{document.grade:g}",
                        style.number(document.label, digits),
                        style.interval(document.interval, digits),
                        f"{document.impressions:,}",
                        style.number(document.position, 1),
                    ]
                )
        names = [words.say(f"column.{name}", level=level) for name in EXAMPLES]
        if model is not None:
            return Table(names[1:], [row[1:] for row in rows], left=2, long=(0, 1))
        return Table(names, rows, left=3, long=(1, 2))
