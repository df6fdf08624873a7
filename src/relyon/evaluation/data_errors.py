"""Errors about judgments and runs that cannot be evaluated together."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from relyon.core.errors import InputError, ParseError
from relyon.core.texts import message as say

if TYPE_CHECKING:
    from relyon.data.judgments import Judgments

__all__ = ["missing_queries", "negative_grade", "no_common_query"]

#: The id of a trace in OpenTelemetry.
TRACE_ID = re.compile("[0-9a-f]{32}")


def negative_grade(judgments: Judgments) -> InputError:
    """Returns the error for the first grade below 0, with its line in the judgments' file."""
    from relyon.io.line_numbers import find_line

    query, document, grade = next(
        (query, document, grade)
        for query, grades in judgments.to_dict().items()
        for document, grade in grades.items()
        if grade < 0
    )
    path = judgments.path
    message = say(
        "core.query-document-negative-grade",
        query=query,
        document=document,
        grade=grade,
    )
    hint = say("data.set-negative-nonrelevant")
    line = find_line(path, query, document) if path else None
    if line is None:
        return InputError(message, path=path, hint=hint)
    return ParseError(message, path=path, line=line, hint=hint)


def missing_queries(count: int, examples: Sequence[str]) -> InputError:
    """Returns the error for queries that the run lacks under ``missing=error``.

    Args:
        count: How many.
        examples: Some of them.
    """
    more = ", …" if count > len(examples) else ""
    values = {"count": count, "examples": ", ".join(f"`{one}`" for one in examples) + more}
    return InputError(
        say("evaluation.judged-query-is-not-in-run", **values)
        if count == 1
        else say("evaluation.judged-queries-are-not-in-run", **values),
        hint=say("evaluation.set-missing-zero"),
    )


def no_common_query(judged: Sequence[str], found: Sequence[str]) -> InputError:
    """Returns the error for a run whose queries are all unjudged.

    Args:
        judged: Queries of the judgments.
        found: Queries of the run.
    """
    from relyon.io import explain_mismatch

    note = explain_mismatch(judged, found)
    hint = (
        say("evaluation.strict-note", note=note)
        if note
        else say("evaluation.check-that-both-files")
    )
    if found and all(map(TRACE_ID.fullmatch, found)) and not any(map(TRACE_ID.fullmatch, judged)):
        hint = say("evaluation.name-the-task")
    return InputError(
        say(
            "evaluation.no-query-of-run",
            judged=[f"`{query}`" for query in judged[:3]],
            found=[f"`{query}`" for query in found[:3]],
        ),
        hint=hint,
    )
