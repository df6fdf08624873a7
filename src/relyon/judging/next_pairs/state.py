"""What people have graded of a project, as drawn pairs are counted by it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from relyon.data.judgments import Judgments
from relyon.judging.decisions import is_machine_source
from relyon.judging.places import COUNTS
from relyon.judging.schema import assignments, items, sa

if TYPE_CHECKING:
    from relyon.analysis.next_pairs import DrawnPair
    from relyon.judging.next_pairs.records import Batch, Pair
    from relyon.judging.records import Project
    from relyon.judging.store import Store

__all__ = ["State"]


@dataclass(frozen=True)
class State:
    """What is known of a project's results now.

    Attributes:
        project: The project.
        people: The final grades of people.
        there: All results of the project, removed ones included.
        over: Results that get no grade any more: removed, or answered without one.
        unfinished: Results with a grade that wait for another one, where several people grade each.
    """

    project: Project
    people: Mapping[Pair, float]
    there: frozenset[Pair]
    over: frozenset[Pair]
    unfinished: frozenset[Pair] = frozenset()

    @classmethod
    def of(cls, store: Store, project: Project) -> State:
        """Reads it."""
        finals = store.decisions.final_values(project.id)
        waiting = sa.select(assignments.c.item_id).where(
            assignments.c.project_id == project.id, assignments.c.state.in_(("open", "later"))
        )
        chosen = sa.select(items.c.id, items.c.query, items.c.document, COUNTS.label("counts"))
        with store.database.read() as connection:
            unanswered = set(connection.execute(waiting).scalars())
            rows = connection.execute(chosen.where(items.c.project_id == project.id)).all()
        people: dict[Pair, float] = {}
        over: set[Pair] = set()
        unfinished: set[Pair] = set()
        for row in rows:
            pair = (row.query, row.document)
            final = finals.get(row.id)
            if final is not None and row.counts and not is_machine_source(final[1]):
                people[pair] = final[0].value
                if row.id in unanswered:
                    unfinished.add(pair)
            if pair not in people and (not row.counts or row.id not in unanswered):
                over.add(pair)
        there = frozenset((row.query, row.document) for row in rows)
        return cls(project, people, there, frozenset(over), frozenset(unfinished))

    def judgments(self, batches: Sequence[Batch]) -> Judgments:
        """Returns people's grades: those before the first batch, and those of drawn pairs."""
        wanted = set(self.people)
        if batches:
            drawn = {(pair.query, pair.document) for one in batches for pair in one.drawn}
            wanted &= batches[0].known | drawn
        return self._table({pair: self.people[pair] for pair in wanted})

    def drawn(self, batches: Sequence[Batch]) -> list[DrawnPair]:
        """Returns the drawn pairs, those marked that get no grade any more."""
        return [
            replace(pair, grade="skip") if (pair.query, pair.document) in self.over else pair
            for one in batches
            for pair in one.drawn
        ]

    def _table(self, grades: Mapping[Pair, float]) -> Judgments:
        nested: dict[str, dict[str, float]] = {}
        for query, document in sorted(grades):
            nested.setdefault(query, {})[document] = grades[query, document]
        return Judgments.from_dict(nested, scale=self.project.scale, source=self.project.name)

    def waiting(self, batch: Batch) -> int:
        """Returns how many pairs of a batch still wait for a grade."""
        pairs = {(one.query, one.document) for one in batch.drawn}
        return len(pairs - self.people.keys() - self.over)

    def half_graded(self, batch: Batch) -> int:
        """Returns how many pairs of a batch have a grade and wait for one by somebody else."""
        return len({(one.query, one.document) for one in batch.drawn} & self.unfinished)
