"""How many cards a day: in the terminal, and by the same rules in the card box."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from relyon.learn.progress import Progress
from relyon.learn.ration import LIMITS, ration

#: Noon, so that every time zone but the outermost is on the same day.
NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
NAMES = [f"lesson/{place}" for place in range(48)]


def back(count: int, days: int = 1) -> dict[str, dict[str, object]]:
    """Returns cards that were learned, each a minute longer due than the one before it."""
    return {
        name: {"due": (NOW - timedelta(days=days, minutes=place)).isoformat(), "state": 2}
        for place, name in enumerate(NAMES[:count])
    }


def test_new_cards_are_ten_a_day_in_the_order_of_the_course() -> None:
    progress = Progress()
    today = progress.today(NAMES, NOW)
    assert today.asked == tuple(NAMES[: LIMITS["new"]])
    assert today.held == len(NAMES) - LIMITS["new"]
    for name in today.asked:
        progress.rate(name, "easy", NOW)
    assert progress.today(NAMES, NOW).asked == ()
    assert progress.today(NAMES, NOW).held == len(NAMES) - LIMITS["new"]
    tomorrow = progress.today(NAMES, NOW + timedelta(days=1))
    assert tomorrow.asked[-LIMITS["new"] :] == tuple(NAMES[10:20])


def test_a_card_that_is_being_learned_always_comes_back_the_same_day() -> None:
    progress = Progress(settings={"limits": {"new": 1, "reviews": 0}})
    soon = progress.rate(NAMES[0], "again", NOW)
    assert progress.today(NAMES, soon).asked == (NAMES[0],)
    progress.rate(NAMES[0], "again", soon)
    assert progress.settings["day"] == {"date": "2026-03-02", "new": 1, "reviews": 0, "more": 0}


def test_cards_that_come_back_have_a_limit_of_their_own_the_longest_due_first() -> None:
    cards = back(20)
    found = ration(NAMES, cards, {"limits": {"new": 2, "reviews": 5}}, NOW)
    assert found.asked == (*NAMES[19:14:-1], *NAMES[20:22])
    assert found.held == 15 + 26
    progress = Progress(settings={"limits": {"new": 2, "reviews": 5}})
    for name in NAMES[:20]:
        progress.rate(name, "easy", NOW - timedelta(days=90))
    progress.settings.pop("day")
    assert len(progress.today(NAMES, NOW).asked) == 5 + 2
    progress.rate(NAMES[19], "good", NOW)
    assert progress.settings["day"] == {"date": "2026-03-02", "new": 0, "reviews": 1, "more": 0}
    assert len(progress.today(NAMES, NOW).asked) == 4 + 2


def test_more_can_be_asked_for_today() -> None:
    settings = {"day": {"date": "2026-03-02", "new": 10, "reviews": 60, "more": 10}}
    assert ration(NAMES, {}, settings, NOW).asked == tuple(NAMES[:10])
    assert ration(NAMES, {}, settings, NOW + timedelta(days=1)).asked == tuple(NAMES[:10])
    none = {"day": {"date": "2026-03-02", "new": 10, "reviews": 60, "more": 0}}
    assert ration(NAMES, {}, none, NOW).asked == ()


@pytest.mark.parametrize(
    "settings",
    [{"limits": None}, {"limits": {"new": -1, "reviews": "60"}}, {"day": [], "limits": 3}],
    ids=str,
)
def test_settings_that_are_none_are_the_usual_ones(settings: dict[str, object]) -> None:
    assert len(ration(NAMES, {}, settings, NOW).asked) == LIMITS["new"]
