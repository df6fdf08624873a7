"""Writing search logs: Parquet, CSV and JSON Lines, atomically."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from relyon.core.cells import REPAIR, hide_texts
from relyon.core.errors import InputError, ParameterError
from relyon.core.parameters import check_type
from relyon.core.texts import message
from relyon.data.lazy import gather
from relyon.data.sessions import Sessions
from relyon.data.written_cells import ISO, has_texts, odd_columns, restored, unread_columns
from relyon.io.atomic_files import replaced_file
from relyon.io.byte_source import split_suffix
from relyon.io.session_readers import SUFFIXES, SessionFormat

if TYPE_CHECKING:
    import polars as pl

__all__ = ["check_target", "write_sessions"]


def write_sessions(sessions: Sessions, path: str | os.PathLike[str]) -> None:
    """Writes a log in the canonical form, atomically and without loading it into memory.

    The suffix determines the format: Parquet, CSV or JSON Lines, the last two also compressed
    (`.gz`, `.zst`, `.bz2`, `.xz`). Times in text are ISO 8601 in UTC. Times that cannot be read,
    and clicks that are neither 0 nor 1, stay as they were written; a Parquet file with such times
    has all of them as text. An existing file is replaced.

    Args:
        sessions: The log. Rows of engines other than Polars are read into memory.
        path: The file to write.

    Raises:
        ParameterError: If the suffix does not name such a format.
        InputError: If the file cannot be written.

    Examples:
        >>> import polars as pl
        >>> log = pl.DataFrame({"sid": ["s"], "keyword": ["tv"], "rank": [1], "sku": ["a"]})
        >>> from relyon.io.session_readers import read_sessions
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     write_sessions(Sessions.from_frame(log), f"{folder}/log.csv.gz")
        ...     read_sessions(f"{folder}/log.csv.gz").columns
        ('session', 'query', 'position', 'doc')
    """
    import polars as pl

    check_type("sessions", sessions, Sessions, "Sessions, such as relyon.read_sessions returns")

    target = os.fspath(path)
    kind = check_target(target)
    odd = odd_columns(sessions.facts)
    texts = kind != "parquet" and has_texts(sessions)
    frame = _rows(sessions, ("timestamp", *odd) if texts else odd)
    if kind != "parquet" and not texts and "timestamp" in sessions.columns:
        frame = frame.with_columns(pl.col("timestamp").dt.strftime(ISO))
    packed = split_suffix(target)[2]
    with replaced_file(target) as partial:
        plain = f"{partial}.plain" if packed else partial
        try:
            _sink(frame, plain, kind)
            if kind == "parquet" and _lacks_times(plain) and unread_columns(sessions, None):
                _sink(_rows(sessions, ("timestamp", *odd)), plain, kind)
            if packed:
                _compress(plain, partial, packed, target)
        finally:
            if packed and os.path.exists(plain):
                os.unlink(plain)


def _rows(sessions: Sessions, written: tuple[str, ...]) -> pl.LazyFrame:
    """Returns the rows, with cells of some columns as they were written where they are lost."""
    import polars as pl

    rows = sessions.with_written(written) if written else sessions.frame
    native = rows.to_native()
    frame = native if isinstance(native, pl.LazyFrame) else gather(rows).lazy()
    return restored(frame, written) if written else frame


def _lacks_times(path: str) -> bool:
    """Returns whether a Parquet file has rows without a time."""
    import polars as pl

    table = pl.scan_parquet(path)
    if "timestamp" not in table.collect_schema():
        return False
    return bool(table.select(pl.col("timestamp").null_count()).collect().item())


def _sink(frame: pl.LazyFrame, path: str, kind: SessionFormat) -> None:
    """Streams the rows of a plan to a file."""
    if kind == "parquet":
        frame.sink_parquet(path)
    elif kind == "jsonl":
        frame.sink_ndjson(path)
    else:
        try:
            hide_texts(frame).sink_csv(path, quote_style="never")
        except InputError as error:  # to which Polars adds its position in the plan
            raise InputError(error.message.partition("\n")[0], hint=REPAIR) from None


def check_target(path: str) -> SessionFormat:
    """Returns the format for a file's name.

    Raises:
        ParameterError: If logs are not written in that format.
    """
    suffix, packed = split_suffix(path)[1:]
    kind: SessionFormat | None = SUFFIXES.get(suffix)
    if suffix in (".jsonl", ".ndjson"):
        kind = "jsonl"
    if kind is None or kind == "tsv" or (kind == "parquet" and packed):
        raise ParameterError(
            message("io.logs-cannot-be-written", path=path),
            hint=message("io.name-parquet"),
        )
    return kind


def _compress(plain: str, packed: str, suffix: str, target: str) -> None:
    """Writes the compressed form of a file, as the target's suffix asks."""
    import shutil

    from relyon.io.compression import compressed

    with open(plain, "rb") as whole, open(packed, "xb") as file:
        stream = compressed(file, suffix, target)
        shutil.copyfileobj(whole, stream, 1 << 20)
        stream.close()
