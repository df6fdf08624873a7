"""Rows of labels and features on the command line."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal, TypedDict, cast

import click

from relyon.cli.encoding import TextEncoding, encoding_options
from relyon.cli.judged import graded_by
from relyon.cli.option_values import format_named_by, scored_columns
from relyon.cli.options import columns_option
from relyon.cli.request import Declared, option, request
from relyon.core.notes import Note

if TYPE_CHECKING:
    from relyon.cli.judged import JudgedOptions
    from relyon.data.labelled import LabelledRows
    from relyon.data.scale import Scale
    from relyon.ltr.rankers.ranker import Ranker

    class Roles(TypedDict, total=False):
        """Columns by role; False for none."""

        query: str
        label: str
        document: str
        weight: str | Literal[False]
        position: str | Literal[False]
        group: str


__all__ = [
    "ROLES",
    "RowOptions",
    "duplicates_option",
    "read_rows",
    "row_columns",
]

#: The roles of a column, besides a feature.
ROLES = ("query", "label", "document", "weight", "position", "group")


@request
class RowOptions:
    """How to read rows of labels and features."""

    query: str | None = option("--query", metavar="COLUMN", help="The column of the query.")
    label: str | None = option("--label", metavar="COLUMN", help="The column of the label.")
    document: str | None = option(
        "--document", metavar="COLUMN", help="The column of the document."
    )
    weight: str | None = option(
        "--weight",
        metavar="COLUMN|none",
        help="The column of training weights; none weighs all rows equally.  [default:"
        " a column named weight]",
    )
    position: str | None = option(
        "--position",
        metavar="COLUMN|none",
        help="The column of the position where a row was shown, from 1, for training on"
        " clicks; none ignores the file DATA.position.",
    )
    group: str | None = option(
        "--group",
        metavar="COLUMN",
        help="The column of what stays on one side of every split, such as an intent that"
        " several queries express.",
    )
    features: str | None = option(
        "--features",
        metavar="COLUMN,…",
        help="The columns of features.  [default: all without another role]",
    )
    columns: tuple[str, ...] = columns_option()
    encoding: TextEncoding = encoding_options()
    input_format: str | None = option(
        "--input-format", metavar="FORMAT", help="Format of the rows.  [default: recognised]"
    )
    groups: str | None = option(
        "--groups",
        metavar="FILE",
        help="For SVMlight files without qid: the file with the number of rows per query.",
    )
    dtype: Literal["float32", "float64"] | None = option(
        "--dtype",
        type=click.Choice(["float32", "float64"]),
        help="Type of features in memory.  [default: float32 if exact, and for SVMlight text]",
    )
    matrix: Literal["auto", "dense", "sparse"] = option(
        "--matrix",
        type=click.Choice(["auto", "dense", "sparse"]),
        default="auto",
        show_default=True,
        help="Whether zeros are stored in memory; auto drops them for SVMlight text"
        " with more than 80% zeros.",
    )


def duplicates_option() -> Declared:
    """Declares ``--duplicates``."""
    return option(
        "--duplicates",
        type=click.Choice(["together", "ignore"]),
        default="together",
        show_default=True,
        help="Keep queries that share a row, or are nearly copies, in the same part.",
    )


def row_columns(options: RowOptions) -> dict[str, str]:
    """Returns columns by role, from --columns and their own options.

    A role without a column has an empty name.

    Args:
        options: The options for reading them.

    Raises:
        ParameterError: If a text is not NAME=COLUMN, or both name different columns.
        UnknownNameError: If a name is unknown.
    """
    flat = {role: getattr(options, role) for role in ROLES}
    found = scored_columns(options.columns, flat, known=(*ROLES, "grade"))
    return {
        role: "" if column == "none" and role in ("weight", "position") else column
        for role, column in found.items()
        if column is not None
    }


def read_rows(
    path: str,
    options: RowOptions,
    scale: Scale | None = None,
    *,
    judged: JudgedOptions | None = None,
    groups: str | None = None,
    labelled: bool = True,
    ranker: Ranker | None = None,
) -> LabelledRows:
    """Reads labels and features.

    Args:
        path: The file.
        options: The options for reading them.
        scale: The grade scale.
        judged: The judgments that the labels come from, if not from the rows.
        groups: The file with the rows of each query.
        labelled: Whether the rows must have labels; otherwise labels are not read.
        ranker: The ranker whose features are read if columns have names and none are chosen.

    Raises:
        InputError: If the file cannot be used.
    """
    from relyon.io import open_source, read_features
    from relyon.io.format import formats

    features = options.features.split(",") if options.features else None
    judgments = None
    if judged is not None and judged.judgments is not None:
        judgments = graded_by(judged.judgments, None, judged.judgments_columns, scale)
    roles = cast("Roles", {role: name or False for role, name in row_columns(options).items()})
    with format_named_by("--input-format "):
        source = open_source(path, format=options.input_format, kind="features", named=bool(roles))
        tabular = formats.get(source.format).tabular
        if ranker is not None and tabular:
            features = features or ranker.named_features()
        rows = read_features(
            source,
            **roles,
            features=features,
            groups=groups,
            judgments=judgments,
            unjudged="drop" if judged is None else judged.unjudged,
            scale=scale,
            dtype=options.dtype,
            matrix=options.matrix,
            labels="own" if labelled else "none",
        )
    return rows if ranker is None or tabular else _widened(rows, ranker)


def _widened(rows: LabelledRows, ranker: Ranker) -> LabelledRows:
    """Returns LETOR rows with 0 for the last features of a ranker that no row has."""
    count = int(ranker.n_features_in_)
    names = ranker.named_features() or [str(number) for number in range(1, count + 1)]
    wider = rows.known_features().widened(tuple(names))
    if wider is None:
        return rows
    absent = names[len(rows.known_features().names) :]
    note = Note("absent-features", len(absent), examples=tuple(absent[:5]))
    return replace(rows, features=wider, notes=(*rows.notes, note))
