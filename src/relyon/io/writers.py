"""Writing judgments and runs to files, atomically."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, BinaryIO

from relyon.core.errors import InputError, ParameterError
from relyon.core.notes import Note, warn
from relyon.core.parameters import check_path, check_type
from relyon.core.texts import message
from relyon.io.atomic_files import replaced_file
from relyon.io.byte_source import split_suffix
from relyon.io.compression import compressed
from relyon.io.format import Format, formats
from relyon.io.spaced_ids import is_word

if TYPE_CHECKING:
    from relyon.data.judgments import Judgments
    from relyon.data.labelled import LabelledRows
    from relyon.data.run import Run

__all__ = [
    "check_run_name",
    "contains_features",
    "replace_file",
    "unwritten_notes",
    "write_features",
    "write_judgments",
    "write_run",
]


def write_judgments(
    judgments: Judgments,
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    overwrite: bool = False,
) -> None:
    """Writes judgments to a file, compressed where its name ends in `.gz`, `.zst`, `.bz2` or `.xz`.

    Args:
        judgments: The judgments.
        path: The file; "-" for standard output. The file appears once it is complete.
        format: The format; None takes it from the file's suffix.
        overwrite: Replaces an existing file.

    Raises:
        InputError: If the file exists, cannot be written, or the format cannot contain an id.
        ParameterError: If the suffix is unknown.

    Warns:
        RelyonWarning: If the format has no columns for the evidence of grades.

    Examples:
        >>> import relyon
        >>> judgments = relyon.Judgments.from_dict({"q1": {"d1": 3, "d2": 0}})
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     relyon.write_judgments(judgments, f"{folder}/judgments.csv.gz")
        ...     len(relyon.read_judgments(f"{folder}/judgments.csv.gz"))
        2
    """
    from relyon.data.judgments import Judgments

    check_type("judgments", judgments, Judgments, "Judgments")
    chosen = _format(check_path("path", path), format)
    replace_file(
        os.fspath(path), lambda stream: chosen.write_judgments(judgments, stream), overwrite
    )
    warn(unwritten_notes(judgments, path, format=format))


def unwritten_notes(
    judgments: Judgments, path: str | os.PathLike[str], *, format: str | None = None
) -> tuple[Note, ...]:
    """Returns notes on parts that a file cannot represent; arguments as in `write_judgments`."""
    chosen = _format(os.fspath(path), format)
    if judgments.evidence is None or chosen.keeps_evidence:
        return ()
    values = {"columns": [*judgments.evidence.columns], "format": chosen.name}
    return (Note("evidence-left-out", level="warning", values=values),)


def write_run(
    run: Run,
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    overwrite: bool = False,
) -> None:
    """Writes a run to a file, compressed as in `write_judgments`.

    TREC needs ranks: a run without them is written by decreasing score, from rank 1.

    Args:
        run: The run.
        path: The file; "-" for standard output. The file appears once it is complete.
        format: The format; None takes it from the file's suffix.
        overwrite: Replaces an existing file.

    Raises:
        InputError: If the file exists, cannot be written, or the format cannot contain an id.
        ParameterError: If the suffix is unknown.

    Examples:
        >>> import relyon
        >>> run = relyon.Run.from_dict({"q1": {"d1": 0.5, "d2": 0.9}}, name="mine")
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     relyon.write_run(run, f"{folder}/mine.trec")
        ...     print(Path(folder, "mine.trec").read_text())
        q1 Q0 d2 1 0.9 mine
        q1 Q0 d1 2 0.5 mine
        <BLANKLINE>
    """
    from relyon.data.run import Run

    check_type("run", run, Run, "a Run")
    chosen = _format(check_path("path", path), format)
    replace_file(os.fspath(path), lambda stream: chosen.write_run(run, stream), overwrite)


def write_features(
    rows: LabelledRows,
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    overwrite: bool = False,
) -> None:
    """Writes rows with features to a file, compressed as in `write_judgments`.

    CSV, TSV, JSON Lines and Parquet have the columns query, document, label, weight and position,
    if present, and one per feature; a position is read back only if it is named. LETOR numbers
    features from 1 in order: their names, weights and positions are in comments, which
    `read_features` reads.

    Args:
        rows: The rows.
        path: The file; "-" for standard output. The file appears once it is complete.
        format: The format; None takes it from the file's suffix.
        overwrite: Replaces an existing file.

    Raises:
        InputError: If the file exists, cannot be written, or the format cannot contain the rows:
            LETOR text cannot represent missing values.
        ParameterError: If the suffix is unknown.

    Examples:
        >>> import polars as pl, relyon
        >>> frame = pl.DataFrame({"query": ["tv", "tv"], "label": [1, 0], "bm25": [3.5, 2]})
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     relyon.write_features(relyon.read_features(frame), f"{folder}/rows.letor")
        ...     print(Path(folder, "rows.letor").read_text())
        # feature 1: bm25
        1 qid:tv 1:3.5
        0 qid:tv 1:2
        <BLANKLINE>
    """
    from relyon.data.labelled import LabelledRows

    check_type("rows", rows, LabelledRows, "LabelledRows")
    rows.known_features()
    chosen = _format(check_path("path", path), format)
    replace_file(os.fspath(path), lambda stream: chosen.write_features(rows, stream), overwrite)


def contains_features(path: str, format: str | None = None) -> bool:
    """Whether rows with features can be written to a file with this name."""
    chosen = _format(path, format)
    return type(chosen).write_features is not Format.write_features


def check_run_name(path: str, queries: Iterable[str]) -> None:
    """Checks before the work that a run can be written to a file with this name.

    Args:
        path: The file.
        queries: The ids of the run's queries.

    Raises:
        InputError: If the format cannot contain an id.
        ParameterError: If the suffix is unknown.
    """
    if _format(path, None) is not formats.get("trec"):
        return
    for id in queries:
        if not is_word(id):
            raise InputError(
                message("io.id-cannot-be-written", role="query", text=id),
                path=path,
                hint=message("io.ids-with-white-space"),
            )


def _format(path: str, name: str | None) -> Format:
    if name is not None:
        return formats.get(name)
    trec = formats.get("trec")
    suffix = split_suffix(path)[1]
    if path == "-" or suffix in trec.suffixes:
        return trec  # the others are not even imported
    every = sorted(map(formats.get, formats), key=lambda one: not one.general)
    for weak in (False, True):
        for candidate in every:
            if suffix in (candidate.weak_suffixes if weak else candidate.suffixes):
                return candidate
    raise ParameterError(
        message("io.suffix-of-is-not-known", path=path),
        hint=message(
            "core.name-with-format-one-of-formats", formats=[f"`{key}`" for key in formats]
        ),
    )


def replace_file(path: str, write: Callable[[BinaryIO], None], overwrite: bool) -> None:
    """Writes a file that appears once it is complete, or to standard output.

    Args:
        path: The file; "-" for standard output.
        write: Writes to a stream, which compresses where the name says so.
        overwrite: Replaces an existing file.

    Raises:
        InputError: If the file exists, or cannot be written.
    """
    if path == "-":
        write(sys.stdout.buffer)
        sys.stdout.buffer.flush()
        return
    if os.path.isdir(path):
        raise InputError(message("io.is-folder"), path=path, hint=message("io.name-file"))
    _refuse_existing(path, overwrite)
    with replaced_file(path) as partial:
        with open(partial, "xb") as file:
            stream = compressed(file, split_suffix(path)[2], path)
            write(stream)
            if stream is not file:
                stream.close()
        _refuse_existing(path, overwrite)


def _refuse_existing(path: str, overwrite: bool) -> None:
    if not overwrite and os.path.lexists(path):
        raise InputError(
            message("core.already-exists"), path=path, hint=message("io.overwrite-true-replaces")
        )
