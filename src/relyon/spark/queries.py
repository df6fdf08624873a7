"""Whole queries evaluated on an executor, by the code that evaluates them on one machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from heapq import nsmallest
from typing import TYPE_CHECKING

from relyon import _native
from relyon.core.errors import InputError
from relyon.core.texts import message
from relyon.data.judgments import Judgments
from relyon.data.labelled import LabelFacts, LabelledRows
from relyon.data.labelled_checks import repeated_rows
from relyon.evaluation.data_errors import negative_grade
from relyon.evaluation.facts import RunFacts, known
from relyon.evaluation.labelled_batches import Settings, compile_rows, row_columns
from relyon.evaluation.program import Average, Program
from relyon.evaluation.sources import evaluate_run
from relyon.spark.packed_rows import Unpacked
from relyon.spark.same_rows import row_marks
from relyon.spark.tasks import JUDGMENTS, ROWS, UNGRADED, UNJUDGED, Evaluated, PackedError

if TYPE_CHECKING:
    import pyarrow as pa

    from relyon.core.notes import Note
    from relyon.data.convention import Convention
    from relyon.data.scale import Scale
    from relyon.measures.definition import Measure

__all__ = ["LabelledQueries", "RowFacts", "RunPart", "RunQueries"]


@dataclass(frozen=True)
class RunPart:
    """Facts about a part of a run and of its judgments.

    Attributes:
        facts: As on one machine.
        judged: Judged queries.
        duplicates: Judgments that repeat another one.
        ungraded: Rows of the judgments without a grade.
        ungraded_examples: Queries and documents of the first of them.
    """

    facts: RunFacts
    judged: int
    duplicates: int
    ungraded: int = 0
    ungraded_examples: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class RunQueries:
    """Evaluates the queries of a run with their judgments.

    Attributes:
        measures: The measures.
        convention: The rules.
        scale: The grade scale.
        average: See `relyon.evaluate`.
        highest: The highest grade of all judgments.
    """

    measures: tuple[Measure, ...]
    convention: Convention
    scale: Scale | None
    average: Average | None
    highest: float

    def __getstate__(self) -> dict[str, object]:
        return {
            name: value for name, value in self.__dict__.items() if name not in ("program", "part")
        }

    @cached_property
    def program(self) -> Program:
        """The resolved measures."""
        return Program.compile(
            self.measures, self.convention, self.scale, self.average, self.highest
        )

    @cached_property
    def part(self) -> Program:
        """The same for a part: the number of missing queries is known only of the whole."""
        rules = self.convention
        if rules.missing != "error":
            return self.program
        rules = rules.replace(missing="zero", name=rules.name)
        return Program.compile(self.measures, rules, self.scale, self.average, self.highest)

    def __call__(self, kinds: Mapping[int, Unpacked]) -> Evaluated:
        import numpy as np
        import pyarrow as pa

        judged = kinds.get(JUDGMENTS)
        judgments = _judgments(judged)
        if self.convention.negative == "error" and judgments.table.negatives:
            error = negative_grade(judgments)
            raise PackedError(None, error, JUDGMENTS)
        run = kinds.get(ROWS) or {
            "query": pa.array([], pa.string()),
            "document": pa.array([], pa.string()),
            "score": pa.array([], pa.float64()),
            "rank": pa.array([], pa.float64()),
        }
        columns = {role: pa.array(values) for role, values in run.items()}
        if "rank" in columns:
            columns["rank"] = columns["rank"].cast(pa.int64())
        try:
            batch, found, _ = evaluate_run(judgments, self.part, pa.table(columns), threads=1)
        except InputError as error:
            raise _refused(columns, ROWS, error) from None
        lowest = float(np.min(judged["score"])) if judged else float("inf")
        facts = replace(RunFacts.of(batch, judgments), lowest=known(lowest))
        unjudged = kinds.get(UNJUDGED, {"query": []})["query"]
        if len(unjudged):
            names = sorted([*facts.unjudged_examples, *unjudged.slice(0, 3).to_pylist()])[:3]
            facts = replace(
                facts, unjudged=facts.unjudged + len(unjudged), unjudged_examples=tuple(names)
            )
        ungraded = kinds.get(UNGRADED, {})
        without = zip(ungraded.get("query", ()), ungraded.get("document", ()), strict=True)
        part = RunPart(
            facts,
            len(judgments.table),
            judgments.table.duplicates,
            len(ungraded.get("query", ())),
            tuple(nsmallest(3, ((str(query), str(document)) for query, document in without))),
        )
        return Evaluated(batch.queries, found, part)


def _judgments(columns: Unpacked | None) -> Judgments:
    """Builds the judgments of a part.

    Raises:
        PackedError: If a document is judged twice, with different grades.
    """
    import pyarrow as pa

    if columns is None:
        return Judgments.from_dict({})
    held = {role: pa.chunked_array([pa.array(values)]) for role, values in columns.items()}
    try:
        table = _native.JudgmentTable.from_arrow(
            held["query"], held["document"], held["score"], held.get("subtopic")
        )
    except InputError as error:
        raise _refused(held, JUDGMENTS, error) from None
    return Judgments(table)


def _refused(columns: Mapping[str, pa.Array], kind: int, error: InputError) -> PackedError:
    """Returns the error without numbers of rows, which are meaningless in a part."""
    import polars as pl

    keys = [role for role in ("query", "document", "subtopic") if role in columns]
    frame = pl.DataFrame(
        {role: pl.Series(role, columns[role]).cast(pl.String) for role in keys}
        | {"score": pl.Series("score", columns["score"], dtype=pl.Float64)}
    )
    if kind == JUDGMENTS:
        frame = frame.unique()
    again = frame.filter(frame.select(keys).is_duplicated()).sort(keys)
    if not again.height:
        return PackedError(None, error, kind)
    row = again.row(0, named=True)
    what = message("spark.judged-twice") if kind == JUDGMENTS else "retrieved twice"
    values = {role: row[role] for role in keys} | {"what": message(what)}
    text = (
        message("spark.document-of-query", **values)
        if "subtopic" in row
        else message("spark.document-of-query-is-what", **values)
    )
    hint = "" if kind == JUDGMENTS else message("native.keep-one-of-two")
    return PackedError(row["query"], InputError(text, hint=hint), kind, row["document"])


@dataclass(frozen=True)
class RowFacts:
    """Facts about a part of labelled rows.

    Attributes:
        labels: As on one machine.
        queries: Number of queries.
        rows: Number of rows.
        repeated: Rows whose document occurred before in their query.
        examples: Some of them.
    """

    labels: LabelFacts
    queries: int
    rows: int
    repeated: int = 0
    examples: tuple[str, ...] = ()


@dataclass(frozen=True)
class LabelledQueries:
    """Evaluates the labelled rows of queries.

    Attributes:
        measures: The measures.
        settings: The options.
        weighted: Whether rows have weights.
        highest: The highest label of all rows.
        marked: Whether to compute the marks of the rows of each query.
    """

    measures: tuple[Measure, ...]
    settings: Settings
    weighted: bool
    highest: float
    marked: bool = False

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in self.__dict__.items() if name != "program"}

    @cached_property
    def program(self) -> Program:
        """The resolved measures."""
        return compile_rows(self.measures, self.settings, self.weighted, self.highest)

    def __call__(self, kinds: Mapping[int, Unpacked]) -> Evaluated:
        import numpy as np
        import polars as pl

        columns = kinds[ROWS]
        codes = columns["query"].indices.to_numpy()
        starts = np.concatenate([[0], np.flatnonzero(codes[1:] != codes[:-1]) + 1])
        rows = LabelledRows(
            columns["label"],
            columns["score"],
            np.append(starts, len(codes)).astype(np.int64),
            columns["query"].dictionary.take(columns["query"].indices.take(starts)).to_pylist(),
            weights=columns.get("weight"),
        )
        repeated: tuple[Note, ...] = ()
        if "document" in columns:
            query = pl.Series("query", columns["query"]).cast(pl.String)
            document = pl.Series("document", columns["document"])
            repeated = repeated_rows(query, document)
            if repeated:  # its examples are the first rows
                ids = pl.DataFrame({"query": query, "document": document}).sort(pl.all())
                repeated = repeated_rows(ids["query"], ids["document"])
        found, labels = row_columns(self.program, rows, threads=1)
        facts = RowFacts(
            labels,
            len(rows.queries),
            len(rows),
            sum(note.count for note in repeated),
            tuple(one for note in repeated for one in note.examples),
        )
        marks = {}
        if self.marked:
            marks = row_marks(starts, columns["label"], columns.get("document"))
        return Evaluated(list(rows.queries), found, facts, marks)
