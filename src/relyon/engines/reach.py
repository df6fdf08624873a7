"""Which addresses an engine may be connected to."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

__all__ = ["Reach"]


@dataclass(frozen=True)
class Reach:
    """Which addresses may be connected to: public ones, and others of hosts that are named.

    Attributes:
        private: Hosts that may be at an address of this machine or its network.
    """

    private: Collection[str] = ()
