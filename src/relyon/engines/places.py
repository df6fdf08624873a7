"""The files of a search: the run of each variant, the tapes, and the journal meanwhile."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from relyon.core.errors import InputError, ParameterError
from relyon.core.texts import message
from relyon.engines.asked import Variant
from relyon.io.spaced_ids import is_word
from relyon.io.tapes import tape_beside
from relyon.io.writers import check_run_name

__all__ = ["Places", "find_places"]


@dataclass(frozen=True)
class Places:
    """The files of a search.

    Attributes:
        runs: The run of each variant and the tape beside it, by the variant's name.
        record: One tape with all variants, or an empty string.
        journal: The answers until the search is complete, or an empty string.
    """

    runs: Mapping[str, tuple[str, str]]
    record: str
    journal: str

    @property
    def written(self) -> list[str]:
        """All files that a complete search has written."""
        return [path for path in (*sum(self.runs.values(), ()), self.record) if path]

    def refuse_existing(self) -> None:
        """Checks that no file would be replaced.

        Raises:
            InputError: If one exists.
        """
        for path in self.written:
            if os.path.lexists(path):
                raise InputError(
                    message("core.already-exists"),
                    path=path,
                    hint=message("engines.overwrite-replaces"),
                )

    def make_folders(self) -> None:
        """Makes the folders of all files.

        Raises:
            InputError: If one cannot be made.
        """
        for path in self.written:
            folder = os.path.dirname(path)
            try:
                os.makedirs(folder or ".", exist_ok=True)
            except OSError as error:
                raise InputError(
                    message("core.cannot-be-written", strerror=error.strerror or error),
                    path=folder,
                ) from None


def find_places(
    output: str | os.PathLike[str] | None,
    record: str | os.PathLike[str] | None,
    variants: Sequence[Variant],
    queries: Sequence[str] = (),
) -> Places:
    """Returns the files of a search.

    Args:
        output: The file of the run, or the folder of the runs if there are several variants.
        record: One tape with all variants.
        variants: The variants.
        queries: The ids of the queries: runs in a folder are CSV if TREC cannot contain one.

    Raises:
        InputError: If the format of a file cannot contain an id.
        ParameterError: If the suffix of a file is unknown.

    Examples:
        >>> find_places("new.run", None, [Variant("base")]).journal
        'new.run.partial'
        >>> find_places("runs/", None, [Variant("base"), Variant("title")]).runs["title"]
        ('runs/title.run', 'runs/title.run.tape.jsonl')
    """
    tape = "" if record is None else os.fspath(record)
    if output is None:
        return Places({}, tape, f"{tape}.partial" if tape else "")
    path = os.fspath(output)
    if len(variants) > 1 or path.endswith((os.sep, "/")) or os.path.isdir(path):
        ending = "run" if all(map(is_word, queries)) else "csv"
        runs = {one.name: os.path.join(path, f"{one.name}.{ending}") for one in variants}
        journal = os.path.join(path, "search.partial")
    else:
        runs = {variants[0].name: path}
        journal = f"{path}.partial"
    for run in runs.values():
        try:
            check_run_name(run, queries)
        except ParameterError as error:
            raise ParameterError(error.message, hint=message("engines.end-of-run")) from None
    return Places({name: (run, tape_beside(run)) for name, run in runs.items()}, tape, journal)
