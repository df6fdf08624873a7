"""The measures of several runs with their intervals."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from relyon.analysis.uncertainty.intervals import MeasureIntervals
from relyon.core.document.terminal import COLUMNS
from relyon.core.texts import Language
from relyon.core.texts.numbers import DIGITS

__all__ = ["SeveralIntervals"]


class SeveralIntervals:
    """The intervals of several runs, one after the other.

    Args:
        runs: The intervals of each run.
    """

    def __init__(self, runs: Sequence[MeasureIntervals]) -> None:
        self.runs = runs

    def to_json(self) -> str:
        """Returns one JSON object per run."""
        return "\n".join(one.to_json() for one in self.runs)

    def to_csv(self) -> str:
        """Returns CSV: one row per run and measure, below one heading."""
        rows = [one.to_csv().splitlines() for one in self.runs]
        return "\n".join([*rows[0], *(line for one in rows[1:] for line in one[1:])])

    def to_markdown(self, *, digits: int = DIGITS, language: Language = "en") -> str:
        """Returns a Markdown table per run."""
        return self._titled(lambda one: one.to_markdown(digits=digits, language=language))

    def to_text(
        self,
        *,
        digits: int = DIGITS,
        language: Language = "en",
        columns: int | None = COLUMNS,
    ) -> str:
        """Returns a table per run; `columns` is the maximum line width."""
        return self._titled(
            lambda one: one.to_text(digits=digits, language=language, columns=columns)
        )

    def _titled(self, render: Callable[[MeasureIntervals], str]) -> str:
        texts = [render(one) for one in self.runs]
        if len(texts) == 1:
            return texts[0]
        pairs = zip(self.runs, texts, strict=True)
        return "\n\n".join(f"{one.run}\n\n{text}" for one, text in pairs)
