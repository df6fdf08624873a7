"""Tabular formats, which share the readers of columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

from relyon.data.features import STORAGE, Labelling, Storage
from relyon.io.format import Format

if TYPE_CHECKING:
    from relyon.data.labelled import LabelledRows
    from relyon.data.run import Run
    from relyon.data.scale import Scale
    from relyon.io.byte_source import Source
    from relyon.io.table_columns import Table

__all__ = ["TabularFormat"]


class TabularFormat(Format):
    """A format with named columns: a subclass finds and reads them."""

    tabular: ClassVar[bool] = True
    keeps_evidence: ClassVar[bool] = True

    def table(self, source: Source, kind: str, columns: Mapping[str, str] | None) -> Table:
        """Returns the columns that a kind of data needs.

        Args:
            source: The file.
            kind: The kind of data: a key of `relyon.data.columns.KINDS`.
            columns: Column names by role, for columns without a usual name.
        """
        raise NotImplementedError

    def read_run(
        self,
        source: Source,
        *,
        columns: Mapping[str, str] | None = None,
        name: str | None = None,
    ) -> Run:
        """Reads a query, a document and a score column, and a rank column if there is one."""
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
        from relyon.data.columns import LABELLING

        table = self.table(source, LABELLING[labels], columns)
        return table.featured(columns, scale, storage, labels)
