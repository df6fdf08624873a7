"""Columns of any data frame: which one holds what, ids as text, numbers as numbers.

Judgments, runs and labelled scores all come from tables of rows. This module finds their columns
by name, turns them into what the native tables take, and, where they refuse, names the first row
that is to blame.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, NoReturn

from relkit import _native
from relkit.errors import InputError, ParameterError, ParseError
from relkit.notes import Note
from relkit.registry import suggestion

if TYPE_CHECKING:
    import polars as pl

    from relkit.scale import Scale

__all__ = [
    "Record",
    "RunColumns",
    "choose",
    "diagnose",
    "is_frame",
    "judgment_table",
    "number",
    "plain_name",
    "polars_columns",
    "refuse",
    "rows_of",
    "run_columns",
    "run_table",
    "same_length",
    "to_numbers",
    "to_text",
]

# Names that mean a role, most specific first; case, spaces, hyphens and underscores do not matter.
NAMES: dict[str, tuple[str, ...]] = {
    "query": (
        "queryid", "qid", "query", "topicid", "topic", "topicno", "searchid", "search",
        "sessionid", "session", "group", "groupid", "keywords", "keyword", "查询",
    ),
    "document": (
        "documentid", "docid", "docno", "document", "doc", "itemid", "item", "productid",
        "product", "passageid", "pid", "corpusid", "url", "asin", "sku", "文档", "id",
    ),
    "grade": (
        "grade", "relevance", "rel", "label", "judgment", "judgement", "rating", "relevancelabel",
        "relevancegrade", "等级", "相关性", "标注", "final",
        "score",  # what several published judgment files call it; noted when it is used
    ),
    "label": (
        "label", "grade", "relevance", "rel", "target", "rating", "judgment", "judgement", "click",
        "clicked", "y", "等级", "标注",
    ),
    "score": (
        "score", "sim", "similarity", "prediction", "predicted", "pred", "modelscore",
        "relevancescore", "分数", "得分",
    ),
    "rank": ("rank", "position", "pos", "排名"),
}  # fmt: skip

NAMED_GRADES = 'grades that are names need a scale: scale="search" knows 高 中 低 无'

# What each kind of data needs, and what it may have besides.
KINDS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "judgments": (("query", "document", "grade"), ()),
    "items": (("query", "document"), ("grade", "rank")),
    "run": (("query", "document"), ("score", "rank")),
    "scored": (("label", "score"), ("query", "document")),
    "sessions": (
        ("session", "query", "position", "doc"),
        (
            "timestamp", "clicked", "dwell_seconds", "add_to_cart", "purchase", "bucket", "user",
            "shown",
        ),
    ),
}  # fmt: skip

# One row of a table: its line (or row) number, and what was read for each role.
Record = tuple[int, Mapping[str, Any]]


def plain_name(name: str) -> str:
    """Returns a column's name without case, spaces, hyphens, underscores and dots."""
    return "".join(letter for letter in name.strip().lower() if letter not in " _-.")


def choose(
    names: Sequence[str],
    kind: str,
    *,
    columns: Mapping[str, str] | None = None,
    spellings: Mapping[str, tuple[str, ...]] = NAMES,
    path: str = "",
) -> dict[str, str]:
    """Says which column holds which role.

    Args:
        names: The columns there are.
        kind: What the table holds: a key of `KINDS`.
        columns: The caller's own choice, from role to column name; it comes before the usual names.
        spellings: The usual names by role, without case, spaces, hyphens and underscores.
        path: The file, for messages.

    Raises:
        ParameterError: If `columns` names a role that does not exist here.
        InputError: If a column is missing, or if two could be meant.
    """
    required, optional = KINDS[kind]
    roles = [*required, *optional]
    given = dict(columns or {})
    for role in given:
        if role not in roles:
            raise ParameterError(
                f"`{role}` is not a column of this kind of data", hint=suggestion(role, roles)
            )
    plain: dict[str, list[str]] = {}
    for name in names:
        plain.setdefault(plain_name(name), []).append(name)
    if kind == "judgments" and {"judge", "final"} <= plain.keys():
        # One line a judge, as `relkit judge export` writes them: what counts is the final grade.
        spellings = {**spellings, "grade": ("final",)}
    chosen: dict[str, str] = {}
    for role in roles:
        if role in given:
            if given[role] not in names:
                raise InputError(
                    f"there is no column `{given[role]}` for the {role}",
                    path=path,
                    hint=f"the columns are {_listed(names)}",
                )
            chosen[role] = given[role]
            continue
        for candidate in spellings[role]:
            found = [name for name in plain.get(candidate, []) if name not in given.values()]
            if len(found) > 1:
                raise InputError(
                    f"columns {_listed(found)} could each be the {role}",
                    path=path,
                    hint=_map_hint(role, found[0]),
                )
            if found:
                chosen[role] = found[0]
                break
    if kind == "run" and "rank" not in chosen:
        required = (*required, "score")
    for role in required:
        if role not in chosen:
            raise InputError(
                f"there is no column for the {role}: the columns are {_listed(names)}",
                path=path,
                hint=_map_hint(role, names[0] if names else "NAME"),
            )
    return chosen


def _map_hint(role: str, name: str) -> str:
    return (
        f'name it: columns={{"{role}": "{name}"}} in Python, '
        f"`--columns {role}={name}` on the command line"
    )


def _listed(names: Sequence[str], limit: int = 20) -> str:
    shown = ", ".join(
        f"`{name}`" if len(name) <= 60 else f"`{name[:60]}…`" for name in names[:limit]
    )
    return (shown + (", …" if len(names) > limit else "")) or "none"


def number(text: object) -> float | None:
    """Returns the number that a field holds, or None where it holds none.

    Only decimal text counts: no digit separators and no digits of other scripts.
    """
    if isinstance(text, str):
        if not text.isascii() or "_" in text:
            return None
        try:
            return float(text)
        except ValueError:
            return None
    if isinstance(text, bool):
        return None
    try:
        return float(text)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None


def is_frame(thing: object) -> bool:
    """Says whether something is a data frame, table or relation: it has columns to read."""
    if any(
        hasattr(thing, name)
        for name in (
            "__arrow_c_stream__",
            "__narwhals_dataframe__",
            "__narwhals_lazyframe__",
            "__dataframe__",
        )
    ):
        return True
    import narwhals as nw

    return nw.dependencies.is_into_dataframe(thing) or hasattr(
        nw.from_native(thing, pass_through=True),
        "collect_schema",
    )


def _frame_of(frame: object) -> Any:
    """Wraps any frame so that it has `columns` and can be cut to some of them, or returns None."""
    import narwhals as nw

    wrapped = nw.from_native(frame, pass_through=True)
    return wrapped if isinstance(wrapped, nw.DataFrame | nw.LazyFrame) else None


def polars_columns(
    frame: object,
    kind: str,
    *,
    columns: Mapping[str, str] | None = None,
    path: str = "",
) -> dict[str, pl.Series]:
    """Takes the columns of judgments, a run or scored rows out of any data frame.

    Polars, pandas, PyArrow, DuckDB and whatever else narwhals knows; and everything that exports
    the Arrow PyCapsule interface. The frame itself is not changed.

    Raises:
        InputError: If it is no data frame, or if a column is missing.
    """
    import polars as pl

    if not isinstance(frame, pl.DataFrame | pl.LazyFrame):
        wrapped = _frame_of(frame)
        if wrapped is not None:
            return _narwhals_columns(wrapped, kind, columns=columns, path=path)
        if not hasattr(frame, "__arrow_c_stream__"):
            raise InputError(
                f"a {type(frame).__name__} is not a data frame",
                hint="give a Polars, pandas, PyArrow or DuckDB table, a dict of dicts, or a path",
            )
        frame = pl.DataFrame(frame)
    names = frame.collect_schema().names()
    chosen = choose(names, kind, columns=columns, path=path)
    part = frame.lazy().select([pl.col(name) for name in dict.fromkeys(chosen.values())]).collect()
    return {role: part.get_column(name) for role, name in chosen.items()}


def _narwhals_columns(
    wrapped: Any,
    kind: str,
    *,
    columns: Mapping[str, str] | None,
    path: str,
) -> dict[str, pl.Series]:
    import narwhals as nw
    import polars as pl

    names = [str(name) for name in wrapped.collect_schema().names()]
    chosen = choose(names, kind, columns=columns, path=path)
    part = wrapped.select(list(dict.fromkeys(chosen.values())))
    if isinstance(part, nw.LazyFrame):
        native = part.to_native()
        if hasattr(native, "__arrow_c_stream__"):
            table = pl.DataFrame(native)
            return {role: table.get_column(name) for role, name in chosen.items()}
        part = part.collect()
    return {role: _series(part.get_column(name)) for role, name in chosen.items()}


def _series(column: Any) -> pl.Series:
    """One narwhals series as a Polars series, without needing more packages than the two."""
    import polars as pl

    native = column.to_native()
    if isinstance(native, pl.Series):
        return native
    if column.implementation.is_pyarrow():
        return pl.Series(column.name, native)
    if column.dtype.is_numeric() and not column.null_count():
        return pl.Series(column.name, column.to_numpy())
    return from_values(column.name, column.to_list(), nan_is_null=True)  # as pandas means it


def from_values(name: str, values: Iterable[Any], nan_is_null: bool = False) -> pl.Series:
    """A series from Python values; where they are of several types, as their text."""
    import polars as pl

    listed = list(values)
    if nan_is_null:
        listed = [
            None if isinstance(value, float) and math.isnan(value) else value for value in listed
        ]
    try:
        return pl.Series(name, listed, strict=True)
    except (TypeError, pl.exceptions.PolarsError):
        return pl.Series(name, [None if value is None else str(value) for value in listed])


def same_length(columns: Mapping[str, Iterable[Any]]) -> dict[str, pl.Series]:
    """Makes Polars series of arrays or sequences.

    Raises:
        InputError: If their lengths differ.
    """
    import polars as pl

    series = {}
    for role, values in columns.items():
        if hasattr(values, "dtype") and hasattr(values, "tolist"):
            numeric = values.dtype.kind in "iufb"
            series[role] = (
                pl.Series(role, values) if numeric else from_values(role, values.tolist())
            )
        else:
            series[role] = values if isinstance(values, pl.Series) else from_values(role, values)
    lengths = {role: len(found) for role, found in series.items()}
    if len(set(lengths.values())) > 1:
        raise InputError(
            "the columns differ in length: "
            + ", ".join(f"{length} of {role}" for role, length in lengths.items())
        )
    return series


def to_text(series: pl.Series, role: str, path: str = "") -> pl.Series:
    """Ids as text: text as it is, whole numbers as their decimal text.

    Raises:
        InputError: If the column holds neither.
    """
    import polars as pl

    kind = series.dtype
    if kind == pl.String:
        return series
    if kind.is_integer() or kind in (pl.Categorical, pl.Enum, pl.Null):
        return series.cast(pl.String)
    if kind == pl.Object:
        return to_text(from_values(series.name, series.to_list()), role, path)
    raise InputError(
        f"the {role} column `{series.name}` holds {kind}; ids are text or whole numbers",
        path=path,
        hint="convert it to text in the form that the other file uses",
    )


def to_numbers(series: pl.Series, role: str, path: str = "") -> pl.Series:
    """Numbers as float64; text that holds none becomes null.

    Raises:
        InputError: If the column holds something else than numbers, text or truth values.
    """
    import polars as pl

    kind = series.dtype
    if kind == pl.Float64:
        return series
    if kind in (pl.Categorical, pl.Enum):
        series, kind = series.cast(pl.String), pl.String()
    if kind == pl.String:
        return series.str.strip_chars(" \t\r\n").cast(pl.Float64, strict=False)
    if kind.is_numeric() or kind in (pl.Boolean, pl.Null):
        return series.cast(pl.Float64)
    if kind == pl.Object:
        return to_numbers(from_values(series.name, series.to_list()), role, path)
    raise InputError(f"the {role} column `{series.name}` holds {kind}, not numbers", path=path)


def scaled(series: pl.Series, scale: Scale) -> pl.Series:
    """Grades as numbers, where they may be the names of a scale's levels.

    Values that the scale does not know become null: `diagnose` then names the row.
    """
    import polars as pl

    if series.dtype == pl.Object:
        series = from_values(series.name, series.to_list())
    if series.dtype in (pl.Categorical, pl.Enum):
        series = series.cast(pl.String)
    values = series.unique().drop_nulls()
    grades: list[float | None] = []
    for value in values.to_list():
        try:
            grades.append(parse_grade(value, scale))
        except InputError:
            grades.append(None)
    return series.replace_strict(
        values, pl.Series(grades, dtype=pl.Float64), default=None, return_dtype=pl.Float64
    )


def parse_grade(value: Any, scale: Scale | None) -> float:
    """Turns one grade into a number.

    Raises:
        InputError: If it is no number and no name of the scale.
    """
    if scale is not None:
        return scale.parse(value)
    found = number(value)
    if found is None:
        raise InputError(
            f"the grade `{value}` is not a number",
            hint=NAMED_GRADES,
        )
    return found


def missing(value: Any) -> bool:
    """Says whether a field is empty."""
    return value is None or (isinstance(value, str) and not value.strip())


def diagnose(
    records: Iterable[Record],
    value: str,
    *,
    path: str,
    unit: str = "line",
    scale: Scale | None = None,
) -> None:
    """Reads rows one by one and raises the error of the first bad one.

    Slow and only used when something is wrong: the fast readers know that, this one knows where.

    Args:
        records: Line numbers and fields by role.
        value: "grade" or "score".
        path: The file, for messages.
        unit: "line" of a text file, or "row" of a table.
        scale: Names that grades may have.

    Raises:
        InputError: At the first row that cannot be used. Returns where there is none.
    """
    seen: dict[tuple[str, str], tuple[float, int]] = {}
    for place, fields in records:
        for role in ("query", "document"):
            if fields[role] is None or fields[role] == "":
                refuse(f"the {role} is empty", path, place, unit)
        query, document = str(fields["query"]), str(fields["document"])
        if missing(fields.get(value)):
            if value == "grade":
                continue
            refuse(f"the {value} is empty", path, place, unit)
        try:
            found = parse_grade(fields[value], scale) if value == "grade" else number(fields[value])
        except InputError as error:
            refuse(error.message, path, place, unit, error.hint)
        if found is None:
            refuse(f"the {value} `{fields[value]}` is not a number", path, place, unit)
        if not math.isfinite(found):
            refuse(
                f"the {value} of document `{document}` is {found}",
                path,
                place,
                unit,
                "scores and grades must be finite: drop the row, or give it a number",
            )
        rank = fields.get("rank")
        if rank is not None and not _is_rank(rank):
            refuse(f"the rank `{rank}` is not a whole number", path, place, unit)
        earlier = seen.setdefault((query, document), (found, place))
        if earlier[1] != place and (value == "score" or earlier[0] != found):
            what = "retrieved twice" if value == "score" else "judged twice, with different grades"
            refuse(
                f"document `{document}` of query `{query}` is {what} "
                f"(first in {unit} {earlier[1]})",
                path,
                place,
                unit,
            )


def _is_rank(value: Any) -> bool:
    found = number(value)
    return found is not None and math.isfinite(found) and found.is_integer()


def refuse(message: str, path: str, place: int, unit: str, hint: str = "") -> NoReturn:
    """Raises the error of one row: "line" of a text file or "row" of a table."""
    if unit == "line":
        raise ParseError(message, path=path, line=place, hint=hint)
    raise InputError(f"row {place}: {message}", path=path, hint=hint)


def rows_of(columns: Mapping[str, pl.Series]) -> Iterator[Record]:
    """Every row of a table with its number, from 1."""
    roles = list(columns)
    for place, values in enumerate(zip(*columns.values(), strict=True), start=1):
        yield place, dict(zip(roles, values, strict=True))


def _blank(series: pl.Series) -> pl.Series:
    """Which values are null, or text with nothing in it."""
    import polars as pl

    if series.dtype == pl.String:
        return series.is_null() | (series.str.strip_chars().str.len_bytes() == 0).fill_null(True)
    return series.is_null()


def _fail(
    columns: Mapping[str, pl.Series],
    value: str,
    *,
    path: str,
    scale: Scale | None = None,
    records: Callable[[], Iterable[Record]] | None = None,
    cause: InputError | None = None,
) -> NoReturn:
    """Raises the error that names the first bad row, or what is known without it."""
    if records is not None:
        diagnose(records(), value, path=path, scale=scale)
    else:
        diagnose(rows_of(columns), value, path=path, unit="row", scale=scale)
    raise cause or InputError(f"a {value} cannot be used", path=path)


def judgment_table(
    columns: Mapping[str, pl.Series],
    *,
    path: str = "",
    scale: Scale | None = None,
    records: Callable[[], Iterable[Record]] | None = None,
) -> tuple[_native.JudgmentTable, tuple[Note, ...]]:
    """Builds the native table from a query, a document and a grade column.

    Args:
        columns: Series by role, of equal length.
        path: The file, for messages.
        scale: Names that grades may have.
        records: Reads the rows again, with their line numbers, to say where an error is.

    Returns:
        The table, and a note where rows had no grade: they are left out.

    Raises:
        InputError: At the first row that cannot be used.
    """
    notes: tuple[Note, ...] = ()
    if plain_name(columns["grade"].name) == "score":
        notes = (Note("grades-from-score", "grades are read from the column `score`"),)
    blank = _blank(columns["grade"])
    count = int(blank.sum())
    kept = dict(columns)
    if count:
        notes = (
            *notes,
            Note(
                "missing-grades",
                f"{count:,} rows without a grade are left out: they count as not judged",
                count=count,
                level="warning",
                examples=tuple(map(str, columns["document"].filter(blank).head(3).to_list())),
            ),
        )
        kept = {role: series.filter(~blank) for role, series in columns.items()}
    grade = kept["grade"]
    numbers = to_numbers(grade, "grade", path) if scale is None else scaled(grade, scale)
    query = to_text(kept["query"], "query", path)
    document = to_text(kept["document"], "document", path)
    if not (_usable(query) and _usable(document) and _finite(numbers)):
        _fail(columns, "grade", path=path, scale=scale, records=records)
    try:
        return _native.JudgmentTable.from_arrow(query, document, numbers), notes
    except InputError as error:
        _fail(columns, "grade", path=path, scale=scale, records=records, cause=error)


class RunColumns(NamedTuple):
    """The columns of a run as native code takes them.

    Attributes:
        query: Text.
        document: Text.
        score: Finite float64.
        rank: Whole numbers, or `None` where there are none.
        value: The role that the scores come from: "score" or "rank".
        notes: What was noticed.
    """

    query: pl.Series
    document: pl.Series
    score: pl.Series
    rank: pl.Series | None
    value: Literal["score", "rank"]
    notes: tuple[Note, ...]


def run_columns(
    columns: Mapping[str, pl.Series],
    *,
    path: str = "",
    records: Callable[[], Iterable[Record]] | None = None,
) -> RunColumns:
    """Checks and converts a query, a document, a score and perhaps a rank column.

    Without a score column the ranks stand for scores: rank 1 is the highest.

    Raises:
        InputError: At the first row that cannot be used.
    """
    import polars as pl

    value: Literal["score", "rank"]

    notes: tuple[Note, ...] = ()
    rank = None
    value = "score"
    if "rank" in columns:
        floats = to_numbers(columns["rank"], "rank", path)
        if not _finite(floats) or not bool((floats == floats.round(0)).all()):
            if "score" not in columns:
                value = "rank"
            _fail(columns, value, path=path, records=records)
        rank = floats.cast(pl.Int64)
    if "score" in columns:
        score = to_numbers(columns["score"], "score", path)
    else:
        if rank is None:
            raise InputError("there is neither a score nor a rank column", path=path)
        value = "rank"
        score = -rank.cast(pl.Float64)
        notes = (Note("scores-from-ranks", "there are no scores: documents are ordered by rank"),)
    query = to_text(columns["query"], "query", path)
    document = to_text(columns["document"], "document", path)
    if not (_usable(query) and _usable(document) and _finite(score)):
        _fail(columns, value, path=path, records=records)
    return RunColumns(query, document, score, rank, value, notes)


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


def _usable(ids: pl.Series) -> bool:
    return ids.null_count() == 0 and not bool((ids == "").any())


def _finite(numbers: pl.Series) -> bool:
    return numbers.null_count() == 0 and bool(numbers.is_finite().all())
