"""Rows of labels and features as a command line names them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from relkit.data.labelled import LabelledRows
    from relkit.data.scale import Scale

__all__ = ["duplicates_option", "read_rows", "row_options"]

F = TypeVar("F", bound=Callable[..., Any])


duplicates_option = click.option(
    "--duplicates",
    type=click.Choice(["together", "ignore"]),
    default="together",
    show_default=True,
    help="Whether queries that share a row stay together.",
)


def row_options(command: F) -> F:
    """Adds the columns of rows with features."""
    for decorate in reversed(
        (
            click.option("--query", metavar="COLUMN", help="The column of the query."),
            click.option("--label", metavar="COLUMN", help="The column of the label."),
            click.option("--document", metavar="COLUMN", help="The column of the document."),
            click.option(
                "--weight", metavar="COLUMN", help="The column of what a row weighs in training."
            ),
            click.option(
                "--features",
                metavar="COLUMN,…",
                help="The columns of features.  [default: all that have no other role]",
            ),
            click.option(
                "--groups",
                metavar="FILE",
                help="For SVMlight files without qid: the file with the rows of each query.",
            ),
        )
    ):
        command = decorate(command)
    return command


def read_rows(
    path: str, roles: Mapping[str, str | None], groups: str | None, scale: Scale | None
) -> LabelledRows:
    """Reads labels and features.

    Args:
        path: The file.
        roles: The columns that were named: `query`, `label`, `document`, `weight`, `features`.
        groups: The file with the rows of each query.
        scale: The grade scale.

    Raises:
        InputError: If the file cannot be used.
    """
    from relkit.io import read_features

    named: dict[str, Any] = dict(roles)
    features = named.pop("features", None)
    return read_features(
        path,
        **named,
        features=features.split(",") if features else None,
        groups=groups,
        scale=scale,
    )
