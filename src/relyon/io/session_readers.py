"""Search logs from files: Parquet, CSV, TSV, JSON Lines and UBI, read lazily."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, get_args

from relyon.core.cells import show_column
from relyon.core.errors import InputError, ParseError, UnknownNameError
from relyon.core.registry import suggestion
from relyon.core.row_numbers import row_at
from relyon.core.texts import message
from relyon.data.columns.log_names import COUNTS, FALSE, TRUE
from relyon.data.columns.roles import role_of, synonyms_of
from relyon.data.lazy import gather
from relyon.data.log_facts import Facts, expressions, facts_from, joined
from relyon.data.log_types import FLAGS
from relyon.data.sessions import COLUMNS, Kind, Sessions, choose_columns, unchosen
from relyon.io.byte_source import Source
from relyon.io.decimal_commas import comma_columns, decimal_note, is_number_role, with_points
from relyon.io.declared_encoding import no_text
from relyon.io.encoding import check_encoding
from relyon.io.session_lines import (
    dialect_of,
    first_line,
    header_of,
    keys_of,
    line_at,
    name_the_line,
)
from relyon.io.sheet_names import file_and_sheet

if TYPE_CHECKING:
    import polars as pl

    from relyon.core.notes import Note

__all__ = ["SUFFIXES", "SessionFormat", "line_of", "read_log_columns", "read_sessions"]

SessionFormat = Literal["parquet", "csv", "tsv", "jsonl", "ubi"]

SUFFIXES: dict[str, SessionFormat] = {
    ".parquet": "parquet", ".pq": "parquet", ".csv": "csv", ".tsv": "tsv", ".tab": "tsv",
}  # fmt: skip


def read_sessions(
    source: object,
    *,
    format: SessionFormat | None = None,
    columns: Mapping[str, str] | None = None,
    kind: Kind = "sessions",
    others: Literal["drop", "keep"] = "drop",
    encoding: str | None = None,
    limit: int | None = None,
) -> Sessions:
    """Reads a search log: one row per impression.

    Tables (Parquet, CSV, TSV, JSON Lines; the last three also compressed) are scanned lazily; text
    is checked once, to name the line of a value that cannot be read. OpenSearch UBI files are
    joined into impressions: see `relyon.io.ubi`. A compressed file is unpacked to the temporary
    folder first.

    Args:
        source: A path ("-" for standard input), several paths whose rows belong together (such as
            UBI queries and events), or a data frame that narwhals supports. `Sessions` are returned
            as they are.
        format: The files' format; None recognises it.
        columns: Column names by role, for tables: session, query, timestamp, position, doc,
            clicked, dwell_seconds, add_to_cart, purchase, bucket, user, shown, reward, propensity,
            overridden.
            Other roles are found by the usual names. Several columns joined by `+` form one id.
        kind: `decisions` require only the column `doc`: each row can be its own session. `clicks`
            also take a table of counts: one row per query, document and position, with the columns
            `impressions` and `clicks`.
        others: Whether columns without a role are kept, as they are.
        encoding: The encoding of text files, such as "gbk"; None for UTF-8, or the one that
            `text_encoding` declares or that is certain.
        limit: Bytes that a file of a stranger may unpack to, about; None for any.

    Raises:
        InputError: If a file cannot be read, unpacks to more than the limit, its format is not
            recognised, a column is missing, or the rows are counts and `kind` is not `clicks`.
        ParseError: At the first line whose value cannot be read.
        UnknownNameError: If there is no format or encoding of that name.

    Examples:
        >>> import polars as pl
        >>> log = {"session": ["s"], "query": ["tv"], "rank": [1], "sku": ["a"], "clicks": [2]}
        >>> read_sessions(pl.DataFrame(log)).collect().row(0)
        ('s', 'tv', 1, 'a', True)
    """
    if isinstance(source, Sessions):
        return source
    if format is not None and format not in get_args(SessionFormat):
        raise UnknownNameError(
            message("io.unknown-log-format", format=format),
            hint=suggestion(format, list(get_args(SessionFormat))),
        )
    paths = _paths(source)
    if paths is None:
        if encoding is not None:
            raise no_text(type(source).__name__, message("io.data-in-memory"))
        return Sessions.from_frame(source, columns, kind=kind, others=others)
    sources = [Source(path, encoding=encoding, limit=limit) for path in paths]
    for one in sources:
        check_encoding(one.head, one.path)
    found: list[SessionFormat] = [_format(one, format) for one in sources]
    name = sources[0].path if len(sources) == 1 else f"{sources[0].path} …"
    if len(set(found)) > 1:
        kinds = ", ".join(f"{one.path} is {form}" for one, form in zip(sources, found, strict=True))
        raise InputError(
            message("io.files-of-one-log", kinds=kinds),
            hint=message("core.convert-each-with-relyon"),
        )
    if found[0] == "ubi":
        if columns:
            raise InputError(
                message("io.ubi-has-columns"), path=name, hint=message("io.omit-column-map")
            )
        from relyon.io.ubi import read_ubi

        return read_ubi(sources)
    import polars as pl

    scans = [
        _scan(one, form, columns, kind, others) for one, form in zip(sources, found, strict=True)
    ]
    schemas = [part.collect_schema() for part, _, _ in scans]
    for one, schema in zip(sources[1:], schemas[1:], strict=True):
        if schema != schemas[0]:
            raise InputError(
                message("core.has-different-columns", sources_path=sources[0].path),
                path=one.path,
                hint=message("core.convert-each-with-relyon"),
            )
    known = [facts for _, facts, _ in scans if facts is not None]
    facts = joined(known) if len(known) == len(scans) else None
    roles = {role: role for role in schemas[0].names() if role in COLUMNS}
    table = scans[0][0] if len(scans) == 1 else pl.concat([part for part, _, _ in scans])
    for one in sources[1:]:
        if one.synonyms == sources[0].synonyms:  # a month of files says it once
            one.synonyms = {}
    notes = tuple(note for one in sources for note in one.notes)
    notes += tuple(note for _, _, found in scans for note in found)
    return Sessions.from_frame(
        table, roles, source=name, kind=kind, notes=notes, facts=facts, others=others
    )


def read_log_columns(path: str) -> list[str]:
    """Returns the names of the columns of a log; none of UBI, whose columns are fixed.

    Args:
        path: A file of `read_sessions`.

    Raises:
        InputError: If it cannot be read.
    """
    import polars as pl

    source = Source(path)
    kind = _format(source, None)
    if kind == "ubi":
        return []
    file = _on_disk(source)
    try:
        if kind == "parquet":
            return list(pl.scan_parquet(file, glob=False).collect_schema().names())
        if kind == "jsonl":
            return keys_of(file, path)
        return header_of(file, dialect_of(source, kind))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        raise _unreadable(source, kind, error) from None


def _paths(source: object) -> list[str] | None:
    """Returns paths, or None if the source is something else."""
    if isinstance(source, str | os.PathLike):
        return [os.fspath(source)]
    if (
        isinstance(source, Sequence)
        and source
        and all(isinstance(one, str | os.PathLike) for one in source)
    ):
        return [os.fspath(one) for one in source]
    return None


def _format(source: Source, wanted: SessionFormat | None) -> SessionFormat:
    if wanted is not None:
        return wanted
    if source.head.startswith(b"PAR1"):
        return "parquet"
    known = SUFFIXES.get(source.suffix)
    if known is not None and known != "parquet":
        return known
    line = first_line(source.head)
    if line.startswith(b"{"):
        from relyon.io.ubi import is_ubi

        return "ubi" if is_ubi(source.head) else "jsonl"
    for sign, kind in ((b"\t", "tsv"), (b",", "csv"), (b";", "csv")):
        if sign in line:
            return "tsv" if kind == "tsv" else "csv"
    hint = message(
        "core.name-with-format-one-of-formats",
        formats=[f"`{name}`" for name in get_args(SessionFormat)],
    )
    if line.startswith(b"["):
        hint = message("io.json-array-is-not-read")
    raise InputError(
        message("io.format-is-not-recognised-begins", shown=line[:60].decode("utf-8", "replace")),
        path=source.path,
        hint=hint,
    )


def _on_disk(source: Source) -> str:
    """Returns the path of the uncompressed bytes: the file itself, or a copy."""
    if source.plain:
        return source.path
    import tempfile

    from relyon.io.scratch import scratch_folder

    handle, path = tempfile.mkstemp(dir=scratch_folder())
    with os.fdopen(handle, "wb") as file, source:
        while part := source.read(1 << 20):
            file.write(part)
    return path


def _scan(
    source: Source,
    kind: SessionFormat,
    columns: Mapping[str, str] | None,
    rows: Kind,
    others: Literal["drop", "keep"],
) -> tuple[pl.LazyFrame, Facts | None, list[Note]]:
    """Returns the columns of one file by role, what was counted, and notes on their numbers."""
    import polars as pl

    path = _on_disk(source)
    try:
        if kind == "parquet":
            frame = pl.scan_parquet(path, glob=False)
            names = list(frame.collect_schema().names())
        elif kind == "jsonl":
            names = keys_of(path, source.path)
            chosen = choose_columns(names, columns, source.path, rows)
            wanted = list(dict.fromkeys(name for listed in chosen.values() for name in listed))
            if others == "keep":
                wanted = names
            frame = pl.scan_ndjson(
                path, schema=dict.fromkeys(wanted, pl.String), infer_schema_length=None
            )
            names = wanted
        else:
            dialect = dialect_of(source, kind)
            frame = pl.scan_csv(
                path,
                separator=dialect["delimiter"],
                quote_char='"' if "quoting" not in dialect else None,
                infer_schema=False,
                glob=False,
            )
            names = list(frame.collect_schema().names())
            header = header_of(path, dialect)
            if len({*header}) < len(header):
                choose_columns(header, columns, source.path, rows)  # refuses those that are read
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        raise _unreadable(source, kind, error) from None
    chosen = choose_columns(names, columns, source.path, rows)
    named = {role_of(role, COLUMNS) for role in columns or {}}
    found = {role: one[0] for role, one in chosen.items() if role not in named}
    source.synonyms = synonyms_of(found)
    kept = unchosen(names, chosen) if others == "keep" else {}
    if kind == "csv":
        used = {name for listed in chosen.values() for name in listed} | set(kept.values())
        frame = frame.with_columns(
            pl.col(name).map_batches(show_column, return_dtype=pl.String, is_elementwise=True)
            for name in used
        )
    table = frame.select(
        *(
            (
                pl.col(listed[0])
                if len(listed) == 1
                else pl.concat_str([pl.col(name).cast(pl.String) for name in listed], separator="-")
            ).alias(role)
            for role, listed in chosen.items()
        ),
        *(pl.col(name).alias(other) for other, name in kept.items()),
    )
    if kind == "parquet":
        return table, None, []
    names = list(chosen)
    try:
        return table, _check(table, names, source, path, kind), []
    except ParseError:
        commas = _commas(table, names, source, path, kind)
        if not commas:
            raise
    table = with_points(table, commas)
    note = decimal_note(source.path, ["+".join(chosen[role]) for role in commas])
    return table, _check(table, names, source, path, kind), [note]


def _commas(
    table: pl.LazyFrame, names: list[str], source: Source, path: str, kind: SessionFormat
) -> list[str]:
    """Returns the roles of columns with decimal commas."""
    if kind == "jsonl":
        return []
    return comma_columns(
        table,
        [role for role in names if is_number_role(role)],
        dialect_of(source, kind)["delimiter"],
        source.path,
        lambda row: line_at(source, path, kind, row),
    )


def _unreadable(source: Source, kind: str, error: BaseException) -> InputError:
    reason = (str(error).splitlines() or ["damaged"])[0]
    titles = {"parquet": "Parquet", "csv": "CSV", "tsv": "TSV", "jsonl": "JSON Lines"}
    return InputError(
        message("io.cannot-be-read-as-titles", titles=titles[kind], reason=reason),
        path=source.path,
    )


def _check(
    table: pl.LazyFrame, names: list[str], source: Source, path: str, kind: SessionFormat
) -> Facts:
    """Checks text once for a value that cannot be read, and returns what was counted on the way.

    Raises:
        ParseError: At its line.
    """
    import narwhals as nw
    import polars as pl

    tests: dict[str, pl.Expr] = {}
    for name in names:
        text = pl.col(name).str.strip_chars()
        given = text.is_not_null() & (text != "")
        number = text.cast(pl.Float64, strict=False)
        if name == "position":
            whole = number.is_finite() & (number == number.round(0)) & (number.abs() < 1e15)
            tests[name] = given & ~whole.fill_null(False)
        elif name in ("dwell_seconds", "reward", "propensity"):
            tests[name] = given & ~number.is_finite().fill_null(False)
        elif name in FLAGS:
            words = text.str.to_lowercase().is_in([*TRUE, *FALSE])
            tests[name] = given & ~words & number.is_null()
        elif name in COUNTS:
            counts = number.is_finite() & (number == number.round(0)) & (number >= 0)
            tests[name] = ~counts.fill_null(False)
    if set(COUNTS) <= set(names):
        shown, clicks = (pl.col(name).cast(pl.Float64, strict=False) for name in COUNTS)
        tests["over"] = (clicks > shown).fill_null(False)
    every = pl.any_horizontal(*tests.values())
    rows = table.with_row_index("row").with_columns(bad=every)
    numbered = nw.from_native(rows)
    first = nw.when(nw.col("bad")).then(nw.col("row")).min().alias("first bad")
    try:
        # Counting every column reads all of each line, so that lines with too many are noticed.
        every_one = [nw.col(name).count().alias(f"count {name}") for name in names]
        chosen = numbered.select(first, *every_one, *expressions(numbered, "row"))
        values = gather(chosen).row(0, named=True)
        found = rows.slice(0, 0).collect()
        if values["first bad"] is not None:
            found = rows.filter(pl.col("row") == values["first bad"]).collect(engine="streaming")
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        name_the_line(source, path, kind)
        raise _unreadable(source, kind, error) from None
    if found.height:
        row = found.row(0, named=True)
        name = next(name for name, test in tests.items() if found.select(test).item())
        line = line_at(source, path, kind, row["row"])
        if name == "over":
            over = message("io.clicks-exceed-impressions", **{one: row[one] for one in COUNTS})
            hint = message("io.each-row-counts")
            raise ParseError(over, path=source.path, line=line, hint=hint)
        wanted = {
            "position": "a whole number",
            "dwell_seconds": "a number of seconds",
            "reward": "a number",
            "propensity": "a number",
            **dict.fromkeys(COUNTS, "a whole number from 0 on"),
        }
        raise ParseError(
            message("io.name-row-is-not-value", name=name, row=row[name], value=wanted[name])
            if name in wanted
            else message("io.column-name", name=name, row=row[name]),
            path=source.path,
            line=line,
            hint=message(
                "io.if-another-column-contains",
                name=name,
            ),
        )
    facts = facts_from(values)
    if not facts.line:
        return facts
    lines = {
        name: row_at(source.path, line_at(source, path, kind, row))
        for name, row in facts.line.items()
    }
    texts = {
        name: str(table.select(name).slice(row, 1).collect().item())
        for name, row in facts.line.items()
    }
    return replace(facts, line=lines, first=texts)


def line_of(path: str, row: int) -> int:
    """Returns the line on which a row of a log begins, counted from 0; 0 if there are no lines.

    Args:
        path: A file that `read_sessions` read, or another source of sessions.
        row: The row's number.
    """
    if not os.path.isfile(file_and_sheet(path)[0]):
        return 0
    source = Source(path)
    kind = _format(source, None)
    if kind in ("parquet", "ubi"):
        return 0
    return row_at(path, line_at(source, _on_disk(source), kind, row))
