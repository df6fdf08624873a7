"""Where users stop: the ranks of their last clicks, as counts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from relyon.core.errors import ParameterError
from relyon.core.parameters import check_type, check_whole
from relyon.core.texts import message

__all__ = ["LastClicks"]


@dataclass(frozen=True)
class LastClicks:
    """How many sessions have their last click at which rank.

    `relyon.online.logs.last_clicks` counts them in a log.

    Attributes:
        ranks: Number of sessions by the rank of their last click, the deepest one.
        shown: Number of sessions by the deepest rank that was shown; empty if unknown.
        sessions: All sessions, including those without a click; 0 if unknown.

    Raises:
        ParameterError: If a rank or a count is not a whole number, or there are more sessions with
            clicks than sessions.

    Examples:
        >>> clicks = LastClicks({1: 60, 3: 35, 12: 5})
        >>> clicks.clicked, clicks.share(3), clicks.rank(0.95)
        (100, 0.95, 3)
    """

    ranks: Mapping[int, int]
    shown: Mapping[int, int] = field(default_factory=dict)
    sessions: int = 0

    def __post_init__(self) -> None:
        for name in ("ranks", "shown"):
            counts = getattr(self, name)
            check_type(name, counts, Mapping, "a mapping {rank: sessions}")
            checked = {
                check_whole("rank", rank): check_whole("sessions", count, least=0)
                for rank, count in counts.items()
            }
            object.__setattr__(self, name, dict(sorted(checked.items())))
        check_whole("sessions", self.sessions, least=0)
        if 0 < self.sessions < self.clicked:
            raise ParameterError(
                message(
                    "analysis.with-clicks",
                    clicked=self.clicked,
                    sessions=self.sessions,
                )
            )

    @property
    def clicked(self) -> int:
        """Number of sessions with a click."""
        return sum(self.ranks.values())

    def share(self, k: int) -> float:
        """Returns the share of the sessions with clicks whose last click is among the first k."""
        return _share(sum(count for rank, count in self.ranks.items() if rank <= k), self.clicked)

    def shown_share(self, k: int) -> float:
        """Returns the share of sessions in which rank k was shown; NaN if unknown."""
        reached = sum(count for rank, count in self.shown.items() if rank >= k)
        return _share(reached, sum(self.shown.values()))

    def rank(self, share: float) -> int:
        """Returns the first rank by which this share of the sessions had their last click.

        0 without clicks.
        """
        return next((rank for rank in self.ranks if self.share(rank) >= share), 0)


def _share(part: int, whole: int) -> float:
    return part / whole if whole else math.nan
