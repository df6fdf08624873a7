"""A catalogue of documents, or a table of queries: what a project lacks is filled in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relyon.core.errors import InputError
from relyon.core.texts import message
from relyon.data.sheets import Item
from relyon.io.row_tables import Columns
from relyon.judging.intake.outcome import Outcome, Refusals
from relyon.judging.item_texts import fill_each
from relyon.judging.needs import LONGEST_NEED, needs_of, set_needs
from relyon.judging.schema import items, sa
from relyon.judging.table_rows import check_item

if TYPE_CHECKING:
    from relyon.io.row_tables import RowTable
    from relyon.judging.intake.columns import IntakeKind
    from relyon.judging.intake.files import Seen
    from relyon.judging.records import Project
    from relyon.judging.store import Store

__all__ = ["DescriptionsFile"]


@dataclass
class DescriptionsFile:
    """A file with a row per document or per query.

    Attributes:
        table: Its rows.
        columns: What its columns are.
        project: The project that it is for.
        kind: Whether it describes documents or queries.
    """

    table: RowTable
    columns: Columns
    project: Project
    kind: IntakeKind

    @classmethod
    def of(cls, seen: Seen, project: Project, kind: IntakeKind) -> DescriptionsFile:
        """Returns a file whose columns were chosen.

        Raises:
            InputError: If two columns have one role, or none has a required one.
            ParameterError: If a column is not there.
        """
        if seen.table is None:
            raise InputError(message("judging.file-has-no-columns"), path=seen.source.path)
        return cls(seen.table, seen.columns(kind), project, kind)

    def check(self, store: Store) -> Outcome:
        """Returns what an import would do.

        Raises:
            InputError: If the file cannot be read on.
        """
        found, needs, outcome = self._read(store)
        stored = needs_of(store, self.project.id, needs)
        return Outcome(
            outcome.rows,
            known=len(found),
            filled=self._fill(store, found, dry_run=True),
            needs=sum(stored.get(query) != need for query, need in needs.items()),
            unknown=outcome.unknown,
            refused=outcome.refused,
            unit=self.table.unit,
        )

    def bring(self, store: Store) -> Outcome:
        """Fills in what the project lacks; faulty rows are left out.

        Raises:
            InputError: If the file cannot be read on.
            ParameterError: If the project is closed.
        """
        found, needs, outcome = self._read(store)
        changed = set_needs(store, self.project.id, needs) if needs else 0
        filled = self._fill(store, found, dry_run=False)
        return Outcome(outcome.rows, known=len(found), filled=filled, needs=changed)

    def _fill(self, store: Store, found: dict[str, Item], *, dry_run: bool) -> int:
        if not found:
            return 0
        if self.kind == "documents":
            return fill_each(
                store, self.project.id, lambda item: found.get(item.document), dry_run=dry_run
            )
        return fill_each(
            store, self.project.id, lambda item: found.get(item.query), dry_run=dry_run
        )

    def _read(self, store: Store) -> tuple[dict[str, Item], dict[str, str], Outcome]:
        """Returns what is known by document or query, the needs, and the rows that are no use."""
        wanted = self._wanted(store)
        refusals = Refusals(self.table.path)
        found: dict[str, Item] = {}
        needs: dict[str, str] = {}
        total = unknown = 0
        for item, need in self._items(refusals):
            total += 1
            key = item.document if self.kind == "documents" else item.query
            if key not in wanted:
                unknown += 1
                continue
            if key not in found:  # the first row counts
                found[key] = item
                if need:
                    needs[key] = need
        refused = refusals.listed()
        return found, needs, Outcome(total + len(refused), unknown=unknown, refused=refused)

    def _items(self, refusals: Refusals) -> Iterator[tuple[Item, str]]:
        """Yields the rows that can be used: as items, whose query or document alone is meant."""
        roles = dict(self.columns.roles)
        need = roles.pop("need", "")
        # An item has both.
        if self.kind == "documents":
            roles["query"] = roles["document"]
        else:
            roles["document"] = roles["query"]
        hidden = self.columns.hidden | ({need} if need else set())
        columns = Columns(roles, frozenset(hidden))
        for place, values in self.table.rows():
            if isinstance(values, InputError):
                refusals.add(place, values.message)
                continue
            try:
                item = self.table.item(values, columns).item
                check_item(item)
            except InputError as error:
                refusals.add(place, error.message)
                continue
            told = str(values.get(need) or "").strip()[:LONGEST_NEED] if need else ""
            if self.kind == "queries":
                item = Item(item.query, "-", item.query_text)
            yield item, told

    def _wanted(self, store: Store) -> frozenset[str]:
        """Returns the documents or queries that the project has."""
        if self.kind == "documents" and self.project.kind == "side_by_side":
            pairs = store.items.comparisons(self.project.id).values()
            return frozenset(
                one.document
                for pair in pairs
                for found in (pair.first_results, pair.second_results)
                for one in found
            )
        column = items.c.document if self.kind == "documents" else items.c.query
        query = sa.select(column).where(items.c.project_id == self.project.id).distinct()
        with store.database.read() as connection:
            return frozenset(connection.execute(query).scalars())
