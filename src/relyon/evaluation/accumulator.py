"""Evaluations accumulated over parts: batches, files, machines."""

from __future__ import annotations

import copy
import math
import threading
from collections.abc import Collection, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, get_args

from relyon import _native
from relyon.core.errors import InputError, ParameterError
from relyon.core.parameters import check_choice, check_whole
from relyon.core.texts import message
from relyon.data.convention import Convention, load_convention
from relyon.data.judgments import Judgments
from relyon.evaluation.assembly import assemble
from relyon.evaluation.data_errors import negative_grade, no_common_query
from relyon.evaluation.evaluator import Evaluator
from relyon.evaluation.facts import NAMED, RunFacts, known, merged, merged_labels, without_judgments
from relyon.evaluation.labelled_batches import Settings, evaluate_rows
from relyon.evaluation.measure_columns import Column, kept_column
from relyon.evaluation.notes import data_notes, label_notes
from relyon.evaluation.program import Average, MeasureNames, Program
from relyon.evaluation.results import Results
from relyon.evaluation.scores import array_rules, grouped_rows, without_formula
from relyon.evaluation.sources import evaluate_run
from relyon.measures.parser import measures as parse_measures

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from relyon.core.notes import Note
    from relyon.data.labelled import LabelFacts, LabelledRows
    from relyon.data.scale import Scale

__all__ = ["Accumulator"]

Queries = Literal["any", "once"]
#: Attributes that accumulators must share to be merged.
SAME = ("measures", "convention", "average", "scale", "queries")


class Accumulator:
    """Accumulates evaluations of parts: batches, files, machines.

    Sums are exact, so any split and any order of merging gives the same bits as the whole, as long
    as all rows of a query are in one part. Per-query values are not kept. Accumulators can be
    pickled; `one + two` leaves both as they are, as engines that repeat failed tasks require.
    Several threads may update and merge the same accumulators: evaluations run side by side, and
    each part is added as a whole.

    A part does not know the others. By default it counts the judged queries that its run lacks:
    give it the judgments of its own queries only. With ``queries="once"`` every part may have all
    judgments: it counts the queries of its run and keeps their names, a query in two parts is an
    error, and `finish` counts the judged queries that no part has.

    Args:
        measures: See `evaluate`.
        convention: See `evaluate`.
        average: See `evaluate`.
        scale: See `evaluate`.
        queries: `once` if the parts have different queries; `any` if a query
            may be in several, as in the test sets of several days.
        threads: Threads of each update; 0 uses all cores.

    Examples:
        >>> import relyon
        >>> one = relyon.Accumulator(["auc", "pnr"])
        >>> one.update_scores([1, 0], [0.9, 0.8])
        >>> two = relyon.Accumulator(["auc", "pnr"])
        >>> two.update_scores([1, 0], [0.7, 0.1])
        >>> one.merge(two)
        >>> one.compute()["auc"]
        0.75

        Two parts of a run have two of three judged queries:

        >>> judgments = {"q1": {"a": 1}, "q2": {"a": 1}, "q3": {"a": 1}}
        >>> one, two = (relyon.Accumulator("rr", queries="once") for _ in range(2))
        >>> one.update(judgments, {"q1": {"a": 1.0}})
        >>> two.update(judgments, {"q2": {"b": 2.0, "a": 1.0}})
        >>> one.merge(two)
        >>> one.finish(judgments)
        >>> one.compute()["rr"]
        0.5
    """

    def __init__(
        self,
        measures: MeasureNames,
        *,
        convention: Convention | str | Mapping[str, object] | None = None,
        average: Average | None = None,
        scale: Scale | str | None = None,
        queries: Queries = "any",
        threads: int = 0,
    ) -> None:
        self.convention = load_convention(convention)
        from relyon.data.scale import load_scale

        self.scale = load_scale(scale)
        self.average = average
        self.measures = parse_measures(measures)
        for one in self.measures:
            held = self.convention.measure_rules((one.name, *one.aliases))
            if one.needs_highest_grade and self.scale is None and "max" not in held:
                raise ParameterError(
                    message(
                        "evaluation.needs-highest-grade",
                        one_name=one.name,
                    ),
                    hint=message("evaluation.name-run", one=replace(one, max=3)),  # type: ignore[type-var]
                )
        check_choice("queries", queries, get_args(Queries))
        self.queries = queries
        self.threads = check_whole("threads", threads, least=0)
        self._totals = {str(one): _native.Total() for one in self.measures}
        self._weighty = dict.fromkeys(self._totals, 0)
        self._judged_on: Scale | None = None
        self._run: RunFacts | None = None
        self._labels: LabelFacts | None = None
        self._notes: tuple[Note, ...] = ()
        self._names: set[str] = set()
        self._finished = False
        self._lock = threading.Lock()

    def update(self, judgments: object, run: object) -> None:
        """Adds the queries of one run and its judgments; see `evaluate`.

        Raises:
            InputError: With ``queries="once"``, if a query was added before.
            ParameterError: After `finish`.
        """
        judged = self._judgments(judgments)
        rules = self.convention
        if self.queries == "once":
            rules = rules.replace(missing="skip", name=rules.name)
        batch, columns, notes = self._evaluated(judged, run, rules)
        facts = replace(RunFacts.of(batch, judged), skipped=0, skipped_examples=())
        if facts.matched < facts.rows:
            facts = replace(facts, lowest=known(math.inf))  # matters if all results are judged
        if self.queries == "once":
            facts = without_judgments(facts)
        else:
            notes = (*judged.notes, *notes)
        with self._lock:
            self._add(columns, batch.queries)
            self._note(facts, notes)

    def update_scores(
        self,
        labels: ArrayLike | LabelledRows,
        scores: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        weights: ArrayLike | None = None,
    ) -> None:
        """Adds labelled scores; see `evaluate_scores`. A query must not be split over calls.

        Raises:
            InputError: With ``queries="once"``, if a query was added before.
            ParameterError: With ``queries="once"``, if rows have no query ids; after `finish`.
        """
        self._refuse_finished()
        rows = grouped_rows(labels, scores, groups, self.scale, weights)
        if self.queries == "once" and rows.numbered:
            raise ParameterError(
                message("evaluation.queries-once-needs-query"),
                hint=message("evaluation.give-one-id-per"),
            )
        settings = Settings(
            array_rules(self.convention),
            self.average,
            self.scale,
            self.threads,
            without_formula(self.convention),
        )
        found = evaluate_rows(rows, self.measures, settings)
        with self._lock:
            self._add(found.columns, rows.queries)
            self._note(found.facts, found.notes)

    def merge(self, other: Accumulator) -> None:
        """Adds the contents of another accumulator.

        Raises:
            InputError: With ``queries="once"``, if both have a query.
            ParameterError: If the other one was created with other parameters; after `finish`.
        """
        if any(getattr(self, name) != getattr(other, name) for name in SAME):
            raise ParameterError(message("evaluation.accumulators-can-be-merged"))
        with ExitStack() as locked:
            # In one order, or two threads that merge each into the other wait forever.
            for lock in sorted({self._lock, other._lock}, key=id):
                locked.enter_context(lock)
            for one in (self, other):
                one._refuse_finished()
            self._take(other._names)
            for name, total in self._totals.items():
                total.merge(other._totals[name])
                self._weighty[name] += other._weighty[name]
            self._judged_on = self._judged_on or other._judged_on
            for facts in (other._run, other._labels):
                if facts is not None:
                    self._note(facts, ())
            self._notes = _joined((*self._notes, *other._notes))

    def __add__(self, other: Accumulator) -> Accumulator:
        """Returns a new accumulator with the contents of both; they stay as they are.

        Raises:
            InputError: See `merge`.
            ParameterError: See `merge`.
        """
        if not isinstance(other, Accumulator):
            return NotImplemented
        total = copy.copy(self)
        total.merge(other)
        return total

    def finish(self, judgments: object) -> None:
        """Counts the judged queries that no part has, with ``queries="once"``.

        Call it once, after the last merge and with all judgments. Nothing can be added afterwards.

        Raises:
            InputError: If there are no judgments.
            ParameterError: With ``queries="any"``, or if it was called before.
        """
        if self.queries == "any":
            raise ParameterError(
                message("evaluation.only-accumulator-with-queries"),
                hint=message("evaluation.otherwise-every-part-counts"),
            )
        judged = self._judgments(judgments)
        if not len(judged.table):
            raise InputError(message("core.there-are-no-judgments"), path=judged.path)
        left = _only(judged, [one for one in judged.queries if one not in self._names])
        batch, columns, _ = self._evaluated(left, {}, self.convention)
        with self._lock:
            self._add(columns, batch.queries)
            own = RunFacts.of(batch, left)
            facts = replace(
                RunFacts.of(batch, judged),
                skipped=own.skipped,
                skipped_examples=own.skipped_examples,
            )
            self._note(facts, judged.notes)
            self._finished = True

    def compute(self, name: str = "accumulated") -> Results:
        """Returns the measures over everything added so far.

        Raises:
            InputError: If no query of the runs is judged.
            ParameterError: With ``queries="once"``, if runs were added and `finish` was not called.
        """
        with self._lock:
            return self._computed(name)

    def _computed(self, name: str) -> Results:
        run, labels = self._run, self._labels
        if self.queries == "once" and run is not None and not self._finished:
            raise ParameterError(
                message("evaluation.judged-queries-that-no"),
                hint=message("evaluation.call-finish-judgments-after"),
            )
        if run is not None and run.missing == run.queries and run.unjudged:
            raise no_common_query(run.missing_examples, run.unjudged_examples)
        rules, otherwise = self.convention, without_formula(self.convention)
        if labels is not None and run is None:
            rules = array_rules(rules)
        program = Program.compile(
            self.measures, rules, self.scale or self._judged_on, self.average, otherwise=otherwise
        )
        columns = {
            key: replace(kept_column([], total, ([], [])), counted=self._weighty[key])
            for key, total in self._totals.items()
        }
        notes = [*self._notes]
        if run is not None:
            notes += data_notes(program, run, columns)
        if labels is not None:
            more = label_notes(program, labels, columns)
            notes += [note for note in more if note not in notes]
        return assemble(name, program, None, columns, notes, strict=False)

    def _judgments(self, judgments: object) -> Judgments:
        """Returns the judgments of a part, and keeps their scale."""
        self._refuse_finished()
        evaluator = Evaluator(judgments, convention=self.convention, scale=self.scale)
        if self.convention.negative == "error" and evaluator.judgments.table.negatives:
            raise negative_grade(evaluator.judgments)
        with self._lock:
            self._judged_on = self._judged_on or evaluator.scale
        return evaluator.judgments

    def _evaluated(
        self, judgments: Judgments, run: object, rules: Convention
    ) -> tuple[_native.Batch, dict[str, Column], tuple[Note, ...]]:
        scale = self.scale or judgments.scale
        program = Program.compile(self.measures, rules, scale, self.average)
        program.check_inputs(False)
        return evaluate_run(judgments, program, run, self.threads)

    def _add(self, columns: Mapping[str, Column], queries: Collection[str]) -> None:
        self._refuse_finished()
        self._take(queries)
        for name, total in self._totals.items():
            total.merge(columns[name].total)
            if columns[name].total.undefined:
                self._weighty[name] += columns[name].weighty()

    def _take(self, queries: Collection[str]) -> None:
        """Keeps the names of queries.

        Raises:
            InputError: If one is known.
        """
        if self.queries == "any":
            return
        shared = self._names.intersection(queries)
        if shared:
            raise InputError(
                message(
                    "evaluation.in-more-than-one-part",
                    count=len(shared),
                    queries=[f"`{query}`" for query in sorted(shared)[:3]],
                ),
                hint=message("evaluation.all-rows-of-query"),
            )
        self._names.update(queries)

    def _note(self, facts: RunFacts | LabelFacts, notes: Iterable[Note]) -> None:
        if isinstance(facts, RunFacts):
            self._run = merged([facts] if self._run is None else [self._run, facts])
        else:
            self._labels = merged_labels([facts] if self._labels is None else [self._labels, facts])
        self._notes = _joined((*self._notes, *notes))

    def _refuse_finished(self) -> None:
        if self._finished:
            raise ParameterError(
                message("evaluation.accumulator-is-finished"),
                hint=message("evaluation.call-finish-judgments-once"),
            )

    def __getstate__(self) -> tuple[dict[str, object], dict[str, bytes]]:
        with self._lock:
            left_out = {"_lock", "_totals"}
            state = {name: one for name, one in self.__dict__.items() if name not in left_out}
            state["_weighty"], state["_names"] = dict(self._weighty), set(self._names)
            return state, {name: total.to_bytes() for name, total in self._totals.items()}

    def __setstate__(self, state: tuple[dict[str, object], dict[str, bytes]]) -> None:
        fields, totals = state
        self.__dict__.update(fields)
        self._lock = threading.Lock()
        self._totals = {name: _native.Total.from_bytes(content) for name, content in totals.items()}


def _only(judgments: Judgments, queries: Iterable[str]) -> Judgments:
    """Returns the judgments of some queries."""
    table = judgments.table
    grades = {query: table.subtopics(query) or table.grades(query) for query in queries}
    return Judgments(
        _native.JudgmentTable.from_dict(grades),
        scale=judgments.scale,
        passages=judgments.passages,
    )


def _joined(notes: Iterable[Note]) -> tuple[Note, ...]:
    """Returns one note for those of several parts that say the same."""
    found: list[Note] = []
    for note in notes:
        for place, known_one in enumerate(found):
            if replace(known_one, count=note.count, examples=note.examples) == note:
                examples = tuple(dict.fromkeys((*known_one.examples, *note.examples)))[:NAMED]
                found[place] = replace(note, count=known_one.count + note.count, examples=examples)
                break
        else:
            found.append(note)
    return tuple(found)
