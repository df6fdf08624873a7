"""Files as frames of Spark: Parquet, CSV, TSV, JSON Lines and TREC text, read in the cluster."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from relyon.core.cells import APOSTROPHE
from relyon.core.errors import InputError, ParameterError
from relyon.core.notes import Note
from relyon.core.texts import message
from relyon.data.columns import choose
from relyon.data.lazy import utc
from relyon.data.sessions import Sessions, choose_columns
from relyon.io.byte_source import Source, split_suffix
from relyon.io.databases import database_at
from relyon.io.format import formats
from relyon.io.recognition import possible_formats
from relyon.spark.faults import COLUMNS_FAULT, plain_errors
from relyon.spark.frames import functions, quoted

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column, DataFrame, SparkSession

__all__ = ["is_local_file", "read_log", "read_table", "run_tag"]

Kind = Literal["judgments", "run", "scored"]

#: The formats that Spark reads in parts.
READ = ("parquet", "csv", "tsv", "jsonl", "trec")
#: The columns of TREC files, and the fewest and most that a line may have.
TREC = {
    "judgments": (("query", "iteration", "document", "grade"), 4, 4),
    "run": (("query", "Q0", "document", "rank", "score", "tag"), 5, 6),
}
#: Lines from which a format, a separator and the keys of objects are known.
LINES = 1000
BLANK = r"[ \t\r\x0B\f]+"


@dataclass(frozen=True)
class Form:
    """The format of files, and how the first of them begins.

    Attributes:
        name: The format's name.
        head: The first lines; of Parquet, nothing.
    """

    name: str
    head: tuple[str, ...] = ()


def is_local_file(path: str) -> bool:
    """Returns whether a path is a file of this machine, stdin, or a judging database."""
    return path == "-" or os.path.isfile(path) or database_at(path) is not None


def read_table(
    session: SparkSession,
    path: str,
    kind: Kind,
    *,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
) -> DataFrame:
    """Reads judgments, a run or labelled scores; only the first lines are read yet.

    Args:
        session: Spark.
        path: A file, a folder or a pattern such as `runs/*.parquet`, wherever Spark can read.
        kind: Their kind.
        format: Their format; `None` recognises it.
        columns: Column names by role; such a column gets the role's name.

    Raises:
        InputError: If there is no such file, it cannot be read, or a column is missing.
    """
    with plain_errors(path):
        form = _recognised(session, path, kind, format, named=bool(columns))
        frame = _read(session, path, form, kind)
        if not columns:
            return frame
        chosen = choose(frame.columns, kind, columns=columns, path=path)
        col = functions().col
        names = {name: role if role in columns else name for role, name in chosen.items()}
        return frame.select([col(quoted(name)).alias(role) for name, role in names.items()])


def run_tag(session: SparkSession, path: str, format: str | None = None) -> str:
    """Returns the tag in the first line of a TREC run, or an empty string."""
    with plain_errors(path):
        form = _recognised(session, path, "run", format, named=False)
    lines = (line for line in form.head if line.strip() and not line.startswith("#"))
    fields = next(lines, "").split(None, 5)
    return fields[5].rstrip() if form.name == "trec" and len(fields) == 6 else ""


def read_log(
    session: SparkSession,
    paths: Sequence[str],
    *,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
) -> Sessions:
    """Reads a search log whose rows stay in the cluster.

    Args:
        session: Spark.
        paths: See `read_table`; several must have the same columns.
        format: `parquet`, `csv`, `tsv` or `jsonl`; `None` recognises it.
        columns: See `relyon.read_sessions`.

    Raises:
        InputError: If it cannot be read, or a column is missing.
    """
    name = paths[0] if len(paths) == 1 else f"{paths[0]} …"
    whole: DataFrame | None = None
    notes: tuple[Note, ...] = ()
    for path in paths:
        with plain_errors(path):
            form = _recognised(session, path, None, format, named=True)
            if form.name == "trec":
                raise InputError(message("spark.log-has-named-columns"), path=path)
            part, written = _named_log(_read(session, path, form, None), columns, path)
            if written:
                notes = (Note("times-as-text"),)
            if whole is None:
                whole = part
            elif whole.schema != part.schema:
                raise InputError(
                    message("core.has-different-columns", sources_path=paths[0]),
                    path=path,
                    hint=message("core.convert-each-with-relyon"),
                )
            else:
                whole = whole.unionByName(part)
    with plain_errors(name):
        return Sessions.from_frame(whole, source=name, notes=notes)


def _named_log(
    frame: DataFrame, columns: Mapping[str, str] | None, path: str
) -> tuple[DataFrame, bool]:
    """Returns the columns of a log under their roles, and whether its times were text or numbers.

    They are read as times: outside Polars a log must have them.
    """
    sql = functions()
    parts = []
    for role, names in choose_columns(frame.columns, columns, path).items():
        found = [sql.col(quoted(name)) for name in names]
        one = found[0] if len(found) == 1 else sql.concat_ws("-", *found)
        parts.append(one.alias(role))
    chosen = frame.select(parts)
    kinds = dict(chosen.dtypes)
    written = kinds.get("timestamp", "timestamp")
    if written in ("date", "timestamp", "timestamp_ntz"):
        return chosen, False
    fields = ", ".join(
        f"`{name}` {'timestamp' if name == 'timestamp' else kind}" for name, kind in kinds.items()
    )
    return chosen.mapInArrow(_with_times, fields), True


def _with_times(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Reads text and numbers as times, as on one machine."""
    import polars as pl
    import pyarrow as pa

    for batch in batches:
        place = batch.schema.get_field_index("timestamp")
        written = pl.DataFrame({"timestamp": pl.Series(batch.column(place))})
        times = written.select(utc("timestamp")).to_series().to_arrow()
        yield batch.set_column(place, "timestamp", times.cast(pa.timestamp("us", "UTC")))


# -- formats ---------------------------------------------------------------------------------------


def _recognised(
    session: SparkSession, path: str, kind: Kind | None, format: str | None, *, named: bool
) -> Form:
    """Returns the format of files by their names and first lines, as on one machine.

    Raises:
        InputError: If it is not recognised, or Spark does not read it.
        ParameterError: If it is ambiguous.
    """
    if path == "-":
        raise InputError(
            message("spark.spark-cannot-read-stdin"), hint=message("spark.save-to-file")
        )
    name = None if format is None else formats.get(format).name
    if name is None and split_suffix(path.rstrip("/"))[1] in (".parquet", ".pq"):
        name = "parquet"
    if name == "parquet":
        return Form(name)
    first = path if os.path.isfile(path) else _first_file(session, path)
    suffix = split_suffix(first)[1]
    if suffix in (".parquet", ".pq") and name is None:
        return Form("parquet")
    if os.path.isfile(path):
        source = Source(path)
        if source.encoding is not None:
            raise InputError(
                message("spark.text-is-not-utf-8", encoding=source.encoding.name),
                path=path,
                hint=message("io.save-as-utf-8"),
            )
        head = source.head
    else:
        rows = session.read.text(first, lineSep="\n").limit(LINES).collect()
        head = "\n".join(row[0] for row in rows).encode()
    if name is None:
        own = suffix if suffix.strip(".") else split_suffix(path.rstrip("/*"))[1]
        found = possible_formats(own, head, kind, named=named)
        if not found:
            raise InputError(
                message("spark.format-is-not-recognised"),
                path=path,
                hint=message(
                    "core.name-with-format-one-of-formats",
                    formats=[f"`{name}`" for name in READ],
                ),
            )
        if len(found) > 1:
            raise ParameterError(
                message(
                    "core.source-path-format-could",
                    source_path=path,
                    names=", ".join(one.name for one in found),
                ),
                hint=message("core.name-with-format"),
            )
        name = found[0].name
    if name not in READ or (name == "trec" and kind not in (None, *TREC)):
        raise InputError(
            message("spark.spark-cannot-read", title=formats.get(name).title or name),
            path=path,
            hint=message("spark.convert-relyon-convert-file"),
        )
    return Form(name, tuple(head.decode("utf-8", "replace").splitlines()[:LINES]))


def _first_file(session: SparkSession, path: str) -> str:
    """Returns the first file of a folder or a pattern.

    Raises:
        InputError: If there are no files.
    """
    found = session.read.format("binaryFile").load(path).select("path").sort("path").head(1)
    if not found:
        raise InputError(message("spark.contains-no-files"), path=path)
    return str(found[0][0])


def _read(session: SparkSession, path: str, form: Form, kind: Kind | None) -> DataFrame:
    if form.name == "parquet":
        return session.read.parquet(path)
    if form.name == "jsonl":
        return _read_objects(session, path, form.head)
    if form.name == "trec":
        return _read_trec(session, path, "run" if kind is None else kind)
    return _read_delimited(session, path, form)


def _read_objects(session: SparkSession, path: str, head: Sequence[str]) -> DataFrame:
    """Reads JSON Lines; every value is text, as it is written."""
    import json

    keys: dict[str, None] = {}
    for line in head:
        try:
            keys.update(dict.fromkeys(json.loads(line)))
        except ValueError:
            continue  # the last line may be cut; Spark reports a bad one
    if not keys:
        raise InputError(message("core.contains-no-objects"), path=path)
    fields = ", ".join(f"{quoted(key)} string" for key in keys)
    return session.read.json(path, schema=fields, mode="FAILFAST")


def _read_delimited(session: SparkSession, path: str, form: Form) -> DataFrame:
    """Reads CSV or TSV with a header; every value is text, as it is written."""
    sql = functions()
    header = next((line for line in form.head if line.strip()), "")
    separator = "\t" if form.name == "tsv" else _separator(header)
    quote = '"' if form.name == "csv" or '"' in header else ""
    frame = session.read.csv(
        path,
        sep=separator,
        header=True,
        inferSchema=False,
        enforceSchema=False,
        quote=quote,
        escape='"',
        mode="FAILFAST",
        emptyValue="",
    )
    columns = []
    for name in frame.columns:
        column: Column = sql.col(quoted(name))
        if form.name == "csv":
            column = _without_marks(column)
        columns.append(column.alias(name.removeprefix("\ufeff")))
    return frame.select(columns)


def _separator(header: str) -> str:
    from relyon.io.formats.delimited import Csv

    return Csv().separator(header)


def _without_marks(column: Column) -> Column:
    """Removes the marks before signs that spreadsheets would read as formulas."""
    sql = functions()
    for pattern, replacement in APOSTROPHE.showing:
        written = re.sub(r"\\g<(\d)>", r"$\1", replacement)
        column = sql.regexp_replace(column, pattern, written)
    return column


def _read_trec(session: SparkSession, path: str, kind: Kind) -> DataFrame:
    """Reads lines of qrels or of a run; comments and blank lines are left out."""
    sql = functions()
    names, least, most = TREC[kind]
    lines = session.read.text(path, lineSep="\n").select(
        sql.regexp_replace("value", f"^\ufeff?{BLANK.replace('+', '*')}|{BLANK}$", "").alias("line")
    )
    tokens = lines.where("line != ''").select("line", sql.split("line", BLANK).alias("token"))
    count, first = sql.size("token"), sql.col("token")[0]
    comment = first.startswith("#") & ((first == "#") | (count < least) | (count > most))
    good = count == least if kind == "judgments" else count >= least
    told = sql.to_json(
        sql.struct(
            sql.lit(", ".join(names)).alias("names"),
            sql.input_file_name().alias("path"),
            count.alias("count"),
            sql.substring("line", 1, 60).alias("line"),
        )
    )
    fault = sql.raise_error(sql.concat(sql.lit(f"{COLUMNS_FAULT} "), told))
    checked = sql.when(good, sql.col("token")).otherwise(fault.cast("array<string>"))
    rows = tokens.where(~comment).select(checked.alias("token"))
    wanted = [place for place, name in enumerate(names) if name not in ("Q0", "tag")]
    return rows.select([sql.col("token")[place].alias(names[place]) for place in wanted])
