"""Findings of checks, looked up by their kind."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Generic, Protocol, TypeVar

__all__ = ["Findings"]


class _Finding(Protocol):
    @property
    def kind(self) -> str: ...
    @property
    def level(self) -> str: ...


F = TypeVar("F", bound=_Finding)


class Findings(Generic[F]):
    """The findings of several checks: a sequence with lookup by kind."""

    findings: tuple[F, ...]

    @property
    def warnings(self) -> tuple[F, ...]:
        """The findings that make numbers wrong."""
        return tuple(one for one in self.findings if one.level == "warning")

    def __len__(self) -> int:
        """The number of findings."""
        return len(self.findings)

    def __iter__(self) -> Iterator[F]:
        return iter(self.findings)

    def __getitem__(self, kind: str) -> F:
        """The finding of a kind; raises KeyError if it is absent."""
        for one in self.findings:
            if one.kind == kind:
                return one
        raise KeyError(kind)

    def __contains__(self, kind: object) -> bool:
        return any(one.kind == kind for one in self.findings)
