"""Sessions that no person made are left out before labels are made of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from relyon.core.notes import Note
from relyon.data.sessions import Sessions

if TYPE_CHECKING:
    from relyon.online.logs import Bots

__all__ = ["without_bots"]


def without_bots(sessions: Sessions, check: Bots | None = None) -> Sessions:
    """Returns a log without the users whose rates no person reaches; sessions, without users.

    Args:
        sessions: The log. It is not changed, and asked where it lies.
        check: The limits of plausible behaviour; by default `relyon.online.logs.Bots`.
    """
    from relyon.online.logs import Bots, Log

    check = check or Bots()
    log = Log(sessions, depth=20)
    found, _, unit = check.found(log)
    if not len(found):
        return sessions
    import narwhals as nw

    column = "user" if unit == "users" else "session"
    names = found.get_column(column).to_list()
    bots = nw.col(column).is_in(names).fill_null(False)
    rows = log.count(sessions.frame.filter(bots))
    kept = sessions.frame.filter(~bots)
    note = Note(f"clicks-bots-{unit}", len(names), values={"rows": rows})
    known = sessions.raw.collect_schema().names()
    return Sessions(
        kept,
        sessions.raw.filter(~bots) if column in known else sessions.raw,
        source=sessions.source,
        notes=(*sessions.notes, note),
    )
