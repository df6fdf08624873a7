"""What an evaluator is given, checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import TYPE_CHECKING, Any

from relyon.core.errors import InputError, ParameterError
from relyon.core.parameters import check_whole
from relyon.core.texts import message

if TYPE_CHECKING:
    from relyon.data.judgments import Judgments
    from relyon.measures.definition import Measure

__all__ = ["DEPTH", "check_texts", "graded", "kept_depth"]

DEPTH = 1000
#: Ids that a message names.
NAMED = 3


def graded(judgments: object) -> object:
    """Returns judgments, with grade 1 for sets of documents.

    Examples:
        >>> graded({"q1": {"d1"}, "q2": {"d1": 3}})
        {'q1': {'d1': 1}, 'q2': {'d1': 3}}
    """
    if not isinstance(judgments, Mapping):
        return judgments
    return {
        query: dict.fromkeys(sorted(one, key=str), 1) if isinstance(one, Set | list) else one
        for query, one in judgments.items()
    }


def check_texts(queries: Mapping[Any, Any], judged: Judgments) -> dict[str, Any]:
    """Returns the texts of the judged queries, in the order of the judgments.

    Raises:
        InputError: If one has none: it would count as a query without results; if there are no
            judgments.
    """
    if not judged.queries:
        raise InputError(message("core.there-are-no-judgments"), path=judged.path)
    texts = {str(query): text for query, text in queries.items()}
    left = [query for query in judged.queries if query not in texts]
    if left:
        counts = {"count": len(left), "total": len(judged.queries)}
        raise InputError(
            message("compat.judged-queries-without-text", queries=left[:NAMED], **counts),
            path=judged.path,
            hint=message("compat.give-texts-of-judged"),
        )
    return {query: texts[query] for query in judged.queries}


def kept_depth(measures: Sequence[Measure], depth: int | None) -> int:
    """Returns how many documents to keep per query.

    Raises:
        ParameterError: If a measure has a larger cutoff.
    """
    cutoffs = {str(one): getattr(one, "k", None) or 0 for one in measures}
    if depth is None:
        return max([DEPTH, *cutoffs.values()])
    check_whole("depth", depth)
    for name, cutoff in cutoffs.items():
        if cutoff > depth:
            raise ParameterError(message("compat.depth-is-less", depth=depth, measure=name))
    return depth
