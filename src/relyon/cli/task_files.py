"""The files of several tasks: a table of task, judgments, name and run."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import click

from relyon.cli.option_values import run_names
from relyon.cli.request import option, request
from relyon.core.errors import InputError, ParameterError
from relyon.core.texts import message

if TYPE_CHECKING:
    from relyon.analysis.comparison.runs import Progress
    from relyon.cli.inputs import Given
    from relyon.data.run import Run
    from relyon.data.traces import Traces
    from relyon.evaluation.program import Average
    from relyon.evaluation.results import Results
    from relyon.io import Source

__all__ = ["TaskFiles", "check_no_table"]

COLUMNS = ("task", "judgments", "run")
#: The usual names of columns.
NAMES = {
    "task": ("task", "任务", "任務"),
    "judgments": ("judgments", "qrels", "标注", "标注文件", "標註"),
    "run": ("run", "结果", "结果文件", "結果"),
    "name": ("name", "system", "model", "名称", "系统", "模型", "名稱"),
}
#: How MTEB ends the name of a file of predictions.
PREDICTIONS = "_predictions.json"


@request
class TaskFiles:
    """Several tasks, and what ranks are about."""

    table: str | None = option(
        "--tasks",
        "table",
        metavar="FILE",
        help="In place of JUDGMENTS and RUN: a table with the columns task, judgments and run"
        " (paths, relative to the table), and name (of the run; by default its file's). Every run"
        " needs a row per task. A run can be MTEB's TASK_predictions.json.",
    )
    given_way: Literal["fixed", "sampled"] | None = option(
        "--tasks-are",
        "given_way",
        type=click.Choice(["fixed", "sampled"]),
        default=None,
        help="With --tasks: fixed, the default, ranks runs on these tasks, over other queries of"
        " each; sampled ranks them on other tasks like these, so that tasks are the units.",
    )

    def __bool__(self) -> bool:
        return self.table is not None

    def __post_init__(self) -> None:
        if self.given_way is not None and not self:
            raise ParameterError(
                message("cli.tasks-are-needs-tasks"), hint=message("cli.give-tasks-table")
            )

    @property
    def way(self) -> Literal["fixed", "sampled"]:
        """What ranks are about."""
        return self.given_way or "fixed"

    @property
    def paths(self) -> list[str]:
        """The file, which may not be written to."""
        return [] if self.table is None else [self.table]

    def results(
        self,
        given: Given,
        measures: Sequence[str],
        *,
        average: Average | None,
        threads: int,
        progress: Progress,
    ) -> dict[str, list[Results]]:
        """Returns the evaluations of every task.

        Args:
            given: The options of the inputs.
            measures: The measures; the default ones if empty.
            average: As for `relyon.evaluate`.
            threads: As for `relyon.evaluate`.
            progress: Called with the work done, the total, and the next step.

        Raises:
            InputError: If the table lacks a column or a value, or a file cannot be used.
        """
        from relyon.evaluation import DEFAULT_MEASURES, Evaluator

        rows = self._rows()
        found: dict[str, list[Results]] = {}
        evaluators: dict[str, tuple[str, Evaluator]] = {}
        for place, (task, judged, name, path) in enumerate(rows):
            progress(place, len(rows), f"{task}: {name}")
            if task not in evaluators:
                evaluator = Evaluator(
                    given.judgments(judged),
                    convention=given.convention,
                    scale=given.scale,
                    threads=threads,
                )
                evaluators[task] = judged, evaluator
            if evaluators[task][0] != judged:
                raise InputError(
                    message("cli.task-has-two-judgments", task=task), path=self.table or ""
                )
            if any(one.run == name for one in found.get(task, [])):
                raise InputError(
                    message("cli.task-has-run-twice", task=task, name=name), path=self.table or ""
                )
            run = self._run(given, path, name)
            found.setdefault(task, []).append(
                evaluators[task][1].evaluate(
                    run, measures or DEFAULT_MEASURES, name=name, average=average
                )
            )
        return found

    def _run(self, given: Given, path: str, name: str) -> Run | Traces | Source:
        if path.endswith(PREDICTIONS):
            from relyon.compat import mteb

            return mteb.run(path, name=name)
        return given.run(path, name)

    def _rows(self) -> list[tuple[str, str, str, str]]:
        """Returns task, judgments, name and run of every row."""
        from relyon.io.descriptions import named_column
        from relyon.io.table_files import read_table

        path = self.table or ""
        table = read_table(path)
        absent = [role for role in NAMES if role not in table.columns]
        usual = {role: named_column(table, NAMES[role], "") for role in absent}
        table = table.rename({name: role for role, name in usual.items() if name is not None})
        lacking = [name for name in COLUMNS if name not in table.columns]
        if lacking:
            raise InputError(
                message("cli.tasks-lack-column", name=lacking[0], names=[*table.columns]),
                path=path,
                hint=message("cli.write-tasks-table"),
            )
        folder = os.path.dirname(path)
        rows = []
        for place, row in enumerate(table.iter_rows(named=True), 2):
            empty = next((name for name in COLUMNS if row[name] in (None, "")), None)
            if empty is not None:
                raise InputError(
                    message("cli.task-row-lacks-value", row=place, name=empty), path=path
                )
            run = str(row["run"])
            name = str(row.get("name") or run_names([run], ())[0])
            judged, file = (os.path.join(folder, one) for one in (str(row["judgments"]), run))
            rows.append((str(row["task"]), judged, name, file))
        return rows


def check_no_table(files: Sequence[str]) -> None:
    """Refuses a lone file that is a table of tasks, or of values, and names its option.

    Args:
        files: The arguments, which should be judgments and runs.

    Raises:
        ParameterError: If there is one file, of either kind.
    """
    from relyon.io.table_files import has_table, read_table

    if len(files) != 1 or not has_table(files[0]) or not os.path.exists(files[0]):
        return
    path = files[0]
    columns = {name.strip().lower() for name in read_table(path).columns}

    def has(role: str) -> bool:
        return not columns.isdisjoint(NAMES[role])

    if all(map(has, COLUMNS)):
        raise ParameterError(
            message("cli.is-table-of-tasks", path=path),
            hint=message("cli.give-file-with-option", option="--tasks", path=path),
        )
    if "query" in columns and columns.isdisjoint(("document", "grade", "score")):
        raise ParameterError(
            message("cli.is-table-of-values", path=path),
            hint=message("cli.give-file-with-option", option="--values", path=path),
        )
