"""Builds native tables from columns; if that fails, names the first bad row."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple, NoReturn

from relyon import _native
from relyon.core.errors import InputError
from relyon.core.notes import Note
from relyon.core.texts import message
from relyon.data.columns.evidence import (
    diagnose_evidence,
    evidence_of,
    usable_evidence,
)
from relyon.data.columns.faults import Record, diagnose, rows_of
from relyon.data.columns.fields import scaled, series_ids, to_ids, to_numbers, to_text
from relyon.data.columns.roles import EVIDENCE_NAMES, plain_name
from relyon.data.rank_order import ROWS, order_notes

if TYPE_CHECKING:
    import polars as pl

    from relyon.data.columns.fields import ArrowColumn
    from relyon.data.evidence import Evidence
    from relyon.data.scale import Scale

__all__ = [
    "RunColumns",
    "blank_grades",
    "judgment_table",
    "missing_grades",
    "order_of",
    "refuse_run",
    "run_columns",
    "run_table",
    "score_notes",
]


def judgment_table(
    columns: Mapping[str, pl.Series],
    *,
    path: str = "",
    scale: Scale | None = None,
    records: Callable[[], Iterable[Record]] | None = None,
) -> tuple[_native.JudgmentTable, Evidence | None, tuple[Note, ...]]:
    """Builds the native table from columns of queries, documents, grades and perhaps subtopics.

    Columns of evidence are kept separately.

    Args:
        columns: Series by role, of equal length.
        path: The file, for messages.
        scale: Names that grades may have.
        records: Reads the rows again, with their line numbers, to locate an error.

    Returns:
        The table, the evidence, and a note if rows without a grade were left out.

    Raises:
        InputError: At the first row that cannot be used.
    """
    notes: tuple[Note, ...] = ()
    if plain_name(columns["grade"].name) == "score":
        notes = (Note("grades-from-score"),)
    blank = blank_grades(columns["grade"])
    count = int(blank.sum())
    kept = dict(columns)
    if count:
        notes = (*notes, missing_grades(columns["document"].filter(blank)))
        kept = {role: series.filter(~blank) for role, series in columns.items()}
    grade = kept["grade"]
    numbers = to_numbers(grade, "grade", path) if scale is None else scaled(grade, scale)
    query, document = (series_ids(kept[role], role, path) for role in ("query", "document"))
    subtopic = None
    if "subtopic" in kept:
        named = to_text(kept["subtopic"], "subtopic", path)
        # A missing subtopic is a subtopic of its own, as in TREC qrels.
        subtopic = named.fill_null("0").replace(["", "Q0"], "0")
    if not (_usable(query) and _usable(document) and _finite(numbers)):
        _fail(columns, "grade", path=path, scale=scale, records=records)
    try:
        table = _native.JudgmentTable.from_arrow(query, document, numbers, subtopic)
    except InputError as error:
        _fail(columns, "grade", path=path, scale=scale, records=records, cause=error)
    if not kept.keys() & EVIDENCE_NAMES.keys():
        return table, None, notes
    values = usable_evidence(kept, numbers, path)
    evidence = None
    if values is not None:
        keys = {role: to_text(kept[role], role, path) for role in ("query", "document")}
        if subtopic is not None:
            keys["subtopic"] = subtopic
        evidence = evidence_of(table, keys, values)
    if evidence is None:
        unit = "row" if records is None else "line"
        rows = rows_of(columns) if records is None else records()
        diagnose_evidence(rows, path=path, unit=unit, scale=scale)
        raise InputError(message("data.evidence-for-grades-cannot"), path=path)
    return table, evidence, notes


def missing_grades(documents: Sequence[object] | pl.Series) -> Note:
    """Returns the note about rows without a grade.

    Args:
        documents: The document of each such row.
    """
    count = len(documents)
    return Note("missing-grades", count, "warning", tuple(map(str, documents[:3])))


class RunColumns(NamedTuple):
    """The columns of a run for native code: anything with the Arrow interface.

    Attributes:
        query: Text or whole numbers.
        document: Text or whole numbers.
        score: Numbers.
        rank: Whole numbers, or `None` without a rank column.
        value: The role that the scores come from: "score" or "rank".
        notes: Notes about the data.
    """

    query: ArrowColumn
    document: ArrowColumn
    score: ArrowColumn
    rank: ArrowColumn | None
    value: Literal["score", "rank"]
    notes: tuple[Note, ...]


def run_columns(
    columns: Mapping[str, ArrowColumn],
    *,
    path: str = "",
    records: Callable[[], Iterable[Record]] | None = None,
) -> RunColumns:
    """Converts columns of queries, documents, scores and perhaps ranks.

    Without a score column the ranks replace scores: rank 1 is the highest. Native code refuses rows
    without an id or a number, and `refuse_run` locates them.

    Args:
        columns: Series by role, or other columns that native code reads directly.
        path: The file, for messages.
        records: Reads the rows again, with their line numbers, to locate an error.

    Raises:
        InputError: If a column contains something else, or a rank is not a whole number.
    """
    import polars as pl

    value: Literal["score", "rank"] = "score"
    rank = None
    if "rank" in columns:
        rank = columns["rank"]
        if isinstance(rank, pl.Series):
            floats = to_numbers(rank, "rank", path)
            if not _finite(floats) or not bool((floats == floats.round(0)).all()):
                if "score" not in columns:
                    value = "rank"
                _fail(columns, value, path=path, records=records)
            rank = floats.cast(pl.Int64)
    if "score" in columns:
        score = columns["score"]
        if isinstance(score, pl.Series):
            score = to_numbers(score, "score", path)
    else:
        if rank is None:
            raise InputError(message("data.there-is-neither-score"), path=path)
        value = "rank"
        score = -pl.Series("rank", rank).cast(pl.Float64)
    query, document = (to_ids(columns[role], role, path) for role in ("query", "document"))
    notes = [*score_notes(columns)]
    if value == "score" and isinstance(rank, pl.Series) and isinstance(score, pl.Series):
        notes += order_of(pl.Series(columns["query"]), rank, score)
    return RunColumns(query, document, score, rank, value, tuple(notes))


def order_of(query: pl.Series, rank: pl.Series, score: pl.Series) -> tuple[Note, ...]:
    """Returns the note about a run whose scores contradict its ranks, by its first rows.

    Args:
        query: The query of each result.
        rank: Its rank.
        score: Its score.
    """
    first = [one.head(ROWS).to_list() for one in (query, rank, score)]
    return order_notes(row for row in zip(*first, strict=True) if None not in row)


def score_notes(roles: Container[str]) -> tuple[Note, ...]:
    """Notes where the scores of a run come from, if not from a column of scores."""
    if "score" in roles:
        return ()
    return (Note("scores-from-ranks"),)


def refuse_run(
    columns: Mapping[str, pl.Series],
    *,
    path: str = "",
    records: Callable[[], Iterable[Record]] | None = None,
) -> None:
    """Raises an error for the first row without an id or a number, if there is such a row."""
    run = run_columns(columns, path=path, records=records)
    ids = [to_text(columns[role], role, path) for role in ("query", "document")]
    if not (_usable(ids[0]) and _usable(ids[1]) and _finite(run.score)):
        _fail(columns, run.value, path=path, records=records)


def run_table(
    columns: Mapping[str, pl.Series],
    *,
    path: str = "",
    records: Callable[[], Iterable[Record]] | None = None,
) -> tuple[_native.RunTable, tuple[Note, ...]]:
    """Builds the native table from the columns of a run; see `run_columns`.

    Raises:
        InputError: At the first row that cannot be used.
    """
    run = run_columns(columns, path=path, records=records)
    try:
        table = _native.RunTable.from_arrow(run.query, run.document, run.score, run.rank)
    except InputError as error:
        _fail(columns, run.value, path=path, records=records, cause=error)
    return table, run.notes


def _fail(
    columns: Mapping[str, pl.Series],
    value: str,
    *,
    path: str,
    scale: Scale | None = None,
    records: Callable[[], Iterable[Record]] | None = None,
    cause: InputError | None = None,
) -> NoReturn:
    """Raises the error that names the first bad row, or else a general one."""
    if records is not None:
        diagnose(records(), value, path=path, scale=scale)
    else:
        diagnose(rows_of(columns), value, path=path, unit="row", scale=scale)
    raise cause or InputError(message("data.cannot-be-used", value=value), path=path)


def blank_grades(series: pl.Series) -> pl.Series:
    """Returns a Boolean series: grades that are null or blank text."""
    import polars as pl

    if series.dtype == pl.String:
        return series.is_null() | (series.str.strip_chars().str.len_bytes() == 0).fill_null(True)
    return series.is_null()


def _usable(ids: pl.Series) -> bool:
    if ids.null_count():
        return False
    return ids.dtype.is_integer() or not bool((ids == "").any())


def _finite(numbers: pl.Series) -> bool:
    return numbers.null_count() == 0 and bool(numbers.is_finite().all())
