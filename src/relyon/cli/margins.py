"""`--margin`: the smallest difference that matters, by measure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Unpack

from relyon.cli.request import option, request
from relyon.core.errors import ParameterError
from relyon.core.texts import message

if TYPE_CHECKING:
    from relyon.analysis.comparison.settings import Options

__all__ = ["Margins", "parse_margins", "with_measures"]


@request
class Margins:
    """The margins of a comparison."""

    margin_texts: tuple[str, ...] = option(
        "--margin",
        metavar="MEASURE=NUMBER",
        multiple=True,
        help="The smallest difference that matters, such as ndcg@10=0.01, or ndcg@10=2% of the"
        " baseline's value: verdicts then say whether a loss or gain of it is ruled out. Several by"
        " commas or by repeating it.",
    )

    @property
    def chosen(self) -> dict[str, float | str]:
        """The margins by measure, as they were written."""
        return parse_margins(self.margin_texts)

    def options(self, **settings: Unpack[Options]) -> Options:
        """Returns them as arguments of functions, with the settings of the tests."""
        return {**settings, "margins": self.chosen} if self.margin_texts else settings


def parse_margins(texts: Sequence[str]) -> dict[str, float | str]:
    """Returns margins by measure.

    Args:
        texts: Each one or more of MEASURE=NUMBER, separated by commas.

    Raises:
        ParameterError: If one is not that, is negative, or a measure has two.

    Examples:
        >>> parse_margins(["ndcg@10=.01,rr=2%", "ndcg(gain=exp,ideal=retrieved)@10=0.02"])
        {'ndcg@10': '.01', 'rr': '2%', 'ndcg(gain=exp,ideal=retrieved)@10': '0.02'}
    """
    import re

    from relyon.analysis.comparison.margins.amounts import Amount

    found: dict[str, float | str] = {}
    parts = [part for text in texts for part in re.split(r",(?![^(]*\))", text)]
    for part in parts:
        name, equals, value = (one.strip() for one in part.rpartition("="))
        if not equals or not name or Amount.of(value, zero=True) is None:
            raise ParameterError(
                message("cli.margin-is-not-measure-and-number", text=part),
                hint=message("cli.write-margin"),
            )
        if name in found:
            raise ParameterError(message("cli.margin-twice", name=name))
        found[name] = value
    return found


def with_measures(asked: Sequence[str], others: Sequence[str]) -> list[str]:
    """Returns measures, and those of the others that are not among them."""
    from relyon.measures import measure

    found = list(asked)
    for name in others:
        if measure(name) not in [measure(other) for other in found]:
            found.append(name)
    return found
