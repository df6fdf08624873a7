"""What can go wrong when an engine is asked: whether to ask again, to go on, or to stop."""

from __future__ import annotations

from relyon.core.errors import InputError

__all__ = ["FatalError", "PassingError", "RefusedError"]


class PassingError(Exception):
    """An answer did not come, or not whole, and may do so if it is asked for again.

    Args:
        kind: What happened: `timeout`, `connection`, `status`, `truncated`, `partial`.
        detail: What the engine or the network said, in one short line without secrets.
        wait: Seconds after which the engine wants to be asked again; None if it did not say.
    """

    def __init__(self, kind: str, detail: str = "", *, wait: float | None = None) -> None:
        super().__init__(f"{kind}: {detail}" if detail else kind)
        self.kind = kind
        self.detail = detail
        self.wait = wait


class RefusedError(Exception):
    """The engine refuses this query, or answers it with something else than results.

    It may answer others.

    Args:
        kind: What happened: `refused`, `not-json`, `no-hits`, `bad-hit`.
        detail: What the engine said, in one short line without secrets.
    """

    def __init__(self, kind: str, detail: str = "") -> None:
        super().__init__(f"{kind}: {detail}" if detail else kind)
        self.kind = kind
        self.detail = detail


class FatalError(InputError):
    """No query will be answered: wrong address, key, index or path."""
