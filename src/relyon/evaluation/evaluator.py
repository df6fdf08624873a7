"""Evaluates one or more runs against judgments."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

from relyon import _native
from relyon.core.errors import InputError, ParameterError
from relyon.core.parameters import check_type, check_whole
from relyon.core.texts import message as say
from relyon.data.convention import Convention, load_convention
from relyon.data.input_fingerprints import Content, InputFingerprints, content_of
from relyon.data.judgments import Judgments
from relyon.data.run import Run, run_name
from relyon.evaluation.assembly import assemble
from relyon.evaluation.data_errors import negative_grade, no_common_query
from relyon.evaluation.defaults import DEFAULT_MEASURES
from relyon.evaluation.facts import RunFacts
from relyon.evaluation.measure_columns import python_columns
from relyon.evaluation.mistakes import refuse_columns_as_runs
from relyon.evaluation.notes import data_notes, missing_note, notes_on
from relyon.evaluation.program import Average, MeasureNames, Program
from relyon.evaluation.results import Results
from relyon.evaluation.sources import evaluate_run
from relyon.io import read_judgments, read_run

if TYPE_CHECKING:
    from relyon.data.ranking import Ranking
    from relyon.data.scale import Scale

__all__ = ["Evaluator", "evaluate"]


def evaluate(
    judgments: object,
    run: object,
    measures: MeasureNames = DEFAULT_MEASURES,
    *,
    convention: Convention | str | Mapping[str, object] | None = None,
    average: Average | None = None,
    scale: Scale | str | None = None,
    name: str | None = None,
    strict: bool = False,
    threads: int = 0,
) -> Results:
    """Evaluates one run against judgments.

    Args:
        judgments: `Judgments`, a file, a dict {query: {document: grade}}, or a data frame with
            the columns query, document and grade. A `Run` compares two runs without judgments
            (`rbo`, `overlap@k`, `tau_ap`).
        run: `Run`, a file, a dict {query: {document: score}}, or a data frame with the columns
            query, document and score.
        measures: One or more names such as `ndcg@10`, or `Measure` objects.
        convention: The rules: a preset's name, a file, a mapping of fields, or a `Convention`.
        average: `macro` or `micro` for measures that have both; `None` takes each measure's
            default.
        scale: The grade scale: a name, a file or a `Scale`; `None` takes the judgments' own.
        name: The name of the run; by default its file's name.
        strict: Turns warnings about the data into a `StrictError`.
        threads: Threads to use; 0 uses all cores. Results do not depend on it.

    Returns:
        A mapping from measure names to numbers, with `.summary`, `.per_query`, `.notes`.

    Raises:
        InputError: If the data cannot be used; the message names file and line.
        UnknownNameError: If a measure, parameter, preset or scale has no such name.
        ParameterError: If a parameter has an invalid value.
        StrictError: If `strict` and there is a warning.

    Examples:
        >>> import relyon
        >>> judgments = {"q1": {"d1": 3, "d2": 2, "d3": 0}}
        >>> run = {"q1": {"d2": 1.5, "d1": 1.2, "d3": 0.3}}
        >>> round(relyon.evaluate(judgments, run, ["ndcg@10"])["ndcg@10"], 10)
        0.9134015925
    """
    refuse_columns_as_runs(judgments, [run])
    evaluator = Evaluator(judgments, convention=convention, scale=scale, threads=threads)
    return evaluator.evaluate(run, measures, average=average, name=name, strict=strict)


class Evaluator:
    """Judgments read once and used for many runs.

    Args:
        judgments: See `evaluate`.
        convention: See `evaluate`.
        scale: See `evaluate`.
        threads: See `evaluate`.

    Examples:
        >>> import relyon
        >>> evaluator = relyon.Evaluator({"q": {"a": 1, "b": 0}})
        >>> [evaluator.evaluate({"q": {"a": s, "b": 1.0}}, "rr")["rr"] for s in (2.0, 0.5)]
        [1.0, 0.5]
    """

    def __init__(
        self,
        judgments: object,
        *,
        convention: Convention | str | Mapping[str, object] | None = None,
        scale: Scale | str | None = None,
        threads: int = 0,
    ) -> None:
        self.convention = load_convention(convention)
        self.threads = check_whole("threads", threads, least=0)
        chosen = None
        if scale is not None:
            from relyon.data.scale import load_scale

            chosen = load_scale(scale)
        self.reference: Run | None = judgments if isinstance(judgments, Run) else None
        self.judgments = (
            Judgments.from_dict({})
            if self.reference is not None
            else read_judgments(judgments, scale=chosen)
        )
        self.scale = chosen or self.judgments.scale

    def evaluate(
        self,
        run: object,
        measures: MeasureNames = DEFAULT_MEASURES,
        *,
        average: Average | None = None,
        name: str | None = None,
        strict: bool = False,
    ) -> Results:
        """Evaluates one run; see `relyon.evaluate`."""
        if name is not None:
            check_type("name", name, str, "text")
        title = name or run_name(run)
        if self.reference is not None:
            return self._compare(self._program(measures, average), run, title, strict)
        return self.evaluate_lists(run, [measures], average=average, name=title, strict=strict)[0]()

    def evaluate_lists(
        self,
        run: object,
        lists: Sequence[MeasureNames],
        *,
        average: Average | None = None,
        name: str = "",
        strict: bool = False,
    ) -> list[Callable[[], Results]]:
        """Evaluates several lists of measures in one pass over a run, against judgments.

        Args:
            run: See `evaluate`.
            lists: The lists of measures.
            average: See `evaluate`.
            name: The name of the run.
            strict: See `evaluate`.

        Returns:
            For each list a function that returns what `evaluate` returns for it; it issues
            the warnings and raises the errors about its measures.
        """
        programs = [self._program(one, average) for one in lists]
        asked = {str(one): one for program in programs for one in program.asked}
        program = programs[0] if len(lists) == 1 else self._program(asked.values(), average)
        if program.convention.negative == "error" and self.judgments.table.negatives:
            raise negative_grade(self.judgments)
        batch, columns, found = evaluate_run(self.judgments, program, run, self.threads)
        if not len(self.judgments.table):
            raise InputError(say("core.there-are-no-judgments"), path=self.judgments.path)
        facts = RunFacts.of(batch, self.judgments)
        if facts.missing == facts.queries and facts.unjudged:
            raise no_common_query(self.judgments.queries, batch.unjudged_examples)

        def assembled(one: Program) -> Results:
            own = {str(asked): columns[str(asked)] for asked in one.asked}
            notes = [*self.judgments.notes, *notes_on(found, [mine.shown for mine in one.asked])]
            notes += data_notes(one, facts, own)
            inputs = partial(self._inputs, run if isinstance(run, Run) else None)
            return assemble(name, one, lambda: batch.queries, own, notes, strict, inputs)

        return [partial(assembled, one) for one in programs]

    @cached_property
    def _content(self) -> Content:
        passages = self.judgments.passages
        return content_of(self.judgments.table if passages is None else passages.table)

    def _inputs(self, run: Run | None) -> InputFingerprints:
        """Returns the fingerprints of what was evaluated; that of a run only if it is kept."""
        kept = None if run is None else content_of(run.table)
        return InputFingerprints.of(self._content, self.scale, self.convention, kept)

    def _program(self, measures: MeasureNames, average: Average | None) -> Program:
        highest = self.judgments.table.highest
        program = Program.compile(measures, self.convention, self.scale, average, highest)
        program.check_inputs(self.reference is not None)
        return program

    def _compare(self, program: Program, other: object, title: str, strict: bool) -> Results:
        """Compares two runs without judgments."""
        from relyon.data.ranking import Ranking

        reference = self.reference
        if reference is None:
            raise ParameterError(say("evaluation.there-is-no-other"))
        run = read_run(other)
        queries = reference.queries
        held = [query for query in queries if query in run.table]
        missing = [query for query in queries if query not in run.table]
        if program.convention.missing == "skip":
            missing = []

        def order(table: _native.RunTable, query: str) -> Ranking:
            documents, scores, ranks = table.documents(query)
            return Ranking.build(
                {}, documents, scores, program.convention, ranks=ranks, query=query
            )

        def rankings() -> Iterable[Ranking]:
            for query in held + missing:
                theirs = order(reference.table, query)
                ours = order(run.table, query) if query in run.table else Ranking((), {}, query)
                yield replace(ours, reference=tuple(entry.document for entry in theirs))

        columns = python_columns(program, rankings(), len(missing))
        notes = [*reference.notes, *run.notes]
        if missing:
            notes.append(missing_note(len(missing), missing, "first"))
        return assemble(title, program, held + missing, columns, notes, strict)
