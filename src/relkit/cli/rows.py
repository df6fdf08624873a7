"""Rows of labels and features as a command line names them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import click

from relkit.cli.options import columns_option
from relkit.cli.values import format_named_by, scored_columns

if TYPE_CHECKING:
    from relkit.data.labelled import LabelledRows
    from relkit.data.scale import Scale
    from relkit.ltr.rankers.base import Ranker

__all__ = [
    "ROLES",
    "duplicates_option",
    "judged_options",
    "read_rows",
    "row_columns",
    "row_options",
]

F = TypeVar("F", bound=Callable[..., Any])

#: What a column of rows can be, besides a feature.
ROLES = ("query", "label", "document", "weight", "position")

duplicates_option = click.option(
    "--duplicates",
    type=click.Choice(["together", "ignore"]),
    default="together",
    show_default=True,
    help="Whether queries that share a row stay together.",
)


def row_options(command: F) -> F:
    """Adds what rows with features are read by: `read_rows` takes it from the options."""
    for decorate in reversed(
        (
            click.option("--query", metavar="COLUMN", help="The column of the query."),
            click.option("--label", metavar="COLUMN", help="The column of the label."),
            click.option("--document", metavar="COLUMN", help="The column of the document."),
            click.option(
                "--weight",
                metavar="COLUMN|none",
                help="The column of what a row weighs in training; none for 1 each.  [default: one"
                " called weight]",
            ),
            click.option(
                "--position",
                metavar="COLUMN|none",
                help="The column of where a row was shown, from 1, for training on clicks; none"
                " leaves the file DATA.position unread.",
            ),
            click.option(
                "--features",
                metavar="COLUMN,…",
                help="The columns of features.  [default: all that have no other role]",
            ),
            columns_option,
            click.option(
                "--input-format",
                metavar="FORMAT",
                help="Format of the rows.  [default: recognised]",
            ),
            click.option(
                "--groups",
                metavar="FILE",
                help="For SVMlight files without qid: the file with the rows of each query.",
            ),
            click.option(
                "--dtype",
                type=click.Choice(["float32", "float64"]),
                help="How features are kept in memory.  [default: float32 where it is exact, and"
                " of SVMlight text]",
            ),
            click.option(
                "--matrix",
                type=click.Choice(["auto", "dense", "sparse"]),
                default="auto",
                show_default=True,
                help="Whether zeros are kept in memory; auto leaves them out of SVMlight text of"
                " which more than 80% are zeros.",
            ),
        )
    ):
        command = decorate(command)
    return command


def judged_options(command: F) -> F:
    """Adds labels from a file of judgments."""
    for decorate in reversed(
        (
            click.option(
                "--judgments",
                metavar="FILE",
                help="Take labels from these judgments, by query and document; a column of labels"
                " is not read.",
            ),
            click.option(
                "--unjudged",
                type=click.Choice(["drop", "zero"]),
                default="drop",
                show_default=True,
                help="With --judgments: rows without a grade are left out, or get the label 0.",
            ),
        )
    ):
        command = decorate(command)
    return command


def row_columns(options: Mapping[str, Any]) -> dict[str, str]:
    """Returns the columns of roles: of --columns and of the options of their own.

    A role that shall have no column has an empty name.

    Args:
        options: What `row_options` adds.

    Raises:
        ParameterError: If a text is not NAME=COLUMN, or both name different columns.
        UnknownNameError: If a name is none of the known ones.
    """
    flat = {role: options[role] for role in ROLES}
    found = scored_columns(options["columns"], flat, known=(*ROLES, "grade"))
    return {
        role: "" if column == "none" and role in ("weight", "position") else column
        for role, column in found.items()
        if column is not None
    }


def read_rows(
    path: str,
    options: Mapping[str, Any],
    scale: Scale | None = None,
    *,
    groups: str | None = None,
    labelled: bool = True,
    ranker: Ranker | None = None,
) -> LabelledRows:
    """Reads labels and features.

    Args:
        path: The file.
        options: What `row_options` adds, and perhaps `judged_options`.
        scale: The grade scale.
        groups: The file with the rows of each query.
        labelled: Whether the rows must have labels; else they are not read.
        ranker: Whose features are read, where columns have names and none are chosen.

    Raises:
        InputError: If the file cannot be used.
    """
    from relkit.io import open_source, read_features
    from relkit.io.format import formats

    features = options["features"].split(",") if options["features"] else None
    roles: dict[str, Any] = {role: name or False for role, name in row_columns(options).items()}
    with format_named_by("--input-format "):
        source = open_source(
            path, format=options["input_format"], kind="features", named=bool(roles)
        )
        if ranker is not None and formats.get(source.format).tabular:
            features = features or ranker.named_features()
        return read_features(
            source,
            **roles,
            features=features,
            groups=groups,
            judgments=options.get("judgments"),
            unjudged=options.get("unjudged", "drop"),
            scale=scale,
            dtype=options["dtype"],
            matrix=options["matrix"],
            labels="own" if labelled else "none",
        )
