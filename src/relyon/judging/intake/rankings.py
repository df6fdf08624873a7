"""Runs: their first results become results to grade, or the two sides of a comparison."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from relyon.core.errors import InputError
from relyon.core.texts import message
from relyon.io import read_run
from relyon.judging.bulk import find_items
from relyon.judging.exchange import import_sheet
from relyon.judging.incoming_items import Imported
from relyon.judging.intake.outcome import Outcome
from relyon.judging.pooling import compare_tops, pool_sheet, top_documents

if TYPE_CHECKING:
    from relyon.judging.intake.files import Seen
    from relyon.judging.jobs import Work
    from relyon.judging.records import Comparison, Project, User
    from relyon.judging.store import Store

__all__ = ["DEEPEST", "RankingsFile"]

#: Ranks that people judge at most.
DEEPEST = 1000
AT_ONCE = 5000


@dataclass
class RankingsFile:
    """One run or several, by system.

    Attributes:
        seen: The files.
        systems: The system of each, in a side-by-side project.
        project: The project that they are for.
        k: How many ranks are judged.
    """

    seen: Sequence[Seen]
    systems: Sequence[str]
    project: Project
    k: int

    @classmethod
    def of(
        cls, seen: Sequence[Seen], systems: Sequence[str], project: Project, k: int
    ) -> RankingsFile:
        """Returns runs whose columns were chosen.

        Raises:
            InputError: If two columns have one role, none has a required one, or two systems have
                one name.
            ParameterError: If a column is not there.
        """
        for one in seen:
            if one.table is not None:
                one.columns("run")
        names = [name.strip() for name in systems]
        named = len(names) > 1 and all(names) and len({*names}) == len(names)
        if project.kind == "side_by_side" and not named:
            raise InputError(message("judging.systems-need-names"))
        return cls(seen, names, project, k)

    @cached_property
    def tops(self) -> list[dict[str, list[str]]]:
        """The first documents of each query, by run.

        Raises:
            InputError: If a run cannot be read.
        """
        found = []
        for one in self.seen:
            columns = None if one.table is None else dict(one.columns("run").roles)
            run = read_run(one.source, format=one.source.format, columns=columns, name="run")
            found.append(top_documents(run, self.k))
        return found

    @cached_property
    def pairs(self) -> list[Comparison]:
        """The pairs of rankings of a side-by-side project."""
        return compare_tops(list(zip(self.systems, self.tops, strict=True)))

    def check(self, store: Store) -> Outcome:
        """Returns what an import would do.

        Raises:
            InputError: If a run cannot be read.
        """
        if self.project.kind == "side_by_side":
            keys = [(one.query, f"{one.first} / {one.second}") for one in self.pairs]
            queries = {query for top in self.tops for query in top}
            without = len(queries - {query for query, _ in keys})
        else:
            keys = [
                (query, document)
                for top in self.tops
                for query, documents in top.items()
                for document in documents
            ]
            without = 0
        known = self._count_known(store, keys)
        return Outcome(len(keys), len(keys) - known, known, without=without, unit="row")

    def _count_known(self, store: Store, keys: Iterable[tuple[str, str]]) -> int:
        known = 0
        left = iter(keys)
        while some := list(islice(left, AT_ONCE)):
            with store.database.read() as connection:
                known += len(find_items(connection, self.project.id, some))
        return known

    def bring(self, store: Store, *, by: User | None = None, work: Work | None = None) -> Imported:
        """Imports the first results, or the pairs of rankings.

        Args:
            store: The database.
            by: The account that requested it.
            work: The job, if one was announced; pairs of rankings need none.

        Raises:
            InputError: If a run cannot be read.
            ParameterError: If the project is closed, or another import is not finished.
        """
        if self.project.kind == "side_by_side":
            return Imported(store.items.add_comparisons(self.project.id, self.pairs), 0)
        (seen,) = self.seen
        return import_sheet(
            store,
            self.project.id,
            lambda: pool_sheet(self.tops[0]),
            source=seen.source.path,
            by=by,
            work=work,
        )
