"""NumPy arrays and lists of arrays in place of qrels and runs: rows of a document and a number."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from relyon.core.errors import InputError
from relyon.core.texts import message

__all__ = ["grades_of", "scores_of"]


def grades_of(qrels: object) -> Mapping[str, Mapping[str, float]]:
    """Returns grades by query and document; the queries of arrays are numbered from 0.

    A document that is twice in one query has its last grade.

    Raises:
        InputError: If it is neither a mapping nor one array of two columns per query.
    """
    if isinstance(qrels, Mapping):
        return qrels
    return {
        str(number): {_name(document): grade for document, grade in rows}
        for number, rows in enumerate(_queries(qrels, "qrels"))
    }


def scores_of(run: object) -> Mapping[str, Mapping[str, float]]:
    """Returns scores by query and document; rows of arrays are in ranked order.

    Raises:
        InputError: If it is neither a mapping nor one array of two columns per query.
    """
    if isinstance(run, Mapping):
        return run
    found: dict[str, dict[str, float]] = {}
    for number, rows in enumerate(_queries(run, "run")):
        scores = {_name(document): float(-place) for place, (document, _) in enumerate(rows)}
        if len(scores) < len(rows):
            raise InputError(message("compat.query-of-run-holds", number=number))
        found[str(number)] = scores
    return found


def _name(document: float) -> str:
    return str(int(document)) if float(document).is_integer() else repr(float(document))


def _queries(data: object, what: str) -> list[list[tuple[float, float]]]:
    import numpy as np

    form = "give {query: {document: number}}, or an array of (document, number) rows per query"
    if isinstance(data, str | bytes) or not isinstance(data, Iterable):
        raise InputError(
            message("compat.what-is-name", what=what, name=type(data).__name__), hint=form
        )
    queries = []
    for number, rows in enumerate(data):
        try:
            table = np.asarray(rows, dtype=np.float64)
        except (TypeError, ValueError):
            table = np.empty(0)
        if table.size == 0 and table.ndim == 2:
            table = np.empty((0, 2))
        if table.ndim != 2 or table.shape[1] != 2:
            raise InputError(
                message(
                    "compat.query-of-is-not-array",
                    number=number,
                    what=what,
                ),
                hint=form,
            )
        queries.append([(float(document), float(value)) for document, value in table])
    return queries
