"""The positions that a log can compare: those that documents connect."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from relyon.core.notes import Note
from relyon.core.packages import scipy_part
from relyon.labels.position_bias.swaps import count_cells, count_swaps

if TYPE_CHECKING:
    from collections.abc import Iterator

    from relyon.labels.log import ClickLog
    from relyon.labels.model import Values
    from relyon.labels.position_bias.swaps import Cells, Places, Swaps

__all__ = ["Connection", "Experiment", "Support", "connect", "sessions_needed", "support_of"]

#: How well an experiment should know the ratio of two positions: to a tenth of it.
PRECISION = 0.1


@dataclass(frozen=True)
class Experiment:
    """The swaps to log to compare positions that no document connects.

    Attributes:
        first: A position that can be compared with the reference, once the experiments before
            this one are done.
        second: One that cannot.
        positions: Those that would be connected by swapping these two.
        sessions: How many sessions with the two swapped, and as many without, know the ratio of the
            two to a tenth; NaN where there are no clicks to tell.
    """

    first: int
    second: int
    positions: tuple[int, ...]
    sessions: float


@dataclass(frozen=True)
class Connection:
    """Whether a log identifies the examination of positions.

    Attributes:
        reference: The position whose examination is 1.
        positions: The positions that were shown.
        shown: Impressions at each.
        clicks: Clicks at each.
        components: Positions that documents connect with each other, the reference's first.
        swaps: Effective swaps that connect each position with the reference: of the best way
            there, those of its weakest step; infinite for the reference, 0 for those not connected.
        reasons: Why a position cannot be compared with the reference: `not-connected`,
            `no-clicks`, or nothing.
        experiments: What would have to be logged.
    """

    reference: int
    positions: tuple[int, ...]
    shown: tuple[int, ...]
    clicks: tuple[int, ...]
    components: tuple[tuple[int, ...], ...]
    swaps: tuple[float, ...]
    reasons: tuple[str, ...]
    experiments: tuple[Experiment, ...]

    @property
    def comparable(self) -> tuple[int, ...]:
        """The positions that can be compared with the reference, and itself."""
        pairs = zip(self.positions, self.reasons, strict=True)
        return tuple(position for position, reason in pairs if not reason)

    def because(self, reason: str) -> tuple[int, ...]:
        """Returns the positions that cannot be compared for a reason."""
        pairs = zip(self.positions, self.reasons, strict=True)
        return tuple(position for position, one in pairs if one == reason)

    def weak(self, least: float) -> tuple[int, ...]:
        """Returns the positions that fewer effective swaps connect with the reference."""
        rows = zip(self.positions, self.swaps, self.reasons, strict=True)
        return tuple(position for position, swaps, reason in rows if not reason and swaps < least)


def connect(cells: Cells, swaps: Swaps, reference: int, level: float) -> Connection:
    """Returns the positions that can be compared with the reference.

    Two positions are connected if a document was shown at both, or both are connected with a third.
    Clicks must connect them, too, both ways: where documents shown at some positions and at
    others were clicked at the former alone, the ratio has no finite estimate.

    Args:
        cells: Impressions and clicks.
        swaps: Documents shown at two positions.
        reference: The index of the reference.
        level: The probability of the interval that an experiment is to have.
    """
    import numpy as np

    connected_components = scipy_part("sparse.csgraph").connected_components

    both = swaps.table(swaps.swaps)
    both += both.T
    _, component = connected_components(both > 0, directed=False)
    # Clicks at the column of documents that were also shown at the row.
    clicked = swaps.table(swaps.second_clicks) + swaps.table(swaps.first_clicks).T
    _, strong = connected_components(clicked > 0, directed=True, connection="strong")
    reasons = np.where(
        component != component[reference],
        "not-connected",
        np.where(strong != strong[reference], "no-clicks", ""),
    )
    order = sorted(set(component.tolist()), key=lambda one: one != component[reference])
    members = [np.flatnonzero(component == one) for one in order]
    shown, clicks = cells.by_place(cells.shown), cells.by_place(cells.clicks)
    rates = clicks / shown
    return Connection(
        reference=int(cells.positions[reference]),
        positions=tuple(cells.positions.tolist()),
        shown=tuple(map(int, shown)),
        clicks=tuple(map(int, clicks)),
        components=tuple(tuple(cells.positions[one].tolist()) for one in members),
        swaps=tuple(_widest(both, reference).tolist()),
        reasons=tuple(reasons.tolist()),
        experiments=tuple(_experiments(cells.positions, component, reference, rates, level)),
    )


def _widest(both: Values, reference: int) -> Values:
    """The weakest step of the best way from the reference to each position."""
    import numpy as np

    found = np.zeros(len(both))
    found[reference] = np.inf
    left = np.ones(len(both), bool)
    for _ in range(len(both)):
        here = int(np.where(left, found, -1).argmax())
        left[here] = False
        found = np.where(left, np.maximum(found, np.minimum(found[here], both[here])), found)
    return found


def _experiments(
    positions: Places, component: Places, reference: int, rates: Values, level: float
) -> Iterator[Experiment]:
    """Joins one component after the other by the smallest swap: users mind it least."""
    import numpy as np

    known = component == component[reference]
    gaps = np.diff(positions)
    while not known.all():
        # Of the closest two positions of which one is known, no third is between them.
        across = np.flatnonzero(known[:-1] != known[1:])
        above = int(across[gaps[across].argmin()])
        first, second = (above, above + 1) if known[above] else (above + 1, above)
        joined = component == component[second]
        known = known | joined
        yield Experiment(
            int(positions[first]),
            int(positions[second]),
            tuple(positions[joined].tolist()),
            sessions_needed(float(rates[first]), float(rates[second]), level),
        )


def sessions_needed(first: float, second: float, level: float = 0.95) -> float:
    """Returns how many sessions of each of two orders know the ratio of two positions to a tenth.

    The variance of the log ratio is (1 − p) / (n p) for each position with click-through rate p.

    Args:
        first: The click-through rate of one position.
        second: That of the other.
        level: The probability of the interval.

    Examples:
        >>> sessions_needed(0.4, 0.1)
        4441.0
    """
    ndtri = scipy_part("special").ndtri

    if not (first > 0 and second > 0):
        return math.nan
    half = math.log1p(PRECISION) / float(ndtri((1 + level) / 2))
    return float(math.ceil(((1 - first) / first + (1 - second) / second) / half**2))


class Support(NamedTuple):
    """Evidence of a log about documents, free of position bias.

    Attributes:
        shown: Impressions of each pair at positions that can be compared with the first; None if
            all count.
        notes: Which positions cannot.
    """

    shown: Values | None
    notes: tuple[Note, ...]


def support_of(log: ClickLog) -> Support:
    """Returns the positions at which a log cannot separate position from relevance.

    If no document was shown at a position and also at others, or none of them was clicked, few
    clicks there can mean that the position is seldom seen or that its documents are poor.
    Impressions at such a position carry no information about relevance.

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
