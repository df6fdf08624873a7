"""Stages of a search with their names and runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from relyon.core.errors import ParameterError
from relyon.core.texts import message
from relyon.data.convention import Convention
from relyon.data.ranking import first_rows
from relyon.data.run import Run, run_name

__all__ = ["first_documents", "named_stages"]


def named_stages(source: object, names: Sequence[str] | None) -> list[tuple[str, object]]:
    """Returns stages with their names."""
    if isinstance(source, Mapping) and _names_stages(source):
        found = [(str(name), run) for name, run in source.items()]
    elif isinstance(source, list | tuple):
        found = [(run_name(run), run) for run in source]
    else:
        found = [(run_name(source), source)]
    if not found:
        raise ParameterError(
            message("analysis.there-are-no-stages"), hint=message("analysis.give-run")
        )
    if names is not None:
        if len(names) != len(found):
            raise ParameterError(
                message(
                    "analysis.there-are-stages",
                    count=len(found),
                    count_2=len(names),
                )
            )
        found = [(name, run) for name, (_, run) in zip(names, found, strict=True)]
    if len({name for name, _ in found}) < len(found):
        raise ParameterError(
            message("analysis.two-stages-have-same", found=[f"`{name}`" for name, _ in found]),
            hint=message("analysis.name-them"),
        )
    return found


def _names_stages(source: Mapping[object, object]) -> bool:
    """Whether a mapping is {stage: run} and not {query: {document: score}}."""
    for value in source.values():
        if not isinstance(value, Mapping):
            return True
        return isinstance(next(iter(value.values()), None), Mapping)
    return False


def first_documents(run: Run, count: int, rules: Convention) -> Run:
    """Returns a run's first documents of each query, under the convention's order."""
    queries: list[str] = []
    kept: list[str] = []
    values: list[float] = []
    places: list[int] = []
    for query in run.queries:
        documents, scores, ranks = run.table.documents(query)
        rows = first_rows(documents, scores, ranks, count, rules)
        queries += [query] * len(rows)
        kept += [documents[row] for row in rows]
        values += [scores[row] for row in rows]
        places += [ranks[row] for row in rows] if ranks is not None else []
    return Run.from_arrays(queries, kept, values, places or None, name=run.name)


def cascaded_runs(runs: Sequence[Run], count: int, rules: Convention) -> list[Run]:
    """Returns runs in which each stage reranks only the first documents of the one before.

    Args:
        runs: One per stage, in the order of the search, with the scores of all documents.
        count: How many documents each stage keeps per query.
        rules: The convention that breaks ties.

    Examples:
        >>> from relyon.data.convention import Convention
        >>> recall = Run.from_dict({"q": {"a": 3, "b": 2, "c": 1}})
        >>> rank = Run.from_dict({"q": {"c": 9, "b": 2, "a": 1}})
        >>> [run["q"] for run in cascaded_runs([recall, rank], 2, Convention())]
        [{'a': 3.0, 'b': 2.0}, {'b': 2.0, 'a': 1.0}]
    """
    found: list[Run] = []
    for run in runs:
        lists = run.to_dict()
        if found:
            before = found[-1].to_dict()
            lists = {
                query: {document: score for document, score in one.items() if document in kept}
                for query, kept in before.items()
                if (one := lists.get(query)) is not None
            }
        found.append(first_documents(Run.from_dict(lists, name=run.name), count, rules))
    return found
