"""The grades of the first documents as a string of characters: trec_eval's `relstring`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from relyon import _native
from relyon.compat.trec_eval.measures import Column, number
from relyon.compat.trec_eval.options import Options
from relyon.data.convention import Convention
from relyon.data.ranking import first_rows

__all__ = ["relevance_strings"]


def relevance_strings(
    options: Options,
    columns: Sequence[Column],
    rules: Convention,
    judgments: _native.JudgmentTable,
    run: _native.RunTable,
) -> dict[str, Callable[[str], str]]:
    """Returns for each such line its text for a query."""
    parameters = options.measures["relstring"]
    length = 10 if parameters is None else max(int(number(parameters.split(",")[0])), 0)

    def text(query: str) -> str:
        if query not in run:
            # evaluated as a list of one unjudged document, corrected if no length is named
            bare = parameters is None or options.judged_only
            return "''" if bare else f"'{'-' if length else ''}'"
        documents, scores, _ = run.documents(query)
        grades = judgments.grades(query)
        wanted = len(documents) if options.judged_only else length
        signs = []
        for row in first_rows(documents, scores, None, wanted, rules):
            grade = grades.get(documents[row])
            if options.judged_only and (grade is None or grade < 0):
                continue
            signs.append(sign(grade))
        return f"'{''.join(signs[:length])}'"

    return {column.name: text for column in columns if column.average == "text"}


def sign(grade: float | None) -> str:
    """Returns one character for a grade.

    Examples:
        >>> [sign(grade) for grade in (None, -1, 0, 3, 12)]
        ['-', '.', '0', '3', '>']
    """
    if grade is None:
        return "-"
    if grade < 0:
        return "."
    return str(int(grade)) if grade <= 9 else ">"
