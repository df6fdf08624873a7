"""Judgments that accompany other data on the command line: their file and its columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import click

from relyon.cli.inputs import ROLES, judgments_argument
from relyon.cli.option_values import chosen_columns
from relyon.cli.options import own_columns_option
from relyon.cli.request import option, request

if TYPE_CHECKING:
    from relyon.data.judgments import Judgments
    from relyon.data.scale import Scale

__all__ = ["JudgedOptions", "graded_by"]


@request
class JudgedOptions:
    """Labels from a file of judgments."""

    judgments: str | None = option(
        "--judgments",
        metavar="FILE",
        help="Take labels from these judgments, by query and document, and ignore any"
        " label column.",
    )
    unjudged: Literal["drop", "zero"] = option(
        "--unjudged",
        type=click.Choice(["drop", "zero"]),
        default="drop",
        show_default=True,
        help="With --judgments: drop rows without a grade, or label them 0.",
    )
    judgments_columns: tuple[str, ...] = own_columns_option("judgments", "the judgments")


def graded_by(
    path: str, form: str | None, columns: Sequence[str], scale: Scale | None
) -> Judgments:
    """Reads judgments that accompany other data, with the columns of ``--judgments-columns``.

    Args:
        path: The file.
        form: Its format; None recognises it.
        columns: The values of the option.
        scale: The grade scale.
    """
    option = "--judgments-columns"
    chosen = chosen_columns(columns, ROLES["judgments"], option=option)
    return judgments_argument(path, form, chosen, scale, option)
