"""Messages about an engine for people who must not learn where it is."""

from __future__ import annotations

from urllib.parse import urlsplit

from relyon.engines.engine import Engine
from relyon.engines.files.secrets import HIDDEN

__all__ = ["without_address"]

#: Shorter parts of an address are words of any message.
SHORTEST = 4


def without_address(text: str, engine: Engine) -> str:
    """Returns a text about an engine without its address, its host, and secrets.

    Args:
        text: What the engine or relyon says.
        engine: The engine.

    Examples:
        >>> from relyon.engines.kinds.python import Python
        >>> without_address("shop:find is not there", Python(lambda query, k: [], "shop:find"))
        '*** is not there'
    """
    parts = urlsplit(engine.address)
    places = {engine.address, parts.netloc, parts.hostname or ""}
    for place in sorted(places, key=len, reverse=True):
        if len(place) >= SHORTEST:
            text = text.replace(place, HIDDEN)
    return engine.secrets.hide(text)
