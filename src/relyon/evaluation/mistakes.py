"""A column's name, or columns, where a run or one column of scores is needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike

from relyon.core.errors import ParameterError
from relyon.core.texts import message

__all__ = ["refuse_columns_as_runs", "refuse_several_scores"]


def refuse_columns_as_runs(judgments: object, runs: Sequence[object]) -> None:
    """Refuses the name of a column of the table of judgments in place of a run.

    Args:
        judgments: The judgments as they were given.
        runs: The runs as they were given.

    Raises:
        ParameterError: If a run is such a name.
    """
    names = [run for run in runs if isinstance(run, str)]
    if not names or isinstance(judgments, str | Mapping | PathLike):
        return
    from relyon.data.columns import headings

    known = headings(judgments)
    for name in names:
        if name in known:
            raise ParameterError(
                message("evaluation.run-is-column", name=name),
                hint=message("evaluation.evaluate-column", name=name),
            )


def refuse_several_scores(labels: object, scores: object) -> None:
    """Refuses scores beside a table of labelled rows that are not the name of one column.

    Args:
        labels: The labels as they were given.
        scores: The scores as they were given.

    Raises:
        ParameterError: If the labels are a table, and the scores names or one column of values.
    """
    if scores is None or isinstance(scores, str):
        return
    from relyon.data.columns import is_table

    if not is_table(labels) or is_table(scores):  # two tables are one query per row
        return
    if isinstance(scores, Sequence) and scores and all(isinstance(one, str) for one in scores):
        raise ParameterError(
            message("evaluation.several-columns-of-scores", names=[f"`{one}`" for one in scores]),
            hint=message(
                "evaluation.compare-columns", names=", ".join(f'"{one}"' for one in scores)
            ),
        )
    if getattr(scores, "ndim", 1) == 1:
        raise ParameterError(
            message("evaluation.table-has-its-own"), hint=message("evaluation.name-columns")
        )
