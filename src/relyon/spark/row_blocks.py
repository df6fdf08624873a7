"""Blocks of rows, checked and converted on an executor, before they are packed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from relyon.core.errors import InputError
from relyon.core.texts import message
from relyon.data.columns import blank_grades, diagnose, run_columns, scaled, to_numbers, to_text
from relyon.data.labelled import ALL_ROWS, labelled_columns
from relyon.data.labelled_checks import refuse_rows
from relyon.spark.tasks import JUDGMENTS, ROWS, UNGRADED, PackedError, Rows

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa

    from relyon.data.scale import Scale

__all__ = ["JudgmentBlock", "LabelledBlock", "RunBlock"]

Columns = dict[str, "pl.Series"]


@dataclass(frozen=True)
class RunBlock:
    """Converts rows of a run: text ids, finite scores, whole ranks.

    Attributes:
        names: The user's name of each column, for messages.
    """

    names: Mapping[str, str]

    def __call__(self, block: pa.Table) -> Mapping[int, Rows]:
        block = block.combine_chunks()
        columns = _series(block, self.names)
        texts = _texts(columns, ("query", "document"))
        value = "score" if "score" in columns else "rank"
        names = [role for role in ("score", "rank") if role in columns]
        bad = _first_bad(texts, {role: to_numbers(columns[role], role) for role in names})
        if bad is not None:
            _refuse(columns, bad, lambda row: diagnose([(0, row)], value, path="", unit=""))
        run = run_columns(columns)
        numbers = (
            {"score": run.score} if run.rank is None else {"score": run.score, "rank": run.rank}
        )
        return {ROWS: _arrow(texts, numbers, columns, block)}


@dataclass(frozen=True)
class JudgmentBlock:
    """Converts judgments: text ids, grades as numbers; rows without a grade are kept apart.

    Attributes:
        names: The user's name of each column, for messages.
        scale: Names that grades may have.
    """

    names: Mapping[str, str]
    scale: Scale | None

    def __call__(self, block: pa.Table) -> Mapping[int, Rows]:
        import polars as pl

        block = block.combine_chunks()
        columns = _series(block, self.names)
        blank = blank_grades(columns["grade"])
        kept = columns
        if blank.any():
            kept = {role: series.filter(~blank) for role, series in columns.items()}
        texts = _texts(kept, ("query", "document", "subtopic"))
        if "subtopic" in texts:
            # A missing subtopic is a subtopic of its own, as in TREC qrels.
            texts["subtopic"] = texts["subtopic"].fill_null("0").replace(["", "Q0"], "0")
        grade = kept["grade"]
        grades = to_numbers(grade, "grade") if self.scale is None else scaled(grade, self.scale)
        bad = _first_bad(texts, {"grade": grades})
        if bad is not None:
            scale = self.scale
            _refuse(
                kept, bad, lambda row: diagnose([(0, row)], "grade", path="", unit="", scale=scale)
            )
        found = {JUDGMENTS: _arrow(texts, {"score": grades}, columns, block)}
        if blank.any():
            ids = {role: columns[role].filter(blank) for role in ("query", "document")}
            names = {role: one.fill_null("") for role, one in _texts(ids, tuple(ids)).items()}
            nothing = pl.zeros(len(names["query"]), dtype=pl.Float64, eager=True)
            found[UNGRADED] = _arrow(names, {"score": nothing}, columns, block)
        return found


@dataclass(frozen=True)
class LabelledBlock:
    """Converts labelled rows: finite labels and scores, weights of 0 or more.

    Attributes:
        names: The user's name of each column, for messages.
        scale: Names that labels may have.
    """

    names: Mapping[str, str]
    scale: Scale | None

    def __call__(self, block: pa.Table) -> Mapping[int, Rows]:
        import polars as pl

        block = block.combine_chunks()
        columns = _series(block, self.names)
        texts = _texts(columns, ("query", "document"))
        numbers = labelled_columns(columns, scale=self.scale)
        numbers.pop("query", None)
        bad = _first_bad(texts, numbers)
        if bad is None and "weight" in numbers and bool((numbers["weight"] < 0).any()):
            bad = _first(texts, numbers["weight"] < 0)
        if bad is not None:
            scale = self.scale
            _refuse(columns, bad, lambda row: refuse_rows([(0, row)], "", scale, ""))
        if "query" not in texts:
            texts["query"] = pl.repeat(ALL_ROWS, block.num_rows, dtype=pl.String, eager=True)
        return {ROWS: _arrow(texts, numbers, columns, block)}


def _series(block: pa.Table, names: Mapping[str, str]) -> Columns:
    """Returns the columns by role; the roles are their names in the block."""
    import polars as pl

    return {role: pl.Series(names[role], block.column(role)) for role in block.column_names}


def _texts(columns: Columns, roles: tuple[str, ...]) -> Columns:
    return {role: to_text(columns[role], role) for role in roles if role in columns}


def _first_bad(texts: Columns, numbers: Columns) -> int | None:
    """Returns a row with an empty id, or without a finite number: the first by its ids."""
    import polars as pl

    bad = pl.Series([], dtype=pl.Boolean)
    for role, series in texts.items():
        if role != "subtopic" and (series.null_count() or bool((series == "").any())):
            here = series.is_null() | (series == "").fill_null(True)
            bad = here if not len(bad) else bad | here
    for series in numbers.values():
        if series.null_count() or not bool(series.is_finite().all()):
            here = ~series.is_finite().fill_null(False)
            bad = here if not len(bad) else bad | here
    return _first(texts, bad) if len(bad) else None


def _first(texts: Columns, chosen: pl.Series) -> int:
    """Returns the first of some rows by its query and document, as rows have no order."""
    import polars as pl

    keys = {role: texts[role] for role in ("query", "document") if role in texts}
    rows = pl.DataFrame([series.filter(chosen).alias(role) for role, series in keys.items()])
    rows = rows.with_columns(place=chosen.arg_true())
    return int(rows.sort([*keys, "place"]).item(0, "place"))


def _refuse(
    columns: Columns, place: int, diagnosed: Callable[[dict[str, object]], None]
) -> NoReturn:
    """Raises the error of a row, with its query and its document."""
    row = {role: series[place] for role, series in columns.items()}
    query, document = (
        "" if row.get(role) is None else str(row[role]) for role in ("query", "document")
    )
    try:
        diagnosed(row)
    except InputError as error:
        text = error.message
        if query and document:
            text = message(
                "core.query-document",
                query=query,
                document=document,
                bad_message=text,
            )
        elif query:
            text = message("spark.query-message", query=query, message=text)
        elif document:
            text = message("spark.document-message", document=document, message=text)
        raise PackedError(query, InputError(text, hint=error.hint), document=document) from None
    raise PackedError(query, InputError(message("spark.row-cannot-be-used")), document=document)


def _arrow(texts: Columns, numbers: Columns, columns: Columns, block: pa.Table) -> Rows:
    """Returns rows as Arrow; texts that are those of the block are not copied."""
    import pyarrow as pa

    found = {role: series.to_arrow() for role, series in numbers.items()}
    for role, series in texts.items():
        same = series is columns.get(role) and pa.types.is_string(block.schema.field(role).type)
        found[role] = block.column(role).combine_chunks() if same else series.to_arrow()
    return found.pop("query"), found
