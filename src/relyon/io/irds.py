"""Data sets of ir_datasets named where a file is: `irds:ID`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from relyon.core.errors import InputError, ParameterError, UnknownNameError
from relyon.core.packages import optional_package
from relyon.core.registry import nearest
from relyon.core.texts import message

if TYPE_CHECKING:
    from relyon.data.judgments import Judgments
    from relyon.data.run import Run
    from relyon.data.scale import Scale

__all__ = [
    "PREFIX",
    "dataset_documents",
    "dataset_judgments",
    "dataset_queries",
    "dataset_run",
    "is_dataset",
    "refuse_file_options",
]

PREFIX = "irds:"
#: Ids that a hint names.
NAMED = 5

T = TypeVar("T")


def is_dataset(source: object) -> bool:
    """Whether a path is the id of a data set: it begins with `irds:`, and there is no such file.

    Examples:
        >>> is_dataset("irds:vaswani"), is_dataset("vaswani.qrels")
        (True, False)
    """
    named = isinstance(source, str) and source.startswith(PREFIX)
    return named and not os.path.exists(str(source))


def refuse_file_options(name: str, **options: object) -> None:
    """Refuses what only files have.

    Raises:
        ParameterError: If one is given.
    """
    given = [f"`{key}`" for key, value in options.items() if value]
    if given:
        raise ParameterError(message("io.dataset-has-no-options", name=name, options=given))


def dataset_judgments(name: str, scale: Scale | None = None) -> Judgments:
    """Returns the judgments of a data set; see `relyon.compat.ir_datasets.judgments`."""
    from relyon.data.judgments import Judgments

    dataset = _dataset(name, "qrels")
    rows = _rows(name, dataset.qrels_iter)
    if not rows:
        raise InputError(message("io.contains-no-judgments"), path=_path(name))
    if not hasattr(rows[0], "relevance"):
        raise InputError(message("io.dataset-lacks-grades"), path=_path(name))
    if hasattr(rows[0], "subtopic_id"):
        grades: dict[str, dict[str, dict[str, float]]] = {}
        for row in rows:
            one = grades.setdefault(row.query_id, {}).setdefault(row.doc_id, {})
            one[str(row.subtopic_id)] = row.relevance
        return Judgments.from_dict(grades, scale=scale, source=_path(name))
    queries, documents = [row.query_id for row in rows], [row.doc_id for row in rows]
    found = Judgments.from_arrays(queries, documents, [row.relevance for row in rows], scale=scale)
    return Judgments(found.table, scale=found.scale, source=_path(name), notes=found.notes)


def dataset_run(name: str, run: str | None = None) -> Run:
    """Returns the scored documents of a data set; see `relyon.compat.ir_datasets.run`."""
    from relyon.data.run import Run

    dataset = _dataset(name, "scoreddocs")
    rows = _rows(name, dataset.scoreddocs_iter)
    if not rows:
        raise InputError(message("io.contains-no-retrieved-documents"), path=_path(name))
    queries, documents = [row.query_id for row in rows], [row.doc_id for row in rows]
    scores = [row.score for row in rows]
    return Run.from_arrays(queries, documents, scores, name=run or _id(name))


def dataset_queries(name: str) -> dict[str, str]:
    """Returns the texts of queries; see `relyon.compat.ir_datasets.queries`."""
    dataset = _dataset(name, "queries")
    return {row.query_id: _text(row) for row in _rows(name, dataset.queries_iter)}


def dataset_documents(name: str, ids: Iterable[str] | None = None) -> dict[str, str]:
    """Returns the texts of documents; see `relyon.compat.ir_datasets.documents`."""
    dataset = _dataset(name, "docs")
    if ids is None:
        return {row.doc_id: _text(row) for row in _rows(name, dataset.docs_iter)}
    wanted = [str(one) for one in ids]
    with _readable(name):
        found = dataset.docs_store().get_many(wanted)
    return {one: _text(found[one]) for one in dict.fromkeys(wanted) if one in found}


def _dataset(name: str, kind: str) -> Any:
    """Returns a data set that has one kind of data.

    Raises:
        DependencyError: If the package is not installed.
        InputError: If it has no such data; those below it that have some are named.
        UnknownNameError: If there is no such data set.
    """
    library = optional_package("ir_datasets", purpose=PREFIX, package="ir-datasets")
    wanted = _id(name)
    try:
        found = library.load(wanted)
    except KeyError:
        near = nearest(wanted, [*library.registry])
        hint = message("core.did-you-mean", name=PREFIX + near) if near else ""
        said = message("io.unknown-dataset", name=wanted)
        raise UnknownNameError(said, hint=hint) from None
    if not found.has(kind):
        below = [one for one in library.registry if one.startswith(f"{wanted}/")]
        having = [PREFIX + one for one in below if library.load(one).has(kind)]
        raise InputError(
            message("io.dataset-lacks-kind", kind=kind),
            path=_path(name),
            hint=message("io.datasets-below", names=having[:NAMED]) if having else "",
        )
    return found


def _rows(name: str, iterate: Callable[[], Iterable[T]]) -> list[T]:
    with _readable(name):
        return [*iterate()]


@contextmanager
def _readable(name: str) -> Iterator[None]:
    """Turns what fails while data are downloaded or read into an error that names the data set."""
    try:
        yield
    except (OSError, RuntimeError, ValueError, LookupError) as error:
        reason = str(error) or type(error).__name__
        raise InputError(
            message("io.dataset-cannot-be-read", reason=reason),
            path=_path(name),
            hint=message("io.dataset-is-downloaded"),
        ) from error


def _text(row: Any) -> str:
    """Returns the text that ir_datasets itself shows of a query or document."""
    own = getattr(row, "default_text", None)
    return str(own() if callable(own) else getattr(row, "text", ""))


def _id(name: str) -> str:
    return name.removeprefix(PREFIX)


def _path(name: str) -> str:
    return PREFIX + _id(name)
