"""The export formats that every result shares."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from relyon.core.document.terminal import COLUMNS, render_text
from relyon.core.texts import message

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

    from relyon.core.document.model import Document

__all__ = ["Exportable"]


class Exportable:
    """A result that people can read as text and programs as data, alike for all results.

    A subclass provides the content: `document` for people, `to_dict` and `to_frame` for programs.
    Without its own `document` it shows the frame. The options of the text forms are those of
    `document`, the options of `to_json` those of `to_dict`, and the options of `to_csv`,
    `to_pandas` and `to_arrow` those of `to_frame`.
    """

    def document(self, *values: Any, **options: Any) -> Document:
        """Returns what `to_text`, `to_markdown` and `to_html` render."""
        from relyon.core.document.frames import frame_document

        return frame_document(self.to_frame(), *values, **options)

    def to_dict(self, *values: Any, **options: Any) -> dict[str, object]:
        """Returns JSON-ready values; NaN and infinity become null."""
        raise NotImplementedError

    def to_frame(self, *values: Any, **options: Any) -> polars.DataFrame:
        """Returns the numbers as a Polars frame."""
        raise NotImplementedError

    def to_text(self, *values: object, columns: int | None = COLUMNS, **options: object) -> str:
        """Returns text for the terminal.

        Args:
            *values: As for `document`.
            columns: Maximum line width in terminal columns; `None` does not limit tables.
            **options: As for `document`.
        """
        return render_text(self.document(*values, **options), columns)

    def to_markdown(self, *values: Any, **options: Any) -> str:
        """Returns Markdown; the options are those of `document`."""
        from relyon.core.document.markdown import render_markdown

        return render_markdown(self.document(*values, **options))

    def to_html(self, *values: Any, **options: Any) -> str:
        """Returns an HTML fragment; the options are those of `document`."""
        from relyon.core.document.html import render_html

        return render_html(self.document(*values, **options))

    def to_json(self, *values: Any, **options: Any) -> str:
        """Returns `to_dict` as JSON."""
        from relyon.core.document.json import json_text

        return json_text(self.to_dict(*values, **options))

    def to_csv(self, *values: Any, **options: Any) -> str:
        """Returns `to_frame` as CSV, with numbers in full precision."""
        from relyon.core.cells import csv_frame

        return csv_frame(self.to_frame(*values, **options)).rstrip("\n")

    def to_pandas(self, *values: object, **options: object) -> pandas.DataFrame:
        """Returns `to_frame` as a pandas frame.

        Raises:
            DependencyError: If pandas is not installed.
        """
        from relyon.core.packages import optional_package

        library = optional_package("pandas", purpose=message("core.pandas-frame"))
        columns = self.to_frame(*values, **options).to_dict(as_series=False)
        frame: pandas.DataFrame = library.DataFrame(columns)
        return frame

    def to_arrow(self, *values: object, **options: object) -> pyarrow.Table:
        """Returns `to_frame` as a PyArrow table.

        Raises:
            DependencyError: If PyArrow is not installed.
        """
        from relyon.core.packages import optional_package

        optional_package("pyarrow", purpose=message("core.pyarrow-table"))
        return self.to_frame(*values, **options).to_arrow()

    def __str__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        return self.to_html()
