"""Lists of names in help texts, which come from the registries."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from relyon.io.format import Kind
    from relyon.ltr.fusion.method import Method

__all__ = ["PLACE", "with_lists"]

#: A list in a help text, such as `{fusion-ranks}`.
PLACE = re.compile(r"\{([a-z]+(?:-[a-z]+)+)\}")


def _formats(chosen: Callable[[frozenset[Kind]], bool]) -> list[str]:
    from relyon.io.format import formats

    return [name for name in formats if chosen(formats.get(name).kinds)]


def _sheets() -> list[str]:
    from relyon.io.sheets import sheet_formats

    return sheet_formats()


def _fusion(chosen: Callable[[type[Method]], bool]) -> list[str]:
    from relyon.ltr.fusion.method import methods

    return [name for name in methods if chosen(methods.get(name))]


LISTS: dict[str, Callable[[], list[str]]] = {
    "formats-judgments-runs": lambda: _formats(lambda kinds: {"judgments", "run"} <= kinds),
    "formats-judgments": lambda: _formats(
        lambda kinds: kinds & {"judgments", "run"} == {"judgments"}
    ),
    "formats-features": lambda: _formats(lambda kinds: "features" in kinds),
    "formats-items": _sheets,
    "fusion-ranks": lambda: _fusion(lambda kind: kind.reads == "ranks" and not kind.trained),
    "fusion-scores": lambda: _fusion(lambda kind: kind.reads == "scores" and not kind.trained),
    "fusion-trained": lambda: _fusion(lambda kind: bool(kind.trained)),
}


def with_lists(text: str, comma: str = ", ") -> str:
    """Returns a help text with its lists of names.

    Args:
        text: The text.
        comma: What separates names.

    Raises:
        KeyError: If there is no such list.
    """
    return PLACE.sub(lambda found: comma.join(LISTS[found[1]]()), text)
