"""Settings of Spark that relyon changes while it works and restores afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["setting", "tuned"]

SETTINGS = {
    # Spark 4 adds up the size of a batch after every row, a third of its work; ours are bounded by
    # their rows, see `relyon.spark.packed_rows`.
    "spark.sql.execution.arrow.maxBytesPerBatch": str(2**31 - 1),
    # Few rows need few tasks, also where the result is kept.
    "spark.sql.optimizer.canChangeCachedPlanOutputPartitioning": "true",
}

_lock = Lock()
#: By session: how many threads work in it, and the settings before.
_held: dict[int, tuple[int, dict[str, str | None]]] = {}


@contextmanager
def tuned(session: SparkSession) -> Iterator[None]:
    """Changes settings of a session for a while; the last of several threads restores them.

    Args:
        session: The session.
    """
    with _lock:
        count, before = _held.get(id(session), (0, {}))
        if not count:
            before = {name: setting(session, name) for name in SETTINGS}
            for name, value in SETTINGS.items():
                session.conf.set(name, value)
        _held[id(session)] = count + 1, before
    try:
        yield
    finally:
        with _lock:
            count, before = _held.pop(id(session))
            if count > 1:
                _held[id(session)] = count - 1, before
            else:
                _restore(session, before)


def _restore(session: SparkSession, before: dict[str, str | None]) -> None:
    for name, value in before.items():
        if value is None:
            session.conf.unset(name)
        else:
            session.conf.set(name, value)


def setting(session: SparkSession, name: str) -> str | None:
    """Returns a setting, if this version of Spark has it."""
    try:
        found: str | None = session.conf.get(name)
    except Exception:
        return None
    return found
