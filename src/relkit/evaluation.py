"""From judgments and a run to every measure."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, Literal

from relkit import _native, io
from relkit.convention import Convention, load_convention
from relkit.errors import InputError, ParameterError, StrictError
from relkit.io import as_judgments, as_run
from relkit.judgments import Judgments
from relkit.measures.base import Measure
from relkit.measures.names import measures as parse_measures
from relkit.notes import Note
from relkit.results import Entry, Parts, Results
from relkit.run import Run

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from relkit.io.arrays import Rows
    from relkit.io.scored import Scored
    from relkit.ranking import Ranking
    from relkit.scale import Scale

__all__ = [
    "DEFAULT_MEASURES",
    "Accumulator",
    "Evaluator",
    "evaluate",
    "evaluate_scores",
    "run_name",
]

DEFAULT_MEASURES = ("ndcg@10", "ndcg", "ap", "recall@100", "rr@10", "judged@10")
DEFAULT_SCORE_MEASURES = ("auc", "gauc", "pnr", "ndcg@10")

Average = Literal["macro", "micro"]
MeasureNames = str | Measure | Iterable[str | Measure]


def evaluate(
    judgments: Any,
    run: Any,
    measures: MeasureNames = DEFAULT_MEASURES,
    *,
    convention: Convention | str | Mapping[str, Any] | None = None,
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
        average: `macro` or `micro` for the measures that have both; `None` takes each one's own.
        scale: The grade scale: a name, a file or a `Scale`; `None` takes the judgments' own.
        name: What to call the run; by default its file's name.
        strict: Turns warnings about the data into a `StrictError`.
        threads: Threads to use; 0 takes one a processor. The numbers do not depend on it.

    Returns:
        A mapping from measure names to numbers, with `.summary`, `.per_query`, `.notes`.

    Raises:
        InputError: If the data cannot be used; the message names file and line.
        UnknownNameError: If a measure, parameter, preset or scale has no such name.
        ParameterError: If a parameter has an impossible value.
        StrictError: If `strict` and there is a warning.

    Examples:
        >>> import relkit
        >>> judgments = {"q1": {"d1": 3, "d2": 2, "d3": 0}}
        >>> run = {"q1": {"d2": 1.5, "d1": 1.2, "d3": 0.3}}
        >>> round(relkit.evaluate(judgments, run, ["ndcg@10"])["ndcg@10"], 10)
        0.9134015925
    """
    evaluator = Evaluator(judgments, convention=convention, scale=scale, threads=threads)
    return evaluator.evaluate(run, measures, average=average, name=name, strict=strict)


class Evaluator:
    """Judgments read once and used for many runs.

    Args:
        judgments: As for `evaluate`.
        convention: As for `evaluate`.
        scale: As for `evaluate`.
        threads: As for `evaluate`.

    Examples:
        >>> import relkit
        >>> evaluator = relkit.Evaluator({"q": {"a": 1, "b": 0}})
        >>> [evaluator.evaluate({"q": {"a": s, "b": 1.0}}, "rr")["rr"] for s in (2.0, 0.5)]
        [1.0, 0.5]
    """

    def __init__(
        self,
        judgments: Any,
        *,
        convention: Convention | str | Mapping[str, Any] | None = None,
        scale: Scale | str | None = None,
        threads: int = 0,
    ) -> None:
        self.convention = load_convention(convention)
        self.threads = _check_threads(threads)
        chosen = _chosen_scale(scale)
        self.reference: Run | None = judgments if isinstance(judgments, Run) else None
        self.judgments = (
            Judgments.from_dict({})
            if self.reference is not None
            else as_judgments(judgments, chosen)
        )
        self.scale = chosen or self.judgments.scale

    def evaluate(
        self,
        run: Any,
        measures: MeasureNames = DEFAULT_MEASURES,
        *,
        average: Average | None = None,
        name: str | None = None,
        strict: bool = False,
    ) -> Results:
        """Evaluates one run; see `relkit.evaluate`."""
        program = Program.compile(
            measures, self.convention, self.scale, average, self.judgments.table.highest
        )
        program.check_inputs(self.reference is not None)
        title = name or run_name(run)
        if self.reference is not None:
            return self._compare(program, run, title, strict)
        batch, columns, found = self._measure(program, run)
        if not len(self.judgments.table):
            raise InputError("there are no judgments", path=self.judgments.source)
        if batch.missing == len(batch.queries) and batch.unjudged_queries:
            raise self._no_common_query(batch)
        notes = [*self.judgments.notes, *found]
        notes += _notes(program, batch, columns, self.judgments)
        return _finish(title, program, lambda: batch.queries, columns, notes, strict)

    def _measure(
        self, program: Program, run: Any
    ) -> tuple[_native.Batch, dict[str, _Column], tuple[Note, ...]]:
        """Evaluates a run where it lies: a file is streamed, a frame's columns are not copied."""
        table = self.judgments.table
        notes: tuple[Note, ...] = ()
        if not program.in_python and _is_frame(run):
            batch, notes = _evaluate_frame(table, program, run, self.threads)
        elif program.in_python or not _streams(run):
            run = as_run(run)
            notes = run.notes
            batch = _native.evaluate_run(table, program.plan, run.table, self.threads)
        else:
            batch = _stream(table, program.plan, run, self.threads)
        columns = _columns(program, batch)
        if program.in_python:
            columns |= self._in_python(program, batch, run)
        return batch, columns, notes

    def _in_python(self, program: Program, batch: _native.Batch, run: Run) -> dict[str, _Column]:
        """Evaluates the measures that have no kernel, query by query."""
        from relkit.ranking import Ranking

        convention = program.convention

        def rankings() -> Iterable[Ranking]:
            for query in batch.queries:
                documents, scores, ranks = (
                    run.table.documents(query) if query in run.table else ([], [], None)
                )
                yield Ranking.build(
                    self.judgments.table.grades(query),
                    documents,
                    scores,
                    convention,
                    ranks=ranks,
                    query=query,
                )

        return _python_columns(program, rankings(), batch.missing)

    def _compare(self, program: Program, other: Any, title: str, strict: bool) -> Results:
        """Compares two runs without judgments."""
        from relkit.ranking import Ranking

        reference = self.reference
        if reference is None:
            raise ParameterError("there is no other run to compare with")
        run = as_run(other)
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

        columns = _python_columns(program, rankings(), len(missing))
        notes = [*reference.notes, *run.notes]
        if missing:
            notes.append(_missing_note(len(missing), missing, "the first run"))
        return _finish(title, program, held + missing, columns, notes, strict)

    def _no_common_query(self, batch: _native.Batch) -> InputError:
        judged = self.judgments.queries
        note = io.explain_mismatch(judged, batch.unjudged_examples)
        return InputError(
            "no query of the run is judged: the judgments have "
            + ", ".join(f"`{query}`" for query in judged[:3])
            + ", the run has "
            + ", ".join(f"`{query}`" for query in batch.unjudged_examples[:3]),
            hint=str(note) if note else "check that both files use the same query ids",
        )


@dataclass(frozen=True)
class _Column:
    """One measure over all queries."""

    values: Callable[[], list[float]]
    total: _native.Total
    parts: Callable[[], Parts]


@dataclass(frozen=True)
class Program:
    """Measures resolved against a convention, and the plan of those that have a kernel.

    Attributes:
        asked: The measures as the caller named them.
        resolved: The same with every parameter filled in.
        forms: How each one's queries become one number.
        plan: The native plan.
        places: Index in the plan of each measure that has a kernel.
    """

    asked: tuple[Measure, ...]
    resolved: tuple[Measure, ...]
    forms: tuple[str, ...]
    convention: Convention
    plan: _native.Plan
    places: Mapping[str, int]

    @classmethod
    def compile(
        cls,
        measures: MeasureNames,
        convention: Convention,
        scale: Scale | None,
        average: Average | None,
        highest: float = math.nan,
    ) -> Program:
        """Resolves measures and makes the plan.

        Raises:
            ParameterError: If no measure is given, or `average` is neither macro nor micro.
        """
        asked = tuple(parse_measures(measures))
        if not asked:
            raise ParameterError("no measure was given", hint="name one, such as ndcg@10")
        if average not in {None, "macro", "micro"}:
            raise ParameterError(
                f"the parameter `average` must be `macro` or `micro`. Got `{average}` instead."
            )
        resolved = tuple(one.resolve(convention, scale, highest) for one in asked)
        kernels: list[tuple[str, dict[str, Any]]] = []
        places: dict[str, int] = {}
        for name, one in zip(asked, resolved, strict=True):
            kernel = one.kernel()
            if kernel is not None:
                places[str(name)] = len(kernels)
                parameters = {key: value for key, value in kernel[1].items() if value is not None}
                kernels.append((kernel[0], parameters))
        plan = _native.Plan(
            kernels,
            ties=convention.ties,
            unjudged=convention.unjudged,
            negative=convention.negative,
            missing=convention.missing,
            float32=convention.scores == "float32",
        )
        forms = tuple(average if average in one.averages else one.averages[0] for one in resolved)
        return cls(asked, resolved, forms, convention, plan, places)

    @property
    def in_python(self) -> list[tuple[str, Measure]]:
        """The measures without a kernel."""
        return [
            (str(name), one)
            for name, one in zip(self.asked, self.resolved, strict=True)
            if str(name) not in self.places
        ]

    def check_inputs(self, reference: bool) -> None:
        """Refuses measures that need what is not there.

        Raises:
            ParameterError: If a measure needs judgments and a run is given, or the reverse.
        """
        for one in self.asked:
            if reference and one.needs == "judgments":
                raise ParameterError(
                    f"`{one}` needs judgments, and the first argument is a run",
                    hint="two runs can be compared with rbo, overlap@k and tau_ap",
                )
            if not reference and one.needs == "reference":
                raise ParameterError(
                    f"`{one}` compares two runs, and the first argument is judgments",
                    hint="give the other run in place of the judgments",
                )


def _streams(run: Any) -> bool:
    """Whether a run can be evaluated without keeping it."""
    if isinstance(run, str | PathLike):
        return io.is_trec_run(fspath(run))
    return isinstance(run, Mapping)


def _is_frame(run: Any) -> bool:
    if isinstance(run, str | PathLike | Mapping | Run):
        return False
    from relkit.columns import is_frame

    return is_frame(run)


def _evaluate_frame(
    table: _native.JudgmentTable, program: Program, frame: Any, threads: int
) -> tuple[_native.Batch, tuple[Note, ...]]:
    """Evaluates the columns of a data frame where they lie."""
    from relkit.columns import polars_columns, run_columns

    columns = polars_columns(frame, "run")
    if program.convention.ties != "rank" and "score" in columns:
        columns.pop("rank", None)
    run = run_columns(columns)
    batch = _native.evaluate_arrow(
        table, program.plan, run.query, run.document, run.score, run.rank, threads
    )
    return batch, run.notes


def _stream(
    table: _native.JudgmentTable, plan: _native.Plan, run: Any, threads: int
) -> _native.Batch:
    if isinstance(run, Mapping):
        return _native.evaluate_dict(table, plan, run)
    with io.open_source(fspath(run)) as source, ExitStack() as readers:
        if source.plain:
            return _native.evaluate_text(table, plan, source.path, threads)

        def again() -> Callable[[int], bytes]:
            reader = source.open()
            readers.callback(reader.close)
            return reader.read

        once = source.waiting
        return _native.evaluate_chunks(
            table, plan, source.read, source.path, None if once else again, threads
        )


def run_name(run: Any) -> str:
    """Returns what to call a run: its own name, its file's, or `run`."""
    if isinstance(run, Run):
        return run.name
    if isinstance(run, str | PathLike):
        path = fspath(run)
        return "stdin" if path == "-" else path.replace("\\", "/").rsplit("/", 1)[-1]
    name = getattr(run, "name", None)
    return name if isinstance(name, str) and name else "run"


def _chosen_scale(scale: Scale | str | None) -> Scale | None:
    if scale is None:
        return None
    from relkit.scale import load_scale

    return load_scale(scale)


def _check_threads(threads: int) -> int:
    if not isinstance(threads, int) or isinstance(threads, bool) or threads < 0:
        raise ParameterError(
            f"the parameter `threads` must be a whole number of 0 or more. Got `{threads}` instead."
        )
    return threads


def _columns(program: Program, batch: _native.Batch) -> dict[str, _Column]:
    def column(place: int) -> _Column:
        return _Column(
            lambda: batch.values(place), batch.total(place), lambda: batch.arrays(place)[1:]
        )

    return {name: column(place) for name, place in program.places.items()}


def _python_columns(
    program: Program, rankings: Iterable[Ranking], missing: int
) -> dict[str, _Column]:
    """Evaluates measures in Python over rankings, of which the last `missing` are empty."""
    wanted = program.in_python
    expected = program.convention.ties == "expected"
    values: dict[str, list[float]] = {name: [] for name, _ in wanted}
    parts: dict[str, list[tuple[float, float]]] = {name: [] for name, _ in wanted}
    for ranking in rankings:
        for name, one in wanted:
            values[name].append(one.expected(ranking) if expected else one.value(ranking))
            parts[name].append(one.parts(ranking))
    columns = {}
    for name, _ in wanted:
        total = _native.Total()
        numerators = [numerator for numerator, _ in parts[name]]
        denominators = [denominator for _, denominator in parts[name]]
        total.add(values[name], numerators, denominators, missing)
        columns[name] = _kept_column(values[name], total, (numerators, denominators))
    return columns


def _kept_column(
    values: Sequence[float], total: _native.Total, parts: tuple[Sequence[float], Sequence[float]]
) -> _Column:
    return _Column(lambda: list(values), total, lambda: parts)


def _entry(measure: Measure, form: str, total: _native.Total, convention: Convention) -> Entry:
    details: dict[str, float] = {}
    counted, undefined = total.queries - total.undefined, total.undefined
    if measure.combine == "sum":
        value = total.numerator
        counted = total.queries
    elif form == "macro" and measure.combine != "ratio":
        value = total.mean(convention.undefined)
        if convention.undefined != "skip":
            counted = total.queries
    elif measure.combine == "pooled":
        value = total.auc()
        # Every row takes part, also those of a query that has one class only.
        counted, undefined = total.queries, 0
    else:
        value = measure.micro(total.numerator, total.denominator)
    if measure.name == "pnr":
        positive, negative = total.numerator, total.denominator
        share = positive / (positive + negative) if positive + negative else math.nan
        details = {"positive": positive, "negative": negative}
        if not math.isnan(share):
            details["share"] = share
    return Entry(
        value=value,
        average=form,
        queries=counted,
        undefined=undefined,
        missing=total.missing,
        tie_sensitive=total.tie_sensitive,
        definition=str(measure),
        details=details,
    )


def _missing_note(count: int, examples: Sequence[str], where: str) -> Note:
    queries = "query is" if count == 1 else "queries are"
    return Note(
        "missing-queries",
        f"{count:,} {queries} in {where} and not in the run",
        count,
        "warning",
        tuple(examples[:3]),
    )


def _notes(
    program: Program,
    batch: _native.Batch,
    columns: Mapping[str, _Column],
    judgments: Judgments,
) -> list[Note]:
    """Says what a careful reader of the numbers would want to know."""
    notes = []
    if batch.missing:
        missing = batch.queries[-batch.missing :]
        notes.append(_missing_note(batch.missing, missing, "the judgments"))
    if batch.unjudged_queries:
        queries = "query" if batch.unjudged_queries == 1 else "queries"
        notes.append(
            Note(
                "unjudged-queries",
                f"{batch.unjudged_queries:,} {queries} of the run without judgments left out",
                batch.unjudged_queries,
                "warning",
                tuple(batch.unjudged_examples[:3]),
            )
        )
    if not batch.matched and len(batch.queries) > batch.missing:
        notes.append(
            Note(
                "no-judged-document",
                "no retrieved document is judged: do both sides use the same document ids?",
                1,
                "warning",
            )
        )
    table = judgments.table
    if table.negatives:
        treated = {
            "nonrelevant": "count as judged and not relevant",
            "unjudged": "count as unjudged",
        }.get(program.convention.negative, "")
        notes.append(
            Note(
                "negative-grades", f"{table.negatives:,} grades below 0 {treated}", table.negatives
            )
        )
    if batch.regrouped:
        notes.append(
            Note("regrouped", "the run's lines are not grouped by query: it was read whole")
        )
    return notes + _measure_notes(program, columns)


def _measure_notes(program: Program, columns: Mapping[str, _Column]) -> list[Note]:
    notes = []
    undefined: dict[int, list[str]] = {}
    tied: list[tuple[int, str]] = []
    for one, form in zip(program.asked, program.forms, strict=True):
        total = columns[str(one)].total
        if total.undefined and not (one.combine == "pooled" and form == "micro"):
            undefined.setdefault(total.undefined, []).append(str(one))
        if total.tie_sensitive and program.convention.ties != "expected":
            tied.append((total.tie_sensitive, str(one)))
    treated = {"skip": "left out", "zero": "counted as 0", "one": "counted as 1"}
    for count, names in undefined.items():
        notes.append(
            Note(
                "undefined-queries",
                f"{count:,} {'query' if count == 1 else 'queries'} without a value"
                f" {treated[program.convention.undefined]}: {', '.join(names)}",
                count,
            )
        )
    if tied:
        count, name = max(tied)
        notes.append(
            Note(
                "tie-sensitive",
                f"{count:,} {'query has' if count == 1 else 'queries have'} equal scores across"
                f" the cutoff of {name}: ties={program.convention.ties} decides",
                count,
            )
        )
    return notes


def _finish(
    title: str,
    program: Program,
    queries: list[str] | Callable[[], list[str]] | None,
    columns: Mapping[str, _Column],
    notes: list[Note],
    strict: bool,
) -> Results:
    warnings = [note for note in notes if note.level == "warning"]
    if strict and warnings:
        raise StrictError(
            f"{title}: " + "; ".join(str(note) for note in warnings),
            hint="without strict these warnings are only printed",
        )
    entries = {
        str(asked): _entry(resolved, form, columns[str(asked)].total, program.convention)
        for asked, resolved, form in zip(
            program.asked, program.resolved, program.forms, strict=True
        )
    }
    kept = queries if callable(queries) or queries is None else lambda: list(queries)
    return Results(
        run=title,
        entries=entries,
        convention=program.convention,
        notes=tuple(notes),
        queries=kept,
        columns={name: column.values for name, column in columns.items()} if kept else {},
        parts={name: column.parts for name, column in columns.items()} if kept else {},
    )


def evaluate_scores(
    labels: ArrayLike | Scored,
    scores: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    measures: MeasureNames = DEFAULT_SCORE_MEASURES,
    *,
    convention: Convention | str | Mapping[str, Any] | None = None,
    average: Average | None = None,
    scale: Scale | str | None = None,
    name: str = "scores",
    strict: bool = False,
    threads: int = 0,
) -> Results:
    """Evaluates labelled scores: an offline test set.

    Documents have no ids here, so a tie rule that needs them (`doc-desc`, `doc-asc`) falls back
    to `input`, the order in which the rows are given.

    Args:
        labels: Grades, shape (rows,), or (queries, documents) with one query a row; or what
            `read_scored` returns, which holds scores and groups too.
        scores: Model scores of the same shape.
        groups: Rows a query (sizes that add up to the number of rows), or one query id a row.
            `None`: one query, or one a row of a 2-D array.
        measures: One or more names such as `auc`, `pnr`, `ndcg@10`.
        convention: As for `evaluate`.
        average: As for `evaluate`.
        scale: As for `evaluate`; with names in `labels` it is needed.
        name: What to call the scores.
        strict: As for `evaluate`.
        threads: As for `evaluate`.

    Raises:
        InputError: If shapes differ, or a score is NaN or infinite.

    Examples:
        >>> import relkit
        >>> results = relkit.evaluate_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1], [2, 2], ["auc"])
        >>> results["auc"]
        0.75
    """
    chosen = _chosen_scale(scale)
    rules = _array_rules(load_convention(convention))
    rows, notes = _rows(labels, scores, groups, chosen)
    program, columns = _evaluate_rows(
        rows, measures, rules, average, chosen, _check_threads(threads)
    )
    notes += _measure_notes(program, columns)
    return _finish(name, program, rows.queries, columns, notes, strict)


def _rows(
    labels: ArrayLike | Scored,
    scores: ArrayLike | None,
    groups: ArrayLike | None,
    scale: Scale | None,
) -> tuple[Rows, list[Note]]:
    """Returns labels and scores grouped by query, and what was noticed when they were read."""
    from relkit.io.arrays import Rows, group_rows
    from relkit.io.scored import Scored

    if isinstance(labels, Scored):
        if scores is not None or groups is not None:
            raise ParameterError("what read_scored returns holds its own scores and groups")
        return Rows(labels.labels, labels.scores, labels.groups, labels.queries), list(labels.notes)
    if scores is None:
        raise ParameterError("scores are missing", hint="give one score for each label")
    return group_rows(labels, scores, groups, scale), []


def _array_rules(convention: Convention) -> Convention:
    if convention.ties in {"doc-desc", "doc-asc"}:
        return convention.replace(ties="input", name=convention.name)
    if convention.ties == "rank":
        raise ParameterError(
            "ties=rank needs a rank column, and arrays of scores have none",
            hint="choose another tie rule, such as ties=input",
        )
    return convention


def _evaluate_rows(
    rows: Rows,
    measures: MeasureNames,
    convention: Convention,
    average: Average | None,
    scale: Scale | None,
    threads: int,
) -> tuple[Program, dict[str, _Column]]:
    highest = float(rows.labels.max()) if rows.labels.size else math.nan
    program = Program.compile(measures, convention, scale, average, highest)
    program.check_inputs(False)
    batch = _native.evaluate_arrays(program.plan, rows.labels, rows.scores, rows.offsets, threads)
    columns = _columns(program, batch)
    if program.in_python:
        from relkit.ranking import Ranking

        def rankings() -> Iterable[Ranking]:
            for query, grades, values in rows.lists():
                names = [str(row) for row in range(len(grades))]
                yield Ranking.build(
                    dict(zip(names, grades, strict=True)), names, values, convention, query=query
                )

        columns |= _python_columns(program, rankings(), 0)
    return program, columns


class Accumulator:
    """Adds up evaluations of parts: batches, files, machines.

    Sums are exact, so any split and any order of merging gives the same bits as the whole.
    Per-query values are not kept. Accumulators can be pickled.

    Args:
        measures: As for `evaluate`.
        convention: As for `evaluate`.
        average: As for `evaluate`.
        scale: As for `evaluate`.

    Examples:
        >>> import relkit
        >>> one = relkit.Accumulator(["auc", "pnr"])
        >>> one.update_scores([1, 0], [0.9, 0.8])
        >>> two = relkit.Accumulator(["auc", "pnr"])
        >>> two.update_scores([1, 0], [0.7, 0.1])
        >>> one.merge(two)
        >>> one.compute()["auc"]
        0.75
    """

    def __init__(
        self,
        measures: MeasureNames,
        *,
        convention: Convention | str | Mapping[str, Any] | None = None,
        average: Average | None = None,
        scale: Scale | str | None = None,
    ) -> None:
        self.convention = load_convention(convention)
        self.scale = _chosen_scale(scale)
        self.average = average
        self.measures = parse_measures(measures)
        for one in self.measures:
            if one.name == "err" and one.max is None and self.scale is None:  # type: ignore[attr-defined]
                raise ParameterError(
                    "`err` needs the highest grade of the whole data, which one part does not know",
                    hint="name it: err(max=3)@10",
                )
        self._totals = {str(one): _native.Total() for one in self.measures}

    def update(self, judgments: Any, run: Any) -> None:
        """Adds the queries of one run and its judgments; see `evaluate`."""
        evaluator = Evaluator(judgments, convention=self.convention, scale=self.scale)
        program = Program.compile(self.measures, self.convention, evaluator.scale, self.average)
        program.check_inputs(False)
        _, columns, _ = evaluator._measure(program, run)
        self._add(columns)

    def update_scores(
        self, labels: ArrayLike, scores: ArrayLike, groups: ArrayLike | None = None
    ) -> None:
        """Adds labelled scores; see `evaluate_scores`. A query must not be split over calls."""
        rows, _ = _rows(labels, scores, groups, self.scale)
        rules = _array_rules(self.convention)
        columns = _evaluate_rows(rows, self.measures, rules, self.average, self.scale, 0)[1]
        self._add(columns)

    def _add(self, columns: Mapping[str, _Column]) -> None:
        for name, total in self._totals.items():
            total.merge(columns[name].total)

    def merge(self, other: Accumulator) -> None:
        """Adds what another accumulator holds.

        Raises:
            ParameterError: If it was made for other measures or another convention.
        """
        if (
            other.measures != self.measures
            or other.convention != self.convention
            or other.scale != self.scale
        ):
            raise ParameterError(
                "accumulators can be merged only if measures, convention and scale are the same"
            )
        for name, total in self._totals.items():
            total.merge(other._totals[name])

    def compute(self, name: str = "accumulated") -> Results:
        """Returns the measures over everything added so far."""
        program = Program.compile(self.measures, self.convention, self.scale, self.average)
        columns = {key: _kept_column([], total, ([], [])) for key, total in self._totals.items()}
        return _finish(name, program, None, columns, [], strict=False)

    def __getstate__(self) -> dict[str, Any]:
        state = dict(self.__dict__)
        state["_totals"] = {name: total.to_bytes() for name, total in self._totals.items()}
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._totals = {
            name: _native.Total.from_bytes(content) for name, content in state["_totals"].items()
        }
