"""Results that can be plotted."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from relyon.io.picture import Picture

__all__ = ["Plotted"]

#: What draws a result is in a room above all results, so it is loaded by name, like a plug-in.
DRAWS = "relyon.report"


class Plotted:
    """A result with charts."""

    def plot(self, kind: str | None = None, **options: str | None) -> Picture:
        """Returns a chart as a picture, which a notebook shows and `save` writes.

        Args:
            kind: See `relyon.plot`, which does the same.
            **options: `measure`, `candidate` and `language` of `relyon.plot`.

        Raises:
            ParameterError: If the result has no chart of this kind.
            DependencyError: If a package of the extra `report` is not installed.
        """
        found: Picture = import_module(DRAWS).plot(self, kind, **options)
        return found
