"""`relyon monitor show|check --anytime`: a month looked at every day while it is graded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from relyon.cli.inputs import check_stdin, judgments_argument
from relyon.cli.request import flag, option, request
from relyon.core.errors import ParameterError
from relyon.core.texts import message

if TYPE_CHECKING:
    from relyon.data.judgments import Judgments
    from relyon.online.monitoring import MonthLook, Round

__all__ = ["Looks"]


@request
class Looks:
    """Whether the last month is looked at as it is graded, and what is graded of it so far."""

    anytime: bool = flag(
        "--anytime",
        help="Look at the last month as often as you like while it is graded: its mean so far and"
        " its change from the month before, always valid. Tiers may be graded in any order; within"
        " a tier the order must have nothing to do with quality.",
    )
    month: str | None = option(
        "--month",
        metavar="YYYY-MM",
        help="With --anytime: the month that is being graded, which is not stored. Needs --sample"
        " and --judgments.",
    )
    sample: str | None = option(
        "--sample",
        metavar="FILE",
        help="With --month: its whole sample, as `relyon sample -o FILE` wrote it.",
    )
    judgments: str | None = option(
        "--judgments",
        metavar="FILE",
        help="With --month: the grades so far, in any format, or a judging database with its"
        " project, such as judging.db#June.",
    )
    watched_months: int = option(
        "--watched-months",
        metavar="N",
        type=click.IntRange(min=1),
        default=12,
        show_default=True,
        help="With --anytime: all looks at N months together raise a false alarm with probability"
        " --alpha at most.",
    )

    def __post_init__(self) -> None:
        given = {"--month": self.month, "--sample": self.sample, "--judgments": self.judgments}
        named = [name for name, value in given.items() if value is not None]
        if named and not self.anytime:
            raise ParameterError(
                message("cli.needs-anytime", option=named[0]), hint=message("cli.add-anytime")
            )
        if named and len(named) < len(given):
            missing = [name for name in given if name not in named]
            raise ParameterError(
                message("cli.look-needs-all", option=named[0], missing=missing),
                hint=message("cli.look-at-stored-month"),
            )

    def refuse(self, given: Mapping[str, bool]) -> None:
        """Rejects options that are for one look.

        Args:
            given: Whether each was given, by its name.

        Raises:
            ParameterError: If one was.
        """
        for name, asked in given.items():
            if self.anytime and asked:
                raise ParameterError(
                    message("cli.anytime-and-option", option=name),
                    hint=message("cli.look-once", option=name),
                )

    def found(self, rounds: str, **options: Any) -> MonthLook:
        """Returns the look.

        Args:
            rounds: The folder of the rounds.
            **options: Of `look_at_month`.
        """
        from relyon.online.monitoring import look_at_month

        unfinished = self._unfinished(options.get("convention"))
        return look_at_month(rounds, unfinished, watched_months=self.watched_months, **options)

    def _unfinished(self, convention: Any) -> Round | None:
        if self.month is None or self.sample is None or self.judgments is None:
            return None
        from relyon.data.period import check_month
        from relyon.online.monitoring import create_round
        from relyon.online.sampling import read_sample

        check_month(self.month)
        check_stdin([self.sample, self.judgments])
        sample = read_sample(self.sample)
        return create_round(self.month, sample, _grades(self.judgments), convention=convention)


def _grades(path: str) -> Judgments:
    from relyon.io.databases import database_at
    from relyon.judging.project_reader import read_project

    source = database_at(path)
    if source is None:
        return judgments_argument(path, None, None, None)
    return read_project(source, rule="median")[0]
