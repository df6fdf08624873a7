"""Grades from and for other programs: one file a format."""

from relkit.judging.formats.base import Format, Row, Sheet, formats, read_sheet, write_sheet

__all__ = ["Format", "Row", "Sheet", "formats", "read_sheet", "write_sheet"]
