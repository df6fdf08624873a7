"""Estimates of position bias side by side, and whether the log identifies it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, get_args

from relyon.core.document.exportable import Exportable
from relyon.core.document.json import json_number, json_values, note_dict
from relyon.core.document.model import Block, Document, Lines, Prose, Table
from relyon.core.errors import InputError
from relyon.core.notes import Note
from relyon.core.parameters import check_choice
from relyon.core.texts import Catalogue, Language, catalogue, message
from relyon.labels.position_bias.connection import Connection
from relyon.labels.position_bias.doubts import Doubt
from relyon.labels.position_bias.movement import Movement

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Declared", "PositionBias", "PositionEstimate", "spans"]

#: Why documents moved, as whoever ran the search says: `unknown`, because swaps were drawn at
#: `random`, or because sessions were assigned at random to the arms of `bucket`.
Declared = Literal["unknown", "random", "bucket"]
#: The declaration of arms covers everything if this share of the movement lies between them.
COVERED = 0.99

#: Decimals: three estimates with their intervals fit beside each other in a terminal.
DIGITS = 3


@dataclass(frozen=True)
class PositionEstimate:
    """The examination of one position by one estimator.

    Attributes:
        estimator: Its name.
        position: The position.
        examination: How often it is seen, relative to the reference; NaN without an estimate.
        low: Where its interval begins; NaN where it has none.
        high: Where it ends.
        queries: On how many queries it rests; those of little traffic count less.
        reason: Why there is no estimate (`not-connected`, `no-clicks`, `no-path`), or no interval
            (`too-little`); else nothing.
    """

    estimator: str
    position: int
    examination: float
    low: float
    high: float
    queries: float
    reason: str = ""


@dataclass(frozen=True)
class PositionBias(Exportable):
    """Estimates of position bias, and whether the log identifies it.

    Attributes:
        estimates: By estimator, in the order they were named, and then by position.
        connection: Which positions the log can compare.
        doubts: Estimators that contradict the first one.
        level: Confidence level of the intervals.
        min_swaps: With fewer effective swaps, the connection of a position is called weak.
        sessions: Sessions of the log.
        results: Results that they showed.
        source: The log.
        notes: Notes about the log.
        movements: Whether documents moved over time with their click rates, with users, or with
            arms; empty if the log was read before.
        declared: Why documents moved, as was declared: `declare`.
    """

    estimates: tuple[PositionEstimate, ...]
    connection: Connection
    doubts: tuple[Doubt, ...]
    level: float
    min_swaps: float
    sessions: int
    results: int
    source: str
    notes: tuple[Note, ...] = ()
    movements: tuple[Movement, ...] = ()
    declared: Declared = "unknown"

    def declare(self, moved: Declared) -> PositionBias:
        """Returns the same estimates, with the reason why documents moved, which no log can show.

        The numbers stay the same; the verdict says what they mean then, what the declaration does
        not cover, and what in the log contradicts it.

        Args:
            moved: `random`: swaps or shuffles were drawn at random. `bucket`: sessions or users
                were assigned at random to the arms in the column `bucket`, which rank differently.
                `unknown`: neither is known.

        Raises:
            InputError: If arms are declared, and the log has no column `bucket`.
            ParameterError: If `moved` is unknown.
        """
        check_choice("moved", moved, get_args(Declared))
        if moved == "bucket" and self._movement("bucket") is None:
            raise InputError(
                message("labels.log-has-no-column", name="bucket"),
                path=self.source,
                hint=message("core.name-column"),
            )
        return replace(self, declared=moved)

    def _movement(self, kind: str) -> Movement | None:
        return next((one for one in self.movements if one.kind == kind), None)

    @property
    def estimators(self) -> tuple[str, ...]:
        """The names of the estimators."""
        return tuple(dict.fromkeys(one.estimator for one in self.estimates))

    def __getitem__(self, estimator: str) -> tuple[PositionEstimate, ...]:
        return tuple(one for one in self.estimates if one.estimator == estimator)

    @property
    def examination(self) -> dict[int, float]:
        """By the first estimator: θ of each position that has an estimate."""
        return {
            one.position: one.examination
            for one in self[self.estimators[0]]
            if one.examination == one.examination
        }

    @property
    def identified(self) -> Literal["all", "part", "none"]:
        """Of which positions the log identifies θ: all, some besides the reference, or none."""
        comparable = len(self.connection.comparable)
        if comparable == len(self.connection.positions):
            return "all"
        return "part" if comparable > 1 else "none"

    def to_frame(self) -> pl.DataFrame:
        """Returns one row per estimator and position."""
        import polars as pl

        connection = self.connection
        numbers = [
            (number, position)
            for number, component in enumerate(connection.components, 1)
            for position in component
        ]
        beside = pl.DataFrame(
            {
                "position": connection.positions,
                "shown": connection.shown,
                "clicks": connection.clicks,
                "swaps": [None if math.isinf(one) else one for one in connection.swaps],
            }
        ).join(
            pl.DataFrame(numbers, ["component", "position"], orient="row"),
            on="position",
            how="left",
            maintain_order="left",
        )
        frame = pl.DataFrame([asdict(one) for one in self.estimates])
        joined = frame.join(beside, on="position", how="left", maintain_order="left")
        numeric = ["examination", "low", "high"]
        return joined.with_columns(pl.col(numeric).fill_nan(None))

    def to_dict(self) -> dict[str, object]:
        """Returns the object that ``--format json`` prints, and that `read_bias` reads."""
        connection = asdict(self.connection)
        found: dict[str, object] = {
            "source": self.source,
            "sessions": self.sessions,
            "results": self.results,
            "level": self.level,
            "min_swaps": json_number(self.min_swaps),
            "identified": self.identified,
            "declared": self.declared,
            "examination": self.examination,
            "estimates": [asdict(one) for one in self.estimates],
            "connection": connection,
            "weak": self.connection.weak(self.min_swaps),
            "doubts": [asdict(one) for one in self.doubts],
            "movements": [one.to_dict() for one in self.movements],
        }
        return {**json_values(found), "notes": [note_dict(note) for note in self.notes]}

    def document(self, *, digits: int = DIGITS, language: Language = "en") -> Document:
        """Returns the verdict, its evidence, and the estimates side by side.

        Args:
            digits: Decimals.
            language: `en` or `zh`.
        """
        words = catalogue("position_bias", language)
        blocks: list[Block] = [
            Prose([words.say("found", sessions=self.sessions, results=self.results)]),
            Lines(self.verdict(language)),
            self.counts_table(words),
            self.estimates_table(words, digits),
        ]
        return Document(blocks)

    def verdict(self, language: Language = "en") -> list[str]:
        """Returns in sentences whether the log identifies position bias, and what is doubtful.

        Args:
            language: `en` or `zh`.
        """
        words = catalogue("position_bias", language)
        connection = self.connection
        said = [words.say(f"identified.{self.identified}", first=connection.reference)]
        if self.identified != "none":
            said.append(self._condition(words))
        said += self._experiments(words)
        said += [one.sentence(words) for one in self.movements if not self._settled(one)]
        if self.declared != "unknown" and any(one.doubtful for one in self.movements):
            said.append(words["declared.contradicted"])
        silent = connection.because("no-clicks")
        if silent:
            said.append(_about("silent", silent, words, first=connection.reference))
        weak = connection.weak(self.min_swaps)
        if weak:
            said.append(_about("weak", weak, words, least=self.min_swaps))
        for reason in ("no-path", "too-little"):
            by_name: dict[str, list[int]] = {}
            for one in self.estimates:
                if one.reason == reason:
                    by_name.setdefault(one.estimator, []).append(one.position)
            if by_name:
                names = list(by_name)
                places = spans(sorted({place for one in by_name.values() for place in one}))
                said.append(words.say(f"reason.{reason}", estimators=names, positions=places))
        for doubt in self.doubts:
            said.append(
                words.say(
                    "doubt",
                    first=doubt.first,
                    second=doubt.second,
                    positions=spans(doubt.positions),
                    most=f"{doubt.most:.2f}",
                )
            )
            said.append(words["doubt_em" if "em" in (doubt.first, doubt.second) else "doubt_swaps"])
        return said

    def _condition(self, words: Catalogue) -> str:
        """Returns whether documents moved for reasons unrelated to relevance, as far as known."""
        arms = self._movement("bucket")
        if self.declared == "unknown":
            return words["condition"]
        if self.declared == "random" or arms is None or not arms.tested:
            return words[f"declared.{self.declared}"]
        between, rest = words.percent(arms.size), words.percent(1 - arms.size)
        key = "whole" if arms.size >= COVERED else "part"
        return words.say(f"declared.bucket-{key}", share=between, rest=rest)

    def _settled(self, one: Movement) -> bool:
        """Whether the declaration says it already."""
        arms = self._movement("bucket")
        if self.declared != "bucket" or arms is None or not arms.tested:
            return False
        # Where the arm alone decides, no user sees another position than the others of the arm.
        return one.kind == "bucket" or (one.kind == "user" and not one.tested)

    def _experiments(self, words: Catalogue) -> list[str]:
        """Returns sentences on positions without a link to the reference, and on what to log."""
        experiments = self.connection.experiments
        if not experiments:
            return []
        apart = sorted(position for one in experiments for position in one.positions)
        said = [_about("apart", apart, words, first=self.connection.reference)]
        swaps = [
            words.say(
                "swap" if one.sessions == one.sessions else "swap_unknown",
                first=one.first,
                second=one.second,
                sessions=int(one.sessions) if one.sessions == one.sessions else 0,
            )
            for one in experiments
        ]
        said.append(words.say("experiment", swaps=swaps))
        if any(one.sessions != one.sessions for one in experiments):
            said.append(words["experiment_unknown"])
        return said

    def counts_table(self, words: Catalogue) -> Table:
        """Returns the evidence for each position, and the first estimate, with bars."""
        connection, style = self.connection, words.style
        first = self[self.estimators[0]]
        most = max(one.examination for one in first if one.examination == one.examination)
        rows = [
            [
                str(one.position),
                f"{shown:,}",
                style.number(clicks / shown, DIGITS),
                "" if one.position == connection.reference else f"{swaps:,.0f}",
                style.number(one.examination, DIGITS),
            ]
            for one, shown, clicks, swaps in zip(
                first, connection.shown, connection.clicks, connection.swaps, strict=True
            )
        ]
        names = [words[f"column.{name}"] for name in ("position", "shown", "rate", "swaps")]
        bars = [one.examination / most if one.reason in KNOWN else 0.0 for one in first]
        return Table([*names, first[0].estimator], rows, bars=bars)

    def estimates_table(self, words: Catalogue, digits: int = DIGITS) -> Table:
        """Returns the estimates side by side, each with its interval."""
        columns = [self[name] for name in self.estimators]
        rows = [
            [
                str(row[0].position),
                *(self._cell(one, words, digits) for one in row),
            ]
            for row in zip(*columns, strict=True)
        ]
        caption = words.say(
            "caption", first=self.connection.reference, level=words.percent(self.level)
        )
        return Table([words["column.position"], *self.estimators], rows, caption)

    @staticmethod
    def _cell(one: PositionEstimate, words: Catalogue, digits: int) -> str:
        text = words.style.number(one.examination, digits)
        if one.low < one.high:
            text += f" {words.style.interval((one.low, one.high), digits)}"
        return text


#: Reasons for which there is an estimate.
KNOWN = ("", "too-little")


def _about(key: str, positions: Sequence[int], words: Catalogue, **values: object) -> str:
    return words.say(key, positions=spans(positions), count=len(positions), **values)


def spans(positions: Sequence[int]) -> str:
    """Returns positions in ascending order, those that follow each other as from–to.

    Examples:
        >>> spans([1, 2, 3, 5, 7, 8])
        '1–3, 5, 7–8'
    """
    if not positions:
        return ""
    breaks = [place for place, (one, two) in enumerate(pairwise(positions), 1) if two > one + 1]
    parts = [positions[a:b] for a, b in pairwise([0, *breaks, len(positions)])]
    return ", ".join(f"{one[0]}–{one[-1]}" if len(one) > 1 else str(one[0]) for one in parts)
