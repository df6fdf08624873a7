"""The tape beside a run: found, read, and used only if the run is still the one made of it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from relyon.core.errors import RelyonError
from relyon.core.notes import Note
from relyon.data.columns import ITEM_NAMES, plain_name
from relyon.data.run import Run
from relyon.engines.tapes.entry import Entry
from relyon.engines.tapes.tape import Tape, read_tape
from relyon.io import read_run
from relyon.io.tapes import has_tape, tape_beside

__all__ = ["Recorded", "read_beside", "titles_of"]

#: Fields that say what a document is, most telling first.
TITLES = (*ITEM_NAMES["title"], *ITEM_NAMES["snippet"])
#: Characters of a title.
LONGEST = 120
#: Queries that a note names.
NAMED = 3


@dataclass(frozen=True)
class Recorded:
    """What a tape keeps of one run.

    Attributes:
        entries: What became of each query, by its id.
        tape: The tape.
    """

    entries: Mapping[str, Entry]
    tape: Tape = field(repr=False)

    @classmethod
    def of(cls, tape: Tape, variant: str | None = None) -> Recorded:
        """Returns what a tape keeps of one variant; by default of the only one."""
        found = (one for one in tape.entries.values() if variant in (None, one.variant))
        return cls({one.query: one for one in found}, tape)

    def explanations(self, query: str) -> dict[str, str]:
        """Returns the engine's explanations of a query's scores, by document, in its order."""
        entry = self.entries.get(query)
        if entry is None:
            return {}
        return {id: why for id, why in zip(entry.ids, entry.why, strict=False) if why}


def read_beside(
    path: str | os.PathLike[str], run: Run | None = None
) -> tuple[Recorded | None, tuple[Note, ...]]:
    """Returns what the tape beside a run's file keeps, and notes.

    A tape of another run, such as one that was edited or made anew, is named by a note and not
    used; so is one that cannot be read.

    Args:
        path: The file of the run.
        run: The run, if it is read already.

    Raises:
        InputError: If the run cannot be read.

    Examples:
        >>> read_beside("no.run")
        (None, ())
    """
    file = os.fspath(path)
    if not has_tape(file):
        return None, ()
    beside = tape_beside(file)
    try:
        recorded = Recorded.of(read_tape(beside))
    except RelyonError as error:
        values = {"path": beside, "problem": error.message}
        return None, (Note("tape-cannot-be-read", level="warning", values=values),)
    others = _others(recorded, read_run(file) if run is None else run)
    if others:
        named = tuple(others[:NAMED])
        note = Note(
            "tape-of-another-run", len(others), "warning", named, {"path": beside, "run": file}
        )
        return None, (note,)
    return recorded, ()


def titles_of(recorded: Iterable[Recorded]) -> dict[str, str]:
    """Returns the titles of all documents, by id; documents without one are left out."""
    found: dict[str, str] = {}
    for one in recorded:
        for id, fields in one.tape.documents.items():
            if id not in found:
                title = _title(fields)
                if title:
                    found[id] = title
    return found


def _title(fields: Mapping[str, str]) -> str:
    plain = {plain_name(name): text for name, text in fields.items()}
    chosen = next((" ".join(plain[name].split()) for name in TITLES if plain.get(name)), "")
    return chosen if len(chosen) <= LONGEST else chosen[: LONGEST - 1] + "…"


def _others(recorded: Recorded, run: Run) -> list[str]:
    """Returns the queries whose documents or order are not those of the tape."""
    kept = {query: entry for query, entry in recorded.entries.items() if entry.ids}
    if len(recorded.entries) < len(recorded.tape.entries):  # several variants
        return [*recorded.entries]
    queries = [*dict.fromkeys([*run.queries, *kept])]
    return [query for query in queries if not _is_of(kept.get(query), run, query)]


def _is_of(entry: Entry | None, run: Run, query: str) -> bool:
    """Returns whether a query's results are an answer: in its order, or with its scores."""
    if entry is None or query not in run:
        return False
    found = dict(run.documents(query))
    if len(found) != len(entry.ids) or not all(id in found for id in entry.ids):
        return False
    scores = [found[id] for id in entry.ids]
    return scores == entry.scores or all(first >= then for first, then in pairwise(scores))
