"""Events counted in a moving window, in the database: by all processes together."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from relkit.judging.schema import attempts, sa

if TYPE_CHECKING:
    from relkit.judging.store import Store

__all__ = ["RateLimit"]


class RateLimit:
    """Counts events by key, such as wrong passwords for a name from an address.

    Of a key only a hash is stored.

    Args:
        store: The database, whose clock tells the time.
        most: Events before a key has to wait.
        window: Seconds in which they are counted.
    """

    def __init__(self, store: Store, most: int, window: float) -> None:
        self.store = store
        self.most = most
        self.window = window

    def wait(self, key: str) -> float:
        """Returns for how many seconds a key has to wait, 0 if it need not."""
        now = self.store.clock()
        query = (
            sa.select(attempts.c.created_at)
            .where(attempts.c.key_hash == _hashed(key), attempts.c.created_at > now - self.window)
            .order_by(attempts.c.created_at.desc())
            .limit(self.most)
        )
        with self.store.database.read() as connection:
            times = connection.execute(query).scalars().all()
        # Never longer than the window, also where the clock was set back.
        return min(times[-1] + self.window - now, self.window) if len(times) >= self.most else 0.0

    def add(self, key: str) -> None:
        """Counts an event, and forgets those of all keys that count no more."""
        now = self.store.clock()
        with self.store.database.write() as connection:
            connection.execute(
                sa.delete(attempts).where(attempts.c.created_at <= now - self.window)
            )
            connection.execute(sa.insert(attempts).values(key_hash=_hashed(key), created_at=now))

    def forget(self, key: str) -> None:
        """Begins anew for a key."""
        with self.store.database.write() as connection:
            connection.execute(sa.delete(attempts).where(attempts.c.key_hash == _hashed(key)))


def _hashed(key: str) -> str:
    return hashlib.sha256(key.encode("utf-8", "replace")).hexdigest()
