"""Files and frames to data, and back. Importing this imports no NumPy, Polars or narwhals."""

from relkit.io.accept import as_judgments, as_run
from relkit.io.formats import Format, formats, open_source, read_judgments, read_run
from relkit.io.mismatch import explain_mismatch
from relkit.io.open import Source
from relkit.io.read import read_rows, read_scored
from relkit.io.write import write_judgments, write_run

__all__ = [
    "Format",
    "Source",
    "as_judgments",
    "as_run",
    "explain_mismatch",
    "formats",
    "open_source",
    "read_judgments",
    "read_rows",
    "read_run",
    "read_scored",
    "write_judgments",
    "write_run",
]
