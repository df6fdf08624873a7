"""Results in trec_eval's output format."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from relyon.core.errors import InputError
from relyon.core.texts import message
from relyon.evaluation.measure_tables import Measured
from relyon.measures.display_names import count

__all__ = ["trec_lines"]


def trec_lines(
    run: Measured, per_query: bool, digits: int, header: Sequence[tuple[str, str]]
) -> Iterator[str]:
    """Yields the lines of one run.

    Args:
        run: Its results.
        per_query: Adds per-query values before the averages, sorted by query.
        digits: Decimals.
        header: Names and texts before its averages.
    """

    def line(name: str, query: str, value: float) -> str:
        whole = run.entries[name].average == "sum"
        text = count(value) if whole else f"{value:{digits + 2}.{digits}f}"
        return f"{titles[name]:<22}\t{query}\t{text}"

    from relyon.measures.parser import measure

    asked = {name: measure(name) for name in run.entries}
    titles = {
        name: one.trec_name(measure(run.entries[name].definition)) for name, one in asked.items()
    }
    if per_query:
        instead = [
            asked[name].counted(run.convention) if entry.average == "macro" else math.nan
            for name, entry in run.entries.items()
        ]
        for query, values in sorted(run.rows()):
            if any(mark in query for mark in "\t\r\n"):
                raise InputError(
                    message(
                        "evaluation.trec-evals-format-cannot-contain",
                        query=query,
                    ),
                    hint=message("evaluation.print-csv-or-json"),
                )
            for name, value, other in zip(run.entries, values, instead, strict=True):
                if asked[name].counts_queries or run.entries[name].average == "geometric":
                    continue  # trec_eval prints them only for all queries
                counted = other if math.isnan(value) else value
                if not math.isnan(counted):
                    yield line(name, query, counted)
    for name, text in header:
        yield f"{name:<22}\tall\t{text}"
    for name, entry in run.entries.items():
        yield line(name, "all", entry.value)
