"""The model card: a ranker's settings, training data, and value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from relyon.core.document.exportable import Exportable
from relyon.core.document.json import json_values, note_dict
from relyon.core.document.model import Block, Document, Points, Section, Table
from relyon.core.notes import Note
from relyon.core.texts import Catalogue, Language, catalogue
from relyon.core.texts.numbers import DIGITS
from relyon.data.convention import Convention
from relyon.evaluation.same_inputs import said_difference
from relyon.ltr.training.held_out import HeldOut
from relyon.ltr.training.stopping_rows import Stopping

if TYPE_CHECKING:
    import polars as pl

    from relyon.data.input_fingerprints import InputFingerprints
    from relyon.data.labelled import LabelledRows

__all__ = [
    "DataFacts",
    "ModelCard",
    "data_facts",
    "different_numbers",
    "different_rules",
    "short",
    "split_text",
]


@dataclass(frozen=True)
class DataFacts:
    """A ranker's training data.

    Attributes:
        source: The file, or "memory".
        queries: The number of queries.
        rows: The number of rows.
        features: The names of the features.
        labels: The number of rows of each label; empty if there are more than 20 labels.
        constant: The number of queries whose rows all have the same label.
        fingerprint: Of labels, groups, weights and features.
    """

    source: str
    queries: int
    rows: int
    features: tuple[str, ...]
    labels: Mapping[float, int]
    constant: int
    fingerprint: str

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values."""
        return {
            "source": self.source,
            "queries": self.queries,
            "rows": self.rows,
            "features": list(self.features),
            "labels": {f"{label:g}": count for label, count in self.labels.items()},
            "constant": self.constant,
            "fingerprint": self.fingerprint,
        }


def data_facts(rows: LabelledRows, most: int = 20) -> DataFacts:
    """Returns facts about training rows.

    Args:
        rows: Labelled rows with features.
        most: The maximum number of labels that are listed.
    """
    import numpy as np

    from relyon.ltr.rankers.fingerprints import data_fingerprint

    labels, counts = np.unique(rows.labels, return_counts=True)
    listed = zip(labels, counts, strict=True) if len(labels) <= most else ()
    filled = int(np.count_nonzero(np.diff(rows.groups)))
    return DataFacts(
        rows.source,
        len(rows.queries),
        len(rows),
        () if rows.features is None else tuple(rows.features.names),
        {float(label) + 0.0: int(count) for label, count in listed},
        filled - rows.varied(np.asarray(rows.labels)),
        data_fingerprint(rows),
    )


@dataclass(frozen=True)
class ModelCard(Exportable):
    """A description of a ranker for its users and for comparisons with other rankers.

    Attributes:
        ranker: The kind of ranker.
        loss: Its loss.
        engine: Its engine.
        parameters: All its parameters by name.
        seed: Random seed. The same seed and data give the same ranker.
        data: The training data.
        measure: The measure.
        convention: The rules of the measure.
        fingerprint: The fingerprint of measure and rules: only values with the same fingerprint are
            comparable.
        tested: The fingerprint of the held-out queries and their labels, without features.
        inputs: The fingerprints of the rows as judgments: `trained` and `held_out`; without those
            of rows whose queries or documents have no ids.
        split: How held-out queries were chosen: `folds=5`, or the file.
        found: Its value on them.
        baseline: The ranker that it is compared with; may be empty.
        level: Confidence level of the intervals.
        stopping: When training stopped; None without early stopping.
        versions: The versions of relyon, Python and the packages that trained it.
        notes: Notes about the data and the training.
    """

    ranker: str
    loss: str
    engine: str
    parameters: Mapping[str, object]
    seed: int
    data: DataFacts
    measure: str
    convention: Convention
    fingerprint: str
    split: str
    found: HeldOut
    baseline: str = ""
    level: float = 0.95
    stopping: Stopping | None = None
    versions: Mapping[str, str] | None = None
    notes: tuple[Note, ...] = ()
    tested: str = ""
    inputs: Mapping[str, InputFingerprints] = field(default_factory=dict)

    @property
    def held_out_queries(self) -> tuple[str, str]:
        """Equal for the same held-out queries, chosen in the same way."""
        folds = self.split.startswith("folds=")
        return self.tested or self.data.fingerprint, self.split if folds or not self.tested else ""

    def to_dict(self) -> dict[str, object]:
        """Returns the card as JSON-ready values."""
        return {
            "ranker": self.ranker,
            "loss": self.loss,
            "engine": self.engine,
            "parameters": json_values(dict(self.parameters)),
            "seed": self.seed,
            "data": self.data.to_dict(),
            "measure": self.measure,
            "convention": self.convention.to_dict(),
            "fingerprint": self.fingerprint,
            "split": self.split,
            "tested": self.tested,
            "inputs": {name: one.to_dict() for name, one in self.inputs.items()},
            "held_out": self.found.to_dict(),
            "baseline": self.baseline,
            "level": self.level,
            "stopping": None if self.stopping is None else self.stopping.to_dict(),
            "versions": dict(self.versions or {}),
            "notes": [note_dict(note) for note in self.notes],
        }

    def to_frame(self) -> pl.DataFrame:
        """Returns one row per fact: `fact` and `value`, nested ones joined by dots."""
        import polars as pl

        facts = list(_flat(self.to_dict()))
        return pl.DataFrame(
            {"fact": [name for name, _ in facts], "value": [value for _, value in facts]},
            schema={"fact": pl.String, "value": pl.String},
        )

    def document(self, *, digits: int = DIGITS, language: Language = "en") -> Document:
        """Returns the card for people.

        Args:
            digits: Decimals.
            language: `en` or `zh`.
        """
        words = catalogue("training", language)
        title = words.say("card.title", ranker=self.ranker)
        return Document([*self.sections(words, digits)], title)

    def sections(self, words: Catalogue, digits: int) -> list[Block]:
        """Returns the sections of the card.

        Args:
            words: The texts of training.
            digits: Decimals.
        """
        found: list[Block] = [
            Section(f"card-{name}", words[f"card.{name}"], [Table(("", ""), facts, left=2)])
            for name, facts in self.facts(words, digits).items()
        ]
        found.append(Section("card-limits", words["card.limits"], [Points(self.limits(words))]))
        if self.notes:
            notes = Points([note.text(words.language) for note in self.notes])
            found.append(Section("card-notes", words["card.notes"], [notes]))
        return found

    def facts(self, words: Catalogue, digits: int) -> dict[str, list[tuple[str, str]]]:
        """Returns the facts about model, value, data and versions, as names and texts.

        Args:
            words: The texts of training.
            digits: Decimals.
        """
        known = {
            "model": self._model(words),
            "number": self._number(words, digits),
            "data": self._data(words),
        }
        named = {
            part: [(words.name("fact", name), text) for name, text in facts]
            for part, facts in known.items()
        }
        return {**named, "versions": list((self.versions or {}).items())}

    def limits(self, words: Catalogue) -> list[str]:
        """Returns the limits of the numbers.

        Args:
            words: The texts of training.
        """
        names = ["features", "candidates", "judged"]
        names += ["folds"] if self.split.startswith("folds=") else []
        names += ["seed"] if "ties=drawn" in self.loss else []
        return [words[f"limits.{name}"] for name in names]

    def _model(self, words: Catalogue) -> list[tuple[str, str]]:
        given = [f"{name}={short(value)}" for name, value in self.parameters.items()]
        return [
            ("ranker", self.ranker),
            ("loss", self.loss or words.style.nothing),
            ("engine", self.engine),
            ("parameters", ", ".join(given) or words.style.nothing),
            ("seed", str(self.seed)),
            *([("stopping", self.stopping.text(words, self.measure))] if self.stopping else []),
        ]

    def _number(self, words: Catalogue, digits: int) -> list[tuple[str, str]]:
        style, found = words.style, self.found
        percent = words.percent(self.level)
        value = words.say(
            "value_of",
            value=style.number(found.value, digits),
            interval=style.interval(found.interval, digits),
            percent=percent,
            queries=found.queries,
        )
        rows = [
            ("measure", self.measure),
            ("convention", self.convention.name),
            ("changed", _changed(self.convention) or words["as_preset"]),
            ("fingerprint", self.fingerprint),
            ("split", split_text(self.split, words)),
            ("held_out", value),
        ]
        if found.paired:
            difference = words.say(
                "difference_of",
                difference=style.signed(found.difference, digits),
                interval=style.signed_interval(found.difference_interval, digits),
                percent=percent,
                p=found.p,
                queries=found.paired,
            )
            rows += [
                (
                    "baseline",
                    self.baseline + words["list.colon"] + style.number(found.baseline, digits),
                ),
                ("difference", difference),
            ]
        return rows

    def _data(self, words: Catalogue) -> list[tuple[str, str]]:
        data = self.data
        labels = ", ".join(f"{label:g}: {count:,}" for label, count in data.labels.items())
        shown = list(data.features[:10])
        more = len(data.features) - len(shown)
        names = ", ".join(shown) + (words.say("more", count=more) if more else "")
        return [
            ("source", data.source),
            ("queries", f"{data.queries:,}"),
            ("rows", f"{data.rows:,}"),
            ("labels", labels or words["many_labels"]),
            ("constant", words.say("constant", count=data.constant)),
            ("features", f"{len(data.features):,} ({names})" if shown else "0"),
            ("data_fingerprint", data.fingerprint),
        ]


def split_text(split: str, words: Catalogue) -> str:
    """Returns how held-out queries were chosen, in words."""
    name, _, value = split.partition("=")
    return words.say("split_folds", folds=value) if name == "folds" else split


def different_numbers(
    first: ModelCard, second: ModelCard, *, names: tuple[str, str] | None = None
) -> tuple[Note, ...]:
    """Returns why the values of two cards are not comparable; empty if they are.

    Args:
        first: A card.
        second: Another one.
        names: How to name them; by default by their rankers.
    """
    if first.fingerprint != second.fingerprint:
        rules = different_rules(
            (first.measure, first.convention), (second.measure, second.convention)
        )
        values = {"rules": rules, "first": first.fingerprint, "second": second.fingerprint}
        return (Note("other-measure", level="warning", values=values),)
    mine, theirs = (card.inputs.get("held_out") for card in (first, second))
    if mine is not None and theirs is not None:
        found = mine.difference(theirs)
        if found is not None:
            one, other = names or (first.ranker, second.ranker)
            if one == other:
                one, other = f"{one} (1)", f"{other} (2)"
            values = {"difference": said_difference((one, mine), (other, theirs), found)}
            return (Note("other-queries", level="warning", values=values, key="other-labels"),)
        # The order of rows does not matter, except to folds.
        if not any(card.split.startswith("folds=") for card in (first, second)):
            return ()
    if first.held_out_queries != second.held_out_queries:
        return (Note("other-queries", level="warning"),)
    return ()


def different_rules(first: tuple[str, Convention], second: tuple[str, Convention]) -> str:
    """Returns the differences between two measures under their conventions.

    Examples:
        >>> rules = Convention()
        >>> different_rules(("ndcg@10", rules), ("ndcg@5", rules.replace(gain="exp")))
        'ndcg@10 ≠ ndcg@5, gain: linear ≠ exp'
    """
    (measure, rules), (other, others) = first, second
    here, there = ({**one.to_dict(), "name": ""} for one in (rules, others))
    found = [f"{measure} ≠ {other}"] if measure != other else []
    found += [f"{name}: {here[name]} ≠ {there[name]}" for name in here if here[name] != there[name]]
    return ", ".join(found)


def short(value: object) -> str:
    """Returns a parameter as text, a float with four digits.

    Examples:
        >>> short(0.123456), short(31)
        ('0.1235', '31')
    """
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _changed(convention: Convention) -> str:
    """Returns the rules that differ from those of relyon."""
    own = {**Convention(name=convention.name).to_dict()}
    given = convention.to_dict()
    return ", ".join(f"{name}={value}" for name, value in given.items() if own[name] != value)


def _flat(values: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, str | None]]:
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}.")
        elif isinstance(value, list):
            yield f"{prefix}{name}", ", ".join(map(str, value))
        else:
            yield f"{prefix}{name}", None if value is None else str(value)
