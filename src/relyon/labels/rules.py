"""The rows of a log that count, and the clicks that count."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relyon.core.errors import InputError, ParameterError
from relyon.core.parameters import check_whole
from relyon.core.texts import message
from relyon.data.sessions import Sessions

if TYPE_CHECKING:
    import narwhals as nw

    from relyon.data.lazy import LazyRows

__all__ = ["Rules"]

DEEPEST = 1000

IDS = ("session", "query", "doc", "position")


@dataclass(frozen=True)
class Rules:
    """The rows of a log that count, and the clicks that count.

    Attributes:
        depth: The last position that counts, at most 1000.
        min_dwell: Clicks after which the user stayed for fewer seconds do not count: mis-clicks.
        need_dwell: Whether clicks without a dwell time do not count either. Many logs know how long
            a user stayed only where something came after it: the last click of a visit has none.
        acted: Columns that count as a click as well: who puts a result into the cart from the list
            has chosen it.
    """

    depth: int = 10
    min_dwell: float | None = None
    need_dwell: bool = False
    acted: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if check_whole("depth", self.depth) > DEEPEST:
            raise ParameterError(
                message(
                    "core.parameter-must-be-or-less",
                    name="depth",
                    most=DEEPEST,
                    value=self.depth,
                )
            )

    @property
    def asks_dwell(self) -> bool:
        """Whether it matters how long users stayed."""
        return self.min_dwell is not None or self.need_dwell

    def check(self, sessions: Sessions) -> None:
        """Refuses a log that lacks a column.

        Raises:
            InputError: If it does not say what was clicked, or how long users stayed.
        """
        path = sessions.path
        if "clicked" not in sessions.columns and not sessions.counted:
            raise InputError(
                message("core.log-has-no-clicks"),
                path=path,
                hint=message("core.name-column"),
            )
        if self.asks_dwell and "dwell_seconds" not in sessions.columns:
            raise InputError(
                message("labels.log-has-no-dwell"),
                path=path,
                hint=message("labels.leave-min-dwell-out"),
            )

    def columns(self, sessions: Sessions) -> list[str]:
        """Returns the columns that decide."""
        beside = ["dwell_seconds"] if self.asks_dwell else []
        shown = ["shown"] if "shown" in sessions.columns else []
        return [*IDS, "clicked", *shown, *beside, *self.acted]

    def complete(self, columns: Collection[str]) -> nw.Expr:
        """Returns the expression of the rows that have every id and were shown.

        Args:
            columns: The columns of the log.
        """
        import narwhals as nw

        found = nw.all_horizontal(*(~nw.col(name).is_null() for name in IDS), ignore_nulls=True)
        return found & nw.col("shown") if "shown" in columns else found

    @property
    def done(self) -> nw.Expr:
        """The expression of the rows on which the user did something."""
        import narwhals as nw

        names = ("clicked", *self.acted)
        return nw.any_horizontal(
            *(nw.col(name).fill_null(False) for name in names), ignore_nulls=True
        )

    @property
    def stayed(self) -> nw.Expr:
        """The expression of the rows after which the user stayed for long enough, or acted."""
        import narwhals as nw

        dwell = nw.col("dwell_seconds")
        known = dwell >= (0.0 if self.min_dwell is None else self.min_dwell)
        acted = [nw.col(name).fill_null(False) for name in self.acted]
        return nw.any_horizontal(known.fill_null(not self.need_dwell), *acted, ignore_nulls=True)

    @property
    def clicked(self) -> nw.Expr:
        """The expression of the clicks that count."""
        return self.done & self.stayed if self.asks_dwell else self.done

    def clicks(self, sessions: Sessions) -> LazyRows:
        """Returns the clicks that count as a lazy frame, where the log lies."""
        import narwhals as nw

        position = nw.col("position")
        return sessions.frame.filter(
            self.complete(sessions.columns), position >= 1, position <= self.depth, self.clicked
        )
