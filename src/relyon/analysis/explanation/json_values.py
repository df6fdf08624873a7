"""JSON-ready values of explanations."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from relyon.core.document.json import json_values

__all__ = ["plain"]


def plain(entry: Any) -> dict[str, Any]:
    """Returns the fields of a flat dataclass, with NaN and infinity as `None`."""
    found: dict[str, Any] = json_values(asdict(entry))
    return found
