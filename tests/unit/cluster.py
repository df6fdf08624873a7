"""A cluster without Spark: what its tasks do, on rows that are dealt and sorted here."""

from __future__ import annotations

import pickle
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import polars as pl
import pyarrow as pa

from relyon import Results
from relyon.data.columns import choose
from relyon.data.convention import load_convention
from relyon.data.scale import load_scale
from relyon.measures.parser import measures as parse_measures
from relyon.spark.buckets import Buckets
from relyon.spark.evaluation import LAYOUT, PreparedRuns
from relyon.spark.prepared import Plan
from relyon.spark.queries import LabelledQueries, RunQueries
from relyon.spark.row_blocks import JudgmentBlock, LabelledBlock, RunBlock
from relyon.spark.scores import LAYOUT as SCORES_LAYOUT, PreparedScores
from relyon.spark.tasks import JUDGMENTS, ROWS, EvaluateTask, PackTask, State

__all__ = ["BUCKETS", "Cluster", "dealt"]

#: Few, so that queries share them.
BUCKETS = Buckets(3)


def dealt(table: pa.Table, sizes: random.Random, most: int = 7) -> Iterator[pa.RecordBatch]:
    """Yields a table in batches of random sizes, some of them empty."""
    place = 0
    while place < table.num_rows:
        size = sizes.randint(0, most)
        yield from table.slice(place, size).combine_chunks().to_batches() or [
            pa.RecordBatch.from_pylist([], schema=table.schema)
        ]
        place += size


class Cluster:
    """Runs tasks as Spark does, in this process.

    Args:
        seed: Determines the order of rows, and where batches end.
        inputs: The number of tasks that read.
        outputs: The number of tasks that evaluate.
    """

    def __init__(self, seed: int, inputs: int, outputs: int) -> None:
        self.random = random.Random(seed)
        self.inputs = inputs
        self.outputs = outputs

    def evaluate(
        self,
        judgments: pl.DataFrame,
        run: pl.DataFrame,
        measures: Sequence[str],
        *,
        convention: Any = None,
        scale: Any = None,
        average: Any = None,
    ) -> Results:
        """Evaluates a run as `relyon.spark.compare` does."""
        rules, levels = load_convention(convention), load_scale(scale)
        chosen, names = _roles(judgments, "judgments")
        roles = [role for role in ("query", "document", "grade", "subtopic") if role in names]
        block = JudgmentBlock(names, levels)
        packed = self._packed(chosen.select(roles), PackTask(LAYOUT, JUDGMENTS, block, BUCKETS))
        highest = max(
            (LAYOUT.unpack(pa.Table.from_batches([one]))["score"].max() for one in packed
             if one.column("kind")[0].as_py() == JUDGMENTS),
            default=float("nan"),
        )  # fmt: skip
        task = RunQueries(tuple(parse_measures(measures)), rules, levels, average, highest)
        ranked, run_names = _roles(run, "run")
        if rules.ties != "rank" and "score" in run_names:
            ranked = ranked.drop("rank", strict=False)
        packed += self._packed(ranked, PackTask(LAYOUT, ROWS, RunBlock(run_names), BUCKETS))
        state, arrays = self._evaluated(
            packed, EvaluateTask(LAYOUT, task, tuple(map(str, task.measures)), "arrays")
        )
        prepared = PreparedRuns(None, names["query"], None, 0, task, BUCKETS)  # type: ignore[arg-type]
        plan = Plan(None, run_names, task.program, None, None)  # type: ignore[arg-type]
        return prepared.assembled(state, plan, "run", False, arrays)

    def evaluate_scores(
        self, rows: pl.DataFrame, measures: Sequence[str], *, columns: Any = None, **options: Any
    ) -> Results:
        """Evaluates labelled scores as `relyon.spark.compare_scores` does."""
        settings = {"convention": None, "average": None, "scale": None} | options
        prepared = PreparedScores.of(measures, columns=columns, **settings)
        chosen, names = _roles(rows, "scored", columns)
        levels = prepared.settings.scale
        block = LabelledBlock(names, levels)
        packed = self._packed(chosen, PackTask(SCORES_LAYOUT, ROWS, block, BUCKETS))
        highest = float("nan")
        if levels is None and chosen.height:
            highest = float(chosen["label"].max())  # type: ignore[arg-type]
        queries = LabelledQueries(prepared.measures, prepared.settings, "weight" in names, highest)
        task = EvaluateTask(SCORES_LAYOUT, queries, tuple(map(str, prepared.measures)), "arrays")
        state, arrays = self._evaluated(packed, task)
        plan = Plan(None, names, queries.program, task, None)
        return prepared.assembled(state, plan, "scores", False, arrays)

    def _packed(self, rows: pl.DataFrame, task: PackTask) -> list[pa.RecordBatch]:
        table = rows.to_arrow()
        step = -(-table.num_rows // self.inputs) or 1
        parts = [table.slice(start, step) for start in range(0, table.num_rows, step)]
        found: list[pa.RecordBatch] = []
        for part in parts:
            mine: PackTask = pickle.loads(pickle.dumps(task))
            found += mine(dealt(part, self.random))
        return found

    def _evaluated(
        self, packed: Sequence[pa.RecordBatch], task: EvaluateTask
    ) -> tuple[State, list[Any]]:
        rows = [row for batch in packed for row in pa.Table.from_batches([batch]).to_pylist()]
        self.random.shuffle(rows)
        schema = packed[0].schema if packed else None
        states: list[State] = []
        others: list[Any] = []
        for place in range(self.outputs):
            mine = [one for one in rows if one["bucket"] % self.outputs == place]
            mine.sort(key=lambda one: (one["bucket"], one["kind"]))
            batches: Iterable[pa.RecordBatch] = ()
            if mine:
                batches = dealt(pa.Table.from_pylist(mine, schema=schema), self.random)
            copy: EvaluateTask = pickle.loads(pickle.dumps(task))
            for batch in copy(iter(batches)):
                for one in batch.column("state").to_pylist():
                    found = pickle.loads(one)
                    (states if isinstance(found, State) else others).append(found)
        self.random.shuffle(states)
        self.random.shuffle(others)
        state = State()
        for one in states:
            state.merge(one)
        if state.error is not None:
            raise state.error.error
        return state, others


def _roles(
    frame: pl.DataFrame, kind: str, columns: Mapping[str, str] | None = None
) -> tuple[pl.DataFrame, dict[str, str]]:
    chosen = choose(frame.columns, kind, columns=columns, path="")
    return frame.select([pl.col(name).alias(role) for role, name in chosen.items()]), chosen
