"""What an import would do, or did."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field

from relyon.core.errors import InputError
from relyon.core.texts import message

__all__ = ["Outcome", "Refusals", "Refused"]

#: More faulty rows mean that something else is wrong: nothing is imported without them.
MOST = 100_000


@dataclass(frozen=True, slots=True)
class Refused:
    """A row that cannot be imported.

    Attributes:
        place: The number of its line, or of the row.
        reason: Why.
    """

    place: int
    reason: str


@dataclass(frozen=True)
class Outcome:
    """What an import would do, or did.

    Attributes:
        rows: Rows of the file, refused ones too.
        new: New results; in a side-by-side project, new pairs of rankings.
        known: Results that the project has already.
        grades: New grades, or known grades of gold items.
        filled: Results that get a title or another text that they lack.
        needs: Queries with a new information need.
        unknown: Rows about documents or queries that the project lacks.
        without: Rows without a grade, which gold items need; of a comparison, queries that only one
            system has, or for which both show the same.
        refused: Rows that cannot be imported.
        unit: Whether places are lines or rows.
    """

    rows: int = 0
    new: int = 0
    known: int = 0
    grades: int = 0
    filled: int = 0
    needs: int = 0
    unknown: int = 0
    without: int = 0
    refused: tuple[Refused, ...] = ()
    unit: str = "line"

    @property
    def changes(self) -> int:
        """How much of the project would change."""
        return self.new + self.grades + self.filled + self.needs

    def to_dict(self) -> dict[str, object]:
        """Returns the numbers, and the refused rows with their reasons in English."""
        found = asdict(self)
        found["refused"] = [{"place": one.place, "reason": str(one.reason)} for one in self.refused]
        return found


@dataclass
class Refusals:
    """The refused rows of a file, by their places."""

    path: str
    found: dict[int, str] = field(default_factory=dict)

    def add(self, place: int, reason: str) -> None:
        """Adds one; of several reasons for a row the first counts.

        Raises:
            InputError: If there are too many.
        """
        self.found.setdefault(place, reason)
        if len(self.found) > MOST:
            raise InputError(
                message("judging.too-many-rows-refused", most=MOST, reason=str(reason)),
                path=self.path,
                hint=message("judging.check-columns"),
            )

    def listed(self, leave_out: Iterable[int] = ()) -> tuple[Refused, ...]:
        """Returns them in the order of the file, without some."""
        without = frozenset(leave_out)
        return tuple(
            Refused(place, self.found[place])
            for place in sorted(self.found)
            if place not in without
        )
