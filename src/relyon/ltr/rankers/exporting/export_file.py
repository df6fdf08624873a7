"""Exports of rankers: converted, compared with the ranker, and written."""

from __future__ import annotations

import os
from itertools import pairwise
from os import PathLike
from typing import TYPE_CHECKING, NamedTuple

from relyon.core.errors import InputError, ParameterError
from relyon.core.notes import Note, warn
from relyon.core.parameters import check_choice, check_path
from relyon.core.texts import message
from relyon.data.labelled import LabelledRows
from relyon.data.matrices import dense
from relyon.io.atomic_files import open_replaced
from relyon.ltr.rankers.exporting.exported import FORMATS, Candidate, Exported, ExportFormat
from relyon.ltr.rankers.exporting.probes import probe_rows
from relyon.ltr.rankers.fitted import FittedRanker
from relyon.ltr.rankers.query_rows import beside, list_order, targets_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

__all__ = ["export"]

#: The largest allowed difference of scores, as a share of the largest score: single precision sums
#: in another order.
TOLERANCE = 1e-5
#: The number of documents in generated lists, if a call scores one query.
LIST = 20


class _Comparison(NamedTuple):
    """The comparison on given rows: four fields of `Exported`."""

    rows: int = 0
    queries: int = 0
    changed: int = 0
    rows_difference: float = 0.0


def export(
    ranker: FittedRanker,
    path: str | PathLike[str],
    format: ExportFormat | None,
    rows: object,
    qid: ArrayLike | None,
) -> Exported:
    """Writes a fitted ranker as a file that other programs score; see `Ranker.export`."""
    import numpy as np

    target = check_path("path", path)
    chosen = _format(ranker, target, format)
    checked: tuple[NDArray[np.float64], NDArray[np.float64], ArrayLike | None] | None = None
    if rows is not None:
        qid = beside({"rows": rows}, qid=qid).get("qid")
        queries = targets_of(rows, None, None).queries if isinstance(rows, LabelledRows) else qid
        values = np.asarray(dense(ranker._matrix(rows, reset=False)), float)
        checked = values, ranker.predict(rows, qid), queries
    candidate = ranker._candidate(chosen, os.path.splitext(target)[1].lower())
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
    compared = _Comparison() if checked is None else _compared(candidate, *checked)
    with open_replaced(target) as file:
        file.write(candidate.data)
    return Exported(
        target,
        chosen,
        ranker.n_features_in_,
        len(probes),
        float(apart.max()),
        *compared,
        notes=notes,
    )


def _format(ranker: FittedRanker, path: str, format: ExportFormat | None) -> ExportFormat:
    """Returns the given format, or that of the file's ending.

    Raises:
        ParameterError: If the ranker cannot be exported in it, or the ending is of another format.
    """
    offered = ranker._formats()
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


def _as_trained(ranker: FittedRanker, values: NDArray[np.float64]) -> object:
    """Returns generated rows, with the names of training if scikit-learn compares names."""
    if not hasattr(ranker, "feature_names_in_"):
        return values
    import polars as pl

    return pl.DataFrame(values, schema=list(ranker.feature_names_))


def _scores(
    candidate: Candidate, values: NDArray[np.float64], qid: ArrayLike | None
) -> NDArray[np.float64]:
    """Returns the scores of the file's reader; list by list if a call is one query."""
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
    """Returns the order that brings each query's rows together, and offsets; None: one list."""
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
) -> _Comparison:
    """Compares the file's scores of given rows with the ranker's."""
    import numpy as np

    found = _scores(candidate, values, qid)
    order, offsets = _lists(qid, len(values))
    changed = queries = 0
    for first, last in pairwise(offsets.tolist()):
        if last > first:
            places = order[first:last]
            changed += _changed(expected[places], found[places], candidate.rounding)
            queries += 1
    return _Comparison(
        len(values), queries, changed, float(np.abs(found - expected).max(initial=0))
    )
