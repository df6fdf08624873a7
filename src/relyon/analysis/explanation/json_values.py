"""JSON-ready values of explanations."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from relyon.core.document.json import json_values

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

__all__ = ["plain"]


def plain(entry: DataclassInstance) -> dict[str, object]:
    """Returns the fields of a flat dataclass, with NaN and infinity as `None`."""
    found: dict[str, object] = json_values(asdict(entry))
    return found
