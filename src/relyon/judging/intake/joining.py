"""Rows of a file joined by item, with the places where each part of an item comes from."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from relyon.core.errors import InputError
from relyon.data.sheets import Row, Sheet, join_rows

if TYPE_CHECKING:
    from relyon.judging.batch import Fault
    from relyon.judging.intake.outcome import Refusals

__all__ = ["JUDGE", "Joined", "join_placed"]

#: To whom grades without a judge are attributed.
JUDGE = "import"

Pair = tuple[str, str]


@dataclass
class Joined:
    """Items of a file, each once.

    Attributes:
        rows: The items with all their ratings.
        places: The place of the first row of each.
        parts: The rows of each item that has several, with their places.
    """

    rows: Sequence[Row]
    places: array[int]
    parts: dict[Pair, list[tuple[int, Row]]] = field(default_factory=dict)

    def refuse(self, faults: Collection[Fault], refusals: Refusals) -> None:
        """Refuses the rows of ratings that cannot be stored.

        Args:
            faults: The ratings.
            refusals: Where they are added.

        Raises:
            InputError: If too many are refused.
        """
        wanted = {(one.item.query, one.item.document) for one in faults}
        single = {
            key: place
            for place, row in zip(self.places, self.rows, strict=True)
            if (key := (row.item.query, row.item.document)) in wanted and key not in self.parts
        }
        for fault in faults:
            key = (fault.item.query, fault.item.document)
            if key in single:
                refusals.add(single[key], fault.reason)
                continue
            for place, row in self.parts[key]:
                if _is_of(row, fault.judge):
                    refusals.add(place, fault.reason)


def join_placed(places: Sequence[int], rows: Sequence[Row], refusals: Refusals) -> Joined:
    """Returns each item once, without refused rows; those that contradict earlier ones are refused.

    Args:
        places: The places of the rows.
        rows: The rows.
        refusals: Where the refused ones are added.

    Raises:
        InputError: If too many are refused.
    """
    import numpy as np

    if refusals.found:
        left = [at for at, place in enumerate(places) if place not in refusals.found]
        if len(left) < len(places):
            places, rows = [places[at] for at in left], [rows[at] for at in left]
    hashes = (hash((row.item.query, row.item.document)) for row in rows)
    values, counts = np.unique(np.fromiter(hashes, np.int64, len(rows)), return_counts=True)
    repeated = {*values[counts > 1].tolist()}
    del values, counts
    if not repeated:
        return Joined(rows, array("q", places))
    kept: list[Row] = []
    found = Joined(kept, array("q"))
    at: dict[Pair, int] = {}
    for place, row in zip(places, rows, strict=True):
        key = (row.item.query, row.item.document)
        if key not in at:
            if hash(key) in repeated:
                at[key] = len(kept)
                found.parts[key] = [(place, row)]
            kept.append(row)
            found.places.append(place)
            continue
        try:
            joined = join_rows(Sheet((kept[at[key]], row))).rows[0]
        except InputError as error:
            refusals.add(place, error.message)
            continue
        kept[at[key]] = joined
        found.parts[key].append((place, row))
    return found


def _is_of(row: Row, judge: str) -> bool:
    """Returns whether a row has a judge's rating."""
    if not row.ratings:
        return row.final is not None and judge == JUDGE
    return any(one.judge.strip() == judge for one in row.ratings)
