"""A ranker is exported: made in the wanted format, compared with the ranker, and written."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from itertools import pairwise
from os import PathLike
from typing import TYPE_CHECKING, Any

from relyon.core.errors import InputError, ParameterError
from relyon.core.notes import Note, warn
from relyon.core.parameters import check_choice, check_path
from relyon.core.texts import message
from relyon.data.labelled import LabelledRows
from relyon.io.atomic_files import open_replaced
from relyon.ltr.rankers.exporting.exported import FORMATS, Candidate, Exported, ExportFormat
from relyon.ltr.rankers.exporting.probes import probe_rows
from relyon.ltr.rankers.query_rows import list_order, targets_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

__all__ = ["export"]

#: How far scores may differ, as a share of the largest: single precision sums in another order.
TOLERANCE = 1e-5
#: Made-up lists of so many documents, where a call scores one query.
LIST = 20


def export(
    ranker: Any,
    path: str | PathLike[str],
    format: ExportFormat | None,
    rows: Any,
    qid: ArrayLike | None,
) -> Exported:
    """Writes a fitted ranker as a file that other programs score; see `Ranker.export`."""
    import numpy as np

    target = check_path("path", path)
    chosen = _format(ranker, target, format)
    checked: tuple[Any, NDArray[np.float64], Any] | None = None
    if rows is not None:
        queries = targets_of(rows, None, None)[1] if isinstance(rows, LabelledRows) else qid
        values = ranker._matrix(rows, reset=False)
        dense = np.asarray(values.toarray() if hasattr(values, "toarray") else values, float)
        checked = dense, ranker.predict(rows, qid), queries
    candidate: Candidate = ranker._candidate(chosen, os.path.splitext(target)[1].lower())
    probes = probe_rows(candidate, ranker.n_features_in_, missing=ranker.takes_missing)
    lists = np.arange(len(probes)) // LIST
    expected = ranker.predict(_as_trained(ranker, probes), lists)
    found = _scores(candidate, probes, lists)
    apart = np.where(np.isfinite(found), np.abs(found - expected), np.inf)
    largest = float(np.abs(expected).max())
    if float(apart.max()) > TOLERANCE * largest:
        raise InputError(
            message(
                "ltr.scores-of-file",
                count=int((apart > TOLERANCE * largest).sum()),
                of=len(probes),
                apart=float(apart.max()),
            ),
            path=target,
            hint=message(
                "ltr.nothing-was-written-cannot",
                format=chosen,
            )
            if ranker.kind == "trees"
            else message("ltr.nothing-was-written"),
        )
    notes: tuple[Note, ...] = ()
    if candidate.blurred:
        names = tuple(ranker.feature_names_[place] for place in candidate.blurred)
        notes = (Note("export-single", len(names), "warning", names[:3]),)
        warn(notes)
    said: dict[str, Any] = {}
    if checked is not None:
        said = _compared(candidate, *checked)
    with open_replaced(target) as file:
        file.write(candidate.data)
    return Exported(
        target,
        chosen,
        ranker.n_features_in_,
        len(probes),
        float(apart.max()),
        notes=notes,
        **said,
    )


def _format(ranker: Any, path: str, format: ExportFormat | None) -> ExportFormat:
    """Returns the format that is asked for, or that the name's ending asks for.

    Raises:
        ParameterError: If neither says one that the ranker can be exported in.
    """
    offered: Mapping[ExportFormat, Sequence[str]] = ranker._formats()
    ending = os.path.splitext(path)[1].lower()
    named = next((one for one, endings in offered.items() if ending in endings), None)
    hint = message(
        "ltr.can-be-exported",
        formats=", ".join(f"{one} ({' '.join(endings)})" for one, endings in offered.items()),
    )
    if format is None:
        if named is None:
            raise ParameterError(
                message("ltr.ending-of-is-not-format", path=path),
                hint=hint,
            )
        return named
    check_choice("format", format, FORMATS)
    if format not in offered:
        raise ParameterError(
            message("ltr.cannot-be-exported", name=ranker._exported_name(), format=format),
            hint=hint,
        )
    if named not in {None, format}:
        raise ParameterError(
            message(
                "ltr.has-ending-of-format",
                path=path,
                named=named,
                format=format,
            ),
            hint=hint,
        )
    return format


def _as_trained(ranker: Any, values: NDArray[np.float64]) -> Any:
    """Returns made-up rows under the names of training, where scikit-learn compares names."""
    if not hasattr(ranker, "feature_names_in_"):
        return values
    import polars as pl

    return pl.DataFrame(values, schema=list(ranker.feature_names_))


def _scores(
    candidate: Candidate, values: NDArray[np.float64], qid: ArrayLike | None
) -> NDArray[np.float64]:
    """Returns what the file's reader scores; list by list where a call is one query."""
    import numpy as np

    if not candidate.lists:
        return candidate.score(values)
    order, offsets = _lists(qid, len(values))
    found = np.empty(len(values))
    for first, last in pairwise(offsets.tolist()):
        if last > first:
            places = order[first:last]
            found[places] = candidate.score(values[places])
    return found


def _lists(qid: ArrayLike | None, height: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Returns the order that brings each query's rows together, and offsets; one list without."""
    import numpy as np

    if qid is None:
        return np.arange(height), np.array([0, height])
    return list_order(qid, height)


def _changed(expected: NDArray[np.float64], found: NDArray[np.float64], rounding: float) -> bool:
    """Returns whether the file orders documents of a list differently, or creates ties."""
    import numpy as np

    order = np.argsort(-expected)
    gaps = -np.diff(expected[order])
    starts = np.flatnonzero(np.r_[True, gaps > rounding * np.abs(expected).max()])
    theirs = found[order]
    lowest, highest = np.minimum.reduceat(theirs, starts), np.maximum.reduceat(theirs, starts)
    return bool((lowest[:-1] <= highest[1:]).any())


def _compared(
    candidate: Candidate,
    values: NDArray[np.float64],
    expected: NDArray[np.float64],
    qid: ArrayLike | None,
) -> dict[str, Any]:
    """Returns how the file's scores of given rows differ, and in how many queries their order."""
    import numpy as np

    found = _scores(candidate, values, qid)
    order, offsets = _lists(qid, len(values))
    changed = queries = 0
    for first, last in pairwise(offsets.tolist()):
        if last > first:
            places = order[first:last]
            changed += _changed(expected[places], found[places], candidate.rounding)
            queries += 1
    return {
        "rows": len(values),
        "queries": queries,
        "changed": changed,
        "rows_difference": float(np.abs(found - expected).max(initial=0)),
    }
