"""Options of `relyon conventions --match`: which rules gave a number."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from relyon.cli.file_columns import check_columns_for, columns_for
from relyon.cli.inputs import check_files, judgments_argument, run_argument
from relyon.cli.option_values import chosen_scale
from relyon.cli.options import (
    columns_option,
    judgments_format_option,
    run_format_option,
    scale_option,
)
from relyon.cli.request import option, request
from relyon.core.errors import ParameterError
from relyon.core.texts import message

if TYPE_CHECKING:
    from relyon.analysis.matching import ConventionMatch
    from relyon.data.judgments import Judgments

__all__ = ["MatchOptions"]


@request
class MatchOptions:
    """The numbers whose rules are looked for, and how the files are read."""

    numbers: tuple[str, ...] = option(
        "--match",
        "numbers",
        metavar="MEASURE=NUMBER",
        multiple=True,
        help="A number that another program printed for JUDGMENTS and RUN, with all its decimals,"
        " such as ndcg@10=0.5034 or map=31.2%: finds the rules that give it. Repeat it for further"
        " measures: two numbers rarely match by accident.",
    )
    other_judgments: tuple[str, ...] = option(
        "--other-judgments",
        metavar="FILE",
        multiple=True,
        help="With --match: further judgments that the other program may have used.",
    )
    limit: int = option(
        "--limit",
        metavar="N",
        type=click.IntRange(min=1),
        default=10,
        show_default=True,
        help="With --match: the classes of rules to show; json contains all.",
    )
    scale: str | None = scale_option("scale")
    columns: tuple[str, ...] = columns_option(per_file=True)
    judgments_format: str | None = judgments_format_option()
    run_format: str | None = run_format_option()

    def __bool__(self) -> bool:
        return bool(self.numbers)

    def __post_init__(self) -> None:
        if self.other_judgments and not self.numbers:
            raise ParameterError(
                message("cli.other-judgments-need-match"), hint=message("cli.add-match")
            )

    def found(self, files: Sequence[str]) -> ConventionMatch:
        """Returns which rules give the numbers.

        Args:
            files: The judgments and the run.

        Raises:
            ParameterError: If there are not two files, or a number is given twice.
        """
        from relyon.analysis.matching import match_convention

        check_files(files, "conventions --match ndcg@10=0.5034")
        if len(files) > 2:
            raise ParameterError(
                message("cli.match-takes-one-run"), hint=message("cli.match-each-run")
            )
        check_columns_for([*files, *self.other_judgments], self.columns)
        scale = chosen_scale(self.scale)

        def judgments(path: str) -> Judgments:
            columns = columns_for(path, self.columns) or None
            return judgments_argument(path, self.judgments_format, columns, scale)

        columns = columns_for(files[1], self.columns) or None
        return match_convention(
            judgments(files[0]),
            run_argument(files[1], self.run_format, columns, None),
            self._numbers(),
            other_judgments={path: judgments(path) for path in self.other_judgments},
            scale=scale,
        )

    def _numbers(self) -> dict[str, str]:
        """Returns the numbers by measure, whose parameters may contain `=`."""
        found: dict[str, str] = {}
        for text in self.numbers:
            name, equals, number = text.rpartition("=")
            if not equals or name.count("(") != name.count(")"):
                raise ParameterError(
                    message("cli.option-text-is-not-name", option="--match", text=text),
                    hint=message(
                        "cli.write-option-example", option="--match", example="ndcg@10=0.5034"
                    ),
                )
            if re.search(r"=[\d.,%]+,[^,()]+$", name):  # ndcg@10=0.5,map=0.3
                raise ParameterError(
                    message("cli.match-several", name=name.partition("=")[0]),
                    hint=message("cli.match-repeat"),
                )
            if name.strip() in found:
                raise ParameterError(
                    message("cli.match-given-twice", name=name.strip()),
                    hint=message("cli.match-once-per-measure"),
                )
            found[name.strip()] = number.strip()
        return found
