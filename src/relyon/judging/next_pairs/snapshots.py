"""Pairs to grade next for two snapshots: what was drawn, and what the grades say so far."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from relyon.analysis.next_pairs import BUDGET, PairsEstimate, estimate_pairs
from relyon.data.convention import load_convention
from relyon.judging.next_pairs.queue import Queued, draw_next, series_of
from relyon.judging.next_pairs.records import Batch, read_batches
from relyon.judging.next_pairs.state import State
from relyon.judging.records import Item
from relyon.judging.snapshots.kept import Snapshot, Stored, read_answers, run_of
from relyon.judging.snapshots.quality import cutoff
from relyon.judging.snapshots.unjudged import parts_of

if TYPE_CHECKING:
    from relyon.data.run import Run
    from relyon.judging.records import Project, User
    from relyon.judging.store import Store

__all__ = ["SHOWN", "NextOfSnapshots", "Step"]

#: Batches after which the estimate is shown: the latest.
SHOWN = 10


@dataclass(frozen=True)
class Step:
    """A batch, and the estimate from all batches up to it.

    Attributes:
        batch: The batch.
        waiting: How many of its results still wait for a grade.
        estimate: The estimate.
        half_graded: How many have a grade and wait for another one, by somebody else.
    """

    batch: Batch
    waiting: int
    estimate: PairsEstimate
    half_graded: int = 0


@dataclass(frozen=True)
class NextOfSnapshots:
    """The difference of two snapshots, estimated from results that were drawn.

    Attributes:
        store: The database.
        project: The project.
        first: The baseline.
        second: The candidate.
    """

    store: Store
    project: Project
    first: Snapshot
    second: Snapshot

    @cached_property
    def k(self) -> int:
        """How many ranks count."""
        return cutoff(self.project, self.first, self.second)

    @property
    def measure(self) -> str:
        """The measure: a sum, unlike NDCG."""
        return f"dcg@{self.k}"

    @cached_property
    def _answers(self) -> list[list[Stored]]:
        """The answers of both to the queries that both asked."""
        sides = [
            {one.query.id: one for one in read_answers(self.store, shot, documents=True)}
            for shot in (self.first, self.second)
        ]
        shared = [query for query in sides[0] if query in sides[1]]
        return [[side[query] for query in shared] for side in sides]

    @cached_property
    def runs(self) -> tuple[Run, Run]:
        """The runs of both."""
        one, two = (
            run_of(shot, answers)[0]
            for shot, answers in zip((self.first, self.second), self._answers, strict=True)
        )
        return one, two

    @cached_property
    def _series(self) -> str:
        return series_of(self.runs, self.measure, load_convention(None))

    def steps(self, *, budget: int = BUDGET) -> list[Step]:
        """Returns the latest batches with the estimates, the latest last.

        Args:
            budget: The size of the batch that is drawn next.

        Raises:
            InputError: If grades are gone on which later batches build.
        """
        batches = read_batches(self.store, self.project.id, self._series)
        if not batches:
            return []
        state = State.of(self.store, self.project)
        return [
            Step(
                batch,
                state.waiting(batch),
                estimate_pairs(
                    state.judgments(batches[: batch.batch]),
                    *self.runs,
                    self.measure,
                    drawn=state.drawn(batches[: batch.batch]),
                    next_budget=budget,
                    scale=self.project.scale,
                ),
                state.half_graded(batch),
            )
            for batch in batches[-SHOWN:]
        ]

    def draw(
        self, budget: int = BUDGET, *, by: User | None = None, after: int | None = None
    ) -> Queued:
        """Draws the next batch into the queue: as for `draw_next`."""
        known: dict[tuple[str, str], Item] = {}
        for side in self._answers:
            for one in side:
                text = one.query.text if one.query.text != one.query.id else ""
                for document in one.entry.ids[: self.k]:
                    parts = parts_of(one.documents.get(document, {}))
                    item = Item(
                        one.query.id,
                        document,
                        query_text=text,
                        title=parts["title"],
                        snippet=parts["snippet"],
                        url=parts["url"],
                        image=parts["image"],
                    )
                    known.setdefault((one.query.id, document), item)
        return draw_next(
            self.store,
            self.project,
            self.runs,
            measure=self.measure,
            budget=budget,
            describe=lambda query, document: known[query, document],
            title=f"{self.first.name} → {self.second.name}",
            by=by,
            after=after,
        )
