"""Labelled rows of SVMlight and LETOR text: the native reader, and accompanying files."""

from __future__ import annotations

import os
from collections.abc import Container, Mapping
from typing import TYPE_CHECKING, TypeAlias

from relyon import _native
from relyon.core.errors import InputError
from relyon.core.notes import Note
from relyon.core.packages import scipy_part
from relyon.core.texts import message
from relyon.data.columns import refuse
from relyon.data.features import STORAGE, Features, Storage
from relyon.io.byte_source import Source, split_suffix
from relyon.io.format import first_lines
from relyon.io.letor_header import LetorHeader, header_of
from relyon.io.letor_lines import DOCUMENT, finite, refuse_line, single, sizes_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from relyon.data.labelled import LabelledRows
    from relyon.data.scale import Scale

__all__ = ["ROW_FILES", "files_beside", "read_letor"]

#: What the native reader returns: arrays and lists by name.
Found: TypeAlias = "_native.LetorRows"

#: Suffixes of files with query sizes: LightGBM's and XGBoost's.
GROUP_FILES = {"groups": (".query", ".group")}

#: Suffixes of files with one number per row.
ROW_FILES = {**GROUP_FILES, "weights": (".weight",), "positions": (".position",)}

COUNTS = {
    "score": "io.there-are-scores",
    "weight": "io.there-are-weights",
    "position": "io.there-are-positions",
}


def read_letor(
    source: Source,
    *,
    groups: Source | None = None,
    scale: Scale | None = None,
    scores: Source | None = None,
    storage: Storage | None = None,
    unread: Container[str] = (),
) -> LabelledRows:
    """Reads labels and queries, with scores from their own file or with features.

    Args:
        source: The text.
        groups: The number of rows per query; None takes `qid:` or, if the first row has none, the
            file `PATH.query` or `PATH.group`.
        scale: Names that labels may have.
        scores: One score per line; None reads features.
        storage: How features are kept.
        unread: "weight" and "position" if they should not be read.

    Raises:
        InputError: If the data cannot be used; the message names the file and the line.
    """
    import numpy as np

    from relyon.data.labelled import LabelledRows, offsets_of, runs_of, scattered_of

    beside: dict[str, Source] = {}
    if groups is None:
        wanted = ROW_FILES if scores is None else GROUP_FILES
        wanted = {what: ends for what, ends in wanted.items() if what[:-1] not in unread}
        beside = files_beside(source, wanted)
    sizes_file = groups or beside.get("groups")
    header = header_of(source)
    found = _read(
        source, sizes_file is not None, scale, None if scores is not None else storage or STORAGE
    )
    labels = _labels(found, source.path, scale)
    count = len(labels)
    columns: dict[str, NDArray[np.float64]] = {}
    positions: NDArray[np.int64] | None = None
    if scores is not None:
        columns["scores"] = _beside_rows(scores, "score", count, source.path)
    if "weights" in beside:
        columns["weights"] = _beside_rows(beside["weights"], "weight", count, source.path)
    if "positions" in beside:
        values = _beside_rows(beside["positions"], "position", count, source.path)
        positions = values.astype(np.int64)
    for what in header.fields if scores is None else ():
        if f"{what}s" in beside or what in unread:
            continue
        values = np.array(header.values(source, what), dtype=np.float64)
        if what == "weight":
            columns["weights"] = values
        else:
            positions = values.astype(np.int64)
    order = None
    if sizes_file is not None:
        sizes = sizes_of(sizes_file, count, source.path)
        names = [str(place) for place in range(len(sizes))]
    else:
        names, sizes, order = runs_of(list(map(header.decode, found["queries"])), found["sizes"])
    rows = LabelledRows(
        labels,
        columns.get("scores"),
        offsets_of(sizes),
        names,
        _documents(found, header),
        source.path,
        _notes(beside),
        columns.get("weights"),
        _features(found, header) if scores is None else None,
        positions,
        0 if order is None else scattered_of(found["queries"]),
        numbered=sizes_file is not None,
    )
    return rows if order is None else rows.in_order(order)


def _read(source: Source, grouped: bool, scale: Scale | None, storage: Storage | None) -> Found:
    """Runs the native reader; refuses a line that it cannot use, with the reason."""
    kind = "" if storage is None else storage.dtype or "float32"
    reader = None if source.plain else source.open()
    try:
        found = _native.read_letor(
            source.path,
            None if reader is None else reader.read,
            grouped=grouped,
            named=scale is not None,
            features=kind,
            least=0.0 if storage is None else storage.least,
        )
    finally:
        if reader is not None:
            reader.close()
    line, content = found.get("wrong", (None, b""))
    for name, first in found.get("names", ()):
        if line is None or first < line:
            finite(name, "label", source.path, first, scale)
    if line is not None:
        refuse_line(
            content,
            source.path,
            line,
            grouped=grouped,
            scale=scale,
            features=kind,
        )
    return found


def _labels(found: Found, path: str, scale: Scale | None) -> NDArray[np.float64]:
    """Returns labels as numbers; they may be names of a scale."""
    import numpy as np

    labels: NDArray[np.float64] = found["labels"]
    if scale is None:
        return labels
    grades = [finite(name, "label", path, line, scale) for name, line in found["names"]]
    return np.array(grades, dtype=np.float64)[labels.astype(np.int64)]


def _documents(found: Found, header: LetorHeader) -> list[str] | None:
    """Returns the document of each row; non-ASCII comments are searched here."""
    documents: list[str] | None = found["documents"]
    for row, comment in found["comments"]:
        named = DOCUMENT.search(comment)
        if documents is None or named is None:
            return None
        documents[row] = named[1]
    return [header.decode(document) for document in documents or ()] or None


def _features(found: Found, header: LetorHeader) -> Features:
    names = header.feature_names(found["width"])
    values = found["features"]
    if isinstance(values, tuple):
        csr_array = scipy_part("sparse").csr_array

        shape = (len(found["labels"]), len(names))
        values = csr_array((values[0], values[1], values[2]), shape=shape)
    elif len(names) > found["width"]:
        import numpy as np

        values = np.pad(values, ((0, 0), (0, len(names) - found["width"])))
    return Features(names, values)


def files_beside(source: Source, wanted: Mapping[str, tuple[str, ...]]) -> dict[str, Source]:
    """Opens the accompanying files of a text without `qid:`."""
    first = (first_lines(source.head) or [b""])[0].split(maxsplit=2)
    if len(first) > 1 and first[1].startswith(b"qid:"):
        return {}
    packed = split_suffix(source.path)[2]
    paths = (source.path, *([source.path[: -len(packed)]] if packed else []))
    found: dict[str, Source] = {}
    for what, endings in wanted.items():
        for path in (path + ending for path in paths for ending in endings):
            if what not in found and os.path.isfile(path):
                found[what] = Source(path)
    return found


def _beside_rows(source: Source, what: str, rows: int, path: str) -> NDArray[np.float64]:
    """Returns one number per row, from the lines of another file."""
    import numpy as np

    values = []
    for line, text in single(source):
        value = finite(text, what, source.path, line)
        if what == "weight" and value < 0:
            fault = message("core.weight-is-value", value=value)
            refuse(fault, source.path, line, "line", message("native.row-weights-must-be-0"))
        if what == "position" and not value.is_integer():
            refuse(
                message("core.position-is-not-whole", text=text),
                source.path,
                line,
                "line",
            )
        values.append(value)
    if len(values) != rows:
        raise InputError(
            message(
                COUNTS[what],
                count=len(values),
                count_2=rows,
                source_path=path,
            ),
            path=source.path,
            hint=message("io.one-number-for-each"),
        )
    return np.array(values, dtype=np.float64)


def _notes(beside: Mapping[str, Source]) -> tuple[Note, ...]:
    if not beside:
        return ()
    names = [os.path.basename(source.path) for source in beside.values()]
    return (Note("files-beside", len(names), values={"files": names}),)
