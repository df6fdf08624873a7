"""Attempts counted in a moving window, in the database: by all processes together.

An attempt is counted before it is made, and the count and the question whether it may be made are
one transaction: however many arrive at once, no more than the limit get through.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relkit.judging.access import hash_secret
from relkit.judging.database import new_id
from relkit.judging.schema import attempts, sa

if TYPE_CHECKING:
    from relkit.judging.store import Store

__all__ = ["Attempts", "Limit", "Reservation"]


@dataclass(frozen=True)
class Limit:
    """How often something may be tried.

    Attributes:
        key: What is counted, such as attempts at a name from an address. Only a hash is stored.
        most: Attempts before it has to wait.
        window: Seconds in which they are counted.
    """

    key: str
    most: int
    window: float


@dataclass(frozen=True)
class Reservation:
    """What came of the wish to try.

    Attributes:
        wait: Seconds to wait before the next attempt; 0 where it may be made.
        rows: What was counted.
    """

    wait: float
    rows: tuple[int, ...] = ()


class Attempts:
    """Counts attempts.

    Args:
        store: The database, whose clock tells the time.
        memory: Seconds after which an attempt is forgotten: at least the longest window.
    """

    def __init__(self, store: Store, memory: float) -> None:
        self.store = store
        self.memory = memory

    def wait(self, limits: Sequence[Limit]) -> float:
        """Returns for how many seconds the next attempt has to wait, 0 if it need not."""
        with self.store.database.read() as connection:
            return max((self._wait(connection, one) for one in limits), default=0.0)

    def reserve(self, limits: Sequence[Limit]) -> Reservation:
        """Counts an attempt under every limit, unless one of them says to wait."""
        wait = self.wait(limits)
        if wait > 0:  # who is held up makes no work for writers
            return Reservation(wait)
        now = self.store.clock()
        with self.store.database.write() as connection:
            if connection.dialect.name != "sqlite":  # whose writers queue anyway
                connection.execute(sa.text("SELECT pg_advisory_xact_lock(728513)"))
            wait = max((self._wait(connection, one) for one in limits), default=0.0)
            if wait > 0:
                return Reservation(wait)
            old = attempts.c.created_at <= now - self.memory
            connection.execute(sa.delete(attempts).where(old))
            rows = [
                sa.insert(attempts).values(key_hash=hash_secret(one.key), created_at=now)
                for one in limits
            ]
            return Reservation(0.0, tuple(new_id(connection.execute(row)) for row in rows))

    def release(self, reservation: Reservation, forget: Sequence[str] = ()) -> None:
        """Counts an attempt no more, as one that succeeded; begins anew for some keys."""
        hashes = [hash_secret(key) for key in forget]
        gone = sa.or_(attempts.c.id.in_(reservation.rows), attempts.c.key_hash.in_(hashes))
        with self.store.database.write() as connection:
            connection.execute(sa.delete(attempts).where(gone))

    def _wait(self, connection: sa.Connection, limit: Limit) -> float:
        now = self.store.clock()
        query = (
            sa.select(attempts.c.created_at)
            .where(
                attempts.c.key_hash == hash_secret(limit.key),
                attempts.c.created_at > now - limit.window,
            )
            .order_by(attempts.c.created_at.desc())
            .limit(limit.most)
        )
        times = connection.execute(query).scalars().all()
        if len(times) < limit.most:
            return 0.0
        # Never longer than the window, also where the clock was set back.
        return float(min(times[-1] + limit.window - now, limit.window))
