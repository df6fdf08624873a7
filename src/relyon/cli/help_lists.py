"""Lists of names in help texts, which come from the registries."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

__all__ = ["with_lists"]

#: A list in a help text, such as `{fusion-ranks}`.
PLACE = re.compile(r"\{([a-z]+(?:-[a-z]+)+)\}")


def _formats(*kinds: str, without: str = "") -> list[str]:
    from relyon.io.format import formats

    return [
        name
        for name in formats
        if formats.get(name).kinds.issuperset(kinds) and without not in formats.get(name).kinds
    ]


def _sheets() -> list[str]:
    from relyon.io.sheets import sheet_formats

    return sheet_formats()


def _fusion(reads: str | None) -> list[str]:
    """Returns the fusion methods that read ranks or scores, or those that are trained."""
    from relyon.ltr.fusion.method import methods

    kinds = {name: methods.get(name) for name in methods}
    if reads is None:
        return [name for name, kind in kinds.items() if kind.trained]
    return [name for name, kind in kinds.items() if kind.reads == reads and not kind.trained]


LISTS: dict[str, Callable[[], Iterable[str]]] = {
    "formats-judgments-runs": lambda: _formats("judgments", "run"),
    "formats-judgments": lambda: _formats("judgments", without="run"),
    "formats-features": lambda: _formats("features"),
    "formats-items": _sheets,
    "fusion-ranks": lambda: _fusion("ranks"),
    "fusion-scores": lambda: _fusion("scores"),
    "fusion-trained": lambda: _fusion(None),
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
