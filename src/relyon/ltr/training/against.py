"""Comparison of a new ranker with an earlier one."""

from __future__ import annotations

import dataclasses
import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING

from relyon.core.document.json import json_number, note_dict
from relyon.core.errors import InputError, ParameterError
from relyon.core.notes import Note
from relyon.core.parameters import check_path, check_type
from relyon.core.texts import Catalogue, message
from relyon.ltr.rankers.files import is_ranker
from relyon.ltr.rankers.fingerprints import data_fingerprint, input_fingerprints
from relyon.ltr.rankers.fitted import TrainedOn
from relyon.ltr.rankers.ranker import Ranker
from relyon.ltr.rankers.saved_rankers import load
from relyon.ltr.rankers.target_measure import fingerprint
from relyon.ltr.training.card import ModelCard, different_numbers, different_rules
from relyon.ltr.training.card_reader import read_training
from relyon.ltr.training.goal import Goal
from relyon.ltr.training.held_out import HeldOut, held_out

if TYPE_CHECKING:
    from relyon.data.labelled import LabelledRows

__all__ = ["Against", "Earlier", "earlier_of"]

UNSEEN = "ltr.give-rows-on-which-neither"


@dataclass(frozen=True)
class Against:
    """An earlier ranker, and the difference from it if both values are comparable.

    Attributes:
        name: The name of the earlier ranker: its file.
        measure: The measure of its value.
        number: Its own value.
        measured: Whether it was evaluated on the held-out rows; if not, the value is its card's.
        difference: The new ranker's value minus the earlier one's; NaN if they are not comparable:
            `notes` give the reason.
        tested: The paired difference; None if the earlier one's queries are unknown.
        notes: Notes about the comparison.
    """

    name: str
    measure: str
    number: HeldOut
    measured: bool
    difference: float = math.nan
    tested: HeldOut | None = None
    notes: tuple[Note, ...] = ()

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values."""
        return {
            "name": self.name,
            "measure": self.measure,
            "measured": self.measured,
            "queries": self.number.queries,
            "value": json_number(self.number.value),
            "difference": json_number(self.difference),
            "tested": None if self.tested is None else self.tested.to_dict(),
            "notes": [note_dict(note) for note in self.notes],
        }

    def lines(self, words: Catalogue, digits: int, level: float) -> list[str]:
        """Returns the value of the earlier ranker and the difference, in sentences.

        Args:
            words: The texts of training.
            digits: Decimals.
            level: Confidence level of the intervals.
        """
        style = words.style
        known = {
            "name": self.name,
            "measure": self.measure,
            "value": style.number(self.number.value, digits),
            "queries": self.number.queries,
        }
        found = [words.say(f"against.{'measured' if self.measured else 'stored'}", **known)]
        if math.isnan(self.difference):
            undefined = math.isnan(self.number.value)
            return found if undefined else [*found, words["against.refused"]]
        difference = style.signed(self.difference, digits)
        if self.tested is None:
            return [*found, words.say("against.untested", difference=difference)]
        interval = style.signed_interval(self.tested.difference_interval, digits)
        text = words.say(
            "difference_of",
            difference=difference,
            interval=interval,
            percent=words.percent(level),
            p=self.tested.p,
            queries=self.tested.paired,
        )
        return [
            *found,
            words.say("against.difference", difference=text),
            self.tested.verdict(self.name, words),
        ]


@dataclass(frozen=True)
class Earlier:
    """An earlier ranker, before the new one is trained.

    Attributes:
        name: Its name.
        values: Its value on each held-out query; empty if unknown.
        card: Its card; None if it was evaluated on the held-out rows.
        notes: Notes.
    """

    name: str
    values: tuple[float, ...] = ()
    card: ModelCard | None = None
    notes: tuple[Note, ...] = ()

    def beside(self, card: ModelCard, values: Sequence[float]) -> Against:
        """Returns the comparison with a new ranker.

        Args:
            card: The card of the new ranker.
            values: The value of the new ranker on each held-out query.
        """
        own = held_out(self.values, level=card.level) if self.card is None else self.card.found
        measure = card.measure if self.card is None else self.card.measure
        reasons = (
            ()
            if self.card is None
            else different_numbers(card, self.card, names=(card.ranker, self.name))
        )
        found = Against(self.name, measure, own, self.card is None, notes=(*self.notes, *reasons))
        if reasons:
            return found
        tested = held_out(values, self.values, level=card.level) if self.values else None
        difference = card.found.value - own.value
        if tested is not None and tested.paired:
            return dataclasses.replace(found, difference=tested.difference, tested=tested)
        return dataclasses.replace(found, difference=difference)


def earlier_of(
    against: Ranker | ModelCard | str | PathLike[str],
    rows: LabelledRows,
    valid: LabelledRows | None,
    goal: Goal,
) -> Earlier:
    """Returns an earlier ranker with its values, so that errors are raised before training.

    Args:
        against: A trained ranker, a model card, or the file of either.
        rows: The training rows of the new ranker.
        valid: The held-out rows; None for folds.
        goal: The measure.

    Raises:
        InputError: If the file cannot be read, or the ranker does not fit the rows.
        ParameterError: If the ranker was, or may have been, trained on held-out queries.
    """
    if isinstance(against, ModelCard):
        return Earlier(against.ranker, card=against)
    if isinstance(against, str | PathLike):
        path = check_path("against", against)
        name = os.path.basename(path)
        if is_ranker(path):
            return _measured(load(path), name, rows, valid, goal)
        card, known = read_training(path)
        queries = (rows if valid is None else valid).queries
        complete = set(queries) <= set(known)
        return Earlier(name, tuple(known[one] for one in queries) if complete else (), card)
    check_type("against", against, Ranker, message("ltr.trained-ranker"))
    return _measured(against, type(against).__name__, rows, valid, goal)


def _measured(
    ranker: Ranker, name: str, rows: LabelledRows, valid: LabelledRows | None, goal: Goal
) -> Earlier:
    """Evaluates an earlier ranker on the held-out rows."""
    trained = ranker.data_
    same = trained["fingerprint"] == data_fingerprint(rows)
    if valid is None:
        problem = (
            message("ltr.was-trained-on-these", name=name)
            if same
            else message(
                "ltr.may-have-been-trained",
                name=name,
            )
        )
        raise ParameterError(problem, hint=message(UNSEEN))
    if trained["fingerprint"] == data_fingerprint(valid) or _has_judgments(trained, valid, goal):
        raise InputError(
            message("ltr.was-trained-on-held-out", name=name),
            hint=message(UNSEEN),
        )
    notes = []
    if ranker.fingerprint_ != fingerprint(goal.measure, goal.convention):
        before = (ranker.measure_, ranker.convention_)
        rules = different_rules(before, (str(goal.measure), goal.convention))
        notes.append(Note("earlier-goal", values={"name": name, "rules": rules}))
    if not same:
        values = {"name": name, "source": trained["source"], "queries": trained["queries"]}
        notes.append(Note("earlier-data", values=values))
    found = goal.values(valid, ranker.predict(valid))
    return Earlier(name, tuple(found), notes=tuple(notes))


def _has_judgments(trained: TrainedOn, rows: LabelledRows, goal: Goal) -> bool:
    """Returns whether a ranker was trained on the judgments of rows, regardless of features."""
    if "inputs" not in trained:
        return False
    found = input_fingerprints(rows, goal.convention)
    return found is not None and found.judgments == trained["inputs"].get("judgments")
