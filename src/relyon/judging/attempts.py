"""Attempts counted in a moving window, in the database, across all processes.

An attempt is counted before it is made, in the same transaction that checks the limit: however many
arrive at once, no more than the limit get through.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relyon.judging.access import hash_secret
from relyon.judging.database import new_id
from relyon.judging.schema import attempts, sa

if TYPE_CHECKING:
    from relyon.judging.store import Store

__all__ = ["Attempts", "Limit", "Reservation"]


@dataclass(frozen=True)
class Limit:
    """How often something may be tried.

    Attributes:
        key: The key of the count, such as a name and an address. Only a hash is stored.
        most: Attempts allowed per window.
        window: Window in seconds in which they are counted.
    """

    key: str
    most: int
    window: float


@dataclass(frozen=True)
class Reservation:
    """The outcome of a reservation.

    Attributes:
        wait: Seconds to wait before the next attempt; 0 if it is allowed.
        rows: The rows that count the attempt.
    """

    wait: float
    rows: tuple[int, ...] = ()


class Attempts:
    """Counts attempts.

    Args:
        store: The database, with its clock.
        memory: Seconds after which an attempt is forgotten: at least the longest window.
    """

    def __init__(self, store: Store, memory: float) -> None:
        self.store = store
        self.memory = memory

    def wait(self, limits: Sequence[Limit]) -> float:
        """Returns how many seconds the next attempt has to wait; 0 if it need not."""
        with self.store.database.read() as connection:
            return max((self._wait(connection, one) for one in limits), default=0.0)

    def reserve(self, limits: Sequence[Limit]) -> Reservation:
        """Counts an attempt under every limit, unless one of them requires waiting."""
        wait = self.wait(limits)
        if wait > 0:  # a blocked attempt costs writers nothing
            return Reservation(wait)
        now = self.store.clock()
        with self.store.database.write() as connection:
            if connection.dialect.name != "sqlite":  # its writers queue anyway
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
        """Uncounts an attempt that succeeded, and resets some keys."""
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
        # Never longer than the window, even if the clock was set back.
        return float(min(times[-1] + limit.window - now, limit.window))
