"""Results as Excel workbooks: the summary, every query, and what the numbers mean."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from relyon.core.language import Language
from relyon.core.texts import catalogue

if TYPE_CHECKING:
    import polars as pl

__all__ = ["ExcelExport"]


class ExcelExport:
    """A result that is also written as a workbook; a subclass provides the content."""

    def excel_frames(self) -> Mapping[str, pl.DataFrame]:
        """Returns the tables by their names: `summary`, `per_query`."""
        raise NotImplementedError

    def excel_notes(self, language: Language) -> Iterable[str]:
        """Returns the convention and the notes, one line each."""
        raise NotImplementedError

    def to_xlsx(self, *, language: Language = "en", **_: object) -> bytes:
        """Returns a workbook: a summary, one row per query, and the convention with the notes.

        Args:
            language: The language of sheet names and notes; columns are named as in `to_frame` in
                every language, so that programs, and relyon, read them back.

        Raises:
            InputError: If a table or a text is longer than Excel allows.
            DependencyError: If the extra `excel` is not installed.
        """
        return self._workbook(language, "")

    def to_excel(self, path: str | os.PathLike[str], *, language: Language = "en") -> None:
        """Writes a workbook: a summary, one row per query, and the convention with the notes.

        Args:
            path: The file, which is replaced; it appears once it is complete.
            language: The language of sheet names and notes; columns are named as in `to_frame` in
                every language, so that programs, and relyon, read them back.

        Raises:
            InputError: If it cannot be written, or a text is longer than Excel allows.
            DependencyError: If the extra `excel` is not installed.
        """
        from relyon.io.atomic_files import open_replaced

        found = self._workbook(language, os.fspath(path))
        with open_replaced(os.fspath(path)) as file:
            file.write(found)

    def _workbook(self, language: Language, path: str) -> bytes:
        from relyon.io.workbook_writer import SheetText, frame_table, workbook_bytes

        texts = catalogue("tables", language)
        tables = [
            frame_table(frame, texts[f"workbook.{key}"])
            for key, frame in self.excel_frames().items()
        ]
        notes = SheetText(texts["workbook.notes"], "\n".join(self.excel_notes(language)))
        return workbook_bytes([*tables, notes], path)
