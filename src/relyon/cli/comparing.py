"""The comparison of the files of a command, and what is known of their queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click

from relyon.core.errors import ParameterError
from relyon.core.texts import message

if TYPE_CHECKING:
    from relyon.analysis.comparison import Comparison
    from relyon.analysis.comparison.query_facts import CompareOptions
    from relyon.cli.inputs import Given
    from relyon.cli.messages import Progress
    from relyon.evaluation.program import Average

__all__ = ["check_two_runs", "compare_given"]


def compare_given(
    given: Given,
    files: Sequence[str],
    measures: Sequence[str],
    settings: CompareOptions,
    *,
    names: Sequence[str] | Mapping[str, Sequence[str]] = (),
    average: Average | None = None,
    progress: Progress | None = None,
    lists: bool = True,
    further: Sequence[str] = (),
) -> Comparison:
    """Compares the given runs or scores.

    Args:
        given: The options of the inputs.
        files: As for `Given.lists`.
        measures: The measures; the default ones if empty.
        settings: The settings of the tests, and what is known of queries: without a table of
            them, one file of scored rows has their columns.
        names: As for `Given.lists`; or the runs of each system by its name, in place of the files'
            runs.
        average: As for `relyon.evaluate`.
        progress: As for `relyon.compare`.
        lists: Whether single queries will be shown; otherwise runs are streamed, and one file of
            scored rows is not kept.
        further: Measures that will be computed later, to evaluate in the same pass.

    Raises:
        ParameterError: If two runs are missing.
    """
    from relyon.analysis.comparison import compare_results, compare_scores
    from relyon.analysis.comparison.inputs import compare_runs
    from relyon.analysis.comparison.repeats.systems import System, systems_of_runs
    from relyon.evaluation import DEFAULT_MEASURES, DEFAULT_SCORE_MEASURES

    systems: list[System] = []
    if isinstance(names, Mapping):
        systems = systems_of_runs(names)
        files = [files[0], *(run for runs in names.values() for run in runs)]
        names = [run for one in systems for run in one.runs]
    if given.scored and settings.get("queries") is None and len(given.scored.files) == 1:
        settings = {**settings, "queries": given.scored.files[0]}
    if given.scored and not lists and not files and len(given.scored.files) == 1:
        models = given.scored.models((), names, least=2)
        threads = settings.get("threads", 0)
        results = [
            one.evaluate(measures, given.convention, given.scale, average=average, threads=threads)
            for one in models
        ]
        return compare_results(results, **settings)
    if given.scored:
        rows = given.scored.rows(files, names, given.scale, least=2)
        with given.naming():
            return compare_scores(
                rows,
                list(measures) or DEFAULT_SCORE_MEASURES,
                convention=given.convention,
                average=average,
                scale=given.scale,
                progress=progress,
                **settings,
            )
    check_two_runs(files)
    found = given.lists(files, names, whole=lists, traces=True)
    with given.naming(files):
        return compare_runs(
            found.judgments,
            found.runs,
            list(measures) or DEFAULT_MEASURES,
            further,
            names=systems or found.names,
            convention=given.convention,
            average=average,
            scale=given.scale,
            progress=progress,
            **settings,
        )


def check_two_runs(files: Sequence[str]) -> None:
    """Rejects files that are not judgments and two runs.

    Raises:
        ParameterError: If one is missing.
    """
    if len(files) > 2:
        return
    missing = ("JUDGMENTS", "BASELINE", "CANDIDATE")[len(files) :]
    shown = " ".join(files) or "judgments.qrels"
    rest = ("bm25.run new.run", "bm25.run new.run", "new.run")[len(files)]
    raise ParameterError(
        message("cli.arguments-are-missing", missing=missing, count=len(missing)),
        hint=f"relyon {click.get_current_context().info_name} {shown} {rest}",
    )
