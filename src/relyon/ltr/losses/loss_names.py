"""Losses by name: `name` or `name(parameter=value,…)`."""

from __future__ import annotations

import re

from relyon.core.arguments import split_arguments
from relyon.core.errors import ParameterError, UnknownNameError
from relyon.core.registry import suggestion
from relyon.core.texts import message
from relyon.ltr.losses.definition import Loss, losses
from relyon.measures.parameters import parameters

__all__ = ["loss"]

NAME = re.compile(r"\s*(?P<name>[A-Za-z][\w\-+]*)\s*(?:\((?P<arguments>.*)\))?\s*")


def loss(name: str | Loss) -> Loss:
    """Returns the loss of a name such as `softrank(sigma=0.5)`; a loss is returned unchanged.

    Names are case-insensitive. `loss(str(l)) == l` for every loss.

    Raises:
        UnknownNameError: If the loss or parameter is unknown; the hint names the nearest.
        ParameterError: If the text is not a loss name, or a parameter has an invalid value.

    Examples:
        >>> import relyon.ltr
        >>> relyon.ltr.loss("RankNet(sigma=2)")
        RankNet(sigma=2.0)
        >>> str(relyon.ltr.loss("ranknet"))
        'ranknet'
    """
    if isinstance(name, Loss):
        return name
    found = NAME.fullmatch(name) if isinstance(name, str) else None
    if found is None:
        raise ParameterError(
            message("ltr.not-loss-name", name=name),
            hint=message("ltr.write-name-or-name"),
        )
    kind = losses.get(found["name"])
    arguments = split_arguments(name, found["arguments"] or "")
    known = parameters(kind)
    for key in arguments:
        if key not in known:
            raise UnknownNameError(
                message("ltr.loss-has-no-parameter", name=kind.name, key=key),
                hint=suggestion(key, list(known)) if known else message("core.has-no-parameters"),
            )
    return kind(**arguments)
