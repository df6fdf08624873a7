"""Judgments and runs from whatever a caller has: objects, files, dictionaries, frames."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from relkit.data.judgments import Judgments
from relkit.data.run import Run
from relkit.io.formats import read_judgments, read_run

if TYPE_CHECKING:
    from relkit.data.scale import Scale

__all__ = ["as_judgments", "as_run"]


def as_judgments(source: Any, scale: Scale | None = None) -> Judgments:
    """Returns judgments from whatever a caller has."""
    if isinstance(source, Judgments):
        return source
    if isinstance(source, str | PathLike):
        return read_judgments(fspath(source), scale=scale)
    if isinstance(source, Mapping):
        return Judgments.from_dict(source, scale=scale)
    if hasattr(source, "to_dict") and not hasattr(source, "columns"):
        return Judgments.from_dict(source.to_dict(), scale=scale)
    return Judgments.from_frame(source, scale=scale)


def as_run(source: Any) -> Run:
    """Returns a run from whatever a caller has."""
    if isinstance(source, Run):
        return source
    if isinstance(source, str | PathLike):
        return read_run(fspath(source))
    if isinstance(source, Mapping):
        return Run.from_dict(source)
    if hasattr(source, "to_dict") and not hasattr(source, "columns"):
        return Run.from_dict(source.to_dict())
    return Run.from_frame(source)
