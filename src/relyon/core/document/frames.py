"""A frame of numbers as a document, for results without a text of their own."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from relyon.core.document.model import Document, Table
from relyon.core.texts import Language, catalogue

if TYPE_CHECKING:
    import polars

__all__ = ["frame_document"]

#: Rows that are shown; the frame itself has all.
MOST_ROWS = 20


def frame_document(frame: polars.DataFrame, language: Language = "en") -> Document:
    """Returns the first rows of a frame as a table; a single row as names and values.

    Args:
        frame: The frame; its column names are kept.
        language: `en` or `zh`.
    """
    texts = [name for name, kind in frame.schema.items() if not kind.is_numeric()]
    if frame.height == 1:
        facts = [[name, _text(value)] for name, value in frame.row(0, named=True).items()]
        return Document([Table(["", ""], facts, left=2)])
    names = texts + [name for name in frame.columns if name not in texts]
    rows = [[_text(value) for value in row] for row in frame.select(names).head(MOST_ROWS).rows()]
    notes = []
    if frame.height > MOST_ROWS:
        said = catalogue("tables", language).say
        notes.append(said("frame.more", shown=MOST_ROWS, rows=frame.height))
    return Document([Table(names, rows, left=len(texts), notes=notes)])


def _text(value: object) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "-"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
