"""Whether a log can support labels that are free of position bias."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from relyon.core.notes import Note
from relyon.labels.position_bias.connection import connect
from relyon.labels.position_bias.swaps import count_cells, count_swaps

if TYPE_CHECKING:
    from relyon.labels.log import ClickLog
    from relyon.labels.model import Values

__all__ = ["Support", "support_of"]


class Support(NamedTuple):
    """What a log says of documents, free of position bias.

    Attributes:
        shown: Impressions of each pair at positions that can be compared with the first; None where
            all count.
        notes: Which positions cannot.
    """

    shown: Values | None
    notes: tuple[Note, ...]


def support_of(log: ClickLog) -> Support:
    """Returns the positions at which a log cannot separate position from relevance.

    Where no document stood at a position and at others too, or none of them was clicked, few
    clicks there may mean that it is seldom seen or that what stands there is poor. What was shown
    there says nothing of how relevant it is, however often it was.

    Args:
        log: The log.
    """
    import numpy as np

    cells = count_cells(log)
    found = connect(cells, count_swaps(cells, "harmonic"), 0, 0.95)
    comparable = np.array([not reason for reason in found.reasons])
    inside = comparable[cells.places]
    shown = np.bincount(cells.pairs[inside], cells.shown[inside], log.native.pairs).astype(float)
    apart = cells.positions[~comparable].tolist()
    if not apart:
        return Support(shown, ())
    total = sum(found.shown)
    values = {"positions": apart, "reference": found.reference, "total": total}
    count = total - int(shown.sum())
    return Support(shown, (Note("clicks-not-comparable", count, "warning", values=values),))
