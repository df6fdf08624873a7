"""The values of options that take a share: 5% or 0.05, never a bare 5."""

from __future__ import annotations

import math

import click

from relyon.core.errors import ParameterError
from relyon.core.texts import message

__all__ = ["SHARE", "SHARE_ABOVE_0", "SHARE_BELOW_1", "SHARE_BETWEEN", "Share"]


class Share(click.FloatRange):
    """A share: a percentage with its sign, or a fraction.

    A number without a percent sign is a fraction, so `0.5` is 50%. `5` is refused rather than
    taken for 5%: then `0.5` would have to be half a percent.

    Examples:
        >>> share = Share(0, 1, min_open=True, max_open=True)
        >>> share.convert("5%", None, None), share.convert("0.5", None, None)
        (0.05, 0.5)
    """

    name = "share"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Returns the fraction.

        Raises:
            ParameterError: If the text is not a share, or not within the range.
        """
        text = str(value).strip()
        try:
            number = float(text.removesuffix("%"))
        except ValueError:
            number = math.nan
        share = number / 100 if text.endswith("%") else number
        if not self._holds(share):
            option = param.opts[0] if param is not None else self.name
            meant = number if text == text.removesuffix("%") and 1 <= number < 100 else 5
            raise ParameterError(
                message("cli.is-not-share", option=option, text=text, range=self._describe_range()),
                hint=message(
                    "cli.write-share",
                    option=option,
                    percent=f"{meant:g}%",
                    fraction=f"{meant / 100:g}",
                ),
            )
        return share

    def _holds(self, share: float) -> bool:
        low, high = self.min, self.max
        above = low is None or low < share or (share == low and not self.min_open)
        return above and (high is None or share < high or (share == high and not self.max_open))


SHARE = Share(0, 1)
SHARE_ABOVE_0 = Share(0, 1, min_open=True)
SHARE_BELOW_1 = Share(0, 1, max_open=True)
SHARE_BETWEEN = Share(0, 1, min_open=True, max_open=True)
