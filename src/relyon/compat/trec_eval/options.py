"""The options and errors of trec_eval."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["Options", "TrecEvalError"]


class TrecEvalError(Exception):
    """An error that ends the program.

    Attributes:
        message: The error.
        code: trec_eval's exit code for it.
    """

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.message = message
        self.code = code


@dataclass
class Options:
    """The parsed command line.

    Attributes:
        judgments: The first file.
        results: The second file.
        per_query: `-q`.
        summary: Not `-n`.
        complete: `-c`: queries missing from the results count 0.
        level: `-l`: grades from here up are relevant.
        judged_only: `-J`: documents without a grade are removed from the results.
        depth: `-M`: documents of a query that count; `None` for all.
        collection: `-N`: documents in the collection.
        only: The query of `-D level.query`.
        zscores: `-Z`: a file of means and deviations.
        form: `-R`: the format of the first file.
        results_form: `-T`: the format of the second file.
        measures: The requested measures, with the text of their parameters.
        help: `-h`.
        version: `-v`.
    """

    judgments: str = ""
    results: str = ""
    per_query: bool = False
    summary: bool = True
    complete: bool = False
    level: int = 1
    judged_only: bool = False
    depth: int | None = None
    collection: int = 0
    only: str | None = None
    zscores: str | None = None
    form: str = "qrels"
    results_form: str = "trec_results"
    measures: dict[str, str | None] = field(default_factory=dict)
    help: bool = False
    version: bool = False
