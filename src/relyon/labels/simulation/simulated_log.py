"""The counts of a simulated log, which are computed while it is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relyon.core.document.exportable import Exportable
from relyon.core.document.model import Block, Document, Prose, Table
from relyon.core.texts import Language, catalogue
from relyon.core.texts.numbers import DIGITS

if TYPE_CHECKING:
    import polars as pl

    from relyon.labels.simulation.session_blocks import Block as Drawn

__all__ = ["SimulatedLog"]


@dataclass(frozen=True)
class SimulatedLog(Exportable):
    """Sessions, results and clicks of a simulated log.

    Attributes:
        sessions: Searches.
        bots: Those of them that bots made.
        results: Results shown.
        clicks: Results clicked.
        mistaken: Those of them by mistake.
        shown: Results by position, from 1.
        clicked: Clicks by position.
    """

    sessions: int = 0
    bots: int = 0
    results: int = 0
    clicks: int = 0
    mistaken: int = 0
    shown: tuple[int, ...] = ()
    clicked: tuple[int, ...] = ()

    def plus(self, drawn: Drawn) -> SimulatedLog:
        """Returns the counts with those of some sessions more."""
        lists = drawn.lists
        shown, clicked = lists.shown.sum(axis=0), (lists.clicked & lists.shown).sum(axis=0)
        return SimulatedLog(
            self.sessions + len(lists),
            self.bots + int(drawn.search.bot.sum()),
            self.results + int(shown.sum()),
            self.clicks + int(clicked.sum()),
            self.mistaken + int(drawn.mistaken.sum()),
            _sums(self.shown, shown.tolist()),
            _sums(self.clicked, clicked.tolist()),
        )

    @property
    def rates(self) -> list[float]:
        """The share of results that was clicked, by position."""
        return [
            clicks / max(shown, 1) for clicks, shown in zip(self.clicked, self.shown, strict=True)
        ]

    def to_frame(self) -> pl.DataFrame:
        """Returns one row per position."""
        import polars as pl

        return pl.DataFrame(
            {
                "position": range(1, len(self.shown) + 1),
                "shown": self.shown,
                "clicked": self.clicked,
                "rate": self.rates,
            }
        )

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready counts."""
        return {
            "sessions": self.sessions,
            "bots": self.bots,
            "results": self.results,
            "clicks": self.clicks,
            "mistaken": self.mistaken,
            "positions": self.to_frame().to_dicts(),
        }

    def document(self, *, digits: int = DIGITS, language: Language = "en") -> Document:
        """Returns the counts, and the clicks by position.

        Args:
            digits: Decimals.
            language: `en` or `zh`.
        """
        words = catalogue("labels", language)
        said = words.say(
            "simulated", sessions=self.sessions, results=self.results, clicks=self.clicks
        )
        texts = [said]
        if self.mistaken or self.bots:
            texts.append(words.say("unlike", mistaken=self.mistaken, bots=self.bots))
        rows = [
            [
                str(position),
                f"{shown:,}",
                f"{clicked:,}",
                words.style.number(rate, digits),
            ]
            for position, shown, clicked, rate in self.to_frame().iter_rows()
        ]
        names = [words[f"column.{name}"] for name in ("position", "shown", "clicked", "rate")]
        blocks: list[Block] = [Prose(texts), Table(names, rows)]
        return Document(blocks)


def _sums(first: Sequence[int], second: Sequence[int]) -> tuple[int, ...]:
    """The sums of two lists, place by place; the first may be empty."""
    return tuple(one + other for one, other in zip(first or [0] * len(second), second, strict=True))
