"""How many cards a day: new ones, and those that come back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

__all__ = ["LIMITS", "Ration", "counted", "ration"]

#: Cards per day unless the learner sets others: every new card comes back several times.
LIMITS = {"new": 10, "reviews": 60}
NOTHING = {"new": 0, "reviews": 0, "more": 0}
#: FSRS's state of a card that was learned; others are being learned, and come back the same day.
LEARNED = 2


@dataclass(frozen=True)
class Ration:
    """The cards of today.

    Attributes:
        asked: Their names: those being learned, those that come back, then new ones.
        held: How many wait until tomorrow.
    """

    asked: tuple[str, ...]
    held: int


def ration(
    names: Iterable[str],
    cards: Mapping[str, Mapping[str, object]],
    settings: Mapping[str, object],
    now: datetime,
) -> Ration:
    """Returns the cards of today.

    Cards that are being learned always come; they were counted when they were new or came back.

    Args:
        names: The cards, in the order of the course.
        cards: What is kept of each, see `Progress`.
        settings: `limits` and `day`, see `counted`.
        now: The time, whose local day is today.
    """
    limits, done = limits_of(settings), _day(settings, now)
    learning: list[tuple[datetime, str]] = []
    back: list[tuple[datetime, str]] = []
    new: list[str] = []
    for name in names:
        kept = cards.get(name, {})
        if not kept.get("due"):
            new.append(name)
            continue
        due = datetime.fromisoformat(str(kept["due"]))
        if due <= now:
            (back if kept.get("state") == LEARNED else learning).append((due, name))
    left = {kind: max(0, limits[kind] + done["more"] - done[kind]) for kind in limits}
    waiting = [name for _, name in sorted(back)]
    asked = [name for _, name in sorted(learning)]
    asked += waiting[: left["reviews"]] + new[: left["new"]]
    return Ration(tuple(asked), len(learning) + len(waiting) + len(new) - len(asked))


def counted(
    settings: Mapping[str, object], kept: Mapping[str, object], now: datetime
) -> dict[str, object]:
    """Returns the settings after a card was rated.

    Args:
        settings: Those before. `day` counts the `new` cards and `reviews` of a `date`, and how
            many `more` of each were asked for.
        kept: What was kept of the card before.
        now: When it was rated.
    """
    done = _day(settings, now)
    if not kept.get("due"):
        done["new"] += 1
    elif kept.get("state") == LEARNED:
        done["reviews"] += 1
    return {**settings, "day": {"date": _date(now), **done}}


def limits_of(settings: Mapping[str, object]) -> dict[str, int]:
    """Returns the limits that the learner set, or those of `LIMITS`."""
    found = settings.get("limits")
    return _counts(found if isinstance(found, dict) else {}, LIMITS)


def _day(settings: Mapping[str, object], now: datetime) -> dict[str, int]:
    found = settings.get("day")
    if not isinstance(found, dict) or found.get("date") != _date(now):
        found = {}
    return _counts(found, NOTHING)


def _counts(found: Mapping[str, object], usual: Mapping[str, int]) -> dict[str, int]:
    return {
        name: value if isinstance(value := found.get(name), int) and value >= 0 else count
        for name, count in usual.items()
    }


def _date(now: datetime) -> str:
    return now.astimezone().date().isoformat()
