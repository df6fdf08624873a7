"""Formats of tables: whatever their columns hold is read in one way."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

from relkit.data.features import STORAGE, Labelling, Storage
from relkit.io.format import Format

if TYPE_CHECKING:
    from relkit.data.labelled import LabelledRows
    from relkit.data.run import Run
    from relkit.data.scale import Scale
    from relkit.io.open import Source
    from relkit.io.tables import Table

__all__ = ["TabularFormat"]


class TabularFormat(Format):
    """A format whose columns have names: a subclass says how they are found and read."""

    tabular: ClassVar[bool] = True
    keeps_evidence: ClassVar[bool] = True

    def table(self, source: Source, kind: str, columns: Mapping[str, str] | None) -> Table:
        """Returns the columns that a kind of data needs.

        Args:
            source: The file.
            kind: What the table holds: a key of `relkit.data.columns.KINDS`.
            columns: Column names by role, for those that are not called as usual.
        """
        raise NotImplementedError

    def read_run(
        self,
        source: Source,
        *,
        columns: Mapping[str, str] | None = None,
        name: str | None = None,
    ) -> Run:
        """Reads a query, a document, a score column, and a rank column where there is one."""
        return self.table(source, "run", columns).run(name)

    def read_scored(
        self,
        source: Source,
        *,
        columns: Mapping[str, str] | None = None,
        scores: Source | None = None,
        groups: Source | None = None,
        scale: Scale | None = None,
    ) -> LabelledRows:
        """Reads a label and a score column, a query column, and perhaps a document column."""
        return self.table(source, "scored", columns).labelled(scale)

    def read_features(
        self,
        source: Source,
        *,
        columns: Mapping[str, str] | None = None,
        groups: Source | None = None,
        scale: Scale | None = None,
        storage: Storage = STORAGE,
        labels: Labelling = "own",
    ) -> LabelledRows:
        """Reads a label column and those of features, and perhaps queries and documents."""
        from relkit.data.columns import LABELLING

        table = self.table(source, LABELLING[labels], columns)
        return table.featured(columns, scale, storage, labels)
