"""Messages about an engine for people who must not learn where it is."""

from __future__ import annotations

import ipaddress
import re

from relyon.engines.engine import Engine
from relyon.engines.files.secrets import HIDDEN

__all__ = ["without_address"]

#: Shorter parts of an address are words of any message.
SHORTEST = 4
#: What may be an address of IPv4 or IPv6: databases name the one that they connected to.
NUMBERS = re.compile(r"(?<!\w)[0-9A-Fa-f:.]{3,}(?!\w)")


def without_address(text: str, engine: Engine) -> str:
    """Returns a text about an engine without its address, its host, and secrets.

    Args:
        text: What the engine or relyon says.
        engine: The engine.

    Examples:
        >>> from relyon.engines.kinds.python import Python
        >>> engine = Python(lambda query, k: [], "shop:find")
        >>> without_address("shop:find is not there", engine)
        '*** is not there'
        >>> without_address("server at (10.1.2.3) refused at 12:30", engine)
        'server at (***) refused at 12:30'
    """
    for place in sorted(engine.places, key=len, reverse=True):
        if len(place) >= SHORTEST:
            text = text.replace(place, HIDDEN)
    return engine.secrets.hide(NUMBERS.sub(_hidden, text))


def _hidden(found: re.Match[str]) -> str:
    bare = found[0].rstrip(":.")
    host = bare.partition(":")[0] if bare.count(":") == 1 else bare
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return found[0]
    return HIDDEN + found[0][len(host) :]
