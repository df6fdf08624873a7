"""One row per evaluation, in the folder of the training."""

from __future__ import annotations

import csv
import os
from collections.abc import Mapping
from pathlib import Path

__all__ = ["append_row"]


def append_row(folder: str | os.PathLike[str], name: str, row: Mapping[str, object]) -> None:
    """Appends a row to a CSV file, and begins with its header.

    A file with another header, of other measures, is left alone: `NAME_2.csv` is next.
    """
    header = [*row]
    Path(folder).mkdir(parents=True, exist_ok=True)
    number, path = 1, Path(folder, name)
    while path.exists() and _header(path) != header:
        number += 1
        path = Path(folder, f"{Path(name).stem}_{number}.csv")
    new = not path.exists()
    with path.open("a", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        if new:
            writer.writerow(header)
        writer.writerow(row.values())


def _header(path: Path) -> list[str]:
    with path.open(newline="", encoding="utf-8") as file:
        return next(csv.reader(file), [])
