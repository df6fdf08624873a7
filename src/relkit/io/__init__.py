"""Files and frames to data, and back. Importing this imports no NumPy, Polars or narwhals."""

from relkit.io.format import Format
from relkit.io.mismatch import explain_mismatch
from relkit.io.open import Source
from relkit.io.reading import (
    opened,
    read_features,
    read_judgments,
    read_rows,
    read_run,
    read_scored,
    read_sheet,
)
from relkit.io.recognition import open_source
from relkit.io.write import unwritten_notes, write_judgments, write_run

__all__ = [
    "Format",
    "Source",
    "explain_mismatch",
    "open_source",
    "opened",
    "read_features",
    "read_judgments",
    "read_rows",
    "read_run",
    "read_scored",
    "read_sheet",
    "unwritten_notes",
    "write_judgments",
    "write_run",
]
