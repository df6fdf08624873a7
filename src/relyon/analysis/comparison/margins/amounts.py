"""Amounts that users write: numbers in a measure's own units, or shares of the baseline's value."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relyon.core.errors import ParameterError
from relyon.core.texts import message

if TYPE_CHECKING:
    from relyon.analysis.comparison.contrast import Contrast

__all__ = ["Amount"]


@dataclass(frozen=True)
class Amount:
    """A difference, as it was written.

    Attributes:
        number: The number, or the share.
        relative: Whether it is a share of the baseline's number.
        written: Whether it was text, which may lack its percent sign.
    """

    number: float
    relative: bool
    written: bool

    @classmethod
    def of(cls, value: float | str, *, zero: bool = False) -> Amount | None:
        """Returns a difference; `None` if it is not a finite number above 0.

        Args:
            value: A number, or text such as "0.01" or "2%".
            zero: Whether 0 is allowed.

        Examples:
            >>> Amount.of("2%"), Amount.of("two")
            (Amount(number=0.02, relative=True, written=True), None)
        """
        if isinstance(value, bool):
            return None
        text = str(value).strip()
        try:
            number = float(text.removesuffix("%"))
        except ValueError:
            return None
        if not math.isfinite(number) or number < 0 or (number == 0 and not zero):
            return None
        relative = text.endswith("%")
        return cls(number / 100 if relative else number, relative, isinstance(value, str))

    def value(self, one: Contrast) -> float:
        """Returns it in the measure's own units."""
        return self.number * abs(one.baseline_mean) if self.relative else self.number

    def size(self, one: Contrast) -> float:
        """Returns it in the measure's own units.

        Raises:
            ParameterError: If it is probably a percentage without its sign.
        """
        size = self.value(one)
        if self.written and not self.relative and size >= max(abs(one.baseline_mean), 1):
            raise self._too_large(one)
        return size

    def share(self, one: Contrast) -> float:
        """Returns it as a share of the baseline's number; NaN if that is 0."""
        base = abs(one.baseline_mean)
        return self.number if self.relative else self.number / base if base else math.nan

    def _too_large(self, one: Contrast) -> ParameterError:
        percent = self.number if self.number < 100 else 5
        return ParameterError(
            message(
                "analysis.difference-is-too-large",
                value=f"{self.number:g}",
                measure=one.measure,
                before=one.baseline_mean,
            ),
            hint=message(
                "analysis.write-percent-or-number",
                percent=f"{percent:g}%",
                number=f"{percent * abs(one.baseline_mean) / 100:.2g}",
            ),
        )
