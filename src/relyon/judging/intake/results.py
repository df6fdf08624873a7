"""Results to grade, with their grades: what an import would do with each row, and the import."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from relyon.core.errors import InputError, RelyonError
from relyon.data.columns import refuse
from relyon.data.sheets import Row, Sheet, join_rows
from relyon.io.format import formats
from relyon.judging.batch import Batch, Fault
from relyon.judging.exchange import Mode, import_sheet, incoming_rows
from relyon.judging.imported_accounts import check_account_name
from relyon.judging.intake.joining import JUDGE, Joined, join_placed
from relyon.judging.intake.outcome import Outcome, Refusals
from relyon.judging.item_texts import fill_items
from relyon.judging.leaks import hide_behaviour
from relyon.judging.needs import needs_of, set_needs
from relyon.judging.sent_sheets import check_sent_sheet
from relyon.judging.table_rows import check_item
from relyon.judging.texts import check_grade

if TYPE_CHECKING:
    from relyon.io.row_tables import Columns
    from relyon.judging.actions import Again
    from relyon.judging.incoming_items import Imported, Incoming
    from relyon.judging.intake.files import Seen
    from relyon.judging.jobs import Work
    from relyon.judging.records import Project, User
    from relyon.judging.store import Store

__all__ = ["ResultsFile"]

#: Rows of one look into the database, and looks at all rows without those that were refused before.
AT_ONCE, ROUNDS = 5000, 10


@dataclass
class ResultsFile:
    """A file of results to grade.

    Attributes:
        seen: The file.
        project: The project that it is for.
        columns: What its columns are; None if its format has none.
        needs: The information needs of its queries, once it is read.
    """

    seen: Seen
    project: Project
    columns: Columns | None
    needs: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, seen: Seen, project: Project) -> ResultsFile:
        """Returns a file whose columns were chosen.

        Raises:
            InputError: If two columns have one role, or none has a required one.
            ParameterError: If a column is not there.
        """
        return cls(seen, project, None if seen.table is None else seen.columns("results"))

    @property
    def path(self) -> str:
        """The name of the file."""
        return self.seen.source.path

    @property
    def unit(self) -> str:
        """Whether the places of rows are lines or rows."""
        return "row" if self.seen.table is None else self.seen.table.unit

    def placed(self) -> Iterator[tuple[int, Row | InputError]]:
        """Yields every row with its place, or what is wrong with it.

        Raises:
            InputError: If the file cannot be read on.
        """
        table, columns = self.seen.table, self.columns
        if table is None or columns is None:
            yield from enumerate(self._whole.rows, 1)
            return
        need = columns.roles.get("need", "")
        for place, values in table.rows():
            if isinstance(values, InputError):
                yield place, values
                continue
            try:
                row = table.item(values, columns, self.project.scale)
            except InputError as error:
                yield place, error
                continue
            if need and (told := str(values.get(need) or "").strip()):
                self.needs.setdefault(row.item.query, told)
            yield place, row

    @cached_property
    def _whole(self) -> Sheet:
        """The file, if its format has no columns."""
        chosen = formats.get(self.seen.source.format)
        sheet = chosen.read_sheet(self.seen.source, scale=self.project.scale)
        return hide_behaviour(sheet, self.project.scale)[0]

    def sheet(self, leave_out: Collection[int] = ()) -> Sheet:
        """Returns the rows as they are imported, without some.

        Raises:
            InputError: If a row is faulty, or the rows of an item contradict each other.
        """
        table, columns = self.seen.table, self.columns
        if table is None or columns is None:
            whole = self._whole
            if not leave_out:
                return whole
            rows = (row for at, row in enumerate(whole.rows, 1) if at not in leave_out)
            return Sheet(tuple(rows), whole.name, whole.scale, sent=whole.sent)
        kept: list[Row] = []
        for place, row in self.placed():
            if place in leave_out:
                continue
            if isinstance(row, InputError):
                refuse(row.message, self.path, place, self.unit, row.hint)
            kept.append(row)
        # Somebody chose what judges see.
        roles = {*columns.roles.values()}
        shown = frozenset(table.names) - columns.hidden - roles
        return join_rows(Sheet(tuple(kept), scale=self.project.scale, shown=shown), self.path)

    def check(self, store: Store, mode: Mode = "add") -> Outcome:
        """Returns what an import would do.

        Args:
            store: The database.
            mode: As `import_sheet` takes it.

        Raises:
            InputError: If the file cannot be read, or not be imported even without its faulty rows.
        """
        if self.seen.table is None:
            check_sent_sheet(store, self.project, self._whole, path=self.path)
        refusals = Refusals(self.path)
        places = array("q")
        rows: list[Row] = []
        judges: set[str] = set()
        for place, row in self.placed():
            fault = row.message if isinstance(row, InputError) else self._fault(row, judges)
            if fault is not None:
                refusals.add(place, fault)
            elif isinstance(row, Row):
                places.append(place)
                rows.append(row)
        total = len(rows) + len(refusals.found)
        new = known = grades = without = 0
        for _ in range(ROUNDS):
            before = len(refusals.found)
            joined = join_placed(places, rows, refusals)
            if not joined.rows:
                return Outcome(total, refused=refusals.listed(), unit=self.unit)
            sheet = Sheet(tuple(joined.rows), scale=self.project.scale)
            incoming = incoming_rows(sheet, JUDGE, as_gold=mode == "gold")
            without = len(joined.rows) - len(incoming)
            new, known, grades = self._compare(store, incoming, mode, joined, refusals)
            # Without a refused rating, the final grade of its item can count.
            if len(refusals.found) == before:
                break
        del places, rows, sheet, incoming
        filled = 0
        if known:
            items = (row.item for row in joined.rows)
            filled = fill_items(store, self.project.id, items, dry_run=True)
        stored = needs_of(store, self.project.id, self.needs)
        return Outcome(
            total,
            new,
            known,
            grades,
            filled,
            sum(stored.get(query) != need for query, need in self.needs.items()),
            without=without,
            refused=refusals.listed(),
            unit=self.unit,
        )

    def _compare(
        self,
        store: Store,
        incoming: Collection[Incoming],
        mode: Mode,
        joined: Joined,
        refusals: Refusals,
    ) -> tuple[int, int, int]:
        """Returns the numbers of new and of known items and of new grades.

        Rows whose grades cannot be stored are refused.
        """
        new = known = grades = 0
        again: Again = "replace" if mode == "update" else "refuse"
        left = iter(incoming)
        while some := list(islice(left, AT_ONCE)):
            faults: list[Fault] = []
            with store.database.read() as connection:
                batch = Batch(store, connection, self.project, some, again=again)
                new, known = new + len(batch.new), known + len(batch.old)
                batch.check(faults)
            grades += len(some) if mode == "gold" else len(batch.actions)
            if faults:
                joined.refuse(faults, refusals)
        return new, known, grades

    def _fault(self, row: Row, known: set[str]) -> str | None:
        """Returns what cannot be stored of a row by itself, if anything."""
        try:
            check_item(row.item)
            if row.final is not None:
                check_grade(self.project.scale, row.final)
            for one in row.ratings:
                if one.grade is not None:
                    check_grade(self.project.scale, one.grade)
                if one.judge not in known:
                    check_account_name(one.judge, "judge")
                    known.add(one.judge)
        except RelyonError as error:
            return error.message
        return None

    def bring(
        self,
        store: Store,
        *,
        mode: Mode = "add",
        leave_out: Collection[int] = (),
        by: User | None = None,
        work: Work | None = None,
    ) -> Imported:
        """Imports the file, without some rows.

        Args:
            store: The database.
            mode: As `import_sheet` takes it.
            leave_out: The places of rows that are left out.
            by: The account that requested it.
            work: The job, if one was announced.

        Returns:
            The numbers of new items and new grades.

        Raises:
            InputError: As `import_sheet`, or if a row is faulty.
            ParameterError: As `import_sheet`.
            StoppedError: If it was stopped.
        """
        kept: list[Sheet] = []

        def read() -> Sheet:
            kept.append(self.sheet(leave_out))
            return kept[0]

        told = import_sheet(
            store, self.project.id, read, mode=mode, source=self.path, by=by, work=work
        )
        (sheet,) = kept
        if told.items < len(sheet.rows):
            fill_items(store, self.project.id, (row.item for row in sheet.rows))
        if self.needs:
            set_needs(store, self.project.id, self.needs)
        return told
