"""What other programs' files of queries give: an engine's file, queries, and judgments."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from relyon.core.cells import Cell, csv_text
from relyon.core.errors import InputError
from relyon.core.notes import Note
from relyon.core.texts import message
from relyon.data.judgments import Judgments
from relyon.engines.files.engine_toml import engine_toml
from relyon.engines.files.template import Json, Scalar, write_scalar
from relyon.io.atomic_files import open_replaced
from relyon.io.writers import write_judgments

__all__ = ["Imported", "left_out", "safe_ids"]


@dataclass(frozen=True)
class Imported:
    """A file of another program, taken apart.

    Attributes:
        engine: The engine's file; empty if the engine is of a kind that cannot be asked.
        queries: The queries: id, text and further columns.
        grades: The grades, by query and document.
        measure: The measure that it asks for; empty if it names none that is known.
        convention: The preset with which the measure counts as the other program does.
        k: How many results it asks for.
        source: What it was made of, for the first line of the engine's file.
        notes: What was not carried over.
    """

    engine: Mapping[str, Json]
    queries: Sequence[Mapping[str, Scalar]]
    grades: Mapping[str, Mapping[str, float]]
    measure: str
    convention: str
    k: int
    source: str
    notes: tuple[Note, ...] = field(default=())

    @property
    def toml(self) -> str:
        """The engine's file as text."""
        return engine_toml(self.engine, (self.source,))

    def write(self, folder: str | os.PathLike[str], *, overwrite: bool = False) -> dict[str, str]:
        """Writes `engine.toml`, `queries.csv` and `judgments.qrels` into a folder.

        Judgments with white space in ids are `judgments.csv`: TREC's format has no place for it.

        Args:
            folder: The folder, which is created.
            overwrite: Whether existing files are replaced.

        Returns:
            The paths, by what they are: `engine`, `queries`, `judgments`.

        Raises:
            InputError: If a file exists or cannot be written.
        """
        place = os.fspath(folder)
        spaced = any(
            len(one.split()) != 1 for query, found in self.grades.items() for one in (query, *found)
        )
        names = {
            "engine": "engine.toml" if self.engine else "",
            "queries": "queries.csv",
            "judgments": "" if not self.grades else f"judgments.{'csv' if spaced else 'qrels'}",
        }
        paths = {what: os.path.join(place, name) for what, name in names.items() if name}
        for path in paths.values():
            if os.path.lexists(path) and not overwrite:
                raise InputError(
                    message("core.already-exists"), path=path, hint=message("core.force-replaces")
                )
        try:
            os.makedirs(place, exist_ok=True)
        except OSError as error:
            raise InputError(
                message("core.cannot-be-written", strerror=error.strerror or error), path=place
            ) from None
        columns = list(dict.fromkeys(name for one in self.queries for name in one))
        rows: list[Sequence[Cell]] = [columns]
        rows += [[_cell(one.get(name)) for name in columns] for one in self.queries]
        _write(paths["queries"], csv_text(rows))
        if self.engine:
            _write(paths["engine"], self.toml + "\n")
        if self.grades:
            write_judgments(
                Judgments.from_dict(self.grades), paths["judgments"], overwrite=overwrite
            )
        return paths


def _cell(value: Scalar | None) -> Cell:
    return write_scalar(value) if isinstance(value, bool) else value


def _write(path: str, text: str) -> None:
    with open_replaced(path) as file:
        file.write(text.encode())


def safe_ids(names: Sequence[str]) -> list[str]:
    """Returns ids for queries: their names, or numbers if one of them has white space.

    Examples:
        >>> safe_ids(["berlin", "amsterdam"]), safe_ids(["red shoes", "tv"])
        (['berlin', 'amsterdam'], ['q1', 'q2'])
    """
    if all(len(one.split()) == 1 and one == one.strip() for one in names):
        return list(names)
    width = len(str(len(names)))
    return [f"q{n:0{width}}" for n in range(1, len(names) + 1)]


def left_out(what: str, count: int = 1, **values: object) -> Note:
    """Returns a note on something that is not carried over."""
    return Note("not-carried-over", count, "warning", values=values, key=f"not-carried-over.{what}")
