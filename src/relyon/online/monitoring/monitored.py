"""What tables and sentences need of a monitor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from relyon.data.convention import Convention
from relyon.online.monitoring.alarms import Alarm
from relyon.online.monitoring.change_attribution import Losses
from relyon.online.monitoring.changes import Difference, MonthlyChange
from relyon.online.monitoring.points import Depth, Point

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Monitored"]


class Monitored(Protocol):
    """How good what users saw was, month by month: see `Monitor`."""

    @property
    def months(self) -> tuple[str, ...]: ...
    @property
    def tiers(self) -> tuple[str, ...]: ...
    @property
    def depths(self) -> Mapping[str, int]: ...
    @property
    def common_k(self) -> int: ...
    @property
    def points(self) -> Sequence[Point]: ...
    @property
    def losses(self) -> Sequence[Losses]: ...
    @property
    def convention(self) -> Convention: ...
    @property
    def confidence(self) -> float: ...
    @property
    def alpha(self) -> float: ...
    @property
    def alert_series(self) -> list[tuple[str, Depth]]: ...

    def series(self, tier: str, depth: Depth = "tier") -> list[Point]:
        """Returns the points of a tier."""

    def latest(self) -> list[MonthlyChange]:
        """Returns the changes to the last month."""

    def change(self, tier: str, depth: Depth, month: str) -> MonthlyChange | None:
        """Returns the change of a tier to a month."""

    def alarms(self) -> list[Alarm]:
        """Returns what is alarming about the last month."""

    def since_first(self, tier: str, depth: Depth = "tier") -> Difference | None:
        """Returns the change of DCG from a tier's first month to its last."""

    def worst(self, count: int = 10) -> pl.DataFrame:
        """Returns the worst queries of the last month."""

    def largest_drops(self, count: int = 10) -> pl.DataFrame:
        """Returns the queries that fell most."""
