"""A split as files: lines of the input are copied to the file of their part."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, BinaryIO

from relyon.core.errors import InputError
from relyon.core.texts import message
from relyon.data.columns import feature_role
from relyon.io.atomic_files import open_replaced
from relyon.io.byte_source import Source, split_suffix
from relyon.io.compression import compressed
from relyon.io.format import formats
from relyon.io.letor_header import header_of
from relyon.io.letor_lines import rows_of, single
from relyon.io.letor_rows import ROW_FILES, files_beside
from relyon.io.tabular import TabularFormat
from relyon.io.text_lines import Text
from relyon.ltr.preparation.split import PARTS, Part, Split

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["check_folder", "write_split"]

#: Endings of names that describe a file's purpose, not its format.
ROLES = (".train", ".test", ".valid", ".vali", ".data")


def write_split(
    split: Split,
    source: Source,
    folder: str,
    *,
    columns: Mapping[str, str] | None = None,
    groups: Source | None = None,
    replace: bool = False,
) -> list[str]:
    """Writes the parts of a split in the format of the input.

    Text is copied byte for byte: a line, with comments and blank lines that follow it, goes to the
    part of its query; lines before the first row, such as a header, go to every file. The rows of
    files that accompany a text, such as LightGBM's `.query`, are split in the same way. Parquet is
    written by Polars.

    Args:
        split: The split.
        source: The input, of a known format.
        folder: The folder of `train`, `valid` and `test`, or of `fold-1/train` and so on; the
            suffix is that of the input.
        columns: The column names of the input by role.
        groups: The file of group sizes of the input.
        replace: Whether to replace existing files.

    Returns:
        The paths of the files.

    Raises:
        InputError: If a file already exists, or cannot be written.
    """
    check_folder(folder)
    targets = _targets(split, source, folder)
    paths = [path for fold in targets for path in fold.values()]
    for path in paths:
        if os.path.lexists(path) and not replace:
            raise InputError(
                message("core.already-exists"), path=path, hint=message("core.force-replaces")
            )
    for path in paths:
        try:
            os.makedirs(os.path.dirname(path), exist_ok=True)
        except OSError as error:
            raise InputError(
                message("core.cannot-be-written", strerror=error.strerror or error),
                path=os.path.dirname(path),
            ) from None
    if source.format == "parquet":
        return _write_frames(split, source, targets, columns)
    owners = _owners(split, source, columns, groups)
    _copy(split, source, [place for _, place in owners], [line for line, _ in owners], targets)
    if source.format == "letor":
        beside = {"groups": groups} if groups is not None else files_beside(source, ROW_FILES)
        for what, other in beside.items():
            paths += _write_beside(split, what, other, targets)
    return paths


def check_folder(folder: str) -> None:
    """Refuses a folder for the parts that is a file.

    Raises:
        InputError: If it is one.
    """
    if os.path.isfile(folder):
        raise InputError(
            message("ltr.parts-need-folder"), path=folder, hint=message("ltr.name-folder-of-parts")
        )


def _targets(split: Split, source: Source, folder: str) -> list[dict[Part, str]]:
    """Returns the path of each part of each fold."""
    _, suffix, packed = split_suffix(source.path)
    if suffix in ("", *ROLES) or not suffix[1:].isalnum():
        suffix = getattr(formats.get(source.format), "suffix", "") or f".{source.format}"
    found = []
    for fold, roles in enumerate(split.roles, start=1):
        inside = os.path.join(folder, f"fold-{fold}") if split.folds > 1 else folder
        names = [part for part in PARTS if part in roles]
        found.append({part: os.path.join(inside, f"{part}{suffix}{packed}") for part in names})
    return found


def _owners(
    split: Split, source: Source, columns: Mapping[str, str] | None, groups: Source | None
) -> list[tuple[int, int]]:
    """Returns the line in which each row of a text begins, and the slice of its query."""
    rows, slices = split.rows, split.slices.tolist()
    found = formats.get(source.format)
    numbers = {query: slices[place] for place, query in enumerate(rows.queries)}
    if isinstance(found, TabularFormat):
        # One feature is enough to find the rows.
        named = split.rows.known_features().names[:1]
        roles = {**(columns or {}), **{feature_role(name): name for name in named}}
        records = found.table(source, "unlabelled", roles).records
        lines = ((line, str(fields.get("query"))) for line, fields in records()) if records else ()
        owners = [(line, numbers[query]) for line, query in lines]
    else:
        sized = groups is not None or "groups" in files_beside(source, ROW_FILES)
        header = header_of(source)
        of_row = [slices[place] for place in rows.qid] if sized else []
        owners = [
            (line, of_row[at] if sized else numbers[header.decode(str(query))])
            for at, (line, _, query, _, _) in enumerate(rows_of(source.read_all(), source.path))
        ]
    return owners


def _copy(
    split: Split,
    source: Source,
    slices: Sequence[int],
    starts: Sequence[int],
    targets: list[dict[Part, str]],
) -> None:
    """Copies each row's lines into the files of its slice."""
    with ExitStack() as stack:
        write = _writers(split, targets, stack)
        everybody = range(len(split.shares))
        at = -1
        for place, line in enumerate(Text(source).lines(), start=1):
            if at + 1 < len(starts) and place >= starts[at + 1]:
                at += 1
            for one in [slices[at]] if at >= 0 else everybody:
                write(one, line if line.endswith(b"\n") else line + b"\n")


def _writers(
    split: Split, targets: list[dict[Part, str]], stack: ExitStack
) -> Callable[[int, bytes], None]:
    """Opens all files, and returns a function that writes a line to the files of a slice."""
    opened: list[dict[Part, BinaryIO]] = []
    for fold in targets:
        files = {}
        for part, path in fold.items():
            raw = stack.enter_context(open_replaced(path))
            stream = compressed(raw, split_suffix(path)[2], path)
            if stream is not raw:
                stack.callback(stream.close)
            files[part] = stream
        opened.append(files)
    of_slice = [
        [opened[fold][roles[place]] for fold, roles in enumerate(split.roles)]
        for place in range(len(split.shares))
    ]
    before: dict[int, bytes] = {}

    def write(place: int, line: bytes) -> None:
        for file in of_slice[place]:
            # Slices of one fold may share a file: a line for every file is written to it once.
            if before.get(id(file)) is line:
                continue
            before[id(file)] = line
            file.write(line)

    return write


def _write_beside(
    split: Split, what: str, source: Source, targets: list[dict[Part, str]]
) -> list[str]:
    """Splits a file that accompanies a text into one for each part."""
    ending = os.path.splitext(source.path)[1]
    if ending not in ROW_FILES[what]:
        ending = ROW_FILES[what][0]
    lines = [text for _, text in single(source)]
    queries: NDArray[np.int64] = split.slices if what == "groups" else split.slices[split.rows.qid]
    paths = []
    for fold, files in enumerate(targets):
        for part, path in files.items():
            kept = [
                line
                for line, place in zip(lines, queries.tolist(), strict=True)
                if split.roles[fold][place] == part
            ]
            paths.append(path + ending)
            with open_replaced(path + ending) as file:
                file.write("".join(f"{line}\n" for line in kept).encode())
    return paths


def _write_frames(
    split: Split,
    source: Source,
    targets: list[dict[Part, str]],
    columns: Mapping[str, str] | None,
) -> list[str]:
    """Writes the rows of a Parquet file."""
    import io

    import numpy as np
    import polars as pl

    from relyon.data.columns import choose, to_text

    frame = pl.read_parquet(io.BytesIO(source.read_all()))
    chosen = choose(frame.columns, "unlabelled", columns=columns, path=source.path)
    query = to_text(frame.get_column(chosen["query"]), "query", source.path)
    numbers = dict(zip(split.rows.queries, split.slices.tolist(), strict=True))
    places = query.replace_strict(numbers, return_dtype=pl.Int64).to_numpy()
    paths = []
    for fold, files in enumerate(targets):
        for part, path in files.items():
            wanted = [place for place, role in enumerate(split.roles[fold]) if role == part]
            with open_replaced(path) as file:
                frame.filter(np.isin(places, wanted)).write_parquet(file)
            paths.append(path)
    return paths
