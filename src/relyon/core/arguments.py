"""The arguments in a name such as `name(parameter=value,…)`."""

from __future__ import annotations

import re

from relyon.core.errors import ParameterError
from relyon.core.texts import message

__all__ = ["split_arguments"]

# A value may be a map, quoted, or a name with its own parameters.
ITEM = re.compile(
    r"\s*(?P<name>\w+)\s*=\s*"
    r"(?P<value>\{[^{}]*\}|'[^']*'|\"[^\"]*\"|[^,()]*\([^()]*\)[^,()]*?|[^,]*?)\s*(?:,|$)"
)


def split_arguments(name: str, inside: str) -> dict[str, str]:
    """Returns the parameters by lower-case name, as text.

    Args:
        name: The whole name, for messages.
        inside: The text between its parentheses.

    Raises:
        ParameterError: If it is not a list of parameters.

    Examples:
        >>> split_arguments("ndcg(gain={1:3,2:9},k=5)", "gain={1:3,2:9},k=5")
        {'gain': '{1:3,2:9}', 'k': '5'}
        >>> split_arguments("lambdarank(…)", "measure=ndcg(gain=exp,ideal=hits)@10, sigma=2")
        {'measure': 'ndcg(gain=exp,ideal=hits)@10', 'sigma': '2'}
    """
    arguments: dict[str, str] = {}
    position = 0
    while position < len(inside.rstrip()):
        item = ITEM.match(inside, position)
        if item is None or item.end() == position:
            raise ParameterError(
                message("core.not-list-of-parameters", inside=inside, name=name),
                hint=message("core.write-parameter-value"),
            )
        arguments[item["name"].lower()] = item["value"].strip("'\"")
        position = item.end()
    return arguments
